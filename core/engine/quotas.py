"""Quotas: limits for the number of records that one user has at one time, and adds in a day.

A command that would exceed a quota is refused with ``QuotaReached`` and changes nothing. The records that a user has
are counted in their own tables. The additions of a day are counted in the table ``usage``, with one row per user and
kind. Such a row is no record: no history contains it, so undo does not give the quota back. A row counts only for its
own day in UTC, so a clock that was wrong locks no user out.

``podium serve`` sets the quotas, the same for all users; a local database file has none.
"""

from __future__ import annotations

import threading
from enum import StrEnum
from typing import TYPE_CHECKING

from core.domain.quotas import Quotas
from core.errors import QuotaReached
from core.record import fields
from core.text.phrases import count

if TYPE_CHECKING:
    from datetime import datetime

    from core.config import Config
    from core.domain.model import Id
    from core.engine.unit_of_work import Snapshot, UnitOfWork

MEGABYTE = 1_000_000

SMALL = 16 * 1024
"""Bytes of a user's changes that are counted in memory before they are written to ``usage``, so that moving a card
needs no further statement. A restart forgets fewer bytes than this."""


def quotas_of(config: Config) -> Quotas:
    """The quotas that a configuration sets."""
    return Quotas(**{name: getattr(config, f"max_{name}") for name in fields(Quotas)})


MAX_REFUSED_KEYS = 10
"""Keys of projects that one user learns in a day not to be free."""


class DailyQuota(StrEnum):
    """The amounts that are counted per day."""

    PROJECTS = "PROJECTS"
    IMPORTS = "IMPORTS"
    TEXT = "TEXT"
    """In bytes."""
    REFUSED_KEYS = "REFUSED_KEYS"
    """Keys that were not free, in refusals and in dry runs, also of imports."""


def check_token_quota(work: UnitOfWork, user_id: Id, name: str) -> None:
    """Raise QuotaReached if a user has as many valid tokens as allowed."""
    if work.quotas is None:
        return
    held, most = _valid_tokens(work, user_id, "IS NULL"), work.quotas.tokens
    if held >= most:
        who = "You have" if user_id == work.actor.user_id else f"{name} has"
        raise QuotaReached(
            f"{who} {count(held, 'valid token')}; one user can have at most {most}. "
            "Revoke one with “podium token revoke” first."
        )


def check_session_quota(work: UnitOfWork, user_id: Id) -> None:
    """Raise QuotaReached if gateways have opened as many sessions for a user as allowed."""
    if work.quotas is None:
        return
    held, most = _valid_tokens(work, user_id, "IS NOT NULL"), work.quotas.sessions
    if held >= most:
        raise QuotaReached(
            f"You have {count(held, 'session')} in browsers; one user can have at most {most}. "
            "Sign out of one, or try again in 15 minutes."
        )


def count_project(work: UnitOfWork) -> None:
    """Count a project before it is created. Raises QuotaReached."""
    if work.quotas is None:
        return
    _check_project_quota(work, work.quotas.projects)
    add_usage(work, DailyQuota.PROJECTS, 1)


def count_import(work: UnitOfWork) -> None:
    """Count an import before it is committed. Raises QuotaReached."""
    if work.quotas is not None:
        add_usage(work, DailyQuota.IMPORTS, 1)


def check_import_quota(view: Snapshot) -> None:
    """Raise QuotaReached before an import that may take long, where the import would be refused at its end."""
    if view.quotas is None:
        return
    _check_project_quota(view, view.quotas.projects)
    rows = view.rows(
        "SELECT kind, amount FROM usage WHERE user_id = :me AND day = :day AND kind <> :keys",
        me=view.actor.user_id,
        day=_day(view.now),
        keys=DailyQuota.REFUSED_KEYS.value,
    )
    for row in rows:
        _refuse_beyond(view.quotas, DailyQuota(row["kind"]), row["amount"] + 1)


def count_text(work: UnitOfWork, amount: int, *, refuse: bool = True) -> None:
    """Add ``amount`` bytes of text to the usage of today. Raises QuotaReached, unless ``refuse`` is false."""
    if work.quotas is not None:
        add_usage(work, DailyQuota.TEXT, amount, refuse=refuse)


def are_keys_used_up(view: Snapshot) -> bool:
    """Return whether a user has learned of as many keys today as allowed; never in a file, which they can read."""
    if view.quotas is None:
        return False
    sql = "SELECT 1 FROM usage WHERE user_id = :me AND kind = :kind AND day = :day AND amount >= :most"
    kind, day = DailyQuota.REFUSED_KEYS.value, _day(view.now)
    return bool(view.tx.tuples(sql, me=view.actor.user_id, kind=kind, day=day, most=MAX_REFUSED_KEYS))


