"""The calendar of a project: a month with what is due on each day, and the cards of the focused day below or beside."""

from __future__ import annotations

from bisect import insort
from calendar import monthrange
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from datetime import date, timedelta
from functools import cached_property
from typing import NamedTuple

from textual import on
from textual.app import ComposeResult
from textual.containers import Container

from core.domain.canvas import CanvasChanges, CanvasHeader, Card, PhaseColumn, place_in
from core.domain.model import Id, ItemKind, PhaseState, Status
from core.domain.statuses import STATUS_WORDS
from core.text.dates import FIRST_YEAR, LAST_YEAR, add_months, in_full, month_name
from tui.board.model import NOTHING
from tui.drawing.styles import Symbols, TextRole
from tui.screens.framework.controller import Action, Controller
from tui.screens.framework.row_cache import KeptRows
from tui.screens.views.presenter import ViewPresenter
from tui.screens.views.project_view import ProjectView
from tui.widgets.columns import Column, Line, cell
from tui.widgets.list_view import ListView
from tui.widgets.month_grid import CalendarEntry, Month, weeks_of

BESIDE_FROM = 130
"""Cells from which the cards of the day stand beside the month; below, they stand under it."""

ROOMY_FROM = 30
"""Lines from which on the cards of the day have more room below the month, whose weeks need it in a lower terminal."""

COLUMNS = (
    Column("", 1, 1),
    Column("Due on this day", 16, 80),
    Column("Phase", 8, 24, rank=2),
    Column("Who", 8, 24, rank=3),
    Column("Status", 8, 12, rank=1),
)


class CardsByDay:
    """The cards that a filter leaves, by day and in the order of the Canvas. A change costs as much as its cards."""

    def __init__(self, cards: Iterable[Card] = (), head: CanvasHeader = NOTHING.head) -> None:
        self._phases = [column.id for column in head.columns]
        self._days: dict[date | None, list[Card]] = {}
        for card in cards:
            self._days.setdefault(card.due, []).append(card)

    def apply(self, changes: CanvasChanges, left: Iterable[Card], head: CanvasHeader) -> None:
        """Take in changes; ``left`` are the changed cards that the filter leaves, ``head`` is the header after them."""
        place, phases = place_in(head), [column.id for column in head.columns]
        for card_id in {*changes.gone, *(card.id for card in changes.changed)} & self._due.keys():
            due = self._due.pop(card_id)
            stay = [card for card in self._days.pop(due) if card.id != card_id]
            if stay:
                self._days[due] = stay
        if phases != self._phases:
            self._phases = phases
            for cards in self._days.values():
                cards.sort(key=place)
        for card in left:
            self._due[card.id] = card.due
            insort(self._days.setdefault(card.due, []), card, key=place)

    @cached_property
    def _due(self) -> dict[Id, date | None]:
        """The due dates of the cards, when one is first looked for."""
        return {card.id: due for due, cards in self._days.items() for card in cards}

    def on(self, day: date | None) -> Sequence[Card]:
        """The cards that are due on a day, or those without a date."""
        return self._days.get(day, ())

    def first_after(self, day: date) -> Card | None:
        """The first card of the first day after this one on which any is due."""
        later = min((each for each in self._days if each and each > day), default=None)
        return self._days[later][0] if later else None


class EntryFacts(NamedTuple):
    """The facts that the entry of a card is made of."""

    card: Card
    text_role: TextRole
    is_marked: bool
    is_lit: bool
    online: str
    ascii_only: bool


