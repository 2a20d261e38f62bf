"""A database and a person, for the time of one command; and the options that say which they are."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import update_wrapper
from pathlib import Path
from typing import Any, TypeVar

import click

from core.config import Config, load
from core.errors import DatabaseMissing, PodiumError
from core.messages import Command, Query
from core.progress import UNWATCHED, Progress
from tui.cli.output import print_json, say, table

R = TypeVar("R")
T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])

DB, LOGIN, JSON = "podium.db", "podium.login", "podium.json"
"""Where the options are kept while click reads the line; a later one wins, so they may stand anywhere."""


class Session:
    """Sends messages to one workspace as one person, and prints what comes back as was asked for."""

    def __init__(self, config: Config, login: str | None, as_json: bool) -> None:
        from core.application import Application
        from core.authorization.sources import source_in_use
        from core.sign_on import is_founded, sign_on
        from core.storage.sqlite import SqliteDatabase

        self.config = config
        self.as_json = as_json
        self.database = SqliteDatabase(config.db, synchronous=config.synchronous)
        self.application = Application(self.database, source_in_use(config, self.database))
        if not is_founded(self.application):
            raise DatabaseMissing(f"There is no workspace in {config.db} yet. “podium init” makes one.")
        self.actor = sign_on(self.application, login)
        self._wrote = False

    def execute(self, command: Command[R], progress: Progress = UNWATCHED) -> R:
        self._wrote = True
        return self.application.execute(command, self.actor, progress)

    def query(self, query: Query[R]) -> R:
        return self.application.query(query, self.actor)

    def done(self, result: object, sentence: str) -> None:
        """Print the result of a command: itself for programs, a sentence for people."""
        from core.wire import to_json

        if self.as_json:
            print_json(to_json(result))
        else:
            say(sentence)

    def list(self, values: Iterable[T], heads: Sequence[str], row: Callable[[T], Sequence[object]], empty: str) -> None:
        """Print several results: as ``{"data": […]}`` for programs, in columns for people."""
        from core.wire import collection

        if self.as_json:
            print_json(collection(values))
        else:
            table(heads, map(row, values), empty)

    def close(self) -> None:
        """Let go of the database, after the backup of the day when this command changed something."""
        if self._wrote:
            back_up(self.config, self.database)
        self.application.close()


def back_up(config: Config, database: Any) -> None:
    """Make the backup of the day where that is wanted. What was done is done: a full disk does not undo it."""
    if config.backups:
        from core.storage.upkeep import rotate

        with contextlib.suppress(PodiumError, OSError):
            rotate(database)


def config_of(context: click.Context) -> Config:
    """The configuration with the flags of this command line."""
    return load({"db": context.meta.get(DB)})


def login_of(context: click.Context) -> str | None:
    """The login after --as, if any."""
    login: str | None = context.meta.get(LOGIN)
    return login


def wants_json(context: click.Context) -> bool:
    """Whether --json was given."""
    return bool(context.meta.get(JSON))


@contextlib.contextmanager
def session(context: click.Context) -> Iterator[Session]:
    """A session by the options of this command line."""
    opened = Session(config_of(context), login_of(context), wants_json(context))
    try:
        yield opened
    finally:
        opened.close()


def _keep(name: str) -> Callable[[click.Context, click.Parameter, Any], None]:
    def keep(context: click.Context, _: click.Parameter, value: Any) -> None:
        if value:
            context.meta[name] = value

    return keep


def place_options(function: F) -> F:
    """--db, --as and --json."""
    for decorate in (
        click.option("--json", is_flag=True, expose_value=False, callback=_keep(JSON), help="Print JSON."),
        click.option(
            "--as",
            metavar="LOGIN",
            envvar="PODIUM_AS",
            expose_value=False,
            callback=_keep(LOGIN),
            help="Act as this person.",
        ),
        click.option(
            "--db",
            type=click.Path(path_type=Path),
            expose_value=False,
            callback=_keep(DB),
            help="The database of the workspace.",
        ),
    ):
        function = decorate(function)
    return function


def in_workspace(function: Callable[..., int | None]) -> Callable[..., int | None]:
    """A command that gets an open session as its first argument, and the options that say which.

    What it returns is the exit status.
    """

    @click.pass_context
    def run(context: click.Context, *args: Any, **kwargs: Any) -> int | None:
        with session(context) as opened:
            return function(opened, *args, **kwargs)

    return place_options(update_wrapper(run, function))


def relock_option(function: F) -> F:
    """--relock: what the core asks before later phases lock again is answered beforehand."""
    return click.option("--relock", is_flag=True, help="Do it although later phases lock again.")(function)
