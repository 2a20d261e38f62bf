"""Tasks and activities as CSV; one line per card.

An exported table can be imported again, but it is not the whole project: the document is. A cell that a spreadsheet
would take for a formula gets an apostrophe at its start, which spreadsheets hide and the import removes; a text that
begins with apostrophes before such a sign gets one more, so that export and import are inverse. So does what could do
harm inside a cell, behind a sign at which a spreadsheet of another language divides lines into cells.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping

from core.domain.fields import FieldKind
from core.import_export.document import ItemEntry, PhaseEntry, ProjectDocument
from core.import_export.tables.heads import names_use
from core.text.amounts import spell_number
from core.text.phrases import in_words
from core.text.short_keys import card_key

HEADS = (
    *("key", "phase", "kind", "activity", "title", "status", "assigned", "due", "description", "link"),
    *("priority", "labels"),
)
"""The heads, in their order; those of custom fields follow."""

BETWEEN = "; "
"""The sign between several people or labels of a card."""

_BEGINS, _SIGN = r"(?:\A|(?<=[;\t\n])(?=[^;\t\n]*[(|!]))", r"(?='*[=+\-@\t\r＝＋－＠])"
_FORMULA, _GUARDED = re.compile(_BEGINS + _SIGN), re.compile(f"{_BEGINS}'{_SIGN}")

BYTE_ORDER_MARK = "\ufeff"
"""The beginning of a table as a file: without it Excel takes UTF-8 for another encoding, and shows “é” as two signs."""

MARK = " (field)"
"""The end of the head of a field that an import would take for another column, or for such a head."""


def to_csv(document: ProjectDocument) -> str:
    """The cards of a project in order; people by login, dates as ISO 8601, line ends as in RFC 4180."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow([*HEADS, *(guard_cell(own_head(field.name)) for field in document.fields)])
    numbers = {field.key for field in document.fields if field.kind is FieldKind.NUMBER}
    for phase in document.phases:
        titles = {item.id: item.title for item in phase.items}
        for item in phase.items:
            key = card_key(document.key, item.number) if document.key and item.number else ""
            held = {each.field: each.value for each in item.fields}
            own = (
                spell_number(held.get(field.key, "")) if field.key in numbers else held.get(field.key, "")
                for field in document.fields
            )
            writer.writerow([guard_cell(cell) for cell in (key, *_cells(phase, item, titles), *own)])
    return text.getvalue()


def _cells(phase: PhaseEntry, item: ItemEntry, titles: Mapping[str, str]) -> tuple[str, ...]:
    return (
        phase.name,
        in_words(item.kind),
        titles[item.activity] if item.activity else "",
        item.title,
        in_words(item.status),
        BETWEEN.join(item.assigned),
        item.due.isoformat() if item.due else "",
        item.description,
        item.link,
        in_words(item.priority),
        BETWEEN.join(item.labels),
    )


def guard_cell(cell: str) -> str:
    """The cell with an apostrophe before it if a spreadsheet would take it for a formula."""
    return _FORMULA.sub("'", cell)


def unguard_cell(cell: str) -> str:
    """The cell as it was before ``guard_cell``."""
    return _GUARDED.sub("", cell)


def own_head(name: str) -> str:
    """The head of the column of a field with this name, which an import takes for no other column."""
    return f"{name}{MARK}" if _needs_mark(name) else name


def own_name(head: str) -> str:
    """The name of the field in a column with this head."""
    return head.removesuffix(MARK) if _needs_mark(head) else head


def _needs_mark(name: str) -> bool:
    while name.endswith(MARK):
        name = name.removesuffix(MARK)
    return names_use(name)
