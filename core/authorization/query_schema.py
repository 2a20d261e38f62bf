"""The request and the response of a permission query to the service.

A response is read strictly: ``total_count``, ``limit``, ``offset`` and ``data`` have to be there, with their types.
Further fields are ignored, because a service may add some; but a response that reports errors is refused, even if it
has data too.
"""

from __future__ import annotations

import json
import re
from typing import Any

from core.codec.strict_json import Bounds, InvalidJson, read_json
from core.domain.grants import PermissionQuery
from core.record import Record

LIMIT = 100
"""Entries on a page."""

MAX_DEEP = 8
"""The deepest nesting of objects and lists that is read; the documented shape has four levels."""

ERRORS = frozenset({"errors", "error", "errorCode", "status_code"})
"""Fields that only error bodies have."""

_ACCOUNT = re.compile(r"[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")


class GrantEntry(Record, kw_only=False):
    """The codes held on one account."""

    account_id: str
    permissions: frozenset[str]


class GrantPage(Record, kw_only=False):
    """One page of the entries."""

    total: int
    entries: tuple[GrantEntry, ...]


def request_body(query: PermissionQuery, offset: int) -> bytes:
    """The body of the request for the page that starts at ``offset``."""
    filters = {
        "limit": LIMIT,
        "offset": offset,
        "account_id": query.account_id,
        "user_id": query.user_id,
        "permission_codes": sorted(query.codes),
    }
    return json.dumps({"filters": filters}).encode()


def read_page(body: bytes, offset: int) -> GrantPage:
    """The page that starts at ``offset``. Raises InvalidJson for a body of any other shape."""
    answer = read_json(body, Bounds(MAX_DEEP))
    if type(answer) is not dict:
        raise InvalidJson("it is not an object")
    _check_no_errors(answer)
    total, data = answer.get("total_count"), answer.get("data")
    if type(total) is not int or total < 0:
        raise InvalidJson("its total_count is not a number of entries")
    for name, asked in (("limit", LIMIT), ("offset", offset)):
        if type(answer.get(name)) is not int or answer[name] != asked:
            raise InvalidJson(f"its {name} is not the {asked} that was asked for")
    if type(data) is not list:
        raise InvalidJson("its data is not a list")
    if len(data) != min(LIMIT, max(0, total - offset)):
        raise InvalidJson(f"it has {len(data)} entries of {total} from {offset} on")
    return GrantPage(total, tuple(map(_entry, data)))


def _entry(value: Any) -> GrantEntry:
    if type(value) is not dict:
        raise InvalidJson("an entry is not an object")
    _check_no_errors(value)
    account, codes = value.get("account_id"), value.get("permissions")
    if type(account) is not str or not _ACCOUNT.fullmatch(account):
        raise InvalidJson("the account_id of an entry is not a UUID")
    if type(codes) is not list or any(type(code) is not str for code in codes):
        raise InvalidJson("the permissions of an entry are not a list of codes")
    return GrantEntry(account, frozenset(codes))


def _check_no_errors(answer: dict[str, Any]) -> None:
    if errors := sorted(ERRORS & answer.keys()):
        raise InvalidJson(f"it has {errors[0]} beside its data")
