"""Every error of Podium, as one tree, with its code, HTTP status and exit status.

    PodiumError
    ├── InvalidInput                  INVALID_INPUT              400  2  a field has a bad value
    │   ├── InvalidFilter             INVALID_FILTER             400  2  a filter cannot be parsed
    │   └── InvalidImport             INVALID_IMPORT             400  2  a file cannot be imported
    ├── NotFound                      NOT_FOUND                  404  6  no such record
    ├── Unauthenticated               UNAUTHENTICATED            401  3  the sender is unknown
    ├── Forbidden                     FORBIDDEN                  403  3  a permission is missing
    ├── RuleViolation                 RULE_VIOLATION             400  1  a rule of the workflow is violated
    │   ├── PhaseLocked               PHASE_LOCKED               400  1  the phase waits for earlier ones
    │   ├── CardBlocked               CARD_BLOCKED               400  1  the card waits for other cards
    │   ├── WouldRelockPhases         RELOCKS_PHASES             400  1  later phases would lock again; needs consent
    │   │   ├── LapsesApproval        LAPSES_APPROVAL            400  1  an approval would end; needs a reason
    │   │   └── WouldBlockCards       BLOCKS_CARDS               400  1  cards would be blocked again; needs consent
    │   ├── UndoTooOld                UNDO_TOO_OLD               400  1  the change to undo is old; needs consent
    │   ├── QuotaReached              QUOTA_REACHED              400  1  a user's quota is used up
    │   └── CannotUndo                CANNOT_UNDO                400  1  a later change or a rule prevents the undo
    ├── VersionConflict               VERSION_CONFLICT           400  4  the record has changed since it was read
    ├── NothingToUndo                 NOTHING_TO_UNDO            400  1  the undo or redo stack is empty
    ├── AuthorizationUnavailable      AUTHORIZATION_UNAVAILABLE  503  5  no valid answer of the authorization service
    │   ├── AuthorizationInvalid      AUTHORIZATION_INVALID      502  5  its answer is malformed
    │   └── AuthorizationTimedOut     AUTHORIZATION_TIMED_OUT    504  5  it did not answer in time
    ├── CannotLaunch                  CANNOT_LAUNCH              400  1  a product cannot be launched here
    ├── TookTooLong                   TOOK_TOO_LONG              504  1  stopped at the time limit of one message
    ├── Cancelled                     CANCELLED                  400  1  the user stopped it
    ├── TooManyStreams                TOO_MANY_STREAMS           503  1  too many event streams of one user
    └── StorageError                  STORAGE                    503  5  the database failed
        ├── DatabaseMissing           DATABASE_MISSING           503  5  no database at this path yet
        ├── DatabaseLost              DATABASE_LOST              503  5  no database, but backups or its log
        ├── DatabaseBusy              DATABASE_BUSY              503  5  another process held the lock too long
        ├── DatabaseAway              DATABASE_AWAY              503  5  no connection, as during a failover
        ├── DatabaseFull              DATABASE_FULL              503  5  the disk is full
        ├── DatabaseReadOnly          DATABASE_READ_ONLY         503  5  the file or its folder is read-only
        ├── DatabaseDamaged           DATABASE_DAMAGED           503  5  the file is corrupt or not a database
        ├── DatabaseTooNew            DATABASE_TOO_NEW           503  5  a newer Podium wrote it
        ├── DatabaseTooOld            DATABASE_TOO_OLD           503  5  an older Podium wrote it
        ├── DatabaseMoved             DATABASE_MOVED             503  5  its workspace is in another database now
        ├── UnsafeFile                UNSAFE_FILE                503  5  a link or a special file instead of a file
        └── ServerUnavailable         SERVER_UNAVAILABLE         503  5  the server cannot be reached

Errors are raised, never returned. ``str(error)`` is a sentence for a user: what happened and what to do. Nothing was
changed when one is raised, except ServerUnavailable after a command was sent, which says so. Exit status 70, a fault of
Podium, belongs to exceptions that are not in this tree.
"""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from core.record import Record

