"""The records and enumerations of projects; those of products and meta roles are in ``core.domain.products.products``.

A record is one row of one table (``core/storage/row_mapper.py`` maps them). Times are aware datetimes in UTC. Due dates
are plain dates without a time zone: a phase is due on the same day wherever its members are.
"""

from __future__ import annotations

from datetime import date, datetime
from enum import StrEnum

from core.record import Record
from core.text.phrases import full_name

Id = str
"""A ULID as text: 26 characters, in the order of creation."""

WORKSPACE = "workspace"
"""Takes the place of a project id in records that belong to the workspace."""


class PlatformRole(StrEnum):
    """The role of a user in the whole workspace."""

    PLATFORM_ADMIN = "PLATFORM_ADMIN"
    WORKSPACE_ADMIN = "WORKSPACE_ADMIN"
    INTERNAL = "INTERNAL"


class ProjectRole(StrEnum):
    """The role of a member on one project."""

    OWNER = "OWNER"
    CONTRIBUTOR = "CONTRIBUTOR"
    VIEWER = "VIEWER"


class Status(StrEnum):
    """The status of a task or an activity."""

    TO_DO = "TO_DO"
    IN_PROGRESS = "IN_PROGRESS"
    COMPLETED = "COMPLETED"
    ARCHIVED = "ARCHIVED"


class Priority(StrEnum):
    """The priority of a task or an activity, the lowest first. Lists and cards say nothing about a normal one."""

    LOW = "LOW"
    NORMAL = "NORMAL"
    HIGH = "HIGH"
    URGENT = "URGENT"

    @property
    def step(self) -> int:
        """0 for the lowest, 3 for the highest."""
        return _PRIORITIES.index(self)

    @property
    def shown(self) -> str:
        """The priority in words; "" for the normal one."""
        return "" if self is Priority.NORMAL else self.value.lower()


_PRIORITIES = tuple(Priority)


class PhaseState(StrEnum):
    """The state of a phase. It is never stored: ``core.domain.phase_states.phase_states`` derives it."""

    LOCKED = "LOCKED"
    OPEN = "OPEN"
    COMPLETE = "COMPLETE"


class Gate(StrEnum):
    """The condition for completing a phase: all items done, and for a review also the decision of an owner."""

    AUTOMATIC = "AUTOMATIC"
    REVIEW = "REVIEW"


class GateState(StrEnum):
    """The decision in force at a phase.

    PASSED ends when what was approved changes, SENT_BACK when the phase is approved. UNDECIDED is an automatic gate
    that was a review while all cards were done: it too waits for an approval, so that no change of a gate completes a
    phase.
    """

    NONE = "NONE"
    PASSED = "PASSED"
    SENT_BACK = "SENT_BACK"
    UNDECIDED = "UNDECIDED"


class Health(StrEnum):
    """The state of a project with respect to its due dates."""

    ON_TRACK = "ON_TRACK"
    AT_RISK = "AT_RISK"
    OVERDUE = "OVERDUE"
    NONE = "NONE"


class ItemKind(StrEnum):
    """The kind of a card.

    Tasks and activities share one table, one order and one set of statuses. Applications have their own table and no
    status.
    """

    TASK = "TASK"
    ACTIVITY = "ACTIVITY"
    APPLICATION = "APPLICATION"


class NodeKind(StrEnum):
    """The levels of the workspace hierarchy, from the top."""

    CLIENT = "CLIENT"
    MARKET = "MARKET"
    BRAND = "BRAND"


class ChangeKind(StrEnum):
    """The origin of a change: a command, an undo, or a redo, which undoes an undo."""

    DO = "DO"
    UNDO = "UNDO"
    REDO = "REDO"

    def describe(self, summary: str) -> str:
        """The summary of a change for people: ``summary``, with a prefix for an undo and a redo."""
        return {"UNDO": "undid: ", "REDO": "redid: "}.get(self, "") + summary


WEEK_LIMIT = 5
"""The open cards that one person may have in a week before the workload marks it, where nothing else was set."""


class Workspace(Record, table="workspace"):
    """The workspace; one database holds one. ``auth_id`` is its account for authorization, the root of all accounts."""

    id: Id
    name: str
    auth_id: str
    week_limit: int = WEEK_LIMIT
    version: int = 1


NO_EMAIL = "localhost.localdomain"
"""The domain of the e-mail address of a user without one. No screen shows such an address."""


class User(Record, table="app_user"):
    """A user. An external guest has no ``platform_roles``."""

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

    @property
    def has_email(self) -> bool:
        """False for a user who gave no e-mail."""
        return not self.email.endswith(f"@{NO_EMAIL}")

    @property
    def shown_email(self) -> str:
        """The e-mail for people: a dash for a user who has none, empty where it is withheld."""
        return self.email if self.has_email else "–"


