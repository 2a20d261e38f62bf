"""The title line, the key line, the detail line and the goal line, repainted only when their text changes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol, TypeAlias, TypeVar, cast, runtime_checkable

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.color import Color
from textual.content import Content
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.style import Style as VisualStyle
from textual.widget import Widget
from textual.widgets import Static

from core.domain.grants import DecisionSource
from core.record import Record
from tui.drawing.cells import fit, plain
from tui.keys.table import Key
from tui.widgets.abstract import AbstractMeta
from tui.widgets.styled_widget import is_ascii
from tui.wording.permissions import is_certain, state

T = TypeVar("T")

IN_WORDS_FROM = 72
"""Cells of the line of keys from which the keys at its right end have their words."""

WITH_GOAL = "-with-goal"
"""The class of a screen that shows the line, so that the lines above it make room."""


class TitleFacts(Record, kw_only=False):
    """The facts in the title line."""

    place: str
    """The breadcrumb, or the name of the screen while its data is hidden."""
    who: tuple[str, ...]
    """The user, their role, and the connection and the permission source where they are not the ordinary ones."""
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
    modes: tuple[str, ...] = ()
    """The modes of a view, which decide what cards it shows: preset, filter, archive. They are in colour."""


class LineKey(Record, kw_only=False):
    """A key in the line of keys."""

    key: Key
    keys: str
    """The key, or the pair of keys, as users read it."""
    label: str
    is_offered: bool = False
    """True if what is under the cursor asks for it; it is in colour."""
    works: bool = True


class GoalFacts(Record):
    """The facts in the line of the goal: a goal of the tour, or another hint."""

    key: str
    """The key to press, as users read it."""
    words: str
    short: str
    """The words for a narrow terminal."""
    ticks: tuple[bool, ...] = ()
    """For each goal whether it is done."""
    number: int = 0
    """The goal that is shown, counted from 1."""
    way_out: str = ""
    """How to get rid of the line, where there is room to say so."""


class ScreenKeys(Protocol):
    """The keys of a screen."""

    def line(self) -> tuple[Sequence[LineKey], Sequence[LineKey]]:
        """The keys for the beginning of the line of keys, the most useful ones first, and those for its right end."""

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
        self._look: tuple[VisualStyle, Color] | None = None
        """The style of the text and its background, kept until the style sheet or the theme changes."""

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
        """Draw the line, without what Textual does for borders, padding and a selection: that takes longer.

        It is kept, because Textual asks every widget for its lines in each frame. This class applies the app's line
        filters itself, as the board does.
        """
        if self._drawn is None or self._drawn[0] != crop:
            if self._look is None:
                self._look = self.visual_style, self.background_colors[1]
            style, background = self._look
            parts = self.render().render(style, "", self.app.stylesheet.parse_style)
            strip = Strip([Segment(text, (style + part).rich_style) for text, part in parts])
            strip = strip.crop_extend(crop.x, crop.right, Style(bgcolor=background.rich_color))
            for line_filter in self.get_line_filters():
                strip = strip.apply_filter(line_filter, background)
            self._drawn = (crop, [strip] * crop.height)
        return self._drawn[1]

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._drawn = self._look = None


class TitleBar(LineWidget):
    """The title line: the breadcrumb at the left; user, role, connection, inbox, other users and save status at the
    right."""

    DEFAULT_CSS = "TitleBar { dock: top; }"

    _facts: TitleFacts | None = None
    """The facts in the line as it is shown."""

    def show(self) -> None:
        """Update the line if its facts have changed."""
        if self._width and self.owner.title_facts() != self._facts:
            super().show()

    def line(self, width: int) -> Content:
        facts = self._facts = self.owner.title_facts()
        right = _facts_right(facts, width)
        modes = fit("".join(f"  {mode}" for mode in facts.modes), max(0, width - right.cell_length - 1) // 2)
        place = fit(f" ◆ {facts.place}", max(0, width - right.cell_length - 1 - cell_len(modes)))
        gap = " " * max(0, width - cell_len(place + modes) - right.cell_length)
        return Content.assemble((place, "bold $foreground"), (modes, "bold $text-warning"), gap, right)

    class InboxClicked(Message):
        """The number of notifications was clicked."""

    def on_click(self, event: events.Click) -> None:
        inbox = _inbox(self.owner.title_facts())
        start = self._shown.plain.rfind(inbox) if inbox else -1
        first = cell_len(self._shown.plain[:start])
        if start >= 0 and first <= event.x < first + cell_len(inbox):
            self.post_message(self.InboxClicked())


def _inbox(facts: TitleFacts) -> str:
    """The number of unread notifications in words; "" for none."""
    return f"inbox {facts.unread}" if facts.unread else ""


def _facts_right(facts: TitleFacts, width: int) -> Content:
    """The most facts that fit beside the place; the fewest leave room for its beginning, such as a project's name.

    A fault of the permission source is always shown.
    """
    authority, saved = facts.authority, facts.saved
    inbox = [(_inbox(facts), "bold $text-accent")] if facts.unread else []
    if is_certain(authority):
        heres = [[(here, "bold $text-accent")] for here in facts.here] or [[]]
        whos = dict.fromkeys((facts.who, facts.who[:2], facts.who[:1], ()))
        offered = [_right_side(who, *inbox, *here, saved) for who in whos for here in heres]
        offered.append(_right_side([], *inbox, saved))
        least = _right_side([], *inbox) if facts.is_saved else offered[-1]
    else:
        warning = (state(authority, unseen=facts.is_hidden), "bold $text-warning")
        offered = [_right_side(facts.who, *inbox, warning, saved), _right_side([], warning, saved)]
        is_short = facts.is_saved or offered[-1].cell_length > width
        least = _right_side([], warning) if is_short else offered[-1]
    taken = 4 + sum(2 + cell_len(mode) for mode in facts.modes)
    whole, name = (width - taken - cell_len(place) for place in (facts.place, facts.place.partition(" · ")[0]))
    beside = (right for right in offered if right.cell_length <= whole)
    return next(beside, offered[-1] if offered[-1].cell_length <= name else least)


def _right_side(words: Sequence[str], *states: tuple[str, str]) -> Content:
    """The words, then each state with its style: "Maya · owner  ✓ saved "."""
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


def focus_moved(widget: Widget) -> None:
    """Update the line of keys after a widget with its own keys got the focus or lost it."""
    for bar in widget.screen.query(KeyBar):
        bar.show()


class KeyBar(LineWidget):
    """The keys that do something now, the most useful ones first, as many as fit; some are always at the right end.

    While a widget with its own keys has the focus, the line shows those.
    """

    DEFAULT_CSS = "KeyBar { dock: bottom; }"

    _taking: HasOwnKeys | None = None
    """The focused widget, if it has its own keys."""
    _keys: tuple[Sequence[LineKey], Sequence[LineKey]] | None = None
    """The keys of the screen, for the beginning of the line and for its right end; None until they are needed."""

    def show(self) -> None:
        """Update the line if other keys are useful now. Called after every change."""
        if not self._width:  # the first frame finds them
            return
        before = (self._taking, self._keys)
        self._find()
        if (self._taking, self._keys) != before:
            super().show()

    def _find(self) -> None:
        focused = self.owner.focused
        self._taking = focused if isinstance(focused, HasOwnKeys) else None
        self._keys = None if self._taking else self.owner.keys.line()

    def line(self, width: int) -> Content:
        if self._taking is None and self._keys is None:
            self._find()
        texts: list[str | Content] = []
        end = 0
        for _, start, part in self._own_parts(width) if self._taking else self._parts(width):
            texts += [" " * (start - end), part]
            end = start + part.cell_length
        return Content.assemble(*texts)

    def _own_parts(self, width: int) -> list[tuple[str, int, Content]]:
        """The focused widget's own keys that fit: action, first cell and text of each."""
        own = self._taking.own_keys if self._taking else ()
        return _place_parts([(action, [_words_of(keys, words)]) for keys, words, action in own], 2, width)

    def _parts(self, width: int) -> list[tuple[Key, int, Content]]:
        """The screen's keys that fit, with first cell and text. Those at the right end are letters on a narrow line."""
        first, last = self._keys or ((), ())
        in_words, gap = width >= IN_WORDS_FROM, 2 if width >= IN_WORDS_FROM else 1
        ending = [(each.key, [_part(each, each.label if in_words else "")]) for each in last]
        needed = sum(part.cell_length + gap for _, (part,) in ending)
        beginning = [(each.key, _whole_or_short(each)) for each in first]
        return _place_parts(beginning, 2, width - needed - 2) + _place_parts(ending, max(0, width - needed), width, gap)

    async def on_click(self, event: events.Click) -> None:
        """Run the action of the clicked key."""
        if self._taking:
            if (action := _at(self._own_parts(self.size.width), event.x)) is not None:
                await cast(Widget, self._taking).run_action(action)
        elif (key := _at(self._parts(self.size.width), event.x)) is not None:
            await self.owner.keys.run(key)


