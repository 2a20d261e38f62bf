"""The palette (``:``): each action of the screen and each place on one line, with its key or why not at the right.

Then come the records and presets whose names have the typed words.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from functools import partial
from operator import attrgetter, itemgetter
from typing import Any, ClassVar, cast

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.screen import Screen
from textual.strip import Strip
from textual.style import Style as TextStyle
from textual.visual import Visual
from textual.widgets import Input
from textual.worker import Worker

from core.actions.personal.presets import ListPresets
from core.actions.personal.search import Search, SearchHit, SearchHitKind
from core.domain.view_settings import ViewPreset
from core.errors import PodiumError
from core.text.word_match import WordMatch, match_words
from tui.dialogs.dialog import Dialog
from tui.dialogs.menus.picker import PickFilter
from tui.drawing.cells import fit, plain
from tui.keys.table import OTHER_WORDS
from tui.podium import Podium
from tui.screens.framework.screen import PodiumScreen
from tui.screens.people.explain_permission import ExplainPermissionProvider
from tui.screens.personal.search import open_hit
from tui.screens.shell.elsewhere import actions_elsewhere
from tui.screens.shell.navigation import commands
from tui.screens.views.preset_menu import activate_preset
from tui.screens.views.project_view import ProjectView
from tui.services.destinations import ToSearch
from tui.terminal.workers import start_worker
from tui.widgets.option_list import Row, Rows
from tui.widgets.styled_widget import is_ascii, pointer

WIDTH = 76
"""Width of the panel in cells with its border; less in a narrower terminal."""
TAKEN = 7
"""Cells of a line that are taken by the border, the padding and a scrollbar."""
MAX_HINT = 0.5
"""The part of a line that a key or a reason may take."""

PAUSE = 0.08
"""Seconds without a key before the database is searched, so that fast typing does not query at each letter."""
LATE = 0.25
"""Seconds after which the list shows what is found, though a provider still searches."""
MAX_COUNT = 12
"""The most records that are offered; the last line opens the search for all of them."""
LOOKED_AT = 4 * MAX_COUNT
"""The most results of the search that are looked at: archived ones and comments are left out."""
HERE = 1.25
"""The factor on the score of a record of the project that is open."""
EXACT = 2.0
"""The score of a record of which the key is typed."""
OTHERWISE, ELSEWHERE = 0.9, 0.6
"""The factors on the scores of an action that was found by other words, and of one of another screen."""
LEAST = 0.01
"""The score of a record of which the words are found, but not in their order, and of the last line, half of it."""
TYPED = TextStyle(bold=True, underline=True)
"""The letters of a line that were typed."""
Found = Hit | DiscoveryHit
"""A line that can be chosen."""
_IN_OTHERS = (SearchHitKind.COMMENT, SearchHitKind.DELIVERABLE)
"""Kinds that the palette leaves to the search: they have no name."""


class ActionsProvider(Provider):
    """The actions of the screen, and those that work everywhere."""

    async def search(self, query: str) -> Hits:
        screen = self.screen
        for each in commands(cast("Podium", self.app), screen):
            if found := _find_action(query, each.title, each.title):
                score, title = found
                line = line_of(screen, title, each.help, refused=each.refused)
                yield Hit(score, line, each.callback, text=each.title)
        if isinstance(screen, PodiumScreen):
            for other in actions_elsewhere(screen):
                if found := _find_action(query, other.title, other.words):
                    score, title = found
                    yield Hit(score * ELSEWHERE, line_of(screen, title, ""), other.go, text=other.title)


def _find_action(query: str, title: str, words: str) -> tuple[float, Content] | None:
    """The score and the line of an action whose title, or other words for its ``words``, fit what was typed."""
    if match := match_words(query, title):
        return match.score, _mark_typed(title, match)
    others = ((match_words(query, other), other) for other in OTHER_WORDS.get(words, ()))
    best = max(((match.score, other, match) for match, other in others if match), key=itemgetter(0), default=None)
    if best is None:
        return None
    score, other, match = best
    return score * OTHERWISE, Content.assemble(title, ": ", _mark_typed(other, match))


def _mark_typed(line: str, match: WordMatch) -> Content:
    """A line with the typed letters marked."""
    content = plain(line)
    for start, end in match.spans:
        content = content.stylize(TYPED, start, end)
    return content


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


class FoundLines(Rows):
    """The lines of the palette, each with the letters marked that were typed."""

    def __init__(self, hits: Sequence[Found], lines: Sequence[Content]) -> None:
        super().__init__([Row(line.plain) for line in lines], takes_focus=False)
        self.hits, self._lines = hits, lines

    def show_hits(self, hits: Sequence[Found], lines: Sequence[Content]) -> None:
        """Show these, with the cursor on the first."""
        self.hits, self._lines = hits, lines
        self.show([Row(line.plain) for line in lines], 0)

    def render_line(self, y: int) -> Strip:
        width, index = self.scrollable_content_region.width, y + self.scroll_offset.y
        if index >= len(self._lines) or width < 1:
            return Strip.blank(max(0, width), self.rich_style)
        at_cursor = index == self.cursor
        [strip] = Visual.to_strips(self, self._lines[index], max(1, width - 2), 1, self.visual_style, pad=True)
        lead = Segment(pointer(self) if at_cursor else "  ", self.rich_style + self._text_role("key"))
        segments = [lead, *strip]
        if at_cursor:
            under = self.get_component_rich_style("rows--cursor")
            segments = [
                *Segment.apply_style(
                    segments, post_style=Style(color=self.rich_style.color, bgcolor=under.bgcolor, bold=True)
                )
            ]
        return Strip(segments).adjust_cell_length(width, self.rich_style)


class Palette(Dialog[None]):
    """The palette. What it finds comes from providers, in the order of their scores.

    Enter waits until the list answers what was typed, so that fast typing does not run the first line of an older list.
    """

    DEFAULT_CSS = f"""
    Palette {{
        align: center top;
        &.-tight #panel, &.-roomy #panel {{ width: {WIDTH}; margin-top: 2; max-height: 80%; padding: 0 1; }}
        #message {{ margin: 0; }}
        PickFilter {{ margin-bottom: 1; }}
        FoundLines {{ max-height: 60vh; }}
    }}
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,ctrl+p", "step(-1)", show=False),
        Binding("down,ctrl+n", "step(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
        Binding("pagedown", "page(1)", show=False),
    ]

    def __init__(self, owner: Screen[Any], providers: Sequence[Provider]) -> None:
        super().__init__("Find anything", "enter do it, or go there · esc close")
        self._providers = providers
        self._owner = owner
        self._gathering: Worker[Any] | None = None
        """The search of the text that was typed last, until it is complete."""
        self._is_submitted = False
        """True if enter was pressed during that search."""

    def questions(self) -> ComposeResult:
        words = PickFilter(types_space=True)
        words.placeholder = "An action, a project, a card, a person, a view …"
        yield words
        hits = self._list_actions()
        yield FoundLines(hits, self._lines_of(hits))

    def _list_actions(self) -> list[Found]:
        """All that can be done, in the order of the tables: what is done here comes before what works everywhere."""
        entries = commands(cast("Podium", self.app), self._owner)
        return [
            DiscoveryHit(line_of(self._owner, Content(each.title), each.help, refused=each.refused), each.callback)
            for each in entries
        ]

    def _lines_of(self, hits: Sequence[Found]) -> list[Content]:
        return [
            line_of(self._owner, cast("Content", hit.prompt), hit.help) if hit.help else cast("Content", hit.prompt)
            for hit in hits
        ]

    @on(Input.Changed)
    def search(self, changed: Input.Changed) -> None:
        """Search what was typed; without a word list all actions."""
        self._is_submitted = False
        if self._gathering is not None:
            self._gathering.cancel()
            self._gathering = None
        if text := changed.value.strip():
            self._gathering = start_worker(self, partial(self._gather, text), group="palette")
        else:
            self._show(self._list_actions())

    async def _gather(self, text: str) -> None:
        """Show what all providers find; if one takes longer, what the others have found until then."""
        found: list[Found] = []

        async def collect(provider: Provider) -> None:
            found.extend([hit async for hit in provider.search(text)])

        searches = [asyncio.ensure_future(collect(each)) for each in self._providers]
        try:
            _, late = await asyncio.wait(searches, timeout=LATE)
            if late:
                self._show(found)
            await asyncio.gather(*searches)
        finally:
            for each in searches:
                each.cancel()
        gathering, self._gathering = self._gathering, None
        self._show(found)
        if self._is_submitted:
            self.choose()
            app = cast("Podium", self.app)
            app.call_later(app.type_ahead.release, gathering)

    def _show(self, found: Sequence[Found]) -> None:
        if self.is_open:
            hits = sorted(found, key=attrgetter("score"), reverse=True)
            self.query_one(FoundLines).show_hits(hits, self._lines_of(hits))
            self.say("" if hits else "Nothing has these words.")

    @on(Input.Submitted)
    def submit(self) -> None:
        """Handle enter: run the line of the cursor, as soon as the list answers what was typed."""
        if self._gathering is not None:
            self._is_submitted = True
            cast("Podium", self.app).type_ahead.hold(self._gathering)  # the next keys are for what this line opens
        else:
            self.choose()

    @on(Rows.Chosen)
    def choose(self) -> None:
        """Run the line of the cursor."""
        lines = self.query_one(FoundLines)
        if lines.hits:
            app, hit = self.app, lines.hits[lines.cursor]
            self.dismiss()
            app.call_later(hit.command)

    def action_step(self, rows: int) -> None:
        self.query_one(FoundLines).action_step(rows)
        self.query_one(PickFilter).go_into_list()

    def action_page(self, pages: int) -> None:
        self.query_one(FoundLines).action_page(pages)
        self.query_one(PickFilter).go_into_list()


def make_palette(owner: Screen[Any]) -> Palette:
    """Return the palette of a screen, with all that it can find."""
    sources = (ActionsProvider, RecordsProvider, ExplainPermissionProvider)
    return Palette(owner, [source(owner, TYPED) for source in sources])


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
        match = match_words(query, found.title)
        score = EXACT if is_key else match.score if match else LEAST
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
        for preset in presets:
            if match := match_words(query, preset.name):
                use = partial(screen.podium.begin, partial(_use, screen, preset))
                line = line_of(screen, _mark_typed(preset.name, match), "preset")
                yield Hit(match.score, line, use, text=preset.name)


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
