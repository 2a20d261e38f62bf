"""A project as a tree of parts: the source of a template, and the target of a merge."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from typing import TypeVar

from core.domain.fields import CustomField, FieldKind, FieldValue, ItemField
from core.domain.gate_policy import Deciding, GateCondition, GateCriterion, GatePolicy
from core.domain.gates import Deliverable
from core.domain.model import Assignment, Gate, Id, Item, ItemKind, Member, Phase, PhaseState, Project, Status, User
from core.domain.products.products import Application, MetaRole, Product
from core.domain.templates import (
    TemplateApplication,
    TemplateCriterion,
    TemplateDeliverable,
    TemplateField,
    TemplateItem,
    TemplatePart,
    TemplatePhase,
    TemplatePolicy,
)
from core.engine.unit_of_work import Snapshot
from core.errors import InvalidInput
from core.record import Record, made_from, replace
from core.rules.fields import fields_of, plain_value
from core.rules.gate_filters import REMOVED, show_filters
from core.rules.labels import label_names
from core.rules.member_roles import MemberRoles
from core.rules.phases import read_workflow

T = TypeVar("T")
OF_ONE_PROJECT = frozenset({FieldKind.DATE, FieldKind.PERSON})
"""The kinds of fields whose values a template does not take over."""
Row = Phase | Deliverable | GateCriterion | Item | Application


class LiveNode(Record, kw_only=False):
    """A part of a project. ``closed`` is the reason why it must not be changed any more, or ""."""

    part: TemplatePart
    """The part as a template has it, without the parts in it."""
    record: Row
    children: tuple[LiveNode, ...] = ()
    people: tuple[Id, ...] = ()
    """The users who are assigned."""
    closed: str = ""
    archived: bool = False
    is_condition: bool = False
    """True for a card that a gate of this project set as a condition."""
    policy: GatePolicy | None = None
    """Of a phase, with the people whom the part has as slots."""

    @property
    def what(self) -> str:
        return self.part.what

    @property
    def name(self) -> str:
        return self.part.name

    @property
    def fields(self) -> Mapping[str, object]:
        return self.part.fields


class ProjectTeam:
    """The members of a project and their meta roles on it."""

    def __init__(self, view: Snapshot, project_id: Id) -> None:
        held = MemberRoles(view, project_id)
        members = view.all(Member, "project_id = :project_id", project_id=project_id)
        users = view.all(
            User, "id IN (SELECT user_id FROM member WHERE project_id = :project_id)", project_id=project_id
        )
        order = {user.id: (user.name.casefold(), user.id) for user in users}
        active = {user.id for user in users if user.active}
        self._roles: dict[Id, tuple[str, ...]] = {}
        self._given: dict[str, list[Id]] = {}
        self._brought: dict[str, list[Id]] = {}
        for member in sorted(members, key=lambda each: order[each.user_id]):
            roles = sorted(held.meta_roles_of(member), key=lambda each: not each.given)
            self._roles[member.user_id] = tuple(each.meta_role.name for each in roles)
            for each in roles if member.user_id in active else ():
                having = self._given if each.given else self._brought
                having.setdefault(each.meta_role.name.casefold(), []).append(member.user_id)

    def filling(self, slots: Iterable[str]) -> tuple[Id, ...]:
        """The active members with one of these meta roles, ordered by name.

        If members were given a role explicitly, members who have it through their project role do not count: an owner
        is Lead of everything, and is not meant if another member is Lead.
        """
        words = [slot.casefold() for slot in slots]
        found = [user for word in words for user in self._given.get(word) or self._brought.get(word, [])]
        return tuple(dict.fromkeys(found))

    def roles_of(self, people: Iterable[Id], wanted: Iterable[str] = ()) -> tuple[str, ...]:
        """The meta roles that represent these people, ordered by name.

        For each person these are the ``wanted`` ones that they have, else one that they were given, else one of their
        project role; none for a person without meta roles.
        """
        words = {each.casefold() for each in wanted}
        found: set[str] = set()
        for roles in filter(None, map(self._roles.get, people)):
            found.update([role for role in roles if role.casefold() in words] or roles[:1])
        return tuple(sorted(found, key=str.casefold))

    def with_open(self, roles: Iterable[str], asked: Iterable[str]) -> tuple[str, ...]:
        """The roles, and those of ``asked`` that no member was given explicitly, ordered by name."""
        return tuple(
            sorted({*roles, *(each for each in asked if each.casefold() not in self._given)}, key=str.casefold)
        )

    def policy_as_asked(self, live: LiveNode, asked: object) -> TemplatePolicy | None:
        """The policy of a phase, with the roles of ``asked`` for people who have them, and for those to be named."""
        has, row = live.fields["policy"], live.policy
        if not isinstance(has, TemplatePolicy) or not isinstance(asked, TemplatePolicy) or row is None:
            return has if isinstance(has, TemplatePolicy) else None
        if has.deciders is asked.deciders is Deciding.PEOPLE:
            has = replace(has, roles=self.with_open(self.roles_of(row.people, asked.roles), asked.roles))
        secretary = (asked.secretary,) if asked.secretary else ()
        slot = self.roles_of(_secretary(row), secretary) or self.with_open((), secretary)
        return replace(has, secretary=next(iter(slot), ""))

    def are(self, people: Iterable[Id], slots: Iterable[str]) -> bool:
        """Return True if all these people are members with one of these meta roles."""
        words = {slot.casefold() for slot in slots}
        return all(words & {role.casefold() for role in self._roles.get(user, ())} for user in people)


class ProjectTree(Record, kw_only=False):
    """All phases of a project in order, with all their parts; archived items come last."""

    parts: tuple[LiveNode, ...]
    team: ProjectTeam
    fields: tuple[CustomField, ...]
    """The custom fields of the project."""

    @property
    def fields_as_template(self) -> tuple[TemplateField, ...]:
        return tuple(made_from(TemplateField, field) for field in self.fields)

    @property
    def fields_taken(self) -> tuple[CustomField, ...]:
        """The custom fields whose values a template has."""
        return tuple(field for field in self.fields if field.kind not in OF_ONE_PROJECT)


def read_project_tree(view: Snapshot, project: Project, *, archived: bool = True) -> ProjectTree:
    """Read the workflow of a project, with or without archived items."""
    return _Reader(view, project, archived).read()


def first_day(project: Project) -> date:
    """The day from which the days of a template count: the project's start, else the day of its creation."""
    return project.start or project.created_at.astimezone().date()


