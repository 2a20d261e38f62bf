"""The symbols and colours of the board, from the variables of the theme.

Colour is never the only sign of a state: each one has a symbol or a word too, so the board can be read without
colours, with 16 colours, and in ASCII.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntFlag, StrEnum, auto

from rich.segment import Segment
from rich.style import Style
from textual.color import Color

from core.domain.model import ItemKind, PhaseState, Status
from core.errors import Blocker
from core.record import Record
from tui.drawing.theme import PERSON

Row = tuple[Segment, ...]
"""One line of a piece. Rows are compared by identity: the same object looks the same."""


class TextRole(StrEnum):
    """The foreground style of a text."""

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
    """With those below, the colours of labels; ``label_role`` chooses one."""
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


class BackgroundRole(StrEnum):
    """The background of a text."""

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


class Shade(Record, kw_only=False):
    """A colour of the theme, by the name of its variable."""

    variable: str
    alpha: float = 1.0
    """The part that is laid over the background, from 0 to 1."""
    bold: bool = False


TEXTS = {
    TextRole.TITLE: Shade("foreground"),
    TextRole.QUIET: Shade("foreground", 0.62),
    TextRole.FAINT: Shade("foreground", 0.26),
    TextRole.NAME: Shade("foreground", bold=True),
    TextRole.SECTION: Shade("foreground", 0.72, bold=True),
    TextRole.ACCENT: Shade("text-primary", bold=True),
    TextRole.DONE: Shade("text-success"),
    TextRole.SOON: Shade("text-warning"),
    TextRole.LATE: Shade("text-error"),
    TextRole.HERE: Shade("text-accent", bold=True),
    **{role: Shade(f"{PERSON}-{number}") for number, role in enumerate(PERSON_ROLES, 1)},
    **{role: Shade(role.replace("_", "-")) for role in TextRole if role.startswith("label")},
}

PLAIN = Shade("background")

BACKGROUNDS = {
    BackgroundRole.PLAIN: PLAIN,
    BackgroundRole.CURSOR: Shade("primary", 0.28, bold=True),
    BackgroundRole.BLURRED: Shade("foreground", 0.12),
    BackgroundRole.MARKED: Shade("primary", 0.12),
    BackgroundRole.HIGHLIGHT: Shade("success", 0.22),
    BackgroundRole.HOVER: Shade("foreground", 0.06),
    BackgroundRole.WEEKEND: Shade("foreground", 0.05),
}

SHOWN_WITHOUT_SHADES = (BackgroundRole.PLAIN, BackgroundRole.HIGHLIGHT)
"""The backgrounds that a terminal's own colours show. A faint one would be as strong as its text, without shades."""


READABLE = 4.5
"""The contrast of every text with its ground (WCAG 2.2, 1.4.3)."""

LINES = (TextRole.FAINT,)
"""The style of lines and signs that say nothing, which need no contrast."""

_STEPS = 20
"""The steps from a colour to black or white."""


def contrast(text: Color, ground: Color) -> float:
    """The contrast of two colours, from 1 to 21 (WCAG 2.2)."""
    lighter, darker = sorted((_luminance(text), _luminance(ground)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: Color) -> float:
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour.normalized
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def make_readable(text: Color, ground: Color) -> Color:
    """The first colour on the way from this one to black or white that can be read on a ground."""
    end = max((Color(0, 0, 0), Color(255, 255, 255)), key=lambda each: contrast(each, ground))
    way = (text.blend(end, step / _STEPS) for step in range(_STEPS))
    return next((each for each in way if contrast(each, ground) >= READABLE), end)


class Styles:
    """Symbols, and the style of each text on each background. A theme sets the variables."""

    def __init__(
        self, variables: Mapping[str, str], background: Color, *, ascii_only: bool = False, shades: bool = True
    ) -> None:
        """``variables`` are those of the theme, and ``background`` is that of the widget. Without ``shades`` the
        colours are the terminal's own."""
        self.signs = ASCII if ascii_only else UNICODE
        self.ellipsis = "~" if ascii_only else "…"
        self._made_of = (self.signs, variables, background, shades)
        self._variables = variables
        self._background = background
        self._shades = shades
        self._blanks: dict[int, Row] = {}
        self._styles: dict[tuple[TextRole, BackgroundRole], Style] = {}

    def __eq__(self, other: object) -> bool:
        """Compare symbols and colours. After a change of focus or of an unrelated rule, cached pieces stay valid."""
        return isinstance(other, Styles) and self._made_of == other._made_of

    __hash__ = None  # type: ignore[assignment]

    def style(self, text_role: TextRole, background: BackgroundRole = BackgroundRole.PLAIN) -> Style:
        """The style of a text, made at the first use."""
        style = self._styles.get((text_role, background))
        if style is None:
            style = self._styles[text_role, background] = self._make_style(text_role, background)
        return style

    def _make_style(self, text_role: TextRole, background: BackgroundRole) -> Style:
        over, under = TEXTS[text_role], BACKGROUNDS[background]
        bold = over.bold or (text_role is TextRole.TITLE and under.bold)
        if not self._shades:
            if background not in SHOWN_WITHOUT_SHADES:
                under = PLAIN
            if under is not PLAIN:  # the terminal's own colours can be anything, and one on another unreadable
                over = TEXTS[TextRole.TITLE]
        text, ground = self._colour(over), self._colour(under)
        if text_role not in LINES and text.ansi is None and ground.ansi is None:
            text = make_readable(text, ground)
        return Style(color=text.rich_color, bgcolor=ground.rich_color, bold=bold or None)

    def _colour(self, shade: Shade) -> Color:
        return self._background + Color.parse(self._variables[shade.variable]).multiply_alpha(shade.alpha)

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
