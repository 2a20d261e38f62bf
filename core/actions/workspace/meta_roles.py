"""The workspace's meta roles, the project roles that give them, and the meta roles of members."""

from __future__ import annotations

from collections.abc import Iterable

from core.domain.grants import PermissionQuery
from core.domain.model import Id, Member, ProjectRole, User
from core.domain.permissions import Permission
from core.domain.products.products import ApplicationRole, MemberMetaRole, MetaRole, Product, RoleMapping
from core.domain.products.roles import by_name
from core.engine.messages import Command, ProjectCommand, Query
from core.engine.unit_of_work import Snapshot, UnitOfWork, new_id
from core.errors import InvalidInput, NotFound, RuleViolation
from core.record import Record
from core.rules.visibility import asked_of_guests, keep_visible, visible_projects
from core.storage.database import placeholders
from core.text.phrases import count, names, no_such, some
from core.text.sanitize import one_line

SEEDED = ("Lead", "Strategist", "Creative", "Producer", "Analyst", "Approver")
"""The meta roles of a new workspace. The project role Owner gives the first one."""

MAX_NAMED = 3
"""The most product roles that a refusal names."""


class MetaRoleSummary(Record):
    """A meta role as a line of the Meta roles screen."""

    meta_role: MetaRole
    project_roles: tuple[ProjectRole, ...]
    """The project roles that give it."""
    given: int
    """The number of members that were given it, in all projects; for a guest, in those that the guest can see."""
    product_roles: tuple[str, ...]
    """The product roles that it gives: "Asset library: Editor"."""


class ListMetaRoles(Query[tuple[MetaRoleSummary, ...]]):
    """List the meta roles of the workspace, what gives them and what they give; for guests on their projects."""

    route = "GET /v1/meta-roles"
    permission = Permission.WORKSPACE_VIEW

    def asks(self, view: Snapshot) -> tuple[PermissionQuery, ...]:
        return asked_of_guests(view)

    def run(self, view: Snapshot) -> tuple[MetaRoleSummary, ...]:
        by_role = _project_roles(view)
        chosen, params = placeholders(visible_projects(view, archived=True) if view.by_guest else ())
        only = f" WHERE project_id IN {chosen}" if view.by_guest else ""
        rows = view.rows(
            f"SELECT meta_role_id, count(*) AS n FROM member_meta_role{only} GROUP BY meta_role_id", **params
        )
        given = {row["meta_role_id"]: row["n"] for row in rows}
        product_roles_of = _application_roles(view, keep_visible(view, _products_with_roles(view)))
        return tuple(
            MetaRoleSummary(
                meta_role=each,
                project_roles=by_role.get(each.id, ()),
                given=given.get(each.id, 0),
                product_roles=product_roles_of.get(each.id, ()),
            )
            for each in by_name(view.all(MetaRole, "1 = 1"))
        )


class AddMetaRole(Command[MetaRole]):
    """Add a meta role to the workspace."""

    route = "POST /v1/meta-roles"
    permission = Permission.META_ROLE_MANAGE
    creates = True
    name: str

    def run(self, work: UnitOfWork) -> MetaRole:
        name = _free_name(work, self.name)
        work.say(f"added the meta role “{name}”")
        return work.insert(MetaRole(id=new_id(), name=name))


class RenameMetaRole(Command[MetaRole]):
    """Rename a meta role."""

    route = "PATCH /v1/meta-roles/{meta_role_id}"
    permission = Permission.META_ROLE_MANAGE
    meta_role_id: Id
    name: str
    seen_version: int | None = None

    def run(self, work: UnitOfWork) -> MetaRole:
        meta_role = work.get(MetaRole, id=self.meta_role_id, seen_version=self.seen_version)
        name = _free_name(work, self.name, but=meta_role.id)
        work.say(f"renamed the meta role “{meta_role.name}” to “{name}”")
        return work.update(meta_role, name=name)


class RemoveMetaRole(Command[None]):
    """Remove a meta role that no project role gives, no member was given and no product role uses."""

    route = "DELETE /v1/meta-roles/{meta_role_id}"
    held_key = True
    permission = Permission.META_ROLE_MANAGE
    meta_role_id: Id
    seen_version: int | None = None

    def run(self, work: UnitOfWork) -> None:
        meta_role = work.get(MetaRole, id=self.meta_role_id, seen_version=self.seen_version)
        check_meta_role_unused(work, meta_role)
        work.say(f"removed the meta role “{meta_role.name}”")
        work.delete(meta_role)


class MapProjectRole(Command[tuple[RoleMapping, ...]]):
    """Set the meta roles that a project role gives, on every project."""

    route = "PUT /v1/role-mappings/{project_role}"
    permission = Permission.META_ROLE_MANAGE
    project_role: ProjectRole
    meta_role_ids: tuple[Id, ...]

    def run(self, work: UnitOfWork) -> tuple[RoleMapping, ...]:
        meta_roles = _meta_roles(work, self.meta_role_ids)
        wanted = {each: RoleMapping(project_role=self.project_role, meta_role_id=each) for each in meta_roles}
        before = work.all(RoleMapping, "project_role = :role", role=self.project_role.value)
        work.keep_exactly(wanted, {each.meta_role_id: each for each in before})
        given = names([f"“{each.name}”" for each in by_name(meta_roles.values())]) or "no meta role"
        work.say(f"let the project role {self.project_role.lower()} give {given}")
        return tuple(wanted.values())


