"""The changes of other users on a project since the last visit: a part of its history."""

from __future__ import annotations

import contextlib
from datetime import UTC, datetime

from core.actions.history.entries import HistoryEntry
from core.actions.projects.last_visit import ListChangesSinceLastVisit, SetLastSeen
from core.domain.model import Id
from core.errors import PodiumError
from tui.screens.projects.history import ProjectHistory
from tui.services.host import Host
from tui.wording.times import when

NOTHING = "Nothing new\nNo changes by others since your last visit. Press g h for the whole history."


class OthersChanges(ProjectHistory):
    """The changes of others since the last visit; reading them ends it. Only their authors can undo them."""

    nothing = NOTHING
    is_whole = True

    def __init__(self, project_id: Id, after: int | None = None) -> None:
        """``after`` is the last change that was seen before; None asks for it."""
        super().__init__(project_id)
        self._after = after
        self._since: datetime | None = None
        self._seq: int | None = None

    def again(self) -> OthersChanges:
        return OthersChanges(self.project_id, self._after)

    def place(self, name: str) -> str:
        since = f" since {when(self._since, datetime.now(UTC))}" if self._since else ""
        return f"Changes by others{since} · {name}"

    def detail_of(self, change: HistoryEntry) -> str:
        return f"{change.actor or 'Its author'} can undo it with u"

    async def page(self, podium: Host, before: int | None) -> tuple[HistoryEntry, ...]:
        answer = await podium.query(ListChangesSinceLastVisit(project_id=self.project_id, after=self._after))
        self._after, self._since, self._seq = answer.seen_seq, self._since or answer.since, answer.seq
        return answer.lines

    async def left(self, podium: Host) -> None:
        """Remember that the changes were seen; after a failure they are new again at the next visit."""
        if self._seq is not None:
            with contextlib.suppress(PodiumError):
                await podium.backend.execute(SetLastSeen(project_id=self.project_id, seq=self._seq))
