"""A template in words: its workflow as an outline, in short or in full, its length and its tags."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.domain.model import Gate, ItemKind, Status
from core.domain.templates import TemplateApplication, TemplateBody, TemplateItem, TemplatePhase
from core.templates.tree import criterion_words, policy_words
from core.text.phrases import count
from tui.drawing.outline_lines import OutlineEntry
from tui.drawing.styles import ASCII, Symbols
from tui.drawing.theme import QUIET

WEEKS_FROM = 14
"""A length of at least these days is shown in weeks."""

NAME = "bold $text-primary"


def length(days: int) -> str:
    """The length of a workflow in days, or in weeks, rounded up; "" if nothing in it has a day."""
    if not days:
        return ""
    return count(-(-days // 7), "week") if days >= WEEKS_FROM else count(days, "day")


def tag_words(tags: Sequence[str]) -> str:
    """Tags as the filter reads them, with ``#``."""
    return " ".join(f"#{tag}" for tag in tags)


def tags_typed(typed: str) -> tuple[str, ...]:
    """Tags from a text with commas, with or without ``#``."""
    tags = (tag.strip().lstrip("#").strip() for tag in typed.split(","))
    return tuple(tag for tag in tags if tag)


def legend(signs: Symbols) -> str:
    """The meaning of the symbols in an outline."""
    activity, task = _sign(ItemKind.ACTIVITY, signs), _sign(ItemKind.TASK, signs)
    parts = ((activity, "activity"), (task, "task"), (signs.application, "application"), (_box(signs), "deliverable"))
    return "  ".join(f"{sign} {word}" for sign, word in parts)


def in_short(body: TemplateBody) -> Iterator[OutlineEntry]:
    """One line per phase, with the number of items and the due day, and its objectives."""
    for number, phase in enumerate(body.phases, 1):
        items = sum(1 + len(item.tasks) for item in phase.items)
        yield OutlineEntry(phase.name, _facts(count(items, "item"), _when(phase.due_days)), str(number), style=NAME)
        if phase.objectives:
            yield OutlineEntry(phase.objectives.partition("\n")[0], indent=1, style=QUIET)


def in_full(body: TemplateBody, signs: Symbols) -> Iterator[OutlineEntry]:
    """Each phase with all its texts, deliverables and items; slots are in brackets."""
    for number, phase in enumerate(body.phases, 1):
        if number > 1:
            yield OutlineEntry()
        yield from _phase(number, phase, signs)


def _phase(number: int, phase: TemplatePhase, signs: Symbols) -> Iterator[OutlineEntry]:
    evidence = "" if not phase.evidence_required else ", with evidence"
    evidence += " or a statement" if evidence and not phase.no_statements else ""
    gate = f"review gate{evidence}" if phase.gate is Gate.REVIEW else ""
    yield OutlineEntry(phase.name, _facts(_when(phase.due_days), gate, _slots(phase.slots)), str(number), 0, NAME)
    if phase.policy:
        yield OutlineEntry(policy_words(phase.policy), lead="Decides", indent=1)
    for label, text in (("Objectives", phase.objectives), ("Outcomes", phase.outcomes)):
        for line in filter(None, map(str.strip, text.split("\n"))):
            yield OutlineEntry(line, lead=label, indent=1)
    for name in phase.deliverables:
        yield OutlineEntry(name, "", _box(signs), 1)
    for criterion in phase.criteria:
        yield OutlineEntry(criterion.text, criterion_words(criterion), lead="Criterion", indent=1)
    for application in phase.applications:
        yield _application(application, signs, 1)
    for item in phase.items:
        yield from _item(item, signs, 1)


def _item(item: TemplateItem, signs: Symbols, indent: int) -> Iterator[OutlineEntry]:
    yield OutlineEntry(item.title, _facts(_when(item.due_days), _slots(item.slots)), _sign(item.kind, signs), indent)
    if item.application is not None:
        yield _application(item.application, signs, indent + 1)
    for task in item.tasks:
        yield from _item(task, signs, indent + 1)


def _application(application: TemplateApplication, signs: Symbols, indent: int) -> OutlineEntry:
    product = "" if application.product == application.name else f" ({application.product})"
    hint = _facts(_when(application.due_days), _slots(application.slots))
    return OutlineEntry(f"{application.name}{product}", hint, signs.application, indent)


def _sign(kind: ItemKind, signs: Symbols) -> str:
    return signs.of(Status.TO_DO, kind is ItemKind.ACTIVITY)


def _box(signs: Symbols) -> str:
    return "-" if signs is ASCII else "□"


def _when(days: int | None) -> str:
    return "" if days is None else f"day {days}"


def _slots(slots: Sequence[str]) -> str:
    return f"[{', '.join(slots)}]" if slots else ""


def _facts(*facts: str) -> str:
    return " · ".join(fact for fact in facts if fact)
