"""The dates and numbers of a project that its health and forecast follow from, and the names of its links."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, timedelta

from core.domain.model import Id, NodeKind, Phase, PhaseState, Project
from core.domain.project_health import PhaseDue, ProjectDates, first_day, pace_days
from core.domain.statuses import ItemCounts
from core.domain.workflow import Workflow
from core.engine.counters import completed_since, counts_in
from core.engine.unit_of_work import Snapshot, select
from core.rules.phases import PHASES_IN_ORDER

LINKS = tuple(kind.lower() for kind in NodeKind)
LINKED = "".join(f" LEFT JOIN hierarchy_node AS {link} ON {link}.id = project.{link}_id" for link in LINKS)
"""The joins of a project with its client, market and brand, under these names."""

LINK_NAMES = f"SELECT {', '.join(f'{link}.name' for link in LINKS)} FROM project{LINKED} WHERE project.id = :project_id"
"""The statement that reads the names of the linked client, market and brand; NULL without a link."""

EARLIEST_DUES = (
    "(SELECT min(due) FROM item WHERE project_id = {project_id} AND status = 'TO_DO')",
    "(SELECT min(due) FROM item WHERE project_id = {project_id} AND status = 'IN_PROGRESS')",
)
"""Two columns: the earliest due date of the cards of a project that are not started, and of those in progress."""

NUMBERS = (
    f"SELECT seq, item_counts, completions, {', '.join(EARLIEST_DUES).format(project_id=':project_id')}"
    " FROM feed WHERE id = :project_id"
)
"""The statement that reads the seq of a project, its item counts and completed items, and ``EARLIEST_DUES``."""


def link_names(view: Snapshot, project_id: Id) -> tuple[str, ...]:
    """Return the names of the linked client, market and brand, in that order."""
    return tuple(name for name in view.tx.tuples(LINK_NAMES, project_id=project_id)[0] if name)


def project_dates(
    view: Snapshot,
    project: Project,
    phases: Iterable[tuple[date | None, PhaseState, ItemCounts]],
    completions: str,
    dues: Sequence[str | None],
) -> ProjectDates:
    """Return the dates and numbers of a project.

    ``phases`` are the due date, the state and the item counts of each phase, ``dues`` the values of ``EARLIEST_DUES``.
    """
    placed = list(phases)
    incomplete = [(due, tally) for due, state, tally in placed if state is not PhaseState.COMPLETE]
    first = first_day(project.start, view.day_of(project.created_at))
    to_do_due, in_progress_due = (date.fromisoformat(due) if due else None for due in dues)
    return ProjectDates(
        today=view.today,
        first_day=first,
        finished=project.archived or (bool(placed) and not incomplete),
        open_cards=sum(tally.open for _, tally in incomplete),
        to_do_due=to_do_due,
        in_progress_due=in_progress_due,
        phases=[PhaseDue(due, tally.to_do > 0) for due, tally in incomplete],
        completed=completed_since(completions, view.today - timedelta(days=pace_days(first, view.today))),
    )


def dates_in(
    view: Snapshot, project: Project, workflow: Workflow, completions: str, dues: Sequence[str | None]
) -> ProjectDates:
    """Return the dates and numbers of a project whose workflow is read."""
    phases = ((phase.due, workflow.state(phase.id), workflow.tally(phase.id)) for phase in workflow.phases)
    return project_dates(view, project, phases, completions, dues)


def read_dates(view: Snapshot, project_id: Id) -> tuple[Project, Workflow, ProjectDates]:
    """Read one project with its workflow, and its dates and numbers."""
    sent = {"project_id": project_id}
    projects, phases, numbers = view.tx.tuples_all(
        [(select(Project, "id = :project_id"), sent), (select(Phase, PHASES_IN_ORDER), sent), (NUMBERS, sent)]
    )
    [project], [(_, counts, completions, *dues)] = view.load_records(Project, projects), numbers
    workflow = Workflow.from_phases(view.load_records(Phase, phases), counts_in(counts))
    return project, workflow, dates_in(view, project, workflow, completions, dues)
