"""A project in short, for a preview: its phases, what is due next, its members and its last changes."""

from __future__ import annotations

from datetime import date

from core.actions.history.entries import HistoryEntry, last_changes
from core.actions.projects.lists import GetProject, ProjectSummary
from core.actions.workflow.phases import ListPhases, PhaseSummary
from core.domain.model import Id, ItemKind, ProjectRole, Status
from core.domain.permissions import Permission
from core.engine.messages import ProjectQuery
from core.engine.unit_of_work import Snapshot
from core.record import Record
from core.storage.database import placeholders
from core.text.phrases import full_name

NEXT_DUE = 5
"""The most open cards with a due date that a digest lists."""

LAST_CHANGES = 3
"""The most changes that a digest lists."""


class NextDueCard(Record, kw_only=False):
    """An open card of a project with its due date."""

    id: Id
    kind: ItemKind
    title: str
    status: Status
    due: date
    phase: str
    assignee_ids: tuple[Id, ...]


class TeamMember(Record, kw_only=False):
    """A member of a project by name and role."""

    user_id: Id
    name: str
    role: ProjectRole
    active: bool


class ProjectDigest(Record):
    """A project in short."""

    summary: ProjectSummary
    phases: tuple[PhaseSummary, ...]
    next_due: tuple[NextDueCard, ...]
    """The first open cards by due date."""
    team: tuple[TeamMember, ...]
    """The members, owners first."""
    changes: tuple[HistoryEntry, ...]
    """The last changes, the newest first."""


class GetProjectDigest(ProjectQuery[ProjectDigest]):
    """Show a project in short: its phases, the next due cards, its members and its last changes."""

    route = "GET /v1/projects/{project_id}/digest"
    permission = Permission.PROJECT_VIEW

    def run(self, view: Snapshot) -> ProjectDigest:
        summary = GetProject(project_id=self.project_id).run(view)
        phases = ListPhases(project_id=self.project_id).run(view)
        return ProjectDigest(
            summary=summary,
            phases=phases,
            next_due=_next_due(view, self.project_id, {line.phase.id: line.phase.name for line in phases}),
            team=_team(view, self.project_id),
            changes=last_changes(view, self.project_id, LAST_CHANGES),
        )


_DUE = (
    "SELECT id, kind, title, status, due, phase_id, assignee_id FROM item"
    " WHERE project_id = :project_id AND status = '{status}' AND due IS NOT NULL ORDER BY due, id LIMIT :most"
)


def _next_due(view: Snapshot, project_id: Id, phases: dict[Id, str]) -> tuple[NextDueCard, ...]:
    """Return the first open cards by due date: for each status the database reads as many as are listed."""
    chosen = {"project_id": project_id, "most": NEXT_DUE}
    found = view.tx.tuples_all([(_DUE.format(status=status), chosen) for status in ("TO_DO", "IN_PROGRESS")])
    rows = sorted((row for rows in found for row in rows), key=lambda row: (row[4], row[0]))[:NEXT_DUE]
    targets, params = placeholders(row[0] for row in rows)
    assigned: dict[Id, list[Id]] = {row[0]: [row[6]] if row[6] else [] for row in rows}
    for target_id, user_id in view.tx.tuples(
        f"SELECT target_id, user_id FROM assignment WHERE project_id = :project_id AND target_id IN {targets}"
        " ORDER BY target_id, user_id",
        project_id=project_id,
        **params,
    ):
        assigned[target_id].append(user_id)
    return tuple(
        NextDueCard(
            item_id,
            ItemKind(kind),
            title,
            Status(status),
            date.fromisoformat(due),
            phases.get(phase_id, ""),
            tuple(assigned[item_id]),
        )
        for item_id, kind, title, status, due, phase_id, _ in rows
    )


def _team(view: Snapshot, project_id: Id) -> tuple[TeamMember, ...]:
    rows = view.tx.tuples(
        "SELECT user_id, first_name, last_name, role, active FROM member"
        " JOIN app_user ON app_user.id = member.user_id WHERE project_id = :project_id"
        " ORDER BY first_name, last_name, user_id",
        project_id=project_id,
    )
    members = [
        TeamMember(user_id, full_name(first_name, last_name), ProjectRole(role), bool(active))
        for user_id, first_name, last_name, role, active in rows
    ]
    order = list(ProjectRole)
    return tuple(sorted(members, key=lambda member: order.index(member.role)))
