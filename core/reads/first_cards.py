"""The first cards of each section of a large Canvas, which a screen shows while it reads the others."""

from __future__ import annotations

from collections.abc import Sequence

from core.domain.canvas import CanvasHeader, Folds
from core.domain.model import Id, ItemKind, Status
from core.domain.view_settings import WORK, PhaseSection, Sort, ViewPreset
from core.engine.unit_of_work import Snapshot
from core.storage.database import Statement, batches, placeholders

LARGE = 2_000
"""The number of cards above which a Canvas is read in parts; a smaller one is read as fast as its first part."""

SHOWN = (Status.TO_DO, Status.IN_PROGRESS, Status.COMPLETED)
"""The statuses that a Canvas shows unless archived cards are asked for."""

_IN_SAME_SECTION = (
    "activity.project_id = item.project_id AND activity.id = item.activity_id"
    " AND activity.phase_id = item.phase_id AND activity.status = item.status"
)
_FIRST = (
    "SELECT id, activity_id, kind FROM item"
    " WHERE project_id = :project_id AND phase_id = :phase_id AND status = :status"
    f" AND NOT (kind = '{ItemKind.TASK}' AND activity_id IS NOT NULL"
    f" AND EXISTS (SELECT 1 FROM item AS activity WHERE {_IN_SAME_SECTION}))"
    " ORDER BY rank, id LIMIT :most"
)
_TASKS = (
    "SELECT item.id FROM item JOIN item AS activity ON {same}"
    " WHERE item.project_id = :project_id AND item.activity_id IN {chosen}"
)


def comes_in_parts(head: CanvasHeader, preset: ViewPreset, folds: Folds) -> bool:
    """Return whether the first part of a Canvas can be read by itself: it is large, in the order of its ranks, and
    nothing is left out of it."""
    viewing, phases = preset.viewing, {column.id for column in head.columns}
    shows_work = {*WORK} <= {*viewing.sections} and PhaseSection.ARCHIVED not in viewing.sections
    is_plain = shows_work and viewing.sort is Sort.ORDER and not viewing.filter and phases >= {*folds.folded}
    return is_plain and head.tally.every > LARGE


def first_cards(view: Snapshot, head: CanvasHeader, most: int) -> set[Id]:
    """Return the ids of the first ``most`` cards of each section, of the tasks below them, and of all applications.

    A task that is below its activity comes with it. The activities of other tasks are among them too, because these
    cards show their titles.
    """
    project_id = head.project_id
    asked: list[Statement] = [
        (_FIRST, {"project_id": project_id, "phase_id": column.id, "status": status, "most": most})
        for column in head.columns
        for status in SHOWN
        if column.tally.of(status)
    ]
    applications = "SELECT id, NULL, NULL FROM application WHERE project_id = :project_id"
    *sections, held = view.tx.tuples_all([*asked, (applications, {"project_id": project_id})])
    rows = [row for section in sections for row in section]
    activities = sorted(row[0] for row in rows if row[2] == ItemKind.ACTIVITY)
    tasks = [_tasks_below(project_id, batch) for batch in batches(activities)]
    found = {row[0] for row in (*rows, *held)} | {row[1] for row in rows if row[1]}
    return found | {row[0] for read in view.tx.tuples_all(tasks) for row in read}


def _tasks_below(project_id: Id, activity_ids: Sequence[Id]) -> Statement:
    chosen, params = placeholders(activity_ids)
    return _TASKS.format(same=_IN_SAME_SECTION, chosen=chosen), {"project_id": project_id, **params}
