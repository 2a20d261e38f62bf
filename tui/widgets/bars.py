"""The title line, the key line and the detail line, repainted only when their text changes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Protocol, TypeAlias, cast, runtime_checkable

from rich.cells import cell_len
from rich.segment import Segment
from textual import events
from textual.content import Content
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Static

from core.domain.grants import DecisionSource
from core.record import Record
from tui.drawing.cells import fit, plain
from tui.keys.bindings import BY_ID, Key
from tui.labels.permissions import is_certain, state
from tui.widgets.abstract import AbstractMeta

HELP = "everywhere.help"


class TitleFacts(Record, kw_only=False):
    """The facts in the title line."""

    place: str
    """The breadcrumb, or the name of the screen while its data is hidden."""
    who: tuple[str, ...]
    """The user, their role and the connection."""
    unread: int
    """Unread notifications."""
    here: tuple[str, ...]
    """The other users here, the longest wording first."""
    saved: tuple[str, str]
    """The save status and its style."""
    is_saved: bool
    authority: DecisionSource
    """The permission source and its state."""
    is_hidden: bool = False
    """True while the data of the screen is hidden."""


class ScreenKeys(Protocol):
    """The keys of a screen."""

    def live(self) -> Sequence[Key]:
        """The keys that work here, with the user's own keymap."""

    def why_not(self, key: Key) -> str:
        """The reason why a key is disabled; empty when it works."""

    async def run(self, key: Key) -> None:
        """Run the action of a key, or show the reason why it is disabled."""


class BarsScreen(Protocol):
    """The interface of a screen for its bars."""

    @property
    def focused(self) -> Widget | None:
        """The widget with the focus."""

    def title_facts(self) -> TitleFacts:
        """The facts for the title line."""

    @property
    def keys(self) -> ScreenKeys:
        """The keys that work here."""


class LineWidget(Widget, metaclass=AbstractMeta):
    """A line with the content of ``line``, repainted only when it changes.

    Before the first frame it has no width and no content. A new width is noticed at the next painting, because a
    resize event comes only after that.
    """

    DEFAULT_CSS = """
    LineWidget { height: 1; width: 1fr; background: $panel; color: $text-muted; }
    """
    ALLOW_SELECT = False

    def __init__(self) -> None:
        super().__init__()
        self._shown = Content("")
        self._width = 0
        self._drawn: tuple[Region, list[Strip]] | None = None

    @property
    def owner(self) -> BarsScreen:
        """The screen, with its type."""
        return cast(BarsScreen, self.screen)

    @abstractmethod
    def line(self, width: int) -> Content:
        """The content at a width in cells."""

    def show(self) -> None:
        """Update the line, and repaint it if it has changed."""
        if self.size.width == self._width > 0 and self._make():
            self._drawn = None
            self.refresh()

    def _make(self) -> bool:
        """Make the line for the current width. Return True if it has changed."""
        before, self._width = self._shown, self.size.width
        self._shown = self.line(self._width)
        return not self._shown.is_same(before)  # a dimmed key has the same text

    def render(self) -> Content:
        if self.size.width != self._width:
            self._make()
        return self._shown

    def render_lines(self, crop: Region) -> list[Strip]:
        """Cached lines, because Textual asks every widget for its lines in each frame."""
        if self._drawn is None or self._drawn[0] != crop:
            self._drawn = (crop, super().render_lines(crop))
        return self._drawn[1]

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._drawn = None


