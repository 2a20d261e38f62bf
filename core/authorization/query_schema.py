"""The request and the response of a permission query to the service.

A response is read strictly: ``total_count``, ``limit``, ``offset`` and ``data`` have to be there, with their types.
Further fields are ignored, because a service may add some; but a response that reports errors is refused, even if it
has data too.
"""

from __future__ import annotations

import json
import re

from core.codec.decoding import convert_json
from core.codec.strict_json import Bounds, InvalidJson, read_json
from core.domain.grants import PermissionQuery
from core.record import Record

LIMIT = 100
"""Entries on a page, as asked; a service may answer with smaller pages, and says so in its ``limit``."""

MAX_DEEP = 8
"""The deepest nesting of objects and lists that is read; the documented shape has four levels."""

ERRORS = frozenset({"errors", "error", "errorCode", "status_code"})
"""Fields that only error bodies have."""

_ACCOUNT = re.compile(r"[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")


class GrantEntry(Record, rename=None):
    """The codes held on one account."""

    account_id: str
    permissions: frozenset[str]


class GrantPage(Record, rename=None):
    """One page of the entries."""

    total_count: int
    limit: int
    offset: int
    data: tuple[GrantEntry, ...]


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
    try:
        page: GrantPage = convert_json(answer, GrantPage)
    except ValueError as error:
        raise InvalidJson(f"it does not have the documented form ({error})") from error
    for part in (answer, *answer["data"]):
        if errors := sorted(ERRORS & part.keys()):
            raise InvalidJson(f"it has {errors[0]} beside its data")
    if page.offset != offset:
        raise InvalidJson(f"its offset is not the {offset} that was asked for")
    if not 1 <= page.limit <= LIMIT:
        raise InvalidJson(f"its limit is {page.limit}, and 1 to {LIMIT} were asked for")
    if page.total_count < 0 or len(page.data) != min(page.limit, max(0, page.total_count - offset)):
        raise InvalidJson(f"it has {len(page.data)} entries of {page.total_count} from {offset} on")
    if not all(_ACCOUNT.fullmatch(entry.account_id) for entry in page.data):
        raise InvalidJson("the account_id of an entry is not a UUID")
    return page
