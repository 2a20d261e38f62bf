"""My work: what is late, due today, and next for me, over all my projects, with the keys of cards."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Any

from core.actions.personal.my_work import GetMyWork, MyWork
from core.domain.canvas import CanvasMember
from core.domain.model import WORKSPACE, Id, PhaseState
from core.engine.messages import Command
from core.reads.open_items import OpenItem
from tui.screens.cards.blockers import BlockerActions
from tui.screens.cards.controller import CardChanges
from tui.screens.cards.dependencies import CardDependencies
from tui.screens.cards.editing import CardDescription, CardEditing
from tui.screens.cards.labels import CardLabels
from tui.screens.cards.status import CardStatus
from tui.screens.framework.controller import Action, PhaseRef, Selection
from tui.screens.framework.dialogs import asking
from tui.screens.framework.list_screen import ListScreen
from tui.screens.framework.marking import CardMarks
from tui.screens.framework.previewer import Previewed, Previewer
from tui.screens.personal.my_work_rows import COLUMNS, LATE, TODAY, section_of, work_line
from tui.screens.previews.kinds import preview_of
from tui.services.cards import Target
from tui.services.destinations import ToCard, ToPhase

if TYPE_CHECKING:
    from tui.services.card_commands import Change

NOTHING = "No open work\nYour cards of all projects are listed here, most urgent first."
NO_LINE = "There is no card of yours here."


class MyWorkScreen(ListScreen[OpenItem]):
    """My open items. The project that a key is about is that of the line, or of each marked line."""

    name_in_table = "my_work"
    title_words = "My work"
    columns = COLUMNS
    opens = "my_work.open"
    nothing_here = NO_LINE
    spans_projects = True

    def __init__(self) -> None:
        super().__init__()
        self._work: MyWork | None = None
        self._changes = MyWorkChanges(self)
        self.marks = self.add(
            CardMarks(self, shown=lambda: self.listing.lines, changed=self._marks_changed, go_on=self._go_on)
        )
        self.add(CardStatus(self, self._changes))
        self.add(MyWorkEditing(self, self._changes))
        self.add(MyWorkLabels(self, self._changes))
        self.add(CardDescription(self, self._changes))
        self.add(CardDependencies(self, self._changes))
        self.add(BlockerActions(self))
        self.previewer = self.add(Previewer(self, self.find_record))

    def find_record(self) -> Previewed | None:
        line = self.records.current
        return preview_of("CARD", line.id, line.title) if line else None

    # -- reading ---------------------------------------------------------------------------------------------

    async def reload(self) -> None:
        self._work = await self.podium.query(GetMyWork())
        self.access.authority = self.podium.me.authority
        self.listing.empty = NOTHING
        self.marks.keep({line.id for line in self._work.lines})
        self._show()

    def _show(self) -> None:
        if self._work is not None:
            today, look, marks = self._work.today, self.listing.look, self.marks.ids
            lines = self._work.lines
            self.records.show(
                (line, work_line(line, today, look, line.id in marks if marks else None)) for line in lines
            )
            self._take_line()

    def _describe(self) -> None:
        self._take_line()
        super()._describe()

    def _take_line(self) -> None:
        """Be about the project of the line: what is held there, and in which role."""
        line, work = self.records.current, self._work
        self.project_id = line.project_id if line else WORKSPACE
        self.access.held = work.held.get(self.project_id, frozenset()) if work else frozenset()
        role = work.roles.get(self.project_id) if work else None
        self.access.role_words = role.lower() if role else ""

    def lines_of(self, ids: Iterable[Id]) -> list[OpenItem]:
        """The open items with these ids."""
        return [self.records.by_id[each] for each in ids if each in self.records.by_id]

    def place(self) -> str:
        if self._work is None:
            return self.title_words
        sections = [section_of(line.due, self._work.today) for line in self._work.lines]
        urgent = [f"{count} {words.lower()}" for words in (LATE, TODAY) if (count := sections.count(words))]
        listed = f"{len(sections)} of {len(sections) + self._work.more}" if self._work.more else ""
        marked = f"{len(self.marks.ids)} marked" if self.marks.ids else ""
        return " · ".join([self.title_words, *urgent, *filter(None, (listed, marked, _gates(self._work)))])

    # -- the keys --------------------------------------------------------------------------------------------

    def actions(self) -> Sequence[Action]:
        return (self.records.action("open", self.do_open), self.records.action("phase", self.do_phase))

    def selection(self) -> Selection:
        """The marked items, else the one of the line; the project is that of the line."""
        self._take_line()
        line, marked = self.records.current, self.marks.ids
        cards = self.lines_of(each.id for each in self.listing.lines if each.id in marked) if marked else []
        phase = PhaseRef(line.phase_id, line.phase, PhaseState.LOCKED if line.locked else None) if line else None
        one = (line,) if line else ()
        held = self.access.held
        return Selection(
            self.project_id, line, cards or one, bool(marked), phase, permissions=held, nothing=self.nothing_here
        )

    def _marks_changed(self) -> None:
        self._show()
        self.show_titles()

    def _go_on(self) -> None:
        self.listing.step(1)

    async def do_open(self, line: OpenItem) -> None:
        await self.podium.open(ToCard(line.project_id, line.id))

    async def do_phase(self, line: OpenItem) -> None:
        await self.podium.open(ToPhase(line.project_id, line.phase_id))


def _gates(work: MyWork) -> str:
    """The gates that wait for my decision: the first one in words, and how many more there are."""
    if not work.gates:
        return ""
    first, more = work.gates[0], len(work.gates) - 1
    return f"{first.title}{f', and {more} more' if more else ''}"


class MyWorkChanges(CardChanges):
    """Changes of cards of several projects: one step for each, since a change belongs to one project's history."""

    def __init__(self, screen: MyWorkScreen) -> None:
        super().__init__(screen, self)
        self._my_work = screen

    def neighbour(self, card_id: Id) -> Id | None:
        """The card of the line below."""
        ids = [line.id for line in self._my_work.listing.lines]
        return next((below for above, below in pairwise(ids) if above == card_id), None)

    def go_to(self, card_id: Id) -> None:
        """Put the cursor on a card."""
        self._my_work.listing.go_to(card_id)

    def steps(self, cards: Sequence[Target], make: Change, *, tasks_first: bool = False) -> Sequence[Command[Any]]:
        from core.actions.cards.bulk import BulkUpdate
        from tui.services.card_commands import bulk_command

        projects = {line.id: line.project_id for line in self._my_work.lines_of(card.id for card in cards)}
        ordered = sorted(cards, key=lambda card: projects[card.id])
        steps: list[tuple[Id, Command[Any]]] = []
        for project_id, group in groupby(ordered, key=lambda card: projects[card.id]):
            command = bulk_command(project_id, list(group), make, tasks_first=tasks_first)
            if command is not None:
                steps.append((project_id, command))
        if len(steps) == 1:
            return [steps[0][1]]
        return [
            command if isinstance(command, BulkUpdate) else BulkUpdate(project_id=project_id, commands=(command,))
            for project_id, command in steps
        ]

    async def each(
        self, make: Change, cards: Sequence[Target], *, tasks_first: bool = False, left_out: str = ""
    ) -> object:
        result = await super().each(make, cards, tasks_first=tasks_first, left_out=left_out)
        if result is not None and len(cards) == 1 and not self._my_work.lines_of([cards[0].id]):
            words = f"“{cards[0].title}” is no longer among your open work. u to undo."
            self._my_work.podium.toast(words)
        return result


class MyWorkEditing(CardEditing):
    """Edit cards of several projects; they are assigned in one project at a time."""

    screen: MyWorkScreen

    @asking
    async def do_assign(self) -> None:
        from core.actions.cards.details import GetCard
        from core.actions.projects.members import ListMembers

        cards = self.changes.some()
        projects = {line.project_id for line in self.screen.lines_of(card.id for card in cards)}
        if len(projects) > 1:
            self.podium.toast("Assign cards of one project at a time: each project has members of its own.")
        elif cards:
            members = await self.podium.query(ListMembers(project_id=projects.pop()))
            team = tuple(CanvasMember.of(each.user, each.role) for each in members)
            people = (await self.podium.query(GetCard(item_id=cards[0].id))).people if len(cards) == 1 else ()
            await self.ask_people(cards, team, [person.id for person in people])


class MyWorkLabels(CardLabels):
    """Label cards of one of several projects at a time."""

    screen: MyWorkScreen

    def actions(self) -> Sequence[Action]:
        return super().actions()[:1]

    def project_of(self, card: Target) -> Id:
        return self.screen.lines_of([card.id])[0].project_id
