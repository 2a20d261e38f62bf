"""The Podium process of a tab. It gets the user's token through a pipe, and ends with the tab.

It is started without a shell, in a session of its own, with only the environment variables that are listed here. The
token is in no argument, in no environment, and in no process that it starts.
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

from core.net.bearer_tokens import PIPE_VARIABLE, BearerToken
from tui.web.websocket_messages import Resize

INHERITED = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "SSL_CERT_FILE", "SSL_CERT_DIR")
"""The variables that the process inherits from the gateway."""

GRACE = 3.0
"""Seconds for the process to quit by itself; after SIGTERM it has a third of that."""

STALL = 20.0
"""Seconds after which a tab ends whose browser has stopped reading, or whose process has."""

READY = b"__GANGLION__\n"
"""The line after which Textual's output consists of packets."""

WEB_ADDRESS = re.compile(r"https?://\S+", re.IGNORECASE)
"""The URLs that a page opens; another scheme could run a script on our page."""

PIECE = 64 * 1024
"""Bytes that are given to the connection of a browser at one time. A whole screen can have megabytes."""

LAST_WORDS = 4096
"""Most bytes of its stderr that are kept."""


class TabProcess(AppService):
    """Starts a Podium process, exchanges packets with it, and ends it in any case."""

    def __init__(
        self,
        arguments: list[str],
        environ: Mapping[str, str],
        write_bytes: Callable[[bytes], Awaitable[None]],
        write_str: Callable[[str], Awaitable[None]],
    ) -> None:
        self.downloads = DownloadManager()
        """The downloads of this process only, so that other tabs cannot reach them."""
        super().__init__(
            "podium", write_bytes=write_bytes, write_str=write_str, close=_nothing, download_manager=self.downloads
        )
        self._arguments = [sys.executable, "-P", "-m", "podium", *arguments]
        self._environ = environ
        self._last_words = b""
        self._ready = False
        self.offered: set[str] = set()
        """The keys of files for download, each once."""

    @property
    def pid(self) -> int:
        """The id of the process and of its process group."""
        assert self._process is not None
        return self._process.pid

    @property
    def fault(self) -> str:
        """The class of the error in its last line on stderr, without the message, which can contain user text."""
        found = re.match(r"[\w.]+(?=:|$)", self._last_words.decode(errors="replace").strip().rpartition("\n")[2])
        return found[0] if found else ""

    async def open(self, token: BearerToken, size: Resize) -> None:
        """Start the process. Raises OSError."""
        reading, writing = os.pipe()
        try:
            with open(writing, "wb") as pipe:
                pipe.write(token.secret.encode())
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
            "PODIUM_CONFIG": os.devnull,  # the file of the gateway's account is not the user's
            "TEXTUAL_DRIVER": "textual.drivers.web_driver:WebDriver",
            "TEXTUAL_COLOR_SYSTEM": "truecolor",
            "COLUMNS": str(size.width),
            "ROWS": str(size.height),
            **self._environ,
        }

    async def run(self) -> None:
        """Forward its output until it ends. Raises TimeoutError if the browser has stopped reading."""
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

    async def on_data(self, payload: bytes) -> None:
        """Forward what it draws; each piece waits until the browser has read most of what is before it."""
        for at in range(0, len(payload), PIECE):
            await self.remote_write_bytes(payload[at : at + PIECE])

    async def on_meta(self, data: bytes) -> None:
        """Forward downloads and URLs. The end of the process is seen by its exit."""
        meta: dict[str, Any] = json.loads(data)
        if meta["type"] == "deliver_file_start":
            self.offered.add(str(meta["key"]))
        if meta["type"] == "deliver_file_start" or (
            meta["type"] == "open_url" and WEB_ADDRESS.fullmatch(str(meta["url"]))
        ):
            await super().on_meta(data)

    @property
    def status(self) -> int | None:
        """Its exit status, negative for a signal; None while it runs."""
        return self._process.returncode if self._process else None

    async def stop(self) -> None:
        """End the process: ask it to quit, then SIGTERM, then SIGKILL."""
        process = self._process
        assert process is not None
        await self.downloads.cancel_app_downloads(self.app_service_id)
        self.offered.clear()
        if process.returncode is None and self._ready:  # before that it does not read packets
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(GRACE):
                    await self.send_meta({"type": "quit"})
                    await _drain(process)
        for number, seconds in ((signal.SIGTERM, GRACE / 3), (signal.SIGKILL, GRACE)):
            if process.returncode is None:
                with contextlib.suppress(TimeoutError, ProcessLookupError):
                    os.killpg(process.pid, number)
                    await asyncio.wait_for(_drain(process), seconds)


async def _drain(process: Process) -> None:
    """Wait for the end while reading its output, because it could block on a full pipe."""
    assert process.stdout is not None
    while await process.stdout.read(64 * 1024):
        pass
    await process.wait()


async def _nothing() -> None:
    """Ignore Textual's signal that the app closes; the exit of the process is enough."""
