"""What others do on a project while one looks at it: said in the line of the cursor, where it covers nothing.

It is said until it is old, or the first key is pressed (decided here: a toast would cover cards).
"""

from __future__ import annotations

from textual.content import Content
from textual.timer import Timer

from core.domain.canvas import ActivitySummary
from core.domain.model import ItemKind
from core.domain.permissions import CHANGING_CARDS
from core.record import replace
from core.text.phrases import count, some
from tui.drawing.cells import fit
from tui.keys.bindings import Key
from tui.screens.framework.screen import PodiumScreen
from tui.services.presence import Location
from tui.widgets.bars import DetailLine, KeyBar

NAMED = 3
"""How many people are named; of the others it is said how many they are."""

SAID_SECONDS = 5.0
"""How long it is said what somebody has just done."""


class NewsOrDetail(DetailLine):
    """What is new, and otherwise what the cursor is on, and who else is there."""

    DEFAULT_CSS = "NewsOrDetail.-news { color: $text-accent; }"

    def line(self, width: int) -> Content:
        owner = self.owner
        assert isinstance(owner, LiveUpdatesMixin)
        return Content(fit(f" {owner.news}", width)) if owner.news else Content(fit(f" {owner.detail}", width))


class LiveUpdatesMixin(PodiumScreen):
    """A view of a project with a cursor on a card. A subclass gives ``description`` and ``card_id``."""

    news: str = ""
    """What is new, in a sentence, as long as it is said."""
    _old: Timer | None = None
    _doings: ActivitySummary | None = None
    """What is said that others did."""
    _allowed: tuple[bool, bool] | None = None
    """Whether the cursor is on an application, and whether its card may be changed, as the line of keys has it."""

    @property
    def description(self) -> str:
        """What the cursor is on, in a sentence."""
        raise NotImplementedError

    @property
    def card_id(self) -> str | None:
        """The card of the cursor."""
        raise NotImplementedError

    @property
    def detail(self) -> str:
        """The sentence of the cursor; others who are there come first, since its end may be cut."""
        too = self.podium.presence.too(self.whereabouts)
        return f"{too} · {self.description}" if too else self.description

    @property
    def whereabouts(self) -> Location:
        return Location(self.project_id, self.card_id)

    def kind_in_focus(self) -> ItemKind | None:
        """The kind of the one card that the keys are for now; None when it is none, or several."""
        raise NotImplementedError

    def show_cursor(self) -> None:
        """Say what the cursor is on; called whenever it has moved. The line of keys differs with the kind of card."""
        for detail in self.query(NewsOrDetail):
            detail.show()
        self.podium.presence.moved()
        kind = self.kind_in_focus()
        allowed = (kind is ItemKind.APPLICATION, CHANGING_CARDS[kind] in self.held if kind else True)
        if allowed != self._allowed:
            self._allowed = allowed
            for line in self.query(KeyBar):
                line.show()

    def show_people(self) -> None:
        super().show_people()
        self._show_line()

    def say(self, words: str, seconds: float | None = None) -> None:
        """Say what is new, for as long as told; nothing takes it away."""
        if self._old is not None:
            self._old.stop()
        self._old = self.set_timer(seconds, self.say_nothing) if seconds else None
        if words != self.news:
            self.news = words
            self._show_line()

    def say_nothing(self) -> None:
        """What was new is not any more."""
        self._doings = None
        self.say("")

    def say_doings(self, others: ActivitySummary | None) -> None:
        """Say what others have just done, together with what is still said: so a burst does not flicker."""
        if others is not None:
            self._doings = together(self._doings, others)
            self.say(activity_sentence(self._doings), SAID_SECONDS)

    def _show_line(self) -> None:
        for line in self.query(NewsOrDetail):
            line.set_class(bool(self.news), "-news")
            line.show()

    async def run_key(self, key: Key) -> None:
        self.say_nothing()
        await super().run_key(key)


def together(before: ActivitySummary | None, after: ActivitySummary) -> ActivitySummary:
    """Two doings as one."""
    if before is None:
        return after
    names = tuple(dict.fromkeys([*after.names, *before.names]))
    return replace(after, names=names, changes=before.changes + after.changes)


def activity_sentence(others: ActivitySummary) -> str:
    """What was done: Bob Lind started “Write the brief”; of several changes how many there are, and whose."""
    who = some(others.names, NAMED)
    if others.changes > 1:
        return f"{who} made {count(others.changes, 'change')}"
    return f"{who} {others.kind.told(others.summary)}"
