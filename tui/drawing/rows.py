"""One line of a piece: words on the left, words on the right, exactly as wide as it must be."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from core.text.sanitize import sanitized
from tui.drawing.cells import fit
from tui.drawing.styles import BackgroundRole, Row, Styles, TextRole

Word = tuple[str, TextRole]
"""A text of our own or one that went through ``one_line``, and what it is drawn with."""


def one_line(text: str) -> str:
    """Text from people as a single line without anything unsafe."""
    return sanitized(text).replace("\n", " ")


def row(
    look: Styles,
    ground: BackgroundRole,
    width: int,
    left: Sequence[Word],
    right: Sequence[Word] = (),
    *,
    margin: int = 1,
) -> Row:
    """A line of ``width`` cells, the last ``margin`` of them blank.

    The right side is kept from its end as long as it leaves half of the line; the left side is cut to what remains.
    """
    margin = min(margin, width)
    room = width - margin
    tail: list[Word] = [(" " * margin, TextRole.QUIET)]
    for text, ink in reversed(right):
        if cell_len(text) > room - width // 2:
            break
        room -= cell_len(text)
        tail.insert(0, (text, ink))
    head: list[Word] = []
    gap = 1 if len(tail) > 1 else 0
    for text, ink in left:
        fitted = fit(text, room - gap, mark=look.ellipsis)
        room -= cell_len(fitted)
        head.append((fitted, ink))
    return joined(look, ground, [*head, (" " * room, TextRole.QUIET), *tail])


def joined(look: Styles, ground: BackgroundRole, words: Sequence[Word]) -> Row:
    """Segments of the words; neighbours of one style become one, and space takes the style before it.

    Each segment costs some 40 bytes of colour codes on the wire.
    """
    segments: list[Segment] = []
    for text, ink in words:
        style = look.style(ink, ground)
        if not text:
            continue
        if segments and (text.isspace() or segments[-1].style is style):
            before = segments.pop()
            segments.append(Segment(before.text + text, before.style))
        elif segments and segments[-1].text.isspace():
            segments.append(Segment(segments.pop().text + text, style))
        else:
            segments.append(Segment(text, style))
    return tuple(segments)


def listed(look: Styles, words: Sequence[Word], room: float = inf) -> list[Word]:
    """As many of the words as fit whole into ``room`` cells, with a quiet sign between them."""
    between = f" {look.signs.dot} "
    parts: list[Word] = []
    for word in words:
        more = [(between, TextRole.FAINT), word] if parts else [word]
        room -= cells(more)
        if room < 0:
            break
        parts += more
    return parts


def cells(words: Sequence[Word]) -> int:
    return sum(cell_len(text) for text, _ in words)


def people(initials: Sequence[str], most: int) -> str:
    """Initials of some people: ``AK JB +2``."""
    more = len(initials) - most
    return " ".join([*initials[:most], f"+{more}"] if more > 0 else initials)


def others_here(look: Styles, initials: str) -> list[Word]:
    """The sign of those who are on a card right now and their initials, alike on all views; nothing when nobody is."""
    return [(look.signs.here + initials, TextRole.HERE)] if initials else []


def underlined(pieces: Row, style: Style) -> Row:
    """The same line with a rule under it, for a place without a line of its own between two cards."""
    return tuple(Segment(text, (old or Style()) + style, control) for text, old, control in pieces)


def wrapped(text: str, width: int, most: int, mark: str) -> list[str]:
    """At most so many lines of a text, each at most so many cells wide; what is left out ends in the mark."""
    lines, words = [""], text.split()
    for at, word in enumerate(words):
        longer = f"{lines[-1]} {word}".strip()
        if not lines[-1] or cell_len(longer) <= width:
            lines[-1] = longer
        elif len(lines) == most:
            lines[-1] = " ".join([lines[-1], *words[at:]])
            break
        else:
            lines.append(word)
    return [fit(line, width, mark=mark) for line in lines]
