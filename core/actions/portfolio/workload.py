"""The workload: how many open cards each person has in each of the next weeks, over the user's projects."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from itertools import chain
from typing import Any

from core.actions.portfolio.my_projects import PortfolioQuery
from core.domain.fields import Number, add_numbers, number_of
from core.domain.grants import PermissionQuery
from core.domain.model import WEEK_LIMIT, Id
from core.engine.messages import R_co
from core.engine.unit_of_work import Snapshot
from core.errors import InvalidInput
from core.reads.open_items import OPEN_COLUMNS, OpenItem, with_phases
from core.reads.workflows import phases_in
from core.record import COLLECTION, Record, field
from core.rules.card_fields import THOUSANDTHS
from core.rules.visibility import by_answers
from core.storage.database import placeholders
from core.text.phrases import count, full_name

WEEKS = 8
"""The weeks of a workload, unless the query says another number."""

MAX_WEEKS = 26
"""The most weeks of a workload."""

MAX_CARDS = 500
"""The most cards of one number that are listed."""

NOBODY = ""
"""The ``user_id`` of the cards without a person."""

OF_FIELD = (
    " JOIN item_field ON item_field.project_id = item.project_id AND item_field.item_id = item.id"
    " JOIN field ON field.project_id = item_field.project_id AND field.id = item_field.field_id"
    " AND field.key = :sum AND field.sums = 1 AND field.removed = 0"
)
"""The values of the field that is added up, joined to the cards."""

_OPEN = "item.status IN ('TO_DO', 'IN_PROGRESS')"
_WHO = (
    ("item.assignee_id", "item", "item.assignee_id IS NOT NULL"),
    (
        "assignment.user_id",
        "item JOIN assignment ON assignment.project_id = item.project_id AND assignment.target_id = item.id",
        "item.kind = 'ACTIVITY'",
    ),
    (
        f"'{NOBODY}'",
        "item",
        "item.assignee_id IS NULL AND NOT EXISTS (SELECT 1 FROM assignment"
        " WHERE assignment.project_id = item.project_id AND assignment.target_id = item.id)",
    ),
)
"""How cards name their people: the column, the tables and a condition, for tasks, activities and the rest."""


class PersonWorkload(Record):
    """The open cards of one person, counted, or a field added up. A card that two people share counts for both."""

    user_id: Id
    """Empty for the cards without a person."""
    name: str
    active: bool
    late: Number
    """Due before today."""
    weeks: tuple[Number, ...]
    """Due in each week from this one on; in this week from today on."""
    later: Number
    undated: Number

    @property
    def total(self) -> Number:
        """All of the open cards."""
        return add_numbers(self.late, *self.weeks, self.later, self.undated)


class Workload(Record):
    """The people with open cards, by name. The cards without a person come last."""

    lines: tuple[PersonWorkload, ...] = field(name=COLLECTION)
    today: date
    monday: date
    """The first day of the first week."""
    sums: tuple[str, ...] = ()
    """The keys of the custom fields that can be added up instead of counting cards."""
    week_limit: int = WEEK_LIMIT
    """The open cards of one person in a week above which it is marked. A sum of a field has no limit."""

    def is_over_limit(self, person: PersonWorkload, many: Number) -> bool:
        """True if one person has too many open cards in a week, where ``many`` counts cards."""
        return person.user_id != NOBODY and many > self.week_limit

    def describe_limit(self) -> str:
        """The meaning of the mark, after its sign: "more than 5 open cards in a week"."""
        return f"more than {count(self.week_limit, 'open card')} in a week"


class WorkloadQuery(PortfolioQuery[R_co]):
    """A query over the open cards of the projects that the user can see."""

    def asks(self, view: Snapshot) -> tuple[PermissionQuery, ...]:
        return tuple(self.questions(view).values())

    def _cards(self, view: Snapshot) -> tuple[str, dict[str, Any]]:
        """The condition that a card is open and in one of the projects, and its parameters."""
        where, params = self.where()
        unseen, others = placeholders(by_answers(view, self.questions(view)).hidden, "hidden")
        condition = (
            f"{_OPEN} AND item.project_id IN (SELECT project.id FROM {where})"
            f" AND item.project_id NOT IN (SELECT project_id FROM unfinished) AND item.project_id NOT IN {unseen}"
        )
        return condition, {"me": view.actor.user_id, **params, **others}


class GetWorkload(WorkloadQuery[Workload]):
    """Count the open cards of each person in my projects, by the week in which they are due.

    ``weeks`` (1 to 26) is the number of weeks, the current one included. With ``sum``, the key of a custom field that
    sums, its numbers are added up instead, over the projects that have it.
    """

    route = "GET /v1/workload"
    weeks: int = WEEKS
    sum: str = ""

    def run(self, view: Snapshot) -> Workload:
        if not 1 <= self.weeks <= MAX_WEEKS:
            raise InvalidInput("weeks", f"A workload has 1 to {MAX_WEEKS} weeks.")
        condition, params = self._cards(view)
        number, joined, limits = (THOUSANDTHS, OF_FIELD, {"sum": self.sum}) if self.sum else ("count(*)", "", {})
        by_due = [
            f"SELECT {who} AS user_id, item.due, {number} FROM {tables}{joined}"
            f" WHERE {condition} AND {its} GROUP BY 1, 2"
            for who, tables, its in _WHO
        ]
        visible = condition.removeprefix(f"{_OPEN} AND ").replace("item.project_id", "field.project_id")
        keys = f"SELECT DISTINCT key FROM field WHERE sums = 1 AND removed = 0 AND {visible} ORDER BY key"
        *found, sums = view.tx.tuples_all([*((sql, {**params, **limits}) for sql in by_due), (keys, params)])
        dues: dict[Id, dict[str | None, int]] = {}
        for user_id, due, many in chain.from_iterable(found):
            of_user = dues.setdefault(user_id, {})
            of_user[due] = of_user.get(due, 0) + (many if self.sum else many * 1000)
        chosen, ids = placeholders(dues)
        people = view.tx.tuples(f"SELECT id, first_name, last_name, active FROM app_user WHERE id IN {chosen}", **ids)
        known = {user_id: (full_name(first, last), active == 1) for user_id, first, last, active in people}
        monday = view.today - timedelta(days=view.today.weekday())
        lines = [
            _person(user_id, *known.get(user_id, ("", False)), _Weeks(view.today, monday, self.weeks), of_user)
            for user_id, of_user in dues.items()
        ]
        lines.sort(key=lambda line: (line.user_id == NOBODY, line.name.casefold(), line.user_id))
        return Workload(
            lines=tuple(lines),
            today=view.today,
            monday=monday,
            sums=tuple(key for (key,) in sums),
            week_limit=view.read_workspace().week_limit,
        )


class WorkloadCards(Record):
    """Open cards by due date, those without one last."""

    lines: tuple[OpenItem, ...] = field(name=COLLECTION)
    today: date
    more: bool
    """True if there are more than are listed."""


class ListWorkloadCards(WorkloadQuery[WorkloadCards]):
    """List the open cards behind a number of the workload: those of one person, due in a period.

    ``user_id`` is empty for the cards without a person. ``since`` and ``until`` are the first and the last
    day; without both, and with ``undated``, those without a due date.
    """

    route = "GET /v1/workload/cards"
    user_id: Id = NOBODY
    since: date | None = None
    until: date | None = None
    undated: bool = False

    def run(self, view: Snapshot) -> WorkloadCards:
        condition, params = self._cards(view)
        if self.undated:
            condition += " AND item.due IS NULL"
        for day, name, sign in ((self.since, "since", ">="), (self.until, "until", "<=")):
            if day is not None:
                condition += f" AND item.due {sign} :{name}"
                params[name] = day.isoformat()
        params |= {"user_id": self.user_id, "most": MAX_CARDS + 1}
        found = " UNION ALL ".join(
            f"SELECT {OPEN_COLUMNS} FROM {tables} WHERE {condition} AND {its} AND {who} = :user_id"
            for who, tables, its in _WHO
        )
        rows = view.tx.tuples(f"{found} ORDER BY due NULLS LAST, id LIMIT :most", **params)
        listed = rows[:MAX_CARDS]
        return WorkloadCards(
            lines=with_phases(listed, phases_in(view, {row[0] for row in listed}, gates_of=())),
            today=view.today,
            more=len(rows) > MAX_CARDS,
        )


class _Weeks(Record, kw_only=False):
    today: date
    monday: date
    count: int


def _person(user_id: Id, name: str, active: bool, weeks: _Weeks, dues: Mapping[str | None, int]) -> PersonWorkload:
    """The line of a person, from the thousandths of each due date."""
    late = later = undated = 0
    by_week = [0] * weeks.count
    for day, many in dues.items():
        due = date.fromisoformat(day) if day else None
        if due is None:
            undated += many
        elif due < weeks.today:
            late += many
        elif (number := (due - weeks.monday).days // 7) < weeks.count:
            by_week[number] += many
        else:
            later += many
    return PersonWorkload(
        user_id=user_id,
        name=name,
        active=active,
        late=number_of(late),
        weeks=tuple(map(number_of, by_week)),
        later=number_of(later),
        undated=number_of(undated),
    )
