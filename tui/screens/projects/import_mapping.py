"""Questions about a table before it is imported: a row for each column, for each unknown word and for each person.

Where days or numbers have two meanings, a question comes first. What is said here is what the options of
``podium project import`` say.
"""

from __future__ import annotations

from typing import Any

from core.domain.model import Priority, Status
from core.import_export.draft import UnknownWord
from core.import_export.files import ImportedFile
from core.import_export.tables.cell_days import DayOrder
from core.import_export.tables.columns import Undecided
from core.import_export.tables.heads import Use
from core.import_export.tables.mapping import TableMapping
from core.record import replace
from core.text.amounts import DecimalSign
from core.text.phrases import in_words
from core.text.sanitize import visible_line
from tui.dialogs.fields.form_fields import ChoiceField, Field, PickerField, TextField
from tui.dialogs.form import FormDialog
from tui.podium import Podium

USES: dict[Use, str] = {
    Use.TITLE: "title",
    Use.PHASE: "phase",
    Use.STATUS: "status",
    Use.DONE: "done: a day, yes, or 100 %",
    Use.ASSIGNED: "assigned",
    Use.DUE: "due date",
    Use.START: "start day",
    Use.DESCRIPTION: "description",
    Use.LINK: "link",
    Use.PRIORITY: "priority",
    Use.LABELS: "labels",
    Use.PARENT: "parent",
    Use.OUTLINE: "outline number",
    Use.INDENT: "level",
    Use.ID: "id",
    Use.KEY: "key",
    Use.WAITS_FOR: "waits for",
    Use.BLOCKS: "blocks",
    Use.COMMENT: "comment",
    Use.EMAIL: "e-mail of who is assigned",
    Use.KIND: "task or activity",
    Use.FIELD: "custom field",
    Use.TEXT: "custom field, as text",
    Use.NUMBER: "custom field, as a number",
    Use.WORDS: "words at the end of the description",
    Use.NOTHING: "nothing: leave it out",
}
"""What a column can become, in words."""

_MEANINGS: dict[str, tuple[tuple[str, str], ...]] = {
    "dates": ((DayOrder.DMY, "the day is first"), (DayOrder.MDY, "the month is first")),
    "decimal": ((DecimalSign.COMMA, "a comma before decimals"), (DecimalSign.POINT, "a point before decimals")),
}
"""What cells with two meanings can mean."""

_WORDS: dict[str, tuple[tuple[str, str], ...]] = {
    "status": tuple((each.value, in_words(each)) for each in Status),
    "priority": tuple((each.value, in_words(each)) for each in Priority),
}
"""What unknown words can mean."""


async def ask_meaning(app: Podium, question: Undecided, mapping: TableMapping) -> TableMapping | None:
    """Ask what cells with two meanings mean; None if the person gives up."""
    answers = _MEANINGS[question.about]

    async def take(values: dict[str, Any]) -> str:
        return str(values["means"])

    field = ChoiceField("means", "It means", answers, answers[0][0])
    said = await app.ask(FormDialog("How is it written?", (field,), take, submit="Go on", note=question.reason))
    return replace(mapping, **{question.about: said}) if said is not None else None


async def ask_mapping(app: Podium, read: ImportedFile, mapping: TableMapping) -> TableMapping | None:
    """Ask what the columns and the unknown words of a table are; None if the person gives up."""

    async def take(values: dict[str, Any]) -> TableMapping:
        return _mapping_of(values, read, mapping)

    note = "Each column, and what becomes of it. Nothing is made yet."
    return await app.ask(FormDialog("What the table means", _fields(read), take, submit="Preview", note=note))


def _fields(read: ImportedFile) -> list[Field]:
    options = tuple((use.value, words) for use, words in USES.items())
    fields: list[Field] = [
        PickerField(
            f"column{at}", visible_line(each.head), options, (each.use,), note=visible_line(" | ".join(each.samples))
        )
        for at, each in enumerate(read.columns)
    ]
    for at, word in enumerate(read.unknown):
        if word.kind in _WORDS:
            label = f"{word.kind.capitalize()} “{visible_line(word.word)}”"
            fields.append(PickerField(f"word{at}", label, _WORDS[word.kind], (), none="as words", note=_times(word)))
    people = [person for person in read.document.people if person.role is not None]
    fields += [
        TextField(f"person{at}", visible_line(each.name or each.login), each.email or each.login)
        for at, each in enumerate(people)
    ]
    return fields


def _times(word: UnknownWord) -> str:
    return "on 1 card" if word.number == 1 else f"on {word.number:,} cards"


def _mapping_of(values: dict[str, Any], read: ImportedFile, mapping: TableMapping) -> TableMapping:
    """The mapping with what the form says in other words than the reading."""
    columns, statuses = dict(mapping.columns), dict(mapping.statuses)
    priorities, people = dict(mapping.priorities), dict(mapping.people)
    for at, column in enumerate(read.columns):
        use = next(iter(values[f"column{at}"]), Use.NOTHING)
        if use != column.use:
            columns[column.head] = Use(use)
    for at, word in enumerate(read.unknown):
        for meant in values.get(f"word{at}", ()):
            if word.kind == "status":
                statuses[word.word] = Status(meant)
            else:
                priorities[word.word] = Priority(meant)
    members = [person for person in read.document.people if person.role is not None]
    for at, person in enumerate(members):
        said = values[f"person{at}"].strip()
        if said != (person.email or person.login):
            people[person.name or person.login] = said
    return replace(mapping, columns=columns, statuses=statuses, priorities=priorities, people=people)
