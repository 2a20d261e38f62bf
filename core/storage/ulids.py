"""New ids: ULIDs, which sort by the time of their creation (https://github.com/ulid/spec)."""

from __future__ import annotations

from os import urandom
from threading import Lock
from time import time_ns

LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford's base 32."""

LENGTH, RANDOM_BYTES = 26, 10

_lock = Lock()
_newest = 0
"""The newest id of this process as a number."""


def new_ulid() -> str:
    """Return 48 bits of the time in milliseconds and 80 random ones, as 26 letters and digits.

    It is greater than all that this process has returned: in the same millisecond it is the next number.
    """
    global _newest
    number = time_ns() // 1_000_000 << 8 * RANDOM_BYTES | int.from_bytes(urandom(RANDOM_BYTES), "big")
    with _lock:
        _newest = number = max(number, _newest + 1)
    return "".join(LETTERS[number >> shift & 31] for shift in range(5 * (LENGTH - 1), -1, -5))
