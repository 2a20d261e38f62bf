"""A project of 10,000 cards, written straight into the tables, because messages would take a minute."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import date, timedelta
from typing import Any

from core.actions.workflow.phases import AddPhase
from core.domain.model import Id, Item, ItemKind, Phase, Status
from core.engine.counters import recount
from core.engine.messages import Command
from core.engine.unit_of_work import new_id
from core.record import Record, replace
from core.rules.ordering import first_ranks
from core.storage.database import Tx
from core.storage.row_mapper import table_of

CARDS = 10_000
NAME = "Product catalogue move"
DESCRIPTION = "Ten thousand product pages move to the new shop, one card each."
PHASES = ("Collect", "Clean", "Translate", "Photograph", "Publish", "Check")
GOODS = ("hammer drill", "angle grinder", "jigsaw", "wall plug set", "battery pack", "work light", "belt sander")
VERBS = ("Collect data of", "Clean the texts of", "Translate", "Photograph", "Publish", "Check")
EACH_ACTIVITY = 25
"""Cards per group: the first of each group is an activity that holds the next three."""


class CardBatch(Record, kw_only=False):
    """The cards of one phase: their number, and how many are completed and started."""

    phase: Phase
    number: int
    count: int
    done: int
    started: int
    """``done`` cards are completed, and ``started`` of the rest are in progress."""


def add_phases(send: Callable[[Command[Any]], Any], project_id: Id, today: date) -> list[Phase]:
    """Add the six phases; today is in the second."""
    return [
        send(AddPhase(project_id=project_id, name=name, due=today + timedelta(days=21 * number - 12)))
        for number, name in enumerate(PHASES)
    ]


def add_cards(tx: Tx, phases: Sequence[Phase], people: Sequence[Id], today: date) -> None:
    """Add all cards: the first phase is complete, the second half done, the others are locked."""
    table = table_of(Item)
    columns = ", ".join(table.columns)
    statement = f"INSERT INTO item ({columns}) VALUES ({', '.join(f':{name}' for name in table.columns)})"
    given = 0
    for number, phase in enumerate(phases):
        count = CARDS // len(phases) + (number < CARDS % len(phases))
        done = (count, count // 2, 0)[min(number, 2)]
        lot = CardBatch(phase, number, count, done, 40 if number == 1 else 0)
        for item in _cards(lot, people, today):
            given += 1
            tx.execute(statement, **table.dump(replace(item, number=given)))
    recount(tx, phases[0].project_id)


def _cards(lot: CardBatch, people: Sequence[Id], today: date) -> Iterator[Item]:
    activity: Item | None = None
    for place, rank in enumerate(first_ranks(lot.count)):
        within = place % EACH_ACTIVITY
        item = _card(lot, place, rank, activity if 0 < within <= 3 else None, people, today)
        if within == 0:
            activity = item
        yield item


def _card(lot: CardBatch, place: int, rank: str, activity: Item | None, people: Sequence[Id], today: date) -> Item:
    status = Status.TO_DO
    if place < lot.done + lot.started:
        status = Status.COMPLETED if place < lot.done else Status.IN_PROGRESS
    article = lot.number * CARDS + place
    is_activity = place % EACH_ACTIVITY == 0
    return Item(
        project_id=lot.phase.project_id,
        id=new_id(),
        kind=ItemKind.ACTIVITY if is_activity else ItemKind.TASK,
        phase_id=lot.phase.id,
        rank=rank,
        title=f"{VERBS[lot.number]} {GOODS[place % len(GOODS)]} {article + 10_000}",
        status=status,
        activity_id=activity.id if activity else None,
        assignee_id=None if is_activity or place % 3 == 0 else people[place % len(people)],
        due=today + timedelta(days=21 * lot.number - 12 + place % 14) if place % 2 else None,
    )