class HierarchyNode(Record, table="hierarchy_node"):
    """A client, a market or a brand. A market can be under a client, a brand under a client or a market.

    ``auth_id`` is its account for authorization.
    """

    id: Id
    kind: NodeKind
    name: str
    auth_id: str
    parent_id: Id | None = None
    version: int = 1


class Project(Record, table="project"):
    """A project. ``auth_id`` is its account for authorization; products receive it as ``projectAuthId``.

    ``key`` is the first part of the keys of its cards: ``AUT`` of ``AUT-12``. ``start`` is the first day of the work:
    dates of templates count from it, and the Timeline begins there.
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
    key: str = ""
    version: int = 1

    @property
    def links(self) -> dict[NodeKind, Id | None]:
        """The linked node of each level, from the top."""
        return {NodeKind.CLIENT: self.client_id, NodeKind.MARKET: self.market_id, NodeKind.BRAND: self.brand_id}


class ProjectKey(Record, table="project_key", key=("key",)):
    """A key that leads to a project: its own, or one that it had before."""

    key: str
    project_id: Id
    version: int = 1


class Member(Record, table="member", key=("project_id", "user_id")):
    """A user with a project role on one project. ``invited_by`` is the user who added them."""

    project_id: Id
    user_id: Id
    role: ProjectRole
    invited_by: Id
    version: int = 1


class Phase(Record, table="phase", key=("project_id", "id")):
    """One step of a project's workflow. Its state is not stored: ``core.domain.phase_states.phase_states`` derives it.

    With ``evidence_required``, a review gate can be approved only when there are deliverables, and each is done and has
    evidence: a link, a file or a card; with ``accepts_statements`` a statement counts, too. While a phase is
    ``on_hold``, it is not complete, and no one can approve it.
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
    accepts_statements: bool = False
    on_hold: bool = False
    version: int = 1

    @property
    def gate_words(self) -> str:
        """The kind of the gate, and the evidence that it asks for: “review with evidence or a statement”."""
        evidence = " with evidence" if self.evidence_required else ""
        return self.gate.value.lower() + evidence + (" or a statement" if evidence and self.accepts_statements else "")

    @property
    def gate_now(self) -> str:
        """The same, and that an automatic gate waits for an approval."""
        return self.gate_words + (", waits for an approval" if self.gate_state is GateState.UNDECIDED else "")


class Item(Record, table="item", key=("project_id", "id")):
    """A task or an activity of a phase.

    A task has one assignee and can belong to an activity of the same phase (``activity_id``). An activity has any
    number of assigned members (``Assignment``) and can hold a link. ``archived_from`` is the status to which Restore
    returns the item. ``archived_with`` is the activity that was archived together with this task. ``number`` counts the
    cards of the project: 12 in ``AUT-12``. It is never given twice; 0 stands for the next one. ``completed_by`` and
    ``completed_at`` stay when it is archived; both are None while it is open, and where they are not known.
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
    number: int = 0
    priority: Priority = Priority.NORMAL
    completed_by: Id | None = None
    completed_at: datetime | None = None
    version: int = 1


class Assignment(Record, table="assignment", key=("project_id", "target_id", "user_id")):
    """A member assigned to a phase, an activity or an application (``target_id``)."""

    project_id: Id
    target_id: Id
    user_id: Id
    version: int = 1


class Comment(Record, table="comment", key=("project_id", "id")):
    """A comment on a task or an activity; only its author edits or deletes it.

    ``imported_by`` is the user who imported the comment, None for one that was written here. In an imported comment
    ``author_id`` is that user too, ``at`` is the time in the file, and ``original_login`` and ``original_name`` are the
    author that the file names.
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
    """As in ``Change``."""
    version: int = 1


class Favourite(Record, table="favourite", key=("project_id", "user_id")):
    """A project that a user marked as a favourite."""

    project_id: Id
    user_id: Id
    version: int = 1


class Preference(Record, table="preference", key=("user_id", "name")):
    """A setting of one user, such as the theme or the key map. ``value`` is text, in a format that its reader knows."""

    user_id: Id
    name: str
    value: str
    version: int = 1


class Change(Record):
    """One command that was carried out: a line of the history, a change notification, and the unit of undo.

    ``seq`` counts up without a gap in each project. ``permissions`` are the codes that the command required; an undo
    requires them too. ``reverts`` is the ``seq`` of the change that an undo or a redo reverted. ``through`` is a phrase
    that names the means by which another user can have acted as ``actor_id``: “with a token made by Adam Ito”.
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
