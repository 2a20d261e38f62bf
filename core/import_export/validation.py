"""Checks of a document to import: its texts, its dates, and the references between its parts.

The rules are those of typed texts (``core.text.sanitize``), so a file brings no text that could not be typed. An error
names the field by its path from the top: ``phases[0].items[3].title``.
"""

from __future__ import annotations

from collections.abc import Container
from datetime import date, datetime

from core.domain.evidence import Evidence, evidence_of, filed_evidence, linked_evidence
from core.domain.gates import EvidenceKind
from core.domain.max_lengths import (
    APPLICATION_NAME,
    CARD_TITLE,
    COMMENT,
    DELIVERABLE_NAME,
    EVIDENCE,
    PHASE_NAME,
    PROJECT_NAME,
    REASON,
)
from core.domain.model import GateState, ItemKind, Status
from core.domain.statuses import CLOSED, check_evidence_setting, is_done
from core.domain.view_settings import ViewSettings
from core.errors import InvalidImport, InvalidInput
from core.import_export.accepted_labels import accepted_labels
from core.import_export.check_seals import MAX_WHOLE, check_seal
from core.import_export.check_waits import accepted_waits, check_waits
from core.import_export.document import (
    ApplicationEntry,
    CommentEntry,
    DecisionEntry,
    DeliverableEntry,
    FieldEntry,
    ItemEntry,
    PersonEntry,
    PhaseEntry,
    PresetEntry,
    ProjectDocument,
    RemovedPhaseEntry,
)
from core.import_export.own_fields import checked_fields, checked_values
from core.record import made_from, replace
from core.rules.items import due_date
from core.rules.preset_fields import MAX_PRESETS, validated_view_settings
from core.text.dates import FIRST_YEAR, LAST_YEAR
from core.text.document_fields import checked_field, checked_list, checked_moment, checked_text
from core.text.label_names import fold_name
from core.text.sanitize import link, many_lines, one_line, quote_value
from core.text.short_keys import MAX_NUMBER, project_key

MAX_RECORDS = 100_000
"""The most parts of a document."""


def accepted(document: ProjectDocument) -> ProjectDocument:
    """Return the document with its texts as they are stored. Raises InvalidImport for the first error."""
    if (parts := records_of(document)) > MAX_RECORDS:
        raise InvalidImport("", f"The file has {parts:,} records. Podium imports at most {MAX_RECORDS:,}. Split it.")
    people = tuple(_person(each, f"people[{at}]") for at, each in enumerate(document.people))
    labels = accepted_labels(document.labels)
    fields = checked_fields(document.fields)
    references = References(people, document, fields)
    check_waits(document)
    for at, person in enumerate(people):
        if person.invited_by is not None:
            references.person(person.invited_by, f"people[{at}].invitedBy")
    return replace(
        document,
        name=checked_text("name", one_line, document.name, most=PROJECT_NAME),
        key=checked_field("key", project_key, document.key) if document.key else "",
        description=checked_text("description", many_lines, document.description),
        start=_day(document.start, "start"),
        created_at=checked_moment(document.created_at, "createdAt") if document.created_at else None,
        client=_optional(document.client, "client"),
        market=_optional(document.market, "market"),
        brand=_optional(document.brand, "brand"),
        people=people,
        labels=labels,
        fields=fields,
        phases=tuple(_phase(each, f"phases[{at}]", references) for at, each in enumerate(document.phases)),
        presets=_presets(document.presets, {field.key for field in fields}),
        removed_phases=checked_list(
            "removedPhases", document.removed_phases, lambda each, place: _removed_phase(each, place, references)
        ),
    )


