"""The session of one command: its workspace and user, as the options of the command line name them."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, NoReturn, Protocol, TypeVar, cast

from core.config import Config, load
from core.engine.messages import Command, Message, Query
from core.errors import InvalidInput
from core.net.database_url import DatabaseUrl
from core.record import Record, fields
from core.storage.progress import NO_PROGRESS, Progress
from core.text.sanitize import visible_line
from tui.cli.option_keys import DB, DIRECT, DRY_RUN, FIELDS, IDS, JSON, LIMIT, LOGIN, SERVER, SORT
from tui.cli.output import print_json, print_line, say, table, until_the_reader_leaves
from tui.cli.workspace import workspace_of

if TYPE_CHECKING:
    import click

    from tui.cli.list_options import ListOptions

R = TypeVar("R")
T = TypeVar("T")


class Foreseen(Exception):
    """Ends a command with --dry-run after its answer was printed; ``status`` is the exit status."""

    def __init__(self, status: int) -> None:
        self.status = status


class CommandLine(Protocol):
    """The command line of a command: a click.Context, or that of ``tui.cli.quick``."""

    @property
    def meta(self) -> dict[str, Any]:
        """The options."""

    @property
    def command_path(self) -> str:
        """The names of the program and its command."""


class Parameter(Generic[T]):
    """An argument or an option: its form for click, how its text becomes a value, and the field that the value fills.

    A parameter that only says where the next ones are found names a field that the message may lack. ``sent`` is the
    value of the field, such as the id of a record, and ``noun`` names the records by which a shell completes it.
    """

    def __init__(
        self,
        form: click.Parameter,
        read: Callable[[Session, Any], T] = lambda _, text: text,
        field: str = "",
        sent: Callable[[T], Any] = lambda value: value,
        noun: str = "",
    ) -> None:
        self.form, self.read, self.field, self.sent = form, read, field, sent
        self.noun = noun


class Session:
    """Sends messages to one workspace as one user, and prints the answers as text or JSON.

    ``session[TASK]`` is the value of a parameter of the command line, here the task that was named.
    """

    def __init__(
        self,
        config: Config,
        login: str | None,
        *,
        as_json: bool,
        ids_only: bool = False,
        dry_run: bool = False,
        list_options: ListOptions | None = None,
    ) -> None:
        self.config = config
        self.as_json, self.ids_only = as_json, ids_only
        self.list_options = list_options
        """--fields, --sort and --limit; None where none of them is given."""
        self.dry_run = dry_run
        """True if commands only answer what they would change."""
        self.workspace = workspace_of(config, login)
        self._values: dict[Parameter[Any], Any] = {}

    def __getitem__(self, parameter: Parameter[T]) -> T:
        value: T = self._values[parameter]
        return value

    def __setitem__(self, parameter: Parameter[T], value: T) -> None:
        self._values[parameter] = value

    def execute(
        self,
        command: Command[R],
        progress: Progress = NO_PROGRESS,
        *,
        preview: Callable[[], object] | None = None,
        document: Callable[[], object] | None = None,
    ) -> R:
        """Carry out a command. Raises PodiumError, and Foreseen after a dry run.

        ``preview`` prints for people what the command would do, and ``document`` is the JSON for programs, instead of
        the records that it would change.
        """
        if self.dry_run:
            self._foresee([command], preview, document)
        return self.workspace.execute(command, progress)

    def execute_all(self, commands: Sequence[Command[R]]) -> tuple[R, ...]:
        """Carry out commands one after another. A dry run answers for each as if it were the first."""
        if self.dry_run:
            self._foresee(commands)
        return tuple(map(self.workspace.execute, commands))

    def _foresee(
        self,
        commands: Sequence[Command[Any]],
        preview: Callable[[], object] | None = None,
        document: Callable[[], object] | None = None,
    ) -> NoReturn:
        from tui.cli import dry_run

        found = dry_run.join_dry_runs([self.workspace.dry_run(each) for each in commands])
        until_the_reader_leaves(
            lambda: dry_run.show(
                found, as_json=self.as_json, ids_only=self.ids_only, preview=preview, document=document
            )
        )
        raise Foreseen(1 if found.refused else 0)

    def query(self, query: Query[R]) -> R:
        return self.workspace.query(query)

    @property
    def parameters(self) -> dict[str, Any]:
        """The values of the parameters by their names on the command line."""
        return {parameter.form.name or "": value for parameter, value in self._values.items()}

    def send(self, message: Message[Any]) -> Any:
        """Execute a command or answer a query. Raises PodiumError."""
        return self.execute(message) if isinstance(message, Command) else self.query(cast("Query[Any]", message))

    def print_result(self, result: object, *sentences: str) -> None:
        """Print the result of a command: itself for programs, sentences for people, each on its line."""
        self.show(result, lambda _: map(visible_line, sentences))

    def show(self, result: R, lines: Callable[[R], Iterable[str]]) -> None:
        """Print one result: itself for programs, lines for people."""
        until_the_reader_leaves(lambda: self.print_now(lambda: _encode(result), [result], lambda: _say(lines(result))))

    def list(
        self,
        values: Iterable[T],
        heads: Sequence[str],
        row: Callable[[T], Sequence[object]],
        empty: str,
        *,
        answer: object = None,
        below: Callable[[T], Iterable[str]] = lambda _: (),
    ) -> None:
        """Print several results: as ``{"data": […]}`` for programs, in columns for people.

        ``below`` are lines of a value that stand below its last column.
        ``answer`` is the collection that they are the list of: programs read the whole of it.
        """

        def under(value: T) -> Iterator[Sequence[object]]:
            return ((*("" for _ in heads[1:]), each) for each in below(value))

        if self.list_options and heads:
            values, answer = self._arrange(values, heads, row, self.list_options), None
            if self.list_options.fields:
                return
        until_the_reader_leaves(
            lambda: self.print_now(
                lambda: _encode(answer) if answer else _collection(values),
                values,
                lambda: table(heads, (each for value in values for each in (row(value), *under(value))), empty),
            )
        )

    def _arrange(
        self, values: Iterable[T], heads: Sequence[str], row: Callable[[T], Sequence[object]], options: ListOptions
    ) -> Sequence[T]:
        """The values in the order and up to the limit that are wanted. Prints their fields, if some are asked for.

        Raises InvalidInput.
        """
        from tui.cli import list_options

        lines = [
            list_options.ListedLine(each, _encode(each), dict(zip(map(str.casefold, heads), row(each), strict=True)))
            for each in values
        ]
        lines = list_options.arrange(lines, options)
        if options.fields:
            found = [list_options.choose_fields(each, options.fields) for each in lines]
            texts = ["\t".join(map(list_options.cell, each.values())) for each in found]
            until_the_reader_leaves(
                lambda: print_json({"data": found}) if self.as_json else [print(each) for each in texts]
            )
        return [each.value for each in lines]

    def print_now(
        self, document: Callable[[], object], values: Iterable[object], for_people: Callable[[], object]
    ) -> None:
        """Print a JSON document, the ids of values or a text for people. Raises OSError where it cannot be written."""
        if self.as_json:
            print_json(document())
        elif self.ids_only:
            for each in filter(None, map(id_of, values)):
                print_line(each)
        else:
            for_people()


def _encode(value: object) -> object:
    from core.codec.encoding import to_json

    return to_json(value)


def _collection(values: Iterable[object]) -> object:
    from core.codec.encoding import collection

    return collection(values)


def _say(lines: Iterable[str]) -> None:
    for each in lines:
        say(each)


def id_of(value: object) -> str:
    """The id of a record, or of the record that it tells about, which is its first field with one; "" for none."""
    inner = [getattr(value, name) for name in fields(value)] if isinstance(value, Record) else []
    for each in (value, *(field for field in inner if isinstance(field, Record))):
        if isinstance(found := getattr(each, "id", None) or getattr(each, "target_id", None), str):
            return found
    return ""


def config_of(context: CommandLine) -> Config:
    """The configuration with the flags of this command line; --db goes before a server that is set elsewhere.

    Raises InvalidInput.
    """
    db, server = context.meta.get(DB), context.meta.get(SERVER)
    if db is not None and server is not None:
        raise InvalidInput("server", "Name a database with --db or a server with --server, not both.")
    return load({"db": db, "server": "" if db is not None else server})


def config_to_sign_on(context: CommandLine) -> Config:
    """The configuration, for a command that signs a user on. Raises InvalidInput.

    A database of PostgreSQL has servers, which identify people; without one, its password makes a person any user.
    """
    config = config_of(context)
    if isinstance(config.db, DatabaseUrl) and not config.server and DIRECT not in context.meta:
        raise InvalidInput(
            "server",
            f"{config.db} is opened by servers, which know who you are. Name one with --server; or write --direct "
            "beside --db to act as any user, as its administrator.",
        )
    return config


def require_database(context: CommandLine) -> Config:
    """The configuration, for a command that works on a database. Raises InvalidInput when a server is named."""
    config = config_of(context)
    if config.server:
        raise InvalidInput(
            "server",
            f"“{context.command_path}” works on a database, and a server is named: {config.server}. "
            "Name the database with --db instead.",
        )
    return config


def require_local_file(context: CommandLine) -> Path:
    """The path of the database, for a command that works on a file. Raises InvalidInput for a server and for a URL."""
    db = require_database(context).db
    if isinstance(db, DatabaseUrl):
        raise InvalidInput("db", f"“{context.command_path}” works on a file, and {db} is a database of PostgreSQL.")
    return db


def login_of(context: CommandLine) -> str | None:
    """The login after --as, if any."""
    login: str | None = context.meta.get(LOGIN)
    return login


def wants_json(context: CommandLine) -> bool:
    """Return True if --json was given."""
    return bool(context.meta.get(JSON))


class NewSecret(Protocol):
    """A token that was just made, with the secret that is shown once."""

    @property
    def secret(self) -> str: ...


def print_secret(session: Session, made: NewSecret, revoke: Command[Any], note: str) -> None:
    """Print a secret and a note. If the secret cannot be printed, its token is revoked, because no one has it."""
    try:
        session.print_now(lambda: _encode(made), [made], lambda: print_line(made.secret))
        sys.stdout.flush()
    except OSError as error:
        session.execute(revoke)
        raise OSError(error.errno, f"{error.strerror}; the new token was revoked") from error
    if not session.as_json:
        print(note, file=sys.stderr)


def _list_options(context: CommandLine) -> ListOptions | None:
    if not context.meta.keys() & {FIELDS, SORT, LIMIT}:
        return None
    from tui.cli.list_options import ListOptions

    fields = tuple(filter(None, map(str.strip, context.meta.get(FIELDS, "").split(","))))
    return ListOptions(fields=fields, sort=context.meta.get(SORT, ""), limit=context.meta.get(LIMIT))


@contextlib.contextmanager
def command_session(context: CommandLine) -> Iterator[Session]:
    """A session by the options of this command line."""
    opened = Session(
        config_to_sign_on(context),
        login_of(context),
        as_json=wants_json(context),
        ids_only=IDS in context.meta,
        dry_run=DRY_RUN in context.meta,
        list_options=_list_options(context),
    )
    try:
        yield opened
    finally:
        opened.workspace.close()
