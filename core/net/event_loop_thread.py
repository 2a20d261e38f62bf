"""An event loop in its own thread, for coroutines whose results worker threads wait for, with a time limit."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")

LEAVE = 2.0
"""Seconds that ``close`` waits for the thread. It is a daemon thread, so it cannot keep a program from ending."""


class LoopClosed(Exception):
    """The event loop is closed."""


class EventLoopThread:
    """Runs coroutines in an event loop thread, which it starts with the first one. Thread-safe."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._closed = False

    def start(self, work: Callable[[], Coroutine[Any, Any, T]]) -> Future[T]:
        """Run a coroutine and return a future for its result. Raises LoopClosed."""
        with self._lock:
            if self._closed:
                raise LoopClosed
            return asyncio.run_coroutine_threadsafe(work(), self._running())

    def close(self, last: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Cancel the running coroutines and their futures, run the coroutine ``last``, and end the thread."""
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
            # An answer that was only partly read, as httpx leaves one that is too long, is closed by tasks that start
            # in the next iteration of the loop. Python would warn of unfinished ones at some later point.
            await loop.shutdown_asyncgens()
            await asyncio.sleep(0)
            await asyncio.gather(*_others(), return_exceptions=True)
            loop.call_soon(loop.stop)


def _others() -> set[asyncio.Task[Any]]:
    """Return the tasks of the running loop, without the current one."""
    return {task for task in asyncio.all_tasks() if task is not asyncio.current_task()}
