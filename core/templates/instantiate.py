"""Creates the phases, cards and applications of a template in a project: a whole template, or parts of a new version.

The records are written directly, because the rules for them (assigned people are members, no phase is reopened) have
been checked for all of them before.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import date, timedelta
from itertools import repeat
from typing import Any

from core.domain.fields import MAX_FIELDS, CustomField, FieldKind, FieldValue, ItemField
from core.domain.gate_policy import MAX_PANEL, CriterionKind, Deciding, GateCriterion, GatePolicy
from core.domain.gates import Deliverable
from core.domain.labels import ItemLabel, Label, LabelColour
from core.domain.model import Assignment, Id, Item, ItemKind, Phase, Project
from core.domain.notifications import NotificationKind
from core.domain.products.fit import linked_levels, misfit
from core.domain.products.products import Application, MetaRole, Product
from core.domain.templates import (
    TemplateApplication,
    TemplateBody,
    TemplateCriterion,
    TemplateField,
    TemplateItem,
    TemplatePhase,
    TemplatePolicy,
)
from core.engine.unit_of_work import Snapshot, UnitOfWork, new_id
from core.errors import InvalidInput
from core.filters.context import FilterContext, NamedPhase
from core.record import made_from, replace
from core.rules.fields import fields_of, folded_word, value_of
from core.rules.gate_criteria import with_matches
from core.rules.gate_filters import read_context, store_within
from core.rules.gate_panel import read_panels
from core.rules.labels import labels_for, new_label, pick_label
from core.rules.notifications import notify
from core.rules.ordering import first_ranks, rank_before
from core.templates.json_format import items_of
from core.templates.project_tree import ProjectTeam, first_day, takes
from core.text.dates import FIRST_YEAR, LAST_YEAR, in_full
from core.text.phrases import names

Filling = Callable[[Iterable[str]], tuple[Id, ...]]
"""The users who take the work of these meta roles."""


class ProductLookup:
    """The products of the workspace by name, as they fit one project."""

    def __init__(self, view: Snapshot, project: Project) -> None:
        self._products: Mapping[str, Product] = {
            product.name.casefold(): product for product in view.all(Product, "1 = 1")
        }
        self._linked = linked_levels(project)

    def find_product(self, name: str) -> Product:
        """The product with this name. Raises KeyError."""
        return self._products[name.casefold()]

    def unfit(self, name: str) -> str:
        """The reason why the project cannot have an application of a product; "" if it can."""
        product = self._products.get(name.casefold())
        if product is None:
            return f"there is no product “{name}” in the registry any more"
        if product.retired:
            return f"the product “{product.name}” is retired"
        return misfit(product.name, product.required_context, self._linked).rstrip(".")


def criterion_columns(around: FilterContext, wanted: TemplateCriterion) -> dict[str, Any]:
    """Return filter and field of a criterion as they are stored. Raises InvalidInput for what is not there."""
    field = next((each for each in around.fields if each.key == wanted.field), None)
    if wanted.kind is CriterionKind.SUM and (field is None or field.kind is not FieldKind.NUMBER):
        raise InvalidInput("field", f"There is no number field “{wanted.field}” in the project.")
    by_hand = wanted.kind is CriterionKind.HAND
    return {"filter": "" if by_hand else store_within(around, wanted.filter), "field_id": field.id if field else None}


def context_with(view: Snapshot, project: Project, body: TemplateBody) -> FilterContext:
    """Return what filters can name in a project once it has the phases, labels and fields of a template, too."""
    around, of_project = read_context(view, project.id), {"project_id": project.id, "id": ""}
    labels = dict.fromkeys(label for item in items_of(body) for label in item.labels)
    new = missing_fields(around.fields, body.fields)
    return replace(
        around,
        columns=(*around.columns, *(NamedPhase("", 0, phase.name) for phase in body.phases)),
        labels=(
            *around.labels,
            *(Label(id="", project_id=project.id, name=each, colour=LabelColour.GREY, sign="") for each in labels),
        ),
        fields=(*around.fields, *(made_from(CustomField, field, **of_project, rank="") for field in new)),
    )


def unfit_criterion(around: FilterContext, filling: Filling, wanted: TemplateCriterion) -> str:
    """The reason why a project cannot have a criterion; "" if it can."""
    if wanted.slots and not filling(wanted.slots):
        return f"nobody in this project is {names(wanted.slots)}"
    try:
        criterion_columns(around, wanted)
    except InvalidInput as refused:
        return str(refused).rstrip(".")
    return ""


def missing_fields(held: Collection[CustomField], wanted: Iterable[TemplateField]) -> list[TemplateField]:
    """The fields of a template whose key and name no field of a project has."""
    keys, names = {field.key for field in held}, {folded_word(field.name) for field in held}
    return [field for field in wanted if field.key not in keys and folded_word(field.name) not in names]


class TemplateBuilder:
    """Creates parts of templates in one project. ``left_out`` has sentences about parts that it could not create."""

    def __init__(self, work: UnitOfWork, project: Project, filling: Filling) -> None:
        self.work = work
        self.project = project
        self.filling = filling
        self.registry = ProductLookup(work, project)
        self.left_out: list[str] = []
        self._start = first_day(project)
        self._assigned_targets: dict[Id, Id] = {}
        self._labels: dict[str, Label] = {}
        self._criteria: list[tuple[Id, TemplateCriterion, str]] = []
        """The criteria of new phases, with their phases and ranks."""
        self._around: FilterContext | None = None
        self._team: ProjectTeam | None = None
        self._decided: dict[Id, str] = {}
        """The names of the phases whose gates have a policy."""
        self._fields = {field.key: field for field in fields_of(work, project.id)}

    def add_fields(self, fields: Iterable[TemplateField]) -> None:
        """Create the custom fields that the project lacks; those that it has no room for are left out."""
        for field in missing_fields(self._fields.values(), fields):
            if len(self._fields) >= MAX_FIELDS:
                self.left_out.append(f"The field “{field.name}”: a project has at most {MAX_FIELDS}.")
                continue
            rank = rank_before(self.work, CustomField, None, project_id=self.project.id)
            made = made_from(CustomField, field, project_id=self.project.id, id=new_id(), rank=rank)
            self._fields[made.key] = self.work.insert(made)

    def values_for(self, item: Item, values: Iterable[FieldValue]) -> dict[Id, ItemField | None]:
        """The values of a card by field; those that the project's fields cannot have are left out."""
        found: dict[Id, ItemField | None] = {}
        for each in values:
            field = self._fields.get(each.key)
            if field is not None and takes(field, each.value):
                found[field.id] = value_of(self.work, item, field, each.value)
        return found

    def due(self, days: int | None, what: str) -> date | None:
        """The due date of a part named ``what``. Raises InvalidInput for a date outside of the years of Podium."""
        if days is None:
            return None
        due = self._start + timedelta(days=days)
        if not FIRST_YEAR <= due.year <= LAST_YEAR:
            raise InvalidInput(
                "start",
                f"“{what}” would be due on {in_full(due)}, and Podium knows the years {FIRST_YEAR} to {LAST_YEAR}."
                " Choose another first day.",
            )
        return due

    def workflow(self, body: TemplateBody) -> None:
        """Create the custom fields and all phases of a template, in order."""
        self.add_fields(body.fields)
        every = list(body.phases)
        for phase, rank in zip(every, first_ranks(len(every)), strict=True):
            self.phase(phase, rank)
        self.finish_gates()

    def finish_gates(self) -> None:
        """Create the criteria of new phases, once all is there that they name; say which gates cannot be decided."""
        for phase_id, criterion, rank in self._criteria:
            self.criterion(phase_id, criterion, rank)
        for phase_id, panel in read_panels(self.work, dict.fromkeys(self._decided, self.project.id)).items():
            if panel.stuck:
                gate = self._decided[phase_id]
                self.left_out.append(f"The people who decide at the gate of “{gate}” ({panel.who}): {panel.stuck}.")

    def phase(self, phase: TemplatePhase, rank: str) -> Phase:
        """Create a phase with all its parts."""
        made = self.work.insert(
            made_from(
                Phase,
                phase,
                project_id=self.project.id,
                id=new_id(),
                rank=rank,
                due=self.due(phase.due_days, phase.name),
                accepts_statements=phase.evidence_required and not phase.no_statements,
            )
        )
        if phase.policy:
            self.work.insert(self.policy(made, phase.policy))
            self._decided[made.id] = phase.name
        self._criteria += zip(repeat(made.id), phase.criteria, first_ranks(len(phase.criteria)))
        self._assign(made.id, phase.slots)
        for name, rank_ in zip(phase.deliverables, first_ranks(len(phase.deliverables)), strict=True):
            self.deliverable(made.id, name, rank_)
        ranks = iter(first_ranks(sum(1 + len(item.tasks) for item in phase.items)))
        for item in phase.items:
            self.item(made.id, item, ranks)
        for application in phase.applications:
            self.application(made.id, application)
        return made

    def policy(self, phase: Phase, wanted: TemplatePolicy) -> GatePolicy:
        """The policy of a gate, not inserted yet. Of its roles it names those who take them, if there are any."""
        by_role = wanted.deciders is Deciding.META_ROLE
        called = {each.name.casefold(): each.id for each in self.work.all(MetaRole, "1 = 1")} if by_role else {}
        if wanted.secretary and not (secretary := self.find_deciders((wanted.secretary,))):
            why = f"no person here is {wanted.secretary}; name one in its policy"
            self.left_out.append(f"The secretary of the gate of “{phase.name}”: {why}.")
        return made_from(
            GatePolicy,
            wanted,
            project_id=self.project.id,
            phase_id=phase.id,
            meta_role_id=called.get(wanted.roles[0].casefold()) if by_role and wanted.roles else None,
            people=self.find_deciders(wanted.roles)[:MAX_PANEL] if wanted.deciders is Deciding.PEOPLE else (),
            decide_by=self.due(wanted.due_days, phase.name),
            secretary_id=secretary[0] if wanted.secretary and secretary else None,
        )

    def find_deciders(self, roles: Iterable[str]) -> tuple[Id, ...]:
        """The people who take the places of these meta roles at a gate.

        Where no person was named for a role, they are the members who have it, also by their project role: an owner.
        """
        found: list[Id] = []
        for role in roles:
            people = self.filling((role,))
            if not people:
                self._team = self._team or ProjectTeam(self.work, self.project.id)
                people = self._team.filling((role,))
            found += people
        return tuple(dict.fromkeys(found))

    def criterion(self, phase_id: Id, wanted: TemplateCriterion, rank: str) -> GateCriterion | None:
        """Create a criterion of a gate; it is left out if what its filter names is not there."""
        people = self.find_deciders(wanted.slots)
        if wanted.slots and not people:
            why = f"none here is {names(wanted.slots)}; name one in the criterion"
            self.left_out.append(f"The person of the criterion “{wanted.text}”: {why}.")
        try:
            columns = self.find_columns(wanted)
        except InvalidInput as refused:
            self.left_out.append(f"The criterion “{wanted.text}”: {refused}")
            return None
        made = made_from(
            GateCriterion,
            wanted,
            project_id=self.project.id,
            id=new_id(),
            phase_id=phase_id,
            rank=rank,
            person_id=people[0] if people else None,
            **columns,
        )
        return self.work.insert(with_matches(self.work, made))

    def find_columns(self, wanted: TemplateCriterion) -> dict[str, Any]:
        """Return filter and field of a criterion, once all is there that it can name. Raises InvalidInput."""
        self._around = self._around or read_context(self.work, self.project.id)
        return criterion_columns(self._around, wanted)

    def deliverable(self, phase_id: Id, name: str, rank: str) -> Deliverable:
        """Create a deliverable of a phase."""
        made = Deliverable(project_id=self.project.id, id=new_id(), phase_id=phase_id, rank=rank, name=name)
        return self.work.insert(made)

    def item(self, phase_id: Id, item: TemplateItem, ranks: Iterator[str], activity_id: Id | None = None) -> Item:
        """Create a task, or an activity with its tasks and its application; each takes the next of the ranks."""
        is_task = item.kind is ItemKind.TASK
        people = self.filling(item.slots)
        made = self.work.insert(
            made_from(
                Item,
                item,
                project_id=self.project.id,
                id=new_id(),
                phase_id=phase_id,
                rank=next(ranks),
                activity_id=activity_id,
                assignee_id=people[0] if is_task and people else None,
                due=self.due(item.due_days, item.title),
            )
        )
        self._label(made, item.labels)
        for value in self.values_for(made, item.values).values():
            if value is not None:
                self.work.insert(value)
        if made.assignee_id:
            self._assigned_targets.setdefault(made.assignee_id, made.id)
        if is_task:
            return made
        self._assign(made.id, item.slots)
        for task in item.tasks:
            self.item(phase_id, task, ranks, made.id)
        if item.application:
            self.application(phase_id, item.application, activity_id=made.id)
        return made

    def _label(self, item: Item, names: tuple[str, ...]) -> None:
        """Put labels on a new card. Each name is looked up once, since there are many cards."""
        for name in names:
            if name not in self._labels:
                known = pick_label(labels_for(self.work, item.project_id), name)
                self._labels[name] = known or new_label(self.work, item.project_id, name)
        for label_id in dict.fromkeys(self._labels[name].id for name in names):
            self.work.insert(ItemLabel(project_id=item.project_id, item_id=item.id, label_id=label_id))

    def application(
        self, phase_id: Id, wanted: TemplateApplication, rank: str | None = None, activity_id: Id | None = None
    ) -> Application | None:
        """Create an application on a phase or on an activity; it is left out if its product is gone or does not fit."""
        if reason := self.registry.unfit(wanted.product):
            self.left_out.append(f"The application “{wanted.name}”: {reason}.")
            return None
        among = {"project_id": self.project.id, "phase_id": phase_id}
        made = self.work.insert(
            Application(
                project_id=self.project.id,
                id=new_id(),
                product_id=self.registry.find_product(wanted.product).id,
                phase_id=phase_id,
                rank=rank or rank_before(self.work, Application, None, **among),
                name=wanted.name,
                activity_id=activity_id,
                due=self.due(wanted.due_days, wanted.name),
            )
        )
        self._assign(made.id, wanted.slots)
        return made

    def notify_assignees(self) -> None:
        """Notify each person who got work once: a notification per card would hide all others."""
        for user_id, target_id in self._assigned_targets.items():
            notify(self.work, NotificationKind.ASSIGNED, target_id, (user_id,))

    def _assign(self, target_id: Id, slots: Iterable[str]) -> None:
        for user_id in dict.fromkeys(self.filling(slots)):  # a person with several of the roles is assigned once
            self._assigned_targets.setdefault(user_id, target_id)
            self.work.insert(Assignment(project_id=self.project.id, target_id=target_id, user_id=user_id))
