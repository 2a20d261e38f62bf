"""Projects: create, edit, link, archive, restore, delete, claim."""

from __future__ import annotations

from datetime import date

from core.domain.gates import Decision
from core.domain.grants import PermissionQuery
from core.domain.max_lengths import PROJECT_NAME, REASON
from core.domain.model import (
    WORKSPACE,
    Favourite,
    HierarchyNode,
    Id,
    Member,
    NodeKind,
    Preference,
    Project,
    ProjectRole,
    User,
)
from core.domain.permissions import Permission
from core.engine.change_records import RecordChange
from core.engine.grant_counter import counter_of
from core.engine.large_projects import delete_rest
from core.engine.messages import Command, PersonalProjectCommand, ProjectCommand
from core.engine.quotas import count_project
from core.engine.unit_of_work import Snapshot, UnitOfWork, new_account, new_id
from core.errors import InvalidInput, RuleViolation
from core.reads.project_state import link_names
from core.record import replace
from core.rules.active_preset import name_of_folds
from core.rules.approvals import new_entry, stop_in_force
from core.rules.hierarchy import complete_links
from core.rules.items import EARLIEST_DUE, LATEST_DUE
from core.rules.products import check_applications_fit
from core.rules.project_keys import chosen_key, free_key, keep_key
from core.rules.visibility import asked_of_guests, check_visible
from core.text.dates import in_full
from core.text.sanitize import many_lines, one_line


class CreateProject(Command[Project]):
    """Create a project, and become its owner. Undo archives it."""

    route = "POST /v1/projects"
    permission = Permission.PROJECT_CREATE
    creates = True
    creates_project = True
    name: str
    description: str = ""
    client_id: Id | None = None
    market_id: Id | None = None
    brand_id: Id | None = None
    start: date | None = None
    key: str | None = None
    """2 to 6 letters, with which the keys of its cards begin; without it they follow from the name."""

    def run(self, work: UnitOfWork) -> Project:
        nodes = (self.client_id, self.market_id, self.brand_id)
        project = insert_project(work, self.name, self.description, nodes, self.start or work.today, self.key)
        work.say(f"created the project “{project.name}”")
        return project


def insert_project(
    work: UnitOfWork,
    name: str,
    description: str,
    nodes: tuple[Id | None, Id | None, Id | None],
    start: date,
    key: str | None = None,
) -> Project:
    """Insert a project with the sender as owner, and make it the scope of the work. Returns the project.

    ``nodes`` are its client, market and brand. Raises InvalidInput, RuleViolation and QuotaReached.
    """
    links = complete_links(work, *nodes)
    name = one_line(name, "name", most=PROJECT_NAME)
    project = Project(
        id=new_id(),
        name=name,
        description=many_lines(description, "description"),
        auth_id=new_account(),
        created_at=work.now,
        client_id=links[NodeKind.CLIENT],
        market_id=links[NodeKind.MARKET],
        brand_id=links[NodeKind.BRAND],
        start=first_day(start),
        key=chosen_key(work, key, name) if key else "",
    )
    project = insert_with_feed(work, project)
    me = work.actor.user_id
    work.insert(Member(project_id=project.id, user_id=me, role=ProjectRole.OWNER, invited_by=me))
    return project


def insert_with_feed(work: UnitOfWork, project: Project) -> Project:
    """Insert a project with a history of its own, and make it the scope of the work. Returns it with a key that is
    free. Raises QuotaReached."""
    count_project(work)
    project = replace(project, key=free_key(work, project.name, project.key))
    work.tx.execute("INSERT INTO feed (id, seq) VALUES (:id, 0)", id=project.id)
    work.scope = project.id
    work.insert(project)
    keep_key(work, project)
    return project


def first_day(day: date) -> date:
    """Return the first day of a project. Raises InvalidInput outside the years 2000 to 2199, as for due dates."""
    if not EARLIEST_DUE <= day <= LATEST_DUE:
        raise InvalidInput("start", f"A project cannot start on {in_full(day)}. Choose a day from 2000 to 2199.")
    return day


