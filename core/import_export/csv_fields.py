"""The own fields of a table: the columns that have no meaning of their own.

Their kind follows from their cells: numbers, dates such as 2026-12-03, links, or texts. People and choices come as
texts, because a table does not say who or what could have been chosen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

from core.domain.fields import MAX_FIELDS, MAX_NAME, FieldKind, key_for
from core.errors import InvalidInput
from core.import_export.document import FieldEntry, ValueEntry
from core.rules.fields import checked_name, folded_word, plain_value

OF_CARDS = frozenset(
    "key phase kind activity title status assigned due description link assignee owner notes details list".split()  # noqa: SIM905
)
"""Heads that an import would take for another column."""

KINDS = (FieldKind.NUMBER, FieldKind.DATE, FieldKind.LINK, FieldKind.TEXT)
"""The kinds that a column can have; the first that all its cells fit is taken."""

Cells = Mapping[str, str]


MARK = " (field)"
"""The end of the head of a field that is named like another column, or like such a head."""


def own_head(name: str) -> str:
    """The head of the column of a field with this name, which an import takes for no other column."""
    return f"{name}{MARK}" if _needs_mark(name) else name


def _own_name(head: str) -> str:
    """The name of the field in a column with this head."""
    head = head.strip()
    return (head.removesuffix(MARK) if _needs_mark(head) else head)[:MAX_NAME]


def _needs_mark(name: str) -> bool:
    while name.endswith(MARK):
        name = name.removesuffix(MARK)
    return name.casefold() in OF_CARDS


def own_columns(rows: Sequence[Cells]) -> tuple[FieldEntry, ...]:
    """Return the fields in the other columns of a table, at most twelve. Columns that cannot be fields are left out."""
    cells: dict[str, list[str]] = {}
    for row in rows:
        for head, cell in row.items():
            cells.setdefault(head, []).append(cell)
    found: dict[str, FieldEntry] = {}
    for head, held in cells.items():
        kind = next(
            (kind for kind in (FieldKind.NUMBER, FieldKind.DATE, FieldKind.LINK, FieldKind.TEXT) if _fit(kind, held)),
            None,
        )
        name = _own_name(head)
        if (
            kind is None
            or not _is_name(name)
            or folded_word(name) in (folded_word(each.name) for each in found.values())
        ):
            continue
        found[head] = FieldEntry(name=name, key=key_for(name, {each.key for each in found.values()}), kind=kind)
    return tuple(found.values())[:MAX_FIELDS]


def values_in(row: Cells, fields: Sequence[FieldEntry]) -> tuple[ValueEntry, ...]:
    """Return the values of a line."""
    by_name = {_own_name(head): cell for head, cell in row.items()}
    return tuple(ValueEntry(field=field.key, value=by_name[field.name]) for field in fields if field.name in by_name)


def _fit(kind: FieldKind, cells: Sequence[str]) -> bool:
    """Return True if all cells can be values of this kind."""
    try:
        for cell in cells:
            if kind is FieldKind.DATE:
                date.fromisoformat(cell.strip())
            else:
                plain_value(kind, (), cell)
    except (InvalidInput, ValueError):
        return False
    return True


def _is_name(name: str) -> bool:
    try:
        return checked_name(name) == name
    except InvalidInput:
        return False
