"""The end of a transaction that runs too long, or that is cancelled because its result is not needed any more.

Statements look at their deadline themselves. What Python does between them is watched from a thread: it raises an
exception in a thread whose work is late, wherever that is, and ``Deadline.limit`` makes the error for people of it.
"""

from __future__ import annotations

import contextlib
import math
import sys
import threading
import time
from collections.abc import Callable
from typing import TypeVar

from core.errors import TookTooLong
from core.storage.progress import Progress

T = TypeVar("T")

WRITE_SECONDS = 2.0
"""Seconds of processor time for a transaction that writes, because all other writers wait for it. An import has more.

The largest change that the limits of size allow takes half of it: processors differ.

Processor time is measured, because on a busy machine or a slow disk even small transactions take long by the clock.
"""

READ_SECONDS = 20.0
"""Seconds of processor time for a transaction that reads."""

SLOWEST_SECONDS = 20.0
"""Seconds by the clock for either: less than a server allows a request, so that its sender learns the reason."""

CHECK_EVERY = 10_000
"""Instructions of SQLite between two checks of the deadline: about a millisecond."""

LOOK_SECONDS = 0.04
"""Seconds between two looks at all work that is under way. Late is what is late at two looks, so that a statement that
ends by itself is not disturbed."""

AGAIN = 25
"""Looks after which an exception is raised again in work that goes on: a callback of C can have lost the first."""


class Deadline:
    """The deadline of one transaction, made in its thread. It is checked before and during its statements."""

    def __init__(self, seconds: float, progress: Progress) -> None:
        self._seconds = seconds
        self._used_up = time.thread_time() + seconds
        self._ends = time.monotonic() + max(seconds, SLOWEST_SECONDS)
        self._progress = progress
        self.was_interrupted = False
        """True if an exception was raised in the work, so that its connection can be in any state."""

    @property
    def is_cancelled(self) -> bool:
        """True if the sender does not need the result any more."""
        return self._progress.cancelled

    def is_over(self) -> bool:
        """Return True if the transaction has to end. SQLite calls this during a statement, and then stops it."""
        return self._progress.cancelled or self._is_late(time.thread_time())

    def is_over_by_clock(self) -> bool:
        """Return True as ``is_over`` does, without the processor time, which is that of the calling thread."""
        return self._progress.cancelled or self._is_late(-math.inf)

    def is_over_at(self, used: float) -> bool:
        """Return True if ``used``, the processor time of the thread, is too much. To wait for a server takes none."""
        return self._progress.cancelled or used > self._used_up

    def check(self) -> None:
        """Raise Cancelled or TookTooLong if the transaction has to end."""
        self._progress.check_not_cancelled()
        if self._is_late(time.thread_time()):
            raise TookTooLong(SLOWEST_SECONDS if time.monotonic() > self._ends else self._seconds)

    def limit(self, work: Callable[[], T]) -> T:
        """Carry out the work of the transaction in this thread. Raises as ``check`` does, also in the midst of Python.

        Nothing is interrupted after it: a commit or a rollback runs to its end.
        """
        body = _Body(self)
        try:
            try:
                _watch.begin(body)
                result = work()
            finally:
                _watch.end(body)
        except BaseException as error:
            _watch.end(body)  # again, since the exception may have come while it ended
            if body.raised or isinstance(error, _Late):
                self.was_interrupted = True
                self.check()
            raise
        return result

    def _is_late(self, used: float) -> bool:
        return used > self._used_up or time.monotonic() > self._ends


class _Late(BaseException):
    """Raised by ``_Watch`` in the thread of work that is late. No code may catch it but ``Deadline.limit``."""


class _Body:
    """The work of one transaction under way."""

    def __init__(self, deadline: Deadline) -> None:
        self.deadline, self.thread = deadline, threading.get_ident()
        clock_of = getattr(time, "pthread_getcpuclockid", None)  # macOS has none: there only the clock counts
        self.clock = clock_of(self.thread) if clock_of else None
        self.looks = self.raised = 0
        self.is_over = self.is_raising = False

    def look(self) -> None:
        """Raise ``_Late`` in the thread of the work if it is late. Called in the thread that watches.

        ``is_raising`` is set before ``is_over`` is read, and the thread of the work does the reverse, so one of the two
        sees the other. Locks would not do, since the exception can come between taking one and noting that.
        """
        self.is_raising = True
        if not self.is_over and self._is_late():
            self.looks += 1
            if self.looks % AGAIN == 2:
                if _can_be_interrupted(self.thread):
                    self.raised += 1
                    _raise_in(self.thread, _Late)
                else:
                    self.looks -= 1
        self.is_raising = False

    def _is_late(self) -> bool:
        with contextlib.suppress(OSError):  # the thread has ended, or is one of the process that forked
            if self.clock is not None:
                return self.deadline.is_over_at(time.clock_gettime(self.clock))
            return self.deadline.is_over_by_clock()
        return False


class _Watch:
    """One thread for the process that looks at all bodies. It sleeps while there are none."""

    def __init__(self) -> None:
        self._bodies: dict[int, _Body] = {}
        self._thread: threading.Thread | None = None
        self._starting, self._sleeping = threading.Lock(), threading.Lock()
        self._is_asleep = False

    def begin(self, body: _Body) -> None:
        """Watch a body from now on."""
        self._bodies[id(body)] = body
        if self._thread is None or not self._thread.is_alive():  # a forked process has none
            with self._starting:
                if self._thread is None or not self._thread.is_alive():
                    self._thread = threading.Thread(target=self._run, name="podium-watch", daemon=True)
                    self._thread.start()
        elif self._is_asleep:
            self._wake()

    def end(self, body: _Body) -> None:
        """Watch a body no more: no exception comes after this. Can be called again if one interrupts it."""
        body.is_over = True
        self._bodies.pop(id(body), None)
        while body.is_raising:
            time.sleep(0)
        if body.raised:
            # The exception may not have come yet. It is raised again and waited for, not taken back: after that,
            # CPython 3.11 goes on looking for one at each step, and a traced function never gets beyond its first.
            with contextlib.suppress(_Late):
                _raise_in(body.thread, _Late)
                while True:
                    pass

    def _wake(self) -> None:
        self._is_asleep = False
        with contextlib.suppress(RuntimeError):  # another thread was faster
            self._sleeping.release()

    def _run(self) -> None:
        while True:
            self._is_asleep = True
            if self._bodies:  # looked at after the note above, which ``begin`` looks at after it has added one
                self._is_asleep = False
            else:
                self._sleeping.acquire()
            time.sleep(LOOK_SECONDS)
            for body in [*self._bodies.values()]:
                body.look()


_watch = _Watch()


def _raise_in(thread: int, kind: type[BaseException]) -> None:
    """Raise an exception in a thread at its next step of Python, in place of one that has not come yet."""
    import ctypes

    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(kind))


def _can_be_interrupted(thread: int) -> bool:
    """Return False while a thread would leave a lock taken: in the import of a module, or in a lock made in Python."""
    frame = sys._current_frames().get(thread)
    if frame is not None and frame.f_code.co_filename == threading.__file__:
        return False
    while frame is not None and not frame.f_code.co_filename.startswith("<frozen importlib"):
        frame = frame.f_back
    return frame is None
