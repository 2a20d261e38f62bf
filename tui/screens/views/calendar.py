"""The calendar of a project: a month with what is due on each day, and the cards of the focused day below or beside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from datetime import date, timedelta

from textual import on
from textual.app import ComposeResult
from textual.containers import Container

from core.domain.canvas import Card, PhaseColumn
from core.domain.model import Id, ItemKind, PhaseState, Status
from core.domain.statuses import STATUS_WORDS
from core.text.dates import FIRST_YEAR, LAST_YEAR, add_months, in_full, month_name
from tui.drawing.styles import Symbols, TextRole
from tui.keys.bindings import bindings
from tui.screens.framework.controller import Action, Controller
from tui.screens.views.cursor_line import ChangesOrDetail
from tui.screens.views.project_view import VIEW, ProjectView
from tui.services.presence import PresenceTracker
from tui.widgets.columns import Column, Line, cell
from tui.widgets.filter_line import FilterLine
from tui.widgets.list_view import ListView
from tui.widgets.month_grid import CalendarEntry, Month

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
        self._online: Mapping[Id, str] = {}
        self._day: date | None = None
        self.add(CalendarKeys(self))

    def body(self) -> ComposeResult:
        with Container(id="calendar"):
            yield Month()
            yield ListView(COLUMNS, id="day")
        yield ChangesOrDetail()
        yield FilterLine(self.filter.completions)

    # -- what is drawn ---------------------------------------------------------------------------------------

    @property
    def day(self) -> date:
        """The day of the cursor: today, until it is moved."""
        return self._day or self.head.today

    def draw(self) -> None:
        self.set_class(self.podium.ascii, "-ascii")
        cards = self.cards()
        dated = [card for card in cards if card.due]
        entries: dict[date, list[CalendarEntry]] = {}
        signs = self.query_one(Month).look.signs
        for column in self.head.columns:
            if column.due:
                late = column.state is not PhaseState.COMPLETE and column.due < self.head.today
                words = f"{column.number} {column.name}"
                entries.setdefault(column.due, []).append(
                    CalendarEntry(signs.thumb, words, TextRole.LATE if late else TextRole.ACCENT)
                )
        for card in dated:
            entries.setdefault(card.due or self.day, []).append(self._entry(card, signs))
        self.query_one(Month).show(self.day, self.head.today, entries, self._heading(cards))
        self._draw_day()

    def _entry(self, card: Card, signs: Symbols) -> CalendarEntry:
        sign = signs.of(card.status, card.kind is ItemKind.ACTIVITY)
        lit, online = card.id in self._lit, self._online.get(card.id, "")
        return CalendarEntry(sign, card.title, self._text_role(card), card.id in self.marks.ids, lit, online)

    def _text_role(self, card: Card) -> TextRole:
        if card.status in (Status.COMPLETED, Status.ARCHIVED):
            return TextRole.QUIET
        return TextRole.LATE if card.due and card.due < self.head.today else TextRole.TITLE

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
        names = {column.id: f"{column.number} {column.name}" for column in self.head.columns}
        listing.show([self._line(card, names) for card in self.cards_of_day()])

    def _line(self, card: Card, names: dict[Id, str]) -> Line:
        signs = self.query_one("#day", ListView).look.signs
        sign = signs.mark if card.id in self.marks.ids else signs.of(card.status, card.kind is ItemKind.ACTIVITY)
        people = {member.user_id: member.name for member in self.head.members}
        who = ", ".join(people[each] for each in card.assignee_ids if each in people)
        status = STATUS_WORDS[card.status] if card.status else ""
        cells = (sign, TextRole.ACCENT), (card.title, self._text_role(card)), names[card.phase_id], who, status
        return Line(card.id, tuple(cell(*each) if isinstance(each, tuple) else cell(each) for each in cells))

    def cards_of_day(self) -> list[Card]:
        """The cards that are due on the day of the cursor."""
        return [card for card in self.cards() if card.due == self.day]

    # -- what a view gives -----------------------------------------------------------------------------------

    def shown(self) -> Sequence[Card]:
        """The cards of the month, by day."""
        return sorted(filter(self._is_this_month, self.cards()), key=lambda card: card.due or self.day)

    @property
    def card(self) -> Card | None:
        line = self.query_one("#day", ListView).line if self.is_alive else None
        return next((card for card in self.cards_of_day() if line and card.id == line.id), None)

    def go_to(self, card_id: Id) -> None:
        card = next((card for card in self.cards() if card.id == card_id), None)
        if card is not None and card.due is not None:
            self.go(card.due)
            self.query_one("#day", ListView).go_to(card_id)

    def show_highlight(self, highlighted: Set[Id]) -> None:
        if highlighted != self._lit:
            self._lit = highlighted
            self.draw()
            self.query_one("#day", ListView).show_highlight(highlighted)

    def show_online(self, presence: PresenceTracker) -> None:
        online = presence.initials()
        if online != self._online:
            self._online = online
            self.draw()
            self.query_one("#day", ListView).show_online(online)

    def show_marks(self) -> None:
        self.draw()

    @property
    def description(self) -> str:
        phases = [f"phase {column.number} {column.name} is due" for column in self._phases_of_day()]
        return " · ".join([in_full(self.day), *phases, *([self.card.title] if self.card else [])])

    def _phases_of_day(self) -> list[PhaseColumn]:
        return [column for column in self.head.columns if column.due == self.day]

    # -- moving ----------------------------------------------------------------------------------------------

    def go(self, day: date) -> None:
        """Put the cursor on a day."""
        if FIRST_YEAR <= day.year <= LAST_YEAR:
            self._day = day
            self.redraw()
        else:
            self.podium.toast(f"The calendar goes from {FIRST_YEAR} to {LAST_YEAR}.")

    def go_on(self) -> None:
        """Put the cursor on the next card of the day."""
        self.query_one("#day", ListView).step(1)
        self.cursor_line.cursor_moved()

    @property
    def column(self) -> PhaseColumn | None:
        """The phase of the card; on a day without cards the phase that is due there."""
        return super().column if self.card else next(iter(self._phases_of_day()), None)

    @on(Month.DayPicked)
    async def _pick(self, event: Month.DayPicked) -> None:
        self.go(event.day)
        if event.twice:
            await self.view_keys.do_open()

    @on(ListView.CursorMoved)
    def _follow_cursor(self) -> None:
        self.cursor_line.cursor_moved()

    @on(ListView.Opened)
    async def _open_line(self) -> None:
        await self.view_keys.do_open()


class CalendarKeys(Controller):
    """Move the cursor by days, weeks and months, and through the cards of the day."""

    screen: CalendarScreen

    def actions(self) -> Sequence[Action]:
        return (
            Action("left", lambda: self._by_days(-1)),
            Action("right", lambda: self._by_days(+1)),
            Action("up", lambda: self._by_days(-7)),
            Action("down", lambda: self._by_days(+7)),
            Action("top", self.do_top),
            Action("bottom", self.do_bottom),
            Action("page_down", lambda: self._by_months(+1)),
            Action("page_up", lambda: self._by_months(-1)),
            Action("next_month", lambda: self._by_months(+1)),
            Action("previous_month", lambda: self._by_months(-1)),
            Action("today", self.do_today),
            Action("next_card", self.do_next_card),
            Action("phase", self.do_phase),
        )

    def _by_days(self, days: int) -> None:
        self.screen.go(self.screen.day + timedelta(days=days))

    def _by_months(self, months: int) -> None:
        """To the same day of another month, or its last one."""
        self.screen.go(add_months(self.screen.day, months))

    def do_top(self) -> None:
        self.screen.go(self.screen.day.replace(day=1))

    def do_bottom(self) -> None:
        self.screen.go(add_months(self.screen.day.replace(day=1), 1) - timedelta(days=1))

    def do_today(self) -> None:
        self.screen.go(self.screen.head.today)

    def do_next_card(self) -> None:
        """Through the cards of the day, and from the last one to the next day with any."""
        screen = self.screen
        if screen.card is not None and screen.card.id != screen.cards_of_day()[-1].id:
            screen.go_on()
            return
        later = [card for card in screen.cards() if card.due and card.due > screen.day]
        if later:
            screen.go_to(min(later, key=lambda card: card.due or screen.day).id)
        else:
            self.podium.toast("Nothing is due after this.")

    async def do_phase(self) -> None:
        if self.selection.phase is None:
            self.podium.toast("No card and no phase is due on this day.")
        else:
            await self.screen.view_keys.do_phase()