class TextCounter:
    """Counts the text that users write, as long as the process runs."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._small: dict[Id, int] = {}

    def take(self, user_id: Id) -> int:
        """Take the bytes that are counted in memory alone, if they are enough for ``usage``; otherwise 0.

        Of a user's commands that run at the same time only one gets them, so they are counted once, and the others do
        not conflict on its row.
        """
        with self._lock:
            return self._small.pop(user_id, 0) if self._small.get(user_id, 0) >= SMALL else 0

    def count(self, work: UnitOfWork, taken: int, *, refuse: bool = True) -> int:
        """Count the bytes that a transaction writes, and those taken. Raises QuotaReached, unless ``refuse`` is false.

        Returns the bytes that ``usage`` does not contain yet, for ``keep`` after the commit.
        """
        if work.quotas is None:
            return 0
        if not taken and work.written < SMALL:
            return work.written
        count_text(work, taken + work.written, refuse=refuse)
        return 0

    def keep(self, user_id: Id, amount: int) -> None:
        """Count bytes in memory: those of a small command, or those taken by one that was rolled back."""
        with self._lock:
            self._small[user_id] = self._small.get(user_id, 0) + amount


def add_usage(work: Snapshot, kind: DailyQuota, amount: int, *, refuse: bool = True) -> None:
    """Add to a user's usage of today, in the transaction. Raises QuotaReached, which rolls it back."""
    if work.only_reads:
        used = "SELECT amount FROM usage WHERE user_id = :me AND kind = :kind AND day = :day"
        known = work.tx.tuples(used, me=work.actor.user_id, kind=kind.value, day=_day(work.now))
        if refuse and work.quotas is not None:
            _refuse_beyond(work.quotas, kind, sum(row[0] for row in known) + amount)
        return
    rows = work.tx.query(
        "INSERT INTO usage (user_id, kind, day, amount) VALUES (:me, :kind, :day, :amount)"
        " ON CONFLICT (user_id, kind) DO UPDATE SET day = excluded.day,"
        " amount = excluded.amount + CASE WHEN usage.day = excluded.day THEN usage.amount ELSE 0 END"
        " RETURNING amount",
        me=work.actor.user_id,
        kind=kind.value,
        day=_day(work.now),
        amount=amount,
    )
    if refuse and work.quotas is not None:
        _refuse_beyond(work.quotas, kind, int(rows[0]["amount"]))


def _refuse_beyond(quotas: Quotas, kind: DailyQuota, amount: int) -> None:
    most, so_many, setting = {
        DailyQuota.PROJECTS: (
            quotas.projects_a_day,
            f"create {count(quotas.projects_a_day, 'project')}",
            "projects_a_day",
        ),
        DailyQuota.IMPORTS: (quotas.imports_a_day, f"import {count(quotas.imports_a_day, 'project')}", "imports_a_day"),
        DailyQuota.TEXT: (
            quotas.megabytes_a_day * MEGABYTE,
            f"write {quotas.megabytes_a_day} MB of text",
            "megabytes_a_day",
        ),
    }[kind]
    if amount > most:
        raise QuotaReached(
            f"One user can {so_many} a day, and this would be more. "
            f"Try again after midnight UTC, or {_ask(f'max_{setting}')}."
        )


def _check_project_quota(view: Snapshot, most: int) -> None:
    rows = view.rows("SELECT count(*) AS n FROM member WHERE invited_by = :me AND user_id = :me", me=view.actor.user_id)
    made = int(rows[0]["n"])
    if made >= most:
        raise QuotaReached(
            f"You have created {count(made, 'project')}; one user can have at most {most}. "
            f"Archive and delete one first, or {_ask('max_projects')}."
        )


def _valid_tokens(view: Snapshot, user_id: Id, gateway: str) -> int:
    from core.storage.row_mapper import encode_value

    rows = view.rows(
        "SELECT count(*) AS n FROM token WHERE user_id = :id AND revoked_at IS NULL AND expires_at > :now"
        f" AND gateway_id {gateway}",
        id=user_id,
        now=encode_value(view.now),
    )
    return int(rows[0]["n"])


def _ask(setting: str) -> str:
    return f"ask the administrator of the server to raise “{setting}”"


def _day(now: datetime) -> str:
    from datetime import UTC

    return now.astimezone(UTC).date().isoformat()
