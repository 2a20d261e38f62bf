"""A small founded workspace, and a short way to speak to it: ``do`` a command, ``ask`` a query, read ``rows``.

Maya is workspace admin and owns the project "Spring launch"; Bob is contributor, Vera viewer; Gus is a guest of the
workspace and not on the project. Its phases are Discover, Build and Launch, so Build and Launch start locked.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar, cast

from core.actions.cards.activities import CreateActivity
from core.actions.cards.applications import AddApplication
from core.actions.cards.cards import ArchiveCard, DeleteCard, MoveCard
from core.actions.cards.tasks import CreateTask
from core.actions.products.products import AddProduct
from core.actions.projects.members import InviteMember
from core.actions.projects.projects import CreateProject
from core.actions.workflow.phases import AddPhase
from core.actions.workspace.create import FirstUser, found_workspace
from core.actions.workspace.users import AddUser, SetPlatformRoles
from core.authorization.local_source import LocalPermissions
from core.domain.grants import CacheControl, Grant, PermissionQuery
from core.domain.model import WORKSPACE, Id, Item, Phase, PlatformRole, Project, ProjectRole, Status
from core.domain.permissions import Permission
from core.domain.products.products import Application, LaunchKind, Product
from core.engine.engine import Engine
from core.engine.messages import Command, Message, Query
from core.engine.unit_of_work import Actor, UnitOfWork
from core.errors import PodiumError
from core.record import replace
from core.storage.database import Tx
from core.storage.progress import NO_PROGRESS, Progress
from core.storage.sqlite.database import SqliteDatabase
from tests.support import postgres_cluster
from tests.support.postgres_cluster import ON_POSTGRES

R = TypeVar("R")
E = TypeVar("E", bound=PodiumError)


@dataclass
class Clock:
    """A clock that stands still until a test moves it. It starts on Monday, 2 March 2026, at noon UTC."""

    now: datetime = field(default_factory=lambda: datetime(2026, 3, 2, 12, tzinfo=UTC))

    def __call__(self) -> datetime:
        return self.now

    def forward(self, **time: float) -> None:
        """Move on by hours, days or whatever else ``timedelta`` takes."""
        self.now += timedelta(**time)


@dataclass(frozen=True)
class People:
    """The four of them, as actors."""

    maya: Actor
    bob: Actor
    vera: Actor
    gus: Actor


def gather(engine: Engine) -> People:
    """Found the workspace and add its people."""
    founder = FirstUser(login="maya", first_name="Maya", last_name="Okafor", email="maya@example.com", city="Lagos")
    maya = found_workspace(engine, "Studio North", founder)

    def add(first_name: str, last_name: str) -> Actor:
        email = f"{first_name.lower()}@example.com"
        user = engine.execute(AddUser(first_name=first_name, last_name=last_name, email=email), maya)
        return Actor(user.id)

    return People(maya, add("Bob", "Lind"), add("Vera", "Sato"), add("Gus", "Roy"))


class World:
    """Everything a test needs to act and to look."""

    def __init__(self, engine: Engine, people: People) -> None:
        self.engine = engine
        self.database = cast(SqliteDatabase, engine.database)
        """In PostgreSQL another class, of which tests use what both have."""
        self.maya, self.bob, self.vera, self.gus = people.maya, people.bob, people.vera, people.gus
        self.project = self.new_project("Spring launch")
        for actor, role in ((self.bob, ProjectRole.CONTRIBUTOR), (self.vera, ProjectRole.VIEWER)):
            self.do(InviteMember(project_id=self.project.id, user_id=actor.user_id, role=role))
        self.discover, self.build, self.launch = (self.phase(name) for name in ("Discover", "Build", "Launch"))

    @property
    def clock(self) -> Clock:
        """The clock of the engine, for a test to move."""
        return cast(Clock, self.engine.clock)

    def do(self, command: Command[R], as_: Actor | None = None) -> R:
        """Carry out a command, by default as Maya."""
        return self.engine.execute(command, as_ or self.maya)

    def ask(self, query: Query[R], as_: Actor | None = None) -> R:
        """Answer a query, by default as Maya."""
        return self.engine.query(query, as_ or self.maya)

    def send(self, message: Message[R], as_: Actor | None = None) -> R:
        """Carry out a command or answer a query, by default as Maya."""
        return send(self.engine, message, as_ or self.maya)

    def refuses(
        self, message: Message[Any], error: type[E] | tuple[type[E], ...], words: str = "", as_: Actor | None = None
    ) -> E:
        """Send a message that is refused, by default as Maya. Returns the error, which says these words, a pattern."""
        try:
            self.send(message, as_)
        except error as caught:
            refused = caught
        else:
            raise AssertionError(f"{message} was not refused")
        assert re.search(words, str(refused)), f"{message} was refused in other words: {refused}"
        return refused

    def answers(self, query: Query[Any], refused: Callable[[PodiumError], object] = str) -> list[object]:
        """Each person's answer to a query; an error is converted by ``refused``, by default to its message."""
        found: list[object] = []
        for actor in (self.maya, self.bob, self.vera, self.gus):
            try:
                found.append(self.ask(query, as_=actor))
            except PodiumError as error:
                found.append(refused(error))
        return found

    def rows(self, sql: str, **params: object) -> list[dict[str, Any]]:
        """Rows of the tables, without any permission check."""
        return self.database.read(lambda tx: [dict(row) for row in tx.query(sql, **params)])

    def row(self, table: str, **key: object) -> dict[str, Any]:
        """The one row of a table with these values."""
        where = " AND ".join(f"{name} = :{name}" for name in key) or "1 = 1"
        (row,) = self.rows(f"SELECT * FROM {table} WHERE {where}", **key)
        return row

    def insert(self, *records: object) -> None:
        """Write records past all rules, without a change in the history."""

        def write(tx: Tx) -> None:
            work = UnitOfWork(tx, self.maya, self.engine.clock(), WORKSPACE)
            for record in records:
                work.insert(record)
            work.flush()

        self.database.write(write)

    def internal(self, actor: Actor) -> Id:
        """The id of a guest, who is an internal user from now on, and so sees all that the workspace shares."""
        return self.do(SetPlatformRoles(user_id=actor.user_id, platform_roles=(PlatformRole.INTERNAL,))).id

    def new_project(self, name: str) -> Project:
        return self.do(CreateProject(name=name))

    def phase(self, name: str, project_id: Id | None = None, **fields: Any) -> Phase:
        return self.do(AddPhase(project_id=project_id or self.project.id, name=name, **fields))

    def task(self, title: str = "Write the brief", phase: Phase | None = None, **fields: Any) -> Item:
        return self.do(CreateTask(phase_id=(phase or self.discover).id, title=title, **fields))

    def activity(self, title: str = "Interviews", phase: Phase | None = None, **fields: Any) -> Item:
        return self.do(CreateActivity(phase_id=(phase or self.discover).id, title=title, **fields))

    def move(self, card_id: Id, status: Status, as_: Actor | None = None, **fields: Any) -> Item:
        return self.do(MoveCard(card_id=card_id, status=status, **fields), as_)

    def start(self, *card_ids: Id, as_: Actor | None = None, **fields: Any) -> Item:
        return [self.move(each, Status.IN_PROGRESS, as_, **fields) for each in card_ids][-1]

    def complete(self, *card_ids: Id, as_: Actor | None = None, **fields: Any) -> Item:
        return [self.move(each, Status.COMPLETED, as_, **fields) for each in card_ids][-1]

    def archive(self, *card_ids: Id, as_: Actor | None = None) -> Item:
        return [self.do(ArchiveCard(card_id=each), as_) for each in card_ids][-1]

    def delete(self, *card_ids: Id, as_: Actor | None = None, **fields: Any) -> None:
        """Delete cards for good, after their archive."""
        for each in card_ids:
            self.archive(each, as_=as_)
            self.do(DeleteCard(card_id=each, **fields), as_)

    def meta_role(self, name: str) -> Id:
        return str(self.row("meta_role", name=name)["id"])

    def product(self, name: str = "Asset library", **fields: Any) -> Product:
        """A web product, unless told otherwise, that fits projects without links."""
        return self.do(AddProduct(name=name, **{"kind": LaunchKind.WEB, "url": "https://assets.example/"} | fields))

    def add_application(self, product: Product | None = None, phase: Phase | None = None, **fields: Any) -> Application:
        """An application of a product, of a new one by default, on a phase or, with ``activity_id``, on an activity."""
        place = fields if "activity_id" in fields else {"phase_id": (phase or self.discover).id} | fields
        return self.do(AddApplication(project_id=self.project.id, product_id=(product or self.product()).id, **place))

    def status(self, item: Item) -> str:
        """The status in the item's row."""
        return str(self.row("item", id=item.id)["status"])

    def last_change(self, project_id: Id | None = None) -> dict[str, Any]:
        """The newest line of the history of the project."""
        sql = "SELECT * FROM change WHERE project_id = :id ORDER BY seq DESC LIMIT 1"
        return self.rows(sql, id=project_id or self.project.id)[0]


