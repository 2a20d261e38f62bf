"""Rows of exact width, with words on the left and on the right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf

from rich.cells import cell_len, split_graphemes
from rich.segment import Segment
from rich.style import Style

from core.domain.statuses import ItemCounts
from core.text.sanitize import sanitize
from tui.drawing.cells import fit
from tui.drawing.styles import BackgroundRole, Row, Styles, TextRole

Word = tuple[str, TextRole]
"""A text and its role. User text goes through ``one_line`` first."""


def one_line(text: str) -> str:
    """User text in one line, safe."""
    return sanitize(text).replace("\n", " ")


def row(
    look: Styles,
    background: BackgroundRole,
    width: int,
    left: Sequence[Word],
    right: Sequence[Word] = (),
    *,
    margin: int = 1,
) -> Row:
    """A row of ``width`` cells, of which the last ``margin`` are blank.

    The right side keeps the last words that fit in half of the row; the left side is cut to the rest.
    """
    room = width - min(margin, width)
    kept: list[Word] = []
    for text, text_role in reversed(right):
        if cell_len(text) > room - width // 2:
            break
        room -= cell_len(text)
        kept.insert(0, (text, text_role))
    return spread(look, background, width, left, kept, margin=margin)


def spread(
    look: Styles,
    background: BackgroundRole,
    width: int,
    left: Sequence[Word],
    right: Sequence[Word] = (),
    *,
    margin: int = 1,
) -> Row:
    """A row of ``width`` cells with the whole right side, unless it is wider than that; the left side is cut."""
    margin = min(margin, width)
    if cells(right) > width - margin - 1:
        right = ()
    room = width - margin - cells(right)
    tail: list[Word] = [*right, (" " * margin, TextRole.QUIET)]
    head: list[Word] = []
    gap = 1 if right else 0
    for text, text_role in left:
        fitted = fit(text, room - gap, mark=look.ellipsis)
        room -= cell_len(fitted)
        head.append((fitted, text_role))
    return join_words(look, background, [*head, (" " * room, TextRole.QUIET), *tail])


def join_words(look: Styles, background: BackgroundRole, words: Sequence[Word]) -> Row:
    """Segments of the words. Neighbours of the same style are joined, and blanks take the style before them.

    Each segment costs about 40 bytes of colour codes.
    """
    segments: list[Segment] = []
    for text, text_role in words:
        style = look.style(text_role, background)
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


def list_words(look: Styles, words: Sequence[Word], room: float = inf) -> list[Word]:
    """The first words that fit into ``room`` cells, with a faint dot between them."""
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


def progress_bar(look: Styles, tally: ItemCounts, width: int) -> list[Word]:
    """A bar of ``width`` cells, full only when all cards are done, and not empty when one is."""
    done = round(tally.progress * width)
    if tally.done:
        done = max(1, min(done, width if not tally.open else width - 1))
    return [(look.signs.full * done, TextRole.DONE), (look.signs.rest * (width - done), TextRole.FAINT)]


def people(initials: Sequence[str], most: int) -> str:
    """Initials of at most ``most`` people: ``AK JB +2``."""
    more = len(initials) - most
    return " ".join([*initials[:most], f"+{more}"] if more > 0 else initials)


def others_here(look: Styles, initials: str) -> list[Word]:
    """The sign and the initials of other people on a card, the same on all views; empty without initials."""
    return [(look.signs.here + initials, TextRole.HERE)] if initials else []


def underline_row(pieces: Row, style: Style) -> Row:
    """The same row underlined, for a drop line where cards have no blank line between them."""
    return tuple(Segment(text, (old or Style()) + style, control) for text, old, control in pieces)


def wrap_text(text: str, width: int, most: int, mark: str) -> list[str]:
    """Wrap a text into at most ``most`` lines of ``width`` cells; if it is cut, it ends in ``mark``.

    Lines break between words. A word in wide letters (Chinese, Japanese, Korean), and one that is too long for a line,
    breaks between letters.
    """
    lines, pieces = [""], list(_pieces(text, width))
    for at, (piece, space) in enumerate(pieces):
        longer = f"{lines[-1]}{space}{piece}".strip()
        if not lines[-1] or cell_len(longer) <= width:
            lines[-1] = longer
        elif len(lines) == most:
            lines[-1] += "".join(f"{gap}{rest}" for rest, gap in pieces[at:])
            break
        else:
            lines.append(piece)
    return [fit(line, width, mark=mark) for line in lines]


def _pieces(text: str, width: int) -> Iterator[tuple[str, str]]:
    """The parts of a text between which a line can break, each with the space before it."""
    for word in text.split():
        if (len(word) <= width and word.isascii()) or (cell_len(word) <= width and cell_len(word) == len(word)):
            yield word, " "
            continue
        spans, _ = split_graphemes(word)
        run, space = "", " "
        for start, end, cells in spans:
            if run and (cells > 1 or cell_len(run) + cells > width):
                yield run, space
                run, space = "", ""
            run += word[start:end]
            if cells > 1:
                yield run, space
                run, space = "", ""
        if run:
            yield run, space
