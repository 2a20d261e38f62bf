"""The dependencies of a Canvas: how many open cards each card waits for, and how many wait for it.

Only open cards have these numbers. Cards of other projects change without a change in this one, so a Canvas also has
the sum of their last changes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from core.domain.canvas import Card
from core.domain.model import Id
from core.domain.statuses import CLOSED
from core.engine.unit_of_work import Snapshot
from core.reads.project_state import state_of
from core.record import Record, replace
from core.rules.dependencies import OPEN, OPEN_BLOCKERS, OVERRIDDEN_BLOCKERS
from core.storage.database import Statement, batches, placeholders

_OPEN_ELSEWHERE = (
    "(SELECT count(*) FROM item JOIN project ON project.id = item.project_id"
    " WHERE item.project_id = dependency.{end}_project_id AND item.id = {end}_id"
    f" AND {OPEN} AND project.archived = 0)"
)
_ALL = (
    "SELECT waiting_id, blocker_id, CASE WHEN blocker_project_id = project_id"
    " THEN (SELECT 1 - archived FROM project WHERE id = :project_id)"
    f" ELSE {_OPEN_ELSEWHERE.format(end='blocker')} END, CASE WHEN override_reason <> '' THEN 1 ELSE 0 END"
    " FROM dependency WHERE project_id = :project_id"
    " UNION ALL SELECT '', blocker_id, "
    + _OPEN_ELSEWHERE.format(end="waiting").replace("waiting_project_id", "project_id")
    + ", 0 FROM dependency WHERE blocker_project_id = :project_id AND project_id <> blocker_project_id"
    " AND override_reason = ''"
)
"""Pairs of a waiting card and the one that it waits for, whether a card of another project counts, and whether the pair
is overridden. The waiting card is '' where it is in another project."""

OPEN_WAITING = (
    "(SELECT count(*) FROM dependency JOIN item AS waiting ON waiting.project_id = dependency.project_id"
    " AND waiting.id = waiting_id JOIN project ON project.id = waiting.project_id"
    " WHERE dependency.blocker_project_id = item.project_id AND blocker_id = item.id"
    f" AND waiting.{OPEN} AND project.archived = 0 AND override_reason = '')"
)
"""The number of open cards that wait for a card, in a statement that reads ``item``."""


def all_dependencies(project_id: Id) -> Statement:
    """Return the statement with which ``waiting_counts`` counts the dependencies of a whole project."""
    return _ALL, {"project_id": project_id}


class WaitingCounts(Record, kw_only=False):
    """The open cards that each card waits for, those it need not wait for, and those that wait for it.

    Cards without any are left out.
    """

    waits: Mapping[Id, int]
    overridden: Mapping[Id, int]
    blocks: Mapping[Id, int]

    def of(self, item_id: Id, activity_id: Id | None) -> tuple[int, int, int]:
        """Return the numbers of an open card, which waits for what its activity waits for too."""
        waits, overridden = self.waits.get(item_id, 0), self.overridden.get(item_id, 0)
        if activity_id:
            waits += self.waits.get(activity_id, 0)
            overridden += self.overridden.get(activity_id, 0)
        return waits, overridden, self.blocks.get(item_id, 0)


NO_COUNTS = WaitingCounts({}, {}, {})


def waiting_counts(rows: Sequence[tuple[Any, ...]], is_open: Mapping[Id, bool]) -> WaitingCounts:
    """Count the dependencies of a project from the rows of ``all_dependencies``; ``is_open`` tells of each card."""
    waits: dict[Id, int] = {}
    overridden: dict[Id, int] = {}
    blocks: dict[Id, int] = {}
    for waiting, blocker, counts, is_overridden in rows:
        if not counts or not is_open.get(blocker, True):
            continue
        held = overridden if is_overridden else waits
        held[waiting] = held.get(waiting, 0) + 1
        if not is_overridden and blocker in is_open and is_open.get(waiting, True):
            blocks[blocker] = blocks.get(blocker, 0) + 1
    return WaitingCounts(waits, overridden, blocks)


def _number_card(card: Card, waits_for: int, overridden: int, blocks: int) -> Card:
    if not (waits_for or overridden or blocks) or card.status in CLOSED:
        return card
    return replace(card, waits_for=waits_for, overridden=overridden, blocks=blocks)


def with_waiting_among(view: Snapshot, project_id: Id, cards: list[Card]) -> list[Card]:
    """Return some cards of a project with their numbers, in one statement for each batch."""
    if not state_of(view, project_id).has_dependencies:
        return cards
    found: dict[Id, tuple[int, int, int]] = {}
    for batch in batches(sorted(card.id for card in cards if card.status not in CLOSED)):
        chosen, params = placeholders(batch)
        rows = view.tx.tuples(
            f"SELECT id, {OPEN_BLOCKERS}, {OVERRIDDEN_BLOCKERS}, {OPEN_WAITING}"
            f" FROM item WHERE project_id = :project_id AND id IN {chosen}",
            project_id=project_id,
            **params,
        )
        found |= {row[0]: (row[1], row[2], row[3]) for row in rows}
    return [_number_card(card, *found.get(card.id, (0, 0, 0))) for card in cards]


def linked_with(view: Snapshot, project_id: Id, item_ids: Collection[Id], unlinked: Iterable[Id]) -> set[Id]:
    """Return the cards whose numbers can differ after these items have changed; of ``unlinked`` activities tasks."""
    found: set[Id] = set()
    for batch in batches(sorted(item_ids)) if state_of(view, project_id).has_dependencies else ():
        chosen, params = placeholders(batch)
        rows = view.tx.tuples(
            "SELECT waiting_id FROM dependency"
            f" WHERE blocker_project_id = :project_id AND project_id = :project_id AND blocker_id IN {chosen}"
            " UNION SELECT item.id FROM dependency JOIN item"
            " ON item.project_id = dependency.project_id AND item.activity_id = waiting_id"
            " WHERE blocker_project_id = :project_id AND dependency.project_id = :project_id"
            f" AND blocker_id IN {chosen}"
            " UNION SELECT blocker_id FROM dependency"
            f" WHERE project_id = :project_id AND blocker_project_id = :project_id AND waiting_id IN {chosen}",
            project_id=project_id,
            **params,
        )
        found |= {row[0] for row in rows}
    return found | _with_tasks(view, project_id, unlinked)


def linked_elsewhere(view: Snapshot, project_id: Id) -> set[Id]:
    """Return the cards of a project that wait for cards of other projects, or that those wait for."""
    rows = view.tx.tuples(
        "SELECT waiting_id FROM dependency WHERE project_id = :project_id AND project_id <> blocker_project_id"
        " UNION SELECT blocker_id FROM dependency"
        " WHERE blocker_project_id = :project_id AND project_id <> blocker_project_id",
        project_id=project_id,
    )
    linked = {row[0] for row in rows}
    return linked | _with_tasks(view, project_id, linked)


def _with_tasks(view: Snapshot, project_id: Id, activity_ids: Iterable[Id]) -> set[Id]:
    found: set[Id] = set()
    for batch in batches(sorted(activity_ids)):
        chosen, params = placeholders(batch)
        rows = view.tx.tuples(
            f"SELECT id FROM item WHERE project_id = :project_id AND activity_id IN {chosen}",
            project_id=project_id,
            **params,
        )
        found |= {row[0] for row in rows}
    return found
