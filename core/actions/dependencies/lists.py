"""Lists of dependencies: those of one card, for its page, and those of a project."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from core.domain.dependencies import LinkedCard, LinkedCards
from core.domain.model import Id, Item, ItemKind, Status
from core.domain.permissions import Permission
from core.domain.statuses import CLOSED
from core.engine.messages import ProjectQuery
from core.engine.project_guard import visible_among
from core.engine.unit_of_work import Snapshot
from core.record import Record
from core.text.phrases import full_name
from core.text.short_keys import card_key


class DependencyLine(Record):
    """A dependency of a project: the card that waits, and the one that it waits for."""

    waiting_id: Id
    waiting: str
    """The key of the waiting card: AUT-12."""
    blocker: LinkedCard | None
    """The card that it waits for; None for one that the user cannot see."""
    open: bool
    """True while the card that it waits for is open, and no override is given."""
    lag_days: int


class ListDependencies(ProjectQuery[tuple[DependencyLine, ...]]):
    """List which cards of a project wait for which, also for those of other projects."""

    route = "GET /v1/projects/{project_id}/dependencies"
    permission = Permission.PROJECT_VIEW

    def run(self, view: Snapshot) -> tuple[DependencyLine, ...]:
        rows = view.tx.tuples(
            f"SELECT {_COLUMNS}, waiting.id, waiting.number, of_waiting.key FROM {_OTHER_END}"
            " JOIN item AS waiting ON waiting.project_id = dependency.project_id AND waiting.id = waiting_id"
            " JOIN project AS of_waiting ON of_waiting.id = dependency.project_id"
            " WHERE dependency.project_id = :project_id ORDER BY waiting.number, other.number, other.id",
            project_id=self.project_id,
        )
        visible = visible_among(view, {row[0] for row in rows})
        return tuple(_line(view, row, row[0] in visible) for row in rows)


def linked_cards(view: Snapshot, item: Item) -> LinkedCards:
    """Return what a card waits for, also through its activity, and what waits for it."""
    order = "ORDER BY phase.rank, other.rank, other.id"
    waits_for, blocks = view.tx.tuples_all(
        [
            (
                f"SELECT {_COLUMNS}, waiting_id FROM {_OTHER_END}"
                f" WHERE dependency.project_id = :project_id AND waiting_id IN (:id, :activity_id) {order}",
                {"project_id": item.project_id, "id": item.id, "activity_id": item.activity_id or item.id},
            ),
            (
                f"SELECT {_COLUMNS} FROM {_OTHER_END_WAITS}"
                f" WHERE blocker_project_id = :project_id AND blocker_id = :id {order}",
                {"project_id": item.project_id, "id": item.id},
            ),
        ]
    )
    if not waits_for and not blocks:
        return NONE_LINKED
    visible = visible_among(view, {row[0] for row in (*waits_for, *blocks)})
    unseen = [[row for row in rows if row[0] not in visible and _is_open(row)] for rows in (waits_for, blocks)]
    return LinkedCards(
        waits_for=tuple(_card(view, row, row[_WAITING] != item.id) for row in waits_for if row[0] in visible),
        blocks=tuple(_card(view, row) for row in blocks if row[0] in visible),
        waits_for_unseen=sum(not row[_REASON] for row in unseen[0]),
        removable_unseen=sum(row[0] not in visible and row[_WAITING] == item.id for row in waits_for),
        blocks_unseen=len(unseen[1]),
    )


NONE_LINKED = LinkedCards()

_COLUMNS = (
    "project.id, project.name, project.key, project.archived, other.id, other.number, other.kind, other.title,"
    " phase.name, other.status, lag_days, override_reason, first_name, last_name, other.due"
)
_REASON, _WAITING = 11, 15
_JOINED = (
    " JOIN phase ON phase.project_id = other.project_id AND phase.id = other.phase_id"
    " JOIN project ON project.id = other.project_id LEFT JOIN app_user ON app_user.id = overridden_by"
)
_OTHER_END = (
    f"dependency JOIN item AS other ON other.project_id = blocker_project_id AND other.id = blocker_id{_JOINED}"
)
_OTHER_END_WAITS = (
    f"dependency JOIN item AS other ON other.project_id = dependency.project_id AND other.id = waiting_id{_JOINED}"
)


def _is_open(row: Sequence[Any]) -> bool:
    return not row[3] and Status(row[9]) not in CLOSED


def _card(view: Snapshot, row: Sequence[Any], through_activity: bool = False) -> LinkedCard:
    (
        project_id,
        project,
        key,
        _,
        card_id,
        number,
        kind,
        title,
        phase,
        status,
        lag,
        reason,
        first_name,
        last_name,
        due,
    ) = row[:15]
    return LinkedCard(
        project_id=project_id,
        project="" if project_id == view.scope else project,
        id=card_id,
        key=card_key(key, number),
        kind=ItemKind(kind),
        title=title,
        phase=phase,
        status=Status(status),
        open=_is_open(row),
        lag_days=lag,
        override_reason=reason,
        overridden_by=full_name(first_name, last_name),
        due=date.fromisoformat(due) if due else None,
        through_activity=through_activity,
    )


def _line(view: Snapshot, row: Sequence[Any], seen: bool) -> DependencyLine:
    waiting_id, number, key = row[15:]
    return DependencyLine(
        waiting_id=waiting_id,
        waiting=card_key(key, number),
        blocker=_card(view, row) if seen else None,
        open=_is_open(row) and not row[_REASON],
        lag_days=row[10],
    )
