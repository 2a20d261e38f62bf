"""What others did on a project since I was last here: a part of its history."""

from __future__ import annotations

import contextlib
from datetime import UTC, datetime

from core.actions.history.history import HistoryEntry
from core.actions.projects.last_visit import ListChangesSinceLastVisit, SetLastSeen
from core.domain.model import Id
from core.errors import PodiumError
from tui.labels.times import when
from tui.screens.projects.history import HistoryScreen

NOTHING = "Nothing is new\nNobody else has changed anything here since you were last here. g h shows the whole history."


class NewsScreen(HistoryScreen):
    """The newest first. One's own changes are not in it; what others did they alone can take back."""

    def __init__(self, project_id: Id, after: int | None = None) -> None:
        super().__init__(project_id)
        self._after = after
        self._since: datetime | None = None
        self._seq: int | None = None

    def again(self) -> NewsScreen:
        return NewsScreen(self.project_id, self._after)

    def place(self) -> str:
        since = f" since {when(self._since, datetime.now(UTC))}" if self._since else ""
        return f"News{since} · {self.project_name}"

    @property
    def nothing(self) -> str:
        return NOTHING

    def detail_of(self, change: HistoryEntry) -> str:
        return f"{change.actor or 'Whoever did it'} can take it back with u"

    async def _page(self, before: int | None) -> tuple[HistoryEntry, ...]:
        news = await self.podium.query(ListChangesSinceLastVisit(project_id=self.project_id, after=self._after))
        self._after, self._since, self._seq = news.seen_seq, self._since or news.since, news.seq
        self._is_whole = True
        return news.lines

    async def on_unmount(self) -> None:
        """It was read; a failure shows it again at the next visit."""
        if self._seq is not None:
            with contextlib.suppress(PodiumError):
                await self.podium.backend.execute(SetLastSeen(project_id=self.project_id, seq=self._seq))
