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
    """The last reported progress of one command."""

    def __init__(self) -> None:
        super().__init__(self._note)
        self.steps = (0, 0)
        """Steps done, and all steps; (0, 0) while the body is read."""
        self.tries = 0
        """Requests that wait for it now: the first one, and retries with the same key."""

    def give_up(self) -> None:
        """Note that a request does not wait for it any more; the last such request stops it."""
        if self.tries <= 1:
            super().give_up()

    def _note(self, done: int, total: int) -> None:
        self.steps = (done, total)


class RunningCommands:
    """The commands in slices or with a file. Only the event loop of the server uses this."""

    def __init__(self) -> None:
        self.stopped = False
        """True once the server is stopping, and these commands with it."""
        self._all: WeakSet[Progress] = WeakSet()
        """Commands whose work has not ended, even if no request waits for them."""
        self._watched: dict[tuple[Id, str], RunningCommand] = {}

    def add(self, progress: Progress) -> None:
        """Let a command be stopped with the server."""
        self._all.add(progress)
        if self.stopped:
            progress.cancel()

    def stop(self) -> None:
        """Stop all commands, so that the server can end."""
        self.stopped = True
        for progress in self._all:
            progress.cancel()

    @contextlib.contextmanager
    def track(self, user_id: Id, key: str | None) -> Iterator[RunningCommand]:
        """The running command of a request, while the request lasts. A retry with the same key shares it."""
        if key is None:
            self.add(watched := RunningCommand())
            yield watched
            return
        found = self._watched.get((user_id, key))
        if found is not None and not found.cancelled:
            watched = found
        else:  # a cancelled command ends by itself; this is another one
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
            raise NotFound("You have no running command with this key.")
        return watched


async def give_up_on_disconnect(request: Request, progress: Progress) -> None:
    """Stop work when the client closes the connection. Further requests on it are read later."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
    progress.give_up()
