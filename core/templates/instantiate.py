"""Creates the phases, cards and applications of a template in a project: a whole template, or parts of a new version.

The records are written directly, because the rules for them (assigned people are members, no phase is reopened) have
been checked for all of them before.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import date, timedelta

from core.domain.fields import MAX_FIELDS, FieldValue, ItemField, OwnField
from core.domain.gates import Deliverable
from core.domain.labels import ItemLabel, Label
from core.domain.model import Assignment, Id, Item, ItemKind, Phase, Project
from core.domain.notifications import NotificationKind
from core.domain.products.fit import linked_levels, misfit
from core.domain.products.products import Application, Product
from core.domain.templates import TemplateApplication, TemplateBody, TemplateField, TemplateItem, TemplatePhase
from core.engine.unit_of_work import Snapshot, UnitOfWork, new_id
from core.errors import InvalidInput
from core.record import made_from
from core.rules.fields import fields_of, folded_word, value_of
from core.rules.labels import labels_for, new_label, pick_label
from core.rules.notifications import notify
from core.rules.ordering import first_ranks, rank_before
from core.templates.project_tree import first_day, takes
from core.text.dates import FIRST_YEAR, LAST_YEAR, in_full

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


def missing_fields(held: Collection[OwnField], wanted: Iterable[TemplateField]) -> list[TemplateField]:
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
        self._fields = {field.key: field for field in fields_of(work, project.id)}

    def add_fields(self, fields: Iterable[TemplateField]) -> None:
        """Create the own fields that the project lacks; those that it has no room for are left out."""
        for field in missing_fields(self._fields.values(), fields):
            if len(self._fields) >= MAX_FIELDS:
                self.left_out.append(f"The field “{field.name}”: a project has at most {MAX_FIELDS}.")
                continue
            rank = rank_before(self.work, OwnField, None, project_id=self.project.id)
            made = made_from(OwnField, field, project_id=self.project.id, id=new_id(), rank=rank)
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
        """Create the own fields and all phases of a template, in order."""
        self.add_fields(body.fields)
        every = list(body.phases)
        for phase, rank in zip(every, first_ranks(len(every)), strict=True):
            self.phase(phase, rank)

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
        self._assign(made.id, phase.slots)
        for name, rank_ in zip(phase.deliverables, first_ranks(len(phase.deliverables)), strict=True):
            self.deliverable(made.id, name, rank_)
        ranks = iter(first_ranks(sum(1 + len(item.tasks) for item in phase.items)))
        for item in phase.items:
            self.item(made.id, item, ranks)
        for application in phase.applications:
            self.application(made.id, application)
        return made

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
