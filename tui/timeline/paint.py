"""One line of the Timeline as segments: the name at the left, and the bar or the due date over the days."""

from __future__ import annotations

from collections import Counter
from datetime import date
from itertools import groupby

from rich.cells import cell_len
from rich.segment import Segment

from core.domain.canvas import CanvasMember, Card
from core.domain.model import Id, ItemKind, PhaseState, Status
from core.domain.statuses import CLOSED
from core.record import Record
from core.text.dates import format_due, in_short
from core.text.sanitize import initials
from tui.board.heads.headers import STATE_ROLE
from tui.drawing.cells import fit
from tui.drawing.rows import Word, cells, joined, one_line, others_here, people, row
from tui.drawing.styles import ASCII, BackgroundRole, Row, Styles, TextRole
from tui.timeline.rows import TimeLine, TimelineCard, TimelinePhase
from tui.timeline.scale import Scale, labels

NO_DATE = "no date"
LEAST_TITLE = 10
"""Fewest cells in which a title is cut beside its dot; with fewer, only the people are there."""
NARROW, ROOMY = 24, 36
"""Fewest cells of the names to show the date too, and to show the progress too."""


class TimelineSymbols(Record, kw_only=False):
    """The signs over the days; each is one cell wide."""

    full: str = "━"
    rest: str = "─"
    late: str = "╌"
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
    full="#", rest="=", late="~", gate="X", due="o", tick="'", ticks='"', today="|", now="v", rule="-", ghost=":",
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


Cells = list[Word]
"""One sign and its role per cell."""


def axis(brush: RenderContext, title: str) -> tuple[Row, Row, Row]:
    """The lines over the days: two of labels, and one with a sign at today."""
    upper, lower = labels(brush.scale)
    marks, look = brush.marks, brush.look
    rule: Cells = [(marks.rule, TextRole.FAINT) for _ in range(brush.scale.width)]
    if brush.scale.shows(brush.today):
        _write(rule, brush.scale.x(brush.today), f"{marks.now} today", TextRole.ACCENT)
    blank: Word = (" " * brush.label, TextRole.QUIET)
    left = row(look, BackgroundRole.PLAIN, brush.label, [(f"  {title}", TextRole.QUIET)])
    days: Cells = [(sign, TextRole.QUIET) for sign in lower]
    return (
        joined(look, BackgroundRole.PLAIN, [blank, (upper, TextRole.SECTION), (" ", TextRole.QUIET)]),
        (*left, *_over_days(look, days, BackgroundRole.PLAIN, brush.scale.weekends)),
        joined(look, BackgroundRole.PLAIN, _runs([(marks.rule * brush.label, TextRole.FAINT), *rule])),
    )


def today_row(brush: RenderContext) -> Row:
    """A line below the last one, with only the sign of today."""
    return (
        *row(brush.look, BackgroundRole.PLAIN, brush.label, []),
        *_over_days(brush.look, _only_today(brush), BackgroundRole.PLAIN, brush.weekends),
    )


def _only_today(brush: RenderContext) -> Cells:
    cells: Cells = [(" ", TextRole.QUIET)] * brush.scale.width
    if brush.scale.shows(brush.today):
        cells[brush.scale.x(brush.today)] = (brush.marks.today, TextRole.ACCENT)
    return cells


