"""The values of custom fields as cards have them, and their sums over the cards of phases."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from core.domain.canvas import PhaseColumn
from core.domain.fields import CustomField, FieldSum, FieldValue, from_thousandths
from core.domain.model import Id
from core.engine.unit_of_work import Snapshot
from core.record import replace
from core.storage.database import Statement, among

FIELDS_IN_ORDER = "project_id = :project_id AND removed = 0 ORDER BY rank, id"

VALUES_OF_CARDS = (
    "SELECT item_id, key, coalesce(user_id, value) FROM item_field JOIN field"
    " ON field.project_id = item_field.project_id AND field.id = item_field.field_id"
    " WHERE item_field.project_id = :project_id AND removed = 0{only} ORDER BY item_id, rank, field.id"
)
"""The statement that reads the values of the cards of a project, in the order of its fields."""


def card_values(rows: Iterable[tuple[Any, ...]]) -> dict[Id, tuple[FieldValue, ...]]:
    """Return the values by card, from the rows of ``VALUES_OF_CARDS``. Equal values are one object."""
    known: dict[tuple[str, str], FieldValue] = {}
    found: dict[Id, list[FieldValue]] = {}
    for item_id, key, value in rows:
        each = known.get((key, value))
        if each is None:
            each = known[(key, value)] = FieldValue(key, value)
        found.setdefault(item_id, []).append(each)
    return {item_id: tuple(values) for item_id, values in found.items()}


def values_statement(project_id: Id, ids: Sequence[Id] | None = None) -> Statement:
    """The statement that reads the values of all cards of a project, or of those with these ids."""
    only, params = among("item_id", ids)
    return VALUES_OF_CARDS.format(only=only), {"project_id": project_id, **params}


def my_field_keys(view: Snapshot) -> frozenset[str]:
    """Return the keys of the custom fields of all projects of the sender, which their filters can name."""
    mine = "project_id IN (SELECT project_id FROM member WHERE user_id = :me)"
    statement = f"SELECT DISTINCT key FROM field WHERE removed = 0 AND {mine} ORDER BY key"
    return frozenset(key for (key,) in view.tx.tuples(statement, me=view.actor.user_id))


_EACH = "CAST(round(CAST(item_field.value AS NUMERIC) * 1000) AS BIGINT)"
THOUSANDTHS = f"(sum({_EACH} / 1000) * 1000 + sum({_EACH} - {_EACH} / 1000 * 1000))"
"""The sum of numbers in thousandths, exact on both engines. In one sum, ten thousand of the largest would overflow."""

DONE = THOUSANDTHS.replace(
    "item_field.value", "CASE WHEN status IN ('TO_DO', 'IN_PROGRESS') THEN '0' ELSE item_field.value END"
)

_SUMS = (
    f"SELECT phase_id, key, {DONE},"
    f" {THOUSANDTHS} FROM field"
    " JOIN item_field ON item_field.project_id = field.project_id AND item_field.field_id = field.id"
    " JOIN item ON item.project_id = item_field.project_id AND item.id = item_field.item_id"
    " WHERE field.project_id = :project_id AND sums = 1 AND removed = 0"
    " AND (status <> 'ARCHIVED' OR archived_from = 'COMPLETED'){only}"
    " GROUP BY phase_id, field.rank, field.id, key ORDER BY phase_id, field.rank, field.id"
)
SUMS = _SUMS.format(only="")
"""The statement that adds up the numbers of each phase, for each field that sums. Cards that were archived while they
were open do not count, as in the progress."""


def phase_sums(rows: Iterable[tuple[Any, ...]]) -> dict[Id, tuple[FieldSum, ...]]:
    """Return the sums of each phase, from the rows of ``SUMS``."""
    found: dict[Id, list[FieldSum]] = {}
    for phase_id, key, done, total in rows:
        found.setdefault(phase_id, []).append(FieldSum(key, from_thousandths(done), from_thousandths(total)))
    return {phase_id: tuple(sums) for phase_id, sums in found.items()}


def with_sums(
    view: Snapshot,
    project_id: Id,
    columns: tuple[PhaseColumn, ...],
    fields: Iterable[CustomField],
    phase_ids: Collection[Id] | None = None,
) -> tuple[PhaseColumn, ...]:
    """Return the phase columns with the sums of their cards; without a field that sums, nothing is read.

    ``phase_ids`` are the phases of the columns, None for all of the project.
    """
    if not columns or not any(field.sums for field in fields):
        return columns
    only, params = among("phase_id", phase_ids)
    sums = phase_sums(view.tx.tuples(_SUMS.format(only=only), project_id=project_id, **params))
    return tuple(replace(column, sums=sums.get(column.id, ())) for column in columns)