class References:
    """The people, fields and items of a document, to which its parts refer."""

    def __init__(
        self, people: tuple[PersonEntry, ...], document: ProjectDocument, fields: tuple[FieldEntry, ...]
    ) -> None:
        self.fields = fields
        self._people: dict[str, PersonEntry] = {}
        for at, person in enumerate(people):
            if person.login in self._people:
                raise InvalidImport(f"people[{at}].login", f"“{person.login}” is listed twice.")
            self._people[person.login] = person
        self._items: dict[str, tuple[PhaseEntry, ItemEntry]] = {}
        self._places: dict[str, int] = {}
        numbers: set[int] = set()
        for phase_at, phase in enumerate(document.phases):
            for at, item in enumerate(phase.items):
                if item.id in self._items:
                    raise InvalidImport(f"phases[{phase_at}].items[{at}].id", f"The id “{item.id}” is there twice.")
                self._items[item.id] = (phase, item)
                self._places[item.id] = phase_at
                if item.number in numbers or not 0 <= item.number <= MAX_NUMBER:
                    where = f"phases[{phase_at}].items[{at}].number"
                    raise InvalidImport(where, f"The number {item.number} is there twice, or out of range.")
                numbers |= {item.number} - {0}
        self._holding: set[str] = set()
        self._labels = {fold_name(label.name): label.name for label in document.labels}

    def person(self, login: str, where: str) -> PersonEntry:
        """Return the person with this login. Raises InvalidImport."""
        if login not in self._people:
            raise InvalidImport(where, f"“{login}” is not among the people of the file.")
        return self._people[login]

    def importer(self, entry: CommentEntry | DecisionEntry, where: str) -> None:
        """Check that the importer of an entry that was imported before is a person of the file."""
        if entry.imported_by is not None:
            self.person(entry.imported_by, f"{where}.importedBy")

    def work(self, what: str, done: bool, by: str | None, at: datetime | None, where: str) -> datetime | None:
        """Check who completed or delivered something, and return when. Raises InvalidImport for what is not done."""
        for name, value in (("By", by), ("At", at)):
            if value is not None and not done:
                raise InvalidImport(f"{where}.{what}{name}", f"Only what is {what} can have this.")
        if by is not None:
            self.person(by, f"{where}.{what}By")
        return checked_moment(at, f"{where}.{what}At") if at else None

    def members(self, logins: tuple[str, ...], where: str) -> None:
        """Check that only members are assigned, and each once."""
        for login in logins:
            if self.person(login, where).role is None:
                raise InvalidImport(where, f"“{login}” is not a member. Only members can be assigned.")
        if len(set(logins)) < len(logins):
            raise InvalidImport(where, "A person is assigned twice.")

    def activity(self, wanted: str, phase: PhaseEntry, where: str) -> ItemEntry:
        """Return the activity of this phase with this id. Raises InvalidImport."""
        if wanted not in self._items:
            raise InvalidImport(where, f"There is no activity with the id “{wanted}” in the file.")
        holder, found = self._items[wanted]
        if found.kind is not ItemKind.ACTIVITY:
            raise InvalidImport(where, f"“{wanted}” is a task. Only an activity can contain tasks and an application.")
        if holder is not phase:
            raise InvalidImport(where, f"The activity “{wanted}” is in another phase.")
        return found

    def labels(self, names: tuple[str, ...], where: str) -> tuple[str, ...]:
        """Return the names of a card's labels as the document lists them, each once. Raises InvalidImport."""
        for name in names:
            if fold_name(name) not in self._labels:
                raise InvalidImport(where, f"“{quote_value(name)}” is not among the labels of the file.")
        return tuple(dict.fromkeys(self._labels[fold_name(name)] for name in names))

    def place_of(self, item_id: str) -> int | None:
        """Return the number of the phase of an item from 0; None for an item that is not in the document."""
        return self._places.get(item_id)

    def hold_application(self, activity: str, where: str) -> None:
        """Note the application of an activity. Raises InvalidImport for a second one."""
        if activity in self._holding:
            raise InvalidImport(where, f"The activity “{activity}” holds an application already.")
        self._holding.add(activity)


def records_of(document: ProjectDocument) -> int:
    """Return the approximate number of records in a document."""
    each_phase = (
        len(phase.deliverables) + len(phase.items) + len(phase.applications) + len(phase.assigned)
        for phase in document.phases
    )
    each_item = (
        sum(map(len, (item.comments, item.assigned, item.labels, item.fields, item.waits_for)))
        for item in document.items
    )
    parts = (document.people, document.phases, document.presets, document.fields, document.decisions)
    return sum(map(len, parts)) + sum(each_phase) + sum(each_item)


def _person(person: PersonEntry, where: str) -> PersonEntry:
    return replace(
        person,
        login=checked_text(f"{where}.login", one_line, person.login, most=254),
        email=checked_text(f"{where}.email", one_line, person.email, "e-mail", most=254, empty=True),
        name=checked_text(f"{where}.name", one_line, person.name, most=254, empty=True),
        meta_roles=tuple(
            checked_text(f"{where}.metaRoles[{at}]", one_line, role, "meta role")
            for at, role in enumerate(person.meta_roles)
        ),
    )