def _secretary(policy: GatePolicy) -> tuple[Id, ...]:
    return (policy.secretary_id,) if policy.secretary_id else ()


def takes(field: CustomField | TemplateField, value: str) -> bool:
    """Return True if a field of a project can have a value of a template."""
    if field.kind in OF_ONE_PROJECT:
        return False
    try:
        plain_value(field.kind, field.choices, value)
    except InvalidInput:
        return False
    return True


class _Reader:
    """Reads the rows of one project and groups them by what they belong to."""

    def __init__(self, view: Snapshot, project: Project, archived: bool) -> None:
        def rows(record: type[T], order: str = " ORDER BY rank, id") -> list[T]:
            return view.all(record, f"project_id = :project_id{order}", project_id=project.id)

        self.start = first_day(project)
        self.team = ProjectTeam(view, project.id)
        self.workflow = read_workflow(view, project.id)
        self.items: dict[Id, list[Item]] = {}
        for item in rows(Item, ("" if archived else " AND status <> 'ARCHIVED'") + " ORDER BY rank, id"):
            self.items.setdefault(item.activity_id or item.phase_id, []).append(item)
        self.applications: dict[Id, list[Application]] = {}
        for each in rows(Application):
            self.applications.setdefault(each.activity_id or each.phase_id, []).append(each)
        self.deliverables: dict[Id, list[Deliverable]] = {}
        for deliverable in rows(Deliverable):
            self.deliverables.setdefault(deliverable.phase_id, []).append(deliverable)
        self.conditions = {each.item_id for each in rows(GateCondition, " AND item_id IS NOT NULL")}
        self.criteria = rows(GateCriterion)
        self.filters = show_filters(view, (each.filter for each in self.criteria))
        self.labels = label_names(view, project.id)
        self.people: dict[Id, list[Id]] = {}
        for assignment in rows(Assignment, " ORDER BY user_id"):
            self.people.setdefault(assignment.target_id, []).append(assignment.user_id)
        self.policies = {each.phase_id: each for each in rows(GatePolicy, "")}
        self.meta_roles = {each.id: each.name for each in view.all(MetaRole, "1 = 1")} if self.policies else {}
        self.fields = fields_of(view, project.id)
        kept = {field.id: field.key for field in self.fields if field.kind not in OF_ONE_PROJECT}
        place = {field.id: number for number, field in enumerate(self.fields)}
        self.values: dict[Id, tuple[FieldValue, ...]] = {}
        held = rows(ItemField, "") if kept else []
        taken = (value for value in held if value.field_id in kept)
        for value in sorted(taken, key=lambda each: place[each.field_id]):
            found = FieldValue(key=kept[value.field_id], value=value.value)
            self.values[value.item_id] = (*self.values.get(value.item_id, ()), found)
        used = "id IN (SELECT product_id FROM application WHERE project_id = :project_id)"
        self.products: Mapping[Id, str] = {
            each.id: each.name for each in view.all(Product, used, project_id=project.id)
        }

    def read(self) -> ProjectTree:
        return ProjectTree(tuple(map(self._phase, self.workflow.phases)), self.team, tuple(self.fields))

    def _days(self, due: date | None) -> int | None:
        return None if due is None else (due - self.start).days

    def _list_assigned(self, record: Row) -> tuple[Id, ...]:
        if isinstance(record, Item) and record.kind is ItemKind.TASK:
            return (record.assignee_id,) if record.assignee_id else ()
        return tuple(self.people.get(record.id, ()))

    def _phase(self, phase: Phase) -> LiveNode:
        closed = "the phase is complete" if self.workflow.state(phase.id) is PhaseState.COMPLETE else ""
        people = self._list_assigned(phase)
        policy = self.policies.get(phase.id) if phase.gate is Gate.REVIEW else None
        part = made_from(
            TemplatePhase,
            phase,
            policy=self._policy(policy) if policy else None,
            due_days=self._days(phase.due),
            slots=self.team.roles_of(people),
            no_statements=phase.evidence_required and not phase.accepts_statements,
        )
        children = (
            *(self._deliverable(each, closed) for each in self.deliverables.get(phase.id, ())),
            *(self._criterion(each, closed) for each in self.criteria if each.phase_id == phase.id),
            *self._items(phase.id, closed),
            *(self._application(each, closed) for each in self.applications.get(phase.id, ())),
        )
        return LiveNode(part, phase, children, people, closed, policy=policy)

    def _policy(self, policy: GatePolicy) -> TemplatePolicy:
        role = self.meta_roles.get(policy.meta_role_id or "")
        return made_from(
            TemplatePolicy,
            policy,
            deciders=Deciding.PEOPLE if policy.deciders is Deciding.META_ROLE and not role else policy.deciders,
            roles=(role,) if role else self.team.roles_of(policy.people),
            due_days=self._days(policy.decide_by),
            secretary=next(iter(self.team.roles_of(_secretary(policy))), ""),
        )

    def _deliverable(self, each: Deliverable, closed: str) -> LiveNode:
        reason = closed or ("it is done" if each.done else "")
        return LiveNode(TemplateDeliverable(each.name), each, closed=reason)

    def _criterion(self, each: GateCriterion, closed: str) -> LiveNode:
        """A criterion. One about something that was removed counts as archived: no template has it."""
        people = (each.person_id,) if each.person_id else ()
        field = next((field.key for field in self.fields if field.id == each.field_id), "")
        part = made_from(
            TemplateCriterion,
            each,
            slots=self.team.roles_of(people),
            filter=self.filters.get(each.filter, ""),
            field=field,
        )
        gone = REMOVED in part.filter or bool(each.field_id and not field)
        return LiveNode(part, each, (), people, closed or ("it is met" if each.met_at else ""), archived=gone)

    def _items(self, within: Id, closed: str) -> list[LiveNode]:
        found = [self._item(item, closed) for item in self.items.get(within, ())]
        return sorted(found, key=lambda each: each.archived)

    def _item(self, item: Item, closed: str) -> LiveNode:
        people = self._list_assigned(item)
        archived = item.status is Status.ARCHIVED
        done = {Status.COMPLETED: "it is done", Status.ARCHIVED: "it is archived"}.get(item.status, "")
        part = made_from(
            TemplateItem,
            item,
            due_days=self._days(item.due),
            slots=self.team.roles_of(people),
            labels=self.labels.get(item.id, ()),
            values=self.values.get(item.id, ()),
        )
        inside = f"“{item.title}” is {item.status.lower()}" if done else closed
        held = (
            replace(self._application(each, inside), archived=archived) for each in self.applications.get(item.id, ())
        )
        children = (*self._items(item.id, inside), *held)
        is_condition = item.id in self.conditions
        return LiveNode(part, item, children, people, done or closed, archived, is_condition)

    def _application(self, each: Application, closed: str) -> LiveNode:
        people = self._list_assigned(each)
        part = TemplateApplication(
            name=each.name,
            product=self.products[each.product_id],
            due_days=self._days(each.due),
            slots=self.team.roles_of(people),
        )
        return LiveNode(part, each, people=people, closed=closed)
