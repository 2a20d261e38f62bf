"""The Canvas as it is read: columns of phases, cards of work items, and what changed since."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from core.domain.grants import DecisionSource
from core.domain.model import ChangeKind, Gate, GateState, Health, Id, ItemKind, PhaseState, ProjectRole, Status, User
from core.domain.permissions import Permission
from core.domain.view_settings import PREDEFINED, ViewPreset
from core.domain.workflow import ItemCounts


@dataclass(frozen=True, slots=True)
class Card:
    """A task, activity or application as the Canvas shows it. ``rank`` orders those of a phase; ties fall to ``id``."""

    id: Id
    kind: ItemKind
    phase_id: Id
    rank: str
    title: str
    status: Status | None
    """None for an application, which has none."""
    due: date | None
    activity_id: Id | None
    """The activity that a task belongs to, or that holds an application."""
    assignee_ids: tuple[Id, ...]
    """One at most for a task, any number for an activity."""
    has_link: bool
    holds: str
    """The name of the application that an activity holds, or of an application's product."""
    comments: int
    tasks_done: int
    """For an activity: its completed tasks."""
    tasks: int
    """For an activity: its tasks that are not archived."""
    version: int


class Promised(NamedTuple):
    """A deliverable as the head of a column names it."""

    name: str
    done: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseColumn:
    """The head of one column. ``number`` counts from 1."""

    id: Id
    number: int
    name: str
    state: PhaseState
    gate: Gate
    gate_state: GateState
    overridden: bool
    due: date | None
    tally: ItemCounts
    member_ids: tuple[Id, ...]
    objectives: str
    outcomes: str
    deliverables_done: int
    deliverables: int
    version: int
    promised: tuple[Promised, ...] = ()
    """Its deliverables in their order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CanvasMember:
    """A person as the Canvas needs them: enough to draw initials and to pick an assignee."""

    user_id: Id
    name: str
    login: str
    role: ProjectRole
    active: bool

    @classmethod
    def of(cls, user: User, role: ProjectRole) -> CanvasMember:
        """Somebody with their role in the project."""
        return cls(user_id=user.id, name=user.name, login=user.login, role=role, active=user.active)


@dataclass(frozen=True, slots=True, kw_only=True)
class CanvasHeader:
    """Everything of a Canvas but its cards: small, and read again after every change."""

    project_id: Id
    name: str
    description: str
    archived: bool
    version: int
    links: tuple[str, ...]
    """Names of the linked client, market and brand, those there are."""
    my_role: ProjectRole | None
    """None for somebody whom the authorization service lets look, and who is no member."""
    held: frozenset[Permission]
    authority: DecisionSource
    """Who decided what is held."""
    health: Health
    start: date | None
    """The first day of the project."""
    tally: ItemCounts
    columns: tuple[PhaseColumn, ...]
    members: tuple[CanvasMember, ...]
    today: date
    """The day it is for whoever looks: what due dates are measured against."""
    seq: int
    """The last change of the project that this picture includes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Canvas:
    """A whole Canvas: the head and every card, ordered by phase, rank and id."""

    head: CanvasHeader
    cards: tuple[Card, ...]
    preset: ViewPreset = PREDEFINED[0]
    """What the person has chosen to see of it, and how."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ActivitySummary:
    """What others did meanwhile, for a sentence."""

    names: tuple[str, ...]
    """Who, those who did something last first."""
    changes: int
    kind: ChangeKind
    summary: str
    """Of the newest change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CanvasChanges:
    """What became of a Canvas since a seq: the new head, the cards that are new or differ, and those gone."""

    head: CanvasHeader
    changed: tuple[Card, ...] = ()
    gone: tuple[Id, ...] = ()
    by_others: frozenset[Id] = frozenset()
    """The items that somebody else changed: worth a glance."""
    others: ActivitySummary | None = None
    """What they did; None when nobody else did anything."""
    preset: ViewPreset | None = None
    """What the person sees of it now, and how; None when no preset was changed."""
    read_again: bool = False
    """Whether too much was changed to be told: then only the head is here, and the Canvas is to be read again."""
