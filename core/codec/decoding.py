"""JSON as values of declared types, through msgspec: strict, but open to unknown fields of answers.

Neither function refuses a key that is given twice, an integer over 2^53 or NUL: requests are checked for these before,
and files of strangers for such keys (``check_keys_once``).
"""

from __future__ import annotations

from functools import cache
from typing import Any

from msgspec import Raw, convert
from msgspec.json import Decoder


def decode(text: bytes | bytearray | str, hint: Any) -> Any:
    """Return a JSON text as a value of this type. Raises ValueError."""
    return _decoder(hint).decode(text)


def convert_json(value: Any, hint: Any) -> Any:
    """Return parsed JSON as a value of this type. Raises ValueError."""
    return convert(value, hint)


def parts_of(text: bytes, *keys: str) -> tuple[bytes, ...]:
    """Return the texts of these members of a JSON object. Raises ValueError, also if one is missing."""
    parts = decode(text, dict[str, Raw])
    if missing := [key for key in keys if key not in parts]:
        raise ValueError(f"{missing[0]} is missing")
    return tuple(bytes(parts[key]) for key in keys)


@cache
def _decoder(hint: Any) -> Decoder[Any]:
    return Decoder(hint)