def _phase(phase: PhaseEntry, where: str, references: References) -> PhaseEntry:
    references.members(phase.assigned, f"{where}.assigned")
    _refuse_uneven(phase, where, references)
    _refuse_gate(phase, where)
    return replace(
        phase,
        name=checked_text(f"{where}.name", one_line, phase.name, most=PHASE_NAME),
        objectives=checked_text(f"{where}.objectives", many_lines, phase.objectives),
        outcomes=checked_text(f"{where}.outcomes", many_lines, phase.outcomes),
        due=_day(phase.due, f"{where}.due"),
        accepts_statements=phase.evidence_required if phase.accepts_statements is None else phase.accepts_statements,
        deliverables=checked_list(
            f"{where}.deliverables", phase.deliverables, lambda each, place: _deliverable(each, place, references)
        ),
        decisions=_decisions(phase.decisions, phase.name, where, references),
        items=checked_list(f"{where}.items", phase.items, lambda each, place: _item(each, place, references)),
        applications=checked_list(
            f"{where}.applications",
            phase.applications,
            lambda each, place: _application(each, phase, place, references),
        ),
    )


def _refuse_uneven(phase: PhaseEntry, where: str, references: References) -> None:
    """Raise InvalidImport for a task and an activity whose combination the rules of the workflow forbid."""
    for at, item in enumerate(phase.items):
        if item.activity is None:
            continue
        place = f"{where}.items[{at}]"
        if item.kind is ItemKind.ACTIVITY:
            raise InvalidImport(f"{place}.activity", f"“{item.id}” is an activity: it cannot be in another one.")
        activity = references.activity(item.activity, phase, f"{place}.activity")
        if activity.status is Status.ARCHIVED and item.status is not Status.ARCHIVED:
            raise InvalidImport(f"{place}.status", "The activity of the task is archived, so the task is, too.")
        if activity.status is Status.COMPLETED and item.status not in CLOSED:
            raise InvalidImport(f"{place}.status", "The activity of the task is completed, so the task cannot be open.")


def _refuse_gate(phase: PhaseEntry, where: str) -> None:
    """Raise InvalidImport for a gate that Podium would not allow, or an approved phase with open cards."""
    evidence = (phase.gate, phase.evidence_required)
    checked_field(f"{where}.evidenceRequired", check_evidence_setting, *evidence)
    checked_field(f"{where}.acceptsStatements", check_evidence_setting, *evidence, bool(phase.accepts_statements))
    if phase.gate_state is GateState.PASSED and any(item.status not in CLOSED for item in phase.items):
        raise InvalidImport(f"{where}.gateState", "A card of the phase is open, so the phase cannot be approved.")


def _item(item: ItemEntry, where: str, references: References) -> ItemEntry:
    references.members(item.assigned, f"{where}.assigned")
    if item.kind is ItemKind.APPLICATION:
        raise InvalidImport(f"{where}.kind", "An item is a TASK or an ACTIVITY.")
    if item.kind is ItemKind.TASK and len(item.assigned) > 1:
        raise InvalidImport(f"{where}.assigned", "A task is assigned to one person at most.")
    if (item.archived_from is not None) != (item.status is Status.ARCHIVED) or item.archived_from is Status.ARCHIVED:
        raise InvalidImport(f"{where}.archivedFrom", "An archived item, and no other, has its former status here.")
    if item.archived_with_activity and (item.activity is None or item.status is not Status.ARCHIVED):
        raise InvalidImport(f"{where}.archivedWithActivity", "Only an archived task of an activity can have this.")
    done = is_done(item.status, item.archived_from)
    completed_at = references.work("completed", done, item.completed_by, item.completed_at, where)
    return replace(
        item,
        title=checked_text(f"{where}.title", one_line, item.title, most=CARD_TITLE),
        description=checked_text(f"{where}.description", many_lines, item.description),
        link=checked_text(f"{where}.link", link, item.link) if item.link else "",
        due=_day(item.due, f"{where}.due"),
        labels=references.labels(item.labels, f"{where}.labels"),
        fields=checked_values(
            item.fields, references.fields, lambda login, place: references.members((login,), place), where
        ),
        comments=checked_list(
            f"{where}.comments", item.comments, lambda each, place: _comment(each, place, references)
        ),
        waits_for=accepted_waits(item, where, references.place_of),
        completed_at=completed_at,
    )


def _comment(comment: CommentEntry, where: str, references: References) -> CommentEntry:
    references.person(comment.author, f"{where}.author")
    references.importer(comment, where)
    text = checked_text(f"{where}.text", many_lines, comment.text, "comment", most=COMMENT)
    if not text:
        raise InvalidImport(f"{where}.text", "The comment is empty.")
    return replace(comment, text=text, at=checked_moment(comment.at, f"{where}.at"))


def _removed_phase(phase: RemovedPhaseEntry, where: str, references: References) -> RemovedPhaseEntry:
    if not phase.decisions:
        raise InvalidImport(f"{where}.decisions", "A removed phase without entries in its record has nothing to keep.")
    return replace(phase, decisions=_decisions(phase.decisions, phase.decisions[-1].phase_name, where, references))


