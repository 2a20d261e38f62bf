"""Heads: of a column (name, state, progress, due date, people, summary) and of a section, and folded phases."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from rich.cells import cell_len, split_graphemes

from core.domain.canvas import PhaseColumn
from core.domain.model import Gate, GateState, Id, PhaseState
from core.domain.readiness import ReadinessState
from core.domain.view_settings import PhaseSection, ViewSettings
from core.record import Record
from core.text.dates import format_due, in_short
from tui.board.cards import DrawingSettings, due_role
from tui.board.grouping import Column, StatusColumn
from tui.drawing.cells import fit
from tui.drawing.people import BLANK
from tui.drawing.rows import Word, cells, list_words, one_line, progress_bar, row, spread, wrap_text
from tui.drawing.styles import BackgroundRole, CardState, Row, TextRole, background_of
from tui.wording.custom_fields import sum_words

MAX_TEXT = 3
"""Most lines of objectives or of outcomes."""

MAX_NAMED = 4
"""Most deliverables that are listed."""

PARTS = (PhaseSection.OBJECTIVES, PhaseSection.DELIVERABLES, PhaseSection.OUTCOMES)
OBJECTIVES_OUTCOMES = {PhaseSection.OBJECTIVES: "Objectives", PhaseSection.OUTCOMES: "Outcomes"}
"""Labels of the texts."""


class SummaryLines(NamedTuple):
    """The number of lines of each text."""

    objectives: int = 0
    deliverables: int = 0
    outcomes: int = 0

    def within(self, lines: int) -> SummaryLines:
        """As many of these as fit in ``lines``; the longest text is shortened first."""
        over = sum(self) - lines
        if over <= 0:
            return self
        given = list(self)
        for _ in range(over):
            given[given.index(max(given))] -= 1
        return SummaryLines(*given)


NO_TEXTS = SummaryLines()


def shows_texts(viewing: ViewSettings) -> bool:
    """True if the view settings show any text of the summary."""
    return any(part in PARTS for part in viewing.sections)


def texts_of(columns: Iterable[Column], viewing: ViewSettings, width: int) -> dict[Id, SummaryLines]:
    """The number of lines that each phase needs in columns of ``width`` cells."""

    def lines(part: PhaseSection, phase: PhaseColumn) -> int:
        if part not in viewing.sections:
            return 0
        if part is PhaseSection.DELIVERABLES:
            return min(len(phase.promised), MAX_NAMED)
        label, text = OBJECTIVES_OUTCOMES[part], phase.objectives if part is PhaseSection.OBJECTIVES else phase.outcomes
        return len(wrap_text(f"{label} {one_line(text)}", width - 2, MAX_TEXT, "")) if text else 0

    phases = (column for column in columns if isinstance(column, PhaseColumn))
    return {phase.id: SummaryLines(*(lines(part, phase) for part in PARTS)) for phase in phases}


def about_rows(setting: DrawingSettings, phase: PhaseColumn, texts: SummaryLines, width: int) -> list[Row]:
    """The lines of a summary, with as many of each text as ``texts`` says."""
    objectives, outcomes = OBJECTIVES_OUTCOMES.values()
    return [
        *_text(setting, objectives, phase.objectives, texts.objectives, width),
        *_deliverables(setting, phase, texts.deliverables, width),
        *_text(setting, outcomes, phase.outcomes, texts.outcomes, width),
    ]


def _text(setting: DrawingSettings, label: str, text: str, lines: int, width: int) -> list[Row]:
    """``Objectives Win the first …``, wrapped at words and cut at the last line."""
    if not text or not lines:
        return []
    found = wrap_text(f"{label} {one_line(text)}", width - 2, lines, setting.look.ellipsis)
    rest = found[0].removeprefix(label)
    first: list[Word] = [(" " + found[0][: len(found[0]) - len(rest)], TextRole.SECTION), (rest, TextRole.QUIET)]
    others: list[list[Word]] = [[(" " + line, TextRole.QUIET)] for line in found[1:]]
    return [row(setting.look, BackgroundRole.PLAIN, width, words) for words in [first, *others]]


def _deliverables(setting: DrawingSettings, phase: PhaseColumn, lines: int, width: int) -> list[Row]:
    """One deliverable per line with its sign, the count beside the first; the last line has the number left out."""
    if not phase.promised or not lines:
        return []
    signs = setting.look.signs
    hidden = len(phase.promised) - lines
    named = phase.promised if hidden <= 0 else phase.promised[: lines - 1]
    rows: list[list[Word]] = [
        [
            (f" {signs.delivered[each.done]} ", TextRole.DONE if each.done else TextRole.QUIET),
            (one_line(each.name), TextRole.QUIET),
        ]
        for each in named
    ]
    if hidden > 0:
        more = f"{hidden + 1} {'more' if named else 'deliverables'}"
        rows.append([(f" {signs.dot} {more}", TextRole.QUIET)])
    count: Word = (f" {phase.deliverables_done}/{phase.deliverables}", TextRole.QUIET)
    return [
        row(setting.look, BackgroundRole.PLAIN, width, words, [count] if at == 0 else [])
        for at, words in enumerate(rows)
    ]


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
    facts = list_words(setting.look, _facts(setting, phase, place.ready, place.width - 2), place.width - 2)
    people = setting.team.words(phase.member_ids, place.width - 4 - cells(facts), setting.look.ellipsis)
    return spread(setting.look, BackgroundRole.PLAIN, place.width, [BLANK, *facts], people)


def _short(setting: DrawingSettings, phase: PhaseColumn, place: HeaderGeometry) -> Row:
    """Progress and facts on one line."""
    bar = progress_bar(setting.look, phase.tally, max(4, place.width // 5))
    count: Word = (f" {phase.tally.done}/{phase.tally.total}", TextRole.QUIET)
    room = place.width - 2 - cells(bar)
    between = cells(list_words(setting.look, [count, BLANK]))
    facts = list_words(setting.look, [count, *_facts(setting, phase, place.ready, room - between)], room)
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
    left = room - cells(list_words(setting.look, [*before, ("", TextRole.QUIET)]))
    if phase.missing.state is ReadinessState.NOT_READY and left > cell_len(forms[-1]) + LEAST_OF_POINT:
        return fit(forms[-2], left, mark=setting.look.ellipsis)  # a part of the first point is better than none
    return next((form for form in forms if cell_len(form) <= left), forms[-1])


def _rule(setting: DrawingSettings, place: HeaderGeometry | FoldedGeometry, air: str = " ") -> Row:
    """The line under a header. The first and the last one also show the number of columns beyond the edge."""
    signs = setting.look.signs
    sign, text_role = (signs.full, TextRole.ACCENT) if place.current else (signs.rest, TextRole.FAINT)
    left = air.join(["", signs.left, str(place.hidden_left), ""]) if place.hidden_left else ""
    right = air.join(["", str(place.hidden_right), signs.right, ""]) if place.hidden_right else ""
    middle = sign * (place.width - len(left) - len(right))
    words: list[Word] = [(left, TextRole.TITLE), (middle, text_role), (right, TextRole.TITLE)]
    return row(setting.look, BackgroundRole.PLAIN, place.width, words, margin=0)


def section_row(setting: DrawingSettings, title: str, count: int, hidden: int, width: int, dropping: bool) -> Row:
    """``To Do 3``, and after it ``+2 ▸`` for tasks in folds; the drop line while a card is dragged to its top."""
    number, inside = f"{count} " if title else "", f"+{hidden} {setting.look.signs.folded} " if hidden else ""
    title = fit(one_line(title), width - len(number) - len(inside) - 2, mark=setting.look.ellipsis)
    words: list[Word] = [
        (f" {title} ", TextRole.SECTION if count else TextRole.QUIET),
        (number, TextRole.QUIET),
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


class FoldedGeometry(Record, kw_only=False):
    """The size and the state that a folded column is drawn with, besides its phase."""

    width: int
    height: int
    head: int
    """Lines of the headers beside it, with the line under them."""
    current: bool
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
    accent = TextRole.ACCENT if place.current else quiet
    bar = (signs.bar if CardState.FOCUSED in place.state else " ", TextRole.ACCENT)
    head: list[list[Word]] = [
        [bar, (f"{phase.number:<2}", accent), (signs.state(phase.state), STATE_ROLE[phase.state])],
        [bar, (f"{count:<2}", quiet)],
        [bar, (f"{signs.mark}{marked}" if marked else "", TextRole.ACCENT)],
    ]
    if marked and place.head == 3:
        del head[1]
    head += [[bar]] * (place.head - 1 - len(head))  # heads with summaries are higher
    background = BackgroundRole.MARKED if place.is_target else background_of(place.state)
    rows = [row(setting.look, background, place.width, words, margin=0) for words in head[: max(1, place.head - 1)]]
    rows.append(_rule(setting, place, air=""))
    letters = _letters(setting, phase.name, place.height - len(rows) - 1)
    rows += [
        row(setting.look, background, place.width, [(" ", quiet), (letter, accent)], margin=0) for letter in letters
    ]
    blank = setting.look.blank(place.width)
    return (*rows, *[blank] * (place.height - len(rows)))[: place.height]


def _letters(setting: DrawingSettings, name: str, lines: int) -> list[str]:
    """The letters of a name for one line each, as many as there are lines; wide letters have two cells."""
    name = one_line(name)
    spans, _ = split_graphemes(name)
    letters = [name[start:end] for start, end, _ in spans if cell_len(name[start:end])]
    if len(letters) > lines:
        letters = [*letters[: max(0, lines - 1)], setting.look.ellipsis][: max(0, lines)]
    return letters
