"""The Canvas of a project: its phases and every card."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date
from itertools import chain
from typing import Any, TypeAlias

from core.domain.canvas import Canvas, CanvasHeader, CanvasMember, Card, PhaseColumn, PromisedDeliverable
from core.domain.fields import FieldValue, OwnField
from core.domain.grants import LOCAL
from core.domain.labels import Label
from core.domain.model import Id, ItemKind, Phase, Priority, Project, ProjectRole, Status
from core.domain.permissions import Permission
from core.domain.project_health import health
from core.domain.statuses import CLOSED, ItemCounts, is_done
from core.engine.item_counts import loaded
from core.engine.messages import ProjectQuery
from core.engine.unit_of_work import Snapshot, select
from core.errors import NotFound
from core.record import made_from, replace
from core.rules.active_preset import choice_of_preset, chosen_preset
from core.rules.card_fields import FIELDS_IN_ORDER, card_values, values_statement, with_sums
from core.rules.kept_folds import choice_of_folds, chosen_folds
from core.rules.labels import by_name, labels_by_card, labels_on_cards, labels_statement
from core.rules.phase_locks import PHASES_IN_ORDER, Workflow
from core.rules.project_dates import LINK_NAMES, NUMBERS, dates_in
from core.rules.waiting_cards import (
    LAST_CHANGES,
    NO_COUNTS,
    WaitingCounts,
    all_dependencies,
    waiting_counts,
    with_waiting_among,
)
from core.storage.database import Statement, batches, placeholders
from core.text.phrases import full_name, no_such


class GetCanvas(ProjectQuery[Canvas]):
    """Show the Canvas of a project: its phases and every card."""

    route = "GET /v1/projects/{project_id}/canvas"
    permission = Permission.PROJECT_VIEW

    def run(self, view: Snapshot) -> Canvas:
        head = head_of(view, self.project_id)
        numbers = {column.id: column.number for column in head.columns}
        of_user = (choice_of_preset(view, self.project_id), choice_of_folds(view, self.project_id))
        statements = [*_card_statements(self.project_id), _assignments(self.project_id)]
        statements += [all_dependencies(self.project_id), *of_user]
        labels = [labels_on_cards(self.project_id)] * bool(head.labels)
        values = [values_statement(self.project_id)] * bool(head.fields)
        read = view.tx.tuples_all([*statements, *labels, *values])
        *of_cards, waiting, choice, folds = read[: len(statements)]
        labels_of = labels_by_card(read[len(statements)]) if labels else {}
        cards = _all_cards(labels_of, card_values(read[-1]) if values else {}, waiting, *of_cards)
        cards.sort(key=lambda card: (numbers[card.phase_id], card.rank, card.id))
        preset = chosen_preset(view, self.project_id, choice, head.my_role)
        return Canvas(head=head, cards=tuple(cards), preset=preset, folds=chosen_folds(folds))


def head_of(view: Snapshot, project_id: Id) -> CanvasHeader:
    """Return the header. Most of it is the same for all users and computed once for them."""
    days = (view.today, view.actor.zone)
    shared = view.tx.kept(("canvas head", project_id, days), lambda: _shared_head(view, project_id))
    role = next((each.role for each in shared.members if each.user_id == view.actor.user_id), None)
    return replace(shared, my_role=role, held=view.held, authority=view.grant.authority)


_MEMBERS = (
    "SELECT user_id, first_name, last_name, login, role, active FROM member"
    " JOIN app_user ON app_user.id = member.user_id WHERE project_id = :project_id"
    " ORDER BY first_name, last_name, user_id"
)
_ASSIGNED_TO_PHASES = (
    "SELECT target_id, user_id FROM assignment WHERE project_id = :project_id"
    " AND target_id IN (SELECT id FROM phase WHERE project_id = :project_id) ORDER BY target_id, user_id"
)
_DELIVERABLES = "SELECT phase_id, name, done FROM deliverable WHERE project_id = :project_id ORDER BY rank, id"


def _shared_head(view: Snapshot, project_id: Id) -> CanvasHeader:
    of_project = (select(Project, "id = :project_id"), LINK_NAMES, select(Phase, PHASES_IN_ORDER), _MEMBERS)
    of_parts = (_ASSIGNED_TO_PHASES, _DELIVERABLES, NUMBERS, LAST_CHANGES, select(OwnField, FIELDS_IN_ORDER))
    projects, links, phases, members, assigned, deliverables, numbers, last_changes, own, labels = view.tx.tuples_all(
        [*((sql, {"project_id": project_id}) for sql in (*of_project, *of_parts)), labels_statement(project_id)]
    )
    if not projects:
        raise NotFound(no_such("project", project_id))
    [project], [(_, counts, completions, *dues)] = view.loaded(Project, projects), numbers
    [(seq, elsewhere)] = last_changes
    own_fields = view.loaded(OwnField, own)
    workflow = Workflow.made(view.loaded(Phase, phases), loaded(counts))
    return made_from(
        CanvasHeader,
        project,
        project_id=project_id,
        links=tuple(name for name in links[0] if name),
        my_role=None,
        held=frozenset(),
        authority=LOCAL,
        health=health(dates_in(view, project, workflow, completions, dues)),
        tally=sum(workflow.tallies.values(), ItemCounts()),
        columns=with_sums(view, project_id, _columns(workflow, _by_target(assigned), deliverables), own_fields),
        members=tuple(_member(*row) for row in members),
        labels=by_name(view.loaded(Label, labels)),
        today=view.today,
        seq=seq,
        fields=tuple(own_fields),
        elsewhere=elsewhere,
    )


def _columns(
    workflow: Workflow, assigned: dict[Id, tuple[Id, ...]], deliverables: Sequence[tuple[Any, ...]]
) -> tuple[PhaseColumn, ...]:
    promised: dict[Id, list[PromisedDeliverable]] = {}
    for phase_id, name, done in deliverables:
        promised.setdefault(phase_id, []).append(PromisedDeliverable(name, bool(done)))
    return tuple(
        _column(number, phase, workflow, assigned.get(phase.id, ()), tuple(promised.get(phase.id, ())))
        for number, phase in enumerate(workflow.phases, 1)
    )


def _column(
    number: int, phase: Phase, workflow: Workflow, member_ids: tuple[Id, ...], promised: tuple[PromisedDeliverable, ...]
) -> PhaseColumn:
    return made_from(
        PhaseColumn,
        phase,
        number=number,
        state=workflow.state(phase.id),
        tally=workflow.tally(phase.id),
        member_ids=member_ids,
        deliverables_done=sum(each.done for each in promised),
        deliverables=len(promised),
        promised=promised,
    )


def _member(user_id: Id, first_name: str, last_name: str, login: str, role: str, active: int) -> CanvasMember:
    return CanvasMember(
        user_id=user_id,
        name=full_name(first_name, last_name),
        login=login,
        role=ProjectRole(role),
        active=bool(active),
    )


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
    rows: Rows,
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
    cards = [_card(row, *of_each, held.get(row[0], ""), done[row[0]], tasks[row[0]]) for row in rows]
    return cards + [_application_card(row, people.get(row[0], ())) for row in applications]


def _cards_with(view: Snapshot, project_id: Id, ids: Sequence[Id]) -> list[Card]:
    """Return the cards of a project with these ids, in one batch."""
    of_own = (labels_on_cards(project_id, ids), values_statement(project_id, ids))
    rows, applications, comments, of_cards, values = view.tx.tuples_all([*_card_statements(project_id, ids), *of_own])
    activities = [row[0] for row in rows if row[1] == ItemKind.ACTIVITY]
    people = _assigned(view, project_id, [*activities, *(row[0] for row in applications)])
    tasks = _task_counts(view, project_id, activities) if activities else {}
    held = _held(view, project_id) if activities else {}
    of_each = (people, dict(comments), labels_by_card(of_cards), card_values(values), NO_COUNTS)
    cards = [_card(row, *of_each, held.get(row[0], ""), *tasks.get(row[0], (0, 0))) for row in rows]
    return cards + [_application_card(row, people.get(row[0], ())) for row in applications]


def _card_statements(project_id: Id, ids: Sequence[Id] | None = None) -> list[Statement]:
    """The statements that read the cards of a project, or those with these ids.

    They read the tasks and activities with CARD_COLUMNS, the applications with APPLICATION_COLUMNS, and the number of
    comments of each card.
    """
    statements: list[Statement] = []
    for sql, column in (
        (f"SELECT {CARD_COLUMNS} FROM item WHERE project_id = :project_id{{only}} ORDER BY id", "id"),
        (
            f"SELECT {APPLICATION_COLUMNS} FROM application JOIN product ON product.id = application.product_id"
            " WHERE project_id = :project_id{only} ORDER BY application.id",
            "application.id",
        ),
        (
            "SELECT item_id, count(*) FROM comment WHERE project_id = :project_id{only} GROUP BY item_id",
            "item_id",
        ),
    ):
        only, params = _among(column, ids)
        statements.append((sql.format(only=only), {"project_id": project_id, **params}))
    return statements


def _among(column: str, ids: Sequence[Id] | None) -> tuple[str, dict[str, object]]:
    """The SQL that limits a column to these ids, with its parameters; no limit for None."""
    if ids is None:
        return "", {}
    chosen, params = placeholders(ids)
    return f" AND {column} IN {chosen}", params


def _held(view: Snapshot, project_id: Id) -> dict[Id, str]:
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
        phase_id,
        rank,
        title,
        _STATUSES[status],
        date.fromisoformat(due) if due else None,
        activity_id,
        (assignee_id,) if assignee_id else people.get(item_id, ()),
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
    only, params = _among("target_id", target_ids)
    sql = f"SELECT target_id, user_id FROM assignment WHERE project_id = :project_id{only} ORDER BY target_id, user_id"
    return sql, {"project_id": project_id, **params}


def _assigned(view: Snapshot, project_id: Id, target_ids: Sequence[Id]) -> dict[Id, tuple[Id, ...]]:
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
