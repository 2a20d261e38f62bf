"""The Timeline of a project: phases as bars over dates, with gates, due dates and today; dates are moved by keys."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence, Set
from datetime import date

from textual import on
from textual.app import ComposeResult

from core.domain.canvas import Card, PhaseColumn
from core.domain.model import Gate, Id, PhaseState
from core.errors import Blocker, PodiumError
from core.text.dates import in_full, in_short
from core.text.phrases import count, some
from tui.keys.bindings import bindings
from tui.screens.framework.cursor_keys import ListCursorKeys
from tui.screens.framework.dialogs import asking, show_form
from tui.screens.views.live_updates import NewsOrDetail
from tui.screens.views.project_view import VIEW
from tui.screens.views.timeline_rescheduling import MoveLine, RescheduleMixin
from tui.services.presence import PresenceTracker
from tui.timeline.chart import TimelineChart
from tui.timeline.rows import PhaseLine, TimeLine, lines_of
from tui.widgets.filter_line import FilterLine

MAX_DAYS = 4
"""How many days with due dates are named."""


class TimelineScreen(ListCursorKeys, RescheduleMixin):
    """The phases; ``z`` unfolds one into its cards, and so does a filter with every phase that has any."""

    name_in_table = "timeline"
    view_words = "Timeline"
    BINDINGS = bindings("timeline", VIEW)
    AUTO_FOCUS = "TimelineChart"

    def __init__(self, project_id: Id, focus_id: Id | None = None) -> None:
        super().__init__(project_id, focus_id)
        self._unfolded: set[Id] = set()
        self._lines: list[TimeLine] = []

    def body(self) -> ComposeResult:
        yield TimelineChart()
        yield NewsOrDetail()
        yield MoveLine()
        yield FilterLine()

    @property
    def chart(self) -> TimelineChart:
        return self.query_one(TimelineChart)

    @property
    def listing(self) -> TimelineChart:
        return self.chart

    # -- what a view gives -----------------------------------------------------------------------------------

    def draw(self) -> None:
        cards = self.cards()
        found = {card.phase_id for card in cards} if self.query_one(FilterLine).text else set()
        self._lines = lines_of(self.canvas.head, cards, self._unfolded | found, self.moves)
        self.chart.show(self.canvas.head, self._lines)
        self.show_guests(self.podium.presence)

    @property
    def line(self) -> TimeLine | None:
        return self.chart.line if self.stands else None

    def shown(self) -> Sequence[Card]:
        return [line.card for line in self._lines if line.card]

    @property
    def card(self) -> Card | None:
        return self.line.card if self.line else None

    @property
    def phase_id(self) -> Id | None:
        return self.line.phase_id if self.line else None

    def go_to(self, card_id: Id) -> None:
        """Its phase unfolds for it."""
        card = next((card for card in self.cards() if card.id == card_id), None)
        if card is not None:
            self._unfolded.add(card.phase_id)
            self._draw()
            self.chart.go_to(card_id)

    async def jump_to(self, blocker: Blocker) -> None:
        """A phase has a line here; a card may be in one that is folded."""
        if blocker.kind == "PHASE":
            self.chart.go_to(blocker.id)
        elif any(card.id == blocker.id for card in self.cards()):
            self.go_to(blocker.id)
        else:
            await super().jump_to(blocker)

    def show_glow(self, glowing: Set[Id]) -> None:
        """A phase that is folded is lit for its cards."""
        inside = {card.phase_id for card in self.canvas.cards if card.id in glowing}
        self.chart.show_glow(glowing | (inside - self._unfolded))

    def show_guests(self, presence: PresenceTracker) -> None:
        """A phase that is folded stands for its cards."""
        unfolded = {line.phase_id for line in self._lines if line.card}
        folded = {card.id: card.phase_id for card in self.canvas.cards if card.phase_id not in unfolded}
        self.chart.show_guests(presence.initials(folded))

    def show_marks(self) -> None:
        self.chart.show_marks(self.marks)

    @property
    def description(self) -> str:
        if self.pending_words:
            return self.pending_words
        line = self.line
        return _phase_words(line, self.canvas.head.today) if isinstance(line, PhaseLine) else super().description

    def lose_sight(self, error: PodiumError) -> None:
        self.drop_move()
        super().lose_sight(error)

    # -- moving ----------------------------------------------------------------------------------------------

    def do_left(self) -> None:
        self.chart.scroll_time(-1)

    def do_right(self) -> None:
        self.chart.scroll_time(+1)

    def do_zoom(self) -> None:
        self.chart.zoom()

    def do_today(self) -> None:
        self.chart.go_to_today()

    def do_unfold(self) -> None:
        """Fold or unfold the phase of the cursor, which stays on it."""
        line = self.line
        if line is None:
            return
        if isinstance(line, PhaseLine) and not line.cards:
            self.podium.tell("There are no cards in this phase.")
            return
        self._unfolded ^= {line.phase_id}
        if line.card is not None:
            self.chart.go_to(line.phase_id)
        self._draw()

    def on_mount(self) -> None:
        self.watch(self.chart, "line_id", self._follow_cursor, init=False)

    def _follow_cursor(self) -> None:
        self.leave_move()
        self.show_cursor()

    @on(TimelineChart.Opened)
    async def _open_line(self) -> None:
        await self.do_open()

    @on(TimelineChart.MenuRequested)
    def _open_menu(self) -> None:
        self.do_menu()

    # -- opening and dating ----------------------------------------------------------------------------------

    async def do_open(self) -> None:
        """The card, or the phase; while a move is thought of, do it: it was asked for by a key that names its right."""
        if self.pending_words:
            await self.carry_out_move()
        elif self.card is None:
            await self.do_phase()
        else:
            await super().do_open()

    def do_due(self) -> object:  # type: ignore[override]
        """Of the card, or of the phase where the cursor is on one and nothing is marked."""
        column = self.column if self.card is None and not self.marks else None
        return self._date_phase(column) if column else super().do_due()

    @asking
    async def _date_phase(self, column: PhaseColumn) -> None:
        from core.actions.workflow.phases import SetPhaseDueDate
        from tui.dialogs.form_fields import DateField

        async def save(values: dict[str, object]) -> object:
            return await self.podium.send(SetPhaseDueDate(phase_id=column.id, seen_version=column.version, **values))  # type: ignore[arg-type]

        await show_form(self, f"Due date of “{column.name}”", [DateField("due", "Due", column.due)], save)


def _phase_words(line: PhaseLine, today: date) -> str:
    """A phase in a sentence."""
    column = line.column
    state = f"{column.state.lower()} by override" if column.overridden else column.state.lower()
    facts = [f"{column.number} {column.name}", state, f"{column.tally.completed} of {column.tally.total} done"]
    due = f"due {in_full(line.due)}" if line.due else "without a due date: D sets one"
    facts.append(f"review {due}" if column.gate is Gate.REVIEW else due)
    if column.state is not PhaseState.COMPLETE and line.ticks:
        facts.append(f"{count(len(line.ticks), 'card')} due in it: {_days_words(line.ticks, today)}")
    return " · ".join(facts)


def _days_words(days: Sequence[date], today: date) -> str:
    """The days and how many are due on each: "4 Mar, 2 on 11 Mar and 3 more days"."""
    due = [
        f"{many} on {in_short(day, today)}" if many > 1 else in_short(day, today) for day, many in Counter(days).items()
    ]
    return some(due, MAX_DAYS, "more days")