class Without(LocalPermissions):
    """Rights of which some are missing, as a service may give them: no project role holds one without the other."""

    def __init__(self, database: Any, *missing: Permission) -> None:
        super().__init__(database)
        self.missing = frozenset(missing)

    def grant(self, question: PermissionQuery, cache_control: CacheControl) -> Grant:
        given = super().grant(question, cache_control)
        return replace(given, held=given.held - self.missing)


def send(engine: Engine, message: Message[R], actor: Actor, progress: Progress = NO_PROGRESS) -> R:
    """Carry out a command or answer a query, whichever a message is."""
    if isinstance(message, Command):
        return cast(R, engine.execute(message, actor, progress))
    assert isinstance(message, Query)
    return cast(R, engine.query(message, actor, progress=progress))


def open_database_of_test(path: Path, *, create: bool = False, **options: Any) -> SqliteDatabase:
    """The database of a path: in SQLite, or with ``PODIUM_TEST_ENGINE=postgresql`` in PostgreSQL, one for each path."""
    if ON_POSTGRES:
        return cast(SqliteDatabase, postgres_cluster.open_at(path))
    return SqliteDatabase(path, create=create, **options)


def new_database(path: Path) -> SqliteDatabase:
    """An empty database with its schema."""
    return open_database_of_test(path, create=True)


