"""What is under way and may take minutes: how far the commands are that bring a file, and the end of all of it.

A command is named by its sender and its Idempotency-Key, which only the sender has.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from weakref import WeakSet

from starlette.requests import Request

from core.domain.model import Id
from core.errors import NotFound
from core.storage.progress import Progress


class RunningCommand(Progress):
    """Of one command: the steps that it last told of."""

    def __init__(self) -> None:
        super().__init__(self._note)
        self.steps = (0, 0)
        """Those that are done, and all; none while it is read."""
        self.tries = 0
        """How many requests are under way with it."""

    def give_up(self) -> None:
        """A request waits for it no more; without another one it is stopped."""
        if self.tries <= 1:
            super().give_up()

    def _note(self, done: int, total: int) -> None:
        self.steps = (done, total)


class RunningCommands:
    """What comes in slices or with a file. Used from the loop of the server alone."""

    def __init__(self) -> None:
        self.stopped = False
        """Whether the server stops, and all of this with it."""
        self._all: WeakSet[Progress] = WeakSet()
        """Until their work ends, also when no request waits for it any more."""
        self._watched: dict[tuple[Id, str], RunningCommand] = {}

    def add(self, progress: Progress) -> None:
        """Have something stop as soon as the server does."""
        self._all.add(progress)
        if self.stopped:
            progress.cancel()

    def stop(self) -> None:
        """Stop all of it: the server ends sooner than it would."""
        self.stopped = True
        for progress in self._all:
            progress.cancel()

    @contextlib.contextmanager
    def track(self, user_id: Id, key: str | None) -> Iterator[RunningCommand]:
        """That of a command, for as long as it is. A second try of the same request meanwhile is the same command."""
        if key is None:
            self.add(watched := RunningCommand())
            yield watched
            return
        found = self._watched.get((user_id, key))
        if found is not None and not found.cancelled:
            watched = found
        else:  # one that was given up ends by itself; this is another try
            self.add(watched := RunningCommand())
            self._watched[user_id, key] = watched
        watched.tries += 1
        try:
            yield watched
        finally:
            watched.tries -= 1
            if not watched.tries and self._watched.get((user_id, key)) is watched:
                del self._watched[user_id, key]

    def find(self, user_id: Id, key: str) -> RunningCommand:
        """That of a command that is under way. Raises NotFound."""
        watched = self._watched.get((user_id, key))
        if watched is None:
            raise NotFound("Nothing of yours is under way by this key.")
        return watched


async def give_up_on_disconnect(request: Request, progress: Progress) -> None:
    """Give work up when the client has closed the connection. What else comes on it is read later."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
    progress.give_up()


def unreported_progress() -> Progress:
    """The progress of a command that is over before its sender asks how far it is."""
    return Progress(lambda _done, _total: None)