class TitleBar(LineWidget):
    """The title line: the breadcrumb at the left; user, role, connection, inbox, other users and save status at the
    right."""

    DEFAULT_CSS = "TitleBar { dock: top; }"

    def line(self, width: int) -> Content:
        facts = self.owner.title_facts()
        right = _facts_right(facts, max(width // 2, width - cell_len(facts.place) - 5), width)
        place = fit(f" ◆ {facts.place}", max(0, width - right.cell_length - 1))
        gap = " " * max(0, width - cell_len(place) - right.cell_length)
        return Content.assemble((place, "bold $foreground"), gap, right)


def _facts_right(facts: TitleFacts, room: int, width: int) -> Content:
    """The most facts that fit in ``room`` cells. A fault of the permission source is always shown."""
    authority, saved = facts.authority, facts.saved
    inbox = [(f"inbox {facts.unread}", "bold $text-accent")] if facts.unread else []
    if is_certain(authority):
        heres = [[(here, "bold $text-accent")] for here in facts.here] or [[]]
        offered = [_right_side([*facts.who, state(authority)], *inbox, *heres[0], saved)]
        offered += [_right_side(who, *inbox, *here, saved) for who in (facts.who, ()) for here in heres]
        least = _right_side([], *inbox, saved)
    else:
        warning = (state(authority, unseen=facts.is_hidden), "bold $warning")
        least = _right_side([], warning, saved)
        offered = [_right_side(facts.who, *inbox, warning, saved), least]
        if facts.is_saved or least.cell_length > width:
            least = _right_side([], warning)
    return next((right for right in offered if right.cell_length <= room), least)


def _right_side(words: Sequence[str], *states: tuple[str, str]) -> Content:
    """The words, then each state with its style: "Maya · owner · local  ✓ saved "."""
    who = [Content(" · ".join(words))] if words else []
    return Content.assemble(Content("  ").join([*who, *(Content.styled(*each) for each in states)]), " ")


OwnKey: TypeAlias = tuple[str, str, str]
"""A key of a widget as users read it, its label, and the action of the widget."""


@runtime_checkable
class HasOwnKeys(Protocol):
    """A widget with its own keys: while it has the focus, the screen's keys do nothing."""

    @property
    def own_keys(self) -> tuple[OwnKey, ...]:
        """Its keys, the most important ones first."""


class KeyBar(LineWidget):
    """The most important keys of the screen, as many as fit, and help. Disabled keys are dimmed.

    While a widget with its own keys has the focus, the line shows those.
    """

    DEFAULT_CSS = "KeyBar { dock: bottom; }"

    _shown_keys: tuple[object, ...] = ()

    def show(self) -> None:
        """Update the line if a key was enabled or disabled. Called after every change."""
        keys = ((key, not self.owner.keys.why_not(key)) for key in self.owner.keys.live() if key.label)
        shown = (self._taking, *keys)
        if shown != self._shown_keys:
            self._shown_keys = shown
            super().show()

    @property
    def _taking(self) -> HasOwnKeys | None:
        """The focused widget, if it has its own keys."""
        focused = self.owner.focused
        return focused if isinstance(focused, HasOwnKeys) else None

    def line(self, width: int) -> Content:
        shown = [part for _, _, part in (self._own_parts(width) if self._taking else self._parts(width))]
        return Content("  ").join([Content(""), *shown])

    def _own_parts(self, width: int) -> list[tuple[str, int, Content]]:
        """The focused widget's own keys that fit: action, first cell and text of each."""
        parts: list[tuple[str, int, Content]] = []
        used = 2
        for keys, words, action in self._taking.own_keys if self._taking else ():
            part = _words_of(keys, words)
            if used + part.cell_length <= width:
                parts.append((action, used, part))
                used += part.cell_length + 2
        return parts

    def _parts(self, width: int) -> list[tuple[Key, int, Content]]:
        """The screen's keys that fit, with first cell and text; help, the last one, always fits."""
        keys = [key for key in self.owner.keys.live() if key.label]
        keys.sort(key=lambda key: key.id == HELP)
        needed = 2 + self._part(BY_ID[HELP]).cell_length
        parts: list[tuple[Key, int, Content]] = []
        used = 2
        for key in keys:
            part = self._part(key)
            if key.id == HELP or used + part.cell_length + needed <= width:
                parts.append((key, used, part))
                used += part.cell_length + 2
        return parts

    def _part(self, key: Key) -> Content:
        if key.label.partition(" ")[0].count("/"):  # one label for a pair of keys: "H/L move"
            keys, _, word = key.label.partition(" ")
        else:
            keys, word = key.shown, key.label
        if self.owner.keys.why_not(key):
            return Content.assemble((f"{keys} {word}", "$foreground 40%"))
        return _words_of(keys, word)

    async def on_click(self, event: events.Click) -> None:
        """Run the action of the clicked key."""
        if self._taking:
            for action, start, part in self._own_parts(self.size.width):
                if start <= event.x < start + part.cell_length:
                    await cast(Widget, self._taking).run_action(action)
                    break
            return
        for key, start, part in self._parts(self.size.width):
            if start <= event.x < start + part.cell_length:
                await self.owner.keys.run(key)


def _words_of(keys: str, words: str) -> Content:
    """The text of an enabled key."""
    return Content.assemble((keys, "bold $accent"), f" {words}")


class AccessOverlay(Static):
    """Hides the data of a screen without permission to read it, and shows the reason."""

    DEFAULT_CSS = """
    AccessOverlay {
        layer: overlay; width: 100%; height: 1fr; margin: 1 0; padding: 2 4;
        background: $background; color: $foreground;
    }
    """
    ALLOW_SELECT = False

    def __init__(self, words: str) -> None:
        super().__init__()
        self.say(words)

    def say(self, words: str) -> None:
        """Show another reason."""
        self.update(plain(words))


class DetailLine(LineWidget):
    """The focused record as one sentence, with its whole title, also for screen readers."""

    DEFAULT_CSS = "DetailLine { dock: bottom; margin-bottom: 1; background: $surface; color: $foreground; }"

    def render_line(self, y: int) -> Strip:
        """Draw plain text, because it is drawn at every key: through ``Content`` it would cost as much as the board."""
        return Strip([Segment(self.render().plain, self.rich_style)])
