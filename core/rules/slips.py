"""Due dates that follow: a card that waits is due at least its lag after the card that it waits for."""

from __future__ import annotations

from datetime import timedelta

from core.domain.dependencies import Dependency
from core.domain.model import Item
from core.domain.statuses import CLOSED
from core.engine.unit_of_work import UnitOfWork


def move_waiting(work: UnitOfWork, item: Item) -> list[Item]:
    """Move the due dates of the open cards of the project that wait for a card, directly or through others.

    Each moves only as far as it has to; a card without a due date gets none. Returns the moved cards.
    """
    moved: dict[str, Item] = {}
    ahead = [item]
    while ahead:
        blocker = ahead.pop()
        if blocker.due is None:
            continue
        for each in work.all(
            Dependency,
            "blocker_project_id = :project_id AND project_id = :project_id AND blocker_id = :id",
            project_id=blocker.project_id,
            id=blocker.id,
        ):
            waiting = work.get(Item, project_id=each.project_id, id=each.waiting_id)
            earliest = blocker.due + timedelta(days=each.lag_days)
            if waiting.due is None or waiting.status in CLOSED or waiting.due >= earliest:
                continue
            moved[waiting.id] = work.update(waiting, due=earliest)
            ahead.append(moved[waiting.id])
    return list(moved.values())
