"""Help: the keys of the screen below in groups, the six to learn first, all signs, and how Podium works."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Input, Static

from core.record import replace
from tui.dialogs.dialog import FRAME, SettledModal
from tui.drawing.cells import fit
from tui.drawing.outline_lines import wrap_text
from tui.drawing.styles import ASCII, UNICODE
from tui.keys.names import spell_key
from tui.keys.table import IDEAS, RECORD, SCREENS, VIEW, Key, idea_of
from tui.screens.framework.screen import PodiumScreen
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

Lines = list[tuple[str, str, str]]
"""The keys (empty for a heading and a blank line), the words, and a style for them."""


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
        VerticalScroll {{ scrollbar-size-vertical: 1; scrollbar-background: $surface; margin-top: 1; }}
        #how {{ color: $foreground 80%; margin-top: 1; }}
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
            yield Input(placeholder="Search the keys", compact=True)
            with VerticalScroll(can_focus=False):
                yield Static(self._first_keys(), id="first")
                yield Static(self._list_keys([]), id="keys")
                heading = Content.styled("How Podium works", "bold $foreground")
                yield Static(Content("\n").join([heading, *map(Content, HOW_IT_WORKS)]), id="how")

    def on_mount(self) -> None:
        self.query_one(Input).cursor_blink = False
        self.query_one(Input).focus()

    def on_resize(self, _event: events.Resize) -> None:
        if self._width != self._shown_width:
            self._show()

    @on(Input.Changed)
    def _show(self) -> None:
        words = self.query_one(Input).value.casefold().split()
        self.query_one("#how").display = self.query_one("#first").display = not words
        self.query_one("#keys", Static).update(self._list_keys(words))
        self.query_one(VerticalScroll).scroll_home(animate=False)

    @property
    def _width(self) -> int:
        """The cells of a line, which are known before the page is laid out, so that it is painted once."""
        return max(10, min(WIDTH, self.app.size.width) - TAKEN)

    def _list_keys(self, words: list[str]) -> Content:
        """The keys with every word, in columns; without a word all of them, and the signs."""
        self._shown_width = self._width
        lines = [*self._lines(words), *(() if words else self._signs())]
        return _in_columns(lines, self._width) if lines else Content("No key does that here. : finds any action.")

    def _lines(self, words: list[str]) -> Iterator[tuple[str, str, str]]:
        """Headings and keys, those with every searched word. A key that does nothing now says why on demand."""
        heading = ""
        for group, keys, key in group_keys(self._owner.keys.live(), records_of(self._owner.name_in_table)):
            if not all(word in f"{keys} {key.words} {group}".casefold() for word in words):
                continue
            if group != heading:
                if heading:
                    yield "", "", ""
                heading = group
                yield "", group, "bold $foreground"
            reason = self._owner.keys.why_not(key)
            yield keys, key.words, "$foreground 45%" if reason else "$foreground"
            if reason and (words or self._with_reasons):
                yield " ", reason, "italic $foreground 45%"

    def _signs(self) -> Iterator[tuple[str, str, str]]:
        """The legend."""
        yield "", "", ""
        yield "", "Signs", "bold $foreground"
        for signs, words in legend(ASCII if self._owner.podium.ascii else UNICODE):
            yield signs, words, "$foreground"

    def _first_keys(self) -> Content:
        """The six keys to learn first, as the user has them."""
        live = {idea_of(key).words: spell_keys(key) for key in reversed(self._owner.keys.live()) if key.keys}
        parts = [Content.styled("If you only learn six", "bold $foreground")]
        for idea in (idea for idea in IDEAS if idea.first):
            keys = live.get(idea.words, spell_key(idea.keys.partition(",")[0])).split(" ")[0]
            parts.append(Content.assemble((keys, "bold $accent"), (f" {idea.first}", "bold $foreground")))
        return Content("\n").join([parts[0], Content("  ·  ").join(parts[1:]), Content("")])

    def action_toggle_reasons(self) -> None:
        """Show or hide the reasons of the keys that do nothing now."""
        self._with_reasons = not self._with_reasons
        self._show()

    def action_leave(self) -> None:
        self.dismiss(None)

    def action_scroll_by(self, lines: int) -> None:
        self.query_one(VerticalScroll).scroll_relative(y=lines, animate=False, immediate=True)

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


def _in_columns(lines: Lines, width: int) -> Content:
    """The lines in as many columns as fit, filled downwards, none ending with a heading."""
    columns = max(1, (width + 2) // (COLUMN + 2))
    each = (width - 2 * (columns - 1)) // columns
    cells = [cell for line in lines for cell in _wrap_line(line, each)]
    height = -(-len(cells) // columns)
    blocks: list[list[Content]] = [[]]
    for number, (cell, is_heading) in enumerate(cells):
        full = len(blocks[-1]) >= height or (is_heading and len(blocks[-1]) >= height - 1)
        if full and len(blocks) < columns and number:
            blocks.append([])
        if blocks[-1] or cell.plain.strip():  # no column begins with a blank line
            blocks[-1].append(cell)
    rows = []
    for row in range(max(map(len, blocks))):
        parts = [block[row] if row < len(block) else Content(" " * each) for block in blocks]
        rows.append(Content("  ").join(parts))
    return Content("\n").join(rows)


def _wrap_line(line: tuple[str, str, str], width: int) -> Iterator[tuple[Content, bool]]:
    """A line in pieces of exactly ``width`` cells, and whether it is a heading; words are never cut off."""
    keys, words, style = line
    if not keys:
        yield Content.styled(fit(words, width, pad=True), style), bool(words)
        return
    room = max(8, width - KEYS_WIDTH)
    for number, part in enumerate(wrap_text(words, room)):
        lead = fit(keys, KEYS_WIDTH - 1, pad=True) + " " if not number else " " * KEYS_WIDTH
        lead_style = "bold $accent" if "45%" not in style else "$foreground 45%"
        yield Content.assemble((lead, lead_style), (fit(part, room, pad=True), style)), False
