"""A project that is too large for one transaction is written and deleted in slices: short transactions.

All questions go by the project and its members. An import writes the rows of its cards first, some at a time, while
there is no project and no member yet, so nothing of it is seen; the last transaction, which is short, makes it a
project. Deleting is the reverse: one short transaction removes the project and its members, and the rest, which nobody
sees from then on, is deleted in slices (``sweep``). Meanwhile the table ``unfinished`` names it. What was left by a
program that was killed is deleted after the next import or deletion, and at the next start of a program.

To delete takes room too, for the log. So an import stops while there is room to delete what it has written.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from core.domain.model import Id, Project
from core.domain.quotas import Quotas
from core.engine.quotas import count_text
from core.engine.unit_of_work import Actor, UnitOfWork, text_in
from core.errors import Cancelled, DatabaseFull, PodiumError
from core.storage.database import Database, Tx
from core.storage.progress import NO_PROGRESS, Progress
from core.storage.room import MIN_ROOM
from core.storage.row_mapper import stored

AT_ONCE = 1_000
"""Records that are written in one transaction, of a project or of a change that comes in parts."""

TEXT_AT_ONCE = 500_000
"""Bytes of text in them, for which the same holds: text costs more than records do, since it can be searched."""

SLICE_SECONDS = 0.15
"""For one transaction: everybody else who writes waits for it."""

PAUSE_SECONDS = 0.05
"""Between two slices, for those who wait."""

STEP = 100
"""Records between two looks at the clock, and at whether somebody has stopped it."""

STEP_TEXT = 50_000
"""Bytes of text after which it looks earlier."""

SWEPT_AT_ONCE = 20
"""Rows that are deleted between two looks at the clock: a row may have 20,000 letters, which search forgets with it."""

MAX_STILL = timedelta(minutes=1)
"""For which an import that runs may write nothing: after it, it is taken for one that was killed."""

RESERVE = 1.25
"""Bytes that have to stay free for each byte that an import has written: the log took up to 1.16 to delete one, while
somebody read and it could not be cut (measured with 300 to 20,000 cards of 60 to 10,000 letters)."""

SLICE_ROOM = 2_000_000
"""Bytes that a slice of one STEP may take, in the log and then in the file."""

TEXT_OF_ROOM = 50
"""Bytes of room for each byte of text in a slice: in the indexes, the history, the log and the reserve for them."""

FIRST_SEQ = 1
"""Of the history of a new project: the change that all of its records belong to."""


class Rows(NamedTuple):
    """Rows of a project that are hidden while there is no project: what tells them apart in it, and which they are."""

    table: str
    key: str
    which: str = ""


HIDDEN = (
    Rows("application", "id"),
    Rows("notification", "id"),
    Rows("launch", "id"),
    Rows("comment", "id"),
    Rows("assignment", "target_id, user_id"),
    Rows("gate_record", "id"),
    Rows("deliverable", "id"),
    Rows("item", "id", " AND activity_id IS NOT NULL"),
    Rows("item", "id"),
    Rows("phase", "id"),
    Rows("change_record", "seq, position"),
    Rows("change", "seq"),
)
"""All of them, those that refer to others first."""

STOOD_STILL = "The import stood still for more than a minute and was given up. Nothing of it was kept; start it again."


class Arrival(NamedTuple):
    """A project on its way in, and all that will be in it."""

    project: Project
    shown: Sequence[Any]
    """The records by which it is seen: its members, and what they see beside it. They come with it."""
    hidden: Sequence[Any]
    """All other records of it. Those that are not in the database yet come with it too."""
    items: int
    in_place: int = 0
    """How many of the hidden ones are in the database."""


def bring_in(
    database: Database, arrival: Arrival, actor: Actor, now: datetime, progress: Progress, quotas: Quotas | None
) -> Arrival:
    """Write the hidden records of a large project in slices; of a small one none.

    Raises Cancelled, StorageError, QuotaReached. Nothing stays then, or what stays is swept later. DatabaseFull comes
    while others still have room to write.
    """
    text = sum(map(text_in, arrival.hidden))
    if len(arrival.hidden) <= AT_ONCE and text <= TEXT_AT_ONCE:
        return arrival
    project_id = arrival.project.id
    sweep(database)
    taken = database.room().taken
    _spare(database, taken - text)  # all of the text at least will be taken
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
    return arrival._replace(in_place=done)


def show(work: UnitOfWork, arrival: Arrival) -> None:
    """Write the rest of a project, by which it is seen; it is entered already. Raises Cancelled where it was swept."""
    if arrival.in_place:
        mine = "DELETE FROM unfinished WHERE project_id = :id AND pid = :pid"
        if not work.tx.execute(mine, id=arrival.project.id, pid=os.getpid()):
            raise Cancelled(STOOD_STILL)
        work.recorded = arrival.in_place
    total = len(arrival.hidden) + len(arrival.shown)
    for done, record in enumerate((*arrival.shown, *arrival.hidden[arrival.in_place :]), arrival.in_place):
        if done % STEP == 0:
            work.progress.step(done, total)
        work.insert(record)
    work.progress.step(total, total)


@contextlib.contextmanager
def giving_up(database: Database, arrival: object) -> Iterator[None]:
    """Around what comes after ``bring_in``: where it fails, the project does not come."""
    try:
        yield
    except BaseException as error:
        if isinstance(arrival, Arrival):
            give_up(database, arrival.project.id)
            if isinstance(error, DatabaseFull):  # the room is wanted now
                sweep(database)
        raise


def give_up(database: Database, project_id: Id) -> None:
    """Leave what is there of a project that does not come to be swept, as far as the disk lets us."""
    with contextlib.suppress(PodiumError):
        database.write(lambda tx: tx.execute("UPDATE unfinished SET pid = 0 WHERE project_id = :id", id=project_id))


def sweep(database: Database, progress: Progress = NO_PROGRESS) -> None:
    """Delete what deleted projects and stopped imports have left, in slices; as far as the disk lets us."""
    with contextlib.suppress(PodiumError):
        for row in database.read(lambda tx: tx.query("SELECT project_id, pid, at FROM unfinished")):
            moved = datetime.now(UTC) - datetime.fromisoformat(row["at"])
            if not _lives(row["pid"]) or moved > MAX_STILL:
                _clear_away(database, row["project_id"], progress)


def delete_some(tx: Tx, project_id: Id, seconds: float) -> bool:
    """Delete hidden rows of a project for so long; whether none are left."""
    ends = time.monotonic() + seconds
    for table, key, which in HIDDEN:
        some = (
            f"DELETE FROM {table} WHERE project_id = :id AND ({key}) IN"
            f" (SELECT {key} FROM {table} WHERE project_id = :id{which} LIMIT :most)"
        )
        while tx.execute(some, id=project_id, most=SWEPT_AT_ONCE):
            if time.monotonic() > ends:
                return False
    return True


def delete_rest(tx: Tx, project_id: Id) -> None:
    """Delete the hidden rows of a project that is deleted; those of a large one later, by ``sweep``.

    It does so in parts that fit on the disk, which the rows of a whole slice may not.
    """
    several = "SELECT 1 FROM {} WHERE project_id = :id LIMIT :most"
    rows = sum(len(tx.tuples(several.format(each.table), id=project_id, most=AT_ONCE)) for each in HIDDEN)
    if rows > AT_ONCE or not delete_some(tx, project_id, SLICE_SECONDS):
        _note(tx, project_id, pid=0)


def _clear_away(database: Database, project_id: Id, progress: Progress) -> None:
    give_up(database, project_id)  # one that only stood still finds out

    seconds = SLICE_SECONDS

    def some(tx: Tx) -> bool:
        if gone := delete_some(tx, project_id, seconds):
            tx.execute("DELETE FROM unfinished WHERE project_id = :id", id=project_id)  # another sweep may have
        return gone

    while True:
        try:
            if database.write(some, progress, linked=False):
                database.room()  # others have what the log took
                return
        except DatabaseFull:  # there may be room for fewer rows at a time
            if not seconds:
                raise
            seconds = 0
        time.sleep(PAUSE_SECONDS)


def _spare(database: Database, taken: int) -> int:
    """Bytes of room for one more slice of an import that began when so many were taken. Raises DatabaseFull."""
    room = database.room()
    wanted = MIN_ROOM + SLICE_ROOM + int(RESERVE * max(0, room.taken - taken))
    if room.free < wanted:
        raise DatabaseFull(
            "No room for the project on the disk of the workspace: with a reserve it takes at least "
            f"{wanted:,} bytes more, and {room.free:,} are free. Nothing was changed; make room and retry."
        )
    return room.free - wanted + SLICE_ROOM


def _note(tx: Tx, project_id: Id, pid: int) -> None:
    noted = "INSERT INTO unfinished (project_id, pid, at) VALUES (:id, :pid, :at)"
    tx.execute(noted, id=project_id, pid=pid, at=_moment())


def _slice(
    tx: Tx,
    arrival: Arrival,
    actor: Actor,
    now: datetime,
    progress: Progress,
    quotas: Quotas | None,
    done: int,
    total: int,
    most: int,
) -> int:
    """Write records from one on, for as long as a slice takes or so many bytes of text; how many are there then."""
    project_id, ends = arrival.project.id, time.monotonic() + SLICE_SECONDS
    touched = tx.execute(
        "UPDATE unfinished SET at = :at WHERE project_id = :id AND pid = :pid",
        at=_moment(),
        id=project_id,
        pid=os.getpid(),
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
    """Now, by the clock of the machine: that of the application may be another one."""
    return stored(datetime.now(UTC))


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:  # it is another account's
        return True
    return pid > 0
