"""How a workspace comes to be: its database, its first person, its meta roles and templates."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.actions.workspace.meta_roles import seed_meta_roles
from core.domain.model import WORKSPACE, Id, PlatformRole, User, Workspace
from core.engine.engine import Engine
from core.engine.sign_in import NOBODY, _account_here, connection_kind, has_workspace, os_login
from core.engine.unit_of_work import Actor, UnitOfWork, new_account, new_id
from core.errors import DatabaseBusy, PodiumError, RuleViolation
from core.storage.database import Tx
from core.text import sanitize


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstUser:
    """The first person of a workspace: its admin."""

    login: str
    first_name: str
    last_name: str
    email: str = ""
    """Without one it becomes an address that leads nowhere: whoever works alone needs none."""
    city: str = ""


def create_workspace(work: UnitOfWork, name: str, founder: FirstUser) -> User:
    """Make the workspace and its first person, who becomes WORKSPACE_ADMIN.

    It is no message: before it nobody is there to send one. Raises RuleViolation when there is a workspace already.
    """
    from core.templates.built_in import seed_templates

    if work.all(Workspace, "1 = 1"):
        raise RuleViolation("There is a workspace here already. Name another file with --db.")
    user = User(
        id=new_id(),
        login=sanitize.login(founder.login),
        first_name=sanitize.person_name(founder.first_name, "first name"),
        last_name=sanitize.person_name(founder.last_name, "last name"),
        email=sanitize.email(founder.email.strip() or f"{founder.login}@localhost.localdomain"),
        city=sanitize.one_line(founder.city, "city", most=80, empty=True),
        platform_roles=(PlatformRole.WORKSPACE_ADMIN,),
    )
    work.actor = Actor(user.id)
    work.insert(Workspace(id=new_id(), name=sanitize.one_line(name, "name", most=80), auth_id=new_account()))
    seed_meta_roles(work)
    seed_templates(work)
    work.insert(user)
    work.say(f"made the workspace “{name}”")
    return user


def found(engine: Engine, name: str, founder: FirstUser) -> Actor:
    """Make the workspace in an empty database; whoever makes it becomes its admin."""

    def write(tx: Tx) -> Id:
        work = UnitOfWork(tx, NOBODY, engine.clock(), WORKSPACE)
        user = create_workspace(work, name, founder)
        work.record("FoundWorkspace")
        return user.id

    return Actor(engine.database.write(write), connection_kind())


def new_workspace(path: Path, name: str, founder: FirstUser, **options: Any) -> Engine:
    """Make the database and the workspace in it. After a refusal no new file is left behind. Raises PodiumError.

    Where the founder has another login than the account of the operating system, that account is enrolled as the
    founder, who else could not sign on again without ``--as``.
    """
    from core.files.own_files import check_not_reserved
    from core.storage.sqlite import SqliteDatabase

    check_not_reserved(path)
    before = {each for each in _files_of(path) if os.path.lexists(each)}
    is_ours = False
    try:
        engine = Engine(SqliteDatabase(path, create=True, **options))
        try:
            actor = found(engine, name, founder)
            is_ours = True
            _enrol_founder(engine, actor)
        except BaseException:
            engine.database.close()
            raise
    except BaseException:
        if path not in before and (is_ours or not _has_workspace(path)):
            for each in _files_of(path):
                if each not in before:
                    with contextlib.suppress(OSError):
                        each.unlink(missing_ok=True)
        raise
    return engine


def _enrol_founder(engine: Engine, founder: Actor) -> None:
    from core.domain.credentials import LinkedAccount, is_overflow_account

    account = _account_here()
    if account is None or is_overflow_account(account[1], account[0]):
        return
    os_user, uid = account

    def write(tx: Tx) -> None:
        work = UnitOfWork(tx, founder, engine.clock(), WORKSPACE)
        if work.get(User, id=founder.user_id).login == os_login():
            return
        work.insert(LinkedAccount(os_user=os_user, uid=uid, user_id=founder.user_id, at=work.now))
        work.say(f"enrolled the account “{os_user}” (number {uid}), which made the workspace")
        work.record("LinkOsAccount")

    engine.database.write(write)


def _files_of(path: Path) -> list[Path]:
    return [path.with_name(path.name + suffix) for suffix in ("", "-wal", "-shm", ".lock")]


def _has_workspace(path: Path) -> bool:
    """Whether another program made a workspace there meanwhile, or is about to."""
    from core.storage.sqlite import SqliteDatabase

    try:
        with contextlib.closing(SqliteDatabase(path)) as database:
            return has_workspace(Engine(database))
    except DatabaseBusy:
        return True
    except PodiumError:
        return False