def name_row(
    brush: RenderContext, line: TimeLine, background: BackgroundRole, bar: Word, marked: bool, online: str
) -> Row:
    """The left part of a line: sign, name, date, and the people on it. In a narrow window the date is left out, because
    it is visible over the days."""
    left, right = _phase_label(brush, line) if isinstance(line, TimelinePhase) else _card_label(brush, line, marked)
    others = others_here(brush.look, online)
    here: list[Word] = [(" ", TextRole.QUIET), *others] if others else []
    *done, due = right
    has_no_room = brush.label < NARROW or (here and cells([*here, due]) > brush.label // 2 - 1)
    return row(brush.look, background, brush.label, [bar, *left], here if has_no_room else [*done, *here, due])


def days_row(brush: RenderContext, line: TimeLine, background: BackgroundRole) -> Row:
    """The right part of a line: its dates."""
    cells = _only_today(brush)
    if isinstance(line, TimelinePhase):
        _draw_phase(brush, line, cells)
    else:
        _draw_card(brush, line, cells)
    return _over_days(brush.look, cells, background, brush.weekends)


def _over_days(look: Styles, cells: Cells, background: BackgroundRole, weekends: frozenset[int]) -> Row:
    """The cells of a line, with the weekends shaded where the line has no background of its own."""
    if background is not BackgroundRole.PLAIN or not weekends:
        return joined(look, background, _runs(cells))
    row: list[Segment] = []
    for is_weekend, xs in groupby(range(len(cells)), key=weekends.__contains__):
        under = BackgroundRole.WEEKEND if is_weekend else background
        row += joined(look, under, _runs([cells[x] for x in xs], margin=""))
    return (*row, *joined(look, background, [(" ", TextRole.QUIET)]))


def _phase_label(brush: RenderContext, line: TimelinePhase) -> tuple[list[Word], list[Word]]:
    marks, state = brush.marks, line.column.state
    fold = (marks.unfolded if line.unfolded else marks.folded) if line.cards else " "
    late = line.is_late(brush.today)
    left = [
        (f"{fold} ", TextRole.QUIET),
        (f"{brush.look.signs.state(state)} ", TextRole.LATE if late else STATE_ROLE[state]),
        (f"{line.column.number} ", TextRole.QUIET),
        (one_line(line.column.name), TextRole.NAME if state is PhaseState.OPEN else TextRole.TITLE),
    ]
    tally = line.column.tally
    done: Word = (f" {tally.done}/{tally.total}" if brush.label >= ROOMY else "", TextRole.QUIET)
    moved = line.ghost[1] if line.ghost and line.ghost[1] != line.due else None
    return left, [done, *_due_words(brush, line.due, moved, late, state is PhaseState.COMPLETE)]


def _card_label(brush: RenderContext, line: TimelineCard, marked: bool) -> tuple[list[Word], list[Word]]:
    card, signs = line.card, brush.look.signs
    closed = card.status in CLOSED
    sign = signs.of(card.status, card.kind is ItemKind.ACTIVITY)
    indent = f"  {signs.mark} " if marked else "    "
    left = [
        (indent, TextRole.ACCENT),
        (f"{sign} ", TextRole.DONE if card.status is Status.COMPLETED else TextRole.QUIET),
        (one_line(card.title), TextRole.QUIET if closed else TextRole.TITLE),
    ]
    return left, _due_words(brush, card.due, line.ghost, line.is_late(brush.today), closed)


def _due_words(brush: RenderContext, due: date | None, moved: date | None, late: bool, done: bool) -> list[Word]:
    """The due date; while a move is previewed the date before, if there is room for it, and the date after."""
    if due is None:
        return [(f" {NO_DATE}", TextRole.QUIET)]
    if moved is not None:
        before, after = (in_short(day, brush.today) for day in (due, moved))
        return [(f" {before}", TextRole.QUIET), (f" {brush.marks.to} {after}", TextRole.SOON)]
    shown = (in_short if done else format_due)(due, brush.today)
    return [(f" {shown:>{9 if brush.label >= ROOMY else 0}}", TextRole.LATE if late else TextRole.QUIET)]


def _draw_phase(brush: RenderContext, line: TimelinePhase, cells: Cells) -> None:
    if line.due is None or line.start is None:
        return
    scale, marks = brush.scale, brush.marks
    start, end = scale.x(line.start), scale.x(line.due)
    if line.ghost:
        _fill(cells, start, end, marks.was, TextRole.FAINT)
        start, end = (scale.x(day) for day in line.ghost)
        _fill(cells, start, end, marks.ghost, TextRole.SOON)
        _put(cells, end, marks.gate, TextRole.SOON)
    else:
        late, state = line.is_late(brush.today), line.column.state
        text_role = (
            TextRole.LATE
            if late
            else {PhaseState.OPEN: TextRole.ACCENT, PhaseState.LOCKED: TextRole.FAINT}.get(state, TextRole.DONE)
        )
        done = _done_cells(line, end - start)
        _fill(cells, start, start + done, marks.full, TextRole.DONE)
        _fill(cells, start + done, end, marks.rest, text_role)
        for x, count in Counter(map(scale.x, line.ticks)).items():
            _put(
                cells,
                x,
                marks.tick if count == 1 else marks.ticks,
                TextRole.LATE if x < scale.x(brush.today) else TextRole.TITLE,
            )
        if late:
            _fill(cells, end + 1, scale.x(brush.today), marks.late, TextRole.LATE)
        _put(cells, end, marks.gate, TextRole.QUIET if text_role is TextRole.FAINT else text_role)
    _point_outside(brush, cells, min(start, end), max(start, end))


def _done_cells(line: TimelinePhase, length: int) -> int:
    """Cells of the done part: all only if the phase is complete, and at least one if a card is done."""
    tally = line.column.tally
    if line.column.state is PhaseState.COMPLETE:
        return max(0, length)
    done = round(tally.progress * length)
    return max(0, min(max(1, done), length - 1)) if tally.done else 0


def _draw_card(brush: RenderContext, line: TimelineCard, cells: Cells) -> None:
    due, scale, marks = line.card.due, brush.scale, brush.marks
    if due is None:
        return
    text_role = _card_role(line.card, line.is_late(brush.today))
    x = scale.x(due)
    if line.ghost:
        _put(cells, x, marks.was, TextRole.QUIET)
        x, text_role = scale.x(line.ghost), TextRole.SOON
    _put(cells, x, marks.due, text_role)
    names = people([initials(brush.members[each].name) for each in line.card.assignee_ids if each in brush.members], 2)
    room = len(cells) - x - 3 - (cell_len(names) + 1 if names else 0)
    title = one_line(line.card.title)
    beside = fit(title, room, mark=brush.look.ellipsis) if room >= min(LEAST_TITLE, cell_len(title)) else ""
    _write(cells, x + 2, beside, TextRole.QUIET if line.card.status in CLOSED else TextRole.TITLE)
    _write(cells, x + 2 + (cell_len(beside) + 1 if beside else 0), names, TextRole.QUIET)
    _point_outside(brush, cells, x, x)


def _card_role(card: Card, late: bool) -> TextRole:
    if card.status in CLOSED:
        return TextRole.DONE if card.status is Status.COMPLETED else TextRole.FAINT
    return TextRole.LATE if late else TextRole.ACCENT


def _point_outside(brush: RenderContext, cells: Cells, first: int, last: int) -> None:
    """Draw a sign at an edge if the whole bar or date is beyond it."""
    signs = brush.look.signs
    if last < 0:
        _put(cells, 0, signs.left, TextRole.ACCENT)
    elif first >= len(cells):
        _put(cells, len(cells) - 1, signs.right, TextRole.ACCENT)


def _runs(cells: Cells, margin: str = " ") -> Cells:
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


def _put(cells: Cells, x: int, sign: str, text_role: TextRole) -> None:
    if 0 <= x < len(cells):
        cells[x] = (sign, text_role)


def _fill(cells: Cells, start: int, end: int, sign: str, text_role: TextRole) -> None:
    for x in range(max(0, start), min(end, len(cells))):
        cells[x] = (sign, text_role)


def _write(cells: Cells, x: int, text: str, text_role: TextRole) -> None:
    """Write a text from cell ``x`` on, if all of it fits: the first cell has it, and the cells after it are empty."""
    end = x + cell_len(text)
    if text and x >= 0 and end <= len(cells):
        cells[x:end] = [(text, text_role), *[("", text_role)] * (end - x - 1)]
