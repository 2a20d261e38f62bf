"""Checks of a document to import: its parts by their models, and the references between them.

The rules are those of typed texts (``core.text.sanitize``), so a file brings no text that could not be typed. An error
names the field by its path from the top: ``phases[0].items[3].title``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterator
from datetime import date, datetime
from enum import StrEnum
from functools import lru_cache, partial
from typing import Any
from weakref import ref

from core.domain.fields import MAX_FIELDS, FieldKind
from core.domain.gate_policy import CriterionKind, Deciding
from core.domain.gates import Decision, EvidenceKind, Way
from core.domain.labels import MAX_LABELS
from core.domain.max_lengths import SEAL
from core.domain.model import Gate, ItemKind, Status
from core.domain.statuses import CLOSED
from core.domain.view_settings import ViewSettings
from core.errors import InvalidImport, InvalidInput
from core.import_export.circles import find_circle_of_waits
from core.import_export.custom_fields import built_fields
from core.import_export.document import (
    MAX_WHOLE,
    ConditionEntry,
    DecisionEntry,
    FieldEntry,
    ItemEntry,
    LabelEntry,
    PersonEntry,
    PhaseEntry,
    PresetEntry,
    ProjectDocument,
    ValueEntry,
    logins_of,
)
from core.import_export.gates import filter_context
from core.record import made_from, replace
from core.rules.dependency_cycles import STEPS_NAMED
from core.rules.fields import folded_word, plain_value
from core.rules.gate_filters import store_within
from core.rules.gate_seals import canonical, hash_of
from core.rules.items import due_date
from core.rules.preset_fields import MAX_PRESETS, validated_view_settings
from core.text.document_fields import checked_field
from core.text.label_names import fold_name, free_sign, without_hash
from core.text.phrases import some
from core.text.sanitize import first_unsafe_index, quote_value

MAX_RECORDS = 200_000
"""The most parts of a document: 10,000 cards with all their fields and labels have 160,000."""


_last: ref[ProjectDocument] | None = None
"""The document that was accepted last. A reading, a preview and an import of one file check it once."""


def accept_document(document: ProjectDocument) -> ProjectDocument:
    """Return the document with its values as they are stored. Raises InvalidImport for the first error."""
    global _last
    from core.templates.checked_files import check

    if _last is None or _last() is not document:
        check_size(document)
        document = check_references(check(document))
        _last = ref(document)
    return document


def check_references(document: ProjectDocument) -> ProjectDocument:
    """Return a document, whose parts are checked, with its references checked. Raises InvalidImport."""
    check_size(document)
    _check_fields(document.fields)
    document = replace(document, labels=_give_signs(document.labels))
    _check_waits(document)
    return References(document).resolve()


def check_size(document: ProjectDocument) -> None:
    """Raise InvalidImport for a document with too many parts."""
    if (parts := records_of(document)) > MAX_RECORDS:
        raise InvalidImport("", f"The file has {parts:,} records. Podium imports at most {MAX_RECORDS:,}. Split it.")


class References:
    """The people, fields, labels and items of a document, to which its parts refer."""

    def __init__(self, document: ProjectDocument) -> None:
        self._document = document
        self._fields = {field.key: field for field in document.fields}
        self._of_people = {field.key for field in document.fields if field.kind is FieldKind.PERSON}
        self._plain = {field.key: lru_cache(partial(_plain, field)) for field in document.fields}
        """The checks of values, most of which repeat."""
        self._labels = {fold_name(label.name): label.name for label in document.labels}
        self._people: dict[str, PersonEntry] = {}
        for at, person in enumerate(document.people):
            if person.login in self._people:
                raise InvalidImport(f"people[{at}].login", f"“{person.login}” is listed twice.")
            self._people[person.login] = person
        self._items: dict[str, tuple[int, ItemEntry]] = {}
        """Each item by its id, with the number of its phase."""
        self._around = filter_context(
            ((str(at), phase) for at, phase in enumerate(document.phases)),
            ((person.login, person) for person in document.people),
            {name: name for name in self._labels.values()},
            built_fields("", document.fields, self._fields),
        )
        self._holding: set[str] = set()
        numbers: set[int] = set()
        for place, where, item in _items(document):
            if item.id in self._items:
                raise InvalidImport(f"{where}.id", f"The id “{item.id}” is there twice.")
            self._items[item.id] = (place, item)
            if item.number in numbers:
                raise InvalidImport(f"{where}.number", f"The number {item.number} is there twice, or out of range.")
            numbers |= {item.number} - {0}

    def resolve(self) -> ProjectDocument:
        """Return the document with the labels and values of its cards as they are stored. Raises InvalidImport."""
        document = self._document
        for at, person in enumerate(document.people):
            self._person(person.invited_by, f"people[{at}].invitedBy")
        phases = tuple(self._phase(place, phase) for place, phase in enumerate(document.phases))
        for at, removed in enumerate(document.removed_phases):
            where = f"removedPhases[{at}]"
            if not removed.decisions:
                sentence = "A removed phase without entries in its record has nothing to keep."
                raise InvalidImport(f"{where}.decisions", sentence)
            self._check_decisions(removed.decisions, removed.decisions[-1].phase_name, where)
        return replace(document, phases=phases, presets=_presets(document.presets, self._fields))

    def _person(self, login: str | None, where: str, *, member: bool = False) -> None:
        """Raise InvalidImport for a login that is not among the people, or, if it has to be, not a member's."""
        if login is None:
            return
        if login not in self._people:
            raise InvalidImport(where, f"“{login}” is not among the people of the file.")
        if member and self._people[login].role is None:
            raise InvalidImport(where, f"“{login}” is not a member. Only members can be assigned.")

    def _check_assigned(self, logins: tuple[str, ...], where: str) -> None:
        for login in logins:
            self._person(login, f"{where}.assigned", member=True)
        if len(set(logins)) < len(logins):
            raise InvalidImport(f"{where}.assigned", "A person is assigned twice.")

    def _activity(self, wanted: str, place: int, where: str) -> ItemEntry:
        """Return the activity of this phase with this id. Raises InvalidImport."""
        if wanted not in self._items:
            raise InvalidImport(where, f"There is no activity with the id “{wanted}” in the file.")
        holder, found = self._items[wanted]
        if found.kind is not ItemKind.ACTIVITY:
            raise InvalidImport(where, f"“{wanted}” is a task. Only an activity can contain tasks and an application.")
        if holder != place:
            raise InvalidImport(where, f"The activity “{wanted}” is in another phase.")
        return found

    def _phase(self, place: int, phase: PhaseEntry) -> PhaseEntry:
        where = f"phases[{place}]"
        self._check_assigned(phase.assigned, where)
        for at, made in enumerate(phase.deliverables):
            self._person(made.delivered_by, f"{where}.deliverables[{at}].deliveredBy")
            if made.evidence_kind is EvidenceKind.CARD:
                self._check_item(made.evidence, f"{where}.deliverables[{at}].evidence")
        self._check_decisions(phase.decisions, phase.name, where)
        self._check_gate(phase, where)
        items = tuple(self._item(item, place, f"{where}.items[{at}]") for at, item in enumerate(phase.items))
        for at, application in enumerate(phase.applications):
            there = f"{where}.applications[{at}]"
            self._check_assigned(application.assigned, there)
            if application.activity is not None:
                self._activity(application.activity, place, f"{there}.activity")
                if application.activity in self._holding:
                    sentence = f"The activity “{application.activity}” holds an application already."
                    raise InvalidImport(f"{there}.activity", sentence)
                self._holding.add(application.activity)
        return replace(phase, items=items)

    def _check_gate(self, phase: PhaseEntry, where: str) -> None:
        """Check the people of a policy, and what criteria name."""
        if phase.policy:
            for at, login in enumerate(phase.policy.people):
                self._person(login, f"{where}.policy.people[{at}]")
            self._person(phase.policy.secretary, f"{where}.policy.secretary")
        for at, each in enumerate(phase.criteria):
            there = f"{where}.criteria[{at}]"
            self._person(each.person, f"{there}.person")
            self._person(each.met_by, f"{there}.metBy")
            if each.filter:
                checked_field(f"{there}.filter", store_within, self._around, each.filter)
            if each.field and (each.field not in self._fields or self._fields[each.field].kind is not FieldKind.NUMBER):
                raise InvalidImport(f"{there}.field", "The file has no number field with this key.")
            for item in each.matched:
                self._check_item(item, f"{there}.matched")

    def _check_item(self, item: str | None, where: str) -> None:
        if item and item not in self._items:
            raise InvalidImport(where, f"There is no item with the id “{quote_value(item)}” in the file.")

    def _check_condition(self, each: ConditionEntry, decisions: int, where: str) -> None:
        for name, login in zip(("person", "metBy", "waivedBy"), logins_of(each), strict=True):
            self._person(login, f"{where}.{name}")
        for name, number, most in (
            ("decision", each.decision, decisions),
            ("nextPhase", each.next_phase, len(self._document.phases)),
        ):
            if number is not None and not 1 <= number <= most:
                raise InvalidImport(f"{where}.{name}", f"It is a number from 1 to {most}.")
        self._check_item(each.item, f"{where}.item")

    def _item(self, item: ItemEntry, place: int, where: str) -> ItemEntry:
        self._check_assigned(item.assigned, where)
        self._person(item.completed_by, f"{where}.completedBy")
        if item.activity is not None:
            self._check_activity_of(item, item.activity, place, where)
        for at, comment in enumerate(item.comments):
            self._person(comment.author, f"{where}.comments[{at}].author")
            self._person(comment.imported_by, f"{where}.comments[{at}].importedBy")
        for at, wait in enumerate(item.waits_for):
            if wait.card is None:
                continue
            if wait.card not in self._items:
                sentence = f"There is no card with the id “{wait.card}” in the file."
                raise InvalidImport(f"{where}.waitsFor[{at}].card", sentence)
            if self._items[wait.card][0] > place:
                sentence = "A card cannot wait for a card of a later phase."
                raise InvalidImport(f"{where}.waitsFor[{at}].card", sentence)
        labels, fields = self._labels_of(item, f"{where}.labels"), self._values_of(item, where)
        is_same = labels == item.labels and fields == item.fields
        return item if is_same else replace(item, labels=labels, fields=fields)

    def _check_activity_of(self, item: ItemEntry, activity: str, place: int, where: str) -> None:
        """Raise InvalidImport for a task and an activity whose combination the rules of the workflow forbid."""
        if item.kind is ItemKind.ACTIVITY:
            raise InvalidImport(f"{where}.activity", f"“{item.id}” is an activity: it cannot be in another one.")
        status = self._activity(activity, place, f"{where}.activity").status
        if status is Status.ARCHIVED and item.status is not Status.ARCHIVED:
            raise InvalidImport(f"{where}.status", "The activity of the task is archived, so the task is, too.")
        if status is Status.COMPLETED and item.status not in CLOSED:
            raise InvalidImport(f"{where}.status", "The activity of the task is completed, so the task cannot be open.")

    def _labels_of(self, item: ItemEntry, where: str) -> tuple[str, ...]:
        """Return the names of a card's labels as the document lists them, each once. Raises InvalidImport."""
        found: dict[str, None] = {}
        for name in item.labels:
            label = self._labels.get(fold_name(without_hash(name)))
            if label is None:
                raise InvalidImport(where, f"“{quote_value(name)}” is not among the labels of the file.")
            found[label] = None
        return tuple(found)

    def _values_of(self, item: ItemEntry, where: str) -> tuple[ValueEntry, ...]:
        """Return the values of a card as they are stored. Raises InvalidImport."""
        found: dict[str, ValueEntry] = {}
        for at, each in enumerate(item.fields):
            if each.field not in self._fields or each.field in found:
                sentence = "The file has no such field, or the card has it twice."
                raise InvalidImport(f"{where}.fields[{at}].field", sentence)
            if each.field in self._of_people:
                self._person(each.value, f"{where}.fields[{at}].value", member=True)
                found[each.field] = each
                continue
            try:
                text = self._plain[each.field](each.value)
            except InvalidInput as refused:
                raise InvalidImport(f"{where}.fields[{at}].value", str(refused)) from None
            if text:
                found[each.field] = each if text == each.value else replace(each, value=text)
        return tuple(found.values())

    def _check_decisions(self, records: tuple[DecisionEntry, ...], phase: str, where: str) -> None:
        """Check the record of the gate of a phase of this name."""
        for at, record in enumerate(records, 1):
            there = f"{where}.decisions[{at - 1}]"
            if record.about is not None and (record.about == at or not 1 <= record.about <= len(records)):
                raise InvalidImport(f"{there}.about", "It is the number of another entry of this list, counted from 1.")
            check_seal(record, phase, there)
            self._person(record.by, f"{there}.by")
            self._person(record.imported_by, f"{there}.importedBy")
            self._person(record.recorded_by, f"{there}.recordedBy")
            if record.condition:
                self._check_condition(record.condition, len(records), f"{there}.condition")


