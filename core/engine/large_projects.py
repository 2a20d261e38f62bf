"""Large projects: one that is too large for one transaction is written and deleted in slices, several short ones.

Every query goes through the project and its members. An import writes the rows of the cards first, in slices, while
there is no project and no member yet, so none of them is visible; the last transaction, which is short, adds the
project. Deleting is the reverse: one short transaction removes the project and its members, and the rest, invisible
from then on, is deleted in slices (``sweep``). Meanwhile the table ``unfinished`` names the project. Rows that a killed
program left are deleted after the next import or deletion, and when a program starts.

Deleting needs disk space too, for the log. So an import stops while there is enough to delete what it has written.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from core.domain.model import Id, Item, Project
from core.domain.quotas import Quotas
from core.engine.quotas import count_text
from core.engine.unit_of_work import Actor, UnitOfWork
from core.errors import Cancelled, DatabaseFull, PodiumError
from core.net.this_host import host_id
from core.record import Record, replace
from core.storage.database import Database, Row, Tx
from core.storage.progress import NO_PROGRESS, Progress
from core.storage.row_mapper import encode_value, table_of, text_in
from core.storage.sqlite.disk_space import MIN_ROOM

AT_ONCE = 1_000
"""The most records of a project, or of one part of a change, in one transaction."""

TEXT_AT_ONCE = 500_000
"""The most bytes of text in one transaction. Text takes longer than records, since it is indexed for search."""

SLICE_SECONDS = 0.15
"""The time of one transaction, for which all other writers wait."""

PAUSE_SECONDS = 0.05
"""The pause between two slices, in which other writers get their turn."""

STEP = 100
"""Records between two checks of the clock and of whether the user has stopped the work."""

STEP_TEXT = 50_000
"""Bytes of text after which the next check comes earlier."""

SWEPT_AT_ONCE = 20
"""Rows deleted between two checks of the clock. A row can have 20,000 letters to remove from the search index."""

MAX_STILL = timedelta(minutes=1)
"""The time for which a running import may write nothing. After it the import counts as killed.

