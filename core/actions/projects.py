"""Projects: listed for their members, created, described, linked, archived, taken over, deleted."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from uuid import uuid4

from core.actions.hierarchy import agreed_links
from core.errors import RuleRefused
from core.messages import Command, ProjectCommand, ProjectQuery, Query
from core.model import (
    WORKSPACE,
    Health,
    Id,
    Item,
    Member,
    NodeKind,
    PhaseState,
    Project,
    ProjectRole,
    Star,
    User,
)
from core.rights import Permission
from core.rules import Tally
from core.standing import due_dates, link_names, project_health
from core.text import many_lines, one_line
from core.work import View, Work, new_id
from core.workflow import Workflow

NEXT_ITEMS = 30
"""The Projects widget shows at most this many of my next due items."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectLine:
    """A project as the Projects widget shows it."""

    project: Project
    role: ProjectRole
    links: tuple[str, ...]
    """Names of client, market and brand, those that are linked."""
    phase_now: str
    """The first phase that is not complete, numbered; empty when there is none."""
    tally: Tally
    health: Health
    next_due: date | None
    """The earliest due date of an open item or an incomplete phase."""
    members: tuple[str, ...]
    starred: bool
    ownerless: bool = False
    """Whether every owner is deactivated, so that an admin may take it over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NextItem:
    """One of my open items with a due date, with the project and phase it is in."""

    item: Item
    project: str
    phase: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectsWidget:
    """What the Projects widget shows: my projects, favourites first, and my next due items."""

    lines: tuple[ProjectLine, ...]
    next_items: tuple[NextItem, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ListProjects(Query[ProjectsWidget]):
    """The projects I am a member of, favourites first, and my next due items."""

    route = "GET /v1/projects"
    permission = Permission.WORKSPACE_VIEW
    archived: bool = False

    def run(self, view: View) -> ProjectsWidget:
        projects = view.all(
            Project,
            "id IN (SELECT project_id FROM member WHERE user_id = :me) AND (archived = 0 OR :archived = 1)",
            me=view.actor.user_id,
            archived=int(self.archived),
        )
        lines = [_line(view, project) for project in projects]
        lines.sort(key=lambda line: (not line.starred, line.project.archived, line.project.name.casefold()))
        return ProjectsWidget(lines=tuple(lines), next_items=_next_items(view))


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowProject(ProjectQuery[ProjectLine]):
    """One project as the Projects widget shows it."""

    route = "GET /v1/projects/{project_id}"
    permission = Permission.PROJECT_VIEW

    def run(self, view: View) -> ProjectLine:
        return _line(view, view.get(Project, id=self.project_id))


@dataclass(frozen=True, slots=True, kw_only=True)
class ListOwnerless(Query[tuple[Project, ...]]):
    """The projects whose owners are all deactivated, which an admin may take over."""

    route = "GET /v1/projects/ownerless"
    permission = Permission.PROJECT_TAKE_OVER

    def run(self, view: View) -> tuple[Project, ...]:
        return tuple(
            view.all(
                Project,
                "NOT EXISTS (SELECT 1 FROM member JOIN app_user ON app_user.id = member.user_id"
                " WHERE member.project_id = project.id AND member.role = 'OWNER' AND app_user.active = 1)"
                " ORDER BY name",
            )
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateProject(Command[Project]):
    """Create a project; whoever creates it becomes its owner.

    Undo does not take it back, because others may be at work in it: a project is archived, then deleted.
    """

    route = "POST /v1/projects"
    permission = Permission.PROJECT_CREATE
    undoable = False
    name: str
    description: str = ""
    client_id: Id | None = None
    market_id: Id | None = None
    brand_id: Id | None = None

    def run(self, work: Work) -> Project:
        links = agreed_links(work, self.client_id, self.market_id, self.brand_id)
        project = Project(
            id=new_id(),
            name=one_line(self.name, "name", most=120),
            description=many_lines(self.description, "description"),
            auth_id=str(uuid4()),
            created_at=work.now,
            client_id=links[NodeKind.CLIENT],
            market_id=links[NodeKind.MARKET],
            brand_id=links[NodeKind.BRAND],
        )
        work.tx.execute("INSERT INTO feed (id, seq) VALUES (:id, 0)", id=project.id)
        work.scope = project.id
        work.insert(project)
        me = work.actor.user_id
        work.insert(Member(project_id=project.id, user_id=me, role=ProjectRole.OWNER, invited_by=me))
        work.say(f"created the project “{project.name}”")
        return project


@dataclass(frozen=True, slots=True, kw_only=True)
class EditProject(ProjectCommand[Project]):
    """Change the name or the description of a project; what is left out stays."""

    route = "PATCH /v1/projects/{project_id}"
    permission = Permission.PROJECT_UPDATE
    seen_version: int | None = None
    name: str | None = None
    description: str | None = None

    def run(self, work: Work) -> Project:
        project = work.get(Project, id=self.project_id, seen_version=self.seen_version)
        name = project.name if self.name is None else one_line(self.name, "name", most=120)
        text = project.description if self.description is None else many_lines(self.description, "description")
        work.say(f"renamed the project to “{name}”" if name != project.name else "described the project")
        return work.update(project, name=name, description=text)


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkProject(ProjectCommand[Project]):
    """Link a project to a client, a market and a brand, or to none of them."""

    route = "POST /v1/projects/{project_id}/links"
    permission = Permission.PROJECT_UPDATE
    client_id: Id | None = None
    market_id: Id | None = None
    brand_id: Id | None = None
    seen_version: int | None = None

    def run(self, work: Work) -> Project:
        project = work.get(Project, id=self.project_id, seen_version=self.seen_version)
        links = agreed_links(work, self.client_id, self.market_id, self.brand_id)
        changed = work.update(
            project,
            client_id=links[NodeKind.CLIENT],
            market_id=links[NodeKind.MARKET],
            brand_id=links[NodeKind.BRAND],
        )
        work.say(f"linked the project to {' / '.join(link_names(work, changed)) or 'nothing'}")
        return changed


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveProject(ProjectCommand[Project]):
    """Put a project in the archive; Restore brings it back."""

    route = "POST /v1/projects/{project_id}/archive"
    permission = Permission.PROJECT_UPDATE
    seen_version: int | None = None

    def run(self, work: Work) -> Project:
        project = work.get(Project, id=self.project_id, seen_version=self.seen_version)
        work.say(f"archived the project “{project.name}”")
        return work.update(project, archived=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreProject(ProjectCommand[Project]):
    """Bring a project back from the archive."""

    route = "POST /v1/projects/{project_id}/restore"
    permission = Permission.PROJECT_UPDATE
    in_archive = True
    seen_version: int | None = None

    def run(self, work: Work) -> Project:
        project = work.get(Project, id=self.project_id, seen_version=self.seen_version)
        work.say(f"restored the project “{project.name}”")
        return work.update(project, archived=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteProject(ProjectCommand[None]):
    """Delete an archived project with everything in it, its history included. This cannot be undone."""

    route = "DELETE /v1/projects/{project_id}"
    permission = Permission.PROJECT_DELETE
    undoable = False
    in_archive = True
    seen_version: int | None = None

    def run(self, work: Work) -> None:
        project = work.get(Project, id=self.project_id, seen_version=self.seen_version)
        if not project.archived:
            raise RuleRefused(
                f"“{project.name}” is not archived. Archive it first; only then can it be deleted for good."
            )
        for table in PROJECT_TABLES:
            work.tx.execute(f"DELETE FROM {table} WHERE project_id = :id", id=project.id)
        work.tx.execute("DELETE FROM feed WHERE id = :id", id=project.id)
        work.scope = WORKSPACE
        work.delete(project)
        work.say(f"deleted the project “{project.name}” for good")


PROJECT_TABLES = (
    "change_record",
    "change",
    "comment",
    "assignment",
    "gate_record",
    "deliverable",
    "star",
    "item",
    "phase",
    "member",
)
"""The tables of a project's children, those that refer to others first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeOverProject(Command[Member]):
    """Become owner of a project whose owners are all deactivated; its history records it (spec, section 2)."""

    route = "POST /v1/projects/{project_id}/take-over"
    permission = Permission.PROJECT_TAKE_OVER
    project_id: Id

    def run(self, work: Work) -> Member:
        project = work.get(Project, id=self.project_id)
        owners = work.all(
            User,
            "active = 1 AND id IN (SELECT user_id FROM member WHERE project_id = :project_id AND role = 'OWNER')",
            project_id=project.id,
        )
        if owners:
            raise RuleRefused(f"“{project.name}” has an active owner, {owners[0].name}. Ask them to invite you.")
        work.scope = project.id
        work.say(f"took over the project “{project.name}”, which had no active owner")
        me = work.actor.user_id
        member = work.find(Member, project_id=project.id, user_id=me)
        if member:
            return work.update(member, role=ProjectRole.OWNER)
        return work.insert(Member(project_id=project.id, user_id=me, role=ProjectRole.OWNER, invited_by=me))


