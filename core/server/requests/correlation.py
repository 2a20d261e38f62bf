"""What an answer needs to know of its request beside the message: the correlation id, and where the client found us."""

from __future__ import annotations

import re

from starlette.requests import Request

from core.wire.error_bodies import correlation_id

HEADER = "X-Correlation-Id"
_SENT = HEADER.lower().encode()

FORM = r"^[A-Za-z0-9._:-]{1,100}$"
"""Of an id that a sender chose. Others are passed over, so that nothing strange gets into logs (decided here)."""

_CHOSEN = re.compile(FORM)
_HOST = re.compile(r"[A-Za-z0-9._-]{1,255}(:[0-9]{1,5})?|\[[0-9A-Fa-f:.]{2,45}\](:[0-9]{1,5})?")


def correlation_of(request: Request) -> str:
    """The correlation id of a request and of its answer: that of the sender, or a new one."""
    state: dict[str, str] = request.scope["state"]
    if "correlation" not in state:
        sent = next((value.decode("latin-1") for name, value in request.scope["headers"] if name == _SENT), "")
        state["correlation"] = sent if _CHOSEN.search(sent) else correlation_id()
    return state["correlation"]


def base_url_of(request: Request) -> str:
    """The address that links begin with: the configured one, else the one that the client used, without a slash."""
    if configured := request.app.state.api_url:
        return str(configured)
    host = request.headers.get("host", "")
    return f"{request.scope['scheme']}://{host if _HOST.fullmatch(host) else 'localhost'}"
