"""HTTP on one connection: what uvicorn lacks, namely deadlines, limits, refusals as JSON, and the peer's account.

One deadline runs at a time, for the next thing that the client has to send: the head of a request, its body, or the
next request. Data that arrives slowly does not extend it; a body extends it by the time that its bytes take at SLOWEST,
but never beyond BODY_SECONDS from now. It is kept as a time, with one timer that fires at or before
it: most deadlines end before the timer fires, and a timer for each would take as long as a short response.
"""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import Hashable, Sequence

from starlette.responses import Response
from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from core.actions.catalog import MESSAGES
from core.net.peer_credentials import peer_of
from core.server.requests import responses
from core.server.requests.bounds import limits
from core.server.requests.bounds.body_limits import THROWN, USUAL, body_limit
from core.server.requests.bounds.connection_slots import ConnectionSlot
from core.wire.routes import route_of

LONGER = tuple(
    (route.method.encode(), re.compile(re.sub(r"\{\w+\}", "[^/]+", route.path).encode()), body_limit(kind).length)
    for kind in MESSAGES
    if body_limit(kind) != USUAL
    for route in [route_of(kind)]
)
"""Method, path and maximum length of messages whose bodies may be longer than MAX_BODY."""


class Protocol(HttpToolsProtocol):
    """One connection. It puts its Peer into the state of each request, where no client can change it."""

    held = 0
    """Bytes of the body that is being read, or whose request is being worked on."""

    def __init__(
        self, slot: ConnectionSlot, config: Config, server_state: ServerState, every: Sequence[ServerState] = ()
    ) -> None:
        """``every`` has the states of all listeners of the server, this one by default."""
        super().__init__(config, server_state, {})
        self._slot = slot
        self._every = every or (server_state,)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a connection; the requests of a rejected one are answered with 503."""
        super().connection_made(transport)
        transport.set_write_buffer_limits(limits.WRITE_BUFFER)
        self._slot.close = transport.abort
        peer = peer_of(transport.get_extra_info("socket"))
        self.app_state = {**self.app_state, "peer": peer, "slot": self._slot}
        self._due = math.inf
        self._alarm = self.loop.call_at(self._due, self._ring)
        self._stuck: asyncio.TimerHandle | None = None
        self._reading = ""  # "head" or "body" while a request is read, "" between two
        self._head = self._thrown = 0
        self._refusal: Response | None = None
        self._deaf = False
        self._within(limits.HEAD_SECONDS)
        if self._slot.is_rejected:
            self.app = _last(responses.status_response(503))

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._slot.leave()
        for timer in (self._alarm, self._stuck, self.timeout_keep_alive_task):
            if timer is not None:
                timer.cancel()

    # Reading

    def data_received(self, data: bytes) -> None:
        """Read on, unless the head is too long or all that comes is thrown away."""
        if self._deaf:
            self._throw_away(len(data))
            return
        if self._reading == "head":
            self._head += len(data)
            if self._head > limits.MAX_HEAD:
                self._answer_at_once(responses.status_response(400, TOO_LONG_A_HEAD))
                return
        super().data_received(data)

    def _throw_away(self, size: int) -> None:
        self._thrown += size
        if self._thrown > limits.MAX_THROWN:
            self.flow.pause_reading()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._reading, self._head, self.held = "head", 0, 0
        self._within(limits.HEAD_SECONDS)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header, unless it comes after the body: it would join the headers that were already checked."""
        if self._reading == "head":
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Check the whole head before the application sees the request: its size, host, coding and announced length."""
        size = len(self.url) + sum(len(name) + len(value) for name, value in self.headers)
        announced = [value for name, value in self.headers if name == b"content-length"]
        if size > limits.MAX_HEAD:
            self._refuse(400, TOO_LONG_A_HEAD)
        if self.parser.get_http_version() == "1.1" and sum(name == b"host" for name, _ in self.headers) != 1:
            self._refuse(400, NOT_ONE_HOST)
        coded = [value.strip().lower() for name, value in self.headers if name == b"transfer-encoding"]
        if coded and (coded != [b"chunked"] or self.parser.get_http_version() != "1.1"):
            self._refuse(400, UNKNOWN_CODING)
        if announced:
            self._refuse_length(int(announced[0]))
        if len(self.pipeline) >= limits.MAX_PIPELINED:
            self._refuse(503)
        super().on_headers_complete()
        self.cycle.transport = _InOneWrite(self.transport, self.loop)  # type: ignore[assignment]
        self._reading = "body"
        self._within(limits.BODY_SECONDS)

    def on_body(self, body: bytes) -> None:
        """Count the body against its limit, and give it more time for each part that comes."""
        self.held += len(body)
        self._refuse_length(self.held)
        if not self._throws_away():
            self._due = min(self._due + len(body) / limits.SLOWEST, self.loop.time() + limits.BODY_SECONDS)
            if self.held > limits.LARGE_BODY and self._is_full():
                self._refuse(503)
        super().on_body(body)

    def _refuse_length(self, length: int) -> None:
        if length > limits.MAX_BODY and length > (most := self._most()):
            self._refuse(400, TOO_LONG_A_BODY.format(most))

    def _most(self) -> int:
        """The most bytes that the body of this request may have."""
        method, path = self.parser.get_method(), self.url.partition(b"?")[0]
        fitting = (most for its, pattern, most in LONGER if its == method and pattern.fullmatch(path))
        return next(fitting, limits.MAX_BODY)

    def _throws_away(self) -> bool:
        """True if nothing of the body is kept, because its request was refused or answered."""
        return self.cycle.response_complete or THROWN in self.cycle.scope["state"]

    def _is_full(self) -> bool:
        """True if all bodies together are too long, or those of this sender, one long body and short ones aside."""
        every = [each for one in self._every for each in one.connections if isinstance(each, Protocol) and each.held]
        kept = [(each._sender(), each.held) for each in every if not each._throws_away()]
        own = [held for sender, held in kept if sender == self._sender()]
        is_greedy = sum(own) > limits.MAX_BODIES // 2 and sum(own) - max(own) > limits.MAX_BULK
        return is_greedy or sum(held for _, held in kept) > limits.MAX_BODIES

    def _sender(self) -> Hashable:
        """The user, or the address or account of one who is not known yet."""
        return self.cycle.scope["state"].get("user_id") or self._slot.owner or self._slot.origin

    def on_message_complete(self) -> None:
        super().on_message_complete()
        self._reading = ""
        self._slot.is_working = not self.cycle.response_complete
        self._within(math.inf if self._slot.is_working else self._idle_seconds())

    def _refuse(self, status: int, why: str = "") -> None:
        """Make the parser, which calls this, stop; uvicorn then calls ``send_400_response``."""
        self._refusal = responses.status_response(status, why)
        raise ValueError(status)

    def _unsupported_upgrade_warning(self) -> None:
        """Answer in HTTP/1.1, as a server may (RFC 9110, section 7.8), and read nothing further as HTTP."""
        self._deaf = True
        self.cycle.keep_alive = False

    # Deadlines

    def _within(self, seconds: float) -> None:
        self._due = self.loop.time() + seconds
        if self._due < self._alarm.when():
            self._alarm.cancel()
            self._alarm = self.loop.call_at(self._due, self._ring)

    def _ring(self) -> None:
        is_late = self.loop.time() >= self._due
        if is_late:
            self._due = math.inf
        self._alarm = self.loop.call_at(self._due, self._ring)
        if is_late:
            self._late()

    def _late(self) -> None:
        under_way = self.cycle is not None and not self.cycle.response_complete
        if self._deaf:
            self._close()
        elif self.pipeline or (under_way and not self._own()):
            self._within(limits.HEAD_SECONDS)  # an earlier request is still being answered, so the client is not late
        elif self._reading and not self._is_answered():
            self._answer_at_once(responses.status_response(400, TOO_SLOW))
        else:
            self._close()

    def on_response_complete(self) -> None:
        waiting, self.held = bool(self.pipeline), 0
        if person := self.cycle.scope["state"].get("user_id"):
            self._slot.assign(person)
        super().on_response_complete()
        self._unset_keepalive_if_required()  # our own deadline also holds while only blank lines arrive
        if self.transport.is_closing():
            self._close()
        elif not waiting:
            self._slot.is_working = False
            idle = {"": self._idle_seconds(), "head": limits.HEAD_SECONDS, "body": limits.LINGER_SECONDS}
            self._within(idle[self._reading])

    def _idle_seconds(self) -> float:
        return limits.ANONYMOUS_SECONDS if self._slot.owner is None else limits.IDLE_SECONDS

    # Writing

    def pause_writing(self) -> None:
        super().pause_writing()
        self._slot.is_sending = True
        self._stuck = self.loop.call_later(limits.WRITE_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._slot.is_sending = False
        if self._stuck is not None:
            self._stuck.cancel()

    def _close(self) -> None:
        """Close the connection, even if the client never reads the rest of the response."""
        self.transport.close()
        if self.transport.get_write_buffer_size():
            self._stuck = self.loop.call_later(limits.WRITE_SECONDS, self.transport.abort)

    def send_400_response(self, msg: str) -> None:
        self._answer_at_once(self._refusal or responses.status_response(400, NOT_HTTP))

    def _answer_at_once(self, refusal: Response) -> None:
        """Refuse the request that is being read, and read no more. If an earlier response is due, it is the last."""
        self._deaf, self.held = True, 0
        if self.cycle is not None and not self.cycle.response_complete:
            if not self._own():
                self.cycle.keep_alive = False
                self._within(math.inf)
                return
            if self.cycle.response_started or self.pipeline:
                self.transport.abort()
                return
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        if not self._is_answered():
            self.transport.write(_bytes_of(_last(refusal), self.server_state.default_headers))
            if self.transport.can_write_eof():
                self.transport.write_eof()
        self._within(limits.LINGER_SECONDS)

    def _own(self) -> bool:
        """True if the newest request is still being read; otherwise the data belongs to the next one."""
        return self._reading == "body"

    def _is_answered(self) -> bool:
        """True if the request that is being read was answered already, as one that was refused by its head."""
        return self._own() and self.cycle.response_complete


class _InOneWrite:
    """The writing end of one answer: its head waits for the body that follows in the same step of the event loop, so
    that a small answer is one segment, and one record of TLS."""

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport, self._loop = transport, loop
        self._waiting: bytes | None = None
        """The head while it waits; None before there is one, empty afterwards."""
        self.is_closing = transport.is_closing

    def write(self, data: bytes) -> None:
        """Write data, and the head that waits for it. A head is written in the next step if nothing follows."""
        if self._waiting is None:
            self._waiting = data
            self._loop.call_soon(self._write)
        else:
            self._write(data)

    def _write(self, data: bytes = b"") -> None:
        if data := (self._waiting or b"") + data:
            self._waiting = b""
            self._transport.write(data)

    def close(self) -> None:
        self._write()
        self._transport.close()


TOO_LONG_A_HEAD = f"The address and the headers are longer than the {limits.MAX_HEAD // 1024} KiB that are read."
TOO_LONG_A_BODY = "The body is longer than the {:,} bytes that are read at this address. Split it."
TOO_SLOW = "The request did not arrive in time. Send it again."
UNKNOWN_CODING = "Send the body with its Content-Length, or in HTTP/1.1 with one header “Transfer-Encoding: chunked”."
NOT_ONE_HOST = "A request of HTTP/1.1 has one header “Host” (RFC 9112, section 3.2)."
NOT_HTTP = "This is not a request of HTTP/1.1."


def _last(response: Response) -> Response:
    """The response, marked as the last one of its connection."""
    response.headers["Connection"] = "close"
    return response


def _bytes_of(response: Response, further: list[tuple[bytes, bytes]]) -> bytes:
    headers = [*further, *response.raw_headers]
    lines = [b"HTTP/1.1 %d Refused" % response.status_code, *(b": ".join(pair) for pair in headers)]
    return b"\r\n".join([*lines, b"", bytes(response.body)])
