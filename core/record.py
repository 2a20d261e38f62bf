"""Records: immutable values with named fields. Messages, results and stored rows are records.

``Record`` is an msgspec Struct, so records are made, compared and copied in C, and ``core.codec`` reads and writes them
as JSON. Only this module and the codec import msgspec.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cache
from typing import Any, TypeVar, cast, dataclass_transform

BACKPORTS = "typing_extensions"
"""msgspec prefers this module to ``typing`` where it is installed. It takes longer to import than msgspec itself, and
has nothing for it in the Pythons that run Podium."""

HIDDEN = sys.modules.setdefault(BACKPORTS, None) is None  # type: ignore[arg-type]

from msgspec import NODEFAULT, Struct, StructMeta, field  # noqa: E402
from msgspec.structs import asdict, replace  # noqa: E402

if HIDDEN:
    del sys.modules[BACKPORTS]

__all__ = [
    "COLLECTION",
    "STORED",
    "Record",
    "RecordMeta",
    "asdict",
    "defaults",
    "encoded_fields",
    "field",
    "fields",
    "made_from",
    "replace",
]


R = TypeVar("R")

STORED: dict[Any, tuple[str, tuple[str, ...]]] = {}
"""The table and its key columns of each record class that is stored."""

COLLECTION = "data"
"""The JSON key of the list of a collection: ``lines: tuple[Line, ...] = field(name=COLLECTION)``."""


class RecordMeta(StructMeta):
    """The metaclass of records: fields are keyword-only, unless a class says ``kw_only=False`` of its own fields.

    msgspec does not hand ``kw_only`` down to subclasses. A class whose records are stored names its ``table``, and the
    columns of the key: ``class Member(Record, table="member", key=("project_id", "user_id"))``.
    """

    def __new__(
        mcs,
        name: str,
        bases: tuple[type, ...],
        namespace: dict[str, Any],
        *,
        kw_only: bool = True,
        table: str = "",
        key: tuple[str, ...] = ("id",),
        **options: Any,
    ) -> Any:
        made = super().__new__(mcs, name, bases, namespace, kw_only=kw_only, **options)
        if table:
            STORED[made] = (table, key)
        return made


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
class Record(Struct, metaclass=RecordMeta, frozen=True, rename="camel"):
    """The base of every record. Records with equal fields are equal; JSON has the fields in camelCase.

    >>> class Point(Record):
    ...     x: int
    ...     y: int = 0
    >>> replace(Point(x=1), y=2)
    Point(x=1, y=2)

    A field named ``secret`` is left out of the repr, so that it reaches no log and no traceback.
    """

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.__rich_repr__())})"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        return [(name, getattr(self, name)) for name in self.__struct_fields__ if name != "secret"]


def fields(kind: Record | type[Record] | RecordMeta) -> tuple[str, ...]:
    """Return the names of the fields, those of base classes first."""
    return kind.__struct_fields__


def defaults(kind: Record | type[Record] | RecordMeta) -> Mapping[str, Any]:
    """Return the fields that have a default, with their defaults."""
    held = kind.__struct_defaults__
    pairs = zip(kind.__struct_fields__[-len(held) :], held, strict=True) if held else ()
    return {name: value for name, value in pairs if value is not NODEFAULT}


def encoded_fields(kind: type[Record] | RecordMeta) -> Mapping[str, str]:
    """Return the fields with their keys in JSON."""
    return dict(zip(kind.__struct_fields__, kind.__struct_encode_fields__, strict=True))


def made_from(kind: type[R], source: Record, /, **given: Any) -> R:
    """Return a record of another kind: its fields have the values of the fields of ``source`` of the same name.

    ``given`` are its other fields, and those that have another value.
    """
    shared = _shared_fields(type(source), cast(Any, kind))
    return kind(**{name: getattr(source, name) for name in shared} | given)


@cache
def _shared_fields(one: Any, other: Any) -> tuple[str, ...]:
    """Return the names of the fields that both kinds of records have."""
    return tuple(name for name in fields(other) if name in fields(one))