def _items(document: ProjectDocument) -> Iterator[tuple[int, str, ItemEntry]]:
    """Yield each item with the number of its phase and its path."""
    for place, phase in enumerate(document.phases):
        for at, item in enumerate(phase.items):
            yield place, f"phases[{place}].items[{at}]", item


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


def _give_signs(labels: tuple[LabelEntry, ...]) -> tuple[LabelEntry, ...]:
    """Return the labels, each with a sign. Raises InvalidImport for two of one name and for too many.

    They can be those of a project and as many of its workspace. The number of new ones is checked when the names are
    looked up.
    """
    check_label_count(len(labels), 2 * MAX_LABELS)
    found: dict[str, LabelEntry] = {}
    for at, label in enumerate(labels):
        if fold_name(label.name) in found:
            raise InvalidImport(f"labels[{at}].name", f"“{label.name}” is listed twice.")
        sign = label.sign or free_sign(label.name, {each.sign for each in found.values()})
        found[fold_name(label.name)] = replace(label, sign=sign)
    return tuple(found.values())


def check_label_count(labels: int, most: int = MAX_LABELS) -> None:
    """Raise InvalidImport if a project would get more labels of its own than it can have."""
    if labels > most:
        raise InvalidImport("labels", f"A project has at most {MAX_LABELS} labels, not {labels}. Remove some.")


