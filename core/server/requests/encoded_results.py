"""The JSON texts of the results that a thread encoded last, shared by all clients that get the same result."""

from __future__ import annotations

import threading
from collections import deque

from core.codec.encoding import text_of

MAX_TEXTS = 4
"""Texts that each thread holds."""

MAX_LENGTH = 256 * 1024
"""Characters of a text that is held."""

MIN_LENGTH = 1024
"""Characters of the shortest text that is held: a shorter one takes no longer to encode than to find."""


class EncodedResults(threading.local):
    """Encodes a result once for all clients that get it, the last step of a single-flight query.

    A result is recognised by its identity, never by equality: an equal one may be of other permissions.
    """

    def __init__(self) -> None:
        self._last: deque[tuple[object, str]] = deque(maxlen=MAX_TEXTS)

    def text(self, result: object) -> str:
        """The JSON text of a result."""
        for known, text in self._last:
            if known is result:
                return text
        text = text_of(result)
        if MIN_LENGTH < len(text) <= MAX_LENGTH:
            self._last.append((result, text))
        return text
