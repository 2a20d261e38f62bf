"""The answers that are kept for a little while, by the rules of the specification (section 7)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import NamedTuple

from core.domain.grants import PermissionQuery

LOOKING = 300.0
"""Seconds after which an answer does not even allow to look while the service is away."""

MAX_COUNT = 10_000
"""Answers kept at one time: the oldest go first."""

_CLOCK: int = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


def elapsed() -> float:
    """Seconds on a clock that nobody sets, and that runs on while a computer sleeps."""
    return time.clock_gettime(_CLOCK)


class Answer(NamedTuple):
    """What a well-formed answer said."""

    held: frozenset[str]
    at: float
    """When the question was sent: the answer is at most that old."""


class GrantCache:
    """Answers by question. Any thread may use them; faults never come here."""

    def __init__(self, keep: float, clock: Callable[[], float] = elapsed) -> None:
        self.keep = keep
        self.clock = clock
        self.turn = 0
        """How often all was forgotten: an answer to a question from before is not kept."""
        self._lock = threading.Lock()
        self._answers: dict[PermissionQuery, Answer] = {}

    def new(self, question: PermissionQuery) -> Answer | None:
        """An answer that is new enough to be used for whatever does not have to be exact."""
        return self._younger(question, self.keep)

    def recent(self, question: PermissionQuery) -> Answer | None:
        """An answer that is new enough to look, while nobody can be asked."""
        return self._younger(question, LOOKING)

    def put(self, question: PermissionQuery, answer: Answer, turn: int) -> None:
        """Keep an answer to a question that was asked in this turn."""
        with self._lock:
            self._answers.pop(question, None)  # so that the dict is in the order of age
            if turn == self.turn:
                self._answers[question] = answer
            self._drop_old()

    def forget(self) -> None:
        """Keep nothing of what was said or is being asked."""
        with self._lock:
            self.turn += 1
            self._answers.clear()

    def _younger(self, question: PermissionQuery, seconds: float) -> Answer | None:
        with self._lock:
            answer = self._answers.get(question)
        return answer if answer and self.clock() - answer.at < seconds else None

    def _drop_old(self) -> None:
        end = self.clock() - LOOKING
        while self._answers:
            first = next(iter(self._answers))
            if len(self._answers) <= MAX_COUNT and self._answers[first].at > end:
                return
            del self._answers[first]