def _check_fields(fields: tuple[FieldEntry, ...]) -> None:
    if len(fields) > MAX_FIELDS:
        raise InvalidImport("fields", f"A project can have at most {MAX_FIELDS} custom fields, not {len(fields)}.")
    for at, each in enumerate(fields):
        if any(each.key == other.key or folded_word(each.name) == folded_word(other.name) for other in fields[:at]):
            raise InvalidImport(f"fields[{at}]", f"The field “{each.name}”, or its key, is there twice.")


def _plain(field: FieldEntry, text: str) -> str:
    if field.kind is not FieldKind.DATE:
        return plain_value(field.kind, field.choices, text)
    try:
        day = due_date(date.fromisoformat(text))
    except ValueError:
        raise InvalidInput("value", "It is not a date. Write it like 2026-12-03.") from None
    return day.isoformat() if day else ""


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


def _check_waits(document: ProjectDocument) -> None:
    """Raise InvalidImport for a circle of cards that wait for each other, also through activities."""
    items = {item.id: item for item in document.items}
    if circle := find_circle_of_waits(items):
        titles = some([f"“{items[each].title}”" for each in reversed(circle)], STEPS_NAMED)
        where = next(where for _, where, item in _items(document) if item.id in {*circle})
        raise InvalidImport(f"{where}.waitsFor", f"These cards wait for each other: {titles}.")


