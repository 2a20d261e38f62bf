"""The permission query for products, on its own paths and in snake_case.

It is QueryPermissions by another name, with the same permissions and limits; a product with its own token may ask by
the rules of ``core.server.requests.identity.product_questions``. All its errors have form B.
"""

from __future__ import annotations

import json
from functools import partial
from typing import Any, cast

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from core.actions.permissions.permissions import QueryPermissions
from core.authorization.query_pages import PermissionPage
from core.authorization.remote_query import PATHS
from core.errors import InvalidInput
from core.server.requests.decoding import check_no_query, parse_json_body
from core.server.requests.dispatcher import Dispatcher
from core.server.requests.identity import product_questions
from core.server.requests.identity.authentication import ProductSender
from core.server.requests.responses import json_response
from core.wire.message_decoder import message_from


def permission_query_routes(dispatcher: Dispatcher) -> list[Route]:
    """The routes of the two paths, those of production and of staging."""

    async def query(request: Request) -> Response:
        body = await request.body()
        return await dispatcher.queue.read(request, partial(_answer, dispatcher, request, body))

    return [Route(path, query, methods=["POST"]) for path in PATHS.values()]


def _answer(dispatcher: Dispatcher, request: Request, body: bytes) -> Response:
    sender = dispatcher.authenticator.sender(request)
    if not isinstance(sender, ProductSender):
        sender = dispatcher.authenticator.user(request)
    check_no_query(request)
    message = cast(QueryPermissions, message_from(QueryPermissions.__name__, _filters(parse_json_body(request, body))))
    if isinstance(sender, ProductSender):
        page = product_questions.answer(dispatcher.engine, sender.product_id, message)
    else:
        page = dispatcher.engine.query(message, sender)
    return json_response(json.dumps(_as_documented(page)), request)


def _filters(value: dict[str, Any] | None) -> dict[str, Any]:
    if value is None or value.keys() != {"filters"} or not isinstance(value["filters"], dict):
        raise InvalidInput("filters", 'The body must be an object with one key: {"filters": {…}}.')
    return dict(value["filters"])


def _as_documented(page: PermissionPage) -> dict[str, Any]:
    entries = [{"account_id": entry.account_id, "permissions": list(entry.permissions)} for entry in page.data]
    return {"total_count": page.total_count, "data": entries, "limit": page.limit, "offset": page.offset}
