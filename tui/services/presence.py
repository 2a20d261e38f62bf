"""Presence: reports the user's location, and keeps the other users on the same project for the screens.

A location is reported when the cursor has rested there. While nothing changes, only regular reports are sent.
Every view shows the initials of others at a card, drawn by ``others_here`` (tui/drawing/rows.py).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from textual.timer import Timer

from core.domain.model import WORKSPACE, Id
from core.errors import PodiumError
from core.record import asdict
from core.text.phrases import some
from core.text.sanitize import initials, sanitize
from tui.drawing.rows import people
from tui.services.host import Host, Location
from tui.terminal.workers import start_worker

if TYPE_CHECKING:
    from core.actions.projects.presence import OnlineUser

REST_SECONDS = 0.4
"""Seconds that a cursor rests on a card before its location is reported."""

BEAT_SECONDS = 12.0
"""Seconds between two regular reports, well below the lifetime of a report (core/presence/presence.py)."""

NAMED = 3
"""Most people that are named; of others only the number is shown."""

MAX_INITIALS = 1
"""Most initials at a card; of others only the number is shown."""


class PresenceTracker:
    """Reports the location of the visible screen, for the whole app, and reads the locations of others."""

    def __init__(self, app: Host) -> None:
        self._app = app
        self._terminal = os.urandom(9).hex()
        self._said = Location()
        self._timer: Timer | None = None
        self.people: tuple[OnlineUser, ...] = ()
        """The other users on the project of the visible screen."""

    def begin(self) -> None:
        """Start regular reports; called after the first paint."""
        self._app.set_interval(BEAT_SECONDS, self.ask_soon)
        self.note_move()

    def note_move(self) -> None:
        """Restart the timer: the screen or its cursor changed. Called with every key, so it does no work."""
        if self._timer is None:
            self._timer = self._app.set_timer(REST_SECONDS, self._report_new_place)
        else:
            self._timer.reset()

    def ask_soon(self) -> None:
        """Report the location and read the others', unless the screen is not about a project."""
        if self._here.project_id != WORKSPACE or self._said.project_id != WORKSPACE:
            start_worker(self._app, self._say, group="presence", exclusive=True)

    def _report_new_place(self) -> None:
        self._timer = None
        screen = self._app.visible_screen
        if screen is not None and not screen.is_mounted:
            self.note_move()
        elif self._here != self._said:
            self.ask_soon()

    @property
    def _here(self) -> Location:
        screen = self._app.visible_screen
        if screen is not None and not screen.is_mounted:
            return self._said  # a screen that is opening has no cursor yet
        return screen.location if screen is not None and screen.access.unseen is None else Location()

    async def _say(self) -> None:
        """Report the location, and draw the others after a change. Never raises; without an answer nobody is shown."""
        from core.actions.projects.presence import ReportPresence

        before, self._said = self._said, self._here
        leaving = self._said.project_id == WORKSPACE
        place = before if leaving else self._said
        try:
            found = await self._app.aside(
                ReportPresence(**asdict(place), terminal=self._terminal, via=self._app.via, leaving=leaving)
            )
        except PodiumError:
            found = ()
        if found != self.people:
            self.people = found
            screen = self._app.visible_screen
            if screen is not None and screen.is_mounted and screen.is_alive:
                screen.show_people()

    # -- for screens -----------------------------------------------------------------------------------------

    def words(self) -> tuple[str, ...]:
        """The other users in words, from long to short: “Bob Lind here”, “Bob here”, …; empty without others."""
        if not self.people or self._here.project_id != self._said.project_id:
            return ()
        names = [sanitize(each.name) for each in self.people]
        firsts = [name.split()[0] for name in names]
        return tuple(
            f"{who} here" for who in (some(names, NAMED), some(firsts, NAMED), some(firsts, 1), str(len(names)))
        )

    def too(self, place: Location) -> str:
        """Others on the same card or, without a card, the same phase: “Bob Lind is on this card too”; or empty."""
        if place.card_id:
            return _too([each.name for each in self.people if each.card_id == place.card_id], "card")
        return _too([each.name for each in self.people if place.phase_id and each.phase_id == place.phase_id], "phase")

    def initials(self, folded: Mapping[Id, Id] | None = None) -> dict[Id, str]:
        """The initials of other users by the id of the card or phase that they are on.

        ``folded`` has the phase for each card that is not visible itself.
        """
        found: dict[Id, list[str]] = {}
        for each in self.people:
            place = each.card_id or each.phase_id
            if place:
                found.setdefault((folded or {}).get(place, place), []).append(initials(each.name))
        return {place: people(names, MAX_INITIALS) for place, names in found.items()}


def _too(names: list[str], what: str) -> str:
    if not names:
        return ""
    return f"{some([sanitize(name) for name in names], NAMED)} {'is' if len(names) == 1 else 'are'} on this {what} too"