def _place_parts(
    parts: Sequence[tuple[T, Iterable[Content]]], start: int, end: int, gap: int = 2
) -> list[tuple[T, int, Content]]:
    """The parts that fit between two cells, each with its first cell; of each the first of its texts that fits."""
    placed = []
    for what, texts in parts:
        part = next((text for text in texts if start + text.cell_length <= end), None)
        if part is not None:
            placed.append((what, start, part))
            start += part.cell_length + gap
    return placed


def _at(parts: Sequence[tuple[T, int, Content]], x: int) -> T | None:
    """The key or action at a cell."""
    return next((what for what, start, part in parts if start <= x < start + part.cell_length), None)


def _part(each: LineKey, label: str) -> Content:
    """The text of a key of the screen."""
    words = f" {label}" if label else ""
    if not each.works:
        return Content.assemble((f"{each.keys}{words}", "$text-muted"))
    if each.is_offered:
        return Content.assemble((f"{each.keys}{words}", "bold $text-accent"))
    return Content.assemble((each.keys, "bold $accent"), words)


def _whole_or_short(each: LineKey) -> Iterator[Content]:
    """The text of a key of the screen, and then without what is in brackets; made when it is asked for."""
    whole, short = each.label, each.label.partition(" (")[0]
    yield _part(each, whole)
    if short != whole:
        yield _part(each, short)


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

    def on_mount(self) -> None:
        self.screen.styles.overflow_y = "hidden"  # the margin of the overlay would make it scroll

    def say(self, words: str) -> None:
        """Show another reason."""
        self.update(plain(words))


