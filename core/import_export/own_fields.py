"""The own fields of a project in a document: out of records, checked, and into records."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date

from core.domain.fields import MAX_FIELDS, FieldKind, ItemField, OwnField, checked_key
from core.domain.model import Id, User
from core.engine.unit_of_work import Snapshot
from core.errors import InvalidImport, InvalidInput
from core.import_export.document import FieldEntry, ItemEntry, ValueEntry
from core.record import made_from, replace
from core.rules.fields import check_sums, checked_choices, checked_name, fields_of, folded_word, plain_value
from core.rules.items import due_date
from core.rules.ordering import first_ranks
from core.text.document_fields import checked_field, checked_list

Values = Mapping[Id, tuple[ValueEntry, ...]]
"""The values of cards, by the id of the card."""


def exported(view: Snapshot, project_id: Id, logins: Mapping[Id, str]) -> tuple[tuple[FieldEntry, ...], Values]:
    """Return the fields of a project, and the values of its cards, both in the order of the fields."""
    fields = fields_of(view, project_id)
    if not fields:
        return (), {}
    held: dict[Id, dict[Id, ItemField]] = {}
    for value in view.all(ItemField, "project_id = :project_id", project_id=project_id):
        held.setdefault(value.item_id, {})[value.field_id] = value
    values = {
        item_id: tuple(
            ValueEntry(field=field.key, value=logins.get(of_card[field.id].user_id or "", of_card[field.id].value))
            for field in fields
            if field.id in of_card
        )
        for item_id, of_card in held.items()
    }
    return tuple(made_from(FieldEntry, field) for field in fields), values


def checked_fields(fields: tuple[FieldEntry, ...]) -> tuple[FieldEntry, ...]:
    """Return the fields of a document as they are stored. Raises InvalidImport."""
    if len(fields) > MAX_FIELDS:
        raise InvalidImport("fields", f"A project can have at most {MAX_FIELDS} own fields, not {len(fields)}.")
    checked = checked_list("fields", fields, _field)
    for at, each in enumerate(checked):
        if any(each.key == other.key or folded_word(each.name) == folded_word(other.name) for other in checked[:at]):
            raise InvalidImport(f"fields[{at}]", f"The field “{each.name}”, or its key, is there twice.")
    return checked


def _field(field: FieldEntry, where: str) -> FieldEntry:
    checked_field(f"{where}.sums", check_sums, field.kind, field.sums)
    return replace(
        field,
        name=checked_field(f"{where}.name", checked_name, field.name),
        key=checked_field(f"{where}.key", checked_key, field.key),
        choices=checked_field(f"{where}.choices", checked_choices, field.kind, field.choices),
    )


def checked_values(
    values: tuple[ValueEntry, ...], fields: Iterable[FieldEntry], check_person: Callable[[str, str], object], where: str
) -> tuple[ValueEntry, ...]:
    """Return the values of a card as they are stored. ``check_person`` raises InvalidImport for a login that is no
    member's. Raises InvalidImport."""
    by_key = {field.key: field for field in fields}
    found: dict[str, ValueEntry] = {}
    for at, each in enumerate(values):
        place = f"{where}.fields[{at}]"
        field = by_key.get(each.field)
        if field is None or each.field in found:
            raise InvalidImport(f"{place}.field", "The file has no such field, or the card has it twice.")
        if field.kind is FieldKind.PERSON:
            check_person(each.value, f"{place}.value")
            found[each.field] = each
        elif text := checked_field(f"{place}.value", _plain, field, each.value):
            found[each.field] = replace(each, value=text)
    return tuple(found.values())


def _plain(field: FieldEntry, text: str) -> str:
    if field.kind is not FieldKind.DATE:
        return plain_value(field.kind, field.choices, text)
    try:
        day = due_date(date.fromisoformat(text))
    except ValueError:
        raise InvalidInput("value", "It is not a date. Write it like 2026-12-03.") from None
    return day.isoformat() if day else ""


def built_fields(project_id: Id, fields: tuple[FieldEntry, ...], ids: Iterable[Id]) -> Iterator[OwnField]:
    """Yield the records of the fields of a document."""
    for field, rank, field_id in zip(fields, first_ranks(len(fields)), ids, strict=True):
        yield made_from(OwnField, field, project_id=project_id, id=field_id, rank=rank)


def built_values(
    item_id: Id, item: ItemEntry, fields: Mapping[str, OwnField], people: Mapping[str, User]
) -> Iterator[ItemField]:
    """Yield the records of the values of a card; a person who is not in the workspace is left out."""
    for each in item.fields:
        field = fields[each.field]
        user = people.get(each.value) if field.kind is FieldKind.PERSON else None
        if field.kind is FieldKind.PERSON and user is None:
            continue
        yield ItemField(
            project_id=field.project_id,
            item_id=item_id,
            field_id=field.id,
            value="" if user else each.value,
            user_id=user.id if user else None,
        )
