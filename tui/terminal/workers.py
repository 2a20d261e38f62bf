"""Start a worker of Textual from a coroutine function."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from textual.timer import Timer
from textual.worker import Worker


class TimerOwner(Protocol):
    """The application or a screen, with which its workers and timers end."""

    @property
    def is_running(self) -> bool: ...
    def run_worker(
        self, work: Any, name: str | None = "", group: str = "default", *, exclusive: bool = False
    ) -> Worker[Any]: ...
    def set_timer(self, delay: float, callback: Callable[[], Any]) -> Timer: ...
    def set_interval(self, interval: float, callback: Callable[[], Any]) -> Timer: ...


def start_worker(
    owner: TimerOwner, work: Callable[[], Awaitable[object]], *, group: str = "default", exclusive: bool = False
) -> Worker[object]:
    """Run a coroutine function in a worker that ends with its owner; ``exclusive`` ends the others of its group.

    It takes the function and not its coroutine, since Python warns of a coroutine that is never awaited, as when the
    program ends, or another worker replaces this one, before it begins.
    """

    async def run() -> object:
        return await work()

    return owner.run_worker(run, group=group, exclusive=exclusive)
