"""An event loop in a thread of its own, for work that worker threads wait for, but not longer than they want to."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")

LEAVE = 2.0
"""Seconds that closing waits for the thread; it is a daemon, so that it never keeps a program from ending."""


class LoopClosed(Exception):
    """The loop takes no more work."""


class EventLoopThread:
    """Starts its thread with the first work. Any thread may use it."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._closed = False

    def start(self, work: Callable[[], Coroutine[Any, Any, T]]) -> Future[T]:
        """Have a coroutine run; its result is in the future. Raises LoopClosed."""
        with self._lock:
            if self._closed:
                raise LoopClosed
            return asyncio.run_coroutine_threadsafe(work(), self._running())

    def close(self, last: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Cancel what still runs, do a last thing, and end the thread. What others wait for is cancelled."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        if self._loop is not None and self._thread is not None:
            asyncio.run_coroutine_threadsafe(self._end(last), self._loop)
            self._thread.join(LEAVE)

    def _running(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            self._thread = threading.Thread(target=self._run, args=(self._loop,), name=self._name, daemon=True)
            self._thread.start()
        return self._loop

    def _run(self, loop: asyncio.AbstractEventLoop) -> None:
        try:
            loop.run_forever()
        finally:
            loop.close()

    async def _end(self, last: Callable[[], Coroutine[Any, Any, None]]) -> None:
        loop = asyncio.get_running_loop()
        for task in _others():
            task.cancel()
        await asyncio.gather(*_others(), return_exceptions=True)
        try:
            await last()
        finally:
            # What was read half, as httpx leaves an answer that is too long, is closed by tasks of its own, and begun
            # only with the next turn of the loop: left undone, Python complains wherever it happens to look.
            await loop.shutdown_asyncgens()
            await asyncio.sleep(0)
            await asyncio.gather(*_others(), return_exceptions=True)
            loop.call_soon(loop.stop)


def _others() -> set[asyncio.Task[Any]]:
    """The tasks of the running loop but the one that asks."""
    return {task for task in asyncio.all_tasks() if task is not asyncio.current_task()}
