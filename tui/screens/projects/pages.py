"""The lines of the Projects widget, page by page: those at hand first, the others behind them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from datetime import date

from textual.worker import Worker, WorkerCancelled, WorkerFailed

from core.actions.projects.lists import MAX_PAGE, ListProjects, ProjectOverview, ProjectSummary
from core.domain.grants import LOCAL
from core.domain.model import Id
from core.errors import PodiumError
from core.reads.open_items import OpenItem
from core.reads.workflows import WaitingGate
from tui.screens.framework.controller import Action, Controller
from tui.screens.framework.list_screen import ListScreen
from tui.terminal.workers import start_worker
from tui.widgets.list_view import ListView

NextItem = OpenItem | WaitingGate
"""A card or a gate that is next for the user."""

PAGE = 100
"""The projects that are read at once behind the first ones."""


class ProjectPages:
    """The lines that were read by now, by the ids of their projects. Each method raises PodiumError."""

    def __init__(self, query: Callable[[ListProjects], Awaitable[ProjectOverview]]) -> None:
        self._query = query
        self._archived = False
        self._begun = 0
        """The number of times that the list was read from its beginning."""
        self._next = ""
        """Where the next page begins; empty after the last one."""
        self._on_pages: set[Id] = set()
        """The projects of the pages up to there, and those that were read by their ids since."""
        self._first: ProjectOverview | None = None
        """The first page of a list that was begun again before the one before was read to its end."""
        self.is_complete = False
        """True if every project of the list was read once, however long ago."""
        self.lines: dict[Id, ProjectSummary] = {}
        self.next_items: tuple[OpenItem, ...] = ()

    @property
    def is_whole(self) -> bool:
        """True if every project of the list has its line, as it was when or after the list was last begun."""
        return not self._next

    @property
    def waiting(self) -> list[WaitingGate]:
        """The gates that wait for the user's decision."""
        return [gate for line in self.lines.values() for gate in line.gates if gate.for_me]

    @property
    def following(self) -> dict[Id, NextItem]:
        """The next work of the user, by id: the gates that wait for their decision, then their cards."""
        return {each.phase_id: each for each in self.waiting} | {item.id: item for item in self.next_items}

    async def begin(self, archived: bool, most: int, in_view: Iterable[Id], *, again: bool = True) -> None:
        """Read the first ``most`` lines, and those that are in view; all others are to be read ``again``, unless they
        are known."""
        page = await self._query(ListProjects(archived=archived, most=most))
        self._begun += 1
        read = {line.project.id: line for line in page.lines}
        self.lines = {each: line for each, line in self.lines.items() if line.project.archived <= archived} | read
        self.next_items = page.next_items
        is_other = archived != self._archived
        self.is_complete = self.is_complete and archived <= self._archived
        self._archived = archived
        if self.is_whole or is_other:
            self._first = None
            if again or is_other:
                self._follow(page)
        elif again:  # the last page comes before, so that it is read however often others change something
            self._first = page
        seen = sorted(self.lines.keys() & {*in_view} - read.keys())
        for first in range(0, len(seen), PAGE):
            await self.read(seen[first : first + PAGE])

    async def read_on(self) -> None:
        """Read one more page."""
        place, begun, archived = self._next, self._begun, self._archived
        page = await self._query(ListProjects(archived=archived, most=PAGE, after=place))
        if (place, archived) != (self._next, self._archived):
            return
        found = {line.project.id: line for line in page.lines}
        # those that were read since the list was begun again can be newer
        self.lines = self.lines | found if begun == self._begun else found | self.lines
        self._on_pages |= found.keys()
        self._next = page.next_after
        if self.is_whole:
            self._end()

    def _follow(self, first: ProjectOverview) -> None:
        """Read the pages behind this one next."""
        self._next, self._on_pages = first.next_after, {line.project.id for line in first.lines}
        if self.is_whole:
            self._end()

    def _end(self) -> None:
        """After the last page: the projects that were on none go, unless the list was begun again meanwhile."""
        self.is_complete = True
        if self._first is not None:
            first, self._first = self._first, None
            self._follow(first)
        else:
            self.lines = {each: line for each, line in self.lines.items() if each in self._on_pages}

    async def read(self, project_ids: Iterable[Id]) -> None:
        """Read the lines of these projects. Those that are not in the list any more go."""
        asked, begun = frozenset(project_ids), self._begun
        page = await self._query(ListProjects(archived=self._archived, project_ids=tuple(asked)))
        found = {line.project.id: line for line in page.lines}
        if begun == self._begun:
            for gone in asked - found.keys():
                self._on_pages.discard(gone)
                self.lines.pop(gone, None)
            self._on_pages |= found.keys()
            self.lines |= found
        else:  # the list was begun again meanwhile: its lines can be newer than these, which will be read again
            self.lines = found | self.lines


