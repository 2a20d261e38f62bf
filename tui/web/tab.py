"""One tab: connects a browser's WebSocket with its Podium process, until one of them ends."""

from __future__ import annotations

import asyncio
import contextlib
import logging

from aiohttp import ClientConnectionResetError, WSCloseCode, WSMsgType, web

from core.record import Record
from core.server.requests.json_log import log_event
from tui.web.tab_process import STALL, TabProcess
from tui.web.websocket_messages import Focus, Frame, InvalidMessage, Keys, Ping, Resize, read_frame

CLOSING = 2.0
"""Seconds for a browser to confirm that the WebSocket is closed."""

LEFT = {0: "You quit Podium.", 3: "Your token is no longer valid.", 5: "The Podium server cannot be reached."}
"""The message for an exit status."""

STRAYED = "Podium ended unexpectedly. Your saved changes are safe."
ODD = "The message was not from this page."
HUNG = "Podium stopped responding. Your saved changes are safe."
STALLED = "The browser stopped reading."


class CloseReason(Record, kw_only=False):
    """The close code of a WebSocket, and the reason that the page shows."""

    code: int
    why: str


GONE = CloseReason(WSCloseCode.OK, "")


class Tab:
    """A WebSocket and its Podium process."""

    def __init__(self, socket: web.WebSocketResponse, child: TabProcess, idle: float) -> None:
        self.socket = socket
        self.child = child
        self._idle = idle
        self._asked: asyncio.Future[CloseReason] = asyncio.get_running_loop().create_future()

    def end(self, why: str) -> None:
        """End the tab, which shows the reason ``why``."""
        if not self._asked.done():
            self._asked.set_result(CloseReason(WSCloseCode.GOING_AWAY, why))

    async def run(self, transport: asyncio.Transport | None) -> None:
        """Run until the user quits, closes the tab or is idle for too long, or one side fails."""
        tasks: list[asyncio.Future[CloseReason]] = [
            asyncio.create_task(self._listen()), asyncio.create_task(self._draw()), self._asked
        ]  # fmt: skip
        ending = GONE
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            ending = next(task.result() for task in reversed(tasks) if task.done())
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            closing = asyncio.create_task(self._close(ending, transport))
            await self.child.stop()
            await closing
            log_event("tab closed", why=ending.why or "left", pid=self.child.pid, status=self.child.status)

    async def _close(self, ending: CloseReason, transport: asyncio.Transport | None) -> None:
        """Close the WebSocket, or the connection if the browser has stopped reading."""
        try:
            async with asyncio.timeout(CLOSING + 1):
                await self.socket.close(code=ending.code, message=ending.why.encode())
        except (TimeoutError, ConnectionError):
            if transport is not None:
                transport.abort()

    async def _draw(self) -> CloseReason:
        try:
            await self.child.run()
        except TimeoutError:
            return CloseReason(WSCloseCode.GOING_AWAY, STALLED)
        status = self.child.status or 0
        if status not in LEFT:
            log_event("podium failed", logging.WARNING, pid=self.child.pid, status=status, fault=self.child.fault)
        return CloseReason(WSCloseCode.OK, LEFT.get(status, STRAYED))

    async def _listen(self) -> CloseReason:
        clock = asyncio.get_running_loop().time
        touched = clock()
        while True:
            try:
                async with asyncio.timeout_at(touched + self._idle):
                    message = await self.socket.receive()
            except TimeoutError:
                return CloseReason(WSCloseCode.OK, f"Nothing was typed for {round(self._idle / 60)} minutes.")
            if message.type is WSMsgType.BINARY:
                return CloseReason(WSCloseCode.UNSUPPORTED_DATA, ODD)
            if message.type is not WSMsgType.TEXT:
                return GONE
            try:
                frame = read_frame(message.data)
            except InvalidMessage:
                return CloseReason(WSCloseCode.UNSUPPORTED_DATA, ODD)
            if isinstance(frame, Keys):  # browsers send other frames without the user
                touched = clock()
            try:
                async with asyncio.timeout(STALL):
                    await self._take(frame)
            except TimeoutError:
                return CloseReason(WSCloseCode.GOING_AWAY, HUNG)

    async def _take(self, frame: Frame) -> None:
        match frame:
            case Keys(data):
                await self.child.send_bytes(data)
            case Resize(width, height):
                await self.child.set_terminal_size(width, height)
            case Focus(gained):
                await (self.child.focus() if gained else self.child.blur())
            case Ping(words):
                with contextlib.suppress(ClientConnectionResetError):
                    await self.socket.send_json(["pong", words])
