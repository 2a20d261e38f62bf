"""The nouns of Podium: enumerations and records; those of products and meta roles are in ``core.domain.products``.

A record is a frozen dataclass that is one row of one table (``core/storage/row_mapper.py`` says which). Times are
aware UTC datetimes, due dates are plain dates without a zone: a phase is due on a day, wherever one reads it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum

from core.text.phrases import full_name

Id = str
"""A ULID as text: 26 characters, ordered by the time of creation."""

WORKSPACE = "workspace"
"""Stands where a project id would, for what belongs to the workspace and not to one project."""


class PlatformRole(StrEnum):
    """What a user is on the whole platform (source document, section 2)."""

    PLATFORM_ADMIN = "PLATFORM_ADMIN"
    WORKSPACE_ADMIN = "WORKSPACE_ADMIN"
    INTERNAL = "INTERNAL"


class ProjectRole(StrEnum):
    """What a member is on one project (source document, section 2)."""

    OWNER = "OWNER"
    CONTRIBUTOR = "CONTRIBUTOR"
    VIEWER = "VIEWER"


class Status(StrEnum):
    """Where a task or an activity stands (source document, section 3)."""

    TO_DO = "TO_DO"
    IN_PROGRESS = "IN_PROGRESS"
    COMPLETED = "COMPLETED"
    ARCHIVED = "ARCHIVED"


class PhaseState(StrEnum):
    """Derived from the items and the gate by ``core.domain.workflow.phase_states``; never stored."""

    LOCKED = "LOCKED"
    OPEN = "OPEN"
    COMPLETE = "COMPLETE"


class Gate(StrEnum):
    """What it takes to leave a phase: its items done, or a decision of an owner as well."""

    AUTOMATIC = "AUTOMATIC"
    REVIEW = "REVIEW"


class Decision(StrEnum):
    """What an owner can say at a gate."""

    PASS = "PASS"  # noqa: S105
    HOLD = "HOLD"
    SEND_BACK = "SEND_BACK"
    OVERRIDE = "OVERRIDE"


class GateState(StrEnum):
    """The decision in force at a phase: a pass ends when the phase is reopened, a send-back when it passes."""

    NONE = "NONE"
    PASSED = "PASSED"
    SENT_BACK = "SENT_BACK"


class Health(StrEnum):
    """How a project stands against its due dates."""

    ON_TRACK = "ON_TRACK"
    AT_RISK = "AT_RISK"
    OVERDUE = "OVERDUE"
    NONE = "NONE"


class ItemKind(StrEnum):
    """What a card of the Canvas stands for.

    Tasks and activities share one table, one order and one set of statuses; applications have their own table and no
    status.
    """

    TASK = "TASK"
    ACTIVITY = "ACTIVITY"
    APPLICATION = "APPLICATION"


class NodeKind(StrEnum):
    """The levels of the workspace hierarchy (source document, section 1)."""

    CLIENT = "CLIENT"
    MARKET = "MARKET"
    BRAND = "BRAND"


class ChangeKind(StrEnum):
    """How a change came about; a redo is the undoing of an undo."""

    DO = "DO"
    UNDO = "UNDO"
    REDO = "REDO"

    def told(self, summary: str) -> str:
        """What was done; an undo and a redo have the summary of what they are about."""
        return {"UNDO": "took back: ", "REDO": "brought back: "}.get(self, "") + summary


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspace:
    """The container of everything; one database holds one. ``auth_id`` is its account, the root of all accounts."""

    id: Id
    name: str
    auth_id: str
    version: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """A person. ``platform_roles`` may be empty: an external guest."""

    id: Id
    login: str
    first_name: str
    last_name: str
    email: str
    city: str = ""
    platform_roles: tuple[PlatformRole, ...] = ()
    active: bool = True
    version: int = 1

    @property
    def name(self) -> str:
        return full_name(self.first_name, self.last_name)


@dataclass(frozen=True, slots=True, kw_only=True)
class HierarchyNode:
    """A client, a market or a brand; a market may stand under a client, a brand under either.

    ``auth_id`` is its account for authorization.
    """

    id: Id
    kind: NodeKind
    name: str
    auth_id: str
    parent_id: Id | None = None
    version: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """A project. ``auth_id`` is its account for authorization, ``projectAuthId`` in the source document.

    ``start`` is the day its work begins: the dates of templates count from it, and the Timeline begins there.
    """

    id: Id
    name: str
    auth_id: str
    created_at: datetime
    description: str = ""
    client_id: Id | None = None
    market_id: Id | None = None
    brand_id: Id | None = None
    start: date | None = None
    archived: bool = False
    version: int = 1

    @property
    def links(self) -> dict[NodeKind, Id | None]:
        """The linked node of each level, from the top."""
        return {NodeKind.CLIENT: self.client_id, NodeKind.MARKET: self.market_id, NodeKind.BRAND: self.brand_id}


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A user with a project role on one project. ``invited_by`` is whoever asked them in."""

    project_id: Id
    user_id: Id
    role: ProjectRole
    invited_by: Id
    version: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    """One step of a project's workflow. Its state is not here: ``core.domain.workflow.phase_states`` derives it.

    ``evidence_required`` is for a review gate: it passes only when every deliverable is done and has its evidence.
    """

    project_id: Id
    id: Id
    rank: str
    name: str
    objectives: str = ""
    outcomes: str = ""
    due: date | None = None
    gate: Gate = Gate.AUTOMATIC
    evidence_required: bool = False
    gate_state: GateState = GateState.NONE
    overridden: bool = False
    version: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Deliverable:
    """What a phase has to hand over, with the evidence (a link or a path) that it did."""

    project_id: Id
    id: Id
    phase_id: Id
    rank: str
    name: str
    evidence: str = ""
    done: bool = False
    version: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A task or an activity of a phase.

    A task may belong to an activity of the same phase (``activity_id``) and has one assignee; an activity has
    any number of assigned members (``Assignment``) and may hold a link. ``archived_from`` is the status to
    which Restore returns it, ``archived_with`` the activity whose archiving took this task along.
    """

    project_id: Id
    id: Id
    kind: ItemKind
    phase_id: Id
    rank: str
    title: str
    status: Status = Status.TO_DO
    activity_id: Id | None = None
    assignee_id: Id | None = None
    due: date | None = None
    description: str = ""
    link: str = ""
    archived_from: Status | None = None
    archived_with: Id | None = None
    version: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """A member assigned to a phase, an activity or an application (``target_id``)."""

    project_id: Id
    target_id: Id
    user_id: Id
    version: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    """A remark on a task or an activity. Comments are not edited: what was said was said.

    ``imported_by`` is the account that imported it, None for what was written here. Then ``author_id`` is that account,
    ``at`` is the file's, and who wrote it is text of the file: ``original_login`` and ``original_name``.
    """

    project_id: Id
    id: Id
    item_id: Id
    author_id: Id
    at: datetime
    text: str
    imported_by: Id | None = None
    imported_at: datetime | None = None
    original_login: str = ""
    original_name: str = ""
    through: str = ""
    """As in Change."""
    version: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class GateRecord:
    """One decision at a gate, kept for good: who, when, why, and what was complete at that moment.

    Undoing a decision does not remove its record: it is marked as withdrawn. One that was imported says so, and who
    decided is text of the file, as for a Comment.
    """

    project_id: Id
    id: Id
    phase_id: Id
    decision: Decision
    by_id: Id
    at: datetime
    reason: str = ""
    completed: int = 0
    total: int = 0
    withdrawn: bool = False
    imported_by: Id | None = None
    imported_at: datetime | None = None
    original_login: str = ""
    original_name: str = ""
    through: str = ""
    """As in Change."""
    version: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Favourite:
    """A person's favourite project."""

    project_id: Id
    user_id: Id
    version: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Preference:
    """A person's own setting: theme, key map, signs. The value is text; the reader knows its form."""

    user_id: Id
    name: str
    value: str
    version: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One message that was carried out: the line of the history, the hint of the live feed, the unit of undo.

    ``seq`` counts up without a gap in each project. ``permissions`` are the codes that were asked for, all of which it
    takes to take the change back. ``reverts`` is the seq that an undo or a redo took back. ``through`` says how another
    person may have acted as this one: “with a token made by Adam Ito”.
    """

    project_id: Id
    seq: int
    at: datetime
    actor_id: Id
    kind: ChangeKind
    message: str
    summary: str
    permissions: tuple[str, ...]
    reverts: int | None = None
    through: str = ""
