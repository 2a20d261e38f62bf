"""Everything that can go wrong, as one tree. Errors are raised, never returned, and caught once on each side.

    PodiumError
    ├── InvalidInput        what a person typed cannot be accepted (400)
    │   ├── FilterRefused   a filter that cannot be understood, with the place in it (400)
    │   └── ImportRefused   a file that cannot be imported, with its line and field (400)
    ├── NotFound            no such record (404)
    ├── Unauthenticated     nobody that is known here sent it (401)
    ├── Forbidden           the person lacks a permission code (403)
    ├── RuleRefused         a rule of the workflow stands in the way (400)
    │   ├── WouldRelock     the change would lock later phases again and was not told to (400)
    │   ├── LongAgo         what would be taken back was done long ago, and only what is recent may be (400)
    │   └── QuotaReached    a person has, or adds in a day, as much as one may (400)
    ├── VersionConflict     somebody changed the record since it was seen (400)
    ├── NothingToUndo       there is no own change to take back or bring back (400)
    ├── UndoRefused         taking the change back would overwrite a later one or break a rule (400)
    ├── AuthorizationUnavailable  the authorization service gave no answer that counts (503)
    │   ├── AuthorizationInvalid      what it answered is no answer (502)
    │   └── AuthorizationTimedOut     it did not answer in time (504)
    ├── LaunchRefused       a product cannot be launched here (400)
    ├── TookTooLong         it was stopped after as long as one message may take; nothing was kept (504)
    ├── Cancelled           a person stopped it half-way; nothing was kept (400)
    ├── TooManyStreams      somebody follows the changes too often at one time (503)
    └── StorageError        the database cannot do it (503)
        ├── DatabaseMissing     there is no database at this place yet
        ├── DatabaseLost        there is none at this place, but there are backups of one
        ├── DatabaseBusy        another program held the database for too long
        ├── DatabaseFull        no room left on the disk
        ├── DatabaseReadOnly    the file or its folder may not be written
        ├── DatabaseDamaged     the file is not a database, or a broken one
        ├── DatabaseTooNew      a newer Podium made it
        ├── UnsafeFile          a link, or another thing that is no file, has the name of a file of Podium
        └── ServerUnavailable   the server that has it cannot be reached, or does not answer in time

``str(error)`` is a sentence for a person: what happened and what to do.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class Blocker:
    """An item or a phase that stands in the way: one line of a jump list."""

    id: str
    kind: str
    """TASK, ACTIVITY, APPLICATION or PHASE."""
    title: str
    where: str
    """The phase it is in."""


class PodiumError(Exception):
    """The root; never raised itself."""

    code: ClassVar[str] = "ERROR"
    title: ClassVar[str] = "Something went wrong"
    http_status: ClassVar[int] = 500
    exit_status: ClassVar[int] = 1


class InvalidInput(PodiumError):
    """A field does not hold what it must; ``field`` names it as its message does: "first_name"."""

    code = "INVALID_INPUT"
    title = "That cannot be accepted"
    http_status = 400
    exit_status = 2

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


class FilterRefused(InvalidInput):
    """A filter cannot be understood; ``at`` is the first character of ``text`` that is wrong, ``length`` how many are.

    ``text`` is the whole filter.
    """

    code = "FILTER_REFUSED"
    title = "That filter is not understood"

    def __init__(self, message: str, *, at: int, length: int = 1) -> None:
        super().__init__("filter", message)
        self.at = at
        self.length = length
        self.text = ""


class ImportRefused(InvalidInput):
    """A file cannot be imported; nothing was written. The sentence begins with the place: "Line 7, cards[2].name: …".

    ``field`` is the way to the value from the top of the file; ``line`` counts from 1, and is 0 where there are none.
    """

    code = "IMPORT_REFUSED"
    title = "That file cannot be imported"

    def __init__(self, field: str, message: str, *, line: int = 0) -> None:
        place = ", ".join([*([f"Line {line}"] if line else []), *([field] if field else [])])
        super().__init__(field, f"{place}: {message}" if place else message)
        self.line = line
        self.reason = message
        """The sentence without the place."""


class NotFound(PodiumError):
    """There is no such record here. What exists and may not be seen is Forbidden (source document, section 5)."""

    code = "NOT_FOUND"
    title = "Not found"
    http_status = 404


class Unauthenticated(PodiumError):
    """Who sent it is not known here. The sentence does not tell an unknown token from a revoked or an expired one."""

    code = "UNAUTHENTICATED"
    title = "Not signed in"
    http_status = 401
    exit_status = 3


class Forbidden(PodiumError):
    """A permission code is not held. Nothing is told of what may not be seen; who could help, to members alone."""

    code = "FORBIDDEN"
    title = "Not permitted"
    http_status = 403
    exit_status = 3

    def __init__(self, message: str, *, who_can: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.who_can = who_can


class RuleRefused(PodiumError):
    """A rule refuses; ``obstacles`` are the items in the way, ``who_can`` the people who can unblock it."""

    code = "RULE_REFUSED"
    title = "That is not allowed"
    http_status = 400

    def __init__(self, message: str, *, obstacles: tuple[Blocker, ...] = (), who_can: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.obstacles = obstacles
        self.who_can = who_can


class WouldRelock(RuleRefused):
    """Later phases would lock again; sending the message with ``relock`` accepts that."""

    code = "WOULD_RELOCK"
    title = "Later phases would lock again"


class LongAgo(RuleRefused):
    """Undo or Redo would revert an older change than a person may have in mind; with its ``seq`` it does."""

    code = "LONG_AGO"
    title = "Undo an older change?"

    def __init__(self, message: str, *, seq: int) -> None:
        super().__init__(message)
        self.seq = seq


class QuotaReached(RuleRefused):
    """A person has, or has added today, the most for one person (``core.engine.quotas``); nothing was changed."""

    code = "QUOTA_REACHED"
    title = "That is the most for one person"


@dataclass(frozen=True, slots=True)
class ConcurrentChange:
    """One change that somebody made to a record after it was seen."""

    by: str
    at: datetime
    summary: str


class VersionConflict(PodiumError):
    """The record changed since it was seen; ``current`` is the record as it is now, ``was`` as it was when seen.

    ``since`` are the changes between the two, the newest first. None and empty where that is not known.
    """

    code = "VERSION_CONFLICT"
    title = "Somebody was faster"
    http_status = 400
    exit_status = 4

    def __init__(
        self, message: str, *, current: object, was: object = None, since: tuple[ConcurrentChange, ...] = ()
    ) -> None:
        super().__init__(message)
        self.current = current
        self.was = was
        self.since = since


class NothingToUndo(PodiumError):
    """The undo or redo list of this person is empty here."""

    code = "NOTHING_TO_UNDO"
    title = "Nothing to undo or redo"
    http_status = 400


class UndoRefused(RuleRefused):
    """Somebody built on the change since, or a rule now forbids going back."""

    code = "UNDO_REFUSED"
    title = "Nothing was changed"


class AuthorizationUnavailable(PodiumError):
    """The authorization service gave no answer that counts, so nothing is permitted; not the same as a refusal."""

    code = "AUTHORIZATION_UNAVAILABLE"
    title = "The permission service does not answer"
    http_status = 503
    exit_status = 5

    def __init__(self, message: str, *, correlation_id: str) -> None:
        super().__init__(message)
        self.correlation_id = correlation_id


class AuthorizationInvalid(AuthorizationUnavailable):
    """What the authorization service answered cannot be used, so nothing is permitted; not the same as a refusal."""

    code = "AUTHORIZATION_INVALID"
    title = "The permission service gives no valid answer"
    http_status = 502


class AuthorizationTimedOut(AuthorizationUnavailable):
    """The authorization service did not answer in time, so nothing is permitted; not the same as a refusal."""

    code = "AUTHORIZATION_TIMED_OUT"
    title = "The permission service does not answer in time"
    http_status = 504


class LaunchRefused(PodiumError):
    """A product cannot be launched here; the sentence says why and what else to do."""

    code = "LAUNCH_REFUSED"
    title = "That cannot be launched here"
    http_status = 400


class TookTooLong(PodiumError):
    """It was stopped after the time that one message may take; all of it was taken back."""

    code = "TOOK_TOO_LONG"
    title = "It took too long"
    http_status = 504

    def __init__(self, seconds: float) -> None:
        unit = "second" if seconds == 1 else "seconds"
        super().__init__(
            f"This took longer than {seconds:g} {unit} and was stopped. Nothing was changed. Ask for less at a time."
        )


class Cancelled(PodiumError):
    """A person stopped it half-way; all of it was taken back."""

    code = "CANCELLED"
    title = "Stopped"
    http_status = 400


class TooManyStreams(PodiumError):
    """Somebody follows the changes as often as one may, from as many terminals."""

    code = "TOO_MANY_STREAMS"
    title = "Too many follow the changes"
    http_status = 503


class StorageError(PodiumError):
    """The database cannot do what was asked; nothing was changed."""

    code = "STORAGE"
    title = "The database does not answer"
    http_status = 503
    exit_status = 5


class DatabaseMissing(StorageError):
    """There is no database at this place yet."""

    code = "DATABASE_MISSING"
    title = "There is no workspace here yet"


class DatabaseLost(StorageError):
    """The database is missing or empty, and backups of it are there: no new workspace is made in its place."""

    code = "DATABASE_LOST"
    title = "The workspace cannot be opened"


class DatabaseBusy(StorageError):
    """Another program held the database for too long."""

    code = "DATABASE_BUSY"
    title = "The database is busy"


class DatabaseFull(StorageError):
    """No room is left on the disk."""

    code = "DATABASE_FULL"
    title = "The disk is full"


class DatabaseReadOnly(StorageError):
    """The file or its folder may not be written."""

    code = "DATABASE_READ_ONLY"
    title = "The database cannot be written"


class DatabaseDamaged(StorageError):
    """The file is not a database, or a broken one."""

    code = "DATABASE_DAMAGED"
    title = "The database is damaged"


class DatabaseTooNew(StorageError):
    """A newer Podium made the database."""

    code = "DATABASE_TOO_NEW"
    title = "The database is from a newer Podium"


class UnsafeFile(StorageError):
    """A link, a file with a second name, or no file at all stands where Podium opens a file of its own."""

    code = "UNSAFE_FILE"
    title = "A file there is not safe to open"


class ServerUnavailable(StorageError):
    """Raised by a client: what it asked for may go through later. What is not known to be done is not shown as done."""

    code = "SERVER_UNAVAILABLE"
    title = "The server does not answer"
