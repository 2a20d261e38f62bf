"""Routes that are no messages: launch codes, long commands under way, the document of the API, the pages of errors.

For all but the long commands nobody signs in.
"""

from __future__ import annotations

import json
from functools import cache, partial

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from core.exchange import exchange
from core.server.answers import given
from core.server.error_pages import error_page_routes
from core.server.messages import Desk
from core.server.reading import refuse_query


def plain_routes(desk: Desk) -> list[Route]:
    """All of them."""

    async def launch(request: Request) -> Response:
        refuse_query(request)
        context = await desk.write(request, partial(exchange, desk.application, request.path_params["code"]))
        return given(json.dumps(context), request, headers={"Cache-Control": "no-store"})

    async def document(request: Request) -> Response:
        refuse_query(request)
        return given(await desk.read(request, _document), request)

    async def under_way(request: Request) -> Response:
        refuse_query(request)
        sender = await desk.read(request, partial(desk.sender, request))
        watched = desk.under_way.find(sender.user_id, request.path_params["key"])
        if request.method == "DELETE":
            watched.cancel()
        done, total = watched.steps
        return given(json.dumps({"done": done, "total": total}), request, headers={"Cache-Control": "no-store"})

    launching = Route("/v1/launches/{code}", launch, methods=["GET"])
    launching.methods = {"GET"}  # to ask for the head alone would use up the code
    return [
        launching,
        Route("/v1/under-way/{key}", under_way, methods=["GET", "DELETE"]),
        Route("/v1/openapi.json", document, methods=["GET"]),
        *error_page_routes(),
    ]


@cache
def _document() -> str:
    from core.server.openapi import document

    return json.dumps(document())
