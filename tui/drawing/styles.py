"""The symbols and colours of the board, resolved once per theme.

Colour is never the only sign of a state: each one has a symbol or a word too, so the board can be read without
colours, with 16 colours, and in ASCII.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntFlag, StrEnum, auto

from rich.segment import Segment
from rich.style import Style

from core.domain.model import ItemKind, PhaseState, Status
from core.errors import Blocker
from core.record import Record
from tui.drawing.theme import PERSON

Row = tuple[Segment, ...]
"""One line of a piece. Rows are compared by identity: the same object looks the same."""


class TextRole(StrEnum):
    """The foreground style of a text; each role is a component class ``board--<role>``."""

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
    """Another person's position."""
    PERSON_1 = auto()
    PERSON_2 = auto()
    PERSON_3 = auto()
    PERSON_4 = auto()
    PERSON_5 = auto()
    PERSON_6 = auto()
    PERSON_7 = auto()
    PERSON_8 = auto()
    PERSON_9 = auto()
    LABEL_RED = auto()
    LABEL_ORANGE = auto()
    LABEL_YELLOW = auto()
    LABEL_GREEN = auto()
    LABEL_TEAL = auto()
    LABEL_BLUE = auto()
    LABEL_PURPLE = auto()
    LABEL_PINK = auto()
    LABEL_GREY = auto()


PERSON_ROLES = tuple(role for role in TextRole if role.startswith("person"))
"""The colours of people's names; ``person_role`` chooses one."""


LABEL_ROLES = tuple(role for role in TextRole if role.startswith("label"))
"""The colours of labels, in the order of ``LabelColour``."""


class BackgroundRole(StrEnum):
    """The background of a text; each role is a component class ``board--<role>``."""

    PLAIN = auto()
    CURSOR = auto()
    BLURRED = auto()
    MARKED = auto()
    HIGHLIGHT = auto()
    HOVER = auto()
    WEEKEND = auto()
    """Saturday and Sunday, where days are columns."""


class CardState(IntFlag):
    """The states that a card or a header is drawn in."""

    NONE = 0
    FOCUSED = auto()
    ACTIVE = auto()
    """The board has the keyboard."""
    MARKED = auto()
    HOVERED = auto()
    HIGHLIGHTED = auto()
    DRAGGED = auto()
    FOLDED = auto()
    """The tasks of an activity, or the cards of a phase, are hidden behind it."""


class Symbols(Record, kw_only=False):
    """The characters with a meaning, each one cell wide and none an emoji."""

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
    """A deliverable that is not done, and a done one."""
    folded: str = "▸"
    """Behind an activity whose tasks are hidden."""
    here: str = "●"
    """Before the initials of people who are on a card."""
    health: tuple[str, str, str] = ("●", "▲", "■")
    """On track, at risk, overdue."""
    favourite: str = "★"

    def of(self, status: Status | None, activity: bool) -> str:
        """The sign of a task, an activity or, without a status, an application."""
        if status is None:
            return self.application
        order = (Status.TO_DO, Status.IN_PROGRESS, Status.COMPLETED, Status.ARCHIVED)
        return (self.activity if activity else self.task)[order.index(status)]

    def of_blocker(self, blocker: Blocker) -> str:
        """The sign of a task or an activity that blocks; "" where its status is not known."""
        return self.of(Status(blocker.status), blocker.kind == ItemKind.ACTIVITY) if blocker.status else ""

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
    folded=">",
    here="+",
    health=("+", "^", "!"),
    favourite="*",
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
        /* people and labels */
        .board--plain { background: $background; }
        .board--cursor { background: $primary 28%; text-style: bold; }
        .board--blurred { background: $foreground 12%; }
        .board--marked { background: $primary 12%; }
        .board--highlight { background: $success 22%; }
        .board--hover { background: $foreground 6%; }
        .board--weekend { background: $foreground 5%; }
        &:ansi {  /* the terminal's own colours have no shades: a faint background would be as strong as its text */
            .board--cursor, .board--blurred, .board--marked, .board--hover, .board--weekend { background: $background; }
        }
    }
""".replace(
    "/* people and labels */",
    "".join(f".board--{role} {{ color: ${PERSON}-{number}; }}\n" for number, role in enumerate(PERSON_ROLES, 1))
    + "".join(f".board--{role} {{ color: ${role.replace('_', '-')}; }}\n" for role in LABEL_ROLES),
)
"""The roles as a style sheet: a theme sets the variables, ``app.tcss`` can change the rest."""


class Styles:
    """Symbols and resolved styles. ``resolve`` returns the Rich style of a component class."""

    def __init__(self, resolve: Callable[[str], Style], ascii_only: bool) -> None:
        self.signs = ASCII if ascii_only else UNICODE
        self.ellipsis = "~" if ascii_only else "…"
        plain = resolve("board--plain")
        self._blanks: dict[int, Row] = {}
        self._styles: dict[tuple[TextRole, BackgroundRole], Style] = {}
        overs = {text_role: resolve(f"board--{text_role}") for text_role in TextRole}
        for background in BackgroundRole:
            under = resolve(f"board--{background}")
            for text_role, over in overs.items():
                bold = bool(over.bold) or (text_role is TextRole.TITLE and bool(under.bold))
                back = under.bgcolor or plain.bgcolor
                self._styles[text_role, background] = Style(color=over.color, bgcolor=back, bold=bold or None)

    def __eq__(self, other: object) -> bool:
        """Compare symbols and styles. After a change of focus or of an unrelated rule, cached pieces stay valid."""
        return isinstance(other, Styles) and (self.signs, self._styles) == (other.signs, other._styles)

    __hash__ = None  # type: ignore[assignment]

    def style(self, text_role: TextRole, background: BackgroundRole = BackgroundRole.PLAIN) -> Style:
        return self._styles[text_role, background]

    def blank(self, cells: int) -> Row:
        """A blank row: the same object for the same width, so blank lines never differ."""
        if cells not in self._blanks:
            self._blanks[cells] = (Segment(" " * cells, self.style(TextRole.QUIET)),) if cells > 0 else ()
        return self._blanks[cells]


def background_of(card_state: CardState) -> BackgroundRole:
    """The background for the most important state of a card."""
    if CardState.FOCUSED in card_state:
        return BackgroundRole.CURSOR if CardState.ACTIVE in card_state else BackgroundRole.BLURRED
    if CardState.HIGHLIGHTED in card_state:
        return BackgroundRole.HIGHLIGHT
    if CardState.MARKED in card_state:
        return BackgroundRole.MARKED
    return BackgroundRole.HOVER if CardState.HOVERED in card_state else BackgroundRole.PLAIN
