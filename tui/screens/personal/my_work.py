"""My work: what is late, due today, and next for me, over all my projects, with the keys of cards."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import Any

from core.actions.personal.my_work import GetMyWork, MyWork
from core.domain.canvas import CanvasMember
from core.domain.model import WORKSPACE, Id
from core.engine.messages import Command
from core.rules.open_items import OpenItem
from tui.keys.bindings import Key, bindings
from tui.screens.cards.status import CardStatus
from tui.screens.framework.dialogs import asking
from tui.screens.framework.list_screen import ListScreen
from tui.screens.framework.marking import SelectionMixin
from tui.screens.personal.my_work_rows import COLUMNS, LATE, TODAY, section_of, work_line
from tui.services.card_commands import Target, bulk_command
from tui.services.destinations import ToCanvas, ToPhase

NOTHING = "Nothing is assigned to you\nWhat you are given in any project stands here, the most urgent first."
NO_LINE = "There is no card of yours here."


class MyWorkScreen(SelectionMixin, ListScreen, CardStatus):
    """My open items. The project that a key is about is that of the line, or of each marked line."""

    name_in_table = "my_work"
    BINDINGS = bindings("my_work", "list")
    title_words = "My work"
    columns = COLUMNS
    opens = "my_work.open"

    def __init__(self) -> None:
        super().__init__()
        self._work: MyWork | None = None
        self.marks: set[Id] = set()
        self._team: tuple[CanvasMember, ...] = ()
        self._changed: Id | None = None
        """The project that was changed from here last: undo and redo go there, also when its last line has gone."""

    # -- reading ---------------------------------------------------------------------------------------------

    async def reload(self) -> None:
        self._work = await self.podium.query(GetMyWork())
        self.authority = self.podium.me.authority
        self.listing.empty = NOTHING
        self.marks &= {line.id for line in self._work.lines}
        self._show()

    async def ask_rights(self) -> None:
        """The query says what is held on each project; without a line it is about the workspace alone."""
        if self.project_id == WORKSPACE:
            await super().ask_rights()
        if self.stands:
            await self.refresh_from_core()

    def _show(self) -> None:
        if self._work is not None:
            today, look, marks = self._work.today, self.listing.look, self.marks
            lines = self._work.lines
            self.listing.show([work_line(line, today, look, line.id in marks if marks else None) for line in lines])
            self._take_line()

    def _describe(self) -> None:
        self._take_line()
        super()._describe()

    def _take_line(self) -> None:
        """Be about the project of the line: what is held there, and in which role."""
        line, work = self.focused_line, self._work
        self.project_id = line.project_id if line else WORKSPACE
        self.held = work.held.get(self.project_id, frozenset()) if work else frozenset()
        role = work.roles.get(self.project_id) if work else None
        self.role_words = role.lower() if role else ""

    @property
    def focused_line(self) -> OpenItem | None:
        """The item of the cursor."""
        return next(iter(self._lines([self.line.id])), None) if self.line else None

    def _lines(self, ids: Iterable[Id]) -> list[OpenItem]:
        wanted = set(ids)
        return [line for line in self._work.lines if line.id in wanted] if self._work else []

    def place(self) -> str:
        if self._work is None:
            return self.title_words
        sections = [section_of(line.due, self._work.today) for line in self._work.lines]
        urgent = [f"{count} {words.lower()}" for words in (LATE, TODAY) if (count := sections.count(words))]
        listed = f"{len(sections)} of {len(sections) + self._work.more}" if self._work.more else ""
        marked = f"{len(self.marks)} marked" if self.marks else ""
        return " · ".join([self.title_words, *urgent, *filter(None, (listed, marked))])

    # -- what the keys act on --------------------------------------------------------------------------------

    async def run_key(self, key: Key) -> None:
        self._take_line()
        await super().run_key(key)

    def why_not(self, key: Key) -> str:
        if key.needs is not None and self.focused_line is None:
            return NO_LINE
        return super().why_not(key)

    def targets(self) -> Sequence[Target]:
        return self._lines(line.id for line in self.listing.lines if line.id in self.marks) or self._lines(
            [self.line.id] if self.line else []
        )

    def team(self) -> Sequence[CanvasMember]:
        return self._team

    def steps(
        self, cards: Sequence[Target], make: Callable[[Target, bool], Command[Any] | None], tasks_first: bool
    ) -> Sequence[Command[Any]]:
        """One BulkUpdate for each project, since a change belongs to the history of one project."""
        from core.actions.cards.bulk import BulkUpdate

        lines = {line.id: line.project_id for line in self._lines(card.id for card in cards)}
        self._changed = next(iter(lines.values()), None)
        groups = groupby(sorted(cards, key=lambda card: lines[card.id]), key=lambda card: lines[card.id])
        made = [(project_id, list(group)) for project_id, group in groups]
        found = [
            (project_id, bulk_command(project_id, group, make, tasks_first=tasks_first)) for project_id, group in made
        ]
        steps = [(project_id, command) for project_id, command in found if command]
        if len(steps) == 1:
            return [steps[0][1]]
        return [
            command if isinstance(command, BulkUpdate) else BulkUpdate(project_id=project_id, commands=(command,))
            for project_id, command in steps
        ]

    async def _each(
        self,
        make: Callable[[Target, bool], Command[Any] | None],
        cards: Sequence[Target],
        *,
        tasks_first: bool = False,
        left_out: str = "",
    ) -> object:
        result = await super()._each(make, cards, tasks_first=tasks_first, left_out=left_out)
        if result is not None and len(cards) == 1 and not self._lines([cards[0].id]):
            self.podium.tell(f"“{cards[0].title}” is no longer among your open work. u takes that back.")
        return result

    @asking
    async def do_assign(self) -> None:
        from core.actions.cards.details import GetCard
        from core.actions.projects.members import ListMembers

        cards = self._some()
        projects = {line.project_id for line in self._lines(card.id for card in cards)}
        if len(projects) > 1:
            self.podium.tell("Assign cards of one project at a time: each project has members of its own.")
        elif cards:
            members = await self.podium.query(ListMembers(project_id=projects.pop()))
            self._team = tuple(CanvasMember.of(each.user, each.role) for each in members)
            people = (await self.podium.query(GetCard(item_id=cards[0].id))).people if len(cards) == 1 else ()
            await self.ask_people(cards, [person.id for person in people])

    async def do_undo(self) -> None:
        await self.podium.undo(self._changed or self.project_id)

    async def do_redo(self) -> None:
        await self.podium.redo(self._changed or self.project_id)

    # -- marks -----------------------------------------------------------------------------------------------

    def ids_shown(self) -> Sequence[Id]:
        return [line.id for line in self.listing.lines]

    def id_here(self) -> Id | None:
        return self.line.id if self.line else None

    def take_marks(self) -> None:
        self._show()
        self.show_titles()

    def go_on(self) -> None:
        self.do_down()

    def do_back(self) -> None:
        """First the marks go, then the filter, then one level up."""
        if self.marks:
            self.mark(())
        else:
            super().do_back()

    # -- going on --------------------------------------------------------------------------------------------

    async def do_open(self) -> None:
        line = self.focused_line
        if line is None:
            self.podium.tell(NO_LINE)
        else:
            await self.podium.open(ToCanvas(line.project_id, line.id))

    async def do_phase(self) -> None:
        if line := self.focused_line:
            await self.podium.open(ToPhase(line.project_id, line.phase_id))

    @asking
    async def do_why(self) -> None:
        """What blocks the card of the line, as a jump list."""
        from tui.screens.cards.blockers import explain_block

        line = self.focused_line
        await explain_block(self, line, line.phase_id if line else None)