_COUNTED = {"count": int, "sha256": str}
_CARD = {"key": str, "title": str, "completedBy": str, "status": Status, "completedAt": datetime, "done": int}
_DELIVERABLE = dict.fromkeys(("id", "name", "evidence", "sha256", "deliveredBy"), str) | {"kind": EvidenceKind}
_POLICY: dict[str, Any] = dict.fromkeys(("metaRoleId", "decideBy", "secretaryId"), str)
_POLICY |= {"deciders": Deciding, "people": [str], "needed": int, "fourEyes": int}
_CRITERION: dict[str, Any] = dict.fromkeys(("id", "text", "personId", "metBy", "filter", "fieldId", "amount"), str)
_CRITERION |= {"kind": CriterionKind, "metAt": datetime, "atLeast": int, "mayBeEmpty": int}
_CRITERION_THEN = {"id": str, "met": int, "sentence": str, "definition": {str: str}}
_VOTE = dict.fromkeys(("id", "name", "vote", "why", "reason", "through", "condition"), str) | {
    "counted": int,
    "at": datetime,
}
_FORM: dict[str, Any] = {
    "bound": dict.fromkeys(("objectives", "outcomes"), str)
    | dict.fromkeys(("evidenceRequired", "acceptsStatements"), int)
    | {"gate": Gate, "cards": [{"id": str, "state": str}, _COUNTED]}
    | {"deliverables": [_DELIVERABLE | {"deliveredAt": datetime, "size": int, "done": int}]}
    | {"policy?": _POLICY, "criteria?": [_CRITERION]},
    "asItWas": dict.fromkeys(("project", "phase", "reason", "through"), str)
    | {"decision": Decision, "at": datetime, "way": Way, "overridden": int, "delivered": {str: str}}
    | {"evidenceCards": {str: str}}
    | {"decider": {"id": str, "name": str, "role": str, "metaRoles": [str]}}
    | {"overrides": [{"at": datetime, "by": str, "reason": str}]}
    | {"cards": [_CARD, _COUNTED]}
    | {"policy?": str, "votes?": [_VOTE], "criteria?": [_CRITERION_THEN]}
    | {"meeting?": str, "recordedBy?": str},
}
"""The form of a seal, as ``core.rules.gate_seals`` writes it; “?” ends the name of what can be left out. A list has the
form of its entries first, and then what can be there in place of a list. A time can be empty."""


