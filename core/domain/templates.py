"""Workflow templates: phases and their work, with days instead of dates and meta roles instead of people.

Templates belong to the workspace. Each has versions, numbered from 1, which never change.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import ClassVar

from core.domain.fields import FieldKind, FieldValue
from core.domain.gate_policy import CriterionKind, Deciding
from core.domain.model import Gate, Id, ItemKind, Priority
from core.record import Record, fields

PHASE, ACTIVITY, TASK, DELIVERABLE, APPLICATION = "PHASE", "ACTIVITY", "TASK", "DELIVERABLE", "APPLICATION"
CRITERION = "CRITERION"
FIELD = "FIELD"
"""What a difference in the custom fields of two workflows is about."""


class Template(Record, table="template"):
    """A workflow template. ``number`` is the newest version; ``name`` is unique in the workspace."""

    id: Id
    name: str
    description: str = ""
    tags: tuple[str, ...] = ()
    number: int = 1
    version: int = 1


class TemplateVersion(Record, table="template_version", key=("template_id", "number")):
    """One version of a template. ``body`` is a ``TemplateBody`` as JSON; ``by_id`` is None for a built-in one."""

    template_id: Id
    number: int
    at: datetime
    by_id: Id | None
    note: str
    body: str
    version: int = 1


class Origin(Record, table="origin", key=("project_id",)):
    """The template version from which a project was made, or which was last applied to it."""

    project_id: Id
    template_id: Id
    number: int
    version: int = 1


class TemplateRecord(Record):
    """The base of all parts of a template."""

    @property
    def fields(self) -> Mapping[str, object]:
        """The fields of the part itself, without its kind and the parts in it."""
        return {name: getattr(self, name) for name in fields(self) if name not in _INNER}


_INNER = frozenset(("kind", "deliverables", "criteria", "items", "applications", "tasks", "application"))


class TemplateDeliverable(TemplateRecord, kw_only=False):
    """A deliverable, as a part of its phase."""

    what: ClassVar[str] = DELIVERABLE
    children: ClassVar[tuple[TemplatePart, ...]] = ()
    due_days: ClassVar[int | None] = None
    slots: ClassVar[tuple[str, ...]] = ()
    name: str


class TemplateCriterion(TemplateRecord):
    """A criterion of a gate: ``filter`` is a text with names, ``field`` a key, and a slot says that it is met by hand.

    Another kind is another criterion, whatever its text.
    """

    what: ClassVar[str] = CRITERION
    children: ClassVar[tuple[TemplatePart, ...]] = ()
    due_days: ClassVar[int | None] = None
    text: str
    kind: CriterionKind
    slots: tuple[str, ...] = ()
    filter: str = ""
    field: str = ""
    at_least: bool = False
    amount: str = ""
    may_be_empty: bool = False

    @property
    def name(self) -> str:
        return self.text


class TemplateApplication(TemplateRecord):
    """An application. ``product`` is a name in the registry; ``due_days`` count from the start of the project."""

    what: ClassVar[str] = APPLICATION
    children: ClassVar[tuple[TemplatePart, ...]] = ()
    product: str
    name: str
    due_days: int | None = None
    slots: tuple[str, ...] = ()


class TemplateItem(TemplateRecord):
    """A task or an activity. ``slots`` are names of meta roles, one at most for a task.

    Only activities have ``tasks`` and can hold an ``application``.
    """

    kind: ItemKind
    title: str
    description: str = ""
    link: str = ""
    due_days: int | None = None
    slots: tuple[str, ...] = ()
    priority: Priority = Priority.NORMAL
    labels: tuple[str, ...] = ()
    """The names of its labels; a project gets those that it does not have."""
    values: tuple[FieldValue, ...] = ()
    """The values of custom fields, but dates and people, which differ from project to project."""
    tasks: tuple[TemplateItem, ...] = ()
    application: TemplateApplication | None = None

    @property
    def what(self) -> str:
        return self.kind.value

    @property
    def name(self) -> str:
        return self.title

    @property
    def children(self) -> tuple[TemplatePart, ...]:
        return (*self.tasks, self.application) if self.application else self.tasks


class TemplatePolicy(Record):
    """The policy of a gate. ``roles`` is the meta role whose holders decide, or the slots of the people who do.

    ``due_days`` is the day by which they decide; ``secretary`` is a slot, too, or empty.
    """

    deciders: Deciding = Deciding.OWNERS
    roles: tuple[str, ...] = ()
    needed: int | None = None
    four_eyes: bool = False
    due_days: int | None = None
    secretary: str = ""

    @property
    def slots(self) -> tuple[str, ...]:
        """All meta roles that it asks for."""
        return tuple(dict.fromkeys(filter(None, (*self.roles, self.secretary))))


class TemplatePhase(TemplateRecord):
    """A phase and its contents, each kind of them in order. Only a review has a ``policy`` and ``criteria``."""

    what: ClassVar[str] = PHASE
    name: str
    objectives: str = ""
    outcomes: str = ""
    deliverables: tuple[str, ...] = ()
    criteria: tuple[TemplateCriterion, ...] = ()
    gate: Gate = Gate.AUTOMATIC
    evidence_required: bool = False
    no_statements: bool = False
    """True if a statement in words is no evidence at this gate. Versions from before that was asked accept statements,
    so the field says the opposite of ``Phase.accepts_statements``."""
    policy: TemplatePolicy | None = None
    due_days: int | None = None
    slots: tuple[str, ...] = ()
    items: tuple[TemplateItem, ...] = ()
    applications: tuple[TemplateApplication, ...] = ()

    @property
    def children(self) -> tuple[TemplatePart, ...]:
        return (*map(TemplateDeliverable, self.deliverables), *self.criteria, *self.items, *self.applications)


TemplatePart = TemplatePhase | TemplateItem | TemplateApplication | TemplateDeliverable | TemplateCriterion


class TemplateField(Record):
    """A custom field of the projects that are made from the template."""

    name: str
    key: str
    kind: FieldKind
    choices: tuple[str, ...] = ()
    sums: bool = False


class TemplateWait(Record):
    """A card that waits for another one; both are named by their phase, their activity if they have one, and title."""

    card: tuple[str, ...]
    blocker: tuple[str, ...]
    lag_days: int = 0


class TemplateBody(Record):
    """The contents of a template version."""

    phases: tuple[TemplatePhase, ...] = ()
    fields: tuple[TemplateField, ...] = ()
    waits: tuple[TemplateWait, ...] = ()


class DifferenceKind(StrEnum):
    """The effect of applying a template on a part of a workflow."""

    ADDED = "ADDED"
    CHANGED = "CHANGED"
    REMOVED = "REMOVED"
    KEPT = "KEPT"
    NOT_ADDED = "NOT_ADDED"


STAYS = frozenset({DifferenceKind.KEPT, DifferenceKind.NOT_ADDED})
"""The kinds of differences that change nothing."""


class Difference(Record):
    """One line of the difference between two workflows, shown before a template is applied.

    ``path`` names the part from its phase down. ``field`` is set if only that field differs, with both values in words.
    ``reason`` says why a part is KEPT although the other side differs (it is done, or was changed by hand), or why the
    project, which lacks it, does not get it: it is NOT_ADDED.
    """

    kind: DifferenceKind
    what: str
    """PHASE, ACTIVITY, TASK, DELIVERABLE, CRITERION, APPLICATION or FIELD."""
    path: tuple[str, ...]
    field: str = ""
    before: str = ""
    after: str = ""
    reason: str = ""
    id: Id = ""
    """The record of the project that is REMOVED, by which a merge can be told to keep it; empty for what is in it."""
