"""Workflow templates: phases and their work, with days instead of dates and meta roles instead of people.

Templates belong to the workspace. Each has versions, numbered from 1, which never change.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import ClassVar

from core.domain.fields import FieldKind, FieldValue
from core.domain.model import Gate, Id, ItemKind, Priority
from core.record import Record, fields

PHASE, ACTIVITY, TASK, DELIVERABLE, APPLICATION = "PHASE", "ACTIVITY", "TASK", "DELIVERABLE", "APPLICATION"
FIELD = "FIELD"
"""What a difference in the own fields of two workflows is about."""


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


_INNER = frozenset(("kind", "deliverables", "items", "applications", "tasks", "application"))


class TemplateDeliverable(TemplateRecord, kw_only=False):
    """A deliverable, as a part of its phase."""

    what: ClassVar[str] = DELIVERABLE
    children: ClassVar[tuple[TemplatePart, ...]] = ()
    due_days: ClassVar[int | None] = None
    slots: ClassVar[tuple[str, ...]] = ()
    name: str


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
    """The values of own fields, but dates and people, which differ from project to project."""
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


class TemplatePhase(TemplateRecord):
    """A phase and its contents; ``items`` and ``applications`` are each in order."""

    what: ClassVar[str] = PHASE
    name: str
    objectives: str = ""
    outcomes: str = ""
    deliverables: tuple[str, ...] = ()
    gate: Gate = Gate.AUTOMATIC
    evidence_required: bool = False
    no_statements: bool = False
    """True if a statement in words is no evidence at this gate. Versions from before that was asked accept statements,
    so the field says the opposite of ``Phase.accepts_statements``."""
    due_days: int | None = None
    slots: tuple[str, ...] = ()
    items: tuple[TemplateItem, ...] = ()
    applications: tuple[TemplateApplication, ...] = ()

    @property
    def children(self) -> tuple[TemplatePart, ...]:
        return (*map(TemplateDeliverable, self.deliverables), *self.items, *self.applications)


TemplatePart = TemplatePhase | TemplateItem | TemplateApplication | TemplateDeliverable


class TemplateField(Record):
    """An own field of the projects that are made from the template."""

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
    """PHASE, ACTIVITY, TASK, DELIVERABLE, APPLICATION or FIELD."""
    path: tuple[str, ...]
    field: str = ""
    before: str = ""
    after: str = ""
    reason: str = ""
    id: Id = ""
    """The record of the project that is REMOVED, by which a merge can be told to keep it; empty for what is in it."""
