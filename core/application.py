"""The one place around every message: permission, then transaction, then history, then commit.

Permission is asked before any lock is taken. The core is synchronous and runs in worker threads.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TypeVar

from core.authorization.local import LocalPermissions
from core.authorization.question import PermissionSource, Question
from core.errors import Forbidden, NotFound
from core.messages import Command, Message, Query
from core.model import WORKSPACE, Id, Member, User, Workspace
from core.rights import PROJECT_CODES, Permission, refusal
from core.storage.database import Database, Tx
from core.work import Actor, View, Work, in_workspace
from core.workflow import owners, refuse_archived

R = TypeVar("R")
ALL_CODES = frozenset(Permission)


def now() -> datetime:
    """The time, in UTC."""
    return datetime.now(UTC)


class Application:
    """Carries out messages on a database for people."""

    def __init__(
        self,
        database: Database,
        permissions: PermissionSource | None = None,
        clock: Callable[[], datetime] = now,
    ) -> None:
        self.database = database
        self.permissions = permissions or LocalPermissions(database)
        self.clock = clock

    def execute(self, command: Command[R], actor: Actor) -> R:
        """Carry out a command: all of it, durably, or nothing. Raises a PodiumError that says why not."""
        scope, held = self._authorize(command, actor)

        def write(tx: Tx) -> R:
            work = Work(tx, actor, self.clock(), held, scope)
            if not (in_workspace(scope) or command.in_archive):
                refuse_archived(work, scope)
            result = command.run(work)
            if not command.personal:
                work.record(type(command).__name__)
            return result

        return self.database.write(write)

    def query(self, query: Query[R], actor: Actor) -> R:
        """Answer a query from one snapshot."""
        scope, held = self._authorize(query, actor)
        return self.database.read(lambda tx: query.run(View(tx, actor, self.clock(), held, scope)))

    def _authorize(self, message: Message[R], actor: Actor) -> tuple[Id, frozenset[Permission]]:
        """The scope of a message and what the actor holds there; raises Forbidden when that is too little."""

        def look(tx: Tx) -> tuple[Id, Permission, str]:
            view = View(tx, actor, self.clock(), frozenset(), WORKSPACE)
            scope = message.scope(view)
            return scope, message.needs(view), _account(view, scope)

        scope, needed, account = self.database.read(look)
        held = self.permissions.held(Question(actor.user_id, account, ALL_CODES))
        if needed not in held:
            raise self.database.read(
                lambda tx: _refused(View(tx, actor, self.clock(), held, scope), scope, needed),
            )
        return scope, held


def _account(view: View, scope: Id) -> str:
    """The account that permissions of this scope are held on."""
    if in_workspace(scope):
        return view.all(Workspace, "1 = 1")[0].id
    found = view.rows("SELECT auth_id FROM project WHERE id = :id", id=scope)
    if not found:
        raise NotFound(f"There is no project “{scope}” here.")
    return str(found[0]["auth_id"])


def _refused(view: View, scope: Id, needed: Permission) -> Forbidden:
    user = view.find(User, id=view.actor.user_id)
    if user is None or not user.active:
        return Forbidden("Your account is not active in this workspace. Ask a workspace admin.")
    if in_workspace(scope) or needed not in PROJECT_CODES:
        role = user.platform_roles[0].replace("_", " ").lower() if user.platform_roles else "guest"
        return Forbidden(refusal(needed, role), who_can=_admins(view))
    member = view.find(Member, project_id=scope, user_id=user.id)
    if member is None:
        return Forbidden("You are not a member of this project.", who_can=owners(view, scope))
    return Forbidden(refusal(needed, member.role.lower()), who_can=owners(view, scope))


def _admins(view: View) -> tuple[str, ...]:
    rows = view.rows(
        "SELECT first_name, last_name FROM app_user"
        " WHERE active = 1 AND platform_roles LIKE '%ADMIN%' ORDER BY first_name, last_name"
    )
    return tuple(f"{row['first_name']} {row['last_name']}".strip() for row in rows)
