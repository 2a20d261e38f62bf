"""The health of a project, its next due dates, and the names of its links."""

from __future__ import annotations

from datetime import date

from core.domain.model import Health, HierarchyNode, Id, PhaseState, Project
from core.domain.statuses import health
from core.engine.unit_of_work import Snapshot
from core.rules.phase_locks import Workflow


def link_names(view: Snapshot, project: Project) -> tuple[str, ...]:
    """Return the names of the linked client, market and brand, in that order."""
    return tuple(view.get(HierarchyNode, id=node_id).name for node_id in project.links.values() if node_id)


def due_dates(view: Snapshot, project_id: Id, workflow: Workflow) -> list[date | None]:
    """Return the earliest due date of the open items, and the due dates of the phases that are not complete."""
    earliest = view.rows(
        "SELECT min(due) AS due FROM item"
        " WHERE project_id = :project_id AND status IN ('TO_DO', 'IN_PROGRESS') AND due IS NOT NULL",
        project_id=project_id,
    )[0]["due"]
    phases = [phase.due for phase in workflow.phases if workflow.state(phase.id) is not PhaseState.COMPLETE]
    return [date.fromisoformat(earliest) if earliest else None, *phases]


def project_health(view: Snapshot, project: Project, workflow: Workflow) -> Health:
    """Return the health of one project today."""
    return health(project.archived or workflow.complete, due_dates(view, project.id, workflow), view.today)
