"""The health of a project, its next due dates, and the names of its links."""

from __future__ import annotations

from datetime import date

from core.domain.model import Health, Id, NodeKind, PhaseState, Project
from core.domain.statuses import health
from core.engine.unit_of_work import Snapshot
from core.rules.phase_locks import Workflow

LINKS = tuple(kind.lower() for kind in NodeKind)
LINKED = "".join(f" LEFT JOIN hierarchy_node AS {link} ON {link}.id = project.{link}_id" for link in LINKS)
"""The joins of a project with its client, market and brand, under these names."""

LINK_NAMES = f"SELECT {', '.join(f'{link}.name' for link in LINKS)} FROM project{LINKED} WHERE project.id = :project_id"
"""The statement that reads the names of the linked client, market and brand; NULL without a link."""

EARLIEST_DUE = (
    "SELECT min(due) FROM item"
    " WHERE project_id = :project_id AND status IN ('TO_DO', 'IN_PROGRESS') AND due IS NOT NULL"
)
"""The statement that reads the earliest due date of the open items of a project."""


def link_names(view: Snapshot, project_id: Id) -> tuple[str, ...]:
    """Return the names of the linked client, market and brand, in that order."""
    return tuple(name for name in view.tx.tuples(LINK_NAMES, project_id=project_id)[0] if name)


def project_health(project: Project, workflow: Workflow, earliest: str | None, today: date) -> Health:
    """Return the health of one project today. ``earliest`` is the result of ``EARLIEST_DUE``."""
    phases = [phase.due for phase in workflow.phases if workflow.state(phase.id) is not PhaseState.COMPLETE]
    dates = [date.fromisoformat(earliest) if earliest else None, *phases]
    return health(project.archived or workflow.complete, dates, today)
