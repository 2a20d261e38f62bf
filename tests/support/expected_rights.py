"""The expected permissions of each role, and a workspace with one user of each role.

Nothing here uses ``core.domain.permissions``: expectations come from the table in
``tests.unit.engine.test_messages`` and from each message's rule for archived records.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple, cast

from core.actions import load_catalog
from core.actions.projects.members import InviteMember, RemoveMember
from core.actions.workspace.users import AddUser, DeactivateUser, SetPlatformRoles
from core.domain.grants import PermissionSource
from core.domain.model import PlatformRole, ProjectRole
from core.engine.engine import Engine, now
from core.engine.messages import Message
from core.engine.unit_of_work import Actor
from core.errors import Forbidden, NotFound, NothingToUndo, PodiumError, RuleViolation
from core.storage.database import Database
from tests.support.prepared import new_world
from tests.support.workspace import Clock, World, copy_of, open_database_of_test, send
from tests.unit.engine.test_messages import MESSAGES_OF, ROLES

ON_PROJECT = ("owner", "contributor", "viewer", "")
"""The project roles; the last one is nobody's."""

ON_PLATFORM: dict[str, tuple[PlatformRole, ...]] = {
    "guest": (),
    "internal": (PlatformRole.INTERNAL,),
    "workspace admin": (PlatformRole.WORKSPACE_ADMIN,),
    "platform admin": (PlatformRole.PLATFORM_ADMIN,),
}

HOLDERS = {"admin": {"platform admin", "workspace admin"}}
"""What the table says in one word."""

CODE_OF = {name: code for code, names in MESSAGES_OF.items() for name in names.split()}
"""The permission of each message, as it is written down."""


UNSEEN = re.compile(r"There is no such [a-z ]+ here\. It may have been deleted, or you cannot see it\.")
"""What everybody reads of what they cannot see, and of what is not there."""

OWN = {
    "Undo": NothingToUndo,
    "Redo": NothingToUndo,
    "DeleteSavedFilter": NotFound,
    "RemovePreset": NotFound,
    "SavePreset": NotFound,
    "EditComment": RuleViolation,
    "DeleteComment": RuleViolation,
    "RevokeToken": NotFound,
    "RenewToken": NotFound,
    "CreateGatewayToken": Forbidden,
    "MeetCriterion": RuleViolation,
    "TakeBackCriterion": RuleViolation,
    "RecordMeeting": RuleViolation,
    "ContradictMeeting": RuleViolation,
}
"""Allowed to all who can look, each of whom changes their own records: only Maya has any. Gateway tokens are refused
to workspace admins by a rule of their own; Maya alone is the secretary of a meeting, and was named in another."""


def expected_error(name: str, role: Role) -> type[PodiumError] | type[None]:
    """The error by which a message is refused to a role that holds its code: none, if it is done."""
    if name == "CreateGatewayToken" and role.on_platform == "platform admin":
        return type(None)
    if name == "AskForConsent" and not role.may("TASK_MANAGE"):  # which the message takes that its sample asks for
        return Forbidden
    return OWN.get(name, type(None))


class Role(NamedTuple):
    """The roles of a user: on the project ("" for none) and on the platform."""

    on_project: str
    on_platform: str

    def __str__(self) -> str:
        return f"{self.on_project or 'no member'}, {self.on_platform}"

    def may(self, code: str) -> bool:
        """True if the table gives the code to this role."""
        return bool({self.on_project, self.on_platform} & holders(code))

    @property
    def name(self) -> tuple[str, str]:
        """First and last name of the user who has it."""
        return (self.on_project or "nobody").capitalize(), self.on_platform.title()


EVERY_ROLE = tuple(Role(*both) for both in product(ON_PROJECT, ON_PLATFORM))
MEMBERS = tuple(role for role in EVERY_ROLE if role.on_project)


def holders(code: str) -> set[str]:
    """The roles that hold a code, in the words of a refusal."""
    return set().union(*(HOLDERS.get(word, {word}) for word in ROLES[code].split()))


def is_of_project(code: str) -> bool:
    """True if a code is held through a project role."""
    return "owner" in ROLES[code].split() and "guest" not in ROLES[code].split()


def is_of_a_role(said: str) -> bool:
    """True if this is the refusal of a missing code."""
    return said.startswith("Only ") and "; you are a" in said


WORDS = {
    "HIERARCHY_MANAGE": "change clients, markets and brands",
    "MEMBER_MANAGE": "invite",
    "META_ROLE_ASSIGN": "give meta roles",
    "META_ROLE_MANAGE": "change meta roles",
    "PRODUCT_LAUNCH": "launch products",
    "PRODUCT_MANAGE": "register or change products",
    "PROJECT_CREATE": "create projects",
    "TASK_MOVE": "move cards",
    "USER_MANAGE": "manage people",
}
"""The first words of what a code permits, in a refusal."""


