"""The custom fields of a project: list, add, edit, move and remove them, and set their values on cards."""

from __future__ import annotations

from typing import TypeVar

from core.domain.fields import (
    MAX_CHOICE,
    MAX_FIELDS,
    CustomField,
    FieldKind,
    FieldValue,
    ItemField,
    checked_key,
    from_thousandths,
    key_for,
)
from core.domain.model import Id, Item
from core.domain.permissions import Permission
from core.engine.messages import Command, ProjectCommand, ProjectQuery
from core.engine.unit_of_work import Snapshot, UnitOfWork, check_version, new_id
from core.errors import InvalidInput, NotFound
from core.record import Record
from core.rules.card_fields import SUMS
from core.rules.fields import (
    check_choices_used,
    check_other_name,
    check_room,
    check_sums,
    checked_choices,
    checked_name,
    fields_of,
    set_values,
    the_field,
    value_of,
)
from core.rules.gate_criteria import follow_in_criteria
from core.rules.items import ItemCommand
from core.rules.ordering import rank_before
from core.text.phrases import count, names, no_such
from core.text.sanitize import one_line, quote_value

R = TypeVar("R")


class FieldSummary(Record):
    """A custom field, the number of cards that have a value, and for one that sums the sums of its numbers."""

    field: CustomField
    cards: int
    done: str
    """The sum over the cards that are done, such as 2.5; empty for a field that does not sum."""
    total: str


class ListFields(ProjectQuery[tuple[FieldSummary, ...]]):
    """List the custom fields of a project in their order."""

    route = "GET /v1/projects/{project_id}/fields"
    permission = Permission.PROJECT_VIEW

    def run(self, view: Snapshot) -> tuple[FieldSummary, ...]:
        fields = fields_of(view, self.project_id)
        cards = dict(
            view.tx.tuples(
                "SELECT field_id, count(*) FROM item_field WHERE project_id = :project_id GROUP BY field_id",
                project_id=self.project_id,
            )
        )
        sums: dict[str, list[int]] = {field.key: [0, 0] for field in fields if field.sums}
        for _, key, done, total in view.tx.tuples(SUMS, project_id=self.project_id) if sums else ():
            sums[key] = [sums[key][0] + done, sums[key][1] + total]
        return tuple(
            FieldSummary(
                field=field,
                cards=cards.get(field.id, 0),
                done=from_thousandths(sums[field.key][0]) if field.sums else "",
                total=from_thousandths(sums[field.key][1]) if field.sums else "",
            )
            for field in fields
        )


class AddField(ProjectCommand[CustomField]):
    """Add a custom field to a project: up to twelve, each with a name and a kind.

    ``key`` names it in filters and on the command line; without one it is made from the name. Only a CHOICE has
    ``choices``, and only a NUMBER can be summed.
    """

    route = "POST /v1/projects/{project_id}/fields"
    permission = Permission.WORKFLOW_MANAGE
    creates = True
    name: str
    kind: FieldKind
    choices: tuple[str, ...] = ()
    sums: bool = False
    key: str = ""

    def run(self, work: UnitOfWork) -> CustomField:
        fields = fields_of(work, self.project_id)
        check_room(fields)
        name = checked_name(self.name)
        check_other_name(fields, name)
        check_sums(self.kind, self.sums)
        taken = {field.key for field in fields}
        key = checked_key(self.key) if self.key else key_for(name, taken)
        if key in taken:
            raise InvalidInput("key", f"Another field has the key {key}. Choose another one.")
        work.say(f"added the field “{name}”")
        return work.insert(
            CustomField(
                project_id=self.project_id,
                id=new_id(),
                rank=rank_before(work, CustomField, None, project_id=self.project_id),
                name=name,
                key=key,
                kind=self.kind,
                choices=checked_choices(self.kind, self.choices),
                sums=self.sums,
            )
        )


