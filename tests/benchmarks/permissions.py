"""The permission query over a whole workspace: pages of 100 out of 10,000 accounts, for some of 2,000 people.

The workspace is written straight into the tables. Of its accounts 500 are clients, markets and brands, one is its own,
the others are projects with eight members each; the first person, its admin, is one of them on each fiftieth. A tenth
of the memberships has a meta role that was given, and every project has an application of one of twenty products with
external authorization. Nobody is a member of every project: a page would take such a person 25 ms.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from core.authorization.query_pages import MAX_ENTRIES, QueryFilters, page
from core.domain.model import (
    HierarchyNode,
    Member,
    NodeKind,
    Phase,
    PlatformRole,
    Project,
    ProjectRole,
    User,
    Workspace,
)
from core.domain.permissions import Permission
from core.domain.products.products import (
    Application,
    ApplicationRole,
    LaunchKind,
    MemberMetaRole,
    MetaRole,
    Product,
    RoleMapping,
)
from core.record import replace
from core.storage.sqlite.database import SqliteDatabase
from tests.benchmarks.notes import Notes
from tests.benchmarks.workspace import insert, ulid

ACCOUNTS = 10_000
USERS = 2_000
MEMBERS = 8
NODES = 500
PROJECTS = ACCOUNTS - NODES - 1
META_ROLES = 6
PRODUCTS = 20
CREATED = datetime(2026, 1, 5, 9, tzinfo=UTC)
ROLES = (ProjectRole.OWNER, *[ProjectRole.CONTRIBUTOR] * 5, *[ProjectRole.VIEWER] * 2)

QUESTIONS: dict[str, tuple[str, ...]] = {
    "everywhere": (Permission.WORKSPACE_VIEW, Permission.TASK_MOVE),
    "projects": (Permission.TASK_MOVE, Permission.PROJECT_DELETE),
    "product": ("P1_EDIT", "P1_VIEW"),
    "mixed": (Permission.PROJECT_VIEW, "P1_EDIT", "P7_VIEW"),
}


def measure(folder: Path, notes: Notes, times: int) -> None:
    """Note "query of an admin" and "query of a member" for pages anywhere in what there is."""
    database = generate(Path(folder, "permissions.db"))
    dice = random.Random(7)
    try:
        for _ in range(times):
            for codes in QUESTIONS.values():
                for name, user in (("admin", 0), ("member", dice.randrange(1, USERS))):
                    _note(database, notes, name, QueryFilters(ulid(2, user), codes), dice)
    finally:
        database.close()


def _note(database: SqliteDatabase, notes: Notes, name: str, filters: QueryFilters, dice: random.Random) -> None:
    total = database.read(lambda tx: page(tx, filters)).total_count
    asked = replace(filters, offset=dice.randrange(0, max(1, total - MAX_ENTRIES + 1)))
    begin = time.perf_counter()
    answer = database.read(lambda tx: page(tx, asked))
    notes.add(f"query of {name}", (time.perf_counter() - begin) * 1000)
    assert len(answer.data) == min(MAX_ENTRIES, total)


def generate(path: Path) -> SqliteDatabase:
    """The workspace, open."""
    database = SqliteDatabase(path, create=True, synchronous="OFF")
    connection = database.connection
    connection.execute("PRAGMA foreign_keys = OFF")
    connection.execute("BEGIN")
    dice = random.Random(1)
    for records in (_registry(), _people(), _nodes(dice), _projects(dice)):
        insert(connection, records)
    connection.execute("COMMIT")
    return database


def account(dice: random.Random) -> str:
    """A UUID that is the same each time."""
    from uuid import UUID

    return str(UUID(int=dice.getrandbits(128), version=4))


def _people() -> Iterator[User]:
    for number in range(USERS):
        name = f"user{number}"
        yield User(
            id=ulid(2, number),
            login=name,
            first_name=name,
            last_name="Bench",
            email=f"{name}@example.com",
            platform_roles=(PlatformRole.WORKSPACE_ADMIN,) if number == 0 else (),
        )


def _nodes(dice: random.Random) -> Iterator[Workspace | HierarchyNode]:
    """Clients, each with markets, each with brands."""
    yield Workspace(id=ulid(0, 0), name="Bench", auth_id=account(dice))
    for number in range(NODES):
        kind = list(NodeKind)[number % 3]
        parent = ulid(5, number - 1) if number % 3 else None
        yield HierarchyNode(
            id=ulid(5, number), kind=kind, name=f"Node {number}", auth_id=account(dice), parent_id=parent
        )


def _registry() -> Iterator[Any]:
    """Products with two roles each, and the meta roles that bring them."""
    for number in range(META_ROLES):
        yield MetaRole(id=ulid(6, number), name=f"Meta role {number}")
    for number, role in enumerate(ProjectRole):
        yield RoleMapping(project_role=role, meta_role_id=ulid(6, number))
    for number in range(PRODUCTS):
        codes = (f"P{number}_VIEW", f"P{number}_EDIT")
        yield Product(
            id=ulid(7, number),
            name=f"Product {number}",
            kind=LaunchKind.WEB,
            url="https://example.com/",
            uses_external_authorization=True,
            permission_codes=codes,
        )
        for which, meta_role in enumerate((number % META_ROLES, (number + 1) % META_ROLES)):
            yield ApplicationRole(
                id=ulid(8, number * 2 + which),
                product_id=ulid(7, number),
                name=f"Role {which}",
                permission_codes=codes[: which + 1],
                meta_role_ids=(ulid(6, meta_role),),
            )


def _projects(dice: random.Random) -> Iterator[Any]:
    for number in range(PROJECTS):
        project = ulid(1, number)
        yield Project(id=project, name=f"Project {number}", auth_id=account(dice), created_at=CREATED)
        yield Phase(project_id=project, id=ulid(4, number), rank="a0", name="Discover")
        yield Application(
            project_id=project,
            id=ulid(9, number),
            product_id=ulid(7, number % PRODUCTS),
            phase_id=ulid(4, number),
            rank="a0",
            name="Application",
        )
        team = dice.sample(range(1, USERS), MEMBERS)
        yield from _members(project, team if number % 50 else [0, *team[1:]], dice)


def _members(project: str, team: Sequence[int], dice: random.Random) -> Iterator[Member | MemberMetaRole]:
    for user, role in zip(team, dice.sample(ROLES, MEMBERS), strict=True):
        yield Member(project_id=project, user_id=ulid(2, user), role=role, invited_by=ulid(2, 0))
        if dice.random() < 0.1:
            meta_role = ulid(6, dice.randrange(META_ROLES))
            yield MemberMetaRole(project_id=project, user_id=ulid(2, user), meta_role_id=meta_role)
