"""Results from JSON: the inverse of ``encoding.text_of``."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Generic, TypeVar, cast, get_type_hints

from core.codec.decoding import decode
from core.codec.type_hints import is_record, unwrap_optional
from core.engine.dry_run import DryRun
from core.engine.messages import Message
from core.record import Record

R = TypeVar("R")

NOTHING = b'{"data":null}'
"""The answer of a message without a result. An answer without a body (204) says the same."""


class _Data(Record, Generic[R]):
    """The answer with a result that is no record."""

    data: R


def read_dry_run(body: bytes) -> DryRun:
    """Return the dry run in the body of an answer. Raises ValueError."""
    return cast("DryRun", decode(body, DryRun))


def result_type(kind: type[Message[Any]]) -> Any:
    """Return the type of a message's result: the return annotation of its ``run``."""
    return _answer(kind.run)  # type: ignore[attr-defined]


@cache
def _answer(run: Callable[..., Any]) -> Any:
    return get_type_hints(run)["return"]


def read(message: Message[R], body: bytes) -> R:
    """Return the result of a message from the body of its answer. Raises ValueError."""
    hint, wrapped = result_type(type(message)), cast(Any, _Data)
    inner, optional = unwrap_optional(hint)
    if not is_record(inner):
        return cast(R, decode(body or NOTHING, wrapped[hint]).data)
    return cast(R, None if optional and body == NOTHING else decode(body, inner))
