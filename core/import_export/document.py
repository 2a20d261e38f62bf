"""A whole project as a document: the content of an export, and the form that every import takes before it is stored.

It has no ids of a database: people are named by login, products, meta roles, clients, markets and brands by name, and
activities are numbered, so that an export of an imported project is the same text. It has all that the members of a
project made together. It leaves out the history, launches, notifications, and everything that belongs to one user only
(favourites, last seen, active and own presets); and the template that the project came from. A seal is kept letter by
letter, so that its hash holds, with the ids that it has.

Keys of the JSON are in camelCase, as everywhere in the API.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from typing import ClassVar, Literal

from core.domain.fields import FieldKind
from core.domain.gates import Decision, EvidenceKind, Way
from core.domain.labels import LabelColour
from core.domain.model import Gate, GateState, ItemKind, Priority, ProjectRole, Status
from core.domain.view_settings import ALL_FIELDS, WORK, CardField, Density, Layout, PhaseSection, Sort
from core.record import Record

OMITTED: Mapping[str, object] = {
    "labels": [],
    "priority": "NORMAL",
    "fields": [],
    "waitsFor": [],
    "evidenceKind": "NONE",
    "fileSize": 0,
    "fileSha256": "",
    "deliveredBy": None,
    "deliveredAt": None,
    "completedBy": None,
    "completedAt": None,
    "removedPhases": [],
    "phaseName": "",
    "detail": "",
    "about": None,
    "seq": 0,
    "sha256": "",
    "seal": "",
    "way": "",
}
"""Keys of a project and of its parts that a file leaves out where they have these values, as most do."""


class DocumentPart(Record, forbid_unknown_fields=True):
    """A part of the document. Its JSON has no keys but its own, each with a value of exactly its type."""


class PersonEntry(DocumentPart):
    """A person in the document. ``login`` is the name by which its other parts refer to them.

    ``role`` is None for a person who is not a member, such as the author of an old comment or decision, or an inviter.
    ``meta_roles`` are those that were given explicitly. ``invited_by`` is for readers only: an import makes its
    importer the inviter.
    """

    login: str
    email: str = ""
    name: str = ""
    role: ProjectRole | None = None
    meta_roles: tuple[str, ...] = ()
    invited_by: str | None = None


class CommentEntry(DocumentPart):
    """A comment; ``author`` is a login, and so is ``imported_by`` if the comment was imported before it was exported.

    An import replaces ``imported_by`` and ``imported_at`` by its own, also for decisions.
    """

    author: str
    at: datetime
    text: str
    imported_by: str | None = None
    imported_at: datetime | None = None


class FieldEntry(DocumentPart):
    """An own field of the project; cards name it by its ``key``."""

    name: str
    key: str
    kind: FieldKind
    choices: tuple[str, ...] = ()
    sums: bool = False


class ValueEntry(DocumentPart):
    """The value of a field of a card: a number, a choice, a date as ISO text, a login, a text or a link."""

    field: str
    value: str


class WaitEntry(DocumentPart):
    """A card that another one waits for: one of the document by ``card``, or one of another project by ``key``."""

    card: str | None = None
    key: str | None = None
    lag_days: int = 0
    override_reason: str = ""
    overridden_by: str | None = None
    """The login of the owner who overrode it."""
    overridden_at: datetime | None = None


class ItemEntry(DocumentPart):
    """A task or an activity. ``id`` is unique within the document; tasks name their activity by it.

    ``archived_with_activity`` is True if the task was archived with its activity, so restoring that restores the task.
    ``number`` is its number in the key of the card; 0 stands for the next one. ``completed_by`` is a login.
    """

    id: str
    number: int = 0
    kind: ItemKind
    title: str
    status: Status = Status.TO_DO
    activity: str | None = None
    archived_from: Status | None = None
    archived_with_activity: bool = False
    due: date | None = None
    description: str = ""
    link: str = ""
    priority: Priority = Priority.NORMAL
    labels: tuple[str, ...] = ()
    """The names of its labels, which are in ``ProjectDocument.labels``."""
    assigned: tuple[str, ...] = ()
    fields: tuple[ValueEntry, ...] = ()
    comments: tuple[CommentEntry, ...] = ()
    waits_for: tuple[WaitEntry, ...] = ()
    completed_by: str | None = None
    completed_at: datetime | None = None


class ApplicationEntry(DocumentPart):
    """An application of a product, on a phase or on one of its activities."""

    product: str
    name: str
    activity: str | None = None
    due: date | None = None
    assigned: tuple[str, ...] = ()


class DeliverableEntry(DocumentPart):
    """A deliverable. ``evidence`` is a URL, the name of a file, the ``id`` of an item, or a statement in words.

    A file that names no kind has a link or a statement. A card as evidence without an id was deleted. ``delivered_by``
    is a login.
    """

    name: str
    evidence: str = ""
    evidence_kind: EvidenceKind = EvidenceKind.NONE
    file_size: int = 0
    file_sha256: str = ""
    done: bool = False
    delivered_by: str | None = None
    delivered_at: datetime | None = None


class DecisionEntry(DocumentPart):
    """One entry in the record of the phase's gate; ``by`` and ``imported_by`` are logins.

    ``about`` is the decision that a lapse, a withdrawal or a restoration is about: its number in the list, from 1.
    ``seal`` is the seal of a decision letter by letter, since ``sha256`` is the hash of exactly this text.
    """

    decision: Decision
    by: str
    at: datetime
    reason: str = ""
    completed: int = 0
    total: int = 0
    withdrawn: bool = False
    imported_by: str | None = None
    imported_at: datetime | None = None
    phase_name: str = ""
    detail: str = ""
    about: int | None = None
    seq: int = 0
    sha256: str = ""
    seal: str = ""
    way: Way = Way.UNKNOWN


class RemovedPhaseEntry(DocumentPart):
    """The record of the gate of a phase that was removed. Its entries have the name that it had."""

    decisions: tuple[DecisionEntry, ...]


class PhaseEntry(DocumentPart):
    """A phase with all its parts, each list in order."""

    name: str
    objectives: str = ""
    outcomes: str = ""
    due: date | None = None
    gate: Gate = Gate.AUTOMATIC
    evidence_required: bool = False
    accepts_statements: bool | None = None
    """None in a file from before that was asked: as ``evidence_required``, because any text was evidence."""
    gate_state: GateState = GateState.NONE
    overridden: bool = False
    assigned: tuple[str, ...] = ()
    deliverables: tuple[DeliverableEntry, ...] = ()
    decisions: tuple[DecisionEntry, ...] = ()
    items: tuple[ItemEntry, ...] = ()
    applications: tuple[ApplicationEntry, ...] = ()


class PresetEntry(DocumentPart):
    """A preset that all members of the project share."""

    name: str
    layout: Layout = Layout.PHASE_COLUMNS
    fields: tuple[CardField, ...] = ALL_FIELDS
    sections: tuple[PhaseSection, ...] = WORK
    filter: str = ""
    sort: Sort = Sort.ORDER
    density: Density | None = None


class LabelEntry(DocumentPart):
    """A label that cards of the project have or can have. A sign that is left out is chosen.

    An import takes a label of the workspace of the same name, colour and sign in its place.
    """

    name: str
    colour: LabelColour = LabelColour.GREY
    sign: str = ""


class ProjectDocument(DocumentPart):
    """A project. ``client``, ``market`` and ``brand`` are the names of its links, and together one hierarchy path."""

    in_words: ClassVar[str] = "a project as “podium project export” writes it"
    format: Literal["podium-project"] = "podium-project"
    version: Literal[1] = 1
    name: str
    key: str = ""
    """The key of the project. An import of a key that another project has or had gets another one."""
    description: str = ""
    start: date | None = None
    created_at: datetime | None = None
    """The time of creation; None if the file has none, and then the import sets its own time."""
    archived: bool = False
    client: str | None = None
    market: str | None = None
    brand: str | None = None
    people: tuple[PersonEntry, ...] = ()
    labels: tuple[LabelEntry, ...] = ()
    fields: tuple[FieldEntry, ...] = ()
    phases: tuple[PhaseEntry, ...] = ()
    presets: tuple[PresetEntry, ...] = ()
    removed_phases: tuple[RemovedPhaseEntry, ...] = ()

    @property
    def items(self) -> tuple[ItemEntry, ...]:
        """The tasks and activities of all phases."""
        return tuple(item for phase in self.phases for item in phase.items)

    @property
    def workers(self) -> set[str]:
        """The person who completed a card or delivered a deliverable."""
        delivered = {each.delivered_by for phase in self.phases for each in phase.deliverables}
        return {each for each in delivered | {item.completed_by for item in self.items} if each is not None}

    @property
    def decisions(self) -> tuple[DecisionEntry, ...]:
        """The entries in the records of all gates, also those of removed phases."""
        records = (*(phase.decisions for phase in self.phases), *(phase.decisions for phase in self.removed_phases))
        return tuple(each for record in records for each in record)