An import on another machine is known by this alone, so the clocks of the servers may differ by far less only.
"""

RESERVE = 1.25
"""Bytes that must stay free for each byte that an import has written. To delete one, the log took up to 1.16 while a
reader kept it from being cut (measured with 300 to 20,000 cards of 60 to 10,000 letters)."""

SLICE_ROOM = 2_000_000
"""Bytes that a slice of one STEP can take, in the log and then in the file."""

TEXT_OF_ROOM = 50
"""Bytes of disk space for each byte of text in a slice: in the indexes, the history, the log and their reserve."""

FIRST_SEQ = 1
"""The seq of the first change of a new project, to which all of its records belong."""


class HiddenRows(NamedTuple):
    """Rows of a project that are hidden while there is no project: the table, its key columns, and a condition."""

    table: str
    key: str
    which: str = ""


HIDDEN = (
    HiddenRows("application", "id"),
    HiddenRows("notification", "id"),
    HiddenRows("launch", "id"),
    HiddenRows("comment", "id"),
    HiddenRows("item_label", "item_id, label_id"),
    HiddenRows("label", "id"),
    HiddenRows("item_field", "item_id, field_id"),
    HiddenRows("card_origin", "item_id"),
    HiddenRows("field", "id"),
    HiddenRows("assignment", "target_id, user_id"),
    HiddenRows("gate_seal", "record_id"),
    HiddenRows("gate_condition", "id"),
    HiddenRows("gate_criterion", "id"),
    HiddenRows("gate_policy", "phase_id"),
    HiddenRows("gate_record", "id"),
    HiddenRows("deliverable", "id"),
    HiddenRows("dependency", "waiting_id, blocker_id"),
    HiddenRows("item", "id", " AND activity_id IS NOT NULL"),
    HiddenRows("item", "id"),
    HiddenRows("phase", "id"),
    HiddenRows("change_record", "seq, position"),
    HiddenRows("change", "seq"),
)
"""All hidden rows, in an order in which rows that refer to others come first."""

STOOD_STILL = "The import made no progress for more than a minute and was stopped. Nothing was saved; start it again."


class IncomingProject(Record, kw_only=False):
    """A project that is being imported, with all of its records."""

    project: Project
    shown: Sequence[Any]
    """The records that make it visible: its members and their own records. They come with the project."""
    hidden: Sequence[Any]
    """All its other records. Those that are not in the database yet come with the project too."""
    items: int
    in_place: int = 0
    """The number of hidden records that are in the database."""


def import_in_slices(
    database: Database, arrival: IncomingProject, actor: Actor, now: datetime, progress: Progress, quotas: Quotas | None
) -> IncomingProject:
    """Write the hidden records of a large project in slices; of a small project none.

    Returns the arrival with the number of records written. Raises Cancelled, StorageError or QuotaReached; the rows
    that were written are then swept, at once or later. DatabaseFull is raised while others still have room to write.
    """
    if not is_large(arrival):
        return arrival
    project_id = arrival.project.id
    sweep(database)
    taken = check_room(database, arrival)
    database.write(lambda tx: _note(tx, project_id, os.getpid()), progress)
    done, total = 0, len(arrival.hidden) + len(arrival.shown)
    with giving_up(database, arrival):
        while done < len(arrival.hidden):
            most = _spare(database, taken) // TEXT_OF_ROOM
            done = database.write(
                lambda tx, done=done, most=most: _slice(  # type: ignore[misc]
                    tx, arrival, actor, now, progress, quotas, done, total, most
                ),
                progress,
                linked=False,
            )
            time.sleep(PAUSE_SECONDS)
    return replace(arrival, in_place=done)


def is_large(arrival: IncomingProject) -> bool:
    """Return True for a project that is too large for one transaction."""
    return len(arrival.hidden) > AT_ONCE or _text(arrival) > TEXT_AT_ONCE


def check_room(database: Database, arrival: IncomingProject) -> int:
    """Raise DatabaseFull if the disk has no room for the texts of a project. Returns the bytes that are taken now."""
    taken = database.room().taken
    _spare(database, taken - _text(arrival))
    return taken


def _text(arrival: IncomingProject) -> int:
    """The bytes of text in the hidden records."""
    return sum(map(text_in, arrival.hidden))


def show(work: UnitOfWork, arrival: IncomingProject) -> None:
    """Write the project's remaining records, which make it visible. Raises Cancelled where its rows were swept.

    The project itself is inserted already.
    """
    if arrival.in_place:
        mine = "DELETE FROM unfinished WHERE project_id = :id AND pid = :pid AND host = :host"
        if not work.tx.execute(mine, id=arrival.project.id, pid=os.getpid(), host=host_id()):
            raise Cancelled(STOOD_STILL)
        work.recorded = arrival.in_place
        for item in arrival.hidden[: arrival.in_place]:
            if isinstance(item, Item):
                work.items.write(None, table_of(Item).dump(item))
    total = len(arrival.hidden) + len(arrival.shown)
    for done, record in enumerate((*arrival.shown, *arrival.hidden[arrival.in_place :]), arrival.in_place):
        if done % STEP == 0:
            work.progress.step(done, total)
        work.insert(record)
    work.progress.step(total, total)


@contextlib.contextmanager
def giving_up(database: Database, arrival: object) -> Iterator[None]:
    """Give a project up if the code within fails, after ``import_in_slices``."""
    try:
        yield
    except BaseException as error:
        if isinstance(arrival, IncomingProject):
            give_up(database, arrival.project.id)
            if isinstance(error, DatabaseFull):  # free the disk space now
                sweep(database)
        raise


def give_up(database: Database, project_id: Id) -> None:
    """Mark the written rows of a project for ``sweep``, as far as the disk has room."""
    with contextlib.suppress(PodiumError):
        database.write(lambda tx: tx.execute("UPDATE unfinished SET pid = 0 WHERE project_id = :id", id=project_id))


def sweep(database: Database, progress: Progress = NO_PROGRESS) -> None:
    """Delete the rows that deleted projects and stopped imports have left, in slices, as far as the disk has room."""
    with contextlib.suppress(PodiumError):
        for row in database.read(list_unfinished):
            moved = datetime.now(UTC) - datetime.fromisoformat(row["at"])
            if not _lives(row["host"], row["pid"]) or moved > MAX_STILL:
                _clear_away(database, row["project_id"], progress)


def list_unfinished(tx: Tx) -> list[Row]:
    return tx.query("SELECT project_id, host, pid, at FROM unfinished")


def delete_some(tx: Tx, project_id: Id, seconds: float, at_once: int = SWEPT_AT_ONCE) -> bool:
    """Delete hidden rows of a project for ``seconds``. Returns True if none are left."""
    ends = time.monotonic() + seconds
    for table, key, which in HIDDEN:
        some = (
            f"DELETE FROM {table} WHERE project_id = :id AND ({key}) IN"
            f" (SELECT {key} FROM {table} WHERE project_id = :id{which} LIMIT :most)"
        )
        while tx.execute(some, id=project_id, most=at_once):
            if time.monotonic() > ends:
                return False
    return True


def delete_rest(tx: Tx, project_id: Id) -> None:
    """Delete the hidden rows of a small project; those of others are left to ``sweep``.

    It deletes in parts, each of which fits on the disk where all rows may not.
    """
    several = "SELECT 1 FROM {} WHERE project_id = :id LIMIT :most"
    rows = sum(len(tx.tuples(several.format(each.table), id=project_id, most=STEP)) for each in HIDDEN)
    texts = "SELECT coalesce(sum(length(after)), 0) FROM change_record WHERE project_id = :id"
    is_small = rows <= STEP and tx.tuples(texts, id=project_id)[0][0] <= STEP_TEXT
    if not (is_small and delete_some(tx, project_id, SLICE_SECONDS)):
        _note(tx, project_id, pid=0)


def _clear_away(database: Database, project_id: Id, progress: Progress) -> None:
    give_up(database, project_id)  # an import that only paused too long notices it

    seconds, at_once = SLICE_SECONDS, SWEPT_AT_ONCE

    def some(tx: Tx) -> bool:
        if gone := delete_some(tx, project_id, seconds, at_once):
            tx.execute("DELETE FROM unfinished WHERE project_id = :id", id=project_id)  # unless another sweep has
        return gone

    while True:
        try:
            if database.write(some, progress, linked=False):
                database.room()  # cuts the log, so that others get its disk space
                return
        except DatabaseFull:  # there may be room for fewer rows at a time
            if at_once == 1:
                raise
            at_once = 1 if not seconds else at_once
            seconds = 0
        time.sleep(PAUSE_SECONDS)


def _spare(database: Database, taken: int) -> int:
    """Return the bytes that the next slice can take; ``taken`` is what was taken before. Raises DatabaseFull."""
    room = database.room()
    wanted = MIN_ROOM + SLICE_ROOM + int(RESERVE * max(0, room.taken - taken))
    if room.free < wanted:
        raise DatabaseFull(
            "No room for the project on the disk of the workspace: with a reserve it takes at least "
            f"{wanted:,} bytes more, and {room.free:,} are free. Nothing was changed; make room and retry."
        )
    return room.free - wanted + SLICE_ROOM


def _note(tx: Tx, project_id: Id, pid: int) -> None:
    noted = "INSERT INTO unfinished (project_id, host, pid, at) VALUES (:id, :host, :pid, :at)"
    tx.execute(noted, id=project_id, host=host_id(), pid=pid, at=_moment())


def _slice(
    tx: Tx,
    arrival: IncomingProject,
    actor: Actor,
    now: datetime,
    progress: Progress,
    quotas: Quotas | None,
    done: int,
    total: int,
    most: int,
) -> int:
    """Write records from number ``done``, until the slice has lasted long enough or ``most`` bytes of text are written.

    Returns the number of records that are in the database then.
    """
    project_id, ends = arrival.project.id, time.monotonic() + SLICE_SECONDS
    touched = tx.execute(
        "UPDATE unfinished SET at = :at WHERE project_id = :id AND pid = :pid AND host = :host",
        at=_moment(),
        id=project_id,
        pid=os.getpid(),
        host=host_id(),
    )
    if not touched:
        raise Cancelled(STOOD_STILL)
    text = 0
    while True:
        progress.step(done, total)
        work = UnitOfWork(tx, actor, now, project_id)
        work.recorded, work.quotas = done, quotas
        for record in arrival.hidden[done : done + STEP]:
            work.insert(record)
            if work.written > STEP_TEXT:
                break
        work.record_rows(FIRST_SEQ)
        count_text(work, work.written)
        done, text = done + len(work.changes), text + work.written
        if done == len(arrival.hidden) or text > most or time.monotonic() > ends:
            return done


def _moment() -> object:
    """The time by the clock of the machine; the engine can have another clock."""
    return encode_value(datetime.now(UTC))


def _lives(host: str, pid: int) -> bool:
    """Return whether a process lives. For one of another machine that is not known: its rows tell by their age."""
    if host != host_id():
        return pid > 0
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:  # the process belongs to another account
        return True
    return pid > 0


class Sweeper:
    """One thread for all sweeps of a process, so that no command waits for them."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="podium-sweep")
        self._progress = Progress()

    def has_work(self) -> bool:
        """Return True if there are rows to delete, or to wait for."""
        with contextlib.suppress(PodiumError):
            return bool(self._database.read(list_unfinished))
        return False

    def start(self) -> None:
        """Queue a sweep. After ``close`` this does nothing."""
        with contextlib.suppress(RuntimeError):  # the sweeper is closed
            self._thread.submit(sweep, self._database, self._progress)

    def cancel(self) -> None:
        """Stop the sweep at its next slice."""
        self._progress.cancel()

    def close(self) -> None:
        """Drop the queued sweeps and wait for the running one."""
        self._thread.shutdown(cancel_futures=True)
