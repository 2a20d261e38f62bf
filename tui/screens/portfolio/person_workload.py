"""The open cards of one person over all of the user's projects: what is behind a line of the workload."""

from __future__ import annotations

from collections.abc import Sequence

from core.actions.portfolio.workload import ListWorkloadCards, WorkloadCards
from core.domain.model import Id
from core.reads.open_items import OpenItem
from tui.screens.framework.controller import Action
from tui.screens.framework.list_screen import ListScreen
from tui.screens.framework.previewer import Previewed, Previewer
from tui.screens.personal.my_work_rows import COLUMNS, work_line
from tui.screens.previews.kinds import preview_of
from tui.services.destinations import ToCard

NOTHING = "No open cards\nThey may have been completed meanwhile. Press Esc to go back."


class PersonWorkloadScreen(ListScreen[OpenItem]):
    """The cards by due date, in the sections of My work."""

    name_in_table = "person_workload"
    title_words = "Workload"
    columns = COLUMNS
    opens = "person_workload.open"
    nothing_here = "There is no card here."
    spans_projects = True

    def __init__(self, user_id: Id, name: str) -> None:
        super().__init__()
        self._user_id, self._person = user_id, name
        self._found: WorkloadCards | None = None
        self.previewer = self.add(Previewer(self, self.find_record))

    def find_record(self) -> Previewed | None:
        line = self.records.current
        return preview_of("CARD", line.id, line.title) if line else None

    def again(self) -> PersonWorkloadScreen:
        return PersonWorkloadScreen(self._user_id, self._person)

    def place(self) -> str:
        listed = f"the first {len(self._found.lines)}" if self._found and self._found.more else ""
        return " · ".join(filter(None, (self.title_words, self._person, listed)))

    async def reload(self) -> None:
        found = self._found = await self.podium.query(ListWorkloadCards(user_id=self._user_id))
        self.listing.empty = NOTHING
        look = self.listing.look
        self.records.show((line, work_line(line, found.today, look, None)) for line in found.lines)
        self.show_titles()

    def actions(self) -> Sequence[Action]:
        return (self.records.action("open", self.do_open),)

    async def do_open(self, card: OpenItem) -> None:
        await self.podium.open(ToCard(card.project_id, card.id))
