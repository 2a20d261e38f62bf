"""The Canvas as queries return it: phase columns, cards, and the changes since an earlier read."""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Container, Iterable
from datetime import date

from core.domain.fields import CustomField, FieldSum, FieldValue
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
from core.domain.readiness import Deciders, GateSummary
from core.domain.statuses import ItemCounts
from core.domain.view_settings import PREDEFINED, ViewPreset
from core.record import Record, made_from, replace


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
    """The values of the custom fields that it has, in the order of the fields."""
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

    missing: GateSummary = GateSummary()
    """What is missing at its gate."""


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


class HeaderFacts(Record):
    """The small part of a header, which each answer has."""

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
    today: date
    """The current day in the user's time zone, with which due dates are compared."""
    seq: int
    """The last change that this answer includes."""
    elsewhere: int = 0
    """A number that differs after a change of other projects whose cards wait for cards of this one, or the other way
    round, and after a change of these links."""
    workspace_seq: int = 0
    """The last change of the workspace that this answer includes, such as a new name of a person."""
    me: Id = ""
    """The user who reads it."""


class HeaderChanges(HeaderFacts):
    """A header without what is as it was: its columns, members, labels and custom fields only where they differ."""

    columns: tuple[PhaseColumn, ...] = ()
    """The columns that are new or differ, also in their number or state."""
    gone_columns: tuple[Id, ...] = ()
    members: tuple[CanvasMember, ...] = ()
    """The members who are new or differ."""
    gone_members: tuple[Id, ...] = ()
    labels: tuple[Label, ...] | None = None
    """All labels where one of them differs, else null."""
    fields: tuple[CustomField, ...] | None = None
    """All custom fields where one of them differs, else null."""


class CanvasHeader(HeaderFacts):
    """A Canvas without its cards."""

    columns: tuple[PhaseColumn, ...]
    members: tuple[CanvasMember, ...]
    """The members by name."""
    labels: tuple[Label, ...] = ()
    """The labels that its cards can have, by name."""
    fields: tuple[CustomField, ...] = ()
    """The custom fields of the project, in order."""
    owners: tuple[str, ...] = ()
    """The names of the active owners."""

    @property
    def deciders(self) -> Deciders:
        """The people whose approval would be taken at a gate where nothing else is missing."""
        return Deciders.of(
            self.held, self.owners, self.archived, user_id=self.me, role=self.my_role, source=self.authority.source
        )

    def after(self, changes: HeaderChanges) -> CanvasHeader:
        """Return the header as these changes of it leave it, as if it was read whole; what stays is the same."""
        columns, members, owners = self.columns, self.members, self.owners
        if changes.columns or changes.gone_columns:
            by_id = {each.id: each for each in (*columns, *changes.columns) if each.id not in changes.gone_columns}
            columns = tuple(sorted(by_id.values(), key=lambda each: each.number))
        if changes.members or changes.gone_members:
            by_user = {each.user_id: each for each in (*members, *changes.members)}
            stay = (by_user[user_id] for user_id in by_user.keys() - set(changes.gone_members))
            members = tuple(sorted(stay, key=by_member_name))
            owners = owners_among(members)
        labels = self.labels if changes.labels is None else changes.labels
        fields = self.fields if changes.fields is None else changes.fields
        return made_from(
            CanvasHeader, changes, columns=columns, members=members, labels=labels, fields=fields, owners=owners
        )


def owners_among(members: Iterable[CanvasMember]) -> tuple[str, ...]:
    """Return the names of the active owners."""
    return tuple(each.name for each in members if each.role is ProjectRole.OWNER and each.active)


def by_member_name(member: CanvasMember) -> tuple[str, Id]:
    """The key by which members are sorted."""
    return member.name, member.user_id


class Folds(Record, kw_only=False):
    """The phases and activities of a project that a user folded, and the phases that they unfolded; newest last."""

    folded: tuple[Id, ...] = ()
    unfolded: tuple[Id, ...] = ()


NO_FOLDS = Folds()


