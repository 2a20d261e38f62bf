"""The connection of the command line to a workspace: in a local file, or behind a server."""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING, Any, TypeVar

from core.actions import load_catalog
from core.config import Config
from core.domain.model import Id
from core.engine.messages import Command, Query
from core.errors import PodiumError
from core.storage.database import Database
from core.storage.progress import NO_PROGRESS, Progress

if TYPE_CHECKING:
    from core.engine.dry_run import DryRun

R = TypeVar("R")


class LocalWorkspace:
    """A database without a server. Anyone who can write it can name any login."""

    def __init__(self, config: Config, login: str | None) -> None:
        from core.authorization.configured_source import configured_source
        from core.engine.engine import Engine
        from core.sign_in.local import require_workspace, sign_on
        from core.storage.opening import open_database

        self._config = config
        self._database = open_database(config.db, synchronous=config.synchronous)
        self._wrote = False
        try:
            self._engine = Engine(self._database, load_catalog, configured_source(config, self._database))
            require_workspace(self._engine, config.db)
            self._actor = sign_on(self._engine, login)
        except BaseException:
            self._database.close()
            raise

    @property
    def user_id(self) -> Id:
        """The id of the user who sends the messages."""
        return self._actor.user_id

    def execute(self, command: Command[R], progress: Progress = NO_PROGRESS) -> R:
        """Carry out a command. Raises PodiumError."""
        self._wrote = True
        return self._engine.execute(command, self._actor, progress)

    def dry_run(self, command: Command[Any]) -> DryRun:
        """Answer what a command would change. Raises the PodiumError by which it would be refused."""
        return self._engine.dry_run(command, self._actor)

    def query(self, query: Query[R]) -> R:
        """Answer a query. Raises PodiumError."""
        return self._engine.query(query, self._actor)

    def let_go(self) -> None:
        """Release the database for a while, so that other programs can use it."""
        self._database.close()

    def close(self) -> None:
        """After the backup of the day, when something was changed."""
        if self._wrote:
            back_up(self._config, self._database)
        elif not self._database.unwritable and self._has_left():
            from core.engine.large_projects import sweep

            sweep(self._database)
        self._engine.close()

    def _has_left(self) -> bool:
        """Return True if imports or deletions are under way, or were killed."""
        with contextlib.suppress(PodiumError):
            return bool(self._database.read(lambda tx: tx.tuples("SELECT 1 FROM unfinished LIMIT 1")))
        return False


class RemoteWorkspace:
    """A workspace behind a server, which identifies the user."""

    def __init__(self, config: Config, login: str | None) -> None:
        import asyncio

        from core.backends.remote import remote_backend

        self._backend = remote_backend(config, login)
        self._loop = asyncio.new_event_loop()
        self._user_id: Id | None = None

    @property
    def user_id(self) -> Id:
        if self._user_id is None:
            from core.actions.workspace.profile import GetCurrentUser

            self._user_id = self.query(GetCurrentUser()).user.id
        return self._user_id

    def execute(self, command: Command[R], progress: Progress = NO_PROGRESS) -> R:
        return self._loop.run_until_complete(self._backend.execute(command, progress))

    def dry_run(self, command: Command[Any]) -> DryRun:
        return self._loop.run_until_complete(self._backend.dry_run(command))

    def query(self, query: Query[R]) -> R:
        return self._loop.run_until_complete(self._backend.query(query))

    def let_go(self) -> None:
        """Nobody waits for a connection that is idle."""

    def close(self) -> None:
        self._loop.run_until_complete(self._backend.close())
        self._loop.close()


def workspace_of(config: Config, login: str | None) -> LocalWorkspace | RemoteWorkspace:
    """The workspace that the configuration names. Raises PodiumError."""
    return RemoteWorkspace(config, login) if config.server else LocalWorkspace(config, login)


def back_up(config: Config, database: Database) -> None:
    """Delete what stopped imports have left, and make the backup of the day for a file where that is wanted.

    The change is already committed: a full disk does not undo it, and is reported on stderr.
    """
    from core.engine.large_projects import sweep
    from core.storage.sqlite.database import SqliteDatabase

    sweep(database)
    if config.daily_backup and isinstance(database, SqliteDatabase) and not database.unwritable:
        from core.storage.backups import rotate
        from tui.cli.output import line

        try:
            rotate(database)
        except (PodiumError, OSError) as error:
            print(f"Warning: the backup of the day was not made. {line(str(error))}", file=sys.stderr)