class EditProject(ProjectCommand[Project]):
    """Change the name, the description, the first day or the key of a project; fields that are left out stay.

    The former key goes on leading to the project and its cards.
    """

    route = "PATCH /v1/projects/{project_id}"
    permission = Permission.PROJECT_UPDATE
    seen_version: int | None = None
    name: str | None = None
    description: str | None = None
    start: date | None = None
    key: str | None = None

    def run(self, work: UnitOfWork) -> Project:
        project = work.get(Project, id=self.project_id, seen_version=self.seen_version)
        name = project.name if self.name is None else one_line(self.name, "name", most=PROJECT_NAME)
        text = project.description if self.description is None else many_lines(self.description, "description")
        start = first_day(self.start) if self.start else project.start
        key = project.key if self.key is None else chosen_key(work, self.key, name, project)
        if name != project.name:
            work.say(f"renamed the project to “{name}”")
        else:
            work.say(f"changed the key of the project to {key}" if key != project.key else "described the project")
        changed = work.update(project, name=name, description=text, start=start, key=key)
        keep_key(work, changed)
        return changed


class LinkProject(ProjectCommand[Project]):
    """Link a project to a client, a market and a brand, or to none of them.

    Refused if an application of the project would no longer fit the links.
    """

    route = "POST /v1/projects/{project_id}/links"
    permission = Permission.PROJECT_UPDATE
    client_id: Id | None = None
    market_id: Id | None = None
    brand_id: Id | None = None
    seen_version: int | None = None

    def asks(self, view: Snapshot) -> tuple[PermissionQuery, ...]:
        return asked_of_guests(view)

    def run(self, work: UnitOfWork) -> Project:
        project = work.get(Project, id=self.project_id, seen_version=self.seen_version)
        for node_id in (self.client_id, self.market_id, self.brand_id):
            if node_id:
                check_visible(work, work.get(HierarchyNode, id=node_id))
        links = complete_links(work, self.client_id, self.market_id, self.brand_id)
        changed = work.update(
            project,
            client_id=links[NodeKind.CLIENT],
            market_id=links[NodeKind.MARKET],
            brand_id=links[NodeKind.BRAND],
        )
        check_applications_fit(work, changed)
        work.say(f"linked the project to {' / '.join(link_names(work, changed.id)) or 'nothing'}")
        return changed


class ArchiveProject(ProjectCommand[Project]):
    """Archive a project; Restore brings it back."""

    route = "POST /v1/projects/{project_id}/archive"
    held_key = True
    permission = Permission.PROJECT_UPDATE
    seen_version: int | None = None

    def run(self, work: UnitOfWork) -> Project:
        project = work.get(Project, id=self.project_id, seen_version=self.seen_version)
        work.say(f"archived the project “{project.name}”")
        return work.update(project, archived=True)


class RestoreProject(ProjectCommand[Project]):
    """Restore an archived project. One that was stopped at a gate takes a ``reason``, which that gate records."""

    route = "POST /v1/projects/{project_id}/restore"
    permission = Permission.PROJECT_UPDATE
    in_archive = True
    reason: str = ""
    seen_version: int | None = None

    def run(self, work: UnitOfWork) -> Project:
        project = work.get(Project, id=self.project_id, seen_version=self.seen_version)
        reason = many_lines(self.reason, "reason", most=REASON)
        if stop := stop_in_force(work, project):
            if not reason:
                raise InvalidInput(
                    "reason", f"“{project.name}” was stopped at the gate of “{stop.phase_name}”. Say why it goes on."
                )
            entry = new_entry(work, stop.phase_id, stop.phase_name, Decision.REOPENING, reason=reason, of_id=stop.id)
            work.insert(entry)
        work.say(f"restored the project “{project.name}”" + (f": {reason}" if reason else ""))
        return work.update(project, archived=False)


