"""Help: the keys of the screen below in groups, the six to learn first, all signs, and how Podium works."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widgets import Input

from core.record import replace
from tui.dialogs.dialog import FRAME
from tui.drawing.cells import fit
from tui.drawing.outline_lines import wrap_text
from tui.drawing.styles import ASCII, UNICODE
from tui.keys.names import spell_key
from tui.keys.table import IDEAS, RECORD, SCREENS, VIEW, Key, idea_of
from tui.screens.framework.screen import PodiumScreen
from tui.widgets.settled_screen import SettledModal
from tui.widgets.steady_input import SteadyInput
from tui.wording.signs import legend

HOW_IT_WORKS = (
    "Projects go through phases, from left to right. A phase is locked until those before it are complete.",
    "Cards are tasks and activities. They are To Do, In Progress, Completed or Archived; H and L move them.",
    "Applications stand above them: press + to add one that fits, o to launch it with the context of the project.",
    "A gate ends a phase: automatically when all is done, or when an owner approves it, or the votes of a panel do.",
    "Nothing is lost: every change is saved at once; u undoes it and U redoes it, even tomorrow.",
    "Changes by others light up at once. On a server you also see their initials on the card they are on.",
    "Something is blocked? w names the rule, the blockers and who can help. g goes to any screen.",
)

COLUMN = 46
"""Cells that a column of keys is given at least, if the screen is that wide."""

KEYS_WIDTH = 12
"""Cells for the keys themselves."""

WIDTH = 160
"""Most cells of the page, with its frame."""
TAKEN = 5
"""Cells of a line that the frame, its padding and the scrollbar take."""

KEY, WORDS, HEADING = "help--key", "help--words", "help--heading"
IDLE, REASON, HOW = "help--idle", "help--reason", "help--how"
"""The styles: of a key, its words, a heading, a key that does nothing now, the reason, and how Podium works."""

Entry = tuple[str, str, str]
"""The keys (empty for a heading and a blank line), the words, and their style."""

Line = list[tuple[str, str]]
"""Texts of a line, each with its style."""


class HelpLines(ScrollView, can_focus=False):
    """Lines of which only those in view are drawn."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {KEY, WORDS, HEADING, IDLE, REASON, HOW}
    DEFAULT_CSS = f"""
    HelpLines {{
        height: 1fr; margin-top: 1; overflow-x: hidden;
        scrollbar-size-vertical: 1; scrollbar-background: $surface;
        .{KEY} {{ color: $accent; text-style: bold; }}
        .{WORDS} {{ color: $foreground; }}
        .{HEADING} {{ color: $foreground; text-style: bold; }}
        .{IDLE} {{ color: $text-muted; }}
        .{REASON} {{ color: $text-muted; text-style: italic; }}
        .{HOW} {{ color: $foreground 80%; }}
    }}
    """

    def __init__(self, lines: list[Line]) -> None:
        super().__init__()
        self._lines: list[Line] = []
        self.show(lines)

    def show(self, lines: list[Line]) -> None:
        """Show these from the first."""
        self._lines = lines
        self.virtual_size = Size(0, len(lines))
        self.scroll_home(animate=False)
        self.refresh()

    def render_line(self, y: int) -> Strip:
        number, width = y + self.scroll_offset.y, self.scrollable_content_region.width
        line = self._lines[number] if number < len(self._lines) else []
        styles = {style: self.get_component_rich_style(style) for _, style in line}
        return Strip([Segment(text, styles[style]) for text, style in line]).adjust_cell_length(width, self.rich_style)


