"""The messages of a browser over its WebSocket. Any other message ends the connection: it is not from our page."""

from __future__ import annotations

import json
from typing import Any

from core.record import Record

MAX_LENGTH = 256 * 1024
"""Most bytes of a frame; a long paste is a single frame."""

MAX_PING = 32
COLUMNS, ROWS = range(10, 501), range(4, 301)
"""The possible sizes of a terminal in cells; other sizes are replaced by the nearest one."""


class Keys(Record, kw_only=False):
    """Input from keyboard, clipboard or mouse."""

    data: bytes


class Resize(Record, kw_only=False):
    """A new size of the window, in cells."""

    width: int
    height: int


class Ping(Record, kw_only=False):
    """A request of the page to measure the round trip."""

    words: str


class Focus(Record, kw_only=False):
    """The window got or lost the focus."""

    gained: bool


Frame = Keys | Resize | Ping | Focus


class InvalidMessage(ValueError):
    """A frame that our page does not send."""


def read_frame(text: str) -> Frame:
    """Parse a frame. Raises InvalidMessage."""
    try:
        frame: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidMessage("no JSON") from error
    match frame:
        case ["stdin", str(data)]:
            return Keys(data.encode(errors="replace"))
        case ["resize", {"width": width, "height": height}] if type(width) is type(height) is int:
            return size(width, height)
        case ["ping", str(words)] if len(words) <= MAX_PING:
            return Ping(words)
        case ["focus"] | ["blur"]:
            return Focus(frame[0] == "focus")
    raise InvalidMessage("not a frame")


def size(width: int, height: int) -> Resize:
    """The nearest possible size of a terminal."""
    return Resize(_nearest(width, COLUMNS), _nearest(height, ROWS))


def _nearest(number: int, allowed: range) -> int:
    return max(allowed.start, min(number, allowed.stop - 1))
