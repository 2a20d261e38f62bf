"""Start a worker of Textual from a coroutine function."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from textual.dom import DOMNode
from textual.worker import Worker


def start_worker(
    owner: DOMNode, work: Callable[[], Awaitable[object]], *, group: str = "default", exclusive: bool = False
) -> Worker[object]:
    """Run a coroutine function in a worker that ends with its owner; ``exclusive`` ends the others of its group.

    It takes the function and not its coroutine, since Python warns of a coroutine that is never awaited, as when the
    program ends, or another worker replaces this one, before it begins.
    """

    async def run() -> object:
        return await work()

    return owner.run_worker(run, group=group, exclusive=exclusive)
