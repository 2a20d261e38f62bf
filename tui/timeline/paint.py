"""One line of the Timeline as segments: the name at the left, and the bar or the due date over the days."""

from __future__ import annotations

from collections import Counter
from itertools import groupby

from rich.cells import cell_len
from rich.segment import Segment

from core.domain.canvas import Card
from core.domain.model import ItemKind, PhaseState, Status
from core.domain.statuses import CLOSED
from core.text.sanitize import initials
from tui.board.heads import STATE_ROLE
from tui.drawing.cells import fit
from tui.drawing.rows import Word, cells, join_words, one_line, others_here, people, row
from tui.drawing.styles import BackgroundRole, Row, Styles, TextRole
from tui.timeline.brush import ROOMY, Cells, RenderContext, due_words, fill, gate_role, point_outside, put, runs, write
from tui.timeline.project_lines import TimelineProject, draw_project, project_label
from tui.timeline.rows import AnyLine, TimelineCard, TimelinePhase
from tui.timeline.scale import labels

LEAST_TITLE = 10
"""Fewest cells in which a title is cut beside its dot; with fewer, only the people are there."""
NARROW = 24
"""Fewest cells of the names to show the date too."""


def axis(brush: RenderContext, title: str) -> tuple[Row, Row, Row]:
    """The lines over the days: two of labels, and one with a sign at today."""
    upper, lower = labels(brush.scale)
    marks, look = brush.marks, brush.look
    rule: Cells = [(marks.rule, TextRole.FAINT) for _ in range(brush.scale.width)]
    if brush.scale.shows(brush.today):
        write(rule, brush.scale.x(brush.today), f"{marks.now} today", TextRole.ACCENT)
    blank: Word = (" " * brush.label, TextRole.QUIET)
    left = row(look, BackgroundRole.PLAIN, brush.label, [(f"  {title}", TextRole.QUIET)])
    days: Cells = [(sign, TextRole.QUIET) for sign in lower]
    return (
        join_words(look, BackgroundRole.PLAIN, [blank, (upper, TextRole.SECTION), (" ", TextRole.QUIET)]),
        (*left, *_over_days(look, days, BackgroundRole.PLAIN, brush.scale.weekends)),
        join_words(look, BackgroundRole.PLAIN, runs([(marks.rule * brush.label, TextRole.FAINT), *rule])),
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
    brush: RenderContext, line: AnyLine, background: BackgroundRole, bar: Word, marked: bool, online: str
) -> Row:
    """The left part of a line: sign, name, date, and the people on it. In a narrow window the date is left out, because
    it is visible over the days."""
    if isinstance(line, TimelineProject):
        left, right = project_label(brush, line)
    else:
        left, right = _phase_label(brush, line) if isinstance(line, TimelinePhase) else _card_label(brush, line, marked)
    others = others_here(brush.look, online)
    here: list[Word] = [(" ", TextRole.QUIET), *others] if others else []
    *done, due = right
    has_no_room = brush.label < NARROW or (here and cells([*here, due]) > brush.label // 2 - 1)
    return row(brush.look, background, brush.label, [bar, *left], here if has_no_room else [*done, *here, due])


def days_row(brush: RenderContext, line: AnyLine, background: BackgroundRole) -> Row:
    """The right part of a line: its dates."""
    cells = _only_today(brush)
    if isinstance(line, TimelineProject):
        draw_project(brush, line, cells)
    elif isinstance(line, TimelinePhase):
        _draw_phase(brush, line, cells)
    else:
        _draw_card(brush, line, cells)
    return _over_days(brush.look, cells, background, brush.weekends)


def _over_days(look: Styles, cells: Cells, background: BackgroundRole, weekends: frozenset[int]) -> Row:
    """The cells of a line, with the weekends shaded where the line has no background of its own."""
    if background is not BackgroundRole.PLAIN or not weekends:
        return join_words(look, background, runs(cells))
    row: list[Segment] = []
    for is_weekend, xs in groupby(range(len(cells)), key=weekends.__contains__):
        under = BackgroundRole.WEEKEND if is_weekend else background
        row += join_words(look, under, runs([cells[x] for x in xs], margin=""))
    return (*row, *join_words(look, background, [(" ", TextRole.QUIET)]))


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
    return left, [done, *due_words(brush, line.due, moved, late, state is PhaseState.COMPLETE)]


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
    return left, due_words(brush, card.due, line.ghost, line.is_late(brush.today), closed)


def _draw_phase(brush: RenderContext, line: TimelinePhase, cells: Cells) -> None:
    if line.due is None or line.start is None:
        _draw_undated_phase(brush, line, cells)
        return
    scale, marks = brush.scale, brush.marks
    start, end = scale.x(line.start), scale.x(line.due)
    if line.ghost:
        fill(cells, start, end, marks.was, TextRole.FAINT)
        start, end = (scale.x(day) for day in line.ghost)
        fill(cells, start, end, marks.ghost, TextRole.SOON)
        put(cells, end, marks.gate, TextRole.SOON)
    else:
        text_role = brush.bar_role(line.column.state, line.due)
        done = _done_cells(line, end - start)
        fill(cells, start, start + done, marks.full, TextRole.DONE)
        fill(cells, start + done, end, marks.rest, text_role)
        _draw_ticks(brush, line, cells)
        if text_role is TextRole.LATE:
            fill(cells, end + 1, scale.x(brush.today), marks.late, TextRole.LATE)
        put(cells, end, marks.gate, gate_role(text_role))
    point_outside(brush, cells, min(start, end), max(start, end))


def _draw_undated_phase(brush: RenderContext, line: TimelinePhase, cells: Cells) -> None:
    """A phase without a date spans the days on which its cards are due, without the gate that ends a dated one."""
    if not line.ticks:
        return
    start, end = (brush.scale.x(line.ticks[place][0]) for place in (0, -1))
    fill(cells, start, end, brush.marks.rest, TextRole.QUIET)
    _draw_ticks(brush, line, cells)
    point_outside(brush, cells, start, end)


def _draw_ticks(brush: RenderContext, line: TimelinePhase, cells: Cells) -> None:
    """The days on which open cards of the phase are due."""
    in_cells: Counter[int] = Counter()
    for day, number in line.ticks:
        in_cells[brush.scale.x(day)] += number
    for x, count in in_cells.items():
        role = TextRole.LATE if x < brush.scale.x(brush.today) else TextRole.TITLE
        put(cells, x, brush.marks.tick if count == 1 else brush.marks.ticks, role)


def legend_row(brush: RenderContext, line: AnyLine, width: int) -> Row:
    """The signs over the days with their meaning, as many as fit. ``line`` is one of those above."""
    marks = brush.marks
    words: list[Word] = []
    of_phases = (
        (marks.full, TextRole.DONE, "done"),
        (marks.rest, TextRole.ACCENT, "to do"),
        (marks.gate, TextRole.ACCENT, "end of the phase"),
        (marks.late, TextRole.LATE, "late"),
    )
    of_cards = (
        (marks.tick, TextRole.TITLE, "card due"),
        (marks.ticks, TextRole.TITLE, "several due, or one on its line"),
        (f"{marks.after}{marks.waits}{marks.arrow}", TextRole.QUIET, "waits until then"),
    )
    for sign, role, meaning in of_phases if isinstance(line, TimelineProject) else (*of_phases, *of_cards):
        more: list[Word] = [("  ", TextRole.QUIET), (sign, role), (f" {meaning}", TextRole.QUIET)]
        if cells([*words, *more]) > width:
            break
        words += more
    return row(brush.look, BackgroundRole.PLAIN, width, words)


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
        put(cells, x, marks.was, TextRole.QUIET)
        x, text_role = scale.x(line.ghost), TextRole.SOON
    late = line.earliest is not None and line.earliest > (line.ghost or due)
    if line.earliest is not None:
        _draw_arrow(brush, cells, scale.x(line.earliest), x, TextRole.LATE if late else TextRole.FAINT)
    put(cells, x, marks.due, text_role)
    names = people([initials(brush.members[each].name) for each in line.card.assignee_ids if each in brush.members], 2)
    room = len(cells) - x - 3 - (cell_len(names) + 1 if names else 0)
    title = one_line(line.card.title)
    beside = fit(title, room, mark=brush.look.ellipsis) if room >= min(LEAST_TITLE, cell_len(title)) else ""
    write(cells, x + 2, beside, TextRole.QUIET if line.card.status in CLOSED else TextRole.TITLE)
    write(cells, x + 2 + (cell_len(beside) + 1 if beside else 0), names, TextRole.QUIET)
    point_outside(brush, cells, x, x)


def _draw_arrow(brush: RenderContext, cells: Cells, start: int, end: int, text_role: TextRole) -> None:
    """The arrow to the due date of a card from the day on which it can be due at the earliest."""
    marks = brush.marks
    fill(cells, min(start, end), max(start, end), marks.waits, text_role)
    put(cells, start, marks.after, text_role)
    if start < end - 1:
        put(cells, end - 1, marks.arrow, text_role)


def _card_role(card: Card, late: bool) -> TextRole:
    if card.status in CLOSED:
        return TextRole.DONE if card.status is Status.COMPLETED else TextRole.FAINT
    return TextRole.LATE if late else TextRole.ACCENT
