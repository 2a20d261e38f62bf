"""The permission query for products, on its own paths and in snake_case.

It is QueryPermissions by another name, with the same permissions and limits. All its errors have form B.

A product with its own token may ask about any user, for its own permission codes, on the account of a project that has
an application of it. Everything else is Forbidden, always with the same sentence, which names no record.
"""

from __future__ import annotations

import json
from functools import partial
from typing import Any, cast

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from core.actions.permissions.permissions import QueryPermissions
from core.authorization.query_pages import PermissionPage, check_filters, single_entry_page
from core.authorization.remote_query import PATHS
from core.domain.grants import CacheControl, PermissionQuery
from core.domain.model import Id
from core.domain.products.products import Product
from core.engine.engine import Engine
from core.engine.unit_of_work import Snapshot
from core.errors import Forbidden, InvalidInput
from core.server.requests.authentication import ONLY_THIS, ProductSender
from core.server.requests.decoding import check_no_query, parse_json_body
from core.server.requests.dispatcher import Dispatcher
from core.server.requests.responses import json_response
from core.sign_in.local import NOBODY
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
        page = answer_product(dispatcher.engine, sender.product_id, message)
    else:
        page = dispatcher.engine.query(message, sender)
    entries = [{"account_id": entry.account_id, "permissions": list(entry.permissions)} for entry in page.data]
    answer = {"total_count": page.total_count, "data": entries, "limit": page.limit, "offset": page.offset}
    return json_response(json.dumps(answer), request)


def _filters(value: dict[str, Any] | None) -> dict[str, Any]:
    if value is None or value.keys() != {"filters"} or not isinstance(value["filters"], dict):
        raise InvalidInput("filters", 'The body must be an object with one key: {"filters": {…}}.')
    return dict(value["filters"])


_HAS_APPLICATION = (
    "SELECT 1 FROM project JOIN application ON application.project_id = project.id"
    " WHERE project.auth_id = :account AND application.product_id = :product LIMIT 1"
)


def answer_product(engine: Engine, product_id: Id, asked: QueryPermissions) -> PermissionPage:
    """Return the codes that a user holds; none for an unknown user. Raises Forbidden, InvalidInput, or the fault."""
    if asked.account_id is None or not engine.read(NOBODY, partial(_may_ask, product_id, asked)):
        raise Forbidden(ONLY_THIS)
    if asked.user_id is None:
        raise InvalidInput("user_id", "A product names the user whom it asks about.")
    check_filters(asked.permission_codes, asked.limit, asked.offset)
    question = PermissionQuery(asked.user_id, asked.account, frozenset(asked.permission_codes))
    grant = engine.permissions.grant(question, CacheControl.MAX_STALE)
    if fault := grant.authority.fault:
        raise fault.error
    return single_entry_page(asked.account_id, grant.held, asked.limit, asked.offset)


def _may_ask(product_id: Id, asked: QueryPermissions, view: Snapshot) -> bool:
    product = view.find(Product, id=product_id)
    return (
        product is not None
        and set(asked.permission_codes) <= set(product.permission_codes)
        and bool(view.rows(_HAS_APPLICATION, account=asked.account, product=product_id))
    )