@dataclass(frozen=True, slots=True, kw_only=True)
class StarProject(ProjectCommand[None]):
    """Make a project one of my favourites, or no longer."""

    route = "POST /v1/projects/{project_id}/star"
    permission = Permission.PROJECT_VIEW
    in_archive = True
    starred: bool

    def run(self, work: Work) -> None:
        me = work.actor.user_id
        star = work.find(Star, user_id=me, project_id=self.project_id)
        if self.starred and star is None:
            work.insert(Star(user_id=me, project_id=self.project_id))
            work.say("made it a favourite")
        elif star and not self.starred:
            work.delete(star)
            work.say("made it no longer a favourite")


def _line(view: View, project: Project) -> ProjectLine:
    workflow = Workflow.of(view, project.id)
    me = view.actor.user_id
    people = view.rows(
        "SELECT first_name, last_name, active, role FROM member JOIN app_user ON app_user.id = member.user_id"
        " WHERE member.project_id = :project_id ORDER BY role, first_name",
        project_id=project.id,
    )
    dates = [due for due in due_dates(view, project.id, workflow) if due]
    return ProjectLine(
        project=project,
        role=view.get(Member, project_id=project.id, user_id=me).role,
        links=link_names(view, project),
        phase_now=_phase_now(workflow),
        tally=sum(workflow.tallies.values(), Tally()),
        health=project_health(view, project, workflow),
        next_due=min(dates, default=None),
        members=tuple(f"{row['first_name']} {row['last_name']}".strip() for row in people),
        starred=view.find(Star, user_id=me, project_id=project.id) is not None,
        ownerless=not any(row["active"] and row["role"] == ProjectRole.OWNER for row in people),
    )


