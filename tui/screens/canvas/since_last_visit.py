"""Since you were last here: what others did meanwhile is said on the Canvas, and how far one has seen is remembered.

It is said until the first key is pressed.
"""

from __future__ import annotations

import contextlib
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from textual import work

from core.domain.canvas import CanvasHeader
from core.errors import PodiumError
from core.text.phrases import count, some
from tui.labels.times import when
from tui.screens.views.live_updates import NAMED, LiveUpdatesMixin
from tui.services.destinations import ToNews

if TYPE_CHECKING:
    from core.actions.projects.last_visit import SinceLastVisit

ASK_AFTER = 0.4
"""Seconds from the first paint until it is asked, so that nobody waits for it."""


class CanvasNews(LiveUpdatesMixin):
    """A Canvas that says what is new on it."""

    _head: CanvasHeader | None = None
    _seen_seq: int | None = None
    """The last change that was seen at the visit before; None until that is known."""

    def on_mount(self) -> None:
        self.call_after_refresh(self.set_timer, ASK_AFTER, self._ask_news)

    @work
    async def _ask_news(self) -> None:
        from core.actions.projects.last_visit import ListChangesSinceLastVisit

        with contextlib.suppress(PodiumError):  # what must not be looked at, or cannot be read, the screen says itself
            news = await self.podium.aside(ListChangesSinceLastVisit(project_id=self.project_id))
            self._seen_seq = news.seen_seq
            self.say(news_words(news, datetime.now(UTC)) if news.lines else "")

    def lose_sight(self, error: PodiumError) -> None:
        self.say_nothing()
        super().lose_sight(error)

    async def do_news(self) -> None:
        await self.podium.open(ToNews(self.project_id, self._seen_seq))

    async def on_unmount(self) -> None:
        """Remember what was on this screen when it was left. That nobody waits for: what fails is tried at the next."""
        if self._head is not None and not self._head.archived and self.unseen is None:
            from core.actions.projects.last_visit import SetLastSeen

            with contextlib.suppress(PodiumError):
                await self.podium.backend.execute(SetLastSeen(project_id=self.project_id, seq=self._head.seq))


def news_words(news: SinceLastVisit, now: datetime) -> str:
    """How much is new, by whom and since when: "W shows 3 changes by Ben since you were last here (yesterday)"."""
    people = list(dict.fromkeys(line.actor or "somebody" for line in news.lines))
    since = f" ({when(news.since, now)})" if news.since else ""
    changes = count(len(news.lines), "change")
    return f"W shows {changes} by {some(people, NAMED)} since you were last here{since}"
