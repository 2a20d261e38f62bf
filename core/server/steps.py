"""How far the commands are that bring a file and are under way.

A command is named by its sender and its Idempotency-Key, which only the sender has.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from starlette.requests import Request

from core.errors import NotFound
from core.model import Id
from core.progress import Progress


class Watched(Progress):
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
            self.cancel()

    def _note(self, done: int, total: int) -> None:
        self.steps = (done, total)


class UnderWay:
    """The commands that are. Used from the loop of the server alone."""

    def __init__(self) -> None:
        self._watched: dict[tuple[Id, str], Watched] = {}

    @contextlib.contextmanager
    def watched(self, user_id: Id, key: str | None) -> Iterator[Watched]:
        """That of a command, for as long as it is. A second try of the same request meanwhile is the same command."""
        if key is None:
            yield Watched()
            return
        watched = self._watched.get((user_id, key))
        if watched is None or watched.cancelled:  # one that was given up ends by itself; this is another try
            watched = self._watched[user_id, key] = Watched()
        watched.tries += 1
        try:
            yield watched
        finally:
            watched.tries -= 1
            if not watched.tries and self._watched.get((user_id, key)) is watched:
                del self._watched[user_id, key]

    def find(self, user_id: Id, key: str) -> Watched:
        """That of a command that is under way. Raises NotFound."""
        watched = self._watched.get((user_id, key))
        if watched is None:
            raise NotFound("Nothing of yours is under way by this key.")
        return watched


async def give_up_when_left(request: Request, progress: Progress) -> None:
    """Give work up when the client has closed the connection. What else comes on it is read later."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
    progress.give_up()


def untold() -> Progress:
    """Of a command that is over before anybody asks how far it is."""
    return Progress(lambda _done, _total: None)