def check_seal(record: DecisionEntry, phase: str, where: str) -> None:
    """Raise InvalidImport, which names the phase, for a seal or a hash that Podium would not have written."""
    name = f"“{quote_value(phase)}”" if phase else "a removed phase"
    if record.sha256 and not re.fullmatch("[0-9a-f]{64}", record.sha256):
        sentence = f"The SHA-256 of a decision at {name} has 64 digits: 0 to 9 and a to f, in lower case."
        raise InvalidImport(f"{where}.sha256", sentence)
    if len(record.seal) > SEAL:
        fault = f"has {len(record.seal):,} characters, and at most {SEAL:,} fit"
    elif record.seal and hash_of(record.seal) != record.sha256:
        fault = "does not match its SHA-256, so it was changed or cut"
    elif record.seal and not _is_whole(record.seal):
        fault = "is not one that Podium writes"
    else:
        return
    raise InvalidImport(f"{where}.seal", f"The seal of a decision at {name} {fault}.")


def _is_whole(body: str) -> bool:
    """Return whether a text is the canonical JSON of a seal, with texts that can be shown and times that are times."""
    try:
        value = json.loads(body)
        return _fits(value, _FORM) and canonical(value) == body
    except (ValueError, RecursionError):
        return False


def _fits(value: Any, form: Any) -> bool:
    """Return whether a value has a form. Raises ValueError for a word or a time that is none."""
    if isinstance(form, dict) and isinstance(value, dict):
        each, known = form.get(str), {str(name).rstrip("?"): kind for name, kind in form.items()}
        optional = {name for name in known if f"{name}?" in form}
        return (bool(each) or value.keys() | optional == known.keys()) and all(
            _fits(name, str) and _fits(value[name], each or known[name]) for name in value
        )
    if isinstance(form, list):
        listed = isinstance(value, list)
        return all(_fits(each, form[0]) for each in value) if listed else len(form) > 1 and _fits(value, form[1])
    if not isinstance(value, str):
        return form is int and type(value) is int and 0 <= value <= MAX_WHOLE
    if form is datetime:
        return not value or (len(value) == 20 and bool(datetime.strptime(value, "%Y-%m-%dT%H:%M:%SZ")))
    if form is str:
        return first_unsafe_index(value) is None
    return isinstance(form, type) and issubclass(form, StrEnum) and form(value) in form
