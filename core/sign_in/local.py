"""Sign-in to a local workspace: the user of this process, by the operating system's account or ``--as``."""

from __future__ import annotations

import os

from core.domain.credentials import GatewayToken, LinkedAccount, Token
from core.domain.model import Id, User
from core.engine.engine import Engine
from core.engine.unit_of_work import Actor, Snapshot
from core.errors import DatabaseMissing, Forbidden, NotFound
from core.net.database_url import DatabasePlace
from core.storage.database import Database

NOBODY = Actor("")


def os_login() -> str:
    """Return the login name of the user at this terminal, in lower case as logins are; "" if it has none."""
    import getpass

    try:
        return getpass.getuser().lower()
    except (OSError, KeyError):
        return ""


def connection_kind() -> str:
    """Return the kind of connection: "browser", "ssh" or "local"."""
    if os.environ.get("TEXTUAL_DRIVER", "").endswith("WebDriver"):
        return "browser"
    return "ssh" if "SSH_CONNECTION" in os.environ else "local"


def sign_on(engine: Engine, login: str | None = None) -> Actor:
    """Return the actor for a login; without one, for the account of the operating system.

    The account signs in as the user with its name as login, else as the user whom it is linked to. Every account
    that can write the database file is trusted to say who it is. Raises NotFound when no user has the login, and
    Forbidden when the user is not active.
    """
    name = login or os_login()

    def read(view: Snapshot) -> User | None:
        return view.find(User, login=name.lower()) or (None if login else _user_linked_here(view))

    user = engine.read(NOBODY, read)
    if user is None:
        raise NotFound(
            f"There is no person with the login “{name}” in this workspace. Name yours with “--as LOGIN”, or ask a "
            "workspace admin to add you."
        )
    if not user.active:
        raise Forbidden(f"{user.name} is no longer active in this workspace. Ask a workspace admin.")
    return Actor(user.id, connection_kind())


def still_signs_in(view: Snapshot, user_id: Id, sign_in: str) -> bool:
    """Return whether a user is active, and the token or linked account of ``Actor.sign_in`` still is theirs."""
    user, (host, _, uid) = view.find(User, id=user_id), sign_in.rpartition(":")
    if user is None or not user.active:
        return False
    if host:
        linked_account = view.find(LinkedAccount, host=host, uid=int(uid))
        return linked_account is not None and linked_account.user_id == user_id
    token = view.find(Token, id=sign_in)
    opener = view.find(GatewayToken, id=token.gateway_id) if token and token.gateway_id else None
    return not sign_in or (token is not None and token.is_in_force(opener, view.now))


def find_account_here() -> tuple[str, int] | None:
    """Return the name and number of this process's account; None where the system has no such accounts."""
    try:
        import pwd

        found = pwd.getpwuid(os.getuid())
    except (ImportError, KeyError):
        return None
    return found.pw_name, found.pw_uid


def _user_linked_here(view: Snapshot) -> User | None:
    from core.net.this_host import host_id

    if (account := find_account_here()) is None:
        return None
    linked_account = view.find(LinkedAccount, host=host_id(), os_user=account[0], uid=account[1])
    return view.find(User, id=linked_account.user_id) if linked_account else None


def has_workspace(database: Database) -> bool:
    """Return whether the database contains a workspace."""
    return database.read(lambda tx: bool(tx.query("SELECT 1 FROM workspace LIMIT 1")))


def require_workspace(engine: Engine, place: DatabasePlace) -> None:
    """Raise DatabaseMissing if the database at this place contains no workspace."""
    if not has_workspace(engine.database):
        raise DatabaseMissing(f"There is no workspace in {place} yet. Create one with “podium init”.")