def _phase_now(workflow: Workflow) -> str:
    for number, phase in enumerate(workflow.phases, 1):
        if workflow.state(phase.id) is not PhaseState.COMPLETE:
            return f"{number} {phase.name}"
    return ""


def _next_items(view: View) -> tuple[NextItem, ...]:
    """My open items with a due date over all my projects that are not archived, the most urgent first."""
    ids = view.rows(
        "WITH mine AS ("
        " SELECT project_id, id FROM item WHERE assignee_id = :me AND status IN ('TO_DO', 'IN_PROGRESS')"
        " UNION ALL SELECT project_id, target_id FROM assignment WHERE user_id = :me)"
        " SELECT item.project_id, item.id, project.name AS project, phase.name AS phase FROM mine"
        " JOIN item ON item.project_id = mine.project_id AND item.id = mine.id"
        " JOIN project ON project.id = item.project_id AND project.archived = 0"
        " JOIN phase ON phase.project_id = item.project_id AND phase.id = item.phase_id"
        " WHERE item.status IN ('TO_DO', 'IN_PROGRESS') AND item.due IS NOT NULL"
        " ORDER BY item.due, item.id LIMIT :most",
        me=view.actor.user_id,
        most=NEXT_ITEMS,
    )
    return tuple(
        NextItem(
            item=view.get(Item, project_id=row["project_id"], id=row["id"]), project=row["project"], phase=row["phase"]
        )
        for row in ids
    )
