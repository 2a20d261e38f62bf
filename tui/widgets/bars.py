"""The title line and the line of keys: one line each, drawn again only when their text differs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol, TypeAlias, cast, runtime_checkable

from rich.cells import cell_len
from rich.segment import Segment
from textual import events
from textual.content import Content
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Static

from core.domain.grants import DecisionSource
from tui.drawing.cells import fit, plain
from tui.keys.bindings import BY_ID, Key
from tui.labels.permissions import is_certain, state

HELP = "everywhere.help"


class TitleFacts(NamedTuple):
    """The facts in the title line."""

    place: str
    """The place, or the name of the screen while its data is hidden."""
    who: tuple[str, ...]
    """The user, their role and the connection."""
    unread: int
    """Unread notifications."""
    here: tuple[str, ...]
    """The other users here, the longest wording first."""
    saved: tuple[str, str]
    """The state of the changes, and its style."""
    is_saved: bool
    authority: DecisionSource
    """The source of the permissions."""
    is_hidden: bool = False
    """Whether the data of the screen is hidden."""


class BarsScreen(Protocol):
    """The screen of a title line and a key line."""

    @property
    def focused(self) -> Widget | None:
        """The widget with the focus."""

    def title_facts(self) -> TitleFacts:
        """The facts for the title line."""

    def live_keys(self) -> tuple[Key, ...]:
        """The keys that work here, with the user's own keymap."""

    def why_not(self, key: Key) -> str:
        """The reason why a key is disabled; empty when it works."""

    async def run_key(self, key: Key) -> None:
        """Do what a key says, or say why not."""


