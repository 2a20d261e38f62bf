"""The portfolio: a timeline with a line for each of the user's projects, with its phases, gates and today."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from functools import partial
from typing import Any

from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Input

from core.actions.portfolio.timeline import GetPortfolio, Portfolio, PortfolioProject
from core.domain.model import Id
from core.domain.project_health import HEALTH_WORDS
from core.errors import PodiumError
from core.text.dates import in_full
from core.text.phrases import count
from tui.drawing.cells import fit
from tui.keys.table import Key
from tui.screens.framework.controller import Action, with_found
from tui.screens.framework.dialogs import asking
from tui.screens.framework.list_actions import FilterActions, ListCursorActions
from tui.screens.framework.previewer import Previewed, Previewer
from tui.screens.framework.screen import PodiumScreen
from tui.screens.previews.kinds import preview_of
from tui.screens.projects.project_health import explain_health
from tui.services.destinations import ToCanvas
from tui.terminal.workers import start_worker
from tui.timeline.chart import TimelineChart
from tui.timeline.project_lines import TimelineProject
from tui.widgets.bars import DetailLine

PAGE = 100
"""The projects that are read at once: more than any screen has lines."""

EMPTY = ("No projects here", "You see the projects that you are a member of. Press g p for Projects.")
NO_MATCHES = ("No matches", "Press Esc to clear the filter.")
NO_LINE = "There is no project here."


class PortfolioDetail(DetailLine):
    """The project under the cursor in a sentence."""

    def line(self, width: int) -> Content:
        owner = self.screen
        assert isinstance(owner, PortfolioScreen)
        return Content(fit(f"  {_sentence(owner.current)}", width))


class PortfolioScreen(PodiumScreen):
    """The projects by name; the filter finds them by name, client, market, brand, phase and health."""

    name_in_table = "portfolio"
    title_words = "Portfolio"
    AUTO_FOCUS = "TimelineChart"
    DEFAULT_CSS = "PortfolioScreen.-previewing PortfolioDetail { display: none; }"
    spans_projects = True

    def __init__(self) -> None:
        super().__init__()
        self._projects: dict[Id, PortfolioProject] = {}
        self._today = date.today()
        self._shown = 0
        """The number of projects that match the filter."""
        self._has_more = False
        self.add(ListCursorActions(self, lambda: self.chart))
        self.filter = self.add(FilterActions(self))
        self.previewer = self.add(Previewer(self, self.find_record))

    def find_record(self) -> Previewed | None:
        found = self.current
        return preview_of("PROJECT", found.id, found.summary.project.name) if found else None

    def body(self) -> ComposeResult:
        yield TimelineChart[TimelineProject]()
        yield PortfolioDetail()

    @property
    def chart(self) -> TimelineChart[TimelineProject]:
        """The widget."""
        return self.query_one(TimelineChart)

    @property
    def current(self) -> PortfolioProject | None:
        """The project under the cursor."""
        line = self.chart.line if self.is_alive else None
        return line.project if line else None

    def place(self) -> str:
        shown = self._shown
        listed = f"{shown} of {len(self._projects)}" if shown < len(self._projects) else ""
        more = "reading more …" if self._has_more else ""
        return " · ".join(filter(None, (self.title_words, self.podium.me.workspace.name, listed, more)))

    # -- reading ---------------------------------------------------------------------------------------------

    async def reload(self) -> None:
        """Read the first page before the first paint, and the others behind it."""
        page = await self.podium.query(GetPortfolio(most=PAGE))
        if page.next_offset is None:
            self._projects = {}
        self._take(page)
        if page.next_offset is not None:
            start_worker(self, partial(self._read_on, page), group="portfolio", exclusive=True)

    async def _read_on(self, page: Portfolio) -> None:
        """Read the further pages; then forget the projects that are on none of them any more."""
        listed = {line.id for line in page.lines}
        try:
            while page.next_offset is not None:
                page = await self.podium.query(GetPortfolio(most=PAGE, offset=page.next_offset))
                listed |= {line.id for line in page.lines}
                self._take(page)
        except PodiumError as error:
            self.podium.toast(f"Not all projects could be read: {error} Press R to read them again.")
            return
        self._projects = {each: project for each, project in self._projects.items() if each in listed}
        self._show(page)

    def _take(self, page: Portfolio) -> None:
        self._projects |= {line.id: line for line in page.lines}
        self._has_more = page.next_offset is not None
        self._show(page)

    def _show(self, page: Portfolio | None = None) -> None:
        if not self.is_alive:
            return
        if page is not None:
            self._today = page.today
        self.chart.empty = NO_MATCHES if self._projects else EMPTY
        lines = [TimelineProject.of(each) for each in self._matching()]
        self._shown = len(lines)
        self.chart.show(lines, self._today)
        self._after_move()

    def _matching(self) -> list[PortfolioProject]:
        """The projects that have each word of the filter."""
        words = self.filter.text.casefold().split()
        ordered = sorted(self._projects.values(), key=lambda each: each.summary.project.name.casefold())
        return [each for each in ordered if all(word in _searched_text(each) for word in words)] if words else ordered

    @on(Input.Changed, "FilterLine")
    def _filter(self) -> None:
        self._show()

    def on_mount(self) -> None:
        self.watch(self.chart, "line_id", self._after_move, init=False)

    def _after_move(self) -> None:
        self.query_one(PortfolioDetail).show()
        self.show_titles()
        if self.previewer is not None:
            self.previewer.read_soon()

    # -- keys ------------------------------------------------------------------------------------------------

    def actions(self) -> Sequence[Action]:
        handlers: dict[str, Callable[[PortfolioProject], Any]] = {"open": self.do_open, "why": self.do_why}
        return (
            *(Action(verb, with_found(lambda: self.current, do), self._no_project) for verb, do in handlers.items()),
            Action("left", lambda: self.chart.scroll_time(-1)),
            Action("right", lambda: self.chart.scroll_time(+1)),
            Action("zoom", lambda: self.chart.zoom()),
            Action("today", lambda: self.chart.go_to_today()),
        )

    def _no_project(self, _key: Key) -> str:
        return "" if self.current else NO_LINE

    def menu_title(self) -> str:
        return self.current.summary.project.name if self.current else self.place()

    async def do_open(self, project: PortfolioProject) -> None:
        await self.podium.open(ToCanvas(project.id))

    @asking
    async def do_why(self, project: PortfolioProject) -> None:
        await explain_health(self.podium, project.id)

    @on(TimelineChart.Opened)
    async def _open(self) -> None:
        await self.action_do("portfolio.open")

    @on(TimelineChart.MenuRequested)
    def _open_menu(self) -> None:
        self.keys.actions["menu"].run(self.app.mouse_position)


def _searched_text(project: PortfolioProject) -> str:
    summary = project.summary
    words = (summary.project.name, *summary.links, summary.phase_now, HEALTH_WORDS[summary.health])
    return " ".join(words).casefold()


def _sentence(project: PortfolioProject | None) -> str:
    """A project in a sentence."""
    if project is None:
        return ""
    summary, dated = project.summary, [phase for phase in project.phases if phase.due]
    facts = [
        summary.project.name,
        HEALTH_WORDS[summary.health],
        f"now in {summary.now_in}" if summary.phase_now else "",
        f"{summary.tally.done} of {count(summary.tally.total, 'card')} done" if summary.tally.total else "no cards yet",
        f"last phase due {in_full(dated[-1].due)}" if dated and dated[-1].due else "no phase has a due date",
        " / ".join(summary.links),
    ]
    return " · ".join(filter(None, facts))
