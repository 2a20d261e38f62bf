"""Answers that are given again to whoever asks the same again, while nothing has changed.

What the core says to such a query follows from the database and the day: who somebody is, what they may do and what
they are shown. So the database is asked with every request whether anybody committed anything, and only if nobody did
is an answer given again: to the same request with the same proof of who sends it, and within the same second, since
without a commit tokens expire and days begin, both with a second. That an account of the machine has another number
now is noticed with the next second (decided here). Where a service decides what people may do, nothing is kept, and
queries that say who is here are never asked in this way.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Hashable
from typing import NamedTuple

from core.authorization.local_source import LocalPermissions
from core.codec.encoding import text_of
from core.domain.model import Id
from core.engine.engine import Application

MAX_LENGTH = 256 * 1024
"""Bytes of an answer that is kept."""

MAX_COUNT = 100
"""Answers that are kept at one time."""

MAX_TEXTS = 4
"""Texts that each thread keeps."""

SHORT = 1024
"""Characters of a text that takes no longer to write than to look for."""


class Said(NamedTuple):
    """An answer that was given."""

    user_id: Id
    """To whom."""
    body: bytes


class Kept:
    """For the requests of one event loop."""

    def __init__(self, application: Application) -> None:
        self._application = application
        self._moment: object = None
        self._is_asked = False
        self._said: dict[Hashable, Said] = {}

    def said(self) -> dict[Hashable, Said]:
        """What was said and still holds. What is put into it later is forgotten unless it still is the same moment.

        The database is asked once in a turn of the loop: whatever is answered in that turn was sent before.
        Raises StorageError.
        """
        if self._is_asked:
            return self._said
        application = self._application
        moment = application.database.news(), int(application.clock().timestamp())
        if moment != self._moment or not isinstance(application.permissions, LocalPermissions):
            self._moment, self._said = moment, {}
        self._is_asked = True
        asyncio.get_running_loop().call_soon(self._doubt)
        return self._said

    def _doubt(self) -> None:
        self._is_asked = False


class LastTexts(threading.local):
    """The JSON texts of the results that a thread answered with last: many who ask what changed get the same result,
    while others ask other things in between."""

    def __init__(self) -> None:
        self._last: deque[tuple[object, str]] = deque(maxlen=MAX_TEXTS)

    def of(self, result: object) -> str:
        """The text of a result. At most ``MAX_LENGTH`` characters of each are held; short ones are written again."""
        for known, text in self._last:
            if known is result:
                return text
        text = text_of(result)
        if SHORT < len(text) <= MAX_LENGTH:
            self._last.append((result, text))
        return text


def keep(said: dict[Hashable, Said], asked: Hashable, answer: Said) -> None:
    """Put an answer where ``said`` is from."""
    if len(said) < MAX_COUNT and len(answer.body) <= MAX_LENGTH:
        said[asked] = answer
