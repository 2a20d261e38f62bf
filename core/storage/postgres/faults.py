"""Errors of PostgreSQL as storage errors of Podium, which say what happened and what to do about it, in one sentence.

No sentence has a password: they show the database by ``place_of``.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import psycopg
from psycopg import errors
from psycopg.conninfo import conninfo_to_dict

from core.errors import (
    DatabaseAway,
    DatabaseBusy,
    DatabaseDamaged,
    DatabaseFull,
    DatabaseMissing,
    DatabaseMoved,
    DatabaseReadOnly,
    ServerUnavailable,
    StorageError,
    TookTooLong,
)
from core.storage.database import ConstraintViolation, meanwhile
from core.storage.deadline import SLOWEST_SECONDS

MOVED = "PDMOV"
"""The code with which a database refuses commits after its workspace was moved away."""

GONE = ("08", "57P01", "57P02", "57P03", "57P05")
"""Beginnings of the codes of a connection that has ended, or cannot be opened yet: the server stops or starts."""


class NotReplicated(psycopg.OperationalError):
    """A commit is done, and nobody knows whether the synchronous standby has it, because its wait was ended."""


def place_of(url: str) -> str:
    """The database of a URL in words: its name and its host, without the password. Raises StorageError."""
    try:
        parts = conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        raise StorageError(
            "The URL of the database cannot be read. Write postgresql://ROLE@HOST:PORT/DATABASE, with %XX for "
            "special characters."
        ) from None
    hosts, ports = (str(parts.get(each) or "").split(",") for each in ("host", "port"))
    if len(ports) == 1:
        ports *= len(hosts)
    found = (f"{host or 'this machine'}{port and ':'}{port}" for host, port in zip(hosts, ports, strict=False))
    return f"the database “{parts.get('dbname', '')}” on {', '.join(found)}"


@contextlib.contextmanager
def faults(place: str) -> Iterator[None]:
    """Turn errors of PostgreSQL into storage errors of Podium."""
    try:
        yield
    except ConstraintViolation as error:
        raise meanwhile() from error
    except psycopg.Error as error:
        raise explain(place, error) from error


def is_conflict(error: psycopg.Error | ConstraintViolation) -> bool:
    """Return True if the transaction met another one, and can run again.

    PostgreSQL may find two cards of one number at their index before it finds that one transaction did not see the
    other; the next run takes another number.
    """
    cause = error.__cause__ if isinstance(error, ConstraintViolation) else error
    if isinstance(cause, errors.UniqueViolation):
        return cause.diag.constraint_name == "item_number"
    return isinstance(cause, errors.SerializationFailure | errors.DeadlockDetected)


def is_gone(error: psycopg.Error) -> bool:
    """Return True if the connection has ended or could not be opened, so that a new one may help.

    So is a connection with a prepared statement that is not there any more, or that a migration has changed.
    """
    if isinstance(error, errors.InvalidSqlStatementName) or error.diag.source_function == "RevalidateCachedQuery":
        return True
    if not isinstance(error, psycopg.OperationalError):
        return False
    return error.sqlstate is None or error.sqlstate.startswith(GONE)


def explain(place: str, error: psycopg.Error) -> Exception:
    """The error of Podium for an error of PostgreSQL."""
    if error.sqlstate == MOVED:
        return DatabaseMoved(error.diag.message_primary or "")
    match error:
        case errors.IntegrityError():
            return meanwhile()
        case errors.SerializationFailure() | errors.DeadlockDetected() | errors.LockNotAvailable():
            return DatabaseBusy(f"Others are writing {place} all the time. Nothing was changed; try again.")
        case errors.TooManyConnections():
            return DatabaseBusy(f"No connection is free for {place}. Nothing was changed; try again.")
        case errors.QueryCanceled() | errors.IdleInTransactionSessionTimeout():
            return TookTooLong(SLOWEST_SECONDS)
        case errors.DiskFull():
            return DatabaseFull(f"No room is left on the disk of {place}. Nothing was changed; make room and retry.")
        case errors.OutOfMemory() if error.diag.source_file == "predicate.c":  # no room for locks of SERIALIZABLE
            return DatabaseBusy(
                f"Another transaction holds {place}. Nothing was changed; an administrator finds it by “podium doctor”."
            )
        case errors.OutOfMemory():
            return DatabaseBusy(f"The server has no memory left for {place}. Nothing was changed; try again.")
        case errors.ReadOnlySqlTransaction():
            return read_only(place)
        case errors.InsufficientPrivilege():
            return without_rights(place, _reason(error))
        case errors.UndefinedTable() | errors.UndefinedColumn() | errors.UndefinedFunction():
            return DatabaseDamaged(
                f"The tables of {place} are not those of Podium ({_reason(error)}). Restore a backup of it."
            )
        case errors.DataCorrupted() | errors.IndexCorrupted():
            return DatabaseDamaged(f"The server found damage in {place} ({_reason(error)}). Restore a backup of it.")
    if isinstance(error, NotReplicated):
        return ServerUnavailable(f"Whether the standby has the change is not known: {place} did not wait for it.")
    if is_gone(error):
        return _unreachable(place, _reason(error))
    return StorageError(f"The server of {place} reports a fault: {_reason(error)}. Nothing was changed.")


def without_rights(place: str, reason: str) -> DatabaseReadOnly:
    """The error for a role that may not do what it is used for."""
    return DatabaseReadOnly(
        f"The role that this program uses in {place} lacks a right ({reason}). Nothing was changed. As administrator, "
        "run “roles.sql” and name the role podium_app, or name the role that owns the tables."
    )


def read_only(place: str) -> DatabaseReadOnly:
    """The error for a server that only reads, such as a replica."""
    return DatabaseReadOnly(
        f"The server of {place} only reads, as a replica does. Nothing was changed. Name the server that writes, or "
        "all of them with target_session_attrs=read-write in the URL."
    )


def _unreachable(place: str, reason: str) -> StorageError:
    """The error for a connection that cannot be opened. The server gives no code before a user has signed in."""
    match reason:
        case _ if "does not exist" in reason and "database" in reason:
            return DatabaseMissing(f"There is no database here: {place}. Create it with “createdb”, then try again.")
        case _ if "password" in reason:
            return StorageError(
                f"The server refused the password for {place}, or got none ({reason}). Write the right one into "
                "~/.pgpass, or into the file that PGPASSFILE names, with mode 0600."
            )
        case _ if ("role" in reason and "does not exist" in reason) or "pg_hba.conf" in reason:
            return StorageError(f"The server does not let you use {place} ({reason}). Ask its administrator.")
        case _ if "certificate" in reason or "SSL" in reason:
            return StorageError(f"The TLS connection to {place} is refused ({reason}). Ask its administrator.")
    return DatabaseAway(f"There is no connection to {place} ({reason}). Nothing was changed; try again.")


def _reason(error: psycopg.Error) -> str:
    """The first line of the server's message, or the last of a connection that failed, without its end."""
    text = error.diag.message_primary or str(error).strip().splitlines()[-1] if str(error).strip() else "no reason"
    return text.rpartition("FATAL:")[2].strip().rstrip(".")
