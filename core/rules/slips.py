"""Due dates that follow: a card that waits is due at least its lag after the card that it waits for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from graphlib import TopologicalSorter

from core.domain.dependencies import Dependency
from core.domain.model import Id, Item
from core.domain.statuses import CLOSED
from core.engine.unit_of_work import UnitOfWork


def move_waiting(work: UnitOfWork, item: Item) -> list[Item]:
    """Move the due dates of the open cards of the project that wait for a card, directly or through others.

    Each moves only as far as it has to; a card without a due date gets none. Returns the moved cards.
    """
    waiting: dict[Id, list[Dependency]] = {}
    for each in work.all(Dependency, "blocker_project_id = :id AND project_id = :id", id=item.project_id):
        waiting.setdefault(each.blocker_id, []).append(each)
    moved = {item.id: item}
    for blocker_id in _in_order(item.id, waiting):
        blocker = moved.get(blocker_id)
        if blocker is None or blocker.due is None:
            continue
        for each in waiting.get(blocker_id, ()):
            card = moved.get(each.waiting_id) or work.get(Item, project_id=each.project_id, id=each.waiting_id)
            earliest = blocker.due + timedelta(days=each.lag_days)
            if card.due is not None and card.status not in CLOSED and card.due < earliest:
                moved[card.id] = work.update(card, due=earliest)
    return [card for card in moved.values() if card.id != item.id]


def _in_order(first: Id, waiting: Mapping[Id, Sequence[Dependency]]) -> Iterator[Id]:
    """Yield a card and those that wait for it, directly or not, each after all that it waits for among them."""
    waits_for: dict[Id, set[Id]] = {first: set()}
    ahead = [first]
    while ahead:
        blocker_id = ahead.pop()
        for each in waiting.get(blocker_id, ()):
            if each.waiting_id not in waits_for:
                waits_for[each.waiting_id] = set()
                ahead.append(each.waiting_id)
            waits_for[each.waiting_id].add(blocker_id)
    yield from TopologicalSorter(waits_for).static_order()