class SetMetaRoles(ProjectCommand[None]):
    """Give a member of a project exactly these meta roles, beside those that the project role gives.

    A meta role that the project role gives can be given as well, and then stays when the role changes. A deactivated
    member keeps their project role and meta roles, but has no permissions by them.
    """

    route = "PUT /v1/projects/{project_id}/members/{user_id}/meta-roles"
    permission = Permission.META_ROLE_ASSIGN
    user_id: Id
    meta_role_ids: tuple[Id, ...]
    seen_version: int | None = None
    """The version of the member, which gets a new one."""

    def run(self, work: UnitOfWork) -> None:
        key = {"project_id": self.project_id, "user_id": self.user_id}
        user = work.get(User, id=self.user_id)
        if work.find(Member, **key) is None:
            raise RuleViolation("Only members of this project can be given meta roles. Invite them first.")
        member = work.get(Member, seen_version=self.seen_version, **key)
        meta_roles = _meta_roles(work, self.meta_role_ids)
        wanted = {
            each: MemberMetaRole(project_id=self.project_id, user_id=user.id, meta_role_id=each) for each in meta_roles
        }
        before = work.all(MemberMetaRole, "project_id = :project_id AND user_id = :user_id", **key)
        if work.keep_exactly(wanted, {each.meta_role_id: each for each in before}):
            work.touch(member)  # so that one of two simultaneous changes is refused
        given = names([f"“{each.name}”" for each in by_name(meta_roles.values())])
        work.say(
            f"gave {user.name} the meta role{'s' * (len(meta_roles) > 1)} {given}"
            if given
            else f"gave {user.name} no meta roles"
        )


def check_meta_role_unused(view: Snapshot, meta_role: MetaRole) -> None:
    """Raise RuleViolation, with the uses and what to do, if a meta role is in use."""
    uses = [f"the project role {role.lower()} gives it" for role in _project_roles(view).get(meta_role.id, ())]
    for table, use, what in (
        ("member_meta_role", "it was given to", "member"),
        ("gate_policy", "its holders decide at", "gate"),
    ):
        number, projects = view.tx.tuples(
            f"SELECT count(*), count(DISTINCT project_id) FROM {table} WHERE meta_role_id = :id", id=meta_role.id
        )[0]
        if number:  # without their names, since only members may know of a project
            uses.append(f"{use} {count(number, what)} on {count(projects, 'project')}")
    if mapped := _application_roles(view, _products_with_roles(view)).get(meta_role.id):
        uses.append(f"it is mapped to {some([f'“{each}”' for each in mapped], MAX_NAMED)}")
    if uses:
        raise RuleViolation(f"“{meta_role.name}” is in use: {names(uses)}. Take it away there first, then remove it.")


def _project_roles(view: Snapshot) -> dict[Id, tuple[ProjectRole, ...]]:
    """The project roles that give each meta role, by its id."""
    pairs = {(each.meta_role_id, each.project_role) for each in view.all(RoleMapping, "1 = 1")}
    return {
        meta_role_id: tuple(role for role in ProjectRole if (meta_role_id, role) in pairs) for meta_role_id, _ in pairs
    }


def _products_with_roles(view: Snapshot) -> list[Product]:
    return view.all(Product, "id IN (SELECT product_id FROM application_role)")


def _application_roles(view: Snapshot, products: Iterable[Product]) -> dict[Id, tuple[str, ...]]:
    """The roles of these products that each meta role gives, by its id: "Asset library: Editor"."""
    named = {each.id: each.name for each in products}
    found: dict[Id, list[str]] = {}
    for role in view.all(ApplicationRole, "1 = 1"):
        for meta_role_id in role.meta_role_ids if role.product_id in named else ():
            found.setdefault(meta_role_id, []).append(f"{named[role.product_id]}: {role.name}")
    return {meta_role_id: tuple(sorted(words, key=str.casefold)) for meta_role_id, words in found.items()}


def _meta_roles(view: Snapshot, ids: tuple[Id, ...]) -> dict[Id, MetaRole]:
    """Return the meta roles with these ids, each once. Raises NotFound."""
    known = {each.id: each for each in view.all(MetaRole, "1 = 1")}
    for meta_role_id in ids:
        if meta_role_id not in known:
            raise NotFound(no_such("meta role", meta_role_id))
    return {meta_role_id: known[meta_role_id] for meta_role_id in ids}


def _free_name(view: Snapshot, text: str, but: Id = "") -> str:
    """Return a name for a meta role. Raises InvalidInput if it cannot be accepted or is taken."""
    name = one_line(text, "name", most=60)
    check_unique_name(view, MetaRole(id=but, name=name))
    return name


def check_unique_name(view: Snapshot, meta_role: MetaRole) -> None:
    """Raise InvalidInput if another meta role has this name, in any case."""
    for each in view.all(MetaRole, "id <> :id", id=meta_role.id):
        if each.name.casefold() == meta_role.name.casefold():
            raise InvalidInput("name", f"There is a meta role “{each.name}” already. Choose another name.")


def seed_meta_roles(work: UnitOfWork) -> None:
    """Insert the meta roles of a new workspace."""
    made = [work.insert(MetaRole(id=new_id(), name=name)) for name in SEEDED]
    work.insert(RoleMapping(project_role=ProjectRole.OWNER, meta_role_id=made[0].id))
