"""What the core asks of a database. One SQL text, with ``:named`` parameters, serves every engine.

Portable means: TEXT, INTEGER and BIGINT; dates as ISO text; booleans 0 and 1; the time of day passed in as a
parameter; NULLS FIRST or LAST said wherever it matters; no engine's own functions outside ``core/storage``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

from core.storage.progress import NO_PROGRESS, Progress

T = TypeVar("T")
Row = Mapping[str, Any]


class Room(NamedTuple):
    """On the disk of a database, in bytes."""

    free: int
    """What can still be written, once all that was committed is in its place."""
    taken: int
    """What the records take."""


class Tx(Protocol):
    """One open transaction."""

    def query(self, sql: str, **params: object) -> list[Row]:
        """All rows of a statement, by column name."""

    def tuples(self, sql: str, **params: object) -> list[tuple[Any, ...]]:
        """All rows of a statement, by position: for the long lists."""

    def execute(self, sql: str, **params: object) -> int:
        """Run a statement; the number of rows it touched."""

    def search(self, words: Sequence[str], scopes: Collection[str], most: int) -> list[Row]:
        """The documents (``scope``, ``kind``, ``ref_id``, ``title``, ``body``) that hold all of the words.

        Words are letters and digits only; what a word begins like is found too, whatever the case and the accents.
        First come those with the whole words in the title, then those where titles, then where any texts have words
        that begin so; among equals the newest first. A scope is a project id or WORKSPACE.
        """

    def kept(self, key: Hashable, find: Callable[[], T]) -> T:
        """What ``find`` finds in this transaction; perhaps from an earlier one, if nobody committed anything since.

        For what many people ask for after a change of one: it must follow from the database and the key alone, be
        small, and be changed by nobody. While something is being written nothing is kept.
        """

    def savepoint(self, work: Callable[[], T]) -> T:
        """Run work so that, if it raises, only its own changes are undone."""


class Database(Protocol):
    """A place that holds one workspace."""

    def read(self, work: Callable[[Tx], T], progress: Progress = NO_PROGRESS) -> T:
        """Run work on one snapshot, which further reads of this thread within it see too. It cannot write.

        Raises Cancelled once ``progress`` is cancelled, TookTooLong after as long as a transaction may take.
        """

    def write(self, work: Callable[[Tx], T], progress: Progress = NO_PROGRESS, *, linked: bool = True) -> T:
        """Run work alone and durably; it may be run again on a conflict, so it must have no other effect.

        Where it is not ``linked``, what rows refer to need not be there.
        Raises as ``read`` does; then nothing is written.
        """

    def news(self) -> int:
        """A number that differs when somebody else, or this process, committed. Costs microseconds."""

    def check_writable(self) -> None:
        """Raises StorageError where nothing could be written now, as far as that is seen without writing."""

    def room(self) -> Room:
        """How much there is, after what past transactions no longer need was given back. Raises StorageError."""

    def close(self) -> None:
        """Let go of every connection."""


ASKED_AT_ONCE = 500
"""Values in one IN list: fewer than the parameters that any engine takes."""


def batches(values: Sequence[T]) -> Iterator[Sequence[T]]:
    """The values in turn, as many at a time as an IN list takes."""
    return (values[start : start + ASKED_AT_ONCE] for start in range(0, len(values), ASKED_AT_ONCE))


def placeholders(values: Iterable[object], prefix: str = "v") -> tuple[str, dict[str, object]]:
    """The text and the parameters of an IN list: ``(:v0, :v1)`` and ``{"v0": …, "v1": …}``."""
    params = {f"{prefix}{index}": value for index, value in enumerate(values)}
    return "(" + ", ".join(f":{name}" for name in params) + ")", params
