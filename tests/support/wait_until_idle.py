"""Waiting until an application is idle, instead of for a fixed time.

An idle application has nothing ready to run, waits for no thread, and has no timer for drawing about to end. This
replaces Textual's ``wait_for_idle``, which treats a process that gets no processor time as idle.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakKeyDictionary

import pytest
import textual.app
import textual.pilot
from textual import events
from textual.pilot import Pilot, WaitForScreenTimeout

PATIENCE = 30.0
"""Seconds that even a busy machine does not need for what follows from a key."""

KEPT_BACK = 3.0
"""Seconds after which an answer is taken to be kept back, by a test that looks at what is shown meanwhile."""

AT_ONCE = 0.025
"""Seconds: timers of drawing are shorter, those that a person may notice are longer."""

LOOK_AGAIN = 0.005
"""Seconds between two looks whether a handler has ended that awaits an answer."""

FRAMES = 20
"""How many such timers are waited for without anything else going on: what is drawn again and again never ends."""

_owed: WeakKeyDictionary[asyncio.AbstractEventLoop, set[asyncio.Future[Any]]] = WeakKeyDictionary()
_run_in_executor = asyncio.BaseEventLoop.run_in_executor


def _watched(loop: Any, *call: Any) -> asyncio.Future[Any]:
    future = _run_in_executor(loop, *call)
    owed = _owed.setdefault(loop, set())
    owed.add(future)
    future.add_done_callback(owed.discard)
    return future


async def at_rest(*_seconds: float) -> None:
    """Wait until the loop that runs has nothing to do, however slow the machine is."""
    loop: Any = asyncio.get_running_loop()
    give_up, frames = loop.time() + PATIENCE, 0
    while loop.time() < give_up and frames < FRAMES:
        await asyncio.sleep(0)
        owed = _owed.get(loop)
        if loop._ready:
            continue
        if owed:
            _, late = await asyncio.wait(set(owed), timeout=KEPT_BACK)
            owed -= late
            give_up, frames = loop.time() + PATIENCE, 0
        elif (left := _next_timer(loop)) < AT_ONCE:
            frames += 1
            await asyncio.sleep(max(left, 0))
        else:
            return


class _Reached:
    """A callback behind all that was sent to a widget before."""

    _param_count = 0  # else Textual inspects the signature, which takes longer than the rest of a key
    is_done = False

    def __call__(self) -> None:
        self.is_done = True


async def _focus_at_rest(pilot: Pilot[Any], *_: float) -> bool:
    """Wait as ``at_rest``, and until the focused widget and all around it have dealt with what was sent to them.

    So a key is over only when its handler is, also where the handler awaits an answer of a server. Textual's own
    ``_wait_for_screen`` asks every widget of the screen, which takes longer than most keys do.
    """
    app = pilot.app
    if not app.screen_stack:
        return False
    asked = [(node, _Reached()) for node in (app.focused or app.screen).ancestors_with_self]
    asked = [(node, reached) for node, reached in asked if node.post_message(events.Callback(callback=reached))]
    give_up = time.monotonic() + PATIENCE
    while time.monotonic() < give_up:
        await at_rest()
        if all(reached.is_done or not node.is_running for node, reached in asked):
            return True
        if app._exception_event.is_set():
            return False
        await asyncio.sleep(LOOK_AGAIN)
    raise WaitForScreenTimeout("A handler does not end.")


def _next_timer(loop: Any) -> float:
    """Seconds until the next timer ends."""
    ends = (timer.when() for timer in loop._scheduled if not timer.cancelled())
    return float(min(ends, default=float("inf")) - loop.time())


@contextmanager
def waiting_until_idle() -> Iterator[None]:
    """Within it, a pilot waits until the application is idle in this module's sense."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(asyncio.BaseEventLoop, "run_in_executor", _watched)
        patch.setattr(textual.app, "wait_for_idle", at_rest)
        patch.setattr(textual.pilot, "wait_for_idle", at_rest)
        patch.setattr(Pilot, "_wait_for_screen", _focus_at_rest)
        yield
