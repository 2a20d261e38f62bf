"""Due dates that follow: a card that waits is due at least its lag after the card that it waits for.

A task also waits for what its activity waits for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from graphlib import TopologicalSorter

from core.domain.dependencies import Dependency
from core.domain.model import Id, Item
from core.domain.statuses import CLOSED
from core.engine.unit_of_work import Snapshot, UnitOfWork

Waiting = Mapping[Id, Sequence[tuple[Id, int]]]
"""The ids of the cards that wait for a card, each with its lag in days, by the id of the blocker."""


def move_waiting(work: UnitOfWork, item: Item) -> list[Item]:
    """Move the due dates of the open cards of the project that wait for a card, directly or through others.

    Each moves only as far as it has to; a card without a due date gets none. Returns the moved cards.
    """
    waiting = _waiting(work, item.project_id)
    moved = {item.id: item}
    for blocker_id in _in_order(item.id, waiting):
        blocker = moved.get(blocker_id)
        if blocker is None or blocker.due is None:
            continue
        for waiting_id, lag_days in waiting.get(blocker_id, ()):
            card = moved.get(waiting_id) or work.get(Item, project_id=item.project_id, id=waiting_id)
            earliest = blocker.due + timedelta(days=lag_days)
            if card.due is not None and card.status not in CLOSED and card.due < earliest:
                moved[card.id] = work.update(card, due=earliest)
    return [card for card in moved.values() if card.id != item.id]


def _waiting(view: Snapshot, project_id: Id) -> Waiting:
    """Return the cards of a project that wait for another of its cards, with their tasks, by the blocker's id."""
    tasks: dict[Id, list[Id]] = {}
    rows = view.tx.tuples(
        "SELECT activity_id, id FROM item WHERE project_id = :id AND activity_id IN"
        " (SELECT waiting_id FROM dependency WHERE project_id = :id) ORDER BY rank, id",
        id=project_id,
    )
    for activity_id, task_id in rows:
        tasks.setdefault(activity_id, []).append(task_id)
    found: dict[Id, list[tuple[Id, int]]] = {}
    for each in view.all(Dependency, "blocker_project_id = :id AND project_id = :id", id=project_id):
        cards = (each.waiting_id, *tasks.get(each.waiting_id, ()))  # an activity can wait for one of its tasks
        waiting = [(card_id, each.lag_days) for card_id in cards if card_id != each.blocker_id]
        found.setdefault(each.blocker_id, []).extend(waiting)
    return found


def _in_order(first: Id, waiting: Waiting) -> Iterator[Id]:
    """Yield a card and those that wait for it, directly or not, each after all that it waits for among them."""
    waits_for: dict[Id, set[Id]] = {first: set()}
    ahead = [first]
    while ahead:
        blocker_id = ahead.pop()
        for waiting_id, _ in waiting.get(blocker_id, ()):
            if waiting_id not in waits_for:
                waits_for[waiting_id] = set()
                ahead.append(waiting_id)
            waits_for[waiting_id].add(blocker_id)
    yield from TopologicalSorter(waits_for).static_order()
