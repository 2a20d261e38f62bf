"""The Canvas of a project: its phases and every card."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from functools import lru_cache
from itertools import chain
from sys import intern
from typing import Any, TypeAlias

from core.domain.canvas import Canvas, CanvasHeader, Card, Folds, place_in
from core.domain.fields import FieldValue
from core.domain.model import Id, ItemKind, Priority, Status
from core.domain.permissions import Permission
from core.domain.statuses import CLOSED, is_done
from core.domain.view_settings import WORK, PhaseSection, Sort, ViewPreset
from core.engine.messages import ProjectQuery
from core.engine.unit_of_work import Snapshot
from core.errors import InvalidInput
from core.reads.canvas_header import header_of
from core.reads.project_state import state_of
from core.reads.waiting_cards import NO_COUNTS, WaitingCounts, all_dependencies, waiting_counts, with_waiting_among
from core.rules.active_preset import choice_of_folds, choice_of_preset, chosen_folds, chosen_preset
from core.rules.card_fields import card_values, values_statement
from core.rules.labels import labels_by_card, labels_on_cards
from core.storage.database import Statement, among, batches, placeholders


class GetCanvas(ProjectQuery[Canvas]):
    """Show the Canvas of a project: its phases and every card.

    ``most`` (1 to 1,000) asks only for the first cards of each section if the project has more than 2,000, and its
    preset neither sorts them nor leaves some out; ``unread`` is then the number of the others.
    """

    route = "GET /v1/projects/{project_id}/canvas"
    permission = Permission.PROJECT_VIEW

    most: int | None = None

    def run(self, view: Snapshot) -> Canvas:
        head = header_of(view, self.project_id)
        of_user = (choice_of_preset(view, self.project_id), choice_of_folds(view, self.project_id))
        if self.most is not None and (part := self._first_part(view, head, of_user)):
            return part
        statements = [*_card_statements(self.project_id), _assignments(self.project_id)]
        statements += [all_dependencies(self.project_id), *of_user]
        labels = [labels_on_cards(self.project_id)] * bool(head.labels)
        values = [values_statement(self.project_id)] * bool(head.fields)
        read = view.tx.tuples_all([*statements, *labels, *values])
        *of_cards, waiting, choice, folds = read[: len(statements)]
        labels_of = labels_by_card(read[len(statements)]) if labels else {}
        cards = _all_cards(labels_of, card_values(read[-1]) if values else {}, waiting, *of_cards)
        cards.sort(key=place_in(head))
        preset = chosen_preset(view, self.project_id, choice, head.my_role)
        return Canvas(head=head, cards=tuple(cards), preset=preset, folds=chosen_folds(folds))

    def _first_part(self, view: Snapshot, head: CanvasHeader, of_user: Sequence[Statement]) -> Canvas | None:
        """The first ``most`` cards of each section; None where the Canvas does not come in parts."""
        if self.most is None or not 1 <= self.most <= MAX_FIRST:
            raise InvalidInput("most", f"Ask for the first 1 to {MAX_FIRST:,} cards of each section.")
        choice, chosen = view.tx.tuples_all(of_user)
        preset, folds = chosen_preset(view, self.project_id, choice, head.my_role), chosen_folds(chosen)
        if not comes_in_parts(head, preset, folds):
            return None
        cards = sorted(cards_in(view, self.project_id, first_cards(view, head, self.most)), key=place_in(head))
        items = sum(card.kind is not ItemKind.APPLICATION for card in cards)
        return Canvas(head=head, cards=tuple(cards), preset=preset, folds=folds, unread=head.tally.every - items)


# -- the first cards of a large Canvas, which a screen shows while it reads the others ---------------------------------

MAX_FIRST = 1_000
"""The most cards of each section that the first part of a Canvas has."""

LARGE = 2_000
"""The number of cards above which a Canvas is read in parts; a smaller one is read as fast as its first part."""

SHOWN = (Status.TO_DO, Status.IN_PROGRESS, Status.COMPLETED)
"""The statuses that a Canvas shows unless archived cards are asked for."""

_IN_SAME_SECTION = (
    "activity.project_id = item.project_id AND activity.id = item.activity_id"
    " AND activity.phase_id = item.phase_id AND activity.status = item.status"
)
_FIRST = (
    "SELECT id, activity_id, kind FROM item"
    " WHERE project_id = :project_id AND phase_id = :phase_id AND status = :status"
    f" AND NOT (kind = '{ItemKind.TASK}' AND activity_id IS NOT NULL"
    f" AND EXISTS (SELECT 1 FROM item AS activity WHERE {_IN_SAME_SECTION}))"
    " ORDER BY rank, id LIMIT :most"
)
_TASKS = (
    "SELECT item.id FROM item JOIN item AS activity ON {same}"
    " WHERE item.project_id = :project_id AND item.activity_id IN {chosen}"
)


def comes_in_parts(head: CanvasHeader, preset: ViewPreset, folds: Folds) -> bool:
    """Return whether the first part of a Canvas can be read by itself: it is large, in the order of its ranks, and
    nothing is left out of it."""
    viewing, phases = preset.viewing, {column.id for column in head.columns}
    shows_work = {*WORK} <= {*viewing.sections} and PhaseSection.ARCHIVED not in viewing.sections
    is_plain = shows_work and viewing.sort is Sort.ORDER and not viewing.filter and phases >= {*folds.folded}
    return is_plain and head.tally.every > LARGE


def first_cards(view: Snapshot, head: CanvasHeader, most: int) -> set[Id]:
    """Return the ids of the first ``most`` cards of each section, of the tasks below them, and of all applications.

    A task that is below its activity comes with it. The activities of other tasks are among them too, because these
    cards show their titles.
    """
    project_id = head.project_id
    asked: list[Statement] = [
        (_FIRST, {"project_id": project_id, "phase_id": column.id, "status": status, "most": most})
        for column in head.columns
        for status in SHOWN
        if column.tally.of(status)
    ]
    applications = "SELECT id, NULL, NULL FROM application WHERE project_id = :project_id"
    *sections, held = view.tx.tuples_all([*asked, (applications, {"project_id": project_id})])
    rows = [row for section in sections for row in section]
    activities = sorted(row[0] for row in rows if row[2] == ItemKind.ACTIVITY)
    tasks = [_tasks_below(project_id, batch) for batch in batches(activities)]
    found = {row[0] for row in (*rows, *held)} | {row[1] for row in rows if row[1]}
    return found | {row[0] for read in view.tx.tuples_all(tasks) for row in read}


def _tasks_below(project_id: Id, activity_ids: Sequence[Id]) -> Statement:
    chosen, params = placeholders(activity_ids)
    return _TASKS.format(same=_IN_SAME_SECTION, chosen=chosen), {"project_id": project_id, **params}


# -- the cards -------------------------------------------------------------------------------------------------------

APPLICATION_COLUMNS = (
    "application.id, phase_id, rank, application.name, activity_id, due, product.name, application.version"
)
CARD_COLUMNS = (
    "id, kind, phase_id, rank, title, status, due, activity_id, assignee_id, link <> '', version, archived_from,"
    " number, priority"
)


Rows: TypeAlias = Sequence[tuple[Any, ...]]
OfCards: TypeAlias = dict[Id, tuple[Id, ...]]
"""Ids of people or labels, by the id of the card."""
ValuesOfCards: TypeAlias = dict[Id, tuple[FieldValue, ...]]


def _all_cards(
    labels: OfCards,
    values: ValuesOfCards,
    waiting: Rows,
    rows: list[tuple[Any, ...]],
    applications: Rows,
    comments: Rows,
    assignments: Rows,
) -> list[Card]:
    """Return every card of a project, from the rows of the statements of ``GetCanvas``."""
    people, comments_of = _by_target(assignments), dict[Id, int](comments)
    held = {row[4]: row[3] for row in applications if row[4]}
    done, tasks = Counter[Id](), Counter[Id]()
    for row in rows:
        status, activity_id, archived_from = row[5], row[7], row[11]
        if activity_id and (is_done(status, archived_from) or status != Status.ARCHIVED):
            tasks[activity_id] += 1
            done[activity_id] += is_done(status, archived_from)
    counts = waiting_counts(waiting, {row[0]: row[5] not in CLOSED for row in rows}) if waiting else NO_COUNTS
    of_each = (people, comments_of, labels, values, counts)
    cards = [_card(row, *of_each, held.get(row[0], ""), done[row[0]], tasks[row[0]]) for row in _drain(rows)]
    return cards + [_application_card(row, people.get(row[0], ())) for row in applications]


def _drain(rows: list[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    """Each row in turn, which the list forgets: rows and cards of a large project never fill memory together."""
    rows.reverse()
    while rows:
        yield rows.pop()


def _cards_with(view: Snapshot, project_id: Id, ids: Sequence[Id]) -> list[Card]:
    """Return the cards of a project with these ids, in one batch. Nothing is read of what the project does not use."""
    state, (only, params) = state_of(view, project_id), among("id", ids)
    statements: list[Statement] = [(_ITEMS.format(more=_COMMENTS, only=only), {"project_id": project_id, **params})]
    statements += [_applications(project_id, ids)] if state.has_applications else []
    statements += [labels_on_cards(project_id, ids)] if state.has_labels else []
    statements += [values_statement(project_id, ids)] if state.has_fields else []
    rows, *others = view.tx.tuples_all(statements)
    further = iter(others)
    applications = next(further) if state.has_applications else []
    labels = labels_by_card(next(further)) if state.has_labels else {}
    values = card_values(next(further)) if state.has_fields else {}
    activities = [row[0] for row in rows if row[1] == ItemKind.ACTIVITY]
    people = _list_assigned_ids(view, project_id, [*activities, *(row[0] for row in applications)])
    tasks = _task_counts(view, project_id, activities) if activities else {}
    held = _list_application_names(view, project_id) if activities and state.has_applications else {}
    of_each = (people, {row[0]: row[-1] for row in rows}, labels, values, NO_COUNTS)
    cards = [_card(row[:-1], *of_each, held.get(row[0], ""), *tasks.get(row[0], (0, 0))) for row in rows]
    return cards + [_application_card(row, people.get(row[0], ())) for row in applications]


_ITEMS = f"SELECT {CARD_COLUMNS}{{more}} FROM item WHERE project_id = :project_id{{only}} ORDER BY id"
_COMMENTS = ", (SELECT count(*) FROM comment WHERE comment.project_id = item.project_id AND comment.item_id = item.id)"


def _card_statements(project_id: Id) -> list[Statement]:
    """The statements that read the cards of a project: the tasks and activities with CARD_COLUMNS, the applications
    with APPLICATION_COLUMNS, and the number of comments of each card."""
    comments = "SELECT item_id, count(*) FROM comment WHERE project_id = :project_id GROUP BY item_id"
    of_project = {"project_id": project_id}
    return [(_ITEMS.format(more="", only=""), of_project), _applications(project_id), (comments, of_project)]


def _applications(project_id: Id, ids: Sequence[Id] | None = None) -> Statement:
    """The statement that reads the applications of a project, or those with these ids."""
    only, params = among("application.id", ids)
    sql = (
        f"SELECT {APPLICATION_COLUMNS} FROM application JOIN product ON product.id = application.product_id"
        f" WHERE project_id = :project_id{only} ORDER BY application.id"
    )
    return sql, {"project_id": project_id, **params}


def _list_application_names(view: Snapshot, project_id: Id) -> dict[Id, str]:
    """The names of the applications of activities, by activity."""
    rows = view.tx.tuples(
        "SELECT activity_id, name FROM application WHERE project_id = :project_id AND activity_id IS NOT NULL",
        project_id=project_id,
    )
    return dict(rows)


def cards_in(view: Snapshot, project_id: Id, ids: set[Id]) -> list[Card]:
    """Return the cards of a project with these ids."""
    cards = [card for batch in batches(sorted(ids)) for card in _cards_with(view, project_id, batch)]
    return with_waiting_among(view, project_id, cards)


_KINDS = {kind.value: kind for kind in ItemKind}
_STATUSES = {status.value: status for status in Status}
_PRIORITIES = {priority.value: priority for priority in Priority}


_day = lru_cache(4_000)(date.fromisoformat)
"""The same object for the same day: cards share their dates."""


@lru_cache(4_000)
def _alone(person: Id) -> tuple[Id, ...]:
    """The one person of a card, the same object for each card of theirs."""
    return (person,)


def _card(
    row: tuple[Any, ...],
    people: OfCards,
    comments: dict[Id, int],
    labels: OfCards,
    values: ValuesOfCards,
    counts: WaitingCounts,
    holds: str,
    done: int,
    tasks: int,
) -> Card:
    item_id, kind, phase_id, rank, title, status, due, activity_id, assignee_id, *more = row
    has_link, version, _, number, priority = more
    return Card(
        item_id,
        _KINDS[kind],
        intern(phase_id),
        rank,
        title,
        _STATUSES[status],
        _day(due) if due else None,
        activity_id,
        _alone(assignee_id) if assignee_id else people.get(item_id, ()),
        bool(has_link),
        holds,
        comments.get(item_id, 0),
        done,
        tasks,
        version,
        number,
        _PRIORITIES[priority],
        labels.get(item_id, ()),
        values.get(item_id, ()),
        *((0, 0, 0) if status in CLOSED or counts is NO_COUNTS else counts.of(item_id, activity_id)),
    )


def _application_card(row: tuple[Any, ...], people: tuple[Id, ...]) -> Card:
    application_id, phase_id, rank, name, activity_id, due, product, version = row
    return Card(
        application_id,
        ItemKind.APPLICATION,
        phase_id,
        rank,
        name,
        None,
        date.fromisoformat(due) if due else None,
        activity_id,
        people,
        False,
        product,
        0,
        0,
        0,
        version,
    )


def _assignments(project_id: Id, target_ids: Sequence[Id] | None = None) -> Statement:
    """The statement that reads who is assigned to each phase, activity and application, or to each of these targets."""
    only, params = among("target_id", target_ids)
    sql = f"SELECT target_id, user_id FROM assignment WHERE project_id = :project_id{only} ORDER BY target_id, user_id"
    return sql, {"project_id": project_id, **params}


def _list_assigned_ids(view: Snapshot, project_id: Id, target_ids: Sequence[Id]) -> dict[Id, tuple[Id, ...]]:
    """The ids of the users assigned to each of these activities and applications."""
    return _by_target(chain(*view.tx.tuples_all([_assignments(project_id, ids) for ids in batches(target_ids)])))


def _by_target(rows: Iterable[tuple[Id, Id]]) -> dict[Id, tuple[Id, ...]]:
    """The ids of the users by the id of the record that they are assigned to, in the order of the rows."""
    found: dict[Id, tuple[Id, ...]] = {}
    for target_id, user_id in rows:
        found[target_id] = (*found.get(target_id, ()), user_id)
    return found


DONE = "(status = 'COMPLETED' OR archived_from = 'COMPLETED')"
"""The condition of ``is_done``: only an archived item has ``archived_from``."""


def _task_counts(view: Snapshot, project_id: Id, activity_ids: list[Id]) -> dict[Id, tuple[int, int]]:
    """The numbers of tasks that are done, and of those and the open ones, by activity."""
    found: dict[Id, tuple[int, int]] = {}
    for batch in batches(activity_ids):
        chosen, params = placeholders(batch)
        for activity_id, done, tasks in view.tx.tuples(
            f"SELECT activity_id, count(*) FILTER (WHERE {DONE}),"
            f" count(*) FILTER (WHERE status <> 'ARCHIVED' OR {DONE}) FROM item"
            f" WHERE project_id = :project_id AND activity_id IN {chosen} GROUP BY activity_id",
            project_id=project_id,
            **params,
        ):
            found[activity_id] = (done, tasks)
    return found