class GoalLine(LineWidget):
    """Hidden unless the screen has a goal to show."""

    DEFAULT_CSS = """
    GoalLine { dock: bottom; display: none; margin-bottom: 1; background: $primary 20%; color: $foreground; }
    """

    def __init__(self, find_goal: Callable[[], GoalFacts | None]) -> None:
        super().__init__()
        self._find_goal = find_goal

    def show(self) -> None:
        """Show the goal of the screen, or hide the line."""
        self.screen.set_class(self._find_goal() is not None, WITH_GOAL)
        super().show()

    def line(self, width: int) -> Content:
        facts = self._find_goal()
        if facts is None:
            return Content("")
        forms = list(self._forms(facts, width))
        return next((form for form in forms if form.cell_length <= width), forms[-1])

    def _forms(self, facts: GoalFacts, width: int) -> Iterator[Content]:
        """The line from its longest form to its shortest, which is cut to fit."""
        done, here, open_ = ("x", ">", ".") if is_ascii(self) else ("✓", "▸", "·")
        number = f"{facts.number}/{len(facts.ticks)}" if facts.ticks else ""
        ticks = "".join(
            done if tick else here if at == facts.number else open_ for at, tick in enumerate(facts.ticks, 1)
        )
        key = (f"  {facts.key}  ", "bold $text-accent")
        whole = Content.assemble((f" Tour {ticks} {number}" if ticks else "", "bold"), key, facts.words)
        gap = " " * (width - whole.cell_length - len(facts.way_out) - 1)
        if facts.way_out and len(gap) >= 3:
            yield Content.assemble(whole, gap, (facts.way_out, "$text-muted"))
        yield whole
        yield Content.assemble((f" {number}" if number else "", "bold"), key, facts.words)
        lead = Content.assemble((f" {number}" if number else "", "bold"), key)
        yield Content.assemble(lead, fit(facts.short, max(0, width - lead.cell_length)))


class DetailLine(LineWidget):
    """The focused record as one sentence, with its whole title, also for screen readers."""

    DEFAULT_CSS = "DetailLine { dock: bottom; margin-bottom: 1; background: $surface; color: $foreground; }"


class SentenceLine(DetailLine):
    """A line that shows the sentence which ``text`` returns."""

    def __init__(self, text: Callable[[], str]) -> None:
        super().__init__()
        self._text = text

    def line(self, width: int) -> Content:
        return Content(fit(f" {self._text()}", width))
