"""The palette (``:``): each action of the screen and each place on one line, with its key or why not at the right.

``palette_records.py`` adds the records and presets whose names have the typed words.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, cast

from rich.cells import cell_len
from textual import on
from textual.binding import Binding, BindingType
from textual.command import CommandList, CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Input
from textual.worker import Worker

from tui.dialogs.frame import FRAME
from tui.drawing.cells import fit
from tui.keys.synonyms import OTHER_WORDS
from tui.podium import Podium
from tui.screens.shell.navigation import PaletteEntry, commands
from tui.widgets.styled_widget import is_ascii

WIDTH = 76
"""Width of the panel in cells with its border; less in a narrower terminal."""
TAKEN = 7
"""Cells of a line that are taken by the border, the padding and a scrollbar."""
MAX_HINT = 0.5
"""The part of a line that a key or a reason may take."""


class ActionsProvider(Provider):
    """All that can be done, in the order of the tables: what is done here comes before what works everywhere."""

    async def discover(self) -> Hits:
        for each in self._offers():
            line = line_of(self.screen, Content(each.title), each.help, refused=each.refused)
            yield DiscoveryHit(line, each.callback, text=each.title)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for each in self._offers():
            title = matcher.highlight(each.title)
            score = matcher.match(each.title)
            if not score and (words := max(OTHER_WORDS.get(each.title, ()), key=matcher.match, default="")):
                score = matcher.match(words)
                title = Content.assemble(each.title, ": ", matcher.highlight(words))
            if score > 0:
                line = line_of(self.screen, title, each.help, refused=each.refused)
                yield Hit(score, line, each.callback, text=each.title)

    def _offers(self) -> Iterable[PaletteEntry]:
        return commands(cast("Podium", self.app), self.screen)


def line_of(screen: Screen[Any], title: Content, hint: str, *, refused: bool = False) -> Content:
    """A line of the palette: the title, and the hint at the right, which yields to a long title."""
    room = min(WIDTH, screen.app.size.width) - TAKEN
    mark = "~" if is_ascii(screen) else "…"
    hint = fit(hint, int(room * MAX_HINT), mark=mark)
    most = room - cell_len(hint) - 1
    if title.cell_length > most:
        title = Content.assemble(title.truncate(most - 1), mark)
    gap = " " * (room - title.cell_length - cell_len(hint))
    line = Content.assemble(title, gap, (hint, "" if refused else "$text-primary"))
    return line.stylize("$text-muted") if refused else line


class Palette(CommandPalette):
    """Textual's palette in the shape of the dialogs.

    Enter waits until the list answers what was typed, so that fast typing does not run the first line of an older list.
    """

    DEFAULT_CSS = f"""
    Palette {{
        align: center top;
        background: $background 55%;
        #--container {{
            {FRAME}
            visibility: visible;
            margin-top: 2;
            width: {WIDTH};
            height: auto;
            max-height: 80%;
        }}
        &.-ascii #--container {{ border: ascii $border; }}
        #--input, #--input.--list-visible {{ border: none; height: 2; }}
        #--results {{ overlay: none; height: auto; }}
        SearchIcon {{ display: none; }}  /* a picture, and so of no certain width */
        CommandInput, CommandInput:focus {{ border: none; height: 1; padding: 0 1; }}
        CommandList, CommandList:focus, CommandList.--populating {{ border: none; max-height: 60vh; }}
        CommandList {{ scrollbar-size-vertical: 1; scrollbar-background: $surface; scrollbar-color: $foreground 20%; }}
        CommandList > .option-list--option {{ padding: 0 1; text-style: none; }}
        CommandList > .option-list--option-highlighted {{
            background: $primary 28%;
            color: $foreground;
            text-style: bold;
        }}
        LoadingIndicator {{ display: none; }}
    }}
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+n", "cursor_down", show=False),
        Binding("ctrl+p", "command_list('cursor_up')", show=False),
    ]

    def __init__(self) -> None:
        super().__init__(placeholder="An action, a project, a card, a person, a view …")

        self._gathering: Worker[Any] | None = None
        """The search of the text that was typed last, until it is complete."""
        self._is_submitted = False
        """True if enter was pressed during that search."""

    def _gather_commands(self, search_value: str) -> Worker[Any]:
        self._gathering = super()._gather_commands(search_value)
        self._is_submitted = False
        return self._gathering

    @on(Input.Submitted)
    def _submit_when_gathered(self, event: Input.Submitted) -> None:
        if self._gathering is not None:
            event.stop()
            event.prevent_default()
            self._is_submitted = True

    @on(Worker.StateChanged)
    def _gathered(self, event: Worker.StateChanged) -> None:
        if event.worker is self._gathering and event.worker.is_finished:
            self._gathering = None
            if self._is_submitted:
                self.call_after_refresh(self._select_or_command)  # when the list is laid out

    def _action_command_list(self, action: str) -> None:
        if self.query_one(CommandList).size:  # Textual cannot turn the pages of a list that it has not laid out yet
            super()._action_command_list(action)

    def on_mount(self) -> None:
        self.set_class(is_ascii(self), "-ascii")
        panel = self.query_one("#--container")
        panel.border_title, panel.border_subtitle = "Find anything", "enter do it, or go there · esc close"
