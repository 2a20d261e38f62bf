"""A workflow as JSON and back, as the versions of templates are stored.

Default values are left out of the JSON, so that it is short and quick to write.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from core.codec.decoding import converted
from core.codec.encoding import brief, camel, snake
from core.domain.templates import TemplateApplication, TemplateBody, TemplateItem, TemplatePhase
from core.errors import InvalidInput
from core.record import Record, fields

FIELDS = frozenset(
    name for part in (TemplateApplication, TemplateItem, TemplatePhase, TemplateBody) for name in fields(part)
)


def to_text(body: TemplateBody) -> str:
    """The workflow as JSON, its keys as the fields are named."""
    return json.dumps(brief(body, snake), ensure_ascii=False, separators=(",", ":"))


def from_text(text: str) -> TemplateBody:
    """The workflow in a JSON text. Raises InvalidInput for any other shape, also for an unknown field."""
    try:
        body: TemplateBody = converted(json.loads(text, object_hook=_keys_in_camel_case), TemplateBody)
    except (ValueError, RecursionError) as error:
        raise InvalidInput("template", f"This is not the workflow of a template: {error}.") from None
    return body


def _keys_in_camel_case(part: dict[str, Any]) -> dict[str, Any]:
    if unknown := part.keys() - FIELDS:
        raise ValueError(f"“{min(unknown)}” is unknown")
    return {camel(name): value for name, value in part.items()}


def items_of(body: TemplateBody) -> Iterator[TemplateItem]:
    """All tasks and activities; tasks in an activity come after it."""
    for phase in body.phases:
        for item in phase.items:
            yield item
            yield from item.tasks


def products_of(body: TemplateBody) -> tuple[str, ...]:
    """The products whose applications are in a workflow, in order of appearance."""
    on_phases = (each for phase in body.phases for each in phase.applications)
    held = (item.application for item in items_of(body) if item.application)
    return tuple(dict.fromkeys(each.product for each in (*on_phases, *held)))


class Outline(Record, kw_only=False):
    """A short overview of a workflow."""

    phases: tuple[str, ...]
    items: int
    days: int
    """The latest due day after the start; 0 if there are no due days."""
    slots: tuple[str, ...]
    """The meta roles in the workflow, in order of appearance."""


def outline(text: str) -> Outline:
    """The overview of a stored workflow, without turning it into records."""
    phases = json.loads(text).get("phases", ())
    every = [part for phase in phases for part in _all_of(phase)]
    return Outline(
        phases=tuple(phase["name"] for phase in phases),
        items=sum("kind" in part for part in every),
        days=max([0, *(part.get("due_days") or 0 for part in every)]),
        slots=tuple(dict.fromkeys(slot for part in every for slot in part.get("slots", ()))),
    )


def _all_of(part: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield part
    held = [part["application"]] if part.get("application") else []
    for inner in (*part.get("items", ()), *part.get("tasks", ()), *held, *part.get("applications", ())):
        yield from _all_of(inner)
