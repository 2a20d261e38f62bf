"""Words to write a workflow in, so that it reads like an outline. ``due`` counts days after the start."""

from __future__ import annotations

from typing import NamedTuple

from core.domain.model import Gate, ItemKind
from core.domain.templates import TemplateBody, TemplateItem, TemplatePhase

LEAD, STRATEGIST, CREATIVE = "Lead", "Strategist", "Creative"
PRODUCER, ANALYST, APPROVER = "Producer", "Analyst", "Approver"
"""The meta roles that a new workspace has."""


class BuiltIn(NamedTuple):
    """A template as a new workspace gets it."""

    name: str
    description: str
    tags: tuple[str, ...]
    body: TemplateBody


def workflow(*phases: TemplatePhase) -> TemplateBody:
    return TemplateBody(phases=phases)


def phase(
    name: str,
    due: int,
    *items: TemplateItem,
    objectives: str,
    outcomes: str,
    deliverables: tuple[str, ...] = (),
    review: bool = False,
    evidence: bool = False,
    by: tuple[str, ...] = (LEAD,),
) -> TemplatePhase:
    """A phase; with ``review`` an owner decides at its gate, with ``evidence`` only on delivered deliverables."""
    return TemplatePhase(
        name=name,
        objectives=objectives,
        outcomes=outcomes,
        deliverables=deliverables,
        gate=Gate.REVIEW if review else Gate.AUTOMATIC,
        evidence_required=evidence,
        due_days=due,
        slots=tuple(sorted(by)),
        items=items,
    )


def activity(title: str, due: int, *tasks: TemplateItem, by: tuple[str, ...], about: str = "") -> TemplateItem:
    """An activity with its tasks."""
    return TemplateItem(
        kind=ItemKind.ACTIVITY, title=title, description=about, due_days=due, slots=tuple(sorted(by)), tasks=tasks
    )


def task(title: str, due: int, by: str, about: str = "") -> TemplateItem:
    return TemplateItem(kind=ItemKind.TASK, title=title, description=about, due_days=due, slots=(by,))
