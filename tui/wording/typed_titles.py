"""A typed title in words: who is assigned, when it is due, its labels and its priority."""

from __future__ import annotations

from datetime import date
from typing import Any

from core.text.dates import in_full
from core.text.sanitize import sanitize
from core.text.typed_titles import TypedTitle


def describe_typed(typed: TypedTitle[Any], today: date) -> str:
    """Return what a shorthand means, such as "Bob Lind · due Fri 27 Nov"; "" for a title without one.

    The year is omitted if it is the current one.
    """
    parts = [sanitize(typed.assignee.name)] if typed.assignee else []
    if typed.due:
        parts.append(f"due {in_full(typed.due).removesuffix(f' {today.year}')}")
    parts += [f"#{sanitize(label)}" for label in typed.labels]
    parts += [f"{typed.priority.lower()} priority"] if typed.priority else []
    return " · ".join(parts)
