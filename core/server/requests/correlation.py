"""The correlation id of a request, and the base URL of links in its response."""

from __future__ import annotations

import re

from starlette.requests import Request

from core.wire.error_bodies import correlation_id

HEADER = "X-Correlation-Id"
_SENT = HEADER.lower().encode()

FORM = r"^[A-Za-z0-9._:-]{1,100}$"
"""The form of an id that a sender may choose. Others are ignored, so that only plain text gets into logs."""

_CHOSEN = re.compile(FORM)
_HOST = re.compile(r"[A-Za-z0-9._-]{1,255}(:[0-9]{1,5})?|\[[0-9A-Fa-f:.]{2,45}\](:[0-9]{1,5})?")


def correlation_of(request: Request) -> str:
    """The correlation id of a request and its response: the sender's, if it has the right form, else a new one."""
    state: dict[str, str] = request.scope["state"]
    if "correlation" not in state:
        sent = next((value.decode("latin-1") for name, value in request.scope["headers"] if name == _SENT), "")
        state["correlation"] = sent if _CHOSEN.search(sent) else correlation_id()
    return state["correlation"]


def base_url_of(request: Request) -> str:
    """The beginning of links, without a slash at its end: the configured URL, else the one that the client used."""
    if configured := request.app.state.public_url:
        return str(configured)
    host = request.headers.get("host", "")
    return f"{request.scope['scheme']}://{host if _HOST.fullmatch(host) else 'localhost'}"
