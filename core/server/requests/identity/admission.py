"""Admit: refuse a message by the head of its request, before its body is read or parsed."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request

from core.engine.engine import Engine
from core.engine.messages import Message
from core.engine.unit_of_work import Actor
from core.server.requests.identity.authentication import Authenticator
from core.wire.routes import BODILESS, head_of, route_of


def admit(kind: type[Message[Any]], request: Request, authenticator: Authenticator, engine: Engine) -> Actor:
    """Return the sender of a message, after checking the permission that its route and path need. Raises PodiumError.

    A permission that depends on the body is checked with the whole message.
    """
    actor = authenticator.user(request)
    state = request.scope["state"]
    state["message"] = kind.__name__  # for the log
    if route_of(kind).method not in BODILESS:
        state["project"] = engine.admit(head_of(kind, request.path_params), actor)
    return actor