class PageReader(Controller):
    """Reads the pages of the Projects widget: what the screen shows before it is painted, the others behind it."""

    screen: ListScreen[ProjectSummary]

    def __init__(self, screen: ListScreen[ProjectSummary], pages: ProjectPages, show: Callable[[], None]) -> None:
        """``show`` draws the lines of ``pages``."""
        super().__init__(screen)
        self._pages, self._show = pages, show
        self._worker: Worker[object] | None = None
        self._began: tuple[int, date] | None = None
        """The number of changes that were heard of, and the day, when all projects were last begun to be read."""
        self._whole: tuple[int, date] | None = None
        """The same of when all projects were last read to the end; None if they are to be read again."""

    def actions(self) -> Sequence[Action]:
        return (Action("bottom", self.do_bottom), Action("refresh", self.do_refresh))

    async def do_refresh(self) -> None:
        """Read all projects again."""
        self._whole = None
        await self.screen.reading.read_again()

    async def do_bottom(self) -> None:
        """Go to the last line of all, once it is read."""
        await self.wait()
        self.screen.listing.bottom()

    @property
    def _is_at_work(self) -> bool:
        return self._worker is not None and not self._worker.is_finished

    def words(self) -> str:
        """The words for the title line while projects are missing in the list."""
        if self._pages.is_complete:
            return ""
        return "reading more …" if self._is_at_work else "not all of them read"

    async def begin(self, archived: bool) -> None:
        """Read as many projects as the screen has lines, and those in view. Raises PodiumError.

        The others are read behind them, unless nothing can have changed since they were: no change was heard of, it is
        the same day, and no authorization service decides who sees them.
        """
        lines, pages = self.screen.query_one("#lines", ListView), self._pages
        first = round(lines.scroll_offset.y)
        in_view = [line.id for line in lines.lines[first : first + lines.size.height]]
        is_local = self.podium.me.authority.source == LOCAL.source
        now = (self.podium.following.heard, date.today()) if is_local else None
        again = self._is_at_work or now is None or now != self._whole
        if again:
            self._began = now
        await pages.begin(archived, max(1, min(self.screen.app.size.height, MAX_PAGE)), in_view, again=again)
        if not (pages.is_whole or self._is_at_work):
            self._worker = start_worker(self.screen, self._read_on, group="projects")

    async def _read_on(self) -> None:
        """Read the other projects. They are drawn when twice as many are there, so drawing costs in proportion."""
        pages = self._pages
        drawn = len(pages.lines)
        try:
            while not pages.is_whole:
                await pages.read_on()
                if not pages.is_whole and len(pages.lines) >= 2 * drawn:
                    drawn = len(pages.lines)
                    self._show()
            self._whole = self._began
        except PodiumError as error:
            self.podium.toast(f"Not all projects could be read: {error} Press R to read them again.")
        self._show()

    async def wait(self) -> None:
        """Wait until the other projects are read."""
        if self._worker is not None and self._is_at_work:
            with suppress(WorkerCancelled, WorkerFailed):
                await self._worker.wait()

    async def read_one(self, project_id: Id) -> None:
        """Have the line of a project, which can be one of those that are still to be read. Raises PodiumError."""
        await self._pages.read([project_id])
        self._show()