class LineWidget(Widget):
    """A line whose content is made by ``line`` and repainted only when it differs.

    Before the first frame it has no width and makes nothing; a new width makes it anew when it is painted, since a
    resize event comes only after the frame.
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
        """The screen, typed."""
        return cast(BarsScreen, self.screen)

    def line(self, width: int) -> Content:
        raise NotImplementedError

    def show(self) -> None:
        """Make the line again; nothing is repainted when it is the same."""
        if self.size.width == self._width > 0 and self._make():
            self._drawn = None
            self.refresh()

    def _make(self) -> bool:
        """Make the line for the width it has; whether it differs from the one before."""
        before, self._width = self._shown, self.size.width
        self._shown = self.line(self._width)
        return not self._shown.is_same(before)  # a key that is dimmed has the same text

    def render(self) -> Content:
        if self.size.width != self._width:
            self._make()
        return self._shown

    def render_lines(self, crop: Region) -> list[Strip]:
        """Kept from frame to frame: Textual asks every widget on the screen for its lines in each of them."""
        if self._drawn is None or self._drawn[0] != crop:
            self._drawn = (crop, super().render_lines(crop))
        return self._drawn[1]

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._drawn = None


class TitleBar(LineWidget):
    """Where we are at the left; who we are, with which role, through what, what is
    unread in the inbox, who else is here, and whether all is saved at the right."""

    DEFAULT_CSS = "TitleBar { dock: top; }"

    def line(self, width: int) -> Content:
        facts = self.owner.title_facts()
        right = _facts_right(facts, max(width // 2, width - cell_len(facts.place) - 5), width)
        place = fit(f" ◆ {facts.place}", max(0, width - right.cell_length - 1))
        gap = " " * max(0, width - cell_len(place) - right.cell_length)
        return Content.assemble((place, "bold $foreground"), gap, right)


def _facts_right(facts: TitleFacts, room: int, width: int) -> Content:
    """As much as has room beside the place. A fault is shown in any case."""
    authority, saved = facts.authority, facts.saved
    news = [(f"inbox {facts.unread}", "bold $text-accent")] if facts.unread else []
    if is_certain(authority):
        heres = [[(here, "bold $text-accent")] for here in facts.here] or [[]]
        offered = [_right_side([*facts.who, state(authority)], *news, *heres[0], saved)]
        offered += [_right_side(who, *news, *here, saved) for who in (facts.who, ()) for here in heres]
        least = _right_side([], *news, saved)
    else:
        warning = (state(authority, unseen=facts.is_hidden), "bold $warning")
        least = _right_side([], warning, saved)
        offered = [_right_side(facts.who, *news, warning, saved), least]
        if facts.is_saved or least.cell_length > width:
            least = _right_side([], warning)
    return next((right for right in offered if right.cell_length <= room), least)


def _right_side(words: Sequence[str], *states: tuple[str, str]) -> Content:
    """The words, then each state in its style: "Maya · owner · local  ✓ saved "."""
    who = [Content(" · ".join(words))] if words else []
    return Content.assemble(Content("  ").join([*who, *(Content.styled(*each) for each in states)]), " ")


OwnKey: TypeAlias = tuple[str, str, str]
"""A key of a widget as people write it, the word for what it does, and the action of the widget."""


@runtime_checkable
class HasOwnKeys(Protocol):
    """A widget that takes the keys for itself while it has the focus: those of the screen do nothing then."""

    @property
    def own_keys(self) -> tuple[OwnKey, ...]:
        """What its keys do, what matters most first."""


class KeyBar(LineWidget):
    """The keys that matter here, as many as fit; those that are not available are dimmed. Help is always there.

    While a widget takes the keys it says those of the widget instead.
    """

    DEFAULT_CSS = "KeyBar { dock: bottom; }"

    _told: tuple[object, ...] = ()

    def show(self) -> None:
        """Made again only when a key became available, or no longer is: it is asked for after every change."""
        keys = ((key, not self.owner.why_not(key)) for key in self.owner.live_keys() if key.label)
        told = (self._taking, *keys)
        if told != self._told:
            self._told = told
            super().show()

    @property
    def _taking(self) -> HasOwnKeys | None:
        """What takes the keys now."""
        focused = self.owner.focused
        return focused if isinstance(focused, HasOwnKeys) else None

    def line(self, width: int) -> Content:
        shown = [part for _, _, part in (self._own_parts(width) if self._taking else self._parts(width))]
        return Content("  ").join([Content(""), *shown])

    def _own_parts(self, width: int) -> list[tuple[str, int, Content]]:
        """The action, column and words of each key of the widget that takes them, as many as fit."""
        parts: list[tuple[str, int, Content]] = []
        used = 2
        for keys, words, action in self._taking.own_keys if self._taking else ():
            part = _words_of(keys, words)
            if used + part.cell_length <= width:
                parts.append((action, used, part))
                used += part.cell_length + 2
        return parts

    def _parts(self, width: int) -> list[tuple[Key, int, Content]]:
        """Each key that fits, with the column it starts at; room for the last one, help, is kept from the start."""
        keys = [key for key in self.owner.live_keys() if key.label]
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
        if self.owner.why_not(key):
            return Content.assemble((f"{keys} {word}", "$foreground 40%"))
        return _words_of(keys, word)

    async def on_click(self, event: events.Click) -> None:
        """A click on a key presses it."""
        if self._taking:
            for action, start, part in self._own_parts(self.size.width):
                if start <= event.x < start + part.cell_length:
                    await cast(Widget, self._taking).run_action(action)
                    break
            return
        for key, start, part in self._parts(self.size.width):
            if start <= event.x < start + part.cell_length:
                await self.owner.run_key(key)


def _words_of(keys: str, words: str) -> Content:
    """A key that is available."""
    return Content.assemble((keys, "bold $accent"), f" {words}")


class AccessOverlay(Static):
    """Hangs before the data of a screen while it may not be looked at, and says why."""

    LAYER = "curtain"
    DEFAULT_CSS = """
    AccessOverlay {
        layer: curtain; width: 100%; height: 1fr; margin: 1 0; padding: 2 4;
        background: $background; color: $foreground;
    }
    """
    ALLOW_SELECT = False

    def __init__(self, words: str) -> None:
        super().__init__()
        self.say(words)

    def say(self, words: str) -> None:
        """Show other words."""
        self.update(plain(words))


class DetailLine(LineWidget):
    """What the cursor is on, as one sentence: the whole title, and what screen readers read."""

    DEFAULT_CSS = "DetailLine { dock: bottom; margin-bottom: 1; background: $surface; color: $foreground; }"

    def render_line(self, y: int) -> Strip:
        """Plain text, drawn with every key: Textual's way through ``Content`` costs as much as the whole board."""
        return Strip([Segment(self.render().plain, self.rich_style)])
