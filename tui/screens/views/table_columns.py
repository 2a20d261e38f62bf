"""The columns of the Table, with the cells of a card in them, and the values that they are sorted by."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from functools import cache
from operator import attrgetter
from typing import NamedTuple

from core.domain.canvas import CanvasHeader, CanvasMember, Card, PhaseColumn
from core.domain.fields import CustomField, FieldKind
from core.domain.labels import Label
from core.domain.model import Id, ItemKind, Status
from core.domain.statuses import CLOSED
from core.domain.view_settings import CardField, Sort
from core.record import Record
from core.text.dates import format_due, in_short
from core.text.label_names import fold_name
from core.text.short_keys import card_key
from tui.board.cards import due_role
from tui.board.grouping import TITLES
from tui.drawing.card_facts import priority_in_full, priority_word, waiting_mark
from tui.drawing.labels import label_words
from tui.drawing.people import Team
from tui.drawing.rows import cells, one_line
from tui.drawing.styles import Styles, TextRole
from tui.widgets.columns import Cell, Column, cell
from tui.wording.custom_fields import sum_words, value_words

ENOUGH = 18
"""Cells that people get."""

WIDEST = 30
"""The most cells of the labels of a card."""

LAST = "\U0010ffff"
"""Sorts after all names: what has none comes last."""


class RowContext(Record, kw_only=False):
    """The people, phases and activities that the cells of a card refer to."""

    today: date
    columns: dict[Id, PhaseColumn]
    members: dict[Id, CanvasMember]
    titles: dict[Id, str]
    """Of all cards, by id: a card names the activity that it is in."""
    look: Styles
    team: Team
    key: str
    """The key of the project."""
    labels: dict[Id, Label]
    below: frozenset[Id]
    """The tasks that stand below their activities."""

    @classmethod
    def of(
        cls, head: CanvasHeader, titles: dict[Id, str], look: Styles, me: Id, below: frozenset[Id] = frozenset()
    ) -> RowContext:
        columns = {column.id: column for column in head.columns}
        members = {member.user_id: member for member in head.members}
        team = Team({user_id: member.name for user_id, member in members.items()}, me)
        labels = {label.id: label for label in head.labels}
        return cls(head.today, columns, members, titles, look, team, head.key, labels, below)

    def names(self, card: Card) -> list[str]:
        return [self.members[each].name for each in card.assignee_ids if each in self.members]

    def label_names(self, card: Card) -> list[str]:
        return sorted(fold_name(self.labels[each].name) for each in card.labels if each in self.labels)


class TableColumn(Record, kw_only=False):
    """One column: how it is drawn, what a card says in it, and by what it is sorted."""

    column: Column
    cell: Callable[[Card, RowContext], Cell]
    key: Callable[[Card, RowContext], tuple[object, ...]] | None = None
    field: CardField | None = None
    """The field of a preset without which the column is not there."""
    sort: Sort | None = None
    """The sort of a preset that is by this column."""
    says: Callable[[Card], object] | None = None
    """Whether a card says something in it. Where no card does, the column is not there; None for one that stays."""
    own: str = ""
    """The key of the custom field that it shows; empty for a field of every project."""


def _title(card: Card, around: RowContext) -> Cell:
    sign = around.look.signs.of(card.status, card.kind is ItemKind.ACTIVITY)
    done = card.status is Status.COMPLETED
    text_role = TextRole.QUIET if card.status in CLOSED else TextRole.TITLE
    sub: Cell = ((f"{around.look.signs.sub} ", TextRole.FAINT),) if card.id in around.below else ()
    return (*sub, (f"{sign} ", TextRole.DONE if done else TextRole.QUIET), *cell(card.title, text_role))


def _phase(card: Card, around: RowContext) -> Cell:
    column = around.columns[card.phase_id]
    return cell(f"{column.number} {column.name}")


def _due(card: Card, around: RowContext) -> Cell:
    if card.due is None:
        return ()
    if card.status in CLOSED:
        return cell(in_short(card.due, around.today))
    return cell(format_due(card.due, around.today), due_role(card.due, around.today))


def _who(card: Card, around: RowContext) -> Cell:
    """The name of one person in full, else first names; each in the person's colour."""
    known = [each for each in card.assignee_ids if each in around.members]
    if len(known) == 1:
        return cell(around.members[known[0]].name, around.team.colours.role(known[0]))
    return tuple(around.team.words(known, ENOUGH, around.look.ellipsis))


def _status(card: Card, around: RowContext) -> Cell:
    if mark := waiting_mark(card, around.look.signs):
        return (mark.word(brief=False),)
    text_role = {Status.COMPLETED: TextRole.DONE, Status.IN_PROGRESS: TextRole.SOON}.get(
        card.status or Status.TO_DO, TextRole.QUIET
    )
    return cell(TITLES[card.status], text_role) if card.status else ()


def _tasks(card: Card, _: RowContext) -> Cell:
    return cell(f"{card.tasks_done}/{card.tasks}") if card.tasks else ()


def _product_named(card: Card) -> str:
    """The name of the product, where it is not the title."""
    return card.holds if card.holds != card.title else ""


def _product(card: Card, _: RowContext) -> Cell:
    return cell(_product_named(card))


def _link(card: Card, around: RowContext) -> Cell:
    return cell(around.look.signs.link if card.has_link else "")


def _priority(card: Card, _: RowContext) -> Cell:
    word = priority_word(card.priority)
    return cell(priority_in_full(card.priority), word[1]) if word else ()


def _labels(card: Card, around: RowContext) -> Cell:
    return tuple(label_words(around.labels, card.labels, WIDEST))


_STATUS_ORDER: list[Status | None] = [None, Status.TO_DO, Status.IN_PROGRESS, Status.COMPLETED, Status.ARCHIVED]

