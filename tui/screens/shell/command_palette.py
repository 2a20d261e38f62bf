"""The palette (``:``): each action of the screen and each place on one line, with its key or why not at the right.

Then come the records and presets whose names have the typed words.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any, ClassVar, cast

from rich.cells import cell_len
from textual import on
from textual.binding import Binding, BindingType
from textual.command import CommandList, CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Input
from textual.worker import Worker

from core.actions.personal.presets import ListPresets
from core.actions.personal.search import Search, SearchHit, SearchHitKind
from core.domain.view_settings import ViewPreset
from core.errors import PodiumError
from tui.dialogs.dialog import FRAME
from tui.drawing.cells import fit, plain
from tui.keys.table import OTHER_WORDS
from tui.podium import Podium
from tui.screens.framework.screen import PodiumScreen
from tui.screens.personal.search import open_hit
from tui.screens.shell.navigation import PaletteEntry, commands
from tui.screens.views.preset_menu import activate_preset
from tui.screens.views.project_view import ProjectView
from tui.services.destinations import ToSearch
from tui.widgets.styled_widget import is_ascii

WIDTH = 76
"""Width of the panel in cells with its border; less in a narrower terminal."""
TAKEN = 7
"""Cells of a line that are taken by the border, the padding and a scrollbar."""
MAX_HINT = 0.5
"""The part of a line that a key or a reason may take."""

PAUSE = 0.08
"""Seconds without a key before the database is searched, so that fast typing does not query at each letter."""
MAX_COUNT = 12
"""The most records that are offered; the last line opens the search for all of them."""
LOOKED_AT = 4 * MAX_COUNT
"""The most results of the search that are looked at: archived ones and comments are left out."""
HERE = 1.25
"""The factor on the score of a record of the project that is open."""
EXACT = 2.0
"""The score of a record of which the key is typed."""
LEAST = 0.01
"""The score of a record of which the words are found, but not in their order, and of the last line, half of it."""
_IN_OTHERS = (SearchHitKind.COMMENT, SearchHitKind.DELIVERABLE)
"""Kinds that the palette leaves to the search: they have no name."""


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
    def _on_gathered(self, event: Worker.StateChanged) -> None:
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


class RecordsProvider(Provider):
    """Records by the beginnings of words, as the search finds them, and presets of the view. Enter goes there."""

    _presets: Sequence[ViewPreset] | None = None

    async def search(self, query: str) -> Hits:
        screen = self.screen
        if not isinstance(screen, PodiumScreen):
            return
        await asyncio.sleep(PAUSE)
        for hit in [*await self._records(screen, query), *await self._presets_of(screen, query)]:
            yield hit
        last = f"Search for “{query}”"
        go = partial(screen.podium.call_later, screen.podium.visit, ToSearch(query))
        yield Hit(LEAST / 2, line_of(screen, plain(last), "\\"), go, text=last)

    async def _records(self, screen: PodiumScreen, query: str) -> list[Hit]:
        try:
            found = (await screen.podium.aside(Search(text=query, most=LOOKED_AT))).found
        except PodiumError:  # the actions are offered all the same, and the last line says what is wrong
            return []
        named = [each for each in found if each.kind not in _IN_OTHERS and not each.out_of_use]
        return [self._hit(screen, query, each) for each in named[:MAX_COUNT]]

    def _hit(self, screen: PodiumScreen, query: str, found: SearchHit) -> Hit:
        is_key = found.key.casefold() == query.strip().casefold() != ""
        score = EXACT if is_key else max(self.matcher(query).match(found.title), LEAST)
        project = found.project if found.project != found.title else ""
        hint = " · ".join(filter(None, (found.key, found.what, project)))
        go = partial(screen.podium.call_later, open_hit, screen.podium, found)
        return Hit(
            score * (HERE if found.project_id == screen.project_id else 1),
            line_of(screen, _emphasise(found), hint),
            go,
            text=found.title,
        )

    async def _presets_of(self, screen: PodiumScreen, query: str) -> list[Hit]:
        """The presets whose names match; they are read once, while the palette is open."""
        if not isinstance(screen, ProjectView):
            return []
        if self._presets is None:
            try:
                self._presets = (await screen.podium.aside(ListPresets(project_id=screen.project_id))).presets
            except PodiumError:
                self._presets = ()
        return [*self._matching(screen, query, self._presets)]

    def _matching(self, screen: ProjectView, query: str, presets: Sequence[ViewPreset]) -> Iterator[Hit]:
        matcher = self.matcher(query)
        for preset in presets:
            if (score := matcher.match(preset.name)) > 0:
                use = partial(screen.podium.begin, partial(_use, screen, preset))
                yield Hit(score, line_of(screen, matcher.highlight(preset.name), "preset"), use, text=preset.name)


async def _use(screen: ProjectView, preset: ViewPreset) -> None:
    try:
        await activate_preset(screen, preset)
    except PodiumError as error:
        screen.podium.show_error(error)


def _emphasise(found: SearchHit) -> Content:
    """The title, with the words that were typed."""
    title = plain(found.title)
    for mark in found.title_marks:
        title = title.stylize("$text-accent", mark.start, mark.end)
    return title
