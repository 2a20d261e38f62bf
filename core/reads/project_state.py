"""The state of a project: its last changes and what it uses, and the dates and numbers that its health follows from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from typing import Any

from core.domain.model import WORKSPACE, Id, NodeKind, Phase, PhaseState, Project
from core.domain.phase_states import Workflow
from core.domain.project_health import PhaseDue, ProjectDates, first_day, pace_days
from core.domain.statuses import ItemCounts
from core.engine.counters import completed_since, counts_in
from core.engine.unit_of_work import Snapshot, select
from core.errors import DatabaseDamaged
from core.record import Record
from core.rules.phases import PHASES_IN_ORDER

_OF_OTHERS = (
    "SELECT blocker_project_id FROM dependency WHERE project_id = :project_id AND project_id <> blocker_project_id"
    " UNION SELECT project_id FROM dependency"
    " WHERE blocker_project_id = :project_id AND project_id <> blocker_project_id"
)

_LINKS_AT = (
    "coalesce((SELECT sum(waiting.number * 7919 + blocker.number) FROM dependency"
    " JOIN item AS waiting ON waiting.project_id = dependency.project_id AND waiting.id = waiting_id"
    " JOIN item AS blocker ON blocker.project_id = blocker_project_id AND blocker.id = blocker_id"
    " WHERE dependency.{end} = :project_id AND dependency.project_id <> dependency.blocker_project_id), 0)"
)
_LINKS = f"{_LINKS_AT.format(end='project_id')} + {_LINKS_AT.format(end='blocker_project_id')}"
"""A checksum of the links with other projects, of the numbers of their cards."""

CHECKSUMS = 1_000_000
"""The number of checksums of links. Two sets of links that share one cost little: a link changes the seq of its
project, so ``elsewhere`` differs, and only a card whose last link was removed shows an old number until all is
read again."""

STATE = (
    f"SELECT seq, (SELECT coalesce(sum(seq), 0) FROM feed WHERE id IN ({_OF_OTHERS})),"
    f" ({_LINKS}) % {CHECKSUMS}, (SELECT seq FROM feed WHERE id = '{WORKSPACE}'),"
    " EXISTS (SELECT 1 FROM application WHERE project_id = :project_id),"
    " EXISTS (SELECT 1 FROM item_label WHERE project_id = :project_id),"
    " EXISTS (SELECT 1 FROM field WHERE project_id = :project_id AND removed = 0),"
    " EXISTS (SELECT 1 FROM dependency WHERE project_id = :project_id)"
    " OR EXISTS (SELECT 1 FROM dependency WHERE blocker_project_id = :project_id),"
    " EXISTS (SELECT 1 FROM gate_criterion WHERE project_id = :project_id)"
    " OR EXISTS (SELECT 1 FROM gate_condition WHERE project_id = :project_id AND item_id IS NOT NULL)"
    " FROM feed WHERE id = :project_id"
)
"""The statement that reads a ``ProjectState``."""


class ProjectState(Record, kw_only=False):
    """The last changes of a project, and what it uses, so that nothing is read of what it does not use."""

    seq: int
    """The last change of the project."""
    linked_seq_sum: int
    """The sum of the last changes of the projects that it is linked with."""
    links_checksum: int
    """A checksum of the links with other projects."""
    workspace_seq: int
    """The last change of the workspace."""
    has_applications: bool
    has_labels: bool
    """True if a label is on any of its cards."""
    has_fields: bool
    has_dependencies: bool
    """True if a card waits for another one, here or in another project."""
    has_watchers: bool
    """True if a gate looks at cards of other phases: for a criterion, or a condition that was moved."""

    @property
    def elsewhere(self) -> int:
        """A number that differs after any change of the projects it is linked with, or of the links."""
        return self.linked_seq_sum * CHECKSUMS + self.links_checksum


def state_of(view: Snapshot, project_id: Id) -> ProjectState:
    """Read the state of a project; once in a snapshot, however often it is asked for."""
    return state_in(view.tx.tuples(STATE, project_id=project_id))


def state_in(rows: Sequence[tuple[Any, ...]]) -> ProjectState:
    """The state in the one row of ``STATE``. Raises DatabaseDamaged where a project has none."""
    if not rows:
        raise DatabaseDamaged(
            "A project has no row in the table feed. “podium restore” restores a backup; the file is kept."
        )
    [(seq, linked_seq_sum, links_checksum, workspace_seq, *uses)] = rows
    return ProjectState(seq, linked_seq_sum, links_checksum, workspace_seq, *map(bool, uses))


def links_differ(before: int, now: int) -> bool:
    """Return whether there are other links with other projects than when ``ProjectState.elsewhere`` was ``before``."""
    return before % CHECKSUMS != now % CHECKSUMS


# -- dates and numbers -----------------------------------------------------------------------------------------------

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