class CalendarPresenter(ViewPresenter):
    """Shows the cards of a month by day, and those of one day as a list. The cursor is on a day and a card of it."""

    screen: CalendarScreen

    def __init__(self, screen: ProjectView) -> None:
        super().__init__(screen)
        self._lit: Set[Id] = frozenset()
        self._online: Mapping[Id, str] = {}
        self._day: date | None = None
        self._entries = KeptRows(self._entry)
        self._cards = CardsByDay()

    @property
    def day(self) -> date:
        """The day of the cursor: today, until it is moved."""
        return self._day or self.screen.head.today

    @property
    def _listing(self) -> ListView:
        return self.screen.query_one("#day", ListView)

    # -- drawing ---------------------------------------------------------------------------------------------

    def draw(self) -> None:
        self._cards = CardsByDay(self.screen.filter.cards(), self.screen.head)
        self._draw_month()

    def redraw_changed(self, changes: CanvasChanges) -> None:
        """Put the changed cards on their days; the others are not looked at.

        The cursor follows its card to another day of the weeks that are shown, so that no other card gets under it.
        """
        card = self.card
        self._cards.apply(changes, self.screen.filter.left_of(changes.changed), self.screen.head)
        moved = next((each for each in changes.changed if card and each.id == card.id), None)
        if moved is not None and moved in self._cards_shown():
            self._day = moved.due
        self._draw_month()
        if moved is not None:
            self._listing.go_to(moved.id)
        self.cursor_moved()

    def _draw_month(self) -> None:
        screen, month, head = self.screen, self.screen.query_one(Month), self.screen.head
        screen.set_class(screen.podium.ascii, "-ascii")
        seen = self._cards_shown()
        entries: dict[date, list[CalendarEntry]] = {}
        for column in head.columns:
            if column.due:
                late = column.state is not PhaseState.COMPLETE and column.due < head.today
                words = f"{column.number} {column.name}"
                entries.setdefault(column.due, []).append(
                    CalendarEntry(month.look.signs.thumb, words, TextRole.LATE if late else TextRole.ACCENT)
                )
        for card, entry in zip(seen, self._entries.of((card.id, self._facts(card)) for card in seen), strict=True):
            entries.setdefault(card.due or self.day, []).append(entry)
        month.show(self.day, head.today, entries, self._heading())
        self._draw_day()

    def _facts(self, card: Card) -> EntryFacts:
        is_marked, is_lit = card.id in self.screen.marks.ids, card.id in self._lit
        role, online = self._text_role(card), self._online.get(card.id, "")
        return EntryFacts(card, role, is_marked, is_lit, online, self.screen.podium.ascii)

    def _entry(self, facts: EntryFacts) -> CalendarEntry:
        card, signs = facts.card, self.screen.query_one(Month).look.signs
        sign = signs.of(card.status, card.kind is ItemKind.ACTIVITY)
        return CalendarEntry(sign, card.title, facts.text_role, facts.is_marked, facts.is_lit, facts.online)

    def _text_role(self, card: Card) -> TextRole:
        if card.status in (Status.COMPLETED, Status.ARCHIVED):
            return TextRole.QUIET
        return TextRole.LATE if card.due and card.due < self.screen.head.today else TextRole.TITLE

    def _heading(self) -> str:
        """The month, what is due in it, and what the calendar cannot show."""
        undated = len(self._cards.on(None))
        facts = [f"{month_name(self.day)} {self.day.year}", f"{len(self.list_shown())} due"]
        return " · ".join([*facts, f"{undated} without a date"] if undated else facts)

    def _draw_day(self) -> None:
        listing = self._listing
        listing.empty = f"No card is due on {in_full(self.day)}"
        names = {column.id: f"{column.number} {column.name}" for column in self.screen.head.columns}
        people = {member.user_id: member.name for member in self.screen.head.members}
        listing.show([self._line(card, names, people, listing.look.signs) for card in self.cards_of_day()])

    def _line(self, card: Card, names: dict[Id, str], people: dict[Id, str], signs: Symbols) -> Line:
        is_marked = card.id in self.screen.marks.ids
        sign = signs.mark if is_marked else signs.of(card.status, card.kind is ItemKind.ACTIVITY)
        who = ", ".join(people[each] for each in card.assignee_ids if each in people)
        status = STATUS_WORDS[card.status] if card.status else ""
        cells = (sign, TextRole.ACCENT), (card.title, self._text_role(card)), names[card.phase_id], who, status
        return Line(card.id, tuple(cell(*each) if isinstance(each, tuple) else cell(each) for each in cells))

    def show_marks(self) -> None:
        self._draw_month()

    def show_highlight(self, highlighted: Set[Id]) -> None:
        if highlighted != self._lit:
            self._lit = highlighted
            self._draw_month()
            self._listing.show_highlight(highlighted)

    def show_online(self) -> None:
        online = self.screen.podium.presence.initials()
        if online != self._online:
            self._online = online
            self._draw_month()
            self._listing.show_online(online)

    # -- the cards and the cursor ----------------------------------------------------------------------------

    def _due_between(self, first: date, end: date) -> list[Card]:
        """The cards that are due from one day to the day before another, by day."""
        days = (first + timedelta(number) for number in range((end - first).days))
        return [card for day in days for card in self._cards.on(day)]

    def _cards_shown(self) -> list[Card]:
        """The cards that are due in the weeks of the month, also on their days before and after it."""
        first, *_, last = weeks_of(self.day)
        return self._due_between(first, last + timedelta(7))

    def cards_of_day(self) -> Sequence[Card]:
        """The cards that are due on the day of the cursor."""
        return self._cards.on(self.day)

    def next_after(self, day: date) -> Card | None:
        """The first card of the first day after this one on which any is due."""
        return self._cards.first_after(day)

    def list_shown(self) -> Sequence[Card]:
        """The cards of the month, by day."""
        first = self.day.replace(day=1)
        return self._due_between(first, first + timedelta(monthrange(first.year, first.month)[1]))

    @property
    def card(self) -> Card | None:
        line = self._listing.line if self.screen.is_alive else None
        return next((card for card in self.cards_of_day() if line and card.id == line.id), None)

    @property
    def column(self) -> PhaseColumn | None:
        """The phase of the card; on a day without cards the phase that is due there."""
        return super().column if self.card else next(iter(self._phases_of_day()), None)

    @property
    def due_of_new_card(self) -> date:
        return self.day

    @property
    def description(self) -> str:
        phases = [f"phase {column.number} {column.name} is due" for column in self._phases_of_day()]
        return " · ".join([in_full(self.day), *phases, *([self.card.title] if self.card else [])])

    def _phases_of_day(self) -> list[PhaseColumn]:
        return [column for column in self.screen.head.columns if column.due == self.day]

    def go(self, day: date) -> None:
        """Put the cursor on a day."""
        if FIRST_YEAR <= day.year <= LAST_YEAR:
            self._day = day
            self._draw_month()
            self.cursor_moved()
        else:
            self.screen.podium.toast(f"The calendar goes from {FIRST_YEAR} to {LAST_YEAR}.")

    def go_to(self, card_id: Id) -> None:
        card = next((card for card in self.screen.filter.cards() if card.id == card_id), None)
        if card is not None and card.due is not None:
            self.go(card.due)
            self._listing.go_to(card_id)

    def remember(self) -> Callable[[], None]:
        day, card = self.day, self.card

        def go_back() -> None:
            self.go(day)
            if card is not None:
                self._listing.go_to(card.id)

        return go_back

    def go_on(self) -> None:
        """Put the cursor on the next card of the day."""
        self._listing.step(1)
        self.cursor_moved()


