"""Keys and mouse events as a terminal sends them.

Plain text stands for itself; names stand in angle brackets: ``<enter> <esc> <up> <f1> <ctrl+x> <alt+x>``,
``<shift+tab>``, ``<down*30>`` for thirty of one, ``<lt>`` for "<". Mouse events carry a cell, column and row
counted from 0: ``<click:10,4>``, ``<rightclick:…>``, ``<press:…>``, ``<release:…>``, ``<move:…>`` (no button
held), ``<drag:…>`` (left button held), ``<wheelup:…>`` and ``<wheeldown:…>``.
"""

from __future__ import annotations

import re

NAMED = {
    "enter": "\r",
    "esc": "\x1b",
    "tab": "\t",
    "shift+tab": "\x1b[Z",
    "space": " ",
    "backspace": "\x7f",
    "lt": "<",
    "up": "\x1b[A",
    "down": "\x1b[B",
    "right": "\x1b[C",
    "left": "\x1b[D",
    "home": "\x1b[H",
    "end": "\x1b[F",
    "insert": "\x1b[2~",
    "delete": "\x1b[3~",
    "pageup": "\x1b[5~",
    "pagedown": "\x1b[6~",
    "f1": "\x1bOP",
    "f2": "\x1bOQ",
    "f3": "\x1bOR",
    "f4": "\x1bOS",
    "f5": "\x1b[15~",
    "shift+up": "\x1b[1;2A",
    "shift+down": "\x1b[1;2B",
    "shift+right": "\x1b[1;2C",
    "shift+left": "\x1b[1;2D",
    "paste": "\x1b[200~",
    "endpaste": "\x1b[201~",
}

MOUSE = {
    "press": ((0, "M"),),
    "release": ((0, "m"),),
    "click": ((0, "M"), (0, "m")),
    "rightclick": ((2, "M"), (2, "m")),
    "drag": ((32, "M"),),
    "move": ((35, "M"),),
    "wheelup": ((64, "M"),),
    "wheeldown": ((65, "M"),),
}
"""The button code and the last letter of each report, in the SGR form (DEC mode 1006)."""

TOKEN = re.compile(r"<([a-z0-9+]+|[a-z]+\+[^>]|[a-z]+:\d+,\d+)(?:\*(\d+))?>|(.)", re.DOTALL)


def encode(keys: str) -> bytes:
    """The bytes of some keys. Raises ValueError for a name that is not known."""
    return b"".join(
        plain.encode() if plain else _named(name) * int(times or 1)
        for name, times, plain in (match.groups() for match in TOKEN.finditer(keys))
    )


def _named(name: str) -> bytes:
    if name in NAMED:
        return NAMED[name].encode()
    if ":" in name:
        return _mouse(*name.split(":"))
    prefix, _, letter = name.partition("+")
    if prefix == "ctrl" and len(letter) == 1:
        return bytes([ord(letter.upper()) & 0x1F])
    if prefix == "alt" and letter:
        return b"\x1b" + (NAMED.get(letter) or letter).encode()
    raise ValueError(f"“<{name}>” is no key; “<lt>” writes the sign itself.")


def _mouse(action: str, cell: str) -> bytes:
    if action not in MOUSE:
        raise ValueError(f"“{action}” is nothing a mouse does; choose from {', '.join(MOUSE)}.")
    x, y = (int(number) + 1 for number in cell.split(","))
    return "".join(f"\x1b[<{button};{x};{y}{last}" for button, last in MOUSE[action]).encode()
