"""Dependencies: which cards wait for which, and the refusals that name them. Blocked and ready follow from these rules.

A card waits for open cards only: neither completed nor archived, in a project that is not archived. A task also waits
for what its activity waits for. Cards of projects that the sender cannot see are counted without their titles.

Due dates follow: a card that waits is due at least its lag after the card that it waits for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from graphlib import TopologicalSorter
from typing import Any

from core.domain.dependencies import Dependency
from core.domain.model import Id, Item, Status
from core.domain.statuses import CLOSED
from core.engine.change_records import RecordChange
from core.engine.project_guard import owners, visible_among
from core.engine.unit_of_work import Snapshot, UnitOfWork
from core.errors import OBSTACLES_LISTED, Blocker, CardBlocked
from core.record import Record, replace
from core.storage.database import batches, placeholders
from core.text.phrases import count, some

NEEDS_NO_BLOCKERS = frozenset({Status.IN_PROGRESS, Status.COMPLETED})
"""Statuses that a card can get only while it waits for no open card."""

OPEN = "status IN ('TO_DO', 'IN_PROGRESS')"

_IS_OPEN = f"blocker.{OPEN} AND blocker_project.archived = 0"

BLOCKS = f"{_IS_OPEN} AND dependency.override_reason = ''"
"""The condition of a dependency that blocks, with the tables of ``WITH_BLOCKERS``."""

WITH_BLOCKERS = (
    "dependency JOIN item AS blocker ON blocker.project_id = dependency.blocker_project_id"
    " AND blocker.id = dependency.blocker_id"
    " JOIN project AS blocker_project ON blocker_project.id = dependency.blocker_project_id"
)

_OF_ITEM = (
    f"FROM {WITH_BLOCKERS} WHERE dependency.project_id = item.project_id"
    f" AND dependency.waiting_id IN (item.id, item.activity_id) AND {_IS_OPEN}"
)

OPEN_BLOCKERS = f"(SELECT count(*) {_OF_ITEM} AND dependency.override_reason = '')"
"""The number of open cards that a card waits for, in a statement that reads ``item``."""

OVERRIDDEN_BLOCKERS = f"(SELECT count(*) {_OF_ITEM} AND dependency.override_reason <> '')"
"""The number of open cards that a card need not wait for because of an override, in a statement that reads ``item``."""

MANY_BLOCKERS = 1_000_000
"""More cards than one can wait for."""

ALL_BLOCKERS = f"(SELECT sum(CASE dependency.override_reason WHEN '' THEN 1 ELSE {MANY_BLOCKERS} END) {_OF_ITEM})"
"""Both numbers in one look, ``OPEN_BLOCKERS`` + ``MANY_BLOCKERS`` * ``OVERRIDDEN_BLOCKERS``; NULL for none."""

NAMED = 3
"""The most cards that a sentence names."""


class Cards(Record, kw_only=False):
    """Cards for a sentence and a list: those that the sender can see, and the number of the others."""

    seen: tuple[Blocker, ...]
    unseen: int = 0
    waiting_id: Id = ""
    """The card that waits for one of them: the card in question, else its activity."""

    @property
    def in_words(self) -> str:
        """The cards as a phrase: “Print”, “Pack” and 1 card that you cannot see."""
        words = [f"“{each.title}”" for each in self.seen]
        if not self.unseen:
            return some(words, NAMED)
        rest = [f"{len(words) - NAMED} more"] if len(words) > NAMED else []
        return some([*words[:NAMED], *rest, f"{count(self.unseen, 'card')} that you cannot see"], NAMED + 2)

    @property
    def listed(self) -> tuple[Blocker, ...]:
        return self.seen[:OBSTACLES_LISTED]


NO_CARDS = Cards(seen=())


def open_blockers(view: Snapshot, item: Item) -> Cards:
    """Return the open cards that a card waits for, those of its own project first."""
    rows = view.tx.tuples(
        f"SELECT blocker.project_id, blocker.id, blocker.kind, blocker.title, phase.name, blocker_project.name,"
        f" blocker.status, waiting_id FROM {WITH_BLOCKERS}"
        " JOIN phase ON phase.project_id = blocker.project_id AND phase.id = blocker.phase_id"
        f" WHERE dependency.project_id = :project_id AND dependency.waiting_id IN (:id, :activity_id) AND {BLOCKS}"
        " ORDER BY phase.rank, blocker.rank, blocker.id",
        project_id=item.project_id,
        id=item.id,
        activity_id=item.activity_id or item.id,
    )
    own = any(row[7] == item.id for row in rows)
    cards = as_cards(view, item.project_id, [row[:7] for row in rows])
    return replace(cards, waiting_id=item.id if own or not item.activity_id else item.activity_id)


def as_cards(view: Snapshot, project_id: Id, rows: Iterable[Sequence[Any]]) -> Cards:
    """Return the cards in rows of project, id, kind, title, phase, name of the project and status."""
    by_id = {row[1]: row for row in rows}
    if not by_id:
        return NO_CARDS
    visible = visible_among(view, {row[0] for row in by_id.values()})
    found = [row for row in by_id.values() if row[0] in visible]
    found.sort(key=lambda row: row[0] != project_id)
    return Cards(
        tuple(
            Blocker(card_id, kind, title, phase, status=status)
            if project == project_id
            else Blocker(card_id, kind, title, f"{name} · {phase}", project, status)
            for project, card_id, kind, title, phase, name, status in found
        ),
        len(by_id) - len(found),
    )


def check_not_blocked(view: Snapshot, item: Item, status: Status) -> None:
    """Raise CardBlocked if an item would start or be completed while it waits for an open card."""
    if status not in NEEDS_NO_BLOCKERS:
        return
    cards = open_blockers(view, item)
    if cards.seen or cards.unseen:
        verb = "start" if status is Status.IN_PROGRESS else "be completed"
        raise make_blocked_error(view, item, cards, f"“{item.title}” cannot {verb}")


def make_blocked_error(view: Snapshot, item: Item, cards: Cards, what: str) -> CardBlocked:
    """Return the refusal that names the cards that an item waits for, and the owners."""
    return CardBlocked(
        f"{what}: it waits for {cards.in_words}.",
        card_id=cards.waiting_id,
        blockers=cards.listed,
        who_can=owners(view, item.project_id),
    )


def is_blocked(view: Snapshot, item: Item) -> bool:
    """Return whether an item waits for an open card."""
    rows = view.tx.tuples(
        f"SELECT {OPEN_BLOCKERS} FROM item WHERE project_id = :project_id AND id = :id",
        project_id=item.project_id,
        id=item.id,
    )
    return bool(rows and rows[0][0])


class Reblocked(Record, kw_only=False):
    """The open cards that wait for cards that are open again."""

    cards: Cards
    started: int
    """The number of those that are in progress."""

    @property
    def sentence(self) -> str:
        number = len(self.cards.seen) + self.cards.unseen
        verb = "waits" if number == 1 else "wait"
        begun = f", {self.started} in progress" if self.started else ""
        return f"{self.cards.in_words} {verb} for this and would be blocked again{begun}."


def blocked_again(view: Snapshot, changes: Iterable[RecordChange]) -> Reblocked | None:
    """Return the cards that become blocked because these changes reopen what they wait for; None without any."""
    reopened = {change.key["id"] for change in changes if _reopens(change)}
    if not reopened:
        return None
    rows: list[Sequence[Any]] = []
    for batch in batches(sorted(reopened)):
        chosen, params = placeholders(batch)
        rows += view.tx.tuples(
            "SELECT waiting.project_id, waiting.id, waiting.kind, waiting.title, phase.name, project.name,"
            " waiting.status FROM dependency"
            " JOIN item AS waiting ON waiting.project_id = dependency.project_id AND waiting.id = waiting_id"
            " JOIN phase ON phase.project_id = waiting.project_id AND phase.id = waiting.phase_id"
            " JOIN project ON project.id = waiting.project_id"
            f" WHERE blocker_project_id = :scope AND blocker_id IN {chosen} AND waiting.{OPEN}"
            " AND override_reason = '' AND project.archived = 0 ORDER BY phase.rank, waiting.rank, waiting.id",
            scope=view.scope,
            **params,
        )
    if not rows:
        return None
    started = {row[1] for row in rows if row[6] == Status.IN_PROGRESS}
    return Reblocked(as_cards(view, view.scope, rows), len(started))


def _reopens(change: RecordChange) -> bool:
    if change.entity != "item" or not change.before or not change.after:
        return False
    return _is_open(change.after) and not _is_open(change.before)


def _is_open(columns: Mapping[str, Any]) -> bool:
    """Return whether a status is open. Columns without one count as open, so that they reopen nothing."""
    return columns.get("status", Status.TO_DO) in (Status.TO_DO, Status.IN_PROGRESS)


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
