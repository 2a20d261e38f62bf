"""Lists of projects for their members, as the Projects widget shows them."""

from __future__ import annotations

from datetime import date

from core.domain.grants import PermissionQuery
from core.domain.model import Favourite, Health, Member, PhaseState, Project, ProjectRole
from core.domain.permissions import Permission
from core.domain.statuses import ItemCounts
from core.engine.messages import ProjectQuery, Query
from core.engine.unit_of_work import Snapshot
from core.record import COLLECTION, Record, field, replace
from core.rules.open_items import OpenItem, my_open_work
from core.rules.phase_locks import Workflow
from core.rules.project_health import due_dates, link_names, project_health
from core.rules.project_names import ProjectRef
from core.rules.visibility import hidden_reason, is_visible, my_projects_with_questions
from core.text.phrases import full_name

NEXT_ITEMS = 30
"""The most of my next due items that the Projects widget shows."""


class ProjectSummary(Record):
    """A project as a line of the Projects widget."""

    project: Project
    role: ProjectRole | None
    """None for a user whom the authorization service lets see the project without being a member."""
    links: tuple[str, ...]
    """The names of the linked client, market and brand."""
    phase_now: str
    """The first phase that is not complete, with its number; empty if there is none."""
    tally: ItemCounts
    health: Health
    next_due: date | None
    """The earliest due date of an open item or an incomplete phase."""
    members: tuple[str, ...]
    favourite: bool
    ownerless: bool = False
    """True if every owner is deactivated, so that an admin can claim the project."""
    withheld: str = ""
    """The reason why only the name and my role are shown; empty otherwise."""


class ProjectOverview(Record):
    """The data of the Projects widget: my projects, favourites first, and my next due items."""

    lines: tuple[ProjectSummary, ...] = field(name=COLLECTION)
    next_items: tuple[OpenItem, ...]


class ListProjects(Query[ProjectOverview]):
    """List the projects that I am a member of, favourites first, and my next due items.

    A full line needs PROJECT_VIEW, which is queried for all projects at once. Without it, the line has only the name
    and the reason, since members may always know which projects they are on.
    """

    route = "GET /v1/projects"
    permission = Permission.WORKSPACE_VIEW
    archived: bool = False

    def asks(self, view: Snapshot) -> tuple[PermissionQuery, ...]:
        return tuple(my_projects_with_questions(view, archived=self.archived).values())

    def run(self, view: Snapshot) -> ProjectOverview:
        refusals = {
            project: hidden_reason(view.answers.get(is_visible(view, project.auth_id)))
            for project in self._projects(view)
        }
        lines = [_name_only(view, project, why) if why else _line(view, project) for project, why in refusals.items()]
        lines.sort(key=lambda line: (not line.favourite, line.project.archived, line.project.name.casefold()))
        seen = [project.id for project, why in refusals.items() if not (why or project.archived)]
        return ProjectOverview(lines=tuple(lines), next_items=my_open_work(view, seen, NEXT_ITEMS, date.max).lines)

    def _projects(self, view: Snapshot) -> list[Project]:
        return view.all(
            Project,
            "id IN (SELECT project_id FROM member WHERE user_id = :me) AND (archived = 0 OR :archived = 1)",
            me=view.actor.user_id,
            archived=int(self.archived),
        )


class GetProject(ProjectQuery[ProjectSummary]):
    """Show one project as a line of the Projects widget."""

    route = "GET /v1/projects/{project_id}"
    permission = Permission.PROJECT_VIEW

    def run(self, view: Snapshot) -> ProjectSummary:
        return _line(view, view.get(Project, id=self.project_id))


class ListOrphanedProjects(Query[tuple[ProjectRef, ...]]):
    """List the names of the projects whose owners are all deactivated, which an admin can claim."""

    route = "GET /v1/projects/orphaned"
    permission = Permission.PROJECT_CLAIM

    def run(self, view: Snapshot) -> tuple[ProjectRef, ...]:
        rows = view.rows(
            "SELECT id, name FROM project WHERE NOT EXISTS ("
            "SELECT 1 FROM member JOIN app_user ON app_user.id = member.user_id"
            " WHERE member.project_id = project.id AND member.role = 'OWNER' AND app_user.active = 1)"
            " ORDER BY name, id"
        )
        return tuple(ProjectRef(id=row["id"], name=row["name"]) for row in rows)


def _line(view: Snapshot, project: Project) -> ProjectSummary:
    workflow = Workflow.of(view, project.id)
    me = view.actor.user_id
    people = view.rows(
        "SELECT first_name, last_name, active, role FROM member JOIN app_user ON app_user.id = member.user_id"
        " WHERE member.project_id = :project_id ORDER BY role, first_name, last_name, user_id",
        project_id=project.id,
    )
    dates = [due for due in due_dates(view, project.id, workflow) if due]
    return ProjectSummary(
        project=project,
        role=_role(view, project),
        links=link_names(view, project),
        phase_now=_phase_now(workflow),
        tally=sum(workflow.tallies.values(), ItemCounts()),
        health=project_health(view, project, workflow),
        next_due=min(dates, default=None),
        members=tuple(full_name(row["first_name"], row["last_name"]) for row in people),
        favourite=view.find(Favourite, user_id=me, project_id=project.id) is not None,
        ownerless=not any(row["active"] and row["role"] == ProjectRole.OWNER for row in people),
    )


def _name_only(view: Snapshot, project: Project, why: str) -> ProjectSummary:
    return ProjectSummary(
        project=replace(project, description="", client_id=None, market_id=None, brand_id=None),
        role=_role(view, project),
        links=(),
        phase_now="",
        tally=ItemCounts(),
        health=Health.NONE,
        next_due=None,
        members=(),
        favourite=view.find(Favourite, project_id=project.id, user_id=view.actor.user_id) is not None,
        withheld=why,
    )


def _role(view: Snapshot, project: Project) -> ProjectRole | None:
    me = view.find(Member, project_id=project.id, user_id=view.actor.user_id)
    return me.role if me else None


def _phase_now(workflow: Workflow) -> str:
    for number, phase in enumerate(workflow.phases, 1):
        if workflow.state(phase.id) is not PhaseState.COMPLETE:
            return f"{number} {phase.name}"
    return ""