OBSTACLES_LISTED = 20
"""The most items that a refusal lists; it also says how many there are."""


class Blocker(Record, kw_only=False):
    """An item, a phase or a deliverable that prevents an action; a line of a jump list."""

    id: str
    """Its id; empty for the deliverable that a phase does not have yet."""
    kind: str
    """TASK, ACTIVITY, APPLICATION, DELIVERABLE or PHASE."""
    title: str
    where: str
    """The name of its phase."""
    project_id: str = ""
    """Its project; empty for the project of the action."""
    status: str = ""
    """The status of a task or an activity, where it is known."""
    phase_id: str = ""
    """The phase of a point at a gate, which has the following fields too."""
    key: str = ""
    """The key of a card: AUT-12."""
    sentence: str = ""
    """What is missing, in words."""
    who_can: tuple[str, ...] = ()
    """The people who can help with this one."""


class PodiumError(Exception):
    """The base class of all errors; never raised itself."""

    code: ClassVar[str] = "ERROR"
    title: ClassVar[str] = "Something went wrong"
    http_status: ClassVar[int] = 500
    exit_status: ClassVar[int] = 1

    def __init_subclass__(cls, *, code: str = "", title: str = "", http_status: int = 0, exit_status: int = 0) -> None:
        """Set the attributes that a class states; it inherits the others."""
        cls.code = code or cls.code
        cls.title = title or cls.title
        cls.http_status = http_status or cls.http_status
        cls.exit_status = exit_status or cls.exit_status


