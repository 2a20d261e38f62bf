"""The Timeline of a project: phases as bars over dates, with gates, due dates and today; dates are moved by keys."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from datetime import date, timedelta
from functools import partial
from operator import is_

from textual.app import ComposeResult

from core.domain.canvas import CanvasChanges, Card, PhaseColumn
from core.domain.model import Gate, Id, PhaseState
from core.errors import Blocker
from core.text.dates import in_full, in_short
from core.text.phrases import count, some
from tui.screens.framework.controller import Action
from tui.screens.framework.list_actions import ListCursorActions
from tui.screens.views.presenter import ViewPresenter
from tui.screens.views.project_view import ProjectView
from tui.screens.views.timeline_rescheduling import Rescheduling
from tui.timeline.cards_by_phase import CardsByPhase, DueDays
from tui.timeline.chart import TimelineChart
from tui.timeline.rows import TimeLine, TimelineLines, TimelinePhase, lines_of

UNFOLDED_FIRST = (PhaseState.OPEN, PhaseState.LOCKED, PhaseState.COMPLETE)

AROUND = 8
"""The lines of the screen that are no phase and no card: title, axis, the sentence, the keys, and the legend."""

MAX_DAYS = 4
"""How many days with due dates are named."""


class TimelinePresenter(ViewPresenter):
    """Shows the phases as lines of a chart, and the cards of those that are unfolded."""

    screen: TimelineScreen

    def __init__(self, screen: ProjectView) -> None:
        super().__init__(screen)
        self._unfolded: set[Id] = set()
        self._cards = CardsByPhase()
        self._lines = TimelineLines((), (), {}, {})

    @property
    def chart(self) -> TimelineChart[TimeLine]:
        """The widget."""
        return self.screen.query_one(TimelineChart)

    def draw(self) -> None:
        self._cards = CardsByPhase(self.screen.canvas.cards, self.screen.filter.left_of)
        self._draw_lines()

    def redraw_changed(self, changes: CanvasChanges) -> None:
        """Count the changed cards in their phases; the others are not looked at."""
        self._cards.apply(changes)
        self._draw_lines()
        self.cursor_moved()

    def redraw_lines(self) -> None:
        """Draw the same cards after a change of folds, of a previewed move or of the earliest days."""
        self._draw_lines()
        self.cursor_moved()

    def _draw_lines(self) -> None:
        screen, cards = self.screen, self._cards
        found = {column.id for column in screen.head.columns if cards.count(column.id)}
        unfolded = self._unfolded | found if screen.filter.narrows else self._unfolded
        self._lines = lines_of(screen.head, cards, unfolded, screen.rescheduling.dates, screen.earliest)
        self.chart.show(self._lines, screen.head.today, screen.head.members)
        self.show_online()

    def show_marks(self) -> None:
        self.chart.show_marks(self.screen.marks.ids)

    def show_highlight(self, highlighted: Set[Id]) -> None:
        """A phase that is folded is lit for its cards."""
        inside = {card.phase_id for each in highlighted if (card := self._cards.find(each))}
        self.chart.show_highlight(highlighted | (inside - self._unfolded))

    def show_online(self) -> None:
        """A phase that is folded stands for its cards."""
        presence = self.screen.podium.presence
        if not presence.people:
            self.chart.show_online({})
            return
        unfolded = {line.id for line in self._lines.phases if line.unfolded and line.cards}
        on = filter(None, (self._cards.find(each.card_id) for each in presence.people))
        folded = {card.id: card.phase_id for card in on if card.phase_id not in unfolded}
        self.chart.show_online(presence.initials(folded))

    @property
    def linked(self) -> list[Card]:
        """The cards that wait for others or that others wait for."""
        return self._cards.linked

    def list_shown(self) -> Sequence[Card]:
        return self._lines.cards

    @property
    def _line(self) -> TimeLine | None:
        return self.chart.line if self.screen.is_alive else None

    @property
    def card(self) -> Card | None:
        line = self._line
        return line.card if line else None

    @property
    def column(self) -> PhaseColumn | None:
        line = self._line
        return next((column for column in self.screen.head.columns if line and column.id == line.phase_id), None)

    @property
    def description(self) -> str:
        if self.screen.rescheduling.words:
            return self.screen.rescheduling.words
        line = self._line
        return _phase_words(line, self.screen.head.today) if isinstance(line, TimelinePhase) else super().description

    def go_to(self, card_id: Id) -> None:
        """Its phase unfolds for it."""
        card = self.find(card_id)
        if card is not None and self.screen.filter.leaves(card):
            self._unfolded.add(card.phase_id)
            self.redraw_lines()
            self.chart.go_to(card_id)

    def go_to_match(self, card_id: Id) -> None:
        """Its phase is unfolded as long as there is a filter."""
        self.chart.go_to(card_id)

    def remember(self) -> Callable[[], None]:
        return partial(self.chart.go_to, self.chart.line_id)

    def find(self, card_id: Id) -> Card | None:
        return self._cards.find(card_id)

    def go_to_phase(self, number: int) -> None:
        self.chart.go_to(self.screen.head.columns[number - 1].id)

    def go_to_open_phase(self) -> None:
        """Put the cursor on the first open phase: the work is there."""
        phases = (column.id for column in self.screen.head.columns if column.state is PhaseState.OPEN)
        self.chart.go_to(next(phases, ""))

    def unfold_what_fits(self) -> None:
        """Unfold the phases as long as all lines fit on the screen: the open ones first, the complete ones last."""
        columns = self.screen.head.columns
        free = self.screen.size.height - AROUND - len(columns)
        for column in sorted(columns, key=lambda each: UNFOLDED_FIRST.index(each.state)):
            inside = self._cards.count(column.id)
            if 0 < inside <= free:
                self._unfolded.add(column.id)
                free -= inside
        if self._unfolded:
            self._draw_lines()

    def go_on(self) -> None:
        self.chart.step(1)

    def unfold(self) -> None:
        """Fold or unfold the phase of the cursor, which stays on it."""
        line = self._line
        if line is None:
            return
        if isinstance(line, TimelinePhase) and not line.cards:
            self.screen.podium.toast("There are no cards in this phase.")
            return
        self._unfolded ^= {line.phase_id}
        if line.card is not None:
            self.chart.go_to(line.phase_id)
        self.redraw_lines()


class TimelineScreen(ProjectView):
    """The phases; ``tab`` unfolds one into its cards, and so does a filter with every phase that has any."""

    name_in_table = "timeline"
    view_words = "Timeline"
    AUTO_FOCUS = "TimelineChart"
    presenter_class = TimelinePresenter
    presenter: TimelinePresenter

    def __init__(self, project_id: Id, focus_id: Id | None = None) -> None:
        super().__init__(project_id, focus_id)
        self.earliest: dict[Id, date] = {}
        """The days from which cards that wait can be due."""
        self._linked: tuple[int, list[Card]] = (0, [])
        """The number ``elsewhere`` and the cards that these days follow from."""
        self.rescheduling = self.add(Rescheduling(self, self.presenter.redraw_lines))
        self.add(ListCursorActions(self, lambda: self.presenter.chart))

    async def _read_earliest(self) -> None:
        before, linked = self.earliest, self.presenter.linked
        now = (self.head.elsewhere, linked)
        if self._linked[0] == now[0] and len(self._linked[1]) == len(linked) and all(map(is_, self._linked[1], linked)):
            return  # no change of a card that waits, or that one waits for
        self.earliest = await self._earliest() if any(card.waits_for for card in linked) else {}
        self._linked = now
        if self.earliest != before:
            self.presenter.redraw_lines()

    async def _earliest(self) -> dict[Id, date]:
        from core.actions.dependencies.lists import ListDependencies

        found: dict[Id, date] = {}
        for line in await self.podium.query(ListDependencies(project_id=self.project_id)):
            if line.open and line.blocker and line.blocker.due:
                day = line.blocker.due + timedelta(days=line.lag_days)
                found[line.waiting_id] = max(day, found.get(line.waiting_id, day))
        return found

    def actions(self) -> Sequence[Action]:
        return (
            Action("left", lambda: self.presenter.chart.scroll_time(-1)),
            Action("right", lambda: self.presenter.chart.scroll_time(+1)),
            Action("zoom", lambda: self.presenter.chart.zoom()),
            Action("today", lambda: self.presenter.chart.go_to_today()),
            Action("unfold", self.presenter.unfold),
        )

    def body(self) -> ComposeResult:
        yield TimelineChart()
        yield self.cursor_line.line
        yield self.rescheduling.line

    async def reload(self) -> None:
        before, is_first, focus_id = self.canvas, self.head.seq == 0, self._focus_id
        await super().reload()
        if self.canvas is before:
            return
        await self._read_earliest()
        if is_first:
            self.presenter.unfold_what_fits()
            if focus_id is None:
                self.presenter.go_to_open_phase()
            else:
                self.presenter.go_to(focus_id)
        await self.rescheduling.plan_again()

    def on_unmount(self) -> None:
        """A move that is only shown is not done, which is said on the screen that comes."""
        self.rescheduling.leave(is_closing=True)

    async def jump_to(self, blocker: Blocker) -> None:
        """A phase has a line here; a card may be in one that is folded."""
        if blocker.kind == "PHASE":
            self.presenter.chart.go_to(blocker.id)
        elif (card := self.presenter.find(blocker.id)) is not None and self.filter.leaves(card):
            self.presenter.go_to(blocker.id)
        else:
            await super().jump_to(blocker)

    def on_mount(self) -> None:
        self.watch(self.presenter.chart, "line_id", self._follow_cursor, init=False)

    def _follow_cursor(self) -> None:
        self.rescheduling.leave()
        self.cursor_line.cursor_moved()


def _phase_words(line: TimelinePhase, today: date) -> str:
    """A phase in a sentence."""
    column = line.column
    state = f"{column.state.lower()}, overridden" if column.overridden else column.state.lower()
    facts = [f"{column.number} {column.name}", state, f"{column.tally.done} of {column.tally.total} done"]
    due = f"due {in_full(line.due)}" if line.due else "without a due date: D to set one"
    facts.append(f"review {due}" if column.gate is Gate.REVIEW else due)
    if column.state is not PhaseState.COMPLETE and line.ticks:
        due_in_it = count(sum(number for _, number in line.ticks), "card")
        facts.append(f"{due_in_it} due in it: {_days_words(line.ticks, today)}")
    return " · ".join(facts)


def _days_words(days: DueDays, today: date) -> str:
    """The days and how many are due on each: "4 Mar, 2 on 11 Mar and 3 more days"."""
    due = [f"{many} on {in_short(day, today)}" if many > 1 else in_short(day, today) for day, many in days[:MAX_DAYS]]
    return some([*due, *[""] * (len(days) - len(due))], MAX_DAYS, "more days")
