"""The custom fields of a project in a document: out of records, and into records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from core.domain.fields import CustomField, FieldKind, ItemField
from core.domain.model import Id, User
from core.engine.unit_of_work import Snapshot
from core.import_export.document import FieldEntry, ItemEntry, ValueEntry
from core.record import made_from
from core.rules.fields import fields_of
from core.rules.ordering import first_ranks

Values = Mapping[Id, tuple[ValueEntry, ...]]
"""The values of cards, by the id of the card."""


def export_fields(view: Snapshot, project_id: Id, logins: Mapping[Id, str]) -> tuple[tuple[FieldEntry, ...], Values]:
    """Return the fields of a project, and the values of its cards, both in the order of the fields."""
    fields = fields_of(view, project_id)
    if not fields:
        return (), {}
    keys, places = {each.id: each.key for each in fields}, {each.id: at for at, each in enumerate(fields)}
    held = view.all(ItemField, "project_id = :project_id", project_id=project_id)
    held = [each for each in held if each.field_id in keys]  # removed fields keep theirs
    values: dict[Id, tuple[ValueEntry, ...]] = {}
    for each in sorted(held, key=lambda each: places[each.field_id]):
        value = ValueEntry(field=keys[each.field_id], value=logins.get(each.user_id or "", each.value))
        values[each.item_id] = (*values.get(each.item_id, ()), value)
    return tuple(made_from(FieldEntry, field) for field in fields), values


def built_fields(project_id: Id, fields: tuple[FieldEntry, ...], ids: Iterable[Id]) -> Iterator[CustomField]:
    """Yield the records of the fields of a document."""
    for field, rank, field_id in zip(fields, first_ranks(len(fields)), ids, strict=True):
        yield made_from(CustomField, field, project_id=project_id, id=field_id, rank=rank)


def built_values(
    item_id: Id, item: ItemEntry, fields: Mapping[str, CustomField], people: Mapping[str, User]
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
