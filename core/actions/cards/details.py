"""One card or one phase in full: its fields and everything that belongs to it."""

from __future__ import annotations

from core.actions.cards.application_lists import ApplicationSummary, ListApplications
from core.actions.cards.comments import FIRST_PART, CommentSummary, comments_of
from core.actions.dependencies.lists import linked_cards
from core.actions.history.entries import HistoryEntry, item_history
from core.actions.workflow.canvas import cards_in
from core.actions.workflow.deliverables import DeliverableSummary, summaries
from core.actions.workflow.gate_record import SEALS_AT_ONCE, DecisionSummary, read_record
from core.actions.workflow.gates import GateCheck
from core.actions.workflow.phases import PhaseQuery
from core.domain.canvas import Card
from core.domain.dependencies import LinkedCards
from core.domain.fields import CustomField
from core.domain.labels import Label
from core.domain.model import Id, Item, Phase, PhaseState, Project, ProjectRole, Status, User
from core.domain.permissions import Permission
from core.domain.phase_states import Workflow, blocker
from core.domain.products.products import Application
from core.domain.statuses import CLOSED, ItemCounts
from core.engine.messages import Query
from core.engine.project_guard import names_of, owners
from core.engine.unit_of_work import Snapshot
from core.errors import Blocker
from core.record import Record
from core.rules.assignments import assigned_users
from core.rules.dependencies import make_blocked_error, open_blockers
from core.rules.fields import fields_of
from core.rules.gate_conditions import ConditionState, conditions_of
from core.rules.gate_readiness import make_locked_error
from core.rules.items import application_of, find_item, open_tasks_refusal, tasks_of, values_of
from core.rules.labels import labels_on
from core.rules.phases import read_workflow
from core.text.short_keys import card_key

MAX_OPEN_CARDS = 50
"""The most open cards that the page of a phase lists; its tally counts all of them."""


class Blockers(Record):
    """The reason why a card cannot start or be completed now: the rule, the items to finish, and who can unblock it."""

    reason: str
    blockers: tuple[Blocker, ...]
    who_can: tuple[str, ...]
    card_id: Id = ""
    """The card, or its activity, that waits for other cards, which an owner can override; else empty."""


class ShownField(Record):
    """A custom field of the project with its value on the card; both texts are empty where the card has none."""

    field: CustomField
    value: str
    """The value as cards have it: a number, a choice, an ISO date, a text, a link, or the id of a person."""
    shown: str
    """The value for people: the name of a person."""


class CardDetail(Record):
    """A task or an activity with everything that belongs to it."""

    key: str
    """The key of the card: AUT-12."""
    item: Item
    phase: Phase
    state: PhaseState
    activity: Item | None
    """The activity of a task."""
    tasks: tuple[Item, ...]
    """The tasks of an activity."""
    application: Application | None
    """The application of an activity."""
    people: tuple[User, ...]
    labels: tuple[Label, ...]
    """The labels of the card, by name."""
    comments: tuple[CommentSummary, ...]
    """The newest 20, the oldest of them first."""
    older_comments: int
    """The number of comments before these: ``ListComments`` lists them."""
    unreadable_comments: int
    """The number of those left out because a value is damaged. “podium doctor” names them."""
    fields: tuple[ShownField, ...]
    """All custom fields of the project, in order."""
    history: tuple[HistoryEntry, ...]
    condition: ConditionState | None
    """The condition of a gate that it was made for."""
    linked: LinkedCards
    """What it waits for, and what waits for it."""
    blocked: Blockers | None
    held: frozenset[Permission]


class GetCard(Query[CardDetail]):
    """Show one task or activity: its fields, people, comments and history, and what blocks it."""

    route = "GET /v1/items/{item_id}"
    permission = Permission.PROJECT_VIEW
    item_id: Id

    def scope(self, view: Snapshot) -> Id:
        return find_item(view, self.item_id, None).project_id

    def run(self, view: Snapshot) -> CardDetail:
        item = find_item(view, self.item_id, None)
        workflow = read_workflow(view, item.project_id)
        tasks = tuple(tasks_of(view, item))
        phase = workflow.phase(item.phase_id)
        page = comments_of(view, item, FIRST_PART)
        return CardDetail(
            key=card_key(view.get(Project, id=item.project_id).key, item.number),
            item=item,
            phase=phase,
            state=workflow.state(phase.id),
            activity=view.get(Item, project_id=item.project_id, id=item.activity_id) if item.activity_id else None,
            tasks=tasks,
            application=application_of(view, item),
            people=_people(view, item),
            labels=labels_on(view, item),
            comments=page.comments,
            older_comments=page.older,
            unreadable_comments=page.unreadable,
            fields=_fields(view, item),
            history=item_history(view, item.project_id, item.id),
            condition=next(iter(conditions_of(view, item.project_id, "item_id", [item.id])), None),
            linked=linked_cards(view, item),
            blocked=_find_blockers(view, workflow, item, tasks),
            held=view.held,
        )


