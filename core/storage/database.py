"""The Database protocol: all that the core asks of a database. One SQL text with ``:named`` parameters fits any engine.

The SQL stays portable: TEXT, INTEGER and BIGINT only; dates as ISO text; booleans as 0 and 1; the current time passed
in as a parameter; NULLS FIRST or LAST given where it matters; an engine's own functions only in ``core/storage``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from core.errors import StorageError, VersionConflict
from core.record import Record
from core.storage.progress import NO_PROGRESS, Progress

T = TypeVar("T")
Row = Mapping[str, Any]
Statement = tuple[str, Mapping[str, object]]
"""The text of a statement, and its parameters by name."""


class ConstraintViolation(Exception):
    """A row refers to a missing row, is referred to by another, or repeats a unique value.

    The rules refuse such a change before it reaches the database, so another change came in between. ``Tx`` raises it;
    ``Database.write`` turns it into ``meanwhile()``.
    """


def meanwhile() -> VersionConflict:
    """The error for a change that another one, at the same moment, has made impossible."""
    return VersionConflict(
        "Something that this builds on was changed or removed at the same moment. Look at it as it is now.",
        current=None,
    )


class DiskSpace(Record, kw_only=False):
    """The space of a database on its disk, in bytes."""

    free: int
    """Free space, after all that is committed has been moved from the log into the file."""
    taken: int
    """Space that the records take."""


class DatabaseHealth(Record, kw_only=False):
    """The state of a database behind a network, as one process sees it."""

    server: str
    """The name and version of the server."""
    lacks: tuple[str, ...]
    """Sentences about abilities that the server does not have. None of them is a fault."""
    warnings: tuple[str, ...]
    """Sentences about settings and delays that someone must look at."""
    connections: int
    """Open connections of this process."""
    in_use: int
    """Connections with a transaction, without that of this look."""
    waiting: int
    """Transactions that wait for a connection."""
    retries_per_minute: int
    """Transactions that ran again after a conflict or a broken connection, in the last minute."""
    unknown_commits: int
    """Commits since the start whose result could not be learned, because the server did not answer."""
    seconds_behind: float
    """Seconds since this process last looked at the commits of others."""
    clock_difference: float
    """Seconds by which the clock of the server is ahead of the clock of this machine."""
    replicas: int
    """Replicas that follow the server."""
    replication_lag: float | None
    """Seconds by which the slowest replica is behind; None without replicas, and where the role may not see it."""


class Tx(Protocol):
    """One open transaction."""

    def query(self, sql: str, **params: object) -> list[Row]:
        """Return all rows of a statement, by column name."""

    def tuples(self, sql: str, **params: object) -> list[tuple[Any, ...]]:
        """Return all rows of a statement as tuples, which is faster for long lists.

        A statement that comes again, without a write in between, is not carried out again.
        """

    def tuples_all(self, statements: Sequence[Statement]) -> list[list[tuple[Any, ...]]]:
        """Return the rows of each statement as tuples. An engine behind a network sends them in one round trip."""

    def execute(self, sql: str, **params: object) -> int:
        """Run a statement. Return the number of rows that it changed."""

    def execute_all(self, statements: Sequence[Statement]) -> list[int]:
        """Run statements with their parameters, in order; an engine behind a network sends them in one round trip.
        Return the number of rows that each changed."""

    def search(self, words: Sequence[str], scopes: Collection[str], most: int, member: str = "") -> list[Row]:
        """Return up to ``most`` documents that hold all words: ``scope``, ``kind``, ``ref_id``, ``title``, ``body``.

        ``words`` are letters and digits only. They also match as beginnings of words; case and accents do not matter.
        Documents with the whole words in the title come first, then those with words in the title that begin so, then
        those with such words anywhere; each group newest first. A scope is a project id or WORKSPACE. The projects of
        ``member``, the id of a user, are searched besides.
        """

    def find_cached(self, key: Hashable, find: Callable[[], T]) -> T:
        """Return the result of ``find``, or an earlier one for the same key if there was no commit since.

        For results that many users need after one user's change. The result must depend on the database and the key
        alone, be small, and never be modified. In a transaction that writes, ``find`` always runs.
        """

    def savepoint(self, work: Callable[[], T]) -> T:
        """Run ``work`` and return its result; if it raises, only its own changes are undone."""


KEPT_SECONDS = 60
"""Seconds for which a note is kept."""


class Note(Record, kw_only=False):
    """A short text that a program shows the other programs on a database for a while."""

    program: str
    key: str
    text: str
    """Empty for a note that was taken back."""
    age: float
    """Seconds since it was put."""


class Notes(Protocol):
    """The notes of a database, as one program puts and reads them. They are part of no commit, and used by one thread.

    Each method raises StorageError.
    """

    look_seconds: float
    """Seconds after which to look for notes of other programs, whether there was a notice or not."""

    def put(self, texts: Mapping[str, str]) -> None:
        """Put notes under their keys, in place of this program's earlier ones. An empty text takes a note back."""

    def read(self) -> list[Note]:
        """The notes of other programs that were put since the last call, in the order of each program."""

    def on_note(self, notify: Callable[[], None]) -> Callable[[], None]:
        """Call ``notify`` from any thread after other programs put notes, where the engine reports that.

        Returns a function that ends it.
        """


