"""The values of the own fields of a card."""

from __future__ import annotations

from core.domain.fields import MAX_FIELDS, FieldValue
from core.domain.model import Id, Item
from core.domain.permissions import Permission
from core.engine.unit_of_work import UnitOfWork
from core.errors import InvalidInput
from core.rules.fields import fields_of, set_values, the_field, value_of
from core.rules.items import ItemCommand
from core.text.phrases import names


class SetFields(ItemCommand[Item]):
    """Set values of own fields of a task or an activity; an empty value removes one, and other fields stay.

    ``key`` is the key or the name of a field. A number is written like 2.5, a date as in due dates, a person as “me”, a
    login or a name, a choice by its name.
    """

    route = "POST /v1/items/{item_id}/fields"
    permission = Permission.TASK_MANAGE
    item_id: Id
    values: tuple[FieldValue, ...]
    seen_version: int | None = None

    def __post_init__(self) -> None:
        if not 1 <= len(self.values) <= MAX_FIELDS:
            raise InvalidInput("values", f"Name 1 to {MAX_FIELDS} values; these are {len(self.values)}.")

    def run(self, work: UnitOfWork) -> Item:
        item = self.find_card(work, self.seen_version)
        fields = fields_of(work, work.scope)
        wanted = {}
        said = []
        for each in self.values:
            field = the_field(fields, each.key)
            if field.id in wanted:
                raise InvalidInput("values", f"The field “{field.name}” is there twice. Name each once.")
            wanted[field.id] = value_of(work, item, field, each.value)
            said.append(f"the {field.name}" if wanted[field.id] else f"no {field.name}")
        if not set_values(work, item, wanted):
            return item
        work.say(f"set {names(said)} of “{item.title}”")
        return work.touch(item)
