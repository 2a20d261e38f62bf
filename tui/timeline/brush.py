"""The cells over the days of the Timeline: one sign and its role for each, and how signs are put into them."""

from __future__ import annotations

from datetime import date

from rich.cells import cell_len

from core.domain.canvas import CanvasMember
from core.domain.model import Id, PhaseState
from core.record import Record
from core.text.dates import format_due, in_short
from tui.drawing.rows import Word
from tui.drawing.styles import ASCII, Styles, TextRole
from tui.timeline.scale import Scale

NO_DATE = "no date"
ROOMY = 36
"""Fewest cells of the names to show the progress too."""


class TimelineSymbols(Record, kw_only=False):
    """The signs over the days; each is one cell wide."""

    full: str = "━"
    rest: str = "─"
    late: str = "╌"
    after: str = "╰"
    """The day from which a card that waits can be due, with the line and the arrow to its due date."""
    waits: str = "┄"
    arrow: str = "▶"
    gate: str = "◆"
    due: str = "●"
    tick: str = "•"
    ticks: str = "●"
    """Several due dates in one cell; the sentence about the cursor's line has the numbers."""
    today: str = "│"
    now: str = "▼"
    rule: str = "─"
    ghost: str = "═"
    was: str = "·"
    to: str = "→"
    folded: str = "▸"
    unfolded: str = "▾"


PLAIN = TimelineSymbols(
    full="#", rest="=", late="~", after="`", waits=".", arrow=">",
    gate="X", due="o", tick="'", ticks='"', today="|", now="v", rule="-", ghost=":",
    was=".", to=">", folded="+", unfolded="-",
)  # fmt: skip


class RenderContext(Record, kw_only=False):
    """The values that all lines of one frame are drawn with."""

    look: Styles
    scale: Scale
    today: date
    members: dict[Id, CanvasMember]
    label: int
    """Cells of the names at the left."""
    weekends: frozenset[int]
    """The cells that are shaded in every line."""

    @property
    def marks(self) -> TimelineSymbols:
        return PLAIN if self.look.signs is ASCII else TimelineSymbols()

    def bar_role(self, state: PhaseState, due: date) -> TextRole:
        """The role of the bar of a phase. The Timeline of one project and that of all projects draw it the same."""
        if due < self.today and state is not PhaseState.COMPLETE:
            return TextRole.LATE
        return {PhaseState.OPEN: TextRole.ACCENT, PhaseState.LOCKED: TextRole.FAINT}.get(state, TextRole.DONE)


Cells = list[Word]
"""One sign and its role per cell."""


def gate_role(bar: TextRole) -> TextRole:
    """The role of a gate: that of its bar, except that the gate of a locked phase is easier to see."""
    return TextRole.QUIET if bar is TextRole.FAINT else bar


def point_outside(brush: RenderContext, cells: Cells, first: int, last: int) -> None:
    """Draw a sign at an edge if the whole bar or date is beyond it."""
    signs = brush.look.signs
    if last < 0:
        put(cells, 0, signs.left, TextRole.ACCENT)
    elif first >= len(cells):
        put(cells, len(cells) - 1, signs.right, TextRole.ACCENT)


def runs(cells: Cells, margin: str = " ") -> Cells:
    """Join cells of the same role into words, because the cost of ``joined`` depends on their number."""
    words: Cells = []
    run, text_role = "", TextRole.QUIET
    for sign, its in cells:
        if its is text_role or sign == " ":
            run += sign
        else:
            words.append((run, text_role))
            run, text_role = sign, its
    return [*words, (run + margin, text_role)]


def put(cells: Cells, x: int, sign: str, text_role: TextRole) -> None:
    if 0 <= x < len(cells):
        cells[x] = (sign, text_role)


def fill(cells: Cells, start: int, end: int, sign: str, text_role: TextRole) -> None:
    start, end = max(0, start), min(end, len(cells))
    if start < end:
        cells[start:end] = [(sign, text_role)] * (end - start)


def write(cells: Cells, x: int, text: str, text_role: TextRole) -> None:
    """Write a text from cell ``x`` on, if all of it fits: the first cell has it, and the cells after it are empty."""
    end = x + cell_len(text)
    if text and x >= 0 and end <= len(cells):
        cells[x:end] = [(text, text_role), *[("", text_role)] * (end - x - 1)]


def due_words(brush: RenderContext, due: date | None, moved: date | None, late: bool, done: bool) -> list[Word]:
    """The due date; while a move is previewed the date before, if there is room for it, and the date after."""
    if due is None:
        return [(f" {NO_DATE}", TextRole.QUIET)]
    if moved is not None:
        before, after = (in_short(day, brush.today) for day in (due, moved))
        return [(f" {before}", TextRole.QUIET), (f" {brush.marks.to} {after}", TextRole.SOON)]
    shown = (in_short if done else format_due)(due, brush.today)
    return [(f" {shown:>{9 if brush.label >= ROOMY else 0}}", TextRole.LATE if late else TextRole.QUIET)]