class DeleteProject(ProjectCommand[None]):
    """Delete an archived project with everything in it, including its history. This cannot be undone."""

    route = "DELETE /v1/projects/{project_id}"
    leaves_rows = True
    permission = Permission.PROJECT_DELETE
    undoable = False
    in_archive = True
    seen_version: int | None = None

    def run(self, work: UnitOfWork) -> None:
        project = work.get(Project, id=self.project_id, seen_version=self.seen_version)
        if not project.archived:
            raise RuleViolation(
                f"“{project.name}” is not archived. Archive it first; only then can it be deleted for good."
            )
        for table in SHOWN:
            work.tx.execute(f"DELETE FROM {table} WHERE project_id = :id", id=project.id)
        work.tx.execute(
            "DELETE FROM preference WHERE user_id IN (SELECT id FROM app_user) AND name = :name",
            name=name_of_folds(project.id),
        )
        work.tx.execute("DELETE FROM dependency WHERE blocker_project_id = :id AND project_id <> :id", id=project.id)
        work.tx.execute("DELETE FROM feed WHERE id IN (:id, :grants)", id=project.id, grants=counter_of(project.id))
        delete_rest(work.tx, project.id)
        work.scope = WORKSPACE
        work.delete(project)
        work.say(f"deleted the project “{project.name}” for good")

    def list_unrecorded(self, view: Snapshot) -> tuple[list[RecordChange], int]:
        """The deletion of everything in the project, and of the sender's folds of its phases."""
        from core.engine.dry_run import MAX_CHANGES, deletions
        from core.storage.row_mapper import tables

        my_folds = "user_id = :me AND name = :name"
        mine = {"me": view.actor.user_id, "name": name_of_folds(self.project_id)}
        found, more = deletions(view, Preference, my_folds, MAX_CHANGES, **mine)
        for table in tables():
            if "project_id" in table.columns:
                most = MAX_CHANGES - len(found)
                listed, others = deletions(view, table.record, "project_id = :id", most, id=self.project_id)
                found, more = found + listed, more + others
        return found, more


SHOWN = ("project_key", "last_seen", "active_preset", "preset", "origin", "favourite", "member_meta_role", "member")
"""The tables whose rows make a project visible, or someone's own. Each has few rows; rows that refer to others come
first. The other tables are in ``core.engine.large_projects``."""


class ClaimProject(Command[Member]):
    """Become owner of a project whose owners are all deactivated. Its history records it."""

    route = "POST /v1/projects/{project_id}/claim"
    permission = Permission.PROJECT_CLAIM
    project_id: Id

    def run(self, work: UnitOfWork) -> Member:
        project = work.get(Project, id=self.project_id)
        owners = work.all(
            User,
            "active = 1 AND id IN (SELECT user_id FROM member WHERE project_id = :project_id AND role = 'OWNER')",
            project_id=project.id,
        )
        if owners:
            raise RuleViolation("This project has an active owner. Ask one of its owners to invite you.")
        work.scope = project.id
        work.say(f"took over the project “{project.name}”, which had no active owner")
        me = work.actor.user_id
        member = work.find(Member, project_id=project.id, user_id=me)
        if member:
            return work.update(member, role=ProjectRole.OWNER)
        return work.insert(Member(project_id=project.id, user_id=me, role=ProjectRole.OWNER, invited_by=me))


class SetFavourite(PersonalProjectCommand[None]):
    """Add a project to my favourites, or remove it."""

    route = "POST /v1/projects/{project_id}/favourite"
    favourite: bool

    def run(self, work: UnitOfWork) -> None:
        me = work.actor.user_id
        star = work.find(Favourite, user_id=me, project_id=self.project_id)
        if self.favourite and star is None:
            work.insert(Favourite(user_id=me, project_id=self.project_id))
        elif star and not self.favourite:
            work.delete(star)