class FieldCommand(Command[R]):
    """The base of commands on one custom field."""

    permission = Permission.WORKFLOW_MANAGE
    field_id: Id
    seen_version: int | None = None

    def scope(self, view: Snapshot) -> Id:
        return self._find_field(view).project_id

    def _find_field(self, view: Snapshot) -> CustomField:
        field = view.get(CustomField, id=self.field_id)
        if field.removed:
            raise NotFound(no_such("field", self.field_id))
        return field

    def load_unchanged(self, work: UnitOfWork) -> CustomField:
        """Return the field. Raises VersionConflict when it has changed since the sender saw it."""
        return check_version(work, self._find_field(work), self.seen_version)


class EditField(FieldCommand[CustomField]):
    """Change the name, the choices or the sum of a field; what is left out stays, and so does its key.

    A choice that cards have can be renamed, but not left out.
    """

    route = "PATCH /v1/fields/{field_id}"
    name: str | None = None
    choices: tuple[str, ...] | None = None
    sums: bool | None = None

    def run(self, work: UnitOfWork) -> CustomField:
        old = self.load_unchanged(work)
        name = old.name if self.name is None else checked_name(self.name)
        check_other_name(fields_of(work, work.scope), name, old.id)
        sums = old.sums if self.sums is None else self.sums
        check_sums(old.kind, sums)
        choices = old.choices if self.choices is None else checked_choices(old.kind, self.choices)
        if choices != old.choices:
            check_choices_used(work, old, choices)
        work.say(f"renamed the field “{old.name}” to “{name}”" if name != old.name else f"changed the field “{name}”")
        return work.update(old, name=name, choices=choices, sums=sums)


class RenameChoice(FieldCommand[CustomField]):
    """Rename a choice of a field; the cards that have it get the new name."""

    route = "POST /v1/fields/{field_id}/choices"
    unbounded = True
    large = True
    choice: str
    name: str

    def run(self, work: UnitOfWork) -> CustomField:
        field = self.load_unchanged(work)
        if self.choice not in field.choices:
            raise InvalidInput("choice", f"“{field.name}” has no choice “{quote_value(self.choice)[:MAX_CHOICE]}”.")
        name = one_line(self.name, "name", most=MAX_CHOICE)
        choices = checked_choices(field.kind, [name if each == self.choice else each for each in field.choices])
        for value in _values(work, field):
            if value.value == self.choice:
                work.update(value, value=name)
        follow_in_criteria(work, field.kind, self.choice, name, field.id)
        work.say(f"renamed the choice “{self.choice}” of “{field.name}” to “{name}”")
        return work.update(field, choices=choices)


class MoveField(FieldCommand[CustomField]):
    """Put a field before another one, or last."""

    route = "POST /v1/fields/{field_id}/order"
    before_id: Id | None = None

    def run(self, work: UnitOfWork) -> CustomField:
        field = self.load_unchanged(work)
        work.say(f"moved the field “{field.name}”")
        return work.update(field, rank=rank_before(work, CustomField, self.before_id, project_id=work.scope))


class RemoveField(FieldCommand[None]):
    """Remove a field with its values on all cards. Undo brings the field and the values back."""

    route = "DELETE /v1/fields/{field_id}"

    def run(self, work: UnitOfWork) -> None:
        field = self.load_unchanged(work)
        key = {"project_id": field.project_id, "field_id": field.id}
        counted = "SELECT count(*) FROM item_field WHERE project_id = :project_id AND field_id = :field_id"
        cards = work.tx.tuples(counted, **key)[0][0]
        work.update(field, removed=True)
        of_cards = f" and its values on {count(cards, 'card')}" if cards else ""
        work.say(f"removed the field “{field.name}”{of_cards}")


def _values(work: UnitOfWork, field: CustomField) -> list[ItemField]:
    where = "project_id = :project_id AND field_id = :field_id ORDER BY item_id"
    return work.all(ItemField, where, project_id=field.project_id, field_id=field.id)


class SetFields(ItemCommand[Item]):
    """Set values of custom fields of a task or an activity; an empty value removes one, and other fields stay.

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
