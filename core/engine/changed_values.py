"""The old and the new values of a change, in words. A dry run and the history say the same of the same change.

Left out, here alone: bookkeeping (``BOOKKEEPING`` and ``LEFT_OUT``; a rank is listed only where it alone changed), and
what the reader cannot see: hashes, records of other projects, records that only another user can see, and for guests
e-mails and the commands of products. A card of another project is told without its name.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from datetime import date, datetime
from enum import StrEnum
from functools import cache
from itertools import chain, takewhile
from typing import Any, NamedTuple, TypeVar

from core.domain.fields import FieldKind
from core.domain.gates import DECISION_WORDS, Decision, EvidenceKind
from core.domain.model import NO_EMAIL, WORKSPACE, GateState, Id
from core.engine.change_records import RecordChange, split_order
from core.engine.unit_of_work import Snapshot
from core.record import Record, defaults
from core.storage.database import placeholders
from core.storage.row_mapper import encode_value, stored_records, table_named
from core.text.dates import in_full
from core.text.phrases import ULID_FORM, in_words
from core.text.short_keys import card_key

K = TypeVar("K", bound=Hashable)

MAX_TEXT = 160
"""The most characters of a value; a longer one is cut around its first difference, and its length is told."""

_BOOKKEEPING = (
    "id project_id version rank number auth_id archived_from archived_with completed_by completed_at delivered_by"
    " delivered_at invited_by imported_by imported_at original_login original_name created_at made_by through at"
    " gateway_id author_id by_id decision withdrawn completed total phase_name seq sha256 of_id way ground recorded_by"
    " overridden_by overridden_at blocker_project_id hash code_hash context exchanged_at body detail"
    " vote_id decision_id met_by met_at waived_by waived_at matched"
)
BOOKKEEPING = frozenset(_BOOKKEEPING.split())
"""Columns that are not told: ids and order, who and when (which the line of the history tells), hashes, documents."""

LEFT_OUT = frozenset({"project_key", "notification", "last_seen", "gate_seal", "launch", "card_origin"})
"""Tables whose records have no values in words."""

PERSONAL = {
    **dict.fromkeys(
        ["notification", "active_preset", "favourite", "last_seen", "preference", "saved_filter"], "user_id"
    ),
    "preset": "owner_id",
}
"""Tables with records that only their user can see, and the column with the user. None there means that all can."""

OF_PEOPLE = frozenset({"email", "command"})
"""Columns that guests do not see."""

OWNERS = {"comment": "item_id", "gate_record": "phase_id", "linked_account": "user_id"}
"""Tables whose records have the name of another one, and the column with its id, where the key does not tell it."""

LINKS = {
    "item_label": "label_id",
    "assignment": "user_id",
    "dependency": "blocker_id",
    "comment": "text",
    "gate_record": "reason",
    "member": "role",
    "member_meta_role": "meta_role_id",
}
"""Tables whose records are told as a value of their owner, and the column with the value."""

REFERS = {
    **dict.fromkeys(("user_id", "assignee_id", "person_id", "secretary_id", "people"), ("app_user",)),
    **dict.fromkeys(("item_id", "activity_id", "waiting_id", "blocker_id", "evidence"), ("item",)),
    **dict.fromkeys(("client_id", "market_id", "brand_id", "parent_id"), ("hierarchy_node",)),
    **dict.fromkeys(("meta_role_id", "meta_role_ids"), ("meta_role",)),
    **{f"{name}_id": (name,) for name in ("phase", "label", "field", "product", "application", "template", "project")},
    "next_phase_id": ("phase",),
    "filter": ("label", "phase", "app_user", "field"),
    "target_id": ("item", "phase", "application"),
}
"""Columns with ids, and the tables of the records that they name. Evidence is an id only where it is a card."""

NAMES = ("title", "name", "label", "first_name", "last_name")
OF_TEXT = ("gate_condition", "gate_criterion")
NAMED_BY = {
    "app_user": ("first_name", "last_name"),
    "item": ("kind", "number", "title"),
    "project": ("key", "name"),
    **dict.fromkeys(OF_TEXT, ("text",)),
    **dict.fromkeys(("hierarchy_node", "field"), ("kind", "name")),
}
"""The columns by which the records of a table are named; of other tables it is ``name``."""

WORDS = {
    "rank": "order",
    "text": "comment",
    "item_id": "card",
    "due": "due date",
    "gate_state": "decision",
    "blocker_id": "waits for",
    "file_sha256": "SHA-256",
}
KINDS = {
    "app_user": "person",
    "gate_record": "decision on",
    "gate_policy": "policy of the gate of",
    "gate_condition": "condition",
    "gate_criterion": "criterion",
    "field": "custom field",
}


class ChangedValue(Record):
    """The old and the new value of one field, in words. Both are None where the order changed."""

    kind: str
    """The kind of the record: "task", "phase", "person"."""
    key: str
    """The key of a card; else empty."""
    name: str
    """The name of the record as it is now, or was last; empty where it is not known any more."""
    field: str
    """The field; empty where the record as a whole was added or deleted: then its name is the new or the old value."""
    before: str | None
    after: str | None

    @property
    def what(self) -> str:
        """The record: ``task AUT-12 “Order the doors”``, after "new" or "deleted" if it is one."""
        effect = "" if self.field else "deleted" if self.after is None else "new"
        return " ".join(filter(None, (effect, self.kind, self.key, self.name and f"“{self.name}”")))

    @property
    def change(self) -> str:
        """The field and its values: ``due date: from “Fri 27 Nov 2026” to none``; empty for a record as a whole."""
        if not self.field or self.before is self.after is None:
            return self.field and f"{self.field} changed"
        old, new = (f"“{each}”" if each is not None else "none" for each in (self.before, self.after))
        return f"{self.field}: from {old} to {new}"

    @property
    def sentence(self) -> str:
        return ", ".join(filter(None, (self.what, self.change)))


class _Name(NamedTuple):
    """The name of a record; ``more`` is the kind of a custom field, or the key of a project."""

    noun: str
    number: int
    text: str
    more: str

    @classmethod
    def of(cls, table: str, row: Mapping[str, Any]) -> _Name:
        kind = str(row.get("kind") or "")
        noun = in_words(kind if table in ("item", "hierarchy_node") else KINDS.get(table, table))
        text = " ".join(str(row[name]) for name in (("text",) if table in OF_TEXT else NAMES) if row.get(name))
        return cls(noun, row.get("number") or 0, text, row.get("key") or kind)


class _Line(NamedTuple):
    entity: str
    row: Mapping[str, Any]
    """All columns that the change has of the record, old ones where they differ."""
    column: str
    before: Any
    after: Any


def changed_values(
    view: Snapshot, changes: Mapping[K, Iterable[RecordChange]], own: Collection[Id], most: int
) -> dict[K, tuple[tuple[ChangedValue, ...], int]]:
    """The first ``most`` values of each change, and the number of the others. ``own`` are the projects to tell of.

    It sends a statement for each kind of record that is named, for all changes together.
    """
    lines = {place: list(_lines(view, records, own)) for place, records in changes.items()}
    first = {place: each[:most] for place, each in lines.items()}
    known = _names(view, list(chain.from_iterable(first.values())), chain.from_iterable(changes.values()), own)
    return {
        place: (tuple(_value(view, line, known, own) for line in each), len(lines[place]) - len(each))
        for place, each in first.items()
    }


def _lines(view: Snapshot, changes: Iterable[RecordChange], own: Collection[Id]) -> Iterator[_Line]:
    """The fields that differ after the changes, in the order of the first change of each record."""
    merged: dict[tuple[str, ...], RecordChange] = {}
    for each in chain.from_iterable(map(split_order, changes)):
        place = (each.entity, *each.key.values())
        merged[place] = _join(merged[place], each) if place in merged else each
    for change in merged.values():
        row = {**change.key, **(change.after or {}), **(change.before or {})}
        project_id = row.get("id" if change.entity == "project" else "project_id", WORKSPACE)
        user = row.get(PERSONAL[change.entity], "") if change.entity in PERSONAL else None
        is_seen = project_id in (WORKSPACE, *own) and user in (None, view.actor.user_id)
        if is_seen and change.entity in stored_records() and change.entity not in LEFT_OUT:
            yield from _fields(view, change, row)


def _join(first: RecordChange, then: RecordChange) -> RecordChange:
    before = None if first.before is None else {**(then.before or {}), **first.before}
    after = None if then.after is None else {**(first.after or {}), **then.after}
    return RecordChange(first.entity, first.key, before, after)


def _fields(view: Snapshot, change: RecordChange, row: Mapping[str, Any]) -> Iterator[_Line]:
    entity, old, new = change.entity, change.before or {}, change.after or {}
    usual: Mapping[str, Any] = {}
    if (change.before is None) != (change.after is None):
        usual, link = _usual(entity), LINKS.get(entity, "")
        if entity != "item_field" and not (link and row[link] == ""):
            yield _Line(entity, row, link, *(each.get(link) if link else each or None for each in (old, new)))
    differing = [each for each in new or old if old.get(each, usual.get(each)) != new.get(each, usual.get(each))]
    shown = [each for each in differing if each not in BOOKKEEPING and each not in change.key]
    for column in shown:
        named_by = ("text",) if entity in OF_TEXT else NAMES
        is_said = usual and column in ("kind", "phase_id", "activity_id", *named_by, LINKS.get(entity), _owner(entity))
        if not is_said and not (column in OF_PEOPLE and view.by_guest):
            yield _Line(entity, row, column, old.get(column), new.get(column))
    if not shown and not usual and "rank" in differing:
        yield _Line(entity, row, "rank", None, None)


@cache
def _usual(entity: str) -> Mapping[str, Any]:
    """The columns of a record that has nothing but what it needs; a new one and a deleted one are told beside it."""
    return {name: encode_value(value) for name, value in defaults(table_named(entity).record).items()}


@cache
def _owner(entity: str) -> str:
    """The column with the id of the record whose name the records of a table have; "id" where it is their own."""
    key = table_named(entity).key
    return OWNERS.get(entity) or next((each for each in key if each != "project_id"), "project_id")


def _find_named(line: _Line) -> Iterator[tuple[str, Id]]:
    """The tables and ids of the records that a line names."""
    owner = _owner(line.entity)
    for column, values in ((owner, (line.row.get(owner),)), (line.column, (line.before, line.after))):
        for table in (line.entity,) if column == "id" else REFERS.get(column, ()):
            yield from ((table, each) for value in values for each in _ids(value))
    if line.entity == "item_field":
        yield "field", line.row["field_id"]
    if "project_id" in line.row:
        yield "project", line.row["project_id"]


def _ids(value: str | None) -> list[Id]:
    is_list = value and value.startswith("[")
    return ULID_FORM.findall(value or "") if is_list or ULID_FORM.fullmatch(value or "") else []


def _names(
    view: Snapshot, lines: Iterable[_Line], changes: Iterable[RecordChange], own: Collection[Id]
) -> dict[Id, _Name]:
    """The names of the records that lines name, as they are now; of those that are gone, as they were last."""
    wanted: dict[str, set[Id]] = {}
    for table, record_id in chain.from_iterable(map(_find_named, lines)):
        if table in NAMED_BY or "name" in table_named(table).columns:
            wanted.setdefault(table, set()).add(record_id)
    known: dict[Id, _Name] = {}
    asked = []
    for table, ids in wanted.items():
        (chosen, params), (projects, among) = placeholders(sorted(ids)), placeholders(sorted(own), "p")
        mine = f" AND project_id IN {projects}" if table_named(table).key[0] == "project_id" else ""
        columns = ", ".join(("id", *NAMED_BY.get(table, ("name",))))
        asked.append((f"SELECT {columns} FROM {table} WHERE id IN {chosen}{mine}", params | (among if mine else {})))
    for table, rows in zip(wanted, view.tx.tuples_all(asked), strict=True):
        columns_of = NAMED_BY.get(table, ("name",))
        known |= {row[0]: _Name.of(table, dict(zip(columns_of, row[1:], strict=True))) for row in rows}
    if gone := {each for ids in wanted.values() for each in ids} - known.keys():
        whole = ((each.key.get("id"), each) for each in changes if not (each.before and each.after))
        known |= {key: _Name.of(each.entity, each.after or each.before or {}) for key, each in whole if key in gone}
    if gone := gone - known.keys():  # by another change
        keys, params = placeholders(json.dumps({"project_id": view.scope, "id": each}) for each in sorted(gone))
        sql = f"SELECT entity, key, before FROM change_record WHERE project_id = :scope AND key IN {keys}"
        rows = view.tx.tuples(f"{sql} AND after IS NULL ORDER BY seq", scope=view.scope, **params)
        known |= {json.loads(key)["id"]: _Name.of(entity, json.loads(before)) for entity, key, before in rows}
    return known


def _value(view: Snapshot, line: _Line, known: Mapping[Id, _Name], own: Collection[Id]) -> ChangedValue:
    name = known.get(line.row.get(_owner(line.entity), "")) or _Name.of(line.entity, line.row)
    noun = KINDS.get(line.entity, in_words(line.entity))
    field, ends = in_words(line.column.removesuffix("_id")), (line.before, line.after)
    if line.column:
        before, after = (_in_words(view, line, each, known, own) for each in ends)
        before, after = _cut(before, after), _cut(after, before)
    else:
        before, after = (each and name.text for each in ends)
    if (line.entity in LINKS and line.entity != "member") or line.entity in ("item", "item_field", "hierarchy_node"):
        noun = name.noun or "card"
    if line.entity == "item_field":
        field = known[line.row["field_id"]].text if line.row["field_id"] in known else "custom field"
    elif line.entity == "assignment":
        field = "assigned"
    return ChangedValue(
        kind=noun,
        key=_key(name, line, known),
        name=name.text,
        field=WORDS.get(line.column, field),
        before=before,
        after=after,
    )


def _key(name: _Name, line: _Line, known: Mapping[Id, _Name]) -> str:
    project = known.get(line.row.get("project_id", ""))
    return card_key(project.more, name.number) if name.number and project else ""


def _in_words(view: Snapshot, line: _Line, raw: Any, known: Mapping[Id, _Name], own: Collection[Id]) -> str | None:
    """A stored value in words; None for none."""
    if raw in (None, "", "[]") or (line.column == "email" and raw.endswith(f"@{NO_EMAIL}")):
        return None
    if line.column == "filter":  # that of a criterion has ids in the place of names
        return _filter_in_words(raw, known) if line.entity == "gate_criterion" else str(raw)
    if (ids := _ids(raw) if line.column in REFERS else []) and (line.column != "evidence" or ids[0] in known):
        if line.row.get("blocker_project_id", view.scope) not in own:
            return "a card of another project"
        named = ((known[each], _key(known[each], line, known)) for each in ids if each in known)
        return ", ".join(" ".join(filter(None, (key, name.text))) for name, key in named) or "one that was deleted"
    try:
        if line.entity == "item_field" and known[line.row["field_id"]].more == FieldKind.DATE:
            return in_full(date.fromisoformat(raw))
        value = _readers(line.entity)[line.column](raw)
    except (ValueError, LookupError, TypeError):  # of a column or a value that this version does not know
        value = raw
    if value in (GateState.NONE, EvidenceKind.NONE) and isinstance(value, StrEnum):
        return None
    return ", ".join(map(_word, value)) if isinstance(value, tuple) else _word(value, view)


def _filter_in_words(stored: str, known: Mapping[Id, _Name]) -> str:
    """A stored filter (``core.rules.gate_filters``) with names, of which those that are gone are as they were last."""

    def name(each: str) -> str:
        return known[each].text if each in known else each

    terms = [(each, [*map(name, each.get("ids", ())), *each.get("words", ())]) for each in json.loads(stored)]
    return " ".join(
        f"{'-' * each.get('negated', False)}{name(each.get('ownId', '') or each['field'])}:{','.join(values)}"
        for each, values in terms
    )


@cache
def _readers(entity: str) -> Mapping[str, Callable[[Any], Any]]:
    return dict(table_named(entity).readers)


def _word(value: Any, view: Snapshot | None = None) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case GateState.PASSED:
            return DECISION_WORDS[Decision.PASS]
        case StrEnum():
            return in_words(value)
        case datetime() if view:
            return in_full(view.day_of(value))
        case date():
            return in_full(value)
    return str(value)


def _cut(text: str | None, other: str | None) -> str | None:
    """A text, or its part around the first difference from another one, with the number of its characters."""
    if text is None or len(text) <= MAX_TEXT:
        return text
    alike = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(text, other or "", strict=False)))
    start = max(0, alike - MAX_TEXT // 4)
    part = text[start : start + MAX_TEXT]
    return f"{'…' * bool(start)}{part}{'…' * (start + MAX_TEXT < len(text))} ({len(text):,} characters)"
