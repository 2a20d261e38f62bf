"""What a browser may send over its WebSocket. Anything else is no page of ours, and ends the connection."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

MAX_LENGTH = 256 * 1024
"""Bytes of a frame: a long text that is pasted comes as one."""

MAX_PING = 32
COLUMNS, ROWS = range(10, 501), range(4, 301)
"""What a terminal may measure; beyond it the nearest is taken."""


class Keys(NamedTuple):
    """Typed, pasted, or done with the mouse."""

    data: bytes


class Resize(NamedTuple):
    """The window has another size, in cells."""

    width: int
    height: int


class Ping(NamedTuple):
    """The page asks how long the way is."""

    words: str


class Focus(NamedTuple):
    """The window is in front, or no longer."""

    gained: bool


Frame = Keys | Resize | Ping | Focus


class InvalidMessage(ValueError):
    """A frame that no page of ours sends."""


def read_frame(text: str) -> Frame:
    """The frame in a text. Raises InvalidMessage."""
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
    """The nearest size that a terminal may have."""
    return Resize(_nearest(width, COLUMNS), _nearest(height, ROWS))


def _nearest(number: int, allowed: range) -> int:
    return max(allowed.start, min(number, allowed.stop - 1))
