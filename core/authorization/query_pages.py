"""The permission query with its paging, as Podium answers it."""

from __future__ import annotations

from core.authorization.held_permissions import origins, permissions_page
from core.domain.model import Id
from core.domain.permissions import is_code
from core.errors import InvalidInput
from core.record import Record
from core.storage.database import Tx
from core.text.sanitize import sanitize

MAX_ENTRIES = 100
"""Entries on one page."""
MAX_CODES = 1000
"""Permission codes in one query; more than any product has."""


class PermissionEntry(Record):
    """The codes that a user holds on one account."""

    account_id: str
    permissions: tuple[str, ...]


class PermissionPage(Record):
    """One page of the answer to a permission query."""

    total_count: int
    data: tuple[PermissionEntry, ...]
    limit: int
    offset: int


class QueryFilters(Record, kw_only=False):
    """The filters of a permission query that asks about every account."""

    user_id: Id
    permission_codes: tuple[str, ...]
    limit: int = MAX_ENTRIES
    offset: int = 0


def page(tx: Tx, filters: QueryFilters) -> PermissionPage:
    """The accounts on which the user holds any of the codes, ordered by id. Accounts with none of them are left out.

    ``filters`` has passed ``check_filters``.
    """
    found = origins(tx, filters.user_id, frozenset(filters.permission_codes))
    if found is None:
        return entries({}, 0, filters.limit, filters.offset)
    total, on_page = permissions_page(tx, found, filters.limit, filters.offset)
    return entries(on_page, total, filters.limit, filters.offset)


def single_entry_page(account_id: str, held: frozenset[str], limit: int, offset: int) -> PermissionPage:
    """The answer about one account: one entry, or none."""
    return entries({account_id: held} if held and not offset else {}, int(bool(held)), limit, offset)


def entries(held: dict[str, frozenset[str]], total: int, limit: int, offset: int) -> PermissionPage:
    """A page of entries in the order of accounts and codes."""
    return PermissionPage(
        total_count=total,
        data=tuple(PermissionEntry(account_id=each, permissions=tuple(sorted(held[each]))) for each in sorted(held)),
        limit=limit,
        offset=offset,
    )


def check_filters(codes: tuple[str, ...], limit: int, offset: int) -> None:
    """Raise InvalidInput unless there are 1 to 1000 valid codes, a limit of 1 to 100 and an offset of at least 0."""
    if not codes:
        raise InvalidInput("permission_codes", "A permission query needs at least one permission code.")
    for code in codes:
        if not is_code(code):
            raise InvalidInput(
                "permission_codes",
                f"“{sanitize(code[:80])}” is not a permission code. They are upper-case: TASK_MOVE.",
            )
    if len(codes) > MAX_CODES:
        raise InvalidInput("permission_codes", f"A query can name at most {MAX_CODES} codes, not {len(codes)}.")
    if not 1 <= limit <= MAX_ENTRIES:
        raise InvalidInput("limit", f"A page has 1 to {MAX_ENTRIES} entries, so the limit cannot be {limit}.")
    if not 0 <= offset < 2**63:
        raise InvalidInput("offset", f"The offset is a number of entries from 0 on, so it cannot be {offset}.")
