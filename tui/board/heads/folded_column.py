"""A folded phase: a narrow column with number, state, number of cards, and the name from top to bottom."""

from __future__ import annotations

from rich.cells import cell_len, split_graphemes

from core.domain.canvas import PhaseColumn
from core.record import Record
from tui.board.cards import DrawingSettings
from tui.board.heads.headers import STATE_ROLE
from tui.drawing.rows import Word, one_line, row
from tui.drawing.styles import BackgroundRole, CardState, Row, TextRole, background_of


class FoldedGeometry(Record, kw_only=False):
    """The size and the state that a folded column is drawn with, besides its phase."""

    width: int
    height: int
    head: int
    """Lines of the headers beside it, with the line under them."""
    is_current: bool
    is_target: bool
    """A dragged card would be dropped into it."""
    hidden_left: int
    hidden_right: int
    state: CardState


def folded_rows(
    setting: DrawingSettings, phase: PhaseColumn, count: int, marked: int, place: FoldedGeometry
) -> tuple[Row, ...]:
    """All lines of the column; ``marked`` of its ``count`` cards are marked."""
    signs, quiet = setting.look.signs, TextRole.QUIET
    accent = TextRole.ACCENT if place.is_current else quiet
    bar = (signs.bar if CardState.FOCUSED in place.state else " ", TextRole.ACCENT)
    head: list[list[Word]] = [
        [bar, (f"{phase.number:<2}", accent), (signs.state(phase.state), STATE_ROLE[phase.state])],
        [bar, (f"{count:<2}", quiet)],
        [bar, (f"{signs.mark}{marked}" if marked else "", TextRole.ACCENT)],
    ]
    if marked and place.head == 3:
        del head[1]
    background = BackgroundRole.MARKED if place.is_target else background_of(place.state)
    rows = [_line(setting, background, place.width, words) for words in head[: max(1, place.head - 1)]]
    rows.append(_rule(setting, place))
    letters = _letters(setting, phase.name, place.height - len(rows) - 1)
    rows += [_line(setting, background, place.width, [(" ", quiet), (letter, accent)]) for letter in letters]
    blank = setting.look.blank(place.width)
    return (*rows, *[blank] * (place.height - len(rows)))[: place.height]


def _line(setting: DrawingSettings, background: BackgroundRole, width: int, words: list[Word]) -> Row:
    return row(setting.look, background, width, words, margin=0)


def _rule(setting: DrawingSettings, place: FoldedGeometry) -> Row:
    """The line under the head, with the number of columns beyond an edge."""
    signs = setting.look.signs
    sign, text_role = (signs.full, TextRole.ACCENT) if place.is_current else (signs.rest, TextRole.FAINT)
    left = f"{signs.left}{place.hidden_left}" if place.hidden_left else ""
    right = f"{place.hidden_right}{signs.right}" if place.hidden_right else ""
    middle = sign * (place.width - len(left) - len(right))
    return _line(
        setting,
        BackgroundRole.PLAIN,
        place.width,
        [(left, TextRole.TITLE), (middle, text_role), (right, TextRole.TITLE)],
    )


def _letters(setting: DrawingSettings, name: str, lines: int) -> list[str]:
    """The letters of a name for one line each, as many as there are lines; wide letters have two cells."""
    name = one_line(name)
    spans, _ = split_graphemes(name)
    letters = [name[start:end] for start, end, _ in spans if cell_len(name[start:end])]
    if len(letters) > lines:
        letters = [*letters[: max(0, lines - 1)], setting.look.ellipsis][: max(0, lines)]
    return letters