class Canvas(Record):
    """A Canvas: the header and every card, ordered by phase, rank and id; or the first cards of each section."""

    head: CanvasHeader
    cards: tuple[Card, ...]
    preset: ViewPreset = PREDEFINED[0]
    """The active preset of the user."""
    folds: Folds = NO_FOLDS
    """The phases and activities that the user folded."""
    unread: int = 0
    """The number of cards that are not among ``cards``, where only the first ones were asked for."""

    def after(self, changes: CanvasChanges) -> Canvas:
        """Return the Canvas as these changes of it leave it, as if it was read whole; cards that stay are the same.

        Not for changes that say to read it again. The folds stay: they are no changes of the project.
        """
        left_out = {*changes.gone, *(card.id for card in changes.changed)}
        cards = [card for card in self.cards if card.id not in left_out] if left_out else [*self.cards]
        head = self.head.after(changes.head)
        place = place_in(head)
        if [column.id for column in head.columns] != [column.id for column in self.head.columns]:
            cards.sort(key=place)
        for card in changes.changed:
            insort(cards, card, key=place)
        return replace(self, head=head, cards=tuple(cards), preset=changes.preset or self.preset)


def place_in(head: CanvasHeader) -> Callable[[Card], tuple[int, str, Id]]:
    """Return the key that sorts the cards of a Canvas: by the phase, the rank and the id."""
    numbers = {column.id: column.number for column in head.columns}
    return lambda card: (numbers[card.phase_id], card.rank, card.id)


class ActivitySummary(Record):
    """A summary of other users' changes, for a sentence."""

    names: tuple[str, ...]
    """The names of these users, the most recent first."""
    changes: int
    kind: ChangeKind
    summary: str
    """The summary of the newest change."""


class CanvasChanges(Record):
    """The difference of a Canvas from an earlier read: of its header, new and changed cards, and removed ones."""

    head: HeaderChanges
    changed: tuple[Card, ...] = ()
    gone: tuple[Id, ...] = ()
    by_others: frozenset[Id] = frozenset()
    """The ids of items that other users changed, for highlighting."""
    others: ActivitySummary | None = None
    """A summary of other users' changes; None if there are none."""
    preset: ViewPreset | None = None
    """The active preset of the user; None if no preset was changed."""
    read_again: bool = False
    """True if the changes are too many to list: then only the facts of ``head`` are set, and the caller reads the whole
    Canvas again."""


MAX_FOLDS = 200
"""The most choices of each kind that are kept for a user and a project; the oldest ones are dropped."""


def with_fold(folds: Folds, target_id: Id, *, folded: bool) -> Folds:
    """Return folds with another choice for one phase or activity."""
    chosen = dict.fromkeys(folds.folded, True) | dict.fromkeys(folds.unfolded, False)
    chosen.pop(target_id, None)
    chosen[target_id] = folded
    kept = [
        tuple(each for each, is_folded in chosen.items() if is_folded is want)[-MAX_FOLDS:] for want in (True, False)
    ]
    return Folds(*kept)


def folded_phases(columns: Iterable[PhaseColumn], folds: Folds) -> frozenset[Id]:
    """Return the ids of the phases that are narrow columns: those that the user folded.

    Where they have not chosen, complete phases are, as long as there is another phase to give the width to.
    """
    columns = tuple(columns)
    has_work = any(column.state is not PhaseState.COMPLETE for column in columns)
    return frozenset(
        column.id
        for column in columns
        if column.id in folds.folded
        or (has_work and column.state is PhaseState.COMPLETE and column.id not in folds.unfolded)
    )


def folds_in(text: str) -> Folds:
    """Read folds from the setting of a user, in which each id follows ``+`` if it is folded, else ``-``."""
    chosen = text.split()
    return Folds(
        tuple(each[1:] for each in chosen if each.startswith("+")),
        tuple(each[1:] for each in chosen if each.startswith("-")),
    )


def folds_text(folds: Folds) -> str:
    """Write folds as ``folds_in`` reads them."""
    return " ".join([*(f"+{each}" for each in folds.folded), *(f"-{each}" for each in folds.unfolded)])
