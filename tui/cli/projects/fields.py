"""``podium field …``: the custom fields of a project."""

from __future__ import annotations

from core.actions.fields.custom_fields import (
    AddField,
    EditField,
    FieldSummary,
    ListFields,
    MoveField,
    RemoveField,
    RenameChoice,
)
from core.text.amounts import write_amount
from core.text.phrases import in_words
from tui.cli.message_command import Field, MessageGroup
from tui.cli.records import LISTED_PROJECT, PROJECT, RecordParameter

field_ = MessageGroup("field", "Custom fields of a project: list, add, edit, rename-choice, move, remove.")

FIELD = RecordParameter(
    "field",
    lambda session, _: [line.field for line in session.query(ListFields(project_id=session[PROJECT].id))],
    lambda field: (field.id, field.key, field.name),
)
CHOICES = Field("choices", "A choice; repeat it for each one.", option="--choice", metavar="NAME")
SUMS = Field("sums", "Whether its numbers are added up.", option="--sum/--no-sum")


def _row(line: FieldSummary) -> tuple[object, ...]:
    field = line.field
    return (
        field.name,
        field.key,
        in_words(field.kind),
        ", ".join(field.choices),
        line.cards,
        f"{write_amount(line.done)}/{write_amount(line.total)}" if field.sums else "",
        field.id,
    )


field_.lists(
    "list",
    ListFields,
    [LISTED_PROJECT],
    heads=("FIELD", "KEY", "KIND", "CHOICES", "CARDS", "SUM", "ID"),
    row=_row,
    empty="No custom fields yet. Add one with “podium field add”.",
)
field_.sends(
    "add",
    AddField,
    [
        PROJECT,
        "name",
        "kind",
        CHOICES,
        SUMS,
        Field("key", "Its name in filters, in letters (default: made from the name)."),
    ],
    done=lambda field, _: f"Added the field “{field.name}”. Set it with --set {field.key}=…, filter with {field.key}:…",
)
field_.sends(
    "edit",
    EditField,
    [PROJECT, FIELD, "name", CHOICES, SUMS],
    done="Changed the field “{name}”.",
)
field_.sends(
    "rename-choice",
    RenameChoice,
    [PROJECT, FIELD, "choice name"],
    done=lambda _, session: f"Renamed the choice to “{session.parameters['name']}”.",
)
field_.sends(
    "move",
    MoveField,
    [PROJECT, FIELD, FIELD.option("--before", "The field to put it before (default: last).", "before_id")],
    done="Moved the field “{name}”.",
)
field_.sends(
    "remove",
    RemoveField,
    [PROJECT, FIELD],
    confirm="Remove the field “{field.name}” and its values on all cards?",
    done="Removed the field “{field.name}”. Bring it back with “podium undo”.",
)
