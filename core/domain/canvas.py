"""The Canvas as queries return it: phase columns, cards, and the changes since an earlier read."""

from __future__ import annotations

from collections.abc import Container
from datetime import date

from core.domain.fields import FieldSum, FieldValue, OwnField
from core.domain.grants import DecisionSource
from core.domain.labels import Label
from core.domain.model import (
    ChangeKind,
    Gate,
    GateState,
    Health,
    Id,
    ItemKind,
    PhaseState,
    Priority,
    ProjectRole,
    Status,
    User,
)
from core.domain.permissions import Permission
from core.domain.statuses import ItemCounts, is_ready_for_approval
from core.domain.view_settings import PREDEFINED, ViewPreset
from core.record import Record


class Card(Record, kw_only=False):
    """A card: a task, an activity or an application. Cards of a phase are in the order of ``rank``, then ``id``."""

    id: Id
    kind: ItemKind
    phase_id: Id
    rank: str
    title: str
    status: Status | None
    """None for an application."""
    due: date | None
    activity_id: Id | None
    """The activity of a task, or the one that holds an application."""
    assignee_ids: tuple[Id, ...]
    """At most one for a task, any number for an activity."""
    has_link: bool
    holds: str
    """The name of the application that an activity holds, or of an application's product."""
    comments: int
    tasks_done: int
    """The completed tasks of an activity."""
    tasks: int
    """The tasks of an activity that are not archived."""
    version: int
    number: int = 0
    """Its number in the project; an application has none."""
    priority: Priority = Priority.NORMAL
    labels: tuple[Id, ...] = ()
    """The ids of its labels, in the order of ``CanvasHeader.labels``."""
    values: tuple[FieldValue, ...] = ()
    """The values of the own fields that it has, in the order of the fields."""
    waits_for: int = 0
    """The number of open cards that keep it from starting or being completed."""
    overridden: int = 0
    """The number of open cards that it need not wait for, because an owner has overridden that."""
    blocks: int = 0
    """The number of open cards that wait for it."""

    def can_start(self, unlocked: Container[Id]) -> bool:
        """Return whether the card is ready: To Do, waiting for no open card, in one of the ``unlocked`` phases."""
        return self.status is Status.TO_DO and not self.waits_for and self.phase_id in unlocked


class PromisedDeliverable(Record, kw_only=False):
    """A deliverable in the header of a phase column."""

    name: str
    done: bool


class PhaseColumn(Record):
    """The header of one phase column. ``number`` counts from 1."""

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
    promised: tuple[PromisedDeliverable, ...] = ()
    """The deliverables of the phase, in their order."""
    sums: tuple[FieldSum, ...] = ()
    """The sums of its cards, for each field that sums and that one of them has."""

    @property
    def is_ready(self) -> bool:
        """True when all its cards are done and only the approval of an owner is missing."""
        return is_ready_for_approval(self.gate, self.gate_state, self.state, self.tally)


class CanvasMember(Record):
    """A member, with the fields that draw initials and pick an assignee."""

    user_id: Id
    name: str
    login: str
    role: ProjectRole
    active: bool

    @classmethod
    def of(cls, user: User, role: ProjectRole) -> CanvasMember:
        """Return the member for a user with this role."""
        return cls(user_id=user.id, name=user.name, login=user.login, role=role, active=user.active)


class CanvasHeader(Record):
    """A Canvas without its cards: small, and read again after every change."""

    project_id: Id
    name: str
    key: str
    """The first part of the keys of its cards."""
    description: str
    archived: bool
    version: int
    links: tuple[str, ...]
    """The names of the linked client, market and brand."""
    my_role: ProjectRole | None
    """None for a user who is not a member and reads by a grant of the authorization service."""
    held: frozenset[Permission]
    authority: DecisionSource
    """The permission source that answered ``held``."""
    health: Health
    start: date | None
    """The first day of the project."""
    tally: ItemCounts
    columns: tuple[PhaseColumn, ...]
    members: tuple[CanvasMember, ...]
    labels: tuple[Label, ...] = ()
    """The labels that its cards can have, by name."""
    today: date
    """The current day in the user's time zone, with which due dates are compared."""
    seq: int
    """The last change that this answer includes."""
    fields: tuple[OwnField, ...] = ()
    """The own fields of the project, in order."""
    elsewhere: int = 0
    """A number that differs after a change of other projects whose cards wait for cards of this one, or the other way
    round, and after a change of these links."""


class Folds(Record, kw_only=False):
    """The phases and activities of a project that a user folded, and the phases that they unfolded; newest last."""

    folded: tuple[Id, ...] = ()
    unfolded: tuple[Id, ...] = ()


NO_FOLDS = Folds()


class Canvas(Record):
    """A whole Canvas: the header and every card, ordered by phase, rank and id."""

    head: CanvasHeader
    cards: tuple[Card, ...]
    preset: ViewPreset = PREDEFINED[0]
    """The active preset of the user."""
    folds: Folds = NO_FOLDS
    """The phases and activities that the user folded."""


class ActivitySummary(Record):
    """A summary of other users' changes, for a sentence."""

    names: tuple[str, ...]
    """The names of these users, the most recent first."""
    changes: int
    kind: ChangeKind
    summary: str
    """The summary of the newest change."""


class CanvasChanges(Record):
    """The difference of a Canvas from an earlier read: the header, new and changed cards, and removed ones."""

    head: CanvasHeader
    changed: tuple[Card, ...] = ()
    gone: tuple[Id, ...] = ()
    by_others: frozenset[Id] = frozenset()
    """The ids of items that other users changed, for highlighting."""
    others: ActivitySummary | None = None
    """A summary of other users' changes; None if there are none."""
    preset: ViewPreset | None = None
    """The active preset of the user; None if no preset was changed."""
    read_again: bool = False
    """True if the changes are too many to list: then only ``head`` is set, and the caller reads the whole Canvas
    again."""
