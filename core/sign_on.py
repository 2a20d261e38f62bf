"""Who is here: the person that the operating system, or ``--as``, says it is; and the first person of a workspace."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.application import Application
from core.errors import DatabaseMissing, Forbidden, NotFound
from core.model import WORKSPACE, Id, User
from core.storage.database import Tx
from core.work import Actor, Work

if TYPE_CHECKING:
    from core.actions.workspace import Founder

NOBODY = Actor("")


def os_login() -> str:
    """The login name of the person at this terminal, lower-cased as logins are."""
    import getpass

    try:
        return getpass.getuser().lower()
    except (OSError, KeyError):
        return ""


def connection_kind() -> str:
    """Through what the person came: "browser", "ssh" or "local"."""
    if os.environ.get("TEXTUAL_DRIVER", "").endswith("WebDriver"):
        return "browser"
    return "ssh" if "SSH_CONNECTION" in os.environ else "local"


def sign_on(application: Application, login: str | None = None) -> Actor:
    """The actor for a login, by default that of the operating system.

    With a database file, whoever may write it is trusted to say who they are (spec, section 10). Raises NotFound
    when no active person has the login.
    """
    name = login or os_login()

    user = application.look(NOBODY, lambda view: view.find(User, login=name.lower()))
    if user is None:
        raise NotFound(
            f"Nobody in this workspace has the login “{name}”. "
            "Ask a workspace admin to add you, or name a login with --as."
        )
    if not user.active:
        raise Forbidden(f"{user.name} is no longer active in this workspace. Ask a workspace admin.")
    return Actor(user.id, connection_kind())


def found(application: Application, name: str, founder: Founder) -> Actor:
    """Make the workspace in an empty database; whoever makes it becomes its admin."""
    from core.actions.workspace import found_workspace

    def write(tx: Tx) -> Id:
        work = Work(tx, NOBODY, application.clock(), WORKSPACE)
        user = found_workspace(work, name, founder)
        work.record("FoundWorkspace")
        return user.id

    return Actor(application.database.write(write), connection_kind())


def new_workspace(path: Path, name: str, founder: Founder, **options: Any) -> Application:
    """Make the database and the workspace in it. After a refusal no new file is left behind. Raises PodiumError."""
    from core.storage.sqlite import SqliteDatabase

    is_new = not path.exists()
    try:
        application = Application(SqliteDatabase(path, create=True, **options))
        try:
            found(application, name, founder)
        except BaseException:
            application.database.close()
            raise
    except BaseException:
        if is_new:
            _remove(path)
        raise
    return application


def _remove(path: Path) -> None:
    for suffix in ("", "-wal", "-shm", ".lock"):
        with contextlib.suppress(OSError):
            path.with_name(path.name + suffix).unlink(missing_ok=True)


def is_founded(application: Application) -> bool:
    """Whether there is a workspace in the database already."""
    return application.database.read(lambda tx: bool(tx.query("SELECT 1 FROM workspace LIMIT 1")))


def require_founded(application: Application, path: Path) -> None:
    """Raises DatabaseMissing when there is no workspace in the database at this path."""
    if not is_founded(application):
        raise DatabaseMissing(f"There is no workspace in {path} yet. “podium init” makes one.")
