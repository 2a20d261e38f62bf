"""Lines of bash as words, without running anything in them; and names as bash quotes them."""

from __future__ import annotations

from typing import NamedTuple

SPACES = " \t\n"
PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,+%")
IN_DOUBLE = frozenset('\\"$`')
"""Characters that keep a meaning inside double quotes."""


class BashLine(NamedTuple):
    """The words up to the cursor, of which the last may be unfinished, and empty.

    ``quote`` is the quote that is open at the cursor, or "". ``kept`` is the beginning of the last word that bash
    leaves on the line, because a character such as ":" ends a word for it.
    """

    words: list[str]
    quote: str
    kept: str


def bash_line(line: str, breaks: str) -> BashLine:
    """Read a line up to the cursor."""
    words: list[str] = []
    word, quote, kept, is_open = "", "", "", False
    letters = iter(line)
    for letter in letters:
        if quote:
            if letter == quote:
                quote = ""
            elif letter == "\\" and quote == '"':
                following = next(letters, "")
                word += following if following in IN_DOUBLE else f"\\{following}"
            else:
                word += letter
            continue
        if letter in SPACES:
            if is_open:
                words.append(word)
            word, kept, is_open = "", "", False
            continue
        is_open = True
        if letter in "'\"":
            quote = letter
        elif letter == "\\":
            word += next(letters, "")
        else:
            word += letter
            if letter in breaks:
                kept = word
    return BashLine([*words, word], quote, kept)


def bash_quoted(text: str, quote: str) -> str:
    """A text as it stands on a line of bash, after an open quote if there is one. It is one word, and runs nothing."""
    if quote == "'":
        return text.replace("'", "'\\''")
    if quote == '"':
        return "".join(f"\\{letter}" if letter in IN_DOUBLE else letter for letter in text)
    return "".join(letter if letter in PLAIN or ord(letter) > 127 else f"\\{letter}" for letter in text)