def _decisions(
    records: tuple[DecisionEntry, ...], phase: str, where: str, references: References
) -> tuple[DecisionEntry, ...]:
    """Return the checked record of the gate of a phase of this name."""
    for at, record in enumerate(records, 1):
        place = f"{where}.decisions[{at - 1}]"
        if record.about is not None and (record.about == at or not 1 <= record.about <= len(records)):
            raise InvalidImport(f"{place}.about", "It is the number of another entry of this list, counted from 1.")
        check_seal(record, phase, place)
    return checked_list(f"{where}.decisions", records, lambda each, place: _decision(each, place, references))


def _decision(record: DecisionEntry, where: str, references: References) -> DecisionEntry:
    references.person(record.by, f"{where}.by")
    references.importer(record, where)
    if not 0 <= record.completed <= record.total:
        raise InvalidImport(f"{where}.completed", "It cannot be less than nothing or more than the total.")
    if not 0 <= record.seq <= MAX_WHOLE:
        raise InvalidImport(f"{where}.seq", "It is the number of a change, from 0.")
    return replace(
        record,
        reason=checked_text(f"{where}.reason", many_lines, record.reason, most=REASON),
        phase_name=checked_text(f"{where}.phaseName", one_line, record.phase_name, most=PHASE_NAME, empty=True),
        detail=checked_text(f"{where}.detail", many_lines, record.detail, most=REASON),
        at=checked_moment(record.at, f"{where}.at"),
    )


def _deliverable(deliverable: DeliverableEntry, where: str, references: References) -> DeliverableEntry:
    evidence = _evidence(deliverable, f"{where}.evidence", references)
    name = checked_text(f"{where}.name", one_line, deliverable.name, most=DELIVERABLE_NAME)
    by, at = deliverable.delivered_by, deliverable.delivered_at
    delivered_at = references.work("delivered", deliverable.done, by, at, where)
    return replace(deliverable, name=name, delivered_at=delivered_at, **evidence.columns)


def _evidence(said: DeliverableEntry, where: str, references: References) -> Evidence:
    """Return the evidence of a deliverable, of the kind that the file says, or else of the one that the text has."""
    text = said.evidence
    match said.evidence_kind:
        case EvidenceKind.LINK:
            return checked_field(where, linked_evidence, text, "evidence")
        case EvidenceKind.FILE:
            return checked_field(where, filed_evidence, text, said.file_size, said.file_sha256)
        case EvidenceKind.CARD:
            if text and references.place_of(text) is None:
                raise InvalidImport(where, f"There is no item with the id “{quote_value(text)}” in the file.")
            return Evidence(EvidenceKind.CARD, text)
        case EvidenceKind.STATEMENT:
            return Evidence(EvidenceKind.STATEMENT, checked_text(where, one_line, text, most=EVIDENCE))
    return evidence_of(checked_text(where, one_line, text, most=EVIDENCE, empty=True))


def _application(
    application: ApplicationEntry, phase: PhaseEntry, where: str, references: References
) -> ApplicationEntry:
    references.members(application.assigned, f"{where}.assigned")
    if application.activity is not None:
        references.activity(application.activity, phase, f"{where}.activity")
        references.hold_application(application.activity, f"{where}.activity")
    return replace(
        application,
        product=checked_text(f"{where}.product", one_line, application.product),
        name=checked_text(f"{where}.name", one_line, application.name, most=APPLICATION_NAME),
        due=_day(application.due, f"{where}.due"),
    )


def _presets(presets: tuple[PresetEntry, ...], own: Container[str]) -> tuple[PresetEntry, ...]:
    """Return the checked presets: each has its own name, and there are no more than fit into the menu."""
    if len(presets) > MAX_PRESETS:
        raise InvalidImport("presets", f"A project can have at most {MAX_PRESETS} presets, not {len(presets)}.")
    kept: list[PresetEntry] = []
    for at, preset in enumerate(presets):
        try:
            others = (each.name for each in kept)
            checked = validated_view_settings(preset.name, made_from(ViewSettings, preset), others, own)
            kept.append(PresetEntry(**checked))
        except InvalidInput as refused:
            raise InvalidImport(f"presets[{at}].{refused.field}", str(refused)) from None
    return tuple(kept)


def _optional(text: str | None, what: str) -> str | None:
    return None if text is None else checked_text(what, one_line, text)


def _day(day: date | None, where: str) -> date | None:
    try:
        return due_date(day)
    except InvalidInput:
        raise InvalidImport(where, f"{day} is out of range. Dates are from {FIRST_YEAR} to {LAST_YEAR}.") from None
