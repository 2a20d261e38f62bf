"""Routes that are not messages: launch codes, running commands, gateway sessions, the OpenAPI document, error pages.

Only the running commands and the sessions need authentication.
"""

from __future__ import annotations

import json
from datetime import timedelta
from functools import cache, partial
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from core.codec.encoding import text_of
from core.domain.grants import CacheControl, PermissionQuery
from core.domain.model import WORKSPACE, Project
from core.domain.permissions import Permission
from core.domain.products.launch_context import CODE_SECONDS, hash_code
from core.domain.products.products import Launch
from core.engine.engine import Engine
from core.engine.unit_of_work import Snapshot, UnitOfWork, in_workspace
from core.errors import InvalidInput, NotFound
from core.server.openapi.error_pages import error_page_routes
from core.server.requests.decoding import check_no_query, parse_json_body
from core.server.requests.dispatcher import Dispatcher
from core.server.requests.responses import json_response
from core.sign_in.gateway_sessions import MAX_KEPT, keep_sessions, open_session
from core.sign_in.local import NOBODY, still_signs_in
from core.storage.database import Tx


def other_routes(dispatcher: Dispatcher) -> list[Route]:
    """The routes of launch codes, running commands, sessions, the OpenAPI document and the error pages."""

    async def launch(request: Request) -> Response:
        check_no_query(request)
        exchanging = partial(exchange_code, dispatcher.engine, request.path_params["code"])
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

    async def answer_opening(request: Request) -> Response:
        return await dispatcher.queue.write(request, partial(_open_session, dispatcher, request, await request.body()))

    async def answer_keeping(request: Request) -> Response:
        return await dispatcher.queue.write(request, partial(_keep_sessions, dispatcher, request, await request.body()))

    launching = Route("/v1/launches/{code}", launch, methods=["GET"])
    launching.methods = {"GET"}  # no HEAD, which would use up the code
    return [
        launching,
        Route("/v1/under-way/{key}", under_way, methods=["GET", "DELETE"]),
        Route("/v1/sessions", answer_opening, methods=["POST"]),
        Route("/v1/sessions/keep", answer_keeping, methods=["POST"]),
        Route("/v1/openapi.json", document, methods=["GET"]),
        *error_page_routes(),
    ]


def _open_session(dispatcher: Dispatcher, request: Request, body: bytes) -> Response:
    """Open a session for the user with the login in the body."""
    gateway_id = dispatcher.authenticator.gateway(request)
    check_no_query(request)
    login = (parse_json_body(request, body) or {}).get("login")
    if not isinstance(login, str):
        raise InvalidInput("login", 'Name the person: {"login": "…"}.')
    opened = open_session(dispatcher.engine, gateway_id, login)
    return json_response(text_of(opened), request, 201, headers={"Cache-Control": "no-store"})


def _keep_sessions(dispatcher: Dispatcher, request: Request, body: bytes) -> Response:
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


UNKNOWN = (
    f"This launch code is unknown, was used already, or is older than {CODE_SECONDS} seconds."
    " Launch the product again to get a new one."
)


def exchange_code(engine: Engine, code: str) -> dict[str, Any]:
    """Return the launch context of a launch code, with the `userId` of the launch. The code is used up.

    No sign-in is needed, because the code is secret. The exchange is not a message; the history has only the launch.
    It ends with the account of the user, their right to launch, and the token or account by which it was launched.
    Raises NotFound, with the same text for an unknown, a used, an expired and an ended code.
    """

    question = engine.read(NOBODY, partial(_question, code))  # a read, so that guessed codes never hold the write lock
    if not engine.permissions.grant(question, CacheControl.MAX_AGE).held:
        raise NotFound(UNKNOWN)

    def write(tx: Tx) -> dict[str, Any]:
        work = UnitOfWork(tx, NOBODY, engine.clock(), WORKSPACE)
        launch = work.update(_launch(code, work), exchanged_at=work.now)
        work.flush()
        return {**json.loads(launch.context), "userId": launch.user_id}

    return engine.database.write(write)


def _launch(code: str, view: Snapshot) -> Launch:
    """The launch of a code that can be exchanged now, by a user who is still signed in. Raises NotFound."""
    known = "code_hash = :hash AND code_hash <> ''"  # the condition of the index
    found = view.all(Launch, f"{known} AND project_id IN (SELECT id FROM feed)", hash=hash_code(code))
    if (
        not found
        or found[0].exchanged_at
        or view.now >= found[0].at + timedelta(seconds=CODE_SECONDS)
        or not still_signs_in(view, found[0].user_id, found[0].sign_in)
    ):
        raise NotFound(UNKNOWN)
    return found[0]


def _question(code: str, view: Snapshot) -> PermissionQuery:
    """The query whether the user of a launch may still launch there. Raises NotFound."""
    launch = _launch(code, view)
    is_outside = in_workspace(launch.project_id)
    needed = Permission.PRODUCT_LAUNCH if is_outside else Permission.APPLICATION_LAUNCH
    account = view.read_workspace() if is_outside else view.get(Project, id=launch.project_id)
    return PermissionQuery(launch.user_id, account.auth_id, frozenset({needed}))
