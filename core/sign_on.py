"""Who is here: the person that the operating system, or ``--as``, says it is; and the first person of a workspace."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.application import Application
from core.errors import DatabaseBusy, DatabaseMissing, Forbidden, NotFound, PodiumError
from core.model import WORKSPACE, Id, User
from core.storage.database import Tx
from core.work import Actor, View, Work

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
    """The actor for a login; without one, for the account of the operating system.

    That account is the person with its name as login, else the person as whom it is enrolled. With a database file,
    each account that can write it is trusted to say who it is (spec, section 10). Raises NotFound when no person has
    the login.
    """
    name = login or os_login()

    def look(view: View) -> User | None:
        return view.find(User, login=name.lower()) or (None if login else _enrolled(view))

    user = application.look(NOBODY, look)
    if user is None:
        raise NotFound(
            f"There is no person with the login “{name}” in this workspace. Name yours with “--as LOGIN”, or ask a "
            "workspace admin to add you."
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
    """Make the database and the workspace in it. After a refusal no new file is left behind. Raises PodiumError.

    Where the founder has another login than the account of the operating system, that account is enrolled as the
    founder, who else could not sign on again without ``--as``.
    """
    from core.storage.own_files import refuse_reserved
    from core.storage.sqlite import SqliteDatabase

    refuse_reserved(path)
    before = {each for each in _files_of(path) if os.path.lexists(each)}
    is_ours = False
    try:
        application = Application(SqliteDatabase(path, create=True, **options))
        try:
            actor = found(application, name, founder)
            is_ours = True
            _enrol_founder(application, actor)
        except BaseException:
            application.database.close()
            raise
    except BaseException:
        if path not in before and (is_ours or not _has_workspace(path)):
            for each in _files_of(path):
                if each not in before:
                    with contextlib.suppress(OSError):
                        each.unlink(missing_ok=True)
        raise
    return application


def _account_here() -> tuple[str, int] | None:
    """The name and number of the account that this process runs as; None where the system has no such accounts."""
    try:
        import pwd

        found = pwd.getpwuid(os.getuid())
    except (ImportError, KeyError):
        return None
    return found.pw_name, found.pw_uid


def _enrolled(view: View) -> User | None:
    from core.access import Enrolment

    account = _account_here()
    enrolment = view.find(Enrolment, os_user=account[0], uid=account[1]) if account else None
    return view.find(User, id=enrolment.user_id) if enrolment else None


def _enrol_founder(application: Application, founder: Actor) -> None:
    from core.access import Enrolment, is_nobody

    account = _account_here()
    if account is None or is_nobody(account[1], account[0]):
        return
    os_user, uid = account

    def write(tx: Tx) -> None:
        work = Work(tx, founder, application.clock(), WORKSPACE)
        if work.get(User, id=founder.user_id).login == os_login():
            return
        work.insert(Enrolment(os_user=os_user, uid=uid, user_id=founder.user_id, at=work.now))
        work.say(f"enrolled the account “{os_user}” (number {uid}), which made the workspace")
        work.record("EnrolOsUser")

    application.database.write(write)


def _files_of(path: Path) -> list[Path]:
    return [path.with_name(path.name + suffix) for suffix in ("", "-wal", "-shm", ".lock")]


def _has_workspace(path: Path) -> bool:
    """Whether another program made a workspace there meanwhile, or is about to."""
    from core.storage.sqlite import SqliteDatabase

    try:
        with contextlib.closing(SqliteDatabase(path)) as database:
            return is_founded(Application(database))
    except DatabaseBusy:
        return True
    except PodiumError:
        return False


def is_founded(application: Application) -> bool:
    """Whether there is a workspace in the database already."""
    return application.database.read(lambda tx: bool(tx.query("SELECT 1 FROM workspace LIMIT 1")))


def require_founded(application: Application, path: Path) -> None:
    """Raises DatabaseMissing when there is no workspace in the database at this path."""
    if not is_founded(application):
        raise DatabaseMissing(f"There is no workspace in {path} yet. “podium init” makes one.")
