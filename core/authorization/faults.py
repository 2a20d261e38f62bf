"""Failures of the authorization service as sentences for people, made from exceptions, statuses and error bodies."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from core.authorization.query_schema import MAX_DEEP
from core.codec.strict_json import Bounds, InvalidJson, read_json
from core.domain.grants import FaultKind
from core.net.http_client import HttpError, Reply, TimedOut, Unreachable
from core.text.sanitize import sanitize

TOO_MANY_REQUESTS, GATEWAY_TIMEOUT = 429, 504

AGAIN = frozenset({TOO_MANY_REQUESTS, 502, 503, GATEWAY_TIMEOUT})
"""The statuses after which a query is sent again."""

MAX_SAID = 160
"""The most characters of the service's message that are shown."""

_BROKEN: dict[type[HttpError], FaultKind] = {TimedOut: FaultKind.LATE, Unreachable: FaultKind.AWAY}
"""Kinds of failures without a reply; a reply that cannot be read is WRONG."""

_TRACES = ("Traceback (most recent call last)", "\n\tat ", "\n    at ", '  File "')

_MEANINGS: dict[int, tuple[str, str]] = {
    400: ("did not accept the question", ""),
    401: ("does not accept Podium's token", "Give it a valid one; “podium doctor” says where it comes from."),
    403: ("does not let Podium ask", "Its administrator can permit it."),
    404: ("has no permission query at its address", "“podium config” shows the address."),
    405: ("has no permission query at its address", "“podium config” shows the address."),
    415: ("did not accept the form of the question", ""),
    429: ("is asked too often", ""),
}


class QueryFailed(Exception):
    """A query that got no answer; the text is a sentence for people."""

    def __init__(
        self, reason: str, kind: FaultKind, *, again: bool = False, wait: float = 0.0, correlation_id: str = ""
    ) -> None:
        super().__init__(reason)
        self.kind = kind
        self.again = again
        """True if another try may succeed."""
        self.wait = wait
        """Seconds that the service asks to wait (Retry-After)."""
        self.correlation_id = correlation_id
        """The correlation id that the service named, or ""."""


def from_http(error: HttpError, host: str, seconds: float) -> QueryFailed:
    """The failure of a query without a readable reply, after ``seconds``."""
    text = f"did not answer within {seconds:g} s" if isinstance(error, TimedOut) else str(error)
    kind = next((kind for cause, kind in _BROKEN.items() if isinstance(error, cause)), FaultKind.WRONG)
    advice = "“podium config” shows the address." if kind is FaultKind.WRONG else ""
    return QueryFailed(_sentence(host, text, "", advice), kind, again=isinstance(error, Unreachable))


def from_status(reply: Reply, host: str) -> QueryFailed:
    """The failure of a query with a status other than 200."""
    status = reply.status
    said, correlation_id = _read_error(reply)
    what, advice = _MEANINGS.get(status, ("gave an unexpected answer", "“podium config” shows the address."))
    if status >= 500:
        what, advice = "failed", ""
    elif 300 <= status < 400:
        what = "sends Podium to another address, which it does not follow"
    text = _sentence(host, f"{what} (status {status})", said, advice)
    wait = _retry_after(reply.headers.get("retry-after", ""))
    return QueryFailed(text, _kind_of(status), again=status in AGAIN, wait=wait, correlation_id=correlation_id)


def _kind_of(status: int) -> FaultKind:
    """The kind of a status other than 200: 429 and 5xx are AWAY, 504 is LATE, all else is WRONG."""
    if status == GATEWAY_TIMEOUT:
        return FaultKind.LATE
    return FaultKind.AWAY if status == TOO_MANY_REQUESTS or status >= 500 else FaultKind.WRONG


def from_answer(reason: object, host: str) -> QueryFailed:
    """The failure of a query whose answer does not have the documented shape."""
    advice = "Its administrator can look it up by the correlation id."
    return QueryFailed(_sentence(host, f"gave an answer that cannot be used: {reason}", "", advice), FaultKind.WRONG)


def _sentence(host: str, what: str, said: str, advice: str) -> str:
    quoted = f": “{said}”" if said else ""
    end = "" if quoted.endswith((".”", "!”", "?”")) else "."
    return f"The permission service at {host} {what}{quoted}{end}" + (f" {advice}" if advice else "")


def _retry_after(header: str) -> float:
    """Seconds to wait by a Retry-After header, which has a number or a date; 0 for anything else."""
    if header.isascii() and header.isdecimal():
        return float(header[:9])
    from email.utils import parsedate_to_datetime  # imported here because it is slow to load and seldom needed

    try:
        at = parsedate_to_datetime(header)
        return max(0.0, (at - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return 0.0


def _read_error(reply: Reply) -> tuple[str, str]:
    """The message and the correlation id of an error body of form A or B (``core.wire.error_bodies``)."""
    try:
        body = read_json(reply.body, Bounds(MAX_DEEP))
    except InvalidJson:
        return "", ""
    errors = body.get("errors") if isinstance(body, dict) else None
    first = errors[0] if isinstance(errors, list) and errors else None
    if not isinstance(first, dict):
        return "", ""
    return _shorten_value(first.get("errorMessage") or first.get("detail"), MAX_SAID), _shorten_value(
        first.get("correlationId"), 64
    )


def _shorten_value(value: Any, most: int) -> str:
    """Text of the service as one short and safe line; "" for other values and for tracebacks."""
    if not isinstance(value, str) or any(trace in value for trace in _TRACES):
        return ""
    line = " ".join(sanitize(value[: 4 * most]).split())
    return line if len(line) <= most else line[: most - 1] + "…"
