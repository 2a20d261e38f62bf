"""Changes of other users since the last visit: said on the Canvas until a key is pressed, and listed."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from core.errors import PodiumError
from core.text.phrases import count, some
from tui.screens.framework.controller import Action, Controller
from tui.screens.views.cursor_line import NAMED
from tui.screens.views.project_view import ProjectView
from tui.services.destinations import ToSinceLastVisit
from tui.terminal.workers import start_worker
from tui.wording.times import when

if TYPE_CHECKING:
    from core.actions.projects.last_visit import SinceLastVisit

ASK_AFTER = 0.4
"""Seconds from the first paint to the question, which the first paint must not wait for."""


class SinceLastVisitActions(Controller):
    """Say once what others changed since the last visit, list it, and store the last change that was seen."""

    screen: ProjectView

    def __init__(self, screen: ProjectView) -> None:
        super().__init__(screen)
        self._seen_seq: int | None = None
        """The last change that was seen at the visit before; None until that is known."""

    def actions(self) -> Sequence[Action]:
        return (Action("since_last_visit", self.do_since_last_visit),)

    def ask_later(self) -> None:
        """Ask after the first paint, which must not wait for it."""
        self.screen.call_after_refresh(self.screen.set_timer, ASK_AFTER, self._begin)

    def _begin(self) -> None:
        start_worker(self.screen, self._ask)

    async def _ask(self) -> None:
        from core.actions.projects.last_visit import ListChangesSinceLastVisit

        with contextlib.suppress(PodiumError):  # an error of reading is shown by the screen
            answer = await self.podium.aside(ListChangesSinceLastVisit(project_id=self.screen.project_id))
            self._seen_seq = answer.seen_seq
            if answer.lines:  # without any, a change that was said meanwhile stays
                self.screen.cursor_line.say(changes_sentence(answer, datetime.now(UTC)))

    async def do_since_last_visit(self) -> None:
        await self.podium.open(ToSinceLastVisit(self.screen.project_id, self._seen_seq))

    async def remember(self) -> None:
        """Remember the last change that was on the screen when it was left; a failure is made up for next time."""
        head = self.screen.head
        if head.seq and not head.archived and self.screen.access.unseen is None:
            from core.actions.projects.last_visit import SetLastSeen

            with contextlib.suppress(PodiumError):
                await self.podium.backend.execute(SetLastSeen(project_id=self.screen.project_id, seq=head.seq))


def changes_sentence(answer: SinceLastVisit, now: datetime) -> str:
    """The changes by others in a sentence: "W shows 3 changes by Ben since your last visit (yesterday)"."""
    people = list(dict.fromkeys(line.actor or "someone" for line in answer.lines))
    since = f" ({when(answer.since, now)})" if answer.since else ""
    changes = count(len(answer.lines), "change")
    return f"W shows {changes} by {some(people, NAMED)} since your last visit{since}"
