"""Any workspace of people, roles, meta roles, products and applications, and what follows from it, told naively.

A plan is drawn by hypothesis, carried out by messages in a copy of one founded workspace, and speaks of people,
projects, meta roles and products by number.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from core.actions import load_catalog
from core.actions.cards.applications import AddApplication
from core.actions.products.products import AddApplicationRole, RetireProduct
from core.actions.projects.members import InviteMember, RemoveMember
from core.actions.workspace.hierarchy import AddNode
from core.actions.workspace.meta_roles import ListMetaRoles, MapProjectRole, SetMetaRoles
from core.actions.workspace.users import DeactivateUser, SetPlatformRoles
from core.domain.gate_policy import GatePolicy
from core.domain.model import Id, NodeKind, PlatformRole, ProjectRole
from core.domain.permissions import project_rights, workspace_rights
from core.engine.engine import Engine
from core.engine.unit_of_work import Actor
from core.storage.database import Tx
from tests.support.postgres_cluster import let_go
from tests.support.prepared import content_of, opened
from tests.support.workspace import Clock, People, World, gather, new_database

PEOPLE, PROJECTS, META_ROLES, PRODUCTS, NODES = 4, 2, 4, 3, 3
CODES = ("SHARED", "FIRST", "SECOND")
"""Every product has all of them: what one grants must not be lost, or leak, through another."""

some_meta_roles = st.frozensets(st.integers(0, META_ROLES - 1))


@dataclass(frozen=True)
class ProductPlan:
    """A product: its roles are pairs of codes and of the meta roles that bring them."""

    external: bool
    retired: bool
    roles: tuple[tuple[frozenset[str], frozenset[int]], ...]


@dataclass(frozen=True)
class PolicyPlan:
    """A policy of the first gate of a project: people, a meta role and a secretary."""

    people: frozenset[int]
    meta_role: int | None
    secretary: int | None


@dataclass(frozen=True)
class Plan:
    """The roles of people and products. Person 0 created the workspace and owns every project."""

    roles: tuple[tuple[ProjectRole | None, ...], ...]
    """By project and person."""
    given: tuple[tuple[frozenset[int], ...], ...]
    """Meta roles by project and person, of members only."""
    mapping: dict[ProjectRole, frozenset[int]]
    products: tuple[ProductPlan, ...]
    applications: tuple[frozenset[int], ...]
    """Products by project."""
    platform: tuple[tuple[PlatformRole, ...], ...]
    inactive: frozenset[int]
    parents: tuple[bool, bool]
    """Whether the market stands under the client, and the brand under the market."""
    links: tuple[frozenset[int], ...]
    """Client, market and brand of each project."""
    policies: tuple[PolicyPlan | None, ...]
    """By project."""

    def role(self, project: int, person: int) -> ProjectRole | None:
        return ProjectRole.OWNER if person == 0 else self.roles[project][person]

    def meta_roles(self, project: int, person: int) -> frozenset[int]:
        """Those mapped from the project role and those given explicitly."""
        role = self.role(project, person)
        return self.mapping[role] | self.given[project][person] if role else frozenset()

    def follows(self, project: int, person: int) -> set[tuple[int, int]]:
        """The application roles, by product and number, that a person automatically has on a project."""
        held = set()
        for product in self.applications[project]:
            for number, (_, meta_roles) in enumerate(self.products[product].roles):
                if self.products[product].external and meta_roles & self.meta_roles(project, person):
                    held.add((product, number))
        return held

    def decides(self, project: int, person: int) -> bool:
        """True if the person is a contributor whom a policy of the project names."""
        policy = self.policies[project]
        if policy is None or self.role(project, person) is not ProjectRole.CONTRIBUTOR:
            return False
        named = {*policy.people, policy.secretary}
        return person in named or policy.meta_role in self.meta_roles(project, person)

    def chain(self, account: str) -> list[str]:
        """An account and all above it: "project 0", "node 2", "workspace"."""
        if account == "workspace":
            return ["workspace"]
        kind, number = account.split()
        above = "workspace"
        if kind == "project" and self.links[int(number)]:
            above = f"node {max(self.links[int(number)])}"
        elif kind == "node" and int(number) > 0 and self.parents[int(number) - 1]:
            above = f"node {int(number) - 1}"
        return [account, *self.chain(above)]

    def held(self, account: str, person: int) -> set[str]:
        """The codes a person holds on an account: a role held on an account holds on all below it."""
        codes: set[str] = set()
        for each in self.chain(account):
            kind, _, number = each.partition(" ")
            if kind == "workspace":
                codes |= workspace_rights(self.platform_of(person))
            elif kind == "project":
                codes |= project_rights(self.role(int(number), person))
                codes |= {"GATE_DECIDE"} if self.decides(int(number), person) else set()
                for product, role in self.follows(int(number), person):
                    codes |= self.products[product].roles[role][0]
        return set() if person in self.inactive else codes

    def platform_of(self, person: int) -> tuple[PlatformRole, ...]:
        return (PlatformRole.WORKSPACE_ADMIN,) if person == 0 else self.platform[person]


def by_person(one: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.tuples(*[one] * PEOPLE)


plans = st.builds(
    Plan,
    roles=st.tuples(*[by_person(st.none() | st.sampled_from(ProjectRole))] * PROJECTS),
    given=st.tuples(*[by_person(some_meta_roles)] * PROJECTS),
    mapping=st.fixed_dictionaries(dict.fromkeys(ProjectRole, some_meta_roles)),
    products=st.tuples(
        *[
            st.builds(
                ProductPlan,
                external=st.booleans(),
                retired=st.booleans(),
                roles=st.lists(st.tuples(st.frozensets(st.sampled_from(CODES)), some_meta_roles), max_size=3).map(
                    tuple
                ),
            )
        ]
        * PRODUCTS
    ),
    applications=st.tuples(*[st.frozensets(st.integers(0, PRODUCTS - 1))] * PROJECTS),
    platform=by_person(st.lists(st.sampled_from(PlatformRole), unique=True, max_size=2).map(tuple)),
    inactive=st.frozensets(st.integers(1, PEOPLE - 1), max_size=1),
    parents=st.tuples(st.booleans(), st.booleans()),
    links=st.tuples(*[st.frozensets(st.integers(0, NODES - 1))] * PROJECTS),
    policies=st.tuples(
        *[
            st.none()
            | st.builds(
                PolicyPlan,
                people=st.frozensets(st.integers(0, PEOPLE - 1), max_size=2),
                meta_role=st.none() | st.integers(0, META_ROLES - 1),
                secretary=st.none() | st.integers(0, PEOPLE - 1),
            )
        ]
        * PROJECTS
    ),
)


class Carried:
    """A workspace in which a plan has been carried out."""

    def __init__(self, world: World, projects: list[Id], plan: Plan) -> None:
        self.world = world
        self.projects = projects
        self.people = [each.user_id for each in (world.maya, world.bob, world.vera, world.gus)]
        self.meta_roles = [each.meta_role.id for each in world.ask(ListMetaRoles())][:META_ROLES]
        self.roles: dict[tuple[int, int], Id] = {}
        self._bring(plan)
        self._give(plan)
        self._build(plan)
        self._link(plan)
        for person in plan.inactive:
            user_id = self.people[person]
            is_platform_admin = "PLATFORM_ADMIN" in world.row("app_user", id=user_id)["platform_roles"]
            world.do(DeactivateUser(user_id=user_id), Actor(user_id) if is_platform_admin else None)

    def ids(self, numbers: frozenset[int]) -> tuple[Id, ...]:
        return tuple(self.meta_roles[number] for number in numbers)

    def accounts(self) -> dict[str, str]:
        """The account ids by what the plan calls them."""
        named = {"workspace": str(self.world.row("workspace")["auth_id"])}
        for number, project in enumerate(self.projects):
            named[f"project {number}"] = str(self.world.row("project", id=project)["auth_id"])
        for number, node in enumerate(self.nodes):
            named[f"node {number}"] = str(self.world.row("hierarchy_node", id=node)["auth_id"])
        return named

    def _bring(self, plan: Plan) -> None:
        for role, numbers in plan.mapping.items():
            self.world.do(MapProjectRole(project_role=role, meta_role_ids=self.ids(numbers)))

    def _give(self, plan: Plan) -> None:
        giver: Actor | None = None  # the founder names the first platform admin, who names the others
        for person in sorted(range(1, PEOPLE), key=lambda each: PlatformRole.PLATFORM_ADMIN in plan.platform[each]):
            user_id = self.people[person]
            self.world.do(SetPlatformRoles(user_id=user_id, platform_roles=plan.platform[person]), giver)
            if PlatformRole.PLATFORM_ADMIN in plan.platform[person]:
                giver = giver or Actor(user_id)
        for number, project in enumerate(self.projects):
            for person, user_id in enumerate(self.people):
                role = plan.role(number, person)
                if role is None:
                    continue
                if person:
                    self.world.do(InviteMember(project_id=project, user_id=user_id, role=role))
                given = self.ids(plan.given[number][person])
                self.world.do(SetMetaRoles(project_id=project, user_id=user_id, meta_role_ids=given))

    def _build(self, plan: Plan) -> None:
        phases = [self.world.phase("Discover", project) for project in self.projects]
        for phase, policy in zip(phases, plan.policies, strict=True):
            if policy is not None:
                people = tuple(self.people[each] for each in sorted(policy.people))
                meta_role = None if policy.meta_role is None else self.meta_roles[policy.meta_role]
                secretary = None if policy.secretary is None else self.people[policy.secretary]
                named = GatePolicy(
                    project_id=phase.project_id,
                    phase_id=phase.id,
                    people=people,
                    meta_role_id=meta_role,
                    secretary_id=secretary,
                )
                self.world.insert(named)
        for number, each in enumerate(plan.products):
            product = self.world.product(
                f"Product {number}", permission_codes=CODES, uses_external_authorization=each.external
            )
            for place, (codes, meta_roles) in enumerate(each.roles):
                role = AddApplicationRole(
                    product_id=product.id,
                    name=f"Role {place}",
                    permission_codes=tuple(codes),
                    meta_role_ids=self.ids(meta_roles),
                )
                self.roles[number, place] = self.world.do(role).id
            for at, phase in enumerate(phases):
                if number in plan.applications[at]:
                    self.world.do(AddApplication(project_id=phase.project_id, product_id=product.id, phase_id=phase.id))
            if each.retired:
                self.world.do(RetireProduct(product_id=product.id, retired=True))

    def _link(self, plan: Plan) -> None:
        """Links are written into the table, so that products of any context may be there."""
        self.nodes: list[Id] = []
        for number, kind in enumerate(NodeKind):
            above = self.nodes[-1] if number and plan.parents[number - 1] else None
            self.nodes.append(self.world.do(AddNode(kind=kind, name=kind.value, parent_id=above)).id)
        for project, links in zip(self.projects, plan.links, strict=True):
            for link in links:
                sql = f"UPDATE project SET {list(NodeKind)[link].lower()}_id = :node WHERE id = :id"
                change = partial(_execute, sql, {"node": self.nodes[link], "id": project})
                self.world.database.write(change)


def _execute(sql: str, params: dict[str, Id], tx: Tx) -> int:
    return tx.execute(sql, **params)


class Workshop:
    """Makes one founded workspace, and a copy of it for each plan."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        database = new_database(folder / "founded.db")
        self.people: People = gather(Engine(database, load_catalog, clock=Clock()))
        database.close()
        self.content = content_of(folder / "founded.db")

    @contextmanager
    def carried(self, plan: Plan) -> Iterator[Carried]:
        database = opened(self.content, self.folder / "plan.db", synchronous="OFF")
        try:
            world = World(Engine(database, load_catalog, clock=Clock()), self.people)
            for member in (world.bob, world.vera):
                world.do(RemoveMember(project_id=world.project.id, user_id=member.user_id))
            yield Carried(world, [world.project.id, world.new_project("Autumn launch").id], plan)
        finally:
            database.close()
            let_go(self.folder / "plan.db")
            for left in self.folder.glob("plan.db*"):
                left.unlink()
