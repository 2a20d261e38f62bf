"""The creation of a workspace: its database, its first user, its meta roles and templates."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from core.actions.workspace.meta_roles import seed_meta_roles
from core.domain.credentials import LinkedAccount, check_not_root, is_overflow_account
from core.domain.model import NO_EMAIL, WORKSPACE, Id, PlatformRole, User, Workspace
from core.engine.engine import Engine
from core.engine.messages import Catalog
from core.engine.unit_of_work import Actor, UnitOfWork, new_account, new_id
from core.errors import DatabaseBusy, InvalidInput, PodiumError, RuleViolation
from core.net.database_url import DatabasePlace, DatabaseUrl
from core.record import Record
from core.sign_in.local import NOBODY, connection_kind, find_account_here, has_workspace, os_login
from core.storage.database import Tx
from core.storage.opening import open_database
from core.text import sanitize


class FirstUser(Record):
    """The first user of a workspace, who becomes its admin."""

    login: str
    first_name: str
    last_name: str
    email: str = ""
    """Without an e-mail it becomes an address at ``NO_EMAIL``, since a user who works alone needs none."""
    city: str = ""
    allow_root: bool = False
    """Link root to this user too, where root creates the workspace under another login."""


def _checks(name: str, founder: FirstUser) -> dict[str, Callable[[], str]]:
    """The check of each field of a new workspace, which returns the value to store or raises InvalidInput."""
    return {
        "name": lambda: sanitize.one_line(name, "name", most=80),
        "login": lambda: sanitize.login(founder.login),
        "first_name": lambda: sanitize.person_name(founder.first_name, "first name"),
        "last_name": lambda: sanitize.last_name(founder.last_name),
        "email": lambda: sanitize.email(founder.email.strip() or f"{founder.login.strip()}@{NO_EMAIL}"),
        "city": lambda: sanitize.one_line(founder.city, "city", most=80, empty=True),
    }


def faults_of(name: str, founder: FirstUser) -> tuple[InvalidInput, ...]:
    """Return the refusals of all fields of a new workspace, so that a form can show them together."""
    found = []
    for check in _checks(name, founder).values():
        try:
            check()
        except InvalidInput as refused:
            found.append(refused)
    return tuple(found)


def create_workspace(work: UnitOfWork, name: str, founder: FirstUser) -> User:
    """Create the workspace and its first user, who becomes WORKSPACE_ADMIN. Returns the user.

    This is not a message, because there is no user yet who could send one. Raises RuleViolation when there is a
    workspace already.
    """
    from core.templates.built_in import seed_templates

    if work.all(Workspace, "1 = 1"):
        way = "Start Podium again to open it, or name another file with --db."
        raise RuleViolation(f"There is a workspace here already. {way}")
    checked: dict[str, Any] = {field: check() for field, check in _checks(name, founder).items()}
    workspace_name = checked.pop("name")
    user = User(id=new_id(), **checked, platform_roles=(PlatformRole.WORKSPACE_ADMIN,))
    work.actor = Actor(user.id)
    work.insert(Workspace(id=new_id(), name=workspace_name, auth_id=new_account()))
    seed_meta_roles(work)
    seed_templates(work)
    work.insert(user)
    work.say(f"made the workspace “{name}”")
    return user


def found_workspace(engine: Engine, name: str, founder: FirstUser, *, link_account: bool = False) -> Actor:
    """Create the workspace in an empty database. Returns the actor of its first user, who becomes its admin.

    If the login is not the account of the operating system, ``link_account`` links that account to the user, who could
    otherwise not sign in again without ``--as``; root only where the founder allows it, as ``LinkOsAccount`` has it.
    """

    def write(tx: Tx) -> Id:
        work = UnitOfWork(tx, NOBODY, engine.clock(), WORKSPACE)
        user = create_workspace(work, name, founder)
        work.record("FoundWorkspace")
        if link_account:
            _link_account(UnitOfWork(tx, Actor(user.id), engine.clock(), WORKSPACE), user, founder)
        return user.id

    return Actor(engine.database.write(write), connection_kind())


def why_not_linked(founder: FirstUser) -> str:
    """Return why the account of this process is not linked to the founder, and the way out; "" if it is."""
    account, login = find_account_here(), founder.login.strip().lower()
    if account is None or login == os_login():
        return ""
    way_out = f"sign in with “podium --as {login}”."
    if is_overflow_account(account[1], account[0]):
        return f"“{account[0]}” stands for all accounts that the machine cannot tell apart; {way_out}"
    if founder.allow_root:
        return ""
    try:
        check_not_root(*account)
    except RuleViolation as refused:
        return f"{refused} Until then, {way_out}"
    return ""


def _link_account(work: UnitOfWork, user: User, founder: FirstUser) -> None:
    from core.net.this_host import host_id

    account = find_account_here()
    if account is None or user.login == os_login() or why_not_linked(founder):
        return
    os_user, uid = account
    work.insert(LinkedAccount(host=host_id(), os_user=os_user, uid=uid, user_id=user.id, at=work.now, made_by=user.id))
    work.say(f"linked the account “{os_user}” (number {uid}), which created the workspace")
    work.record("LinkOsAccount")


def new_workspace(
    place: DatabasePlace, name: str, founder: FirstUser, load_catalog: Callable[[], Catalog], **options: Any
) -> Engine:
    """Create the workspace in a new file, or in an empty database. Raises PodiumError, and then leaves no new file.

    The account of the operating system is linked to the founder, as ``found_workspace`` says.
    """
    if isinstance(place, DatabaseUrl):
        return _new_workspace(place, name, founder, load_catalog, options)
    from core.files.own_files import check_not_reserved

    check_not_reserved(place)
    before = {each for each in _files_of(place) if os.path.lexists(each)}
    try:
        return _new_workspace(place, name, founder, load_catalog, options)
    except BaseException:
        if place not in before and not _has_workspace(place):
            for each in _files_of(place):
                if each not in before:
                    with contextlib.suppress(OSError):
                        each.unlink(missing_ok=True)
        raise


def _new_workspace(
    place: DatabasePlace, name: str, founder: FirstUser, load_catalog: Callable[[], Catalog], options: dict[str, Any]
) -> Engine:
    engine = Engine(open_database(place, create=True, **options), load_catalog)
    try:
        found_workspace(engine, name, founder, link_account=True)
    except BaseException:
        engine.database.close()
        raise
    return engine


def _files_of(path: Path) -> list[Path]:
    return [path.with_name(path.name + suffix) for suffix in ("", "-wal", "-shm", ".lock")]


def _has_workspace(path: Path) -> bool:
    """Return whether another program created a workspace there in the meantime, or is about to."""
    try:
        with contextlib.closing(open_database(path)) as database:
            return has_workspace(database)
    except DatabaseBusy:
        return True
    except PodiumError:
        return False