def is_refusal(said: str, role: str, code: str) -> bool:
    """True if this refusal names the missing code, the user's role, and all the roles that hold the code."""
    holding, _, permitted = said.removeprefix("Only ").partition(" can ")
    if code == "GATE_DECIDE":
        holding, by_policy, _ = holding.partition(" and contributors named by the policy of a gate")
        if not by_policy:
            return False
    named = {word.removesuffix(" users").removesuffix("s") for word in re.split(", | and ", holding)}
    user = "an internal user" if role == "internal" else f"a {role}"
    return named == holders(code) and permitted.startswith(WORDS.get(code, "")) and said.endswith(f"; you are {user}.")


class Cast(NamedTuple):
    """One person for each role, and those to whom something has happened since."""

    active: dict[Role, Actor]
    deactivated: dict[Role, Actor]
    removed: dict[Role, Actor]


def gather_everybody(world: World) -> Cast:
    """Add everybody to the workspace and to its project: from the first platform admin on, that one adds them."""
    adding = world.maya

    def add(role: Role, kind: str) -> Actor:
        first_name, last_name = role.name
        email = f"{kind}.{first_name}.{last_name.replace(' ', '.')}@roles.example".lower()
        roles = ON_PLATFORM[role.on_platform]
        user = AddUser(first_name=first_name, last_name=last_name, email=email, platform_roles=roles)
        nonlocal adding
        actor = Actor(world.do(user, adding).id)
        if adding == world.maya and PlatformRole.PLATFORM_ADMIN in roles:
            adding = actor
        if role.on_project:
            invite = InviteMember(
                project_id=world.project.id, user_id=actor.user_id, role=ProjectRole(role.on_project.upper())
            )
            world.do(invite)
        return actor

    admins = (PlatformRole.PLATFORM_ADMIN, PlatformRole.WORKSPACE_ADMIN)
    world.do(SetPlatformRoles(user_id=world.maya.user_id, platform_roles=admins))
    cast = Cast(*({role: add(role, kind) for role in EVERY_ROLE} for kind in Cast._fields))
    for actor in cast.deactivated.values():
        world.do(DeactivateUser(user_id=actor.user_id), adding)
    for role in MEMBERS:
        world.do(RemoveMember(project_id=world.project.id, user_id=cast.removed[role].user_id))
    return cast


class Stage(NamedTuple):
    """A database on disk with everybody in it, to be copied for each message."""

    world: World
    cast: Cast

    def copied(self, path: Path) -> World:
        """The same world on a copy of its database."""
        copy_of(self.world.database, path)
        again = copy.copy(self.world)
        again.database = open_database_of_test(path, synchronous="OFF")
        again.engine = Engine(again.database, load_catalog, clock=Clock())
        return again


@contextmanager
def set_up(folder: Path) -> Iterator[Stage]:
    """The world that all copies are made of."""
    world = new_world(folder / "everybody.db")
    cast = gather_everybody(world)
    world.engine.close()
    yield Stage(world, cast)


class _Enough(Exception):
    """Ends a rehearsal: what it wrote is rolled back."""


class Rehearsal:
    """A database on which a command does all that it does, and then none of it stays.

    So one database serves every role, each of which finds what the sample has prepared. ``writes`` counts its
    statements that wrote.
    """

    def __init__(self, database: Any) -> None:
        self.read = database.read
        self.close = database.close
        self.data_version = database.data_version
        self.writers = database.writers
        self.writes = 0
        self._database = database

    def engine(self, clock: Callable[[], datetime] = now, permissions: PermissionSource | None = None) -> Engine:
        """An engine on this database."""
        return Engine(cast(Database, self), load_catalog, permissions, clock)

    def write(self, work: Callable[[Any], Any], *further: Any, **options: Any) -> Any:
        results = []

        def rehearse(tx: Any) -> None:
            results.append(work(_Counting(tx, self)))
            raise _Enough

        try:
            self._database.write(rehearse, *further, **options)
        except _Enough:
            return results[-1]


class _Counting:
    """A transaction that counts the statements that write."""

    def __init__(self, tx: Any, rehearsal: Rehearsal) -> None:
        self._tx = tx
        self._rehearsal = rehearsal

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tx, name)

    def execute(self, sql: str, **params: object) -> Any:
        self._rehearsal.writes += 1
        return self._tx.execute(sql, **params)

    def execute_all(self, statements: Sequence[tuple[str, Mapping[str, object]]]) -> Any:
        self._rehearsal.writes += len(statements)
        return self._tx.execute_all(statements)


def outcome(engine: Engine, message: Message[Any], actor: Actor) -> PodiumError | None:
    """The result of a message: None if it is carried out, else the error."""
    try:
        send(engine, message, actor)
    except PodiumError as error:
        return error
    return None