TITLE = TableColumn(
    Column("Title", 28, 80, enough=44), _title, lambda card, _: (card.title.casefold(),), None, Sort.TITLE
)
KEY = TableColumn(
    Column("Key", 7, 11, rank=6),
    lambda card, around: cell(card_key(around.key, card.number) if card.number else "", TextRole.QUIET),
)
PHASE = TableColumn(Column("Phase", 16, 26, rank=4), _phase)
STATUS = TableColumn(
    Column("Status", 13, 22, rank=2), _status, lambda card, _: (_STATUS_ORDER.index(card.status), card.due or date.max)
)
ASSIGNEES = TableColumn(
    Column("Assigned to", 15, 40, rank=3, enough=ENOUGH),
    _who,
    lambda card, around: ((around.names(card) or [LAST])[0].casefold(), card.due or date.max),
    CardField.ASSIGNEES,
    Sort.ASSIGNEE,
    attrgetter("assignee_ids"),
)
PRIORITY = TableColumn(
    Column("Priority", 8, 9, rank=5),
    _priority,
    lambda card, _: (-card.priority.step, card.due or date.max),
    CardField.PRIORITY,
    Sort.PRIORITY,
    attrgetter("priority.shown"),
)
LABELS = TableColumn(
    Column("Labels", 10, WIDEST, rank=5),
    _labels,
    lambda card, around: ((around.label_names(card) or [LAST])[0], card.due or date.max),
    CardField.LABELS,
    Sort.LABEL,
    attrgetter("labels"),
)
DUE = TableColumn(
    Column("Due", 9, 10, rank=1),
    _due,
    lambda card, _: (card.due or date.max,),
    CardField.DUE,
    Sort.DUE,
    attrgetter("due"),
)
COMMENTS = TableColumn(
    Column("Comments", 8, 10, rank=5, right=True),
    lambda card, _: cell(card.comments or ""),
    lambda card, _: (-card.comments,),
    CardField.COMMENTS,
    says=attrgetter("comments"),
)
PARTS = (
    TITLE,
    KEY,
    PHASE,
    TableColumn(Column("Kind", 11, 11, rank=9), lambda card, _: cell(card.kind.lower()), lambda card, _: (card.kind,)),
    STATUS,
    ASSIGNEES,
    DUE,
    PRIORITY,
    LABELS,
    TableColumn(
        Column("Activity", 16, 40, rank=7),
        lambda card, around: cell(around.titles.get(card.activity_id or "", "")),
        says=attrgetter("activity_id"),
    ),
    TableColumn(Column("Tasks", 5, 7, rank=6, right=True), _tasks, None, CardField.TASKS, says=attrgetter("tasks")),
    COMMENTS,
    TableColumn(Column("Product", 12, 24, rank=8), _product, None, CardField.PRODUCT, says=_product_named),
    TableColumn(Column("Link", 4, 4, rank=10), _link, None, CardField.LINK, says=attrgetter("has_link")),
)
"""All columns, in their order. That of the phase is there while cards of several phases stand under each other."""


class CustomFieldColumn(Record, kw_only=False):
    """A custom field as a column of the Table."""

    field: CustomField

    def value(self, card: Card, around: RowContext) -> str:
        """The value of a card, of a person the name; "" without one."""
        value = next((each.value for each in card.values if each.key == self.field.key), "")
        if self.field.kind is FieldKind.PERSON:
            return around.members[value].name if value in around.members else ""
        return value

    def cell(self, card: Card, around: RowContext) -> Cell:
        return cell(one_line(value_words(self.field, self.value(card, around), around.today)))

    def sort_key(self, card: Card, around: RowContext) -> tuple[object, ...]:
        """Numbers by size, choices in their order, the rest by name; cards without a value come last."""
        value, choices = self.value(card, around), self.field.choices
        if value and self.field.kind is FieldKind.NUMBER:
            return not value, float(value), ""
        return not value, choices.index(value) if value in choices else len(choices), value.casefold()


@cache
def own_column(field: CustomField) -> TableColumn:
    """The column of a custom field, as wide as its name needs within bounds."""
    own, is_number = CustomFieldColumn(field), field.kind is FieldKind.NUMBER
    least = min(max(cells([(field.name, TextRole.QUIET)]), 5), 12)
    return TableColumn(
        Column(one_line(field.name), least, 18, rank=5, right=is_number),
        own.cell,
        own.sort_key,
        says=lambda card: any(each.key == field.key for each in card.values),
        own=field.key,
    )


SORTABLE = tuple(part for part in PARTS if part.key)


class RowFacts(NamedTuple):
    """The facts that the cells of a card are made of."""

    card: Card
    activity: str
    """The title of the activity that it is in."""
    is_below: bool
    """True if it stands below its activity."""
    shared: tuple[object, ...]
    """The facts that the cells of all cards are made of."""


def shared_facts(parts: Sequence[TableColumn], head: CanvasHeader, ascii_only: bool) -> tuple[object, ...]:
    """The facts that the cells of all cards are made of."""
    phases = tuple((column.id, column.number, column.name) for column in head.columns)
    return (*parts, head.today, head.key, head.members, head.labels, phases, ascii_only)


def cells_of(card: Card, parts: Sequence[TableColumn], around: RowContext) -> tuple[Cell, ...]:
    """The cells of a card in these columns."""
    return tuple(part.cell(card, around) for part in parts)


def heading_of(column: PhaseColumn) -> str:
    """The heading of the cards of a phase."""
    done = " · ".join([f"{column.tally.done}/{column.tally.total}", *map(sum_words, column.sums)])
    return f"{column.number} {column.name} · {column.state.lower()} · {done}"