class CalendarScreen(ProjectView):
    """One month at a time. The cursor is on a day, and within it on a card."""

    name_in_table = "calendar"
    view_words = "Calendar"
    AUTO_FOCUS = "Month"
    HORIZONTAL_BREAKPOINTS = [(0, "-under"), (BESIDE_FROM, "-beside")]  # noqa: RUF012 - as Textual declares it
    VERTICAL_BREAKPOINTS = [(0, "-low"), (ROOMY_FROM, "-high")]  # noqa: RUF012 - as Textual declares it
    DEFAULT_CSS = """
    CalendarScreen {
        #calendar { height: 1fr; layout: vertical; }
        #day { height: 6; border-top: hkey $border; }
        &.-low #day { height: 4; }
        &.-beside #calendar { layout: horizontal; }
        &.-beside #day { width: 34%; height: 1fr; border-top: none; border-left: vkey $border; }
        &.-ascii #day { border-top: ascii $border; }
        &.-ascii.-beside #day { border-top: none; border-left: ascii $border; }
    }
    """
    presenter_class = CalendarPresenter
    presenter: CalendarPresenter

    def __init__(self, project_id: Id, focus_id: Id | None = None) -> None:
        super().__init__(project_id, focus_id)
        self.add(CalendarActions(self))

    def body(self) -> ComposeResult:
        with Container(id="calendar"):
            yield Month()
            yield ListView(COLUMNS, id="day")
        yield self.cursor_line.line

    @on(Month.DayPicked)
    async def _pick(self, event: Month.DayPicked) -> None:
        self.presenter.go(event.day)
        if event.twice:
            await self.view_actions.do_open()

    @on(ListView.CursorMoved)
    def _follow_cursor(self) -> None:
        self.cursor_line.cursor_moved()


class CalendarActions(Controller):
    """Move the cursor by days, weeks and months, and through the cards of the day."""

    screen: CalendarScreen

    def actions(self) -> Sequence[Action]:
        return (
            Action("left", lambda: self._by_days(-1)),
            Action("right", lambda: self._by_days(+1)),
            Action("up", lambda: self._by_days(-7)),
            Action("down", lambda: self._by_days(+7)),
            Action("top", lambda: self._presenter.go(self._presenter.day.replace(day=1))),
            Action("bottom", self.do_bottom),
            Action("next_month", lambda: self._by_months(+1)),
            Action("previous_month", lambda: self._by_months(-1)),
            Action("today", lambda: self._presenter.go(self.screen.head.today)),
            Action("next_card", self.do_next_card),
            Action("phase", self.do_phase),
        )

    @property
    def _presenter(self) -> CalendarPresenter:
        return self.screen.presenter

    def _by_days(self, days: int) -> None:
        self._presenter.go(self._presenter.day + timedelta(days=days))

    def _by_months(self, months: int) -> None:
        """To the same day of another month, or its last one."""
        self._presenter.go(add_months(self._presenter.day, months))

    def do_bottom(self) -> None:
        self._presenter.go(add_months(self._presenter.day.replace(day=1), 1) - timedelta(days=1))

    def do_next_card(self) -> None:
        """Through the cards of the day, and from the last one to the next day with any."""
        presenter = self._presenter
        if presenter.card is not None and presenter.card.id != presenter.cards_of_day()[-1].id:
            presenter.go_on()
            return
        if later := presenter.next_after(presenter.day):
            presenter.go_to(later.id)
        else:
            self.podium.toast("Nothing is due after this.")

    async def do_phase(self) -> None:
        if self.selection.phase is None:
            self.podium.toast("No card and no phase is due on this day.")
        else:
            await self.screen.view_actions.do_phase()
