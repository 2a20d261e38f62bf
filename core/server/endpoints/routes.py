"""Routes that are not messages: launch codes, running commands, gateway sessions, the OpenAPI document, error pages.

Only the running commands and the sessions need authentication.
"""

from __future__ import annotations

import json
from functools import cache, partial

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from core.codec.encoding import text_of
from core.errors import InvalidInput
from core.server.endpoints.launch_codes import exchange
from core.server.openapi.error_pages import error_page_routes
from core.server.requests.decoding import check_no_query, parse_json_body
from core.server.requests.dispatcher import Dispatcher
from core.server.requests.responses import json_response
from core.sign_in.gateway_sessions import MAX_KEPT, keep_sessions, open_session


def other_routes(dispatcher: Dispatcher) -> list[Route]:
    """The routes of launch codes, running commands, sessions, the OpenAPI document and the error pages."""

    async def launch(request: Request) -> Response:
        check_no_query(request)
        exchanging = partial(exchange, dispatcher.engine, request.path_params["code"])
        context = await dispatcher.queue.write(request, exchanging)
        return json_response(json.dumps(context), request, headers={"Cache-Control": "no-store"})

    async def document(request: Request) -> Response:
        check_no_query(request)
        return json_response(await dispatcher.queue.read(request, _document), request)

    async def under_way(request: Request) -> Response:
        check_no_query(request)
        sender = await dispatcher.queue.read(request, partial(dispatcher.authenticator.user, request))
        watched = dispatcher.running.find(sender.user_id, request.path_params["key"])
        if request.method == "DELETE":
            watched.cancel()
        done, total = watched.steps
        return json_response(json.dumps({"done": done, "total": total}), request, headers={"Cache-Control": "no-store"})

    async def opened(request: Request) -> Response:
        return await dispatcher.queue.write(request, partial(_opened, dispatcher, request, await request.body()))

    async def kept(request: Request) -> Response:
        return await dispatcher.queue.write(request, partial(_kept, dispatcher, request, await request.body()))

    launching = Route("/v1/launches/{code}", launch, methods=["GET"])
    launching.methods = {"GET"}  # no HEAD, which would use up the code
    return [
        launching,
        Route("/v1/under-way/{key}", under_way, methods=["GET", "DELETE"]),
        Route("/v1/sessions", opened, methods=["POST"]),
        Route("/v1/sessions/keep", kept, methods=["POST"]),
        Route("/v1/openapi.json", document, methods=["GET"]),
        *error_page_routes(),
    ]


def _opened(dispatcher: Dispatcher, request: Request, body: bytes) -> Response:
    """Open a session for the user with the login in the body."""
    gateway_id = dispatcher.authenticator.gateway(request)
    check_no_query(request)
    login = (parse_json_body(request, body) or {}).get("login")
    if not isinstance(login, str):
        raise InvalidInput("login", 'Name the person: {"login": "…"}.')
    opened = open_session(dispatcher.engine, gateway_id, login)
    return json_response(text_of(opened), request, 201, headers={"Cache-Control": "no-store"})


def _kept(dispatcher: Dispatcher, request: Request, body: bytes) -> Response:
    """Keep the sessions in the body open, and list those that are."""
    gateway_id = dispatcher.authenticator.gateway(request)
    check_no_query(request)
    ids = (parse_json_body(request, body) or {}).get("ids")
    if not isinstance(ids, list) or len(ids) > MAX_KEPT or not all(isinstance(each, str) for each in ids):
        raise InvalidInput("ids", f'Name up to {MAX_KEPT:,} sessions: {{"ids": ["…"]}}.')
    return json_response(text_of(keep_sessions(dispatcher.engine, gateway_id, ids)), request)


@cache
def _document() -> str:
    from core.server.openapi.document import document

    return json.dumps(document())