def copy_of(database: Any, path: Path) -> Path:
    """A copy of a database that may be open, with what is only in its log yet."""
    if ON_POSTGRES:
        postgres_cluster.open_at(path).close()
        postgres_cluster.fill(path, postgres_cluster.rows_of(database.path))
        return path
    path.touch(mode=0o600)
    with closing(sqlite3.connect(str(database.path))) as source, closing(sqlite3.connect(path)) as copy:
        source.backup(copy)
    return path


CONTENT = (
    "workspace", "app_user", "hierarchy_node", "project", "project_key", "member", "phase", "deliverable", "item",
    "dependency", "assignment", "comment", "gate_record", "gate_seal", "gate_policy",
    "gate_criterion", "gate_condition", "favourite", "preference", "product",
    "application_role", "application", "launch", "label", "item_label", "meta_role", "field", "item_field",
    "card_origin", "role_mapping", "member_meta_role", "template", "template_version", "origin", "preset",
    "active_preset", "saved_filter", "notification", "product_token", "gateway_token",
)  # fmt: skip
"""The tables that hold what people made; the others are the history of it, and who was where: to look is no change."""


def content(database: Any, *, versions: bool = True) -> dict[str, list[dict[str, Any]]]:
    """All rows of all tables, in order; without ``versions`` what undo and redo bring back exactly."""
    tables = (*CONTENT, "gate_seal", "feed", "change", "change_record") if versions else CONTENT

    def read(tx: Any) -> dict[str, list[dict[str, Any]]]:
        return {table: [dict(row) for row in tx.query(f"SELECT * FROM {table} ORDER BY 1, 2")] for table in tables}

    found = database.read(read)
    if versions:  # how many commits there were, and how many of them changed permissions, is no content
        found["feed"] = [row for row in found["feed"] if row["id"] != "commits" and not row["id"].startswith("grants ")]
    if not versions:
        for row in (row for rows in found.values() for row in rows):
            row.pop("version")
    return {table: sorted(rows, key=repr) for table, rows in found.items()}
