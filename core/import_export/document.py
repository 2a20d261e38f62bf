"""A whole project as a document: what an export writes, and what every import becomes before anything is made.

Nothing in it is an id of a database: people are named by login, products, meta roles, clients, markets and brands by
name, and activities are numbered, so that an export of what was imported is the same text. In it is all that the
members of a project made together. Not in it: the history, launches, notifications, and what belongs
to one user only (favourites, last seen, active and own presets); the template that a project once came from;
decisions at the gates of phases that were removed since.

Keys of the JSON are in camelCase, as everywhere in the API.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, ClassVar, Literal

from core.codec.encoding import camel
from core.domain.model import Decision, Gate, GateState, ItemKind, ProjectRole, Status
from core.domain.view_settings import ALL_FIELDS, WORK, CardField, Density, Layout, PhaseSection, Sort


class Entry:
    """A part of the document. As JSON it has exactly its own keys, each with a value of exactly its type."""

    __slots__ = ()
    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid", "alias_generator": camel, "strict": True}


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonEntry(Entry):
    """Somebody the document names. ``login`` is how its other parts call them; the rest is to know them by.

    ``role`` is None for somebody who is no member: who once commented, decided, invited or imported. ``meta_roles`` are
    those that were given explicitly. ``invited_by`` is for readers: an import makes its importer the inviter.
    """

    login: str
    email: str = ""
    name: str = ""
    role: ProjectRole | None = None
    meta_roles: tuple[str, ...] = ()
    invited_by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CommentEntry(Entry):
    """A remark; ``author`` is a login, and so is ``imported_by`` where the remark was imported before it was exported.

    An import replaces ``imported_by`` and ``imported_at`` by its own, for decisions as well.
    """

    author: str
    at: datetime
    text: str
    imported_by: str | None = None
    imported_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemEntry(Entry):
    """A task or an activity. ``id`` is a name within the document, by which tasks say which activity they are of.

    ``archived_with_activity``: the archiving of its activity took the task along, so restoring that brings it back.
    """

    id: str
    kind: ItemKind
    title: str
    status: Status = Status.TO_DO
    activity: str | None = None
    archived_from: Status | None = None
    archived_with_activity: bool = False
    due: date | None = None
    description: str = ""
    link: str = ""
    assigned: tuple[str, ...] = ()
    comments: tuple[CommentEntry, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplicationEntry(Entry):
    """An application of a product, on its phase or on an activity of it."""

    product: str
    name: str
    activity: str | None = None
    due: date | None = None
    assigned: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliverableEntry(Entry):
    name: str
    evidence: str = ""
    done: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionEntry(Entry):
    """One decision at the gate of the phase, as it was kept; ``by`` and ``imported_by`` are logins."""

    decision: Decision
    by: str
    at: datetime
    reason: str = ""
    completed: int = 0
    total: int = 0
    withdrawn: bool = False
    imported_by: str | None = None
    imported_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseEntry(Entry):
    """A phase with everything in it, each list in its order."""

    name: str
    objectives: str = ""
    outcomes: str = ""
    due: date | None = None
    gate: Gate = Gate.AUTOMATIC
    evidence_required: bool = False
    gate_state: GateState = GateState.NONE
    overridden: bool = False
    assigned: tuple[str, ...] = ()
    deliverables: tuple[DeliverableEntry, ...] = ()
    decisions: tuple[DecisionEntry, ...] = ()
    items: tuple[ItemEntry, ...] = ()
    applications: tuple[ApplicationEntry, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PresetEntry(Entry):
    """A viewing preset that everyone on the project has."""

    name: str
    layout: Layout = Layout.PHASE_COLUMNS
    fields: tuple[CardField, ...] = ALL_FIELDS
    sections: tuple[PhaseSection, ...] = WORK
    filter: str = ""
    sort: Sort = Sort.ORDER
    density: Density | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectDocument(Entry):
    """A project. The linked client, market and brand are named; together they are the path in the hierarchy."""

    in_words: ClassVar[str] = "a project as “podium project export” writes it"
    format: Literal["podium-project"] = "podium-project"
    version: Literal[1] = 1
    name: str
    description: str = ""
    start: date | None = None
    created_at: datetime | None = None
    """None when the file does not say: then the moment of the import."""
    archived: bool = False
    client: str | None = None
    market: str | None = None
    brand: str | None = None
    people: tuple[PersonEntry, ...] = ()
    phases: tuple[PhaseEntry, ...] = ()
    presets: tuple[PresetEntry, ...] = ()

    @property
    def items(self) -> tuple[ItemEntry, ...]:
        """The tasks and activities of all phases."""
        return tuple(item for phase in self.phases for item in phase.items)
