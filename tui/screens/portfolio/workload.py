"""The workload: a line for each person, with the number of open cards that are due in each of the next weeks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from functools import partial
from itertools import groupby

from core.actions.portfolio.workload import (
    NOBODY,
    WEEKS,
    GetWorkload,
    ListWorkloadCards,
    PersonWorkload,
    Workload,
    WorkloadCards,
)
from core.actions.workspace.workspace import SetWeekLimit
from core.domain.fields import Number
from core.domain.model import Health, ItemKind, Workspace
from core.errors import InvalidInput
from core.record import replace
from core.text.amounts import write_amount
from core.text.dates import in_short
from core.text.phrases import count
from tui.dialogs.fields.form_fields import TextField
from tui.drawing.people import PersonColours
from tui.drawing.preview_rows import PreviewPage, PreviewPart
from tui.drawing.styles import Styles, TextRole
from tui.screens.framework.controller import Action
from tui.screens.framework.dialogs import asking, choose_sum, show_form
from tui.screens.framework.list_screen import ListScreen
from tui.screens.framework.previewer import Previewed, Previewer
from tui.screens.personal.my_work_rows import section_of
from tui.screens.previews.lines import card_line, facts
from tui.services.destinations import ToPersonWorkload
from tui.terminal.workers import start_worker
from tui.widgets.columns import Cell, Column, Line, cell, widths
from tui.wording.platform_roles import roles_of
from tui.wording.signs import HEALTH_ORDER

MARGIN = 3
"""The cells of a line beside its columns."""

AT_RISK = HEALTH_ORDER.index(Health.AT_RISK)

NO_WORK = "No open cards\nThe open cards of all your projects are counted here, by the week in which they are due."
NO_SUMS = "No field of your projects is added up. To add one, press : on a Canvas and type “custom fields”."
NOBODY_WORDS = "Nobody assigned"


class WorkloadScreen(ListScreen[PersonWorkload]):
    """The people by name. A card that two people share counts for both; one of nobody stands in the last line."""

    name_in_table = "workload"
    title_words = "Workload"
    is_of_workspace = True
    opens = "workload.open"
    nothing_here = "There is nobody here with open cards."
    spans_projects = True

    def __init__(self) -> None:
        super().__init__()
        self.previewer = self.add(Previewer(self, self.find_record))
        self.columns = tuple(_columns(date.today(), WEEKS))  # type: ignore[misc]  # of this day, not of the class
        self._weeks = WEEKS
        self.sum = ""
        """The key of the field that is added up; empty where cards are counted."""
        self._workload: Workload | None = None

    def find_record(self) -> Previewed | None:
        """The cards of the line, by section, late ones first."""
        person = self.records.current
        if person is None:
            return None
        return Previewed(
            id=f"{person.user_id} {person.total} {self.sum}",
            title=name_of(person),
            query=ListWorkloadCards(user_id=person.user_id),
            draw=lambda found, look, _: _page(person, found, look, self.sum),
        )

    async def reload(self) -> None:
        self.access.role_words = roles_of(self.podium.me.user)
        self._weeks = self._fitting_weeks()
        workload = await self.podium.query(GetWorkload(weeks=self._weeks, sum=self.sum))
        self._workload = workload
        self.listing.columns = tuple(_columns(workload.today, self._weeks))
        self.listing.empty = NO_WORK
        colours = PersonColours((each.user_id for each in workload.lines), self.podium.me.user.id)
        over = self._over_sign
        self.records.show((each, _line(each, workload, colours, self.sum, over)) for each in workload.lines)
        self.show_titles()

    def on_resize(self) -> None:
        if self.reading.has_data and self._fitting_weeks() != self._weeks:
            start_worker(self, partial(self.refresh_from_core, unasked=True), group="weeks")

    def _fitting_weeks(self) -> int:
        """The number of weeks whose columns fit beside all others. Later ones are counted together."""
        room, today = self.size.width - MARGIN, date.today()
        for weeks in range(WEEKS, 1, -1):
            columns = tuple(_columns(today, weeks))
            if all(widths(columns, [column.least for column in columns], room)):
                return weeks
        return 1

    def menu_title(self) -> str:
        return name_of(self.records.current) if self.records.current else self.place()

    def actions(self) -> Sequence[Action]:
        sums = Action("sum", self.do_sum, lambda _: "" if self._workload and self._workload.sums else NO_SUMS)
        return (self.records.action("open", self.do_open), sums, Action("edit", self.do_edit))

    @asking
    async def do_sum(self) -> None:
        """Choose what the numbers count."""
        chosen = await choose_sum(self, {key: key for key in self._workload.sums} if self._workload else {}, self.sum)
        if chosen is not None:
            self.sum = chosen
            await self.refresh_from_core()

    @asking
    async def do_edit(self) -> None:
        """Set the limit of a week, for the whole workspace."""

        async def save(values: dict[str, str]) -> Workspace:
            if not values["limit"].strip().isdecimal():
                raise InvalidInput("limit", "Type a whole number, such as 5.")
            return await self.podium.send(SetWeekLimit(limit=int(values["limit"])))

        now = str(self._workload.week_limit) if self._workload else ""
        fields = [TextField(name="limit", label="Open cards of one person", value=now, replaced=True)]
        await show_form(self, "Limit of a week", fields, save, note="Weeks with more are marked, for everyone here.")

    @property
    def _over_sign(self) -> str:
        """The sign of the weeks with more cards than the limit."""
        return self.listing.look.signs.health[AT_RISK]

    def place(self) -> str:
        """The title line; it is the legend of the mark, too."""
        if self.sum:
            return f"{super().place()} · {self.sum}"
        legend = f"{self._over_sign} {self._workload.describe_limit()}" if self._workload else ""
        return " · ".join(filter(None, (super().place(), legend)))

    async def do_open(self, person: PersonWorkload) -> None:
        await self.podium.open(ToPersonWorkload(person.user_id, name_of(person)))


def _page(person: PersonWorkload, found: WorkloadCards, look: Styles, key: str) -> PreviewPage:
    parts: list[PreviewPart] = []
    for section, cards in groupby(found.lines, key=lambda card: section_of(card.due, found.today)):
        lines = tuple(
            replace(
                card_line(look, card.title, card.status, card.due, is_activity=card.kind is ItemKind.ACTIVITY),
                text_role=TextRole.QUIET if card.locked else TextRole.TITLE,
            )
            for card in cards
        )
        parts.append(PreviewPart(section, lines, hint=str(len(lines))))
    known = facts(_in_words(person.total, "open card", key), f"{write_amount(person.late)} late" if person.late else "")
    return PreviewPage(name_of(person), (), known, tuple(parts))


def _in_words(number: Number, noun: str, key: str) -> str:
    """Write a number of cards, or a sum of the field with this key: "2 open cards", "estimate 2.5"."""
    return f"{key} {write_amount(number)}" if key else count(number, noun)


def name_of(person: PersonWorkload) -> str:
    """The name of a line."""
    return person.name if person.user_id != NOBODY else NOBODY_WORDS


def _columns(today: date, weeks: int) -> Iterator[Column]:
    """One for each of some weeks, named by its Monday, and the others."""
    yield Column("Who", 16, 30)
    yield Column("Late", 4, 9, rank=1, right=True)
    monday = today - timedelta(days=today.weekday())
    for number in range(weeks):
        title = in_short(monday + timedelta(weeks=number), today) if number else "This week"
        yield Column(title, len(title), 9, rank=2, right=True)
    yield Column("Beyond", 6, 9, rank=3, right=True)
    yield Column("No date", 7, 9, rank=3, right=True)
    yield Column("All", 4, 9, rank=1, right=True)


def _line(person: PersonWorkload, workload: Workload, colours: PersonColours, key: str, over: str) -> Line:
    name_role = TextRole.QUIET if person.user_id == NOBODY or not person.active else colours.role(person.user_id)
    first = person.weeks[0] if person.weeks else 0
    return Line(
        person.user_id or NOBODY_WORDS,
        (
            cell(name_of(person), name_role),
            _number(person.late, TextRole.LATE),
            *(
                _over(many, over)
                if not key and workload.is_over_limit(person, many)
                else _week(many, TextRole.TITLE if week == 0 else TextRole.QUIET)
                for week, many in enumerate(person.weeks)
            ),
            _number(person.later),
            _number(person.undated),
            _number(person.total, TextRole.NAME),
        ),
        detail=f"{_in_words(first, 'card', key)} due this week" if first else "",
    )


def _week(many: Number, text_role: TextRole) -> Cell:
    """The cards of a week; a dot for none, so that no week is missing between others."""
    return _number(many, text_role) or cell("·", TextRole.FAINT)


def _over(many: Number, sign: str) -> Cell:
    """The cards of a week that are too many for one person."""
    return cell(f"{sign}{write_amount(many)}", TextRole.LATE)


def _number(many: Number, text_role: TextRole = TextRole.QUIET) -> Cell:
    """A number of cards; nothing for none, so that the others stand out."""
    return cell(write_amount(many), text_role) if many else ()
