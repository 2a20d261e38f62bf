"""The demo workspace: eight weeks of history, made by real messages. See ``make_demo``.

story.py           the stories, read from TOML files: the studio, and one file per project
sample_product.py  the terminal product of the demo
sample_project.py  the sample project of the tour
play.py            a project's story as steps
clock.py           the time of each step
large.py           the project of 10,000 cards
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, TypeVar

from core.actions import load_catalog
from core.actions.cards.labels import AddWorkspaceLabel
from core.actions.personal.inbox import MarkNotificationsRead
from core.actions.products.products import AddApplicationRole, AddProduct, RetireProduct
from core.actions.projects.last_visit import SetLastSeen
from core.actions.projects.lists import ListProjects
from core.actions.projects.members import InviteMember
from core.actions.projects.projects import CreateProject
from core.actions.workspace.create import FirstUser, found_workspace
from core.actions.workspace.hierarchy import AddNode
from core.actions.workspace.meta_roles import ListMetaRoles
from core.actions.workspace.users import AddUser, DeactivateUser
from core.demo.clock import Send, StoryStep, moment
from core.demo.large import DESCRIPTION, NAME, add_cards, add_phases
from core.demo.play import Characters, ProjectPlayer
from core.demo.story import FOLDER, ME, PersonStory, ProductStory, project_stories, studio
from core.domain.model import HierarchyNode, Id
from core.domain.products.fields import argument_vector
from core.domain.products.products import LaunchKind, Product
from core.engine.engine import Engine
from core.engine.messages import Command, Query
from core.engine.unit_of_work import Actor
from core.errors import InvalidInput
from core.record import made_from
from core.storage.database import DatabaseInFile, DiskSpace, Tx
from core.storage.progress import NO_PROGRESS, Progress
from core.storage.sqlite.database import SqliteDatabase
from core.storage.sqlite.disk_space import room_of

T = TypeVar("T")

BEGINNING = -58.0
"""The day on which the workspace was created, counted from today."""

LAST_VISIT = -5.2
"""The day of the last visit of the person who opens the demo, counted from today."""

MAX_CHANGES = 10_000
"""A number above the last change of any project, so that all changes count as seen."""


class SingleTransactionDatabase(DatabaseInFile):
    """A Database whose reads and writes all join one open transaction: the demo is created whole or not at all."""

    unwritable = None

    def __init__(self, database: SqliteDatabase, tx: Tx) -> None:
        self.database = database
        self.tx = tx

    def read(self, work: Callable[[Tx], T], progress: Progress = NO_PROGRESS) -> T:
        return work(self.tx)

    def write(
        self, work: Callable[[Tx], T], progress: Progress = NO_PROGRESS, *, linked: bool = True, scope: str = ""
    ) -> T:
        return self.tx.savepoint(lambda: work(self.tx))

    def data_version(self) -> int:
        return 0

    def last_commit(self) -> int:
        return 0

    def newest_commit(self) -> int:
        return 0

    def check_writable(self) -> None:
        """Do nothing: the open transaction is writing already."""

    def room(self) -> DiskSpace:
        """Measure in the open transaction; the log cannot be cut before it ends."""
        return room_of(self.database.connection, self.database.path)

    def close(self) -> None:
        """Do nothing: the opener of the transaction ends it."""


class Demo:
    """The demo workspace while its history is written, with the ids of its people and the simulated time."""

    def __init__(self, database: SqliteDatabase, tx: Tx, now: datetime, login: str) -> None:
        self.now = now
        self.today: date = now.astimezone().date()
        self.clock = moment(BEGINNING, now)
        self.tx = tx
        self.engine = Engine(SingleTransactionDatabase(database, tx), load_catalog, clock=lambda: self.clock)
        self.people: dict[str, Id] = {}
        self.nodes: dict[str, HierarchyNode] = {}
        self.products: dict[str, Id] = {}
        self.meta_roles: dict[str, Id] = {}
        self._check_person(login)

    def write_history(self) -> None:
        """Write the history: the steps of all stories in order of time."""
        characters = Characters(self.people, self.nodes, self.products, self.meta_roles)
        steps = [step for story in project_stories() for step in ProjectPlayer(story, self.today, characters).steps()]
        left = {who: person.left for who, person in studio().people.items() if person.left is not None}
        steps += [StoryStep(day, ME, self._leave(who)) for who, day in left.items()]
        steps.append(StoryStep(LAST_VISIT, ME, self._read_everything))
        for step in sorted(steps, key=lambda step: step.day):
            self.clock = moment(step.day, self.now)
            step.do(self.sender(step.who))

    def add_large(self) -> Id:
        """Add the project of 10,000 cards. Return its id."""
        self.clock = moment(BEGINNING + 1, self.now)
        send = self.sender(ME)
        project = send(CreateProject(name=NAME, description=DESCRIPTION))
        members = ["jonas", "hanna", "yuki", "priya"]
        for who in members:
            send(InviteMember(project_id=project.id, user_id=self.people[who]))
        phases = add_phases(send, project.id, self.today)
        add_cards(self.tx, phases, [self.people[who] for who in (ME, *members)], self.today)
        return str(project.id)

    def sender(self, who: str) -> Send:
        """A function that sends messages as this person, named by the key in ``studio.toml``."""
        actor = Actor(self.people[who])

        def send(message: Command[Any] | Query[Any]) -> Any:
            return (
                self.engine.query(message, actor) if isinstance(message, Query) else self.engine.execute(message, actor)
            )

        return send

    def _check_person(self, login: str) -> None:
        me = studio().people[ME]
        founder = made_from(FirstUser, me, login=login)
        self.people[ME] = found_workspace(self.engine, studio().name, founder).user_id
        send = self.sender(ME)
        for key, person in studio().people.items():
            if key != ME:
                self.people[key] = send(_joining(person, login)).id
        for kind, name, parent in studio().hierarchy:
            parent_id = self.nodes[parent].id if parent else None
            self.nodes[name] = send(AddNode(kind=kind, name=name, parent_id=parent_id))
        for label in studio().labels:
            send(AddWorkspaceLabel(name=label))
        roles = self.engine.query(ListMetaRoles(), Actor(self.people[ME]))
        self.meta_roles = {line.meta_role.name: line.meta_role.id for line in roles}
        products = [_register(send, story, self.meta_roles) for story in studio().products]
        self.products = {product.name: product.id for product in products}

    def _leave(self, who: str) -> Callable[[Send], object]:
        return lambda send: send(DeactivateUser(user_id=self.people[who]))

    def _read_everything(self, send: Send) -> None:
        """The last visit of the person who opens the demo: all is read and seen, so later changes are news."""
        send(MarkNotificationsRead())
        for line in self.engine.query(ListProjects(), Actor(self.people[ME])).lines:
            send(SetLastSeen(project_id=line.project.id, seq=MAX_CHANGES))


def _joining(person: PersonStory, taken: str) -> AddUser:
    """A colleague. ``taken`` is the login of the person who opens the demo, which no colleague may have."""
    login = person.email.split("@")[0]
    login = f"{login}.2" if login == taken.lower() else login
    return made_from(AddUser, person, login=login, platform_roles=person.roles)


def make_demo(path: Path, *, large: bool = False, login: str, now: datetime | None = None) -> Id | None:
    """Create the demo workspace in a new database. Return the id of the large project if there is one.

    ``login`` becomes its admin. With ``now`` given, everything except the ids is the same each time. Raises
    RuleViolation if ``path`` has a workspace already, InvalidInput for a login that cannot be one.
    """
    database = SqliteDatabase(path, create=True)
    database.write_seconds = math.inf  # no other process waits for this database

    def write(tx: Tx) -> Id | None:
        demo = Demo(database, tx, now or datetime.now(UTC), login)
        demo.write_history()
        return demo.add_large() if large else None

    try:
        return database.write(write)
    finally:
        database.close()


def python(executable: str) -> str:
    """A Python by its path, or "python3" if a product cannot have that path, for example because of a space."""
    try:
        return argument_vector((executable,))[0]
    except InvalidInput:
        return "python3"


def _register(send: Send, story: ProductStory, meta_roles: dict[str, Id]) -> Product:
    product: Product = send(
        AddProduct(
            name=story.name,
            kind=LaunchKind.TERMINAL if story.program else LaunchKind.WEB,
            description=story.description,
            url=story.url,
            command=(python(sys.executable), str(FOLDER / story.program)) if story.program else (),
            required_context=story.requires,
            uses_external_authorization=bool(story.roles),
            permission_codes=tuple(dict.fromkeys(code for role in story.roles for code in role.codes)),
        )
    )
    for role in story.roles:
        send(
            AddApplicationRole(
                product_id=product.id,
                name=role.name,
                permission_codes=role.codes,
                meta_role_ids=tuple(meta_roles[name] for name in role.meta_roles),
            )
        )
    if story.retired:
        send(RetireProduct(product_id=product.id))
    return product