class PhaseDetail(Record):
    """A phase with everything that belongs to it."""

    phase: Phase
    number: int
    state: PhaseState
    tally: ItemCounts
    members: tuple[User, ...]
    deliverables: tuple[DeliverableSummary, ...]
    gate: GateCheck
    decisions: tuple[DecisionSummary, ...]
    """The newest 20 entries of its gate record, the newest first; ``ListGateDecisions`` lists all."""
    older_decisions: int
    """The number of the others."""
    applications: tuple[ApplicationSummary, ...]
    open_cards: tuple[Card, ...]
    """The first open tasks and activities, in order."""
    role: ProjectRole | None
    held: frozenset[Permission]


class GetPhase(PhaseQuery[PhaseDetail]):
    """Show one phase: its objectives, deliverables, outcomes, members, open cards and gate."""

    route = "GET /v1/phases/{phase_id}"

    def run(self, view: Snapshot) -> PhaseDetail:
        workflow = read_workflow(view, view.scope)
        phase = workflow.phase(self.phase_id)
        roles = view.rows(
            "SELECT role FROM member WHERE project_id = :project_id AND user_id = :me",
            project_id=view.scope,
            me=view.actor.user_id,
        )
        decisions = read_record(view, workflow, phase.id)[::-1]
        return PhaseDetail(
            phase=phase,
            number=workflow.phases.index(phase) + 1,
            state=workflow.state(phase.id),
            tally=workflow.tally(phase.id),
            members=assigned_users(view, view.scope, phase.id),
            deliverables=summaries(view, phase),
            gate=GateCheck.read(view, workflow, phase),
            decisions=decisions[:SEALS_AT_ONCE],
            older_decisions=len(decisions[SEALS_AT_ONCE:]),
            applications=tuple(
                line
                for line in ListApplications(project_id=view.scope).run(view)
                if line.application.phase_id == phase.id
            ),
            open_cards=_open_cards(view, phase),
            role=ProjectRole(roles[0]["role"]) if roles else None,
            held=view.held,
        )


def _fields(view: Snapshot, item: Item) -> tuple[ShownField, ...]:
    """The custom fields of the project with the values of a card."""
    fields = fields_of(view, item.project_id)
    if not fields:
        return ()
    held = {value.field_id: value for value in values_of(view, item)}
    names = names_of(view, {value.user_id for value in held.values() if value.user_id})
    values = ((field, held.get(field.id)) for field in fields)
    return tuple(
        ShownField(
            field=field,
            value=value.held if value else "",
            shown=(names.get(value.user_id, "") if value.user_id else value.value) if value else "",
        )
        for field, value in values
    )


def _people(view: Snapshot, item: Item) -> tuple[User, ...]:
    """The assignee of a task, or the assigned members of an activity."""
    if item.assignee_id:
        return (view.get(User, id=item.assignee_id),)
    return assigned_users(view, item.project_id, item.id)


def _find_blockers(view: Snapshot, workflow: Workflow, item: Item, tasks: tuple[Item, ...]) -> Blockers | None:
    if item.status in CLOSED:
        return None
    if workflow.state(item.phase_id) is PhaseState.LOCKED:
        refused = make_locked_error(view, workflow, item.phase_id, f"“{item.title}” cannot start")
        return Blockers(reason=str(refused), blockers=refused.blockers, who_can=refused.who_can)
    cards = open_blockers(view, item)
    if cards.seen or cards.unseen:
        verb = "start" if item.status is Status.TO_DO else "be completed"
        waits = make_blocked_error(view, item, cards, f"“{item.title}” cannot {verb}")
        return Blockers(reason=str(waits), blockers=waits.blockers, who_can=waits.who_can, card_id=waits.card_id)
    open_tasks = [task for task in tasks if task.status not in CLOSED]
    if not open_tasks:
        return None
    phase = workflow.phase(item.phase_id)
    return Blockers(
        reason=open_tasks_refusal(item, len(open_tasks)),
        blockers=tuple(blocker(task, phase) for task in open_tasks),
        who_can=owners(view, item.project_id),
    )


def _open_cards(view: Snapshot, phase: Phase) -> tuple[Card, ...]:
    rows = view.tx.tuples(
        "SELECT id FROM item WHERE project_id = :project_id AND phase_id = :phase_id"
        " AND status IN ('TO_DO', 'IN_PROGRESS') ORDER BY rank, id LIMIT :most",
        project_id=phase.project_id,
        phase_id=phase.id,
        most=MAX_OPEN_CARDS,
    )
    cards = cards_in(view, phase.project_id, {row[0] for row in rows})
    return tuple(sorted(cards, key=lambda card: (card.rank, card.id)))
