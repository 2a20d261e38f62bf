"""The calendar of a project: a month with what is due on each day, and the cards of the focused day below or beside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from datetime import date, timedelta

from textual import on
from textual.app import ComposeResult
from textual.containers import Container

from core.domain.canvas import Card, PhaseColumn
from core.domain.model import Id, ItemKind, PhaseState, Status
from core.domain.workflow import STATUS_WORDS
from core.text.dates import FIRST_YEAR, LAST_YEAR, add_months, in_full, month_name
from tui.drawing.styles import Symbols, TextRole
from tui.keys.bindings import bindings
from tui.screens.views.live_updates import NewsOrDetail
from tui.screens.views.project_view import VIEW, ProjectView
from tui.services.destinations import ToPhase
from tui.services.presence import PresenceTracker
from tui.widgets.columns import Column, Line, cell
from tui.widgets.filter_line import FilterLine
from tui.widgets.list_view import ListView
from tui.widgets.month_grid import Entry, Month

BESIDE_FROM = 130
"""Cells from which the cards of the day stand beside the month; below, they stand under it."""

COLUMNS = (
    Column("", 1, 1),
    Column("Due on this day", 16, 80),
    Column("Phase", 8, 24, rank=2),
    Column("Who", 8, 24, rank=3),
    Column("Status", 8, 12, rank=1),
)


class CalendarScreen(ProjectView):
    """One month at a time. The cursor is on a day, and within it on a card."""

    name_in_table = "calendar"
    view_words = "Calendar"
    BINDINGS = bindings("calendar", VIEW)
    AUTO_FOCUS = "Month"
    HORIZONTAL_BREAKPOINTS = [(0, "-under"), (BESIDE_FROM, "-beside")]  # noqa: RUF012 - as Textual declares it
    DEFAULT_CSS = """
    CalendarScreen {
        #calendar { height: 1fr; layout: vertical; }
        #day { height: 6; border-top: hkey $border; }
        &.-beside #calendar { layout: horizontal; }
        &.-beside #day { width: 34%; height: 1fr; border-top: none; border-left: vkey $border; }
        &.-ascii #day { border-top: ascii $border; }
        &.-ascii.-beside #day { border-top: none; border-left: ascii $border; }
    }
    """

    def __init__(self, project_id: Id, focus_id: Id | None = None) -> None:
        super().__init__(project_id, focus_id)
        self._lit: Set[Id] = frozenset()
        self._guests: Mapping[Id, str] = {}
        self._day: date | None = None

    def body(self) -> ComposeResult:
        with Container(id="calendar"):
            yield Month()
            yield ListView(COLUMNS, id="day")
        yield NewsOrDetail()
        yield FilterLine()

    # -- what is drawn ---------------------------------------------------------------------------------------

    @property
    def day(self) -> date:
        """The day of the cursor: today, until it is moved."""
        return self._day or self.canvas.head.today

    def draw(self) -> None:
        self.set_class(self.podium.ascii, "-ascii")
        cards = self.cards()
        dated = [card for card in cards if card.due]
        entries: dict[date, list[Entry]] = {}
        signs = self.query_one(Month).look.signs
        for column in self.canvas.head.columns:
            if column.due:
                late = column.state is not PhaseState.COMPLETE and column.due < self.canvas.head.today
                words = f"{column.number} {column.name}"
                entries.setdefault(column.due, []).append(
                    Entry(signs.thumb, words, TextRole.LATE if late else TextRole.ACCENT)
                )
        for card in dated:
            entries.setdefault(card.due or self.day, []).append(self._entry(card, signs))
        self.query_one(Month).show(self.day, self.canvas.head.today, entries, self._heading(cards))
        self._draw_day()

    def _entry(self, card: Card, signs: Symbols) -> Entry:
        sign = signs.of(card.status, card.kind is ItemKind.ACTIVITY)
        lit, guests = card.id in self._lit, self._guests.get(card.id, "")
        return Entry(sign, card.title, self._ink(card), card.id in self.marks, lit, guests)

    def _ink(self, card: Card) -> TextRole:
        if card.status in (Status.COMPLETED, Status.ARCHIVED):
            return TextRole.QUIET
        return TextRole.LATE if card.due and card.due < self.canvas.head.today else TextRole.TITLE

    def _heading(self, cards: Sequence[Card]) -> str:
        """The month, what is due in it, and what the calendar cannot show."""
        month = [
            card for card in cards if card.due and (card.due.year, card.due.month) == (self.day.year, self.day.month)
        ]
        undated = sum(card.due is None for card in cards)
        facts = [f"{month_name(self.day)} {self.day.year}", f"{len(month)} due"]
        return " · ".join([*facts, f"{undated} without a date"] if undated else facts)

    def _is_this_month(self, card: Card) -> bool:
        return card.due is not None and card.due.replace(day=1) == self.day.replace(day=1)

    def _draw_day(self) -> None:
        listing = self.query_one("#day", ListView)
        listing.empty = f"Nothing is due on {in_full(self.day)}"
        names = {column.id: f"{column.number} {column.name}" for column in self.canvas.head.columns}
        listing.show([self._line(card, names) for card in self._of_day()])

    def _line(self, card: Card, names: dict[Id, str]) -> Line:
        signs = self.query_one("#day", ListView).look.signs
        sign = signs.mark if card.id in self.marks else signs.of(card.status, card.kind is ItemKind.ACTIVITY)
        people = {member.user_id: member.name for member in self.canvas.head.members}
        who = ", ".join(people[each] for each in card.assignee_ids if each in people)
        status = STATUS_WORDS[card.status] if card.status else ""
        cells = (sign, TextRole.ACCENT), (card.title, self._ink(card)), names[card.phase_id], who, status
        return Line(card.id, tuple(cell(*each) if isinstance(each, tuple) else cell(each) for each in cells))

    def _of_day(self) -> list[Card]:
        return [card for card in self.cards() if card.due == self.day]

    # -- what a view gives -----------------------------------------------------------------------------------

    def shown(self) -> Sequence[Card]:
        """The cards of the month, by day."""
        return sorted(filter(self._is_this_month, self.cards()), key=lambda card: card.due or self.day)

    @property
    def card(self) -> Card | None:
        line = self.query_one("#day", ListView).line if self.stands else None
        return next((card for card in self._of_day() if line and card.id == line.id), None)

    def go_to(self, card_id: Id) -> None:
        card = next((card for card in self.cards() if card.id == card_id), None)
        if card is not None and card.due is not None:
            self._go(card.due)
            self.query_one("#day", ListView).go_to(card_id)

    def show_glow(self, glowing: Set[Id]) -> None:
        if glowing != self._lit:
            self._lit = glowing
            self.draw()
            self.query_one("#day", ListView).show_glow(glowing)

    def show_guests(self, presence: PresenceTracker) -> None:
        guests = presence.initials()
        if guests != self._guests:
            self._guests = guests
            self.draw()
            self.query_one("#day", ListView).show_guests(guests)

    def show_marks(self) -> None:
        self.draw()

    @property
    def description(self) -> str:
        phases = [f"phase {column.number} {column.name} is due" for column in self._phases_of_day()]
        return " · ".join([in_full(self.day), *phases, *([self.card.title] if self.card else [])])

    def _phases_of_day(self) -> list[PhaseColumn]:
        return [column for column in self.canvas.head.columns if column.due == self.day]

    # -- moving ----------------------------------------------------------------------------------------------

    def _go(self, day: date) -> None:
        if FIRST_YEAR <= day.year <= LAST_YEAR:
            self._day = day
            self._draw()
        else:
            self.podium.tell(f"The calendar goes from {FIRST_YEAR} to {LAST_YEAR}.")

    def _by_days(self, days: int) -> None:
        self._go(self.day + timedelta(days=days))

    def _step_month(self, months: int) -> None:
        """The same day of another month, or the last one there is in it."""
        self._go(add_months(self.day, months))

    def do_left(self) -> None:
        self._by_days(-1)

    def do_right(self) -> None:
        self._by_days(+1)

    def do_up(self) -> None:
        self._by_days(-7)

    def do_down(self) -> None:
        self._by_days(+7)

    def do_top(self) -> None:
        self._go(self.day.replace(day=1))

    def do_bottom(self) -> None:
        self._go(add_months(self.day.replace(day=1), 1) - timedelta(days=1))

    def do_page_down(self) -> None:
        self._step_month(+1)

    def do_page_up(self) -> None:
        self._step_month(-1)

    def do_next_month(self) -> None:
        self._step_month(+1)

    def do_previous_month(self) -> None:
        self._step_month(-1)

    def do_today(self) -> None:
        self._go(self.canvas.head.today)

    def do_next_card(self) -> None:
        """Through the cards of the day, and from the last one to the next day with any."""
        cards, day = self._of_day(), self.query_one("#day", ListView)
        if self.card is not None and self.card.id != cards[-1].id:
            day.step(1)
            self.show_cursor()
            return
        later = [card for card in self.cards() if card.due and card.due > self.day]
        if later:
            self.go_to(min(later, key=lambda card: card.due or self.day).id)
        else:
            self.podium.tell("Nothing is due after this.")

    def go_on(self) -> None:
        """To the next card of the day."""
        self.query_one("#day", ListView).step(1)
        self.show_cursor()

    async def do_open(self) -> None:
        """The card of the cursor; on a day without cards the phase that is due there."""
        if self.card is None and self._phases_of_day():
            await self.do_phase()
        else:
            await super().do_open()

    async def do_phase(self) -> None:
        phases = [self.card.phase_id] if self.card else [column.id for column in self._phases_of_day()]
        if phases:
            await self.podium.open(ToPhase(self.project_id, phases[0]))
        else:
            self.podium.tell("No card and no phase is due on this day.")

    @on(Month.DayPicked)
    async def _pick(self, event: Month.DayPicked) -> None:
        self._go(event.day)
        if event.twice:
            await self.do_open()

    @on(ListView.CursorMoved)
    def _follow_cursor(self) -> None:
        self.show_cursor()

    @on(ListView.Opened)
    async def _open_line(self) -> None:
        await self.do_open()
