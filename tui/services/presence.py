"""Who else is here: says where the person is, and keeps who else is on the same project, for the screens that show it.

Where a cursor rests is said, not each place that it passes; while nothing happens, only that the person is still here.
Every view shows the same initials at a card, drawn by ``others_here`` (tui/drawing/rows.py).
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from textual.timer import Timer

from core.domain.model import WORKSPACE, Id
from core.errors import PodiumError
from core.text.phrases import some
from core.text.sanitize import initials, sanitized
from tui.drawing.rows import people

if TYPE_CHECKING:
    from core.actions.projects.presence import OnlineUser
    from tui.services.host import Host

REST_SECONDS = 0.4
"""How long a cursor rests on a card before that is said."""

BEAT_SECONDS = 12.0
"""How often it is said anew, well within the time after which one is forgotten (core/engine/presence.py)."""

NAMED = 3
"""How many people are named; of the others it is said how many they are."""

MAX_INITIALS = 1
"""How many have their initials at a card, where there is little room; of the others it is said how many they are."""


class Location(NamedTuple):
    """The place of a screen and its cursor."""

    project_id: Id = WORKSPACE
    card_id: Id | None = None
    phase_id: Id | None = None


class PresenceTracker:
    """Speaks and listens for the whole app: a person is in one place, that of the visible screen."""

    def __init__(self, app: Host) -> None:
        self._app = app
        self._terminal = secrets.token_urlsafe(9)
        self._said = Location()
        self._timer: Timer | None = None
        self.people: tuple[OnlineUser, ...] = ()
        """The others on the project of the visible screen."""

    def begin(self) -> None:
        """From the first paint on."""
        self._app.set_interval(BEAT_SECONDS, self.ask_soon)
        self.moved()

    def moved(self) -> None:
        """The screen or its cursor changed; called with every key, so nothing is done here yet."""
        if self._timer is None:
            self._timer = self._app.set_timer(REST_SECONDS, self._rested)
        else:
            self._timer.reset()

    def ask_soon(self) -> None:
        """Say anew where the person is, and see who is here now; on a screen of no project there is nothing to say."""
        if self._here.project_id != WORKSPACE or self._said.project_id != WORKSPACE:
            # the method, not its coroutine, which would be complained of when it is replaced before it began
            self._app.run_worker(self._say, group="presence", exclusive=True)

    def _rested(self) -> None:
        self._timer = None
        screen = self._app.visible_screen
        if screen is not None and not screen.is_mounted:
            self.moved()
        elif self._here != self._said:
            self.ask_soon()

    @property
    def _here(self) -> Location:
        screen = self._app.visible_screen
        if screen is not None and not screen.is_mounted:
            return self._said  # a screen that is just being opened has no cursor yet
        return screen.whereabouts if screen is not None and screen.unseen is None else Location()

    async def _say(self) -> None:
        """Never raises: what cannot be read shows where it is looked at."""
        from core.actions.projects.presence import ReportPresence

        before, self._said = self._said, self._here
        leaving = self._said.project_id == WORKSPACE
        place = before if leaving else self._said
        try:
            found = await self._app.aside(
                ReportPresence(**place._asdict(), terminal=self._terminal, via=self._app.via, leaving=leaving)
            )
        except PodiumError:
            found = ()
        if found != self.people:
            self.people = found
            screen = self._app.visible_screen
            if screen is not None and screen.is_mounted and screen.stands:
                screen.show_people()

    # -- what screens show -----------------------------------------------------------------------------------

    def words(self) -> tuple[str, ...]:
        """Who is here: “Bob Lind here”, and shorter ones for where there is no room; none when nobody is."""
        if not self.people or self._here.project_id != self._said.project_id:
            return ()
        names = [sanitized(each.name) for each in self.people]
        firsts = [name.split()[0] for name in names]
        return tuple(
            f"{who} here" for who in (some(names, NAMED), some(firsts, NAMED), some(firsts, 1), str(len(names)))
        )

    def too(self, place: Location) -> str:
        """Who is on the same card, or else on the same phase that is open on its own: “Bob Lind is on this card too”;
        empty when nobody is."""
        if place.card_id:
            return _too([each.name for each in self.people if each.card_id == place.card_id], "card")
        return _too([each.name for each in self.people if place.phase_id and each.phase_id == place.phase_id], "phase")

    def initials(self, folded: Mapping[Id, Id] | None = None) -> dict[Id, str]:
        """The initials to be shown at each card and phase that others are on; ``folded`` are cards that are not to be
        seen themselves, and the phase that stands for each."""
        found: dict[Id, list[str]] = {}
        for each in self.people:
            place = each.card_id or each.phase_id
            if place:
                found.setdefault((folded or {}).get(place, place), []).append(initials(each.name))
        return {place: people(names, MAX_INITIALS) for place, names in found.items()}


def _too(names: list[str], what: str) -> str:
    if not names:
        return ""
    return f"{some([sanitized(name) for name in names], NAMED)} {'is' if len(names) == 1 else 'are'} on this {what} too"
