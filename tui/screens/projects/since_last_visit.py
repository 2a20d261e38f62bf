"""The changes of other users on a project since the last visit: a part of its history."""

from __future__ import annotations

import contextlib
from datetime import UTC, datetime

from core.actions.history.history import HistoryEntry
from core.actions.projects.last_visit import ListChangesSinceLastVisit, SetLastSeen
from core.domain.model import Id
from core.errors import PodiumError
from tui.labels.times import when
from tui.screens.projects.history import History
from tui.services.host import Host

NOTHING = "Nothing is new\nNobody else has changed anything here since you were last here. g h shows the whole history."


class News(History):
    """The changes of others since the last visit; reading them ends it. Only their authors can undo them."""

    nothing = NOTHING
    is_whole = True

    def __init__(self, project_id: Id, after: int | None = None) -> None:
        """``after`` is the last change that was seen before; None asks for it."""
        super().__init__(project_id)
        self._after = after
        self._since: datetime | None = None
        self._seq: int | None = None

    def again(self) -> News:
        return News(self.project_id, self._after)

    def place(self, name: str) -> str:
        since = f" since {when(self._since, datetime.now(UTC))}" if self._since else ""
        return f"News{since} · {name}"

    def detail_of(self, change: HistoryEntry) -> str:
        return f"{change.actor or 'Its author'} can take it back with u"

    async def page(self, podium: Host, before: int | None) -> tuple[HistoryEntry, ...]:
        news = await podium.query(ListChangesSinceLastVisit(project_id=self.project_id, after=self._after))
        self._after, self._since, self._seq = news.seen_seq, self._since or news.since, news.seq
        return news.lines

    async def left(self, podium: Host) -> None:
        """Remember that the changes were seen; after a failure they are new again at the next visit."""
        if self._seq is not None:
            with contextlib.suppress(PodiumError):
                await podium.backend.execute(SetLastSeen(project_id=self.project_id, seq=self._seq))
