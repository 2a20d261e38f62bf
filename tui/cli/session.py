"""A workspace and a person, for the time of one command; and the options that say which they are."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import update_wrapper
from pathlib import Path
from typing import Any, TypeVar

import click

from core.config import Config, load
from core.engine.messages import Command, Query
from core.errors import InvalidInput
from core.storage.progress import NO_PROGRESS, Progress
from tui.cli.output import print_json, table, tell
from tui.cli.workspace import workspace_of

R = TypeVar("R")
T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])

DB, SERVER, LOGIN, JSON = "podium.db", "podium.server", "podium.login", "podium.json"
"""Where the options are kept while click reads the line; a later one wins, so they may stand anywhere."""


class Session:
    """Sends messages to one workspace as one person, and prints what comes back as was asked for."""

    def __init__(self, config: Config, login: str | None, as_json: bool) -> None:
        self.config = config
        self.as_json = as_json
        self.workspace = workspace_of(config, login)

    def execute(self, command: Command[R], progress: Progress = NO_PROGRESS) -> R:
        return self.workspace.execute(command, progress)

    def query(self, query: Query[R]) -> R:
        return self.workspace.query(query)

    def done(self, result: object, *sentences: str) -> None:
        """Print the result of a command: itself for programs, sentences for people, each on its line."""
        from core.codec.encoding import to_json

        if self.as_json:
            print_json(to_json(result))
        else:
            for each in sentences:
                tell(each)

    def list(
        self,
        values: Iterable[T],
        heads: Sequence[str],
        row: Callable[[T], Sequence[object]],
        empty: str,
        *,
        answer: object = None,
    ) -> None:
        """Print several results: as ``{"data": […]}`` for programs, in columns for people.

        ``answer`` is the collection that they are the list of: programs read the whole of it.
        """
        from core.codec.encoding import collection, to_json

        if self.as_json:
            print_json(to_json(answer) if answer else collection(values))
        else:
            table(heads, map(row, values), empty)


def config_of(context: click.Context) -> Config:
    """The configuration with the flags of this command line; --db goes before a server that is set elsewhere.

    Raises InvalidInput.
    """
    db, server = context.meta.get(DB), context.meta.get(SERVER)
    if db is not None and server is not None:
        raise InvalidInput("server", "Name a database with --db or a server with --server, not both.")
    return load({"db": db, "server": "" if db is not None else server})


def require_local_file(context: click.Context) -> Config:
    """The configuration, for a command that only works on a file. Raises InvalidInput when a server is named."""
    config = config_of(context)
    if config.server:
        raise InvalidInput(
            "server",
            f"“{context.command_path}” works on a database file, and a server is named: {config.server}. "
            "Name the file with --db, where the file is.",
        )
    return config


def login_of(context: click.Context) -> str | None:
    """The login after --as, if any."""
    login: str | None = context.meta.get(LOGIN)
    return login


def wants_json(context: click.Context) -> bool:
    """Whether --json was given."""
    return bool(context.meta.get(JSON))


def tell_secret(session: Session, made: Any, secret: str, revoke: Command[Any]) -> None:
    """Print a secret that is shown once. Where it cannot be printed nobody has it, so the token is revoked."""
    try:
        session.done(made, secret)
        sys.stdout.flush()
    except OSError as error:
        session.execute(revoke)
        raise OSError(error.errno, f"{error.strerror}; the new token was revoked") from error


@contextlib.contextmanager
def session(context: click.Context) -> Iterator[Session]:
    """A session by the options of this command line."""
    opened = Session(config_of(context), login_of(context), wants_json(context))
    try:
        yield opened
    finally:
        opened.workspace.close()


def _keep(name: str) -> Callable[[click.Context, click.Parameter, Any], None]:
    def keep(context: click.Context, _: click.Parameter, value: Any) -> None:
        if value:
            context.meta[name] = value

    return keep


def workspace_options(function: F) -> F:
    """--db, --server, --as and --json."""
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
            "--server",
            metavar="URL",
            expose_value=False,
            callback=_keep(SERVER),
            help="The server that has the workspace: unix:/path or https://….",
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

    return workspace_options(update_wrapper(run, function))


def relock_option(function: F) -> F:
    """--allow-relock: consent to later phases locking again."""
    return click.option("--allow-relock", "relock", is_flag=True, help="Allow later phases to lock again.")(function)
