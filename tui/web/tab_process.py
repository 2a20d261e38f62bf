"""The Podium of a tab: a process that gets the token of its person through a pipe, and ends with the tab.

It is started without a shell, in a session of its own, and finds in its environment what is listed here and no more.
The token is in no argument, in no environment, and in nothing that the process starts.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from textual_serve.app_service import AppService
from textual_serve.download_manager import DownloadManager

from core.net.bearer_tokens import PIPE_VARIABLE, Token
from tui.web.websocket_messages import Resize

INHERITED = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "SSL_CERT_FILE", "SSL_CERT_DIR")
"""What a Podium gets of the environment that the gateway has."""

GRACE = 3.0
"""Seconds that it gets to leave by itself, and after SIGTERM one third of them."""

STALL = 20.0
"""Seconds after which a browser that reads nothing, or a Podium that takes no keys, is given up."""

READY = b"__GANGLION__\n"
"""The line after which Textual speaks in packets."""

WEB_ADDRESS = re.compile(r"https?://\S+", re.IGNORECASE)
"""What a page may open: any other kind could be a script that runs as ours."""

LAST_WORDS = 4096
"""Bytes that are kept of what it says on stderr."""


class TabProcess(AppService):
    """Starts a Podium, speaks to it in packets, and ends it whatever it does."""

    def __init__(
        self,
        arguments: list[str],
        environ: Mapping[str, str],
        write_bytes: Callable[[bytes], Awaitable[None]],
        write_str: Callable[[str], Awaitable[None]],
    ) -> None:
        self.downloads = DownloadManager()
        """Of this Podium alone, so that nobody reaches those of another."""
        super().__init__(
            "podium", write_bytes=write_bytes, write_str=write_str, close=_nothing, download_manager=self.downloads
        )
        self._arguments = [sys.executable, "-P", "-m", "tui", *arguments]
        self._environ = environ
        self._last_words = b""
        self._ready = False
        self.offered: set[str] = set()
        """The keys of files that the browser may fetch, each once."""

    @property
    def pid(self) -> int:
        """The process, and its process group."""
        assert self._process is not None
        return self._process.pid

    @property
    def fault(self) -> str:
        """The kind of error that it ended with, by its last line on stderr. The words after it may be people's."""
        found = re.match(r"[\w.]+(?=:|$)", self._last_words.decode(errors="replace").strip().rpartition("\n")[2])
        return found[0] if found else ""

    async def open(self, token: Token, size: Resize) -> None:
        """Start the process. Raises OSError."""
        reading, writing = os.pipe()
        try:
            with open(writing, "wb") as pipe:
                pipe.write(token.value.encode())
            self._process = await asyncio.create_subprocess_exec(
                *self._arguments,
                stdin=PIPE,
                stdout=PIPE,
                stderr=PIPE,
                env=self._environment(size) | {PIPE_VARIABLE: str(reading)},
                cwd="/",
                pass_fds=(reading,),
                start_new_session=True,
            )
        finally:
            os.close(reading)
        self._stdin = self._process.stdin

    def _environment(self, size: Resize) -> dict[str, str]:
        return {name: os.environ[name] for name in INHERITED if name in os.environ} | {
            "HOME": "/",
            "PODIUM_CONFIG": os.devnull,  # that of the gateway's own account is not this person's
            "TEXTUAL_DRIVER": "textual.drivers.web_driver:WebDriver",
            "TEXTUAL_COLOR_SYSTEM": "truecolor",
            "COLUMNS": str(size.width),
            "ROWS": str(size.height),
            **self._environ,
        }

    async def run(self) -> None:
        """Hand on what it draws until it ends. Raises TimeoutError when the browser takes nothing for too long."""
        process = self._process
        assert process is not None
        assert process.stdout is not None
        listening = asyncio.create_task(self._listen(process))
        try:
            while (line := await process.stdout.readline()) not in (READY, b""):
                pass
            self._ready = line == READY
            while True:
                head = await process.stdout.readexactly(5)
                payload = await process.stdout.readexactly(int.from_bytes(head[1:], "big"))
                await self._receive(head[:1], payload)
        except (asyncio.IncompleteReadError, ConnectionResetError):
            await process.wait()
        finally:
            listening.cancel()

    async def _receive(self, kind: bytes, payload: bytes) -> None:
        async with asyncio.timeout(STALL):
            if kind == b"D":
                await self.on_data(payload)
            elif kind == b"M":
                await self.on_meta(payload)
            elif kind == b"P":
                await self.on_packed(payload)

    async def _listen(self, process: Process) -> None:
        assert process.stderr is not None
        while piece := await process.stderr.read(LAST_WORDS):
            self._last_words = (self._last_words + piece)[-LAST_WORDS:]

    async def on_meta(self, data: bytes) -> None:
        """Hand on files and web addresses; of its end the process itself tells."""
        meta: dict[str, Any] = json.loads(data)
        if meta["type"] == "deliver_file_start":
            self.offered.add(str(meta["key"]))
        if meta["type"] == "deliver_file_start" or (
            meta["type"] == "open_url" and WEB_ADDRESS.fullmatch(str(meta["url"]))
        ):
            await super().on_meta(data)

    @property
    def status(self) -> int | None:
        """How it ended: its exit status, negative for a signal; None while it runs."""
        return self._process.returncode if self._process else None

    async def stop(self) -> None:
        """End the process, politely as long as that works."""
        process = self._process
        assert process is not None
        await self.downloads.cancel_app_downloads(self.app_service_id)
        self.offered.clear()
        if process.returncode is None and self._ready:  # before that it would hear of nothing
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(GRACE):
                    await self.send_meta({"type": "quit"})
                    await _drained(process)
        for number, seconds in ((signal.SIGTERM, GRACE / 3), (signal.SIGKILL, GRACE)):
            if process.returncode is None:
                with contextlib.suppress(TimeoutError, ProcessLookupError):
                    os.killpg(process.pid, number)
                    await asyncio.wait_for(_drained(process), seconds)


async def _drained(process: Process) -> None:
    """Wait for the end, reading what it still says: it may wait for somebody to do so."""
    assert process.stdout is not None
    while await process.stdout.read(64 * 1024):
        pass
    await process.wait()


async def _nothing() -> None:
    """The process says itself when it ends."""
