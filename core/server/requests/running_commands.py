"""Commands that run for up to minutes: their progress, and stopping them.

A command is identified by its sender and its Idempotency-Key, which only the sender has.
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
    """The progress of one command, as it last reported it."""

    def __init__(self) -> None:
        super().__init__(self._note)
        self.steps = (0, 0)
        """Steps done, and all steps; (0, 0) while its body is read."""
        self.tries = 0
        """Requests that carry it at this time: the first one, and second tries under the same key."""

    def give_up(self) -> None:
        """Note that a request no longer waits for it; without another one it is stopped."""
        if self.tries <= 1:
            super().give_up()

    def _note(self, done: int, total: int) -> None:
        self.steps = (done, total)


class RunningCommands:
    """The commands in slices or with a file. Used in the event loop of the server only."""

    def __init__(self) -> None:
        self.stopped = False
        """True once the server stops, and these commands with it."""
        self._all: WeakSet[Progress] = WeakSet()
        """Those whose work has not ended, also where no request waits for it."""
        self._watched: dict[tuple[Id, str], RunningCommand] = {}

    def add(self, progress: Progress) -> None:
        """Stop a command with the server."""
        self._all.add(progress)
        if self.stopped:
            progress.cancel()

    def stop(self) -> None:
        """Stop all commands, so that the server ends sooner."""
        self.stopped = True
        for progress in self._all:
            progress.cancel()

    @contextlib.contextmanager
    def track(self, user_id: Id, key: str | None) -> Iterator[RunningCommand]:
        """The running command of a request, while the request lasts. A second try under the same key shares it."""
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
        """The running command of a user, by its key. Raises NotFound."""
        watched = self._watched.get((user_id, key))
        if watched is None:
            raise NotFound("Nothing of yours is under way by this key.")
        return watched


async def give_up_on_disconnect(request: Request, progress: Progress) -> None:
    """Give up work when the client closes the connection. Further requests on it are read later."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
    progress.give_up()
