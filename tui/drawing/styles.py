"""The signs and the colours of the board, resolved once for each theme.

Colour never says anything alone: every state has a sign or a word too, so the board reads the same without
colours, with sixteen of them, and in ASCII.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntFlag, StrEnum, auto
from typing import NamedTuple

from rich.segment import Segment
from rich.style import Style

from core.domain.model import PhaseState, Status

Row = tuple[Segment, ...]
"""One line of a piece. Rows are compared by identity: the same object is the same picture."""


class TextRole(StrEnum):
    """What a text is drawn with; each is the component class ``board--<ink>``."""

    TITLE = auto()
    QUIET = auto()
    FAINT = auto()
    NAME = auto()
    SECTION = auto()
    ACCENT = auto()
    DONE = auto()
    SOON = auto()
    LATE = auto()
    HERE = auto()
    """Somebody else's place."""


class BackgroundRole(StrEnum):
    """What a text is drawn on; each is the component class ``board--<ground>``."""

    PLAIN = auto()
    CURSOR = auto()
    BLURRED = auto()
    MARKED = auto()
    GLOW = auto()
    HOVER = auto()


class CardState(IntFlag):
    """All that decides how a card or head is drawn besides what it says."""

    NONE = 0
    FOCUSED = auto()
    ACTIVE = auto()
    """The board has the keyboard."""
    MARKED = auto()
    HOVERED = auto()
    GLOWING = auto()
    DRAGGED = auto()


class Symbols(NamedTuple):
    """The characters with a meaning. Each is one cell wide, and none is an emoji."""

    bar: str = "▌"
    mark: str = "■"
    sub: str = "↳"
    task: tuple[str, ...] = ("○", "◐", "✓", "–")
    """To do, in progress, completed, archived."""
    activity: tuple[str, ...] = ("◇", "◈", "◆", "–")
    application: str = "⊞"
    locked: str = "⊘"
    open: str = "◐"
    complete: str = "✓"
    full: str = "━"
    rest: str = "─"
    rail: str = "│"
    thumb: str = "┃"
    left: str = "‹"
    right: str = "›"
    dot: str = "·"
    comment: str = "❝"
    link: str = "↗"
    delivered: tuple[str, str] = ("□", "■")
    """A deliverable that is not done, and one that is."""
    here: str = "●"
    """Before the initials of somebody who is on a card."""

    def of(self, status: Status | None, activity: bool) -> str:
        """The sign of a task, an activity or, without a status, an application."""
        if status is None:
            return self.application
        order = (Status.TO_DO, Status.IN_PROGRESS, Status.COMPLETED, Status.ARCHIVED)
        return (self.activity if activity else self.task)[order.index(status)]

    def state(self, state: PhaseState) -> str:
        signs = {PhaseState.LOCKED: self.locked, PhaseState.OPEN: self.open}
        return signs.get(state, self.complete)


UNICODE = Symbols()
ASCII = Symbols(
    bar=">",
    mark="*",
    sub="\\",
    task=("o", "%", "x", "-"),
    activity=("O", "%", "X", "-"),
    application="#",
    locked="!",
    open="%",
    complete="x",
    full="=",
    rest="-",
    rail="|",
    thumb="#",
    left="<",
    right=">",
    dot="-",
    comment='"',
    link="@",
    delivered=("-", "*"),
    here="+",
)

COMPONENTS = {f"board--{name}" for name in (*TextRole, *BackgroundRole)}

COLOURS = """
    BoardRenderer {
        background: $background;
        color: $foreground;
        .board--title { color: $foreground; }
        .board--quiet { color: $foreground 62%; }
        .board--faint { color: $foreground 26%; }
        .board--name { color: $foreground; text-style: bold; }
        .board--section { color: $foreground 72%; text-style: bold; }
        .board--accent { color: $text-primary; text-style: bold; }
        .board--done { color: $text-success; }
        .board--soon { color: $text-warning; }
        .board--late { color: $text-error; }
        .board--here { color: $text-accent; text-style: bold; }
        .board--plain { background: $background; }
        .board--cursor { background: $primary 28%; text-style: bold; }
        .board--blurred { background: $foreground 12%; }
        .board--marked { background: $primary 12%; }
        .board--glow { background: $success 22%; }
        .board--hover { background: $foreground 6%; }
        &:ansi {  /* the terminal's own colours have no shades: what is faint would be as strong as what stands on it */
            .board--cursor, .board--blurred, .board--marked, .board--hover { background: $background; }
        }
    }
"""
"""The shape of the look as a style sheet; a theme changes the variables, ``app.tcss`` may change the rest."""


class Styles:
    """Signs and finished styles. ``resolve`` gives the Rich style of a component class."""

    def __init__(self, resolve: Callable[[str], Style], ascii_only: bool) -> None:
        self.signs = ASCII if ascii_only else UNICODE
        self.ellipsis = "~" if ascii_only else "…"
        plain = resolve("board--plain")
        self._blanks: dict[int, Row] = {}
        self._styles: dict[tuple[TextRole, BackgroundRole], Style] = {}
        for ground in BackgroundRole:
            under = resolve(f"board--{ground}")
            for ink in TextRole:
                over = resolve(f"board--{ink}")
                bold = bool(over.bold) or (ink is TextRole.TITLE and bool(under.bold))
                back = under.bgcolor or plain.bgcolor
                self._styles[ink, ground] = Style(color=over.color, bgcolor=back, bold=bold or None)

    def __eq__(self, other: object) -> bool:
        """By what is seen: a change of focus or of an unrelated rule gives an equal look, and no new pieces."""
        return isinstance(other, Styles) and (self.signs, self._styles) == (other.signs, other._styles)

    __hash__ = None  # type: ignore[assignment]

    def style(self, ink: TextRole, ground: BackgroundRole = BackgroundRole.PLAIN) -> Style:
        return self._styles[ink, ground]

    def blank(self, cells: int) -> Row:
        """Nothing; always the same object for the same width, so that blank lines never differ."""
        if cells not in self._blanks:
            self._blanks[cells] = (Segment(" " * cells, self.style(TextRole.QUIET)),) if cells > 0 else ()
        return self._blanks[cells]


def ground_of(mood: CardState) -> BackgroundRole:
    """The strongest of the states a card is in."""
    if CardState.FOCUSED in mood:
        return BackgroundRole.CURSOR if CardState.ACTIVE in mood else BackgroundRole.BLURRED
    if CardState.GLOWING in mood:
        return BackgroundRole.GLOW
    if CardState.MARKED in mood:
        return BackgroundRole.MARKED
    return BackgroundRole.HOVER if CardState.HOVERED in mood else BackgroundRole.PLAIN
