"""Headers: of a column (name, state, progress, due date, people, and a line under them) and of a section."""

from __future__ import annotations

from rich.cells import cell_len

from core.domain.canvas import PhaseColumn
from core.domain.model import Gate, GateState, PhaseState
from core.domain.readiness import ReadinessState
from core.record import Record
from core.text.dates import format_due, in_short
from tui.board.cards import DrawingSettings, due_role
from tui.board.grouping import StatusColumn
from tui.board.heads.phase_summary import NO_TEXTS, SummaryLines, about_rows
from tui.drawing.cells import fit
from tui.drawing.people import BLANK
from tui.drawing.rows import Word, cells, listed, one_line, progress_bar, row, spread
from tui.drawing.styles import BackgroundRole, CardState, Row, TextRole, background_of
from tui.wording.own_fields import sum_words

STATE_ROLE = {PhaseState.LOCKED: TextRole.QUIET, PhaseState.OPEN: TextRole.SOON, PhaseState.COMPLETE: TextRole.DONE}


class HeaderGeometry(Record, kw_only=False):
    """The size and the state that a column's header is drawn with, besides its phase."""

    width: int
    lines: int
    current: bool
    hidden_left: int
    hidden_right: int
    card_state: CardState
    text_lines: int = 0
    """Lines that are reserved for the summary of a phase."""
    texts: SummaryLines = NO_TEXTS
    """The lines of each text of this phase."""
    ready: int | None = None
    """The cards that can start now; None where no card of the phase waits, so that the To Do ones can."""


def head_rows(setting: DrawingSettings, phase: PhaseColumn, place: HeaderGeometry) -> tuple[Row, ...]:
    """The header of a phase in ``place.lines`` lines; the last one is the line under it."""
    lines, most = [_name(setting, phase, place)], place.lines - place.text_lines
    if most >= 4:
        lines += [_progress(setting, phase, place), _meta(setting, phase, place)]
    elif most == 3:
        lines.append(_short(setting, phase, place))
    lines = lines[: max(0, most - 1)] + about_rows(setting, phase, place.texts, place.width)
    lines += [setting.look.blank(place.width)] * (place.lines - 1 - len(lines))
    return (*lines, _rule(setting, place))[: place.lines]


def status_rows(setting: DrawingSettings, column: StatusColumn, count: int, place: HeaderGeometry) -> tuple[Row, ...]:
    """The header of a status: its name, the number of its cards, and the line under them."""
    name = (f" {column.name} ", TextRole.ACCENT if place.current else TextRole.NAME)
    line = row(setting.look, background_of(place.card_state), place.width, [name, (str(count), TextRole.QUIET)])
    return (line, _rule(setting, place))[: place.lines]


def _name(setting: DrawingSettings, phase: PhaseColumn, place: HeaderGeometry) -> Row:
    signs = setting.look.signs
    text_role = TextRole.ACCENT if place.current else TextRole.NAME
    if CardState.DRAGGED in place.card_state:
        text_role = TextRole.QUIET
    state: Word = (f"{signs.state(phase.state)} {phase.state.value.lower()}", STATE_ROLE[phase.state])
    left: list[Word] = [(f" {phase.number} ", TextRole.QUIET), (one_line(phase.name), text_role)]
    return row(setting.look, background_of(place.card_state), place.width, left, [state])


def _progress(setting: DrawingSettings, phase: PhaseColumn, place: HeaderGeometry) -> Row:
    count = f" {phase.tally.done}/{phase.tally.total}"
    bar = progress_bar(setting.look, phase.tally, place.width - 2 - len(count))
    return row(setting.look, BackgroundRole.PLAIN, place.width, [(" ", TextRole.QUIET), *bar, (count, TextRole.QUIET)])


def _meta(setting: DrawingSettings, phase: PhaseColumn, place: HeaderGeometry) -> Row:
    """The facts, then the people as far as they fit: an override must stay visible."""
    facts = listed(setting.look, _facts(setting, phase, place.ready, place.width - 2), place.width - 2)
    people = setting.team.words(phase.member_ids, place.width - 4 - cells(facts), setting.look.ellipsis)
    return spread(setting.look, BackgroundRole.PLAIN, place.width, [BLANK, *facts], people)