class InvalidInput(PodiumError, code="INVALID_INPUT", title="Invalid input", http_status=400, exit_status=2):
    """A field has an invalid value. ``field`` names it as the message class does, such as "first_name"."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


class InvalidFilter(InvalidInput, code="INVALID_FILTER", title="Invalid filter"):
    """A filter cannot be parsed. The wrong part has ``length`` characters and begins at position ``at`` of ``text``.

    ``text`` is the whole filter.
    """

    def __init__(self, message: str, *, at: int, length: int = 1) -> None:
        super().__init__("filter", message)
        self.at = at
        self.length = length
        self.text = ""


class InvalidImport(InvalidInput, code="INVALID_IMPORT", title="That file cannot be imported"):
    """A file cannot be imported; nothing was written. The message begins with the position: "Line 7, cards[2].name: …".

    ``field`` is the path of the value from the top of the file. ``line`` counts from 1, and is 0 if it is unknown.
    """

    def __init__(self, field: str, message: str, *, line: int = 0) -> None:
        place = ", ".join([*([f"Line {line}"] if line else []), *([field] if field else [])])
        super().__init__(field, f"{place}: {message}" if place else message)
        self.line = line
        self.reason = message
        """The message without the position."""


class NotFound(PodiumError, code="NOT_FOUND", title="Not found", http_status=404, exit_status=6):
    """There is no such record, or the user cannot see it: nothing says which."""


class Unauthenticated(PodiumError, code="UNAUTHENTICATED", title="Not signed in", http_status=401, exit_status=3):
    """The sender is unknown. The message does not say whether a token is unknown, revoked or expired."""


class Forbidden(PodiumError, code="FORBIDDEN", title="Not permitted", http_status=403, exit_status=3):
    """The user does not hold the required permission code. ``who_can`` names users who can help, to members only."""

    def __init__(self, message: str, *, who_can: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.who_can = who_can


class RuleViolation(PodiumError, code="RULE_VIOLATION", title="Not possible now", http_status=400):
    """A rule of the workflow is violated. ``blockers`` are the items in the way, ``who_can`` the users who can help."""

    def __init__(self, message: str, *, blockers: tuple[Blocker, ...] = (), who_can: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.blockers = blockers
        self.who_can = who_can


class PhaseLocked(RuleViolation, code="PHASE_LOCKED", title="This can't start yet"):
    """The phase of an item is locked until earlier phases are complete. ``phase_id`` is the locked phase.

    ``until`` is the lock without the record that it refuses, to be said once of several of them.
    """

    def __init__(
        self,
        message: str,
        *,
        phase_id: str,
        until: str = "",
        blockers: tuple[Blocker, ...] = (),
        who_can: tuple[str, ...] = (),
    ) -> None:
        super().__init__(message, blockers=blockers, who_can=who_can)
        self.phase_id = phase_id
        self.until = until


class CardBlocked(RuleViolation, code="CARD_BLOCKED", title="This can't start yet"):
    """A card waits for other cards. ``card_id`` is the card; cards that the user cannot see are only counted."""

    def __init__(
        self, message: str, *, card_id: str, blockers: tuple[Blocker, ...] = (), who_can: tuple[str, ...] = ()
    ) -> None:
        super().__init__(message, blockers=blockers, who_can=who_can)
        self.card_id = card_id


class WouldRelockPhases(RuleViolation, code="RELOCKS_PHASES", title="Later phases would lock again"):
    """Later phases would lock again. The same message with ``relock`` accepts that."""


class LapsesApproval(WouldRelockPhases, code="LAPSES_APPROVAL", title="An approval would end"):
    """An approval would end, since its ground changes. The same message with the reason in ``allow_lapse`` accepts
    that, from a user who can decide at the gate or manages the workflow. ``phase_ids`` are the phases, and
    ``can_allow`` says whether the sender is such a user; any other can ask one (``AskForConsent``).
    """

    def __init__(
        self,
        message: str,
        *,
        phase_ids: tuple[str, ...],
        can_allow: bool,
        blockers: tuple[Blocker, ...] = (),
        who_can: tuple[str, ...] = (),
    ) -> None:
        super().__init__(message, blockers=blockers, who_can=who_can)
        self.phase_ids = phase_ids
        self.can_allow = can_allow


class WouldBlockCards(WouldRelockPhases, code="BLOCKS_CARDS", title="Cards would be blocked again"):
    """Open cards wait for the reopened one. The same message with ``relock`` accepts that."""


class UndoTooOld(RuleViolation, code="UNDO_TOO_OLD", title="Undo an older change?"):
    """The change to undo or redo is older than the user may expect. The same message with ``seq`` confirms it."""

    def __init__(self, message: str, *, seq: int) -> None:
        super().__init__(message)
        self.seq = seq


class QuotaReached(RuleViolation, code="QUOTA_REACHED", title="Quota reached"):
    """The user has reached a quota, of records they have or of records they add in a day; nothing was changed."""


class ConcurrentChange(Record, kw_only=False):
    """A change of a record since the sender read it."""

    by: str
    at: datetime
    summary: str


class VersionConflict(
    PodiumError, code="VERSION_CONFLICT", title="Someone else changed this", http_status=400, exit_status=4
):
    """The record has changed. ``current`` is its present state, ``base`` the state that the sender read.

    ``since`` are the changes in between, the newest first. ``base`` is None and ``since`` empty if they are unknown.
    """

    def __init__(
        self, message: str, *, current: object, base: object = None, since: tuple[ConcurrentChange, ...] = ()
    ) -> None:
        super().__init__(message)
        self.current = current
        self.base = base
        self.since = since


class NothingToUndo(PodiumError, code="NOTHING_TO_UNDO", title="Nothing was changed", http_status=400):
    """The user has no change left to undo or redo here."""


class CannotUndo(RuleViolation, code="CANNOT_UNDO", title="Nothing was changed"):
    """A later change depends on this one, or a rule now forbids the earlier state."""


class AuthorizationUnavailable(
    PodiumError,
    code="AUTHORIZATION_UNAVAILABLE",
    title="The permission service does not answer",
    http_status=503,
    exit_status=5,
):
    """The authorization service gave no usable answer, so nothing is permitted; this is not a refusal."""

    def __init__(self, message: str, *, correlation_id: str) -> None:
        super().__init__(message)
        self.correlation_id = correlation_id


class AuthorizationInvalid(
    AuthorizationUnavailable,
    code="AUTHORIZATION_INVALID",
    title="The permission service gave an invalid answer",
    http_status=502,
):
    """The answer of the authorization service is malformed, so nothing is permitted; this is not a refusal."""


class AuthorizationTimedOut(
    AuthorizationUnavailable,
    code="AUTHORIZATION_TIMED_OUT",
    title="The permission service does not answer in time",
    http_status=504,
):
    """The authorization service did not answer in time, so nothing is permitted; this is not a refusal."""


class CannotLaunch(PodiumError, code="CANNOT_LAUNCH", title="That cannot be launched here", http_status=400):
    """A product cannot be launched here. The message gives the reason and an alternative."""


class TookTooLong(PodiumError, code="TOOK_TOO_LONG", title="It took too long", http_status=504):
    """The message exceeded the time limit and was stopped; nothing was changed."""

    def __init__(self, seconds: float) -> None:
        unit = "second" if seconds == 1 else "seconds"
        super().__init__(
            f"This took longer than {seconds:g} {unit} and was stopped. Nothing was changed. Ask for less at a time."
        )


class Cancelled(PodiumError, code="CANCELLED", title="Stopped", http_status=400):
    """The user cancelled the message; nothing was changed."""


class TooManyStreams(PodiumError, code="TOO_MANY_STREAMS", title="Too many event streams", http_status=503):
    """The user has as many event streams open as the server allows for one user."""


class StorageError(PodiumError, code="STORAGE", title="The database does not answer", http_status=503, exit_status=5):
    """The database failed; nothing was changed."""


class DatabaseMissing(StorageError, code="DATABASE_MISSING", title="There is no workspace here yet"):
    """There is no database at this path yet."""


class DatabaseLost(StorageError, code="DATABASE_LOST", title="The workspace cannot be opened"):
    """The database is missing or empty although backups or its log exist, so no workspace is created in its place."""


class DatabaseBusy(StorageError, code="DATABASE_BUSY", title="The database is busy"):
    """Another process held the lock of the database for too long."""


class DatabaseAway(StorageError, code="DATABASE_AWAY", title="The database is away for a moment"):
    """There is no connection to the server of the database, as while it restarts or another server takes over."""


class DatabaseFull(StorageError, code="DATABASE_FULL", title="The disk is full"):
    """The disk of the database is full."""


class DatabaseReadOnly(StorageError, code="DATABASE_READ_ONLY", title="The database cannot be written"):
    """The file of the database or its folder is read-only."""


class DatabaseDamaged(StorageError, code="DATABASE_DAMAGED", title="The database is damaged"):
    """The file is corrupt, or is not a database."""


class DatabaseTooNew(StorageError, code="DATABASE_TOO_NEW", title="The database is from a newer Podium"):
    """A newer version of Podium wrote the database."""


class DatabaseTooOld(StorageError, code="DATABASE_TOO_OLD", title="The database is from an older Podium"):
    """An older Podium wrote the database; only “podium migrate”, of this one or one before, brings it forward."""


class DatabaseMoved(StorageError, code="DATABASE_MOVED", title="The workspace was moved"):
    """The workspace was copied to another database, which is used instead of this one."""


class UnsafeFile(StorageError, code="UNSAFE_FILE", title="A file is not safe to open"):
    """A link, a file with several names, or a special file is at a path that Podium uses for a file of its own."""


class ServerUnavailable(StorageError, code="SERVER_UNAVAILABLE", title="The server does not answer"):
    """The server cannot be reached, or its answer was lost. A command that was sent may have been carried out."""
