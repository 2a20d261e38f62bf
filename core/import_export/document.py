"""A whole project as a document: the content of an export, and the form that every import takes before it is stored.

It has no ids of a database: people are named by login, products, meta roles, clients, markets and brands by name, and
activities are numbered, so that an export of an imported project is the same text. It has all that the members of a
project made together. It leaves out the history, launches, notifications, and everything that belongs to one user only
(favourites, last seen, active and own presets); and the template that the project came from. A seal is kept letter by
letter, so that its hash holds, with the ids that it has.

Keys of the JSON are in camelCase, as everywhere in the API.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, ClassVar, Literal

from core.domain.dependencies import MAX_BLOCKERS, MAX_LAG
from core.domain.evidence import Evidence, evidence_of, filed_evidence, linked_evidence
from core.domain.fields import FieldKind, checked_key
from core.domain.gate_policy import MAX_CRITERIA, MAX_PANEL, CriterionKind, Deciding, check_needed, kept_amount
from core.domain.gates import Decision, EvidenceKind, Way
from core.domain.labels import LabelColour
from core.domain.max_lengths import (
    APPLICATION_NAME,
    CARD_TITLE,
    COMMENT,
    CRITERION,
    DELIVERABLE_NAME,
    EVIDENCE,
    PHASE_NAME,
    PROJECT_NAME,
    REASON,
    SOURCE_ID,
)
from core.domain.model import Gate, GateState, ItemKind, Priority, ProjectRole, Status
from core.domain.statuses import CLOSED, check_evidence_setting, is_done
from core.domain.view_settings import ALL_FIELDS, WORK, CardField, Density, Layout, PhaseSection, Sort
from core.errors import InvalidImport, InvalidInput
from core.record import Record, replace
from core.rules.fields import check_sums, checked_choices, checked_name
from core.text.document_fields import Day, FieldRule, Link, Moment, checked_field, line, text
from core.text.label_names import label_name, label_sign
from core.text.sanitize import many_lines, one_line, quote_value
from core.text.short_keys import MAX_NUMBER, card_key, project_key, read_card_key

MAX_WHOLE = 2**53
"""The highest number in JSON that all readers take for the same."""


class DocumentPart(Record, forbid_unknown_fields=True, gc=False):
    """A part of the document. Its JSON has no keys but its own, each with a value of exactly its type.

    ``normalize`` returns it as it is stored, or raises InvalidImport, for what concerns several of its fields.
    """


def _comment(text: str) -> str:
    """Return the text of a comment, which is not empty. Raises InvalidInput."""
    if not (comment := many_lines(text, "comment", most=COMMENT)):
        raise InvalidInput("text", "The comment is empty.")
    return comment


def _card_key(text: str) -> str:
    if (key := read_card_key(text)) is None:
        raise InvalidInput("key", f"“{quote_value(text)}” is not the key of a card, such as AUT-12.")
    return card_key(*key)


def _check_done(what: str, done: bool, by: str | None, at: datetime | None) -> None:
    """Raise InvalidImport for what is not done, and has someone who did it or a time."""
    for name, value in (("By", by), ("At", at)):
        if value is not None and not done:
            raise InvalidImport(f"{what}{name}", f"Only what is {what} can have this.")


class PersonEntry(DocumentPart):
    """A person in the document. ``login`` is the name by which its other parts refer to them.

    ``role`` is None for a person who is not a member, such as the author of an old comment or decision, or an inviter.
    ``meta_roles`` are those that were given explicitly. ``invited_by`` is for readers only: an import makes its
    importer the inviter.
    """

    login: Annotated[str, line(254)]
    email: Annotated[str, line(254, "e-mail", empty=True)] = ""
    name: Annotated[str, line(254, empty=True)] = ""
    role: ProjectRole | None = None
    meta_roles: tuple[Annotated[str, line(noun="meta role")], ...] = ()
    invited_by: str | None = None

    @property
    def words(self) -> str:
        """The name with the address, for a text."""
        has_both = self.name and self.email not in ("", self.name)
        return f"{self.name} ({self.email})" if has_both else self.name or self.login


class CommentEntry(DocumentPart):
    """A comment; ``author`` is a login, and so is ``imported_by`` if the comment was imported before it was exported.

    An import replaces ``imported_by`` and ``imported_at`` by its own, also for decisions.
    """

    author: str
    at: Moment
    text: Annotated[str, FieldRule(_comment)]
    imported_by: str | None = None
    imported_at: datetime | None = None


class FieldEntry(DocumentPart):
    """A custom field of the project; cards name it by its ``key``."""

    name: Annotated[str, FieldRule(checked_name)]
    key: Annotated[str, FieldRule(checked_key)]
    kind: FieldKind
    choices: tuple[str, ...] = ()
    sums: bool = False

    def normalize(self) -> FieldEntry:
        checked_field("sums", check_sums, self.kind, self.sums)
        return replace(self, choices=checked_field("choices", checked_choices, self.kind, self.choices))


class ValueEntry(DocumentPart):
    """The value of a field of a card: a number, a choice, a date as ISO text, a login, a text or a link."""

    field: str
    value: str


class WaitEntry(DocumentPart):
    """A card that another one waits for: one of the document by ``card``, or one of another project by ``key``."""

    card: str | None = None
    key: Annotated[str, FieldRule(_card_key)] | None = None
    lag_days: int = 0
    override_reason: Annotated[str, text(REASON, "reason")] = ""
    overridden_by: str | None = None
    """The login of the owner who overrode it."""
    overridden_at: Moment | None = None

    def normalize(self) -> WaitEntry:
        if (self.card is None) == (self.key is None):
            raise InvalidImport("", "Name the card either by “card” or by “key”.")
        if not 0 <= self.lag_days <= MAX_LAG:
            raise InvalidImport("lagDays", f"The lag is 0 to {MAX_LAG} days.")
        return self


class OriginEntry(DocumentPart):
    """The program that a card came from, and its id there, by which the next import of a changed file finds it."""

    program: Annotated[str, line(40)]
    id: Annotated[str, line(SOURCE_ID)]
    unsaid: tuple[str, ...] = ()
    """The values that stand in the file nowhere, and were chosen in reading it: of “status”, “priority”, “phase”."""
    last: Annotated[str, text()] = ""
    """As in ``CardOrigin``; empty in a file of another program."""


class ItemEntry(DocumentPart):
    """A task or an activity. ``id`` is unique within the document; tasks name their activity by it.

    ``archived_with_activity`` is True if the task was archived with its activity, so restoring that restores the task.
    ``number`` is its number in the key of the card; 0 stands for the next one. ``completed_by`` is a login.
    """

    id: str
    number: int = 0
    kind: ItemKind
    title: Annotated[str, line(CARD_TITLE)]
    status: Status = Status.TO_DO
    activity: str | None = None
    archived_from: Status | None = None
    archived_with_activity: bool = False
    due: Day | None = None
    description: Annotated[str, text()] = ""
    link: Link = ""
    priority: Priority = Priority.NORMAL
    labels: tuple[str, ...] = ()
    """The names of its labels, which are in ``ProjectDocument.labels``."""
    assigned: tuple[str, ...] = ()
    fields: tuple[ValueEntry, ...] = ()
    comments: tuple[CommentEntry, ...] = ()
    waits_for: tuple[WaitEntry, ...] = ()
    completed_by: str | None = None
    completed_at: Moment | None = None
    origin: OriginEntry | None = None

    def normalize(self) -> ItemEntry:
        """Check the fields that depend on its kind and its status, and what it waits for."""
        if self.kind is ItemKind.APPLICATION:
            raise InvalidImport("kind", "An item is a TASK or an ACTIVITY.")
        if not 0 <= self.number <= MAX_NUMBER:
            raise InvalidImport("number", f"The number {self.number} is there twice, or out of range.")
        if self.kind is ItemKind.TASK and len(self.assigned) > 1:
            raise InvalidImport("assigned", "A task is assigned to one person at most.")
        is_archived = self.status is Status.ARCHIVED
        if (self.archived_from is not None) != is_archived or self.archived_from is Status.ARCHIVED:
            raise InvalidImport("archivedFrom", "An archived item, and no other, has its former status here.")
        if self.archived_with_activity and (self.activity is None or not is_archived):
            raise InvalidImport("archivedWithActivity", "Only an archived task of an activity can have this.")
        if len(self.waits_for) > MAX_BLOCKERS:
            raise InvalidImport("waitsFor", f"A card can wait for at most {MAX_BLOCKERS} cards.")
        if len({(wait.card, wait.key) for wait in self.waits_for}) < len(self.waits_for):
            raise InvalidImport("waitsFor", "A card is listed twice.")
        _check_done("completed", is_done(self.status, self.archived_from), self.completed_by, self.completed_at)
        return self


class ApplicationEntry(DocumentPart):
    """An application of a product, on a phase or on one of its activities."""

    product: Annotated[str, line()]
    name: Annotated[str, line(APPLICATION_NAME)]
    activity: str | None = None
    due: Day | None = None
    assigned: tuple[str, ...] = ()


class DeliverableEntry(DocumentPart):
    """A deliverable. ``evidence`` is a URL, the name of a file, the ``id`` of an item, or a statement in words.

    A file that names no kind has a link or a statement. A card as evidence without an id was deleted. ``delivered_by``
    is a login.
    """

    name: Annotated[str, line(DELIVERABLE_NAME)]
    evidence: str = ""
    evidence_kind: EvidenceKind = EvidenceKind.NONE
    file_size: int = 0
    file_sha256: str = ""
    done: bool = False
    delivered_by: str | None = None
    delivered_at: Moment | None = None

    def normalize(self) -> DeliverableEntry:
        """Return it with evidence of the kind that the file says, or else of the one that the text has."""
        _check_done("delivered", self.done, self.delivered_by, self.delivered_at)
        match self.evidence_kind:
            case EvidenceKind.LINK:
                evidence = checked_field("evidence", linked_evidence, self.evidence, "evidence")
            case EvidenceKind.FILE:
                evidence = checked_field("evidence", filed_evidence, self.evidence, self.file_size, self.file_sha256)
            case EvidenceKind.CARD:
                evidence = Evidence(EvidenceKind.CARD, self.evidence)
            case kind:
                is_said = kind is EvidenceKind.STATEMENT
                text = checked_field("evidence", one_line, self.evidence, "evidence", most=EVIDENCE, empty=not is_said)
                evidence = Evidence(kind, text) if is_said else evidence_of(text)
        return replace(self, **evidence.columns)


class ConditionEntry(DocumentPart):
    """The condition of a vote. Its people are logins, and ``item`` is the card that it became, in ``next_phase``.

    ``decision`` and ``next_phase`` are numbers in the list of decisions and in that of phases, from 1.
    """

    text: Annotated[str, line(CARD_TITLE)]
    due: Day
    person: str | None = None
    decision: int | None = None
    item: str | None = None
    next_phase: int | None = None
    met_by: str | None = None
    met_at: Moment | None = None
    waived_by: str | None = None
    waived_at: Moment | None = None
    waiver: Annotated[str, text(REASON)] = ""


def logins_of(condition: ConditionEntry) -> tuple[str | None, ...]:
    """Return the people of a condition."""
    return condition.person, condition.met_by, condition.waived_by


class DecisionEntry(DocumentPart):
    """One entry in the record of the phase's gate; ``by`` and ``imported_by`` are logins.

    ``about`` is the decision that a lapse, a withdrawal or a restoration is about: its number in the list, from 1.
    ``seal`` is the seal of a decision letter by letter, since ``sha256`` is the hash of exactly this text. A vote can
    have a ``condition``, and ``recorded_by`` is the login of the secretary of a meeting.
    """

    decision: Decision
    by: str
    at: Moment
    reason: Annotated[str, text(REASON)] = ""
    completed: int = 0
    total: int = 0
    withdrawn: bool = False
    imported_by: str | None = None
    imported_at: datetime | None = None
    phase_name: Annotated[str, line(PHASE_NAME, empty=True)] = ""
    detail: Annotated[str, text(REASON)] = ""
    about: int | None = None
    seq: int = 0
    sha256: str = ""
    seal: str = ""
    way: Way = Way.UNKNOWN
    ground: Annotated[str, line(64, empty=True)] = ""
    meeting: Day | None = None
    recorded_by: str | None = None
    condition: ConditionEntry | None = None

    def normalize(self) -> DecisionEntry:
        if not 0 <= self.completed <= self.total:
            raise InvalidImport("completed", "It cannot be less than nothing or more than the total.")
        if not 0 <= self.seq <= MAX_WHOLE:
            raise InvalidImport("seq", "It is the number of a change, from 0.")
        return self


class RemovedPhaseEntry(DocumentPart):
    """The record of the gate of a phase that was removed. Its entries have the name that it had."""

    decisions: tuple[DecisionEntry, ...]


class PolicyEntry(DocumentPart):
    """The policy of a gate: ``people`` and ``secretary`` are logins, and ``meta_role`` is a name."""

    deciders: Deciding = Deciding.OWNERS
    meta_role: Annotated[str, line(noun="meta role")] | None = None
    people: tuple[str, ...] = ()
    needed: int | None = None
    four_eyes: bool = False
    decide_by: Day | None = None
    secretary: str | None = None

    def normalize(self) -> PolicyEntry:
        checked_field("needed", check_needed, self.needed)
        if len(self.people) > MAX_PANEL:
            raise InvalidImport("people", f"A panel has at most {MAX_PANEL} people.")
        return self


class CriterionEntry(DocumentPart):
    """A criterion of a gate. ``filter`` has names, and ``field`` is a key, empty for a field that was removed.

    ``matched`` are the ids of the items that matched when it was set or last decided on.
    """

    text: Annotated[str, line(CRITERION)]
    kind: CriterionKind
    person: str | None = None
    met_by: str | None = None
    met_at: Moment | None = None
    filter: str = ""
    field: str = ""
    at_least: bool = False
    amount: Annotated[str, FieldRule(kept_amount, optional=True)] = ""
    may_be_empty: bool = False
    matched: tuple[str, ...] = ()

    def normalize(self) -> CriterionEntry:
        """Check that it has exactly what its kind takes."""
        is_sum, by_hand = self.kind is CriterionKind.SUM, self.kind is CriterionKind.HAND
        if bool(self.filter) is by_hand:
            raise InvalidImport("filter", "A criterion has a filter, unless it is met by hand.")
        if bool(self.amount) is not is_sum:
            raise InvalidImport("amount", "A sum has a limit, and nothing else has one.")
        if not by_hand and (self.person or self.met_by or self.met_at):
            raise InvalidImport("person", "Only what is met by hand has a person.")
        return self


class PhaseEntry(DocumentPart):
    """A phase with all its parts, each list in order."""

    name: Annotated[str, line(PHASE_NAME)]
    objectives: Annotated[str, text()] = ""
    outcomes: Annotated[str, text()] = ""
    due: Day | None = None
    gate: Gate = Gate.AUTOMATIC
    evidence_required: bool = False
    accepts_statements: bool | None = None
    """None in a file from before that was asked: as ``evidence_required``, because any text was evidence."""
    gate_state: GateState = GateState.NONE
    overridden: bool = False
    on_hold: bool = False
    policy: PolicyEntry | None = None
    criteria: tuple[CriterionEntry, ...] = ()
    assigned: tuple[str, ...] = ()
    deliverables: tuple[DeliverableEntry, ...] = ()
    decisions: tuple[DecisionEntry, ...] = ()
    items: tuple[ItemEntry, ...] = ()
    applications: tuple[ApplicationEntry, ...] = ()

    def normalize(self) -> PhaseEntry:
        """Check the gate; a file that does not say whether statements count accepts them as evidence."""
        evidence, statements = (self.gate, self.evidence_required), self.accepts_statements
        checked_field("evidenceRequired", check_evidence_setting, *evidence)
        checked_field("acceptsStatements", check_evidence_setting, *evidence, bool(statements))
        if self.gate_state is GateState.PASSED and any(item.status not in CLOSED for item in self.items):
            raise InvalidImport("gateState", "A card of the phase is open, so the phase cannot be approved.")
        if self.gate_state is GateState.PASSED and self.on_hold:
            raise InvalidImport("onHold", "The phase is approved, so it is not on hold.")
        if len(self.criteria) > MAX_CRITERIA:
            raise InvalidImport("criteria", f"A gate has at most {MAX_CRITERIA} criteria, not {len(self.criteria)}.")
        for name in ("policy", "criteria"):
            if self.gate is not Gate.REVIEW and getattr(self, name):
                raise InvalidImport(name, "Only a review gate has it.")
        return replace(self, accepts_statements=self.evidence_required if statements is None else statements)


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

    name: Annotated[str, FieldRule(label_name)]
    colour: LabelColour = LabelColour.GREY
    sign: Annotated[str, FieldRule(label_sign, optional=True)] = ""


class ProjectDocument(DocumentPart, gc=True, weakref=True):
    """A project. ``client``, ``market`` and ``brand`` are the names of its links, and together one hierarchy path."""

    in_words: ClassVar[str] = "a project as “podium project export” writes it"
    format: Literal["podium-project"] = "podium-project"
    version: Literal[1] = 1
    name: Annotated[str, line(PROJECT_NAME)]
    key: Annotated[str, FieldRule(project_key, optional=True)] = ""
    """The key of the project. An import of a key that another project has or had gets another one."""
    description: Annotated[str, text()] = ""
    start: Day | None = None
    created_at: Moment | None = None
    """The time of creation; None if the file has none, and then the import sets its own time."""
    archived: bool = False
    client: Annotated[str, line()] | None = None
    market: Annotated[str, line()] | None = None
    brand: Annotated[str, line()] | None = None
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
    def named_at_gates(self) -> set[str]:
        """The people whom policies, criteria, conditions and meetings name."""
        policies = [phase.policy for phase in self.phases if phase.policy]
        found: tuple[str | None, ...] = (
            *(login for each in policies for login in (*each.people, each.secretary)),
            *(login for phase in self.phases for each in phase.criteria for login in (each.person, each.met_by)),
            *(login for each in self.decisions if each.condition for login in logins_of(each.condition)),
            *(each.recorded_by for each in self.decisions),
        )
        return {login for login in found if login}

    @property
    def decisions(self) -> tuple[DecisionEntry, ...]:
        """The entries in the records of all gates, also those of removed phases."""
        records = (*(phase.decisions for phase in self.phases), *(phase.decisions for phase in self.removed_phases))
        return tuple(each for record in records for each in record)
