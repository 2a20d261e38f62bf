"""How far the commands are that bring a file and are under way.

A command is named by its sender and its Idempotency-Key, which only the sender has.
"""

from __future__ import annotations

from weakref import WeakValueDictionary

from core.errors import NotFound
from core.model import Id
from core.progress import Progress


class Watched(Progress):
    """Of one command: the steps that it last told of."""

    def __init__(self) -> None:
        super().__init__(self._note)
        self.steps = (0, 0)
        """Those that are done, and all; none while it is read."""

    def _note(self, done: int, total: int) -> None:
        self.steps = (done, total)


class UnderWay:
    """The commands that are. They are kept for as long as a request holds them; used from the loop of the server."""

    def __init__(self) -> None:
        self._watched: WeakValueDictionary[tuple[Id, str], Watched] = WeakValueDictionary()

    def begin(self, user_id: Id, key: str | None) -> Watched:
        """That of a command. A second try of the same request is the same command; without a key each is another."""
        if key is None:
            return Watched()
        watched = self._watched.get((user_id, key)) or Watched()
        self._watched[user_id, key] = watched
        return watched

    def find(self, user_id: Id, key: str) -> Watched:
        """That of a command that is under way. Raises NotFound."""
        watched = self._watched.get((user_id, key))
        if watched is None:
            raise NotFound("Nothing of yours is under way by this key.")
        return watched
