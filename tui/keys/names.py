"""Keys by the names that users read, in place of Textual's."""

from __future__ import annotations

_WRITTEN = {
    "question_mark": "?",
    "colon": ":",
    "slash": "/",
    "backslash": "\\",
    "full_stop": ".",
    "minus": "-",
    "equals_sign": "=",
    "plus": "+",
    "greater_than_sign": ">",
    "less_than_sign": "<",
    "ampersand": "&",
    "exclamation_mark": "!",
    "left_parenthesis": "(",
    "right_parenthesis": ")",
    "asterisk": "*",
    "percent_sign": "%",
    "number_sign": "#",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "left_curly_bracket": "{",
    "right_curly_bracket": "}",
    "vertical_line": "|",
    "escape": "esc",
    "space": "space",
    "pageup": "PgUp",
    "pagedown": "PgDn",
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
    "home": "Home",
    "end": "End",
}


def spell_key(key: str) -> str:
    """A key as users read it: ``greater_than_sign`` is ``>``."""
    return _WRITTEN.get(key, key)


_NAMES = {text: name for name, text in _WRITTEN.items()}


def key_written(text: str) -> str:
    """Textual's name of a key that is written as users read it."""
    return _NAMES.get(text, text)