def _short(setting: DrawingSettings, phase: PhaseColumn, place: HeaderGeometry) -> Row:
    """Progress and facts on one line."""
    bar = progress_bar(setting.look, phase.tally, max(4, place.width // 5))
    count: Word = (f" {phase.tally.done}/{phase.tally.total}", TextRole.QUIET)
    room = place.width - 2 - cells(bar)
    between = cells(listed(setting.look, [count, BLANK]))
    facts = listed(setting.look, [count, *_facts(setting, phase, place.ready, room - between)], room)
    return row(setting.look, BackgroundRole.PLAIN, place.width, [(" ", TextRole.QUIET), *bar, *facts])


def _facts(setting: DrawingSettings, phase: PhaseColumn, ready: int | None, room: int) -> list[Word]:
    """The facts of a phase, the most urgent ones first; from the end, those that do not fit are left out."""
    words: list[Word] = []
    if phase.overridden:
        words.append(("overridden", TextRole.SOON))
    if phase.gate_state is GateState.SENT_BACK:
        words.append(("sent back", TextRole.LATE))
    if phase.missing.at_gate:
        words.append((_that_fits(setting, phase, words, room), TextRole.ACCENT))
    elif phase.missing.hold and phase.state is not PhaseState.COMPLETE:
        words.append(("on hold", TextRole.SOON))
    elif phase.gate_state is GateState.UNDECIDED and phase.state is not PhaseState.COMPLETE:
        words.append(("waits for an approval", TextRole.SOON))
    if ready is not None:
        words.append((f"{ready} ready", TextRole.QUIET))
    if phase.due is not None and phase.state is not PhaseState.COMPLETE:
        shown, text_role = format_due(phase.due, setting.today), due_role(phase.due, setting.today)
        words.append((shown if text_role is TextRole.LATE else f"due {shown}", text_role))
    if phase.gate_state is GateState.PASSED:
        words.append(("approved", TextRole.DONE))
    elif phase.gate is Gate.REVIEW and phase.gate_state is not GateState.SENT_BACK and not phase.missing.at_gate:
        words.append(("review", TextRole.QUIET))
        if phase.state is PhaseState.OPEN and phase.missing.missing:
            words.append((_that_fits(setting, phase, words, room), TextRole.QUIET))
    if phase.due is not None and phase.state is PhaseState.COMPLETE:
        words.append((f"due {in_short(phase.due, setting.today)}", TextRole.QUIET))
    return [*words, *((sum_words(each), TextRole.QUIET) for each in phase.sums)]


LEAST_OF_POINT = 8
"""The fewest cells of a point that say something."""


def _that_fits(setting: DrawingSettings, phase: PhaseColumn, before: list[Word], room: int) -> str:
    """The points that are missing at the gate, in the longest form that fits after these words."""
    forms = phase.missing.forms(setting.deciders)
    left = room - cells(listed(setting.look, [*before, ("", TextRole.QUIET)]))
    if phase.missing.state is ReadinessState.NOT_READY and left > cell_len(forms[-1]) + LEAST_OF_POINT:
        return fit(forms[-2], left, mark=setting.look.ellipsis)  # a part of the first point is better than none
    return next((form for form in forms if cell_len(form) <= left), forms[-1])


def _rule(setting: DrawingSettings, place: HeaderGeometry) -> Row:
    """The line under a header. The first and the last one also show the number of columns beyond the edge."""
    signs = setting.look.signs
    sign, text_role = (signs.full, TextRole.ACCENT) if place.current else (signs.rest, TextRole.FAINT)
    left = f" {signs.left} {place.hidden_left} " if place.hidden_left else ""
    right = f" {place.hidden_right} {signs.right} " if place.hidden_right else ""
    middle = sign * (place.width - len(left) - len(right))
    words: list[Word] = [(left, TextRole.TITLE), (middle, text_role), (right, TextRole.TITLE)]
    return row(setting.look, BackgroundRole.PLAIN, place.width, words, margin=0)


def section_row(setting: DrawingSettings, title: str, count: int, hidden: int, width: int, dropping: bool) -> Row:
    """``To Do 3``, and after it ``+2 ▸`` for tasks in folds; the drop line while a card is dragged to its top."""
    number, inside = f"{count} " if title else "", f"+{hidden} {setting.look.signs.folded} " if hidden else ""
    title = fit(one_line(title), width - len(number) - len(inside) - 2, mark=setting.look.ellipsis)
    words: list[Word] = [
        (f" {title} ", TextRole.SECTION if count else TextRole.QUIET),
        (number, TextRole.QUIET if count else TextRole.FAINT),
        (inside, TextRole.QUIET),
    ]
    if dropping:
        words.append((setting.look.signs.full * (width - cells(words)), TextRole.ACCENT))
    return row(setting.look, BackgroundRole.PLAIN, width, words, margin=0)


def note_row(setting: DrawingSettings, text: str, width: int, card_state: CardState) -> Row:
    """The text of an empty column or board, with the cursor's bar on an empty column that is focused."""
    bar = setting.look.signs.bar if CardState.FOCUSED in card_state else " "
    text = text.replace("·", setting.look.signs.dot)
    words: list[Word] = [(bar, TextRole.ACCENT), (text, TextRole.QUIET)]
    return row(setting.look, background_of(card_state), width, words)