class Database(Protocol):
    """The place that stores one workspace. A write and a read:

    >>> database.write(lambda tx: tx.execute("DELETE FROM token WHERE id = :id", id=token_id))
    >>> rows = database.read(lambda tx: tx.query("SELECT * FROM token"))
    """

    @property
    def unwritable(self) -> StorageError | None:
        """The reason why the database was opened read-only; None if it can be written."""

    @property
    def retries(self) -> Mapping[str, int]:
        """Transactions of this program that ran again, by cause, since its start. A file has none."""

    writers: int
    """The transactions of one program that write at one time; further ones only wait."""

    def read(self, work: Callable[[Tx], T], progress: Progress = NO_PROGRESS) -> T:
        """Run ``work`` on one snapshot and return its result. It cannot write; reads within it see the same snapshot.

        Where there is one writer, a read within a write sees the transaction of the write.

        Raises Cancelled once ``progress`` is cancelled, TookTooLong after the time limit of a transaction.
        """

    def write(
        self, work: Callable[[Tx], T], progress: Progress = NO_PROGRESS, *, linked: bool = True, scope: str = ""
    ) -> T:
        """Run ``work`` alone and commit it durably. It may run again after a conflict, so it must have no other effect.

        ``linked=False`` turns off the check that rows refer to existing rows. ``scope`` names the project that it
        writes, or WORKSPACE: an engine with several writers lets those of one scope wait for each other, which saves
        conflicts; the result does not depend on it. Raises as ``read`` does, and then nothing is written.
        """

    def data_version(self) -> int:
        """A number that changes when another connection commits. Costs microseconds."""

    def last_commit(self) -> int:
        """The number of the last commit of this thread, counted over all programs; 0 where it is not known."""

    def newest_commit(self) -> int:
        """The number of the newest commit of all programs; 0 where one look does not tell. Raises StorageError."""

    def commits_seen(self, at_least: int = 0) -> int:
        """The number of commits of all programs that this process knows of, to compare with that of another process.

        If the last look found fewer than ``at_least``, this looks again, so that ``data_version`` includes them. It is
        0 where each call of ``data_version`` looks. Raises StorageError if it has to look and cannot.
        """

    def on_commit(self, notify: Callable[[], None]) -> Callable[[], None]:
        """Call ``notify`` from any thread after commits, where the engine reports them, else never.

        It comes sooner than a look at ``data_version`` at intervals, but can be missed, so it does not replace that.
        Returns a function that ends it.
        """

    def notes(self) -> Notes | None:
        """The notes that the servers on this database share; None where there is one server."""

    def check_writable(self) -> None:
        """Raise StorageError if a write would fail now, as far as that can be seen without writing."""

    def health(self) -> DatabaseHealth | None:
        """The state of the server; None for a file. Raises StorageError."""

    def room(self) -> DiskSpace:
        """The free and the taken space, after the log was cut. Raises StorageError."""

    def hand_over(self) -> None:
        """Leave the connection of this thread to the next thread that would open one, which takes time."""

    def close(self) -> None:
        """Close every connection."""


class DatabaseInFile:
    """The part of a Database that says that there is one writer, and no server that reports anything."""

    writers = 1
    retries: Mapping[str, int] = {}

    def commits_seen(self, at_least: int = 0) -> int:
        """Return 0: each call of ``data_version`` looks."""
        return 0

    def on_commit(self, notify: Callable[[], None]) -> Callable[[], None]:
        """Never call ``notify``: no commits of other programs are reported."""
        return lambda: None

    def notes(self) -> None:
        return None

    def health(self) -> None:
        return None

    def hand_over(self) -> None:
        """Do nothing."""


EVERY = 2**62
"""More rows than there are, for a LIMIT that leaves out none."""

ASKED_AT_ONCE = 500
"""Values in one IN list: fewer than the parameters that any engine allows."""


def batches(values: Sequence[T]) -> Iterator[Sequence[T]]:
    """Split the values into parts of up to ASKED_AT_ONCE, each for one IN list."""
    return (values[start : start + ASKED_AT_ONCE] for start in range(0, len(values), ASKED_AT_ONCE))


def among(column: str, values: Iterable[object] | None) -> tuple[str, dict[str, object]]:
    """Return the SQL that limits a column to these values, after another condition, with its parameters; for None no
    limit."""
    if values is None:
        return "", {}
    chosen, params = placeholders(values, prefix=f"{column.rpartition('.')[2]}_")
    return f" AND {column} IN {chosen}", params


def placeholders(values: Iterable[object], prefix: str = "v") -> tuple[str, dict[str, object]]:
    """The text and the parameters of an IN list: ``(:v0, :v1)`` and ``{"v0": …, "v1": …}``.

    For no values it is a list without rows, so that IN is false and NOT IN true on every engine. More texts than
    ASKED_AT_ONCE are one parameter: an engine allows some ten thousand, and SQLite takes time by the square of their
    number.
    """
    listed = list(values)
    if len(listed) > ASKED_AT_ONCE and all(isinstance(value, str) for value in listed):
        return f"(SELECT value FROM json_each(:{prefix}))", {prefix: json.dumps(listed, ensure_ascii=False)}
    params = {f"{prefix}{index}": value for index, value in enumerate(listed)}
    return f"({', '.join(f':{name}' for name in params) or 'SELECT NULL WHERE 1 = 0'})", params
