"""A workflow as JSON and back, as the versions of templates are stored.

Default values are left out of the JSON, so that it is short and quick to write.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from core.codec.decoding import convert_json
from core.codec.encoding import brief, camel, snake
from core.domain.fields import FieldValue
from core.domain.templates import (
    TemplateApplication,
    TemplateBody,
    TemplateCriterion,
    TemplateField,
    TemplateItem,
    TemplatePart,
    TemplatePhase,
    TemplatePolicy,
    TemplateWait,
)
from core.errors import DatabaseDamaged
from core.record import Record, fields
from core.templates.tree import all_parts

KEYS = {
    name: camel(name)
    for part in (
        TemplateApplication,
        TemplateItem,
        TemplatePhase,
        TemplatePolicy,
        TemplateCriterion,
        TemplateField,
        FieldValue,
        TemplateWait,
        TemplateBody,
    )
    for name in fields(part)
}
"""The fields as they are stored, and as records have them in JSON."""


def to_text(body: TemplateBody) -> str:
    """The workflow as JSON, its keys as the fields are named."""
    return json.dumps(brief(body, snake), ensure_ascii=False, separators=(",", ":"))


def from_text(text: str) -> TemplateBody:
    """The workflow in a stored text. Raises DatabaseDamaged for any other shape, also for an unknown field."""
    try:
        body: TemplateBody = convert_json(json.loads(text, object_hook=_keys_in_camel_case), TemplateBody)
    except (ValueError, RecursionError) as error:
        raise DatabaseDamaged(
            f"The workflow of a template cannot be read: {error}. “podium restore” restores a backup."
        ) from None
    return body


def _keys_in_camel_case(part: dict[str, Any]) -> dict[str, Any]:
    try:
        return {KEYS[name]: value for name, value in part.items()}
    except KeyError as unknown:
        raise ValueError(f"“{unknown.args[0]}” is unknown") from None


def items_of(body: TemplateBody) -> Iterator[TemplateItem]:
    """All tasks and activities; tasks in an activity come after it."""
    return (part for part in all_parts(body.phases) if isinstance(part, TemplateItem))


def products_of(body: TemplateBody) -> tuple[str, ...]:
    """The products whose applications are in a workflow, in order of appearance."""
    return tuple(
        dict.fromkeys(part.product for part in all_parts(body.phases) if isinstance(part, TemplateApplication))
    )


class WorkflowSummary(Record, kw_only=False):
    """A short overview of a workflow."""

    phases: tuple[str, ...]
    items: int
    days: int
    """The latest due day after the start; 0 if there are no due days."""
    slots: tuple[str, ...]
    """The meta roles in the workflow, in order of appearance."""


def outline(body: TemplateBody) -> WorkflowSummary:
    """The overview of a workflow."""
    every = list(all_parts(body.phases))
    return WorkflowSummary(
        phases=tuple(phase.name for phase in body.phases),
        items=sum(isinstance(part, TemplateItem) for part in every),
        days=max([0, *(part.due_days or 0 for part in every)]),
        slots=tuple(dict.fromkeys(slot for part in every for slot in _slots_of(part))),
    )


def _slots_of(part: TemplatePart) -> tuple[str, ...]:
    """The meta roles that a part asks for; a phase also those of its policy."""
    policy = part.policy if isinstance(part, TemplatePhase) else None
    return (*part.slots, *policy.slots) if policy else part.slots
