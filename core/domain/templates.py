"""The records of templates, and what is in one: phases and their work, with days for dates and roles for people.

Templates are the workspace's. Each has versions, counted from 1; a version is never changed once it is saved.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from core.domain.model import Gate, Id, ItemKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """A workflow template. ``number`` is its newest version; ``name`` is unique in the workspace."""

    id: Id
    name: str
    description: str = ""
    tags: tuple[str, ...] = ()
    number: int = 1
    version: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateVersion:
    """One version of a template. ``body`` is a ``TemplateBody`` as JSON; ``by_id`` is None for a built-in one."""

    template_id: Id
    number: int
    at: datetime
    by_id: Id | None
    note: str
    body: str
    version: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Which version of which template a project was made from, or has taken in last."""

    project_id: Id
    template_id: Id
    number: int
    version: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateApplication:
    """An application of a product, which is named as the registry names it. ``due_days`` count from the start."""

    product: str
    name: str
    due_days: int | None = None
    slots: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateItem:
    """A task or an activity. ``slots`` are names of meta roles, one at most for a task; only activities have tasks
    and may hold an application."""

    kind: ItemKind
    title: str
    description: str = ""
    link: str = ""
    due_days: int | None = None
    slots: tuple[str, ...] = ()
    tasks: tuple[TemplateItem, ...] = ()
    application: TemplateApplication | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplatePhase:
    """A phase with everything in it; ``items`` and ``applications`` each in their order."""

    name: str
    objectives: str = ""
    outcomes: str = ""
    deliverables: tuple[str, ...] = ()
    gate: Gate = Gate.AUTOMATIC
    evidence_required: bool = False
    due_days: int | None = None
    slots: tuple[str, ...] = ()
    items: tuple[TemplateItem, ...] = ()
    applications: tuple[TemplateApplication, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateBody:
    """A whole workflow."""

    phases: tuple[TemplatePhase, ...] = ()


class DifferenceKind(StrEnum):
    """What becomes of a part when one workflow is brought into another."""

    ADDED = "ADDED"
    CHANGED = "CHANGED"
    REMOVED = "REMOVED"
    KEPT = "KEPT"


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One line of a difference between two workflows, to be read before anything is done.

    ``path`` names the part from its phase down. ``field`` is set where a field of it differs, with both values in
    words. ``reason`` says why a part is KEPT although the other side differs: it is done, or was changed by hand.
    """

    kind: DifferenceKind
    what: str
    """PHASE, ACTIVITY, TASK, DELIVERABLE or APPLICATION."""
    path: tuple[str, ...]
    field: str = ""
    before: str = ""
    after: str = ""
    reason: str = ""