class HelpScreen(SettledModal[None]):
    """A page over the screen it helps with; typing searches."""

    DEFAULT_CSS = f"""
    HelpScreen {{
        align: center middle; background: transparent;
        #page {{
            {FRAME}
            width: 100%; max-width: {WIDTH}; height: 100%;
        }}
        &.-ascii #page {{ border: ascii $primary; }}
        Input {{ height: 1; border: none; padding: 0 1; background: $foreground 7%; }}
        Input:focus {{ border: none; background: $foreground 12%; background-tint: transparent; }}
    }}
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,f1,enter", "leave", show=False),
        Binding("tab", "toggle_reasons", show=False),
        Binding("down", "scroll_by(1)", show=False),
        Binding("up", "scroll_by(-1)", show=False),
        Binding("pagedown", "scroll_by(10)", show=False),
        Binding("pageup", "scroll_by(-10)", show=False),
    ]
    ALLOW_SELECT = False

    def __init__(self, owner: PodiumScreen) -> None:
        super().__init__()
        self._owner = owner
        self._with_reasons = False
        self._shown_width = 0

    def compose(self) -> ComposeResult:
        self.set_class(self._owner.podium.ascii, "-ascii")
        page = Vertical(id="page")
        page.border_title = f"Help · {self._owner.name_in_table.replace('_', ' ').capitalize()}"
        page.border_subtitle = "type to search · tab reasons · ↑↓ scroll · esc close"
        with page:
            yield SteadyInput(placeholder="Search the keys", compact=True)
            yield HelpLines(self._list_lines([]))

    def on_resize(self, _event: events.Resize) -> None:
        if self._width != self._shown_width:
            self._show()

    @on(Input.Changed)
    def _show(self) -> None:
        self.query_one(HelpLines).show(self._list_lines(self.query_one(Input).value.casefold().split()))

    @property
    def _width(self) -> int:
        """The cells of a line, which are known before the page is laid out, so that it is painted once."""
        return max(10, min(WIDTH, self.app.size.width) - TAKEN)

    def _list_lines(self, words: list[str]) -> list[Line]:
        """The keys with every word, in columns; without a word the first keys, all others, the signs, and the rest."""
        width = self._shown_width = self._width
        if words:
            found = [*self._list_keys(words)]
            return _in_columns(found, width) if found else [[("No key does that here. : finds any action.", WORDS)]]
        how = [[(part, HOW)] for words in HOW_IT_WORKS for part in wrap_text(words, width)]
        return [
            [("If you only learn six", HEADING)],
            *self._first_keys(width),
            [],
            *_in_columns([*self._list_keys([]), *self._signs()], width),
            [],
            [("How Podium works", HEADING)],
            *how,
        ]

    def _list_keys(self, words: list[str]) -> Iterator[Entry]:
        """Headings and keys, those with every searched word. A key that does nothing now says why on demand."""
        heading = ""
        for group, keys, key in group_keys(self._owner.keys.live(), records_of(self._owner.name_in_table)):
            if not all(word in f"{keys} {key.words} {group}".casefold() for word in words):
                continue
            if group != heading:
                if heading:
                    yield "", "", ""
                heading = group
                yield "", group, HEADING
            reason = self._owner.keys.why_not(key)
            yield keys, key.words, IDLE if reason else WORDS
            if reason and (words or self._with_reasons):
                yield " ", reason, REASON

    def _signs(self) -> Iterator[Entry]:
        """The legend."""
        yield "", "", ""
        yield "", "Signs", HEADING
        for signs, words in legend(ASCII if self._owner.podium.ascii else UNICODE):
            yield signs, words, WORDS

    def _first_keys(self, width: int) -> list[Line]:
        """The six keys to learn first, as the user has them."""
        live = {idea_of(key).words: spell_keys(key) for key in reversed(self._owner.keys.live()) if key.keys}
        lines: list[Line] = [[]]
        for idea in (idea for idea in IDEAS if idea.first):
            keys = live.get(idea.words, spell_key(idea.keys.partition(",")[0])).split(" ")[0]
            piece = [(keys, KEY), (f" {idea.first}", HEADING)]
            if lines[-1]:
                joined = [*lines[-1], ("  ·  ", WORDS), *piece]
                if sum(cell_len(text) for text, _ in joined) <= width:
                    lines[-1] = joined
                    continue
                lines.append([])
            lines[-1] = piece
        return lines

    def action_toggle_reasons(self) -> None:
        """Show or hide the reasons of the keys that do nothing now."""
        self._with_reasons = not self._with_reasons
        self._show()

    def action_leave(self) -> None:
        self.dismiss(None)

    def action_scroll_by(self, lines: int) -> None:
        self.query_one(HelpLines).scroll_relative(y=lines, animate=False, immediate=True)

    def on_click(self, event: events.Click) -> None:
        if event.widget is self:
            self.dismiss(None)


def group_keys(keys: Sequence[Key], records: str) -> Iterator[tuple[str, str, Key]]:
    """The group of each key, its keys as people write them, and the key, in the order of the groups.

    ``records`` is the name of the records that the screen is about.
    """
    for group in dict.fromkeys(idea.group for idea in IDEAS):
        for key in keys:
            if idea_of(key).group != group:
                continue
            name = records if group == RECORD else group
            if not key.arguments:
                yield name, spell_keys(key), key
            elif key.arguments == ("1",):
                yield name, "1…9", replace(key, words="Go to the phase with this number")


def records_of(screen: str) -> str:
    """The name of the records that a screen is about."""
    on_cards = screen == "canvas" or SCREENS[screen].part == VIEW or screen == "my_work"
    return "Cards" if on_cards else screen.replace("_", " ").capitalize()


def spell_keys(key: Key) -> str:
    """All keys of an action; what has none is in the palette, and in the menu if that offers it."""
    without = ". :" if key.menu else ":"
    return " ".join(spell_key(name) for name in key.keys.split(",")) if key.keys else without


def _in_columns(entries: list[Entry], width: int) -> list[Line]:
    """The entries in as many columns as fit, filled downwards, none ending with a heading or beginning with a blank."""
    columns = max(1, (width + 2) // (COLUMN + 2))
    each = (width - 2 * (columns - 1)) // columns
    cells = [cell for entry in entries for cell in _wrap_entry(entry, each)]
    height = -(-len(cells) // columns)
    blocks: list[list[Line]] = [[]]
    for cell in cells:
        is_heading, is_blank = cell[0][1] == HEADING, not any(text.strip() for text, _ in cell)
        full = len(blocks[-1]) >= height or (is_heading and len(blocks[-1]) >= height - 1)
        if full and len(blocks) < columns and blocks[-1]:
            blocks.append([])
        if blocks[-1] or not is_blank:
            blocks[-1].append(cell)
    blank: Line = [(" " * each, WORDS)]
    rows = zip_longest(*blocks, fillvalue=blank)
    return [[piece for cell in row for piece in (*cell, ("  ", WORDS))][:-1] for row in rows]


def _wrap_entry(entry: Entry, width: int) -> Iterator[Line]:
    """An entry in lines of exactly ``width`` cells; words are never cut off."""
    keys, words, style = entry
    if not keys:
        yield [(fit(words, width, pad=True), style or WORDS)]
        return
    room = max(8, width - KEYS_WIDTH)
    for number, part in enumerate(wrap_text(words, room)):
        lead = fit(keys, KEYS_WIDTH - 1, pad=True) + " " if not number else " " * KEYS_WIDTH
        yield [(lead, KEY if style == WORDS else IDLE), (fit(part, room, pad=True), style)]
