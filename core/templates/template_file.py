"""A template as a file: TOML that people can read, write by hand and pass on.

name = "Small campaign"

[[phases]]
name = "Brief"
due = 14                            # days after the first day of the project
roles = ["Lead"]
gate = "REVIEW"
evidence = true                     # can be approved only with evidence of each deliverable
statements = false                  # a link, a file or a card; a statement in words does not count
deliverables = ["Creative brief"]
work = [
    { activity = "Understand the market", due = 8, roles = ["Analyst", "Strategist"], tasks = [
        { task = "Interview five customers", due = 7, role = "Strategist" },
    ] },
    { task = "Approve the brief", due = 14, role = "Approver", description = "One page, signed." },
]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from graphlib import CycleError, TopologicalSorter
from typing import Any, ClassVar, Literal

from core.domain.dependencies import MAX_BLOCKERS, MAX_LAG
from core.domain.fields import MAX_FIELDS, MAX_TEXT, FieldKind, FieldValue, checked_key
from core.domain.labels import MAX_LABELS
from core.domain.max_lengths import APPLICATION_NAME, CARD_TITLE, DELIVERABLE_NAME, PHASE_NAME
from core.domain.model import Gate, ItemKind, Priority
from core.domain.statuses import check_evidence_setting
from core.domain.templates import (
    Template,
    TemplateApplication,
    TemplateBody,
    TemplateField,
    TemplateItem,
    TemplatePhase,
    TemplateWait,
)
from core.errors import InvalidImport
from core.record import Record, made_from
from core.rules.fields import check_sums, checked_choices, checked_name, folded_word
from core.templates.size import check_counts
from core.text.dates import FIRST_YEAR, LAST_YEAR
from core.text.document_fields import checked_field, checked_list, checked_text
from core.text.label_names import fold_name, label_name
from core.text.phrases import names
from core.text.sanitize import link, many_lines, one_line

MAX_BYTES = 20_000_000
"""The most bytes of a file: the longest version of a template fits, in any script."""

NAMED = 6
"""The most cards of a cycle that a refusal names."""

MAX_DAYS = 366 * (LAST_YEAR - FIRST_YEAR + 1)
"""The most days between the first day of a project and a due date."""


class TemplatePart(Record, forbid_unknown_fields=True):
    """A part of the file. It has no keys but its own, each with a value of exactly its type."""


class PlannedApplication(TemplatePart):
    """An application of a product; ``product`` is its name in the registry."""

    product: str
    name: str
    due: int | None = None
    roles: tuple[str, ...] = ()


class PlannedCard(TemplatePart):
    """A task, or an activity with its tasks; the title stands under ``task`` or ``activity``.

    A task has one ``role`` at most, and only an activity has ``roles``, ``tasks`` and an ``application``.
    """

    task: str = ""
    activity: str = ""
    due: int | None = None
    role: str = ""
    roles: tuple[str, ...] = ()
    description: str = ""
    link: str = ""
    priority: Priority = Priority.NORMAL
    labels: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    """The values of own fields, each as KEY=VALUE."""
    tasks: tuple[PlannedCard, ...] = ()
    application: PlannedApplication | None = None


class PlannedPhase(TemplatePart):
    """A phase; ``due`` counts days after the first day of the project, here and everywhere in the file."""

    name: str
    due: int | None = None
    roles: tuple[str, ...] = ()
    gate: Gate = Gate.AUTOMATIC
    evidence: bool = False
    """True if the gate can be approved only with evidence of each deliverable."""
    statements: bool | None = None
    """True if a statement in words counts as evidence, as in every file that does not say it."""
    objectives: str = ""
    outcomes: str = ""
    deliverables: tuple[str, ...] = ()
    work: tuple[PlannedCard, ...] = ()
    applications: tuple[PlannedApplication, ...] = ()


class PlannedField(TemplatePart):
    """An own field of the project; cards name it by its ``key``."""

    name: str
    key: str
    kind: FieldKind
    choices: tuple[str, ...] = ()
    sum: bool = False


class PlannedWait(TemplatePart):
    """A card that waits for another one; each is named by its phase, its activity if it has one, and its title."""

    card: tuple[str, ...]
    blocker: tuple[str, ...]
    lag: int = 0
    """The days between their due dates."""


class TemplateDocument(TemplatePart):
    """The content of the file."""

    in_words: ClassVar[str] = "a template as “podium template export” writes it"
    format: Literal["podium-template"] = "podium-template"
    version: Literal[1] = 1
    name: str
    description: str = ""
    tags: tuple[str, ...] = ()
    fields: tuple[PlannedField, ...] = ()
    phases: tuple[PlannedPhase, ...]
    waits: tuple[PlannedWait, ...] = ()


def template_in(text: str) -> TemplateDocument:
    """Return the template in a text. Raises InvalidImport, with line and field, and RuleViolation for its size."""
    from core.codec.toml_text import decode_toml, line_of

    document = decode_toml(text, TemplateDocument)
    try:
        workflow_of(document)
    except InvalidImport as refused:
        raise InvalidImport(refused.field, refused.reason, line=line_of(text, refused.field)) from None
    return document


def template_text(template: Template, body: TemplateBody) -> str:
    """Return the text of the file of a template with this workflow."""
    from core.codec.encoding import brief
    from core.codec.toml_text import as_toml

    document = TemplateDocument(
        name=template.name,
        description=template.description,
        tags=template.tags,
        fields=tuple(made_from(PlannedField, field, sum=field.sums) for field in body.fields),
        phases=tuple(map(_planned_phase, body.phases)),
        waits=tuple(PlannedWait(card=each.card, blocker=each.blocker, lag=each.lag_days) for each in body.waits),
    )
    return as_toml({"format": document.format, "version": document.version} | brief(document))


# -- out of the file ---------------------------------------------------------------------------------------------------


def workflow_of(document: TemplateDocument) -> TemplateBody:
    """Return the workflow of a document, with its texts as they are stored. Raises InvalidImport and RuleViolation."""
    if not document.phases:
        raise InvalidImport("phases", "A template needs at least one phase.")
    cards = list(_cards(card for phase in document.phases for card in phase.work))
    others = sum(len(phase.deliverables) + len(phase.applications) for phase in document.phases)
    check_counts(len(document.phases), len(cards), others + sum(card.application is not None for card in cards))
    phases = checked_list("phases", document.phases, _phase)
    fields = checked_list("fields", document.fields, _field)
    keys = [field.key for field in fields]
    if len(set(keys)) < len(keys) or len(keys) > MAX_FIELDS:
        raise InvalidImport("fields", f"A template has at most {MAX_FIELDS} fields, each with its own key.")
    called = [folded_word(field.name) for field in fields]
    if len(set(called)) < len(called):
        raise InvalidImport("fields", "Two fields have the same name. Give each its own.")
    labels = {fold_name(label) for phase in phases for card in _all_cards(phase.items) for label in card.labels}
    if len(labels) > MAX_LABELS:
        raise InvalidImport("work", f"A project has at most {MAX_LABELS} labels, and these cards have {len(labels)}.")
    return TemplateBody(phases=phases, fields=fields, waits=_waits(document, phases))


def _field(field: PlannedField, where: str) -> TemplateField:
    checked_field(f"{where}.sum", check_sums, field.kind, field.sum)
    return TemplateField(
        name=checked_field(f"{where}.name", checked_name, field.name),
        key=checked_field(f"{where}.key", checked_key, field.key),
        kind=field.kind,
        choices=checked_field(f"{where}.choices", checked_choices, field.kind, field.choices),
        sums=field.sum,
    )


def _waits(document: TemplateDocument, phases: Iterable[TemplatePhase]) -> tuple[TemplateWait, ...]:
    """Return which cards wait for which. Raises InvalidImport for a card that is not there, or of a later phase."""
    places = {
        path: place for place, phase in enumerate(phases) for item in phase.items for path in _paths(phase.name, item)
    }
    blockers: dict[tuple[str, ...], set[tuple[str, ...]]] = {}
    for at, wait in enumerate(document.waits):
        for name, path in (("card", wait.card), ("blocker", wait.blocker)):
            if path not in places:
                raise InvalidImport(f"waits[{at}].{name}", f"There is no card “{' / '.join(path)}” in the file.")
        if wait.card == wait.blocker or places[wait.blocker] > places[wait.card]:
            raise InvalidImport(f"waits[{at}]", "A card waits for another card, of its own or an earlier phase.")
        if not 0 <= wait.lag <= MAX_LAG:
            raise InvalidImport(f"waits[{at}].lag", f"The lag is 0 to {MAX_LAG} days.")
        others = blockers.setdefault(wait.card, set())
        if wait.blocker in others:
            raise InvalidImport(f"waits[{at}]", "This dependency is listed twice.")
        others.add(wait.blocker)
        if len(others) > MAX_BLOCKERS:
            raise InvalidImport(f"waits[{at}]", f"A card waits for at most {MAX_BLOCKERS} cards.")
    try:
        TopologicalSorter(blockers).prepare()
    except CycleError as error:
        titles = names([f"“{path[-1]}”" for path in error.args[1][:NAMED]])
        raise InvalidImport("waits", f"A card would wait for itself: {titles}.") from None
    return tuple(TemplateWait(card=each.card, blocker=each.blocker, lag_days=each.lag) for each in document.waits)


def _paths(phase: str, item: TemplateItem) -> Iterator[tuple[str, ...]]:
    yield phase, item.title
    for task in item.tasks:
        yield phase, item.title, task.title


def _all_cards(items: Iterable[TemplateItem]) -> Iterator[TemplateItem]:
    for item in items:
        yield item
        yield from item.tasks


def _cards(work: Iterable[PlannedCard]) -> Iterator[PlannedCard]:
    for card in work:
        yield card
        yield from _cards(card.tasks)


def _phase(phase: PlannedPhase, where: str) -> TemplatePhase:
    checked_field(f"{where}.evidence", check_evidence_setting, phase.gate, phase.evidence)
    checked_field(f"{where}.statements", check_evidence_setting, phase.gate, phase.evidence, bool(phase.statements))
    return TemplatePhase(
        name=checked_text(f"{where}.name", one_line, phase.name, most=PHASE_NAME),
        objectives=checked_text(f"{where}.objectives", many_lines, phase.objectives),
        outcomes=checked_text(f"{where}.outcomes", many_lines, phase.outcomes),
        deliverables=checked_list(f"{where}.deliverables", phase.deliverables, _deliverable),
        gate=phase.gate,
        evidence_required=phase.evidence,
        no_statements=phase.evidence and phase.statements is False,
        due_days=_days(phase.due, where),
        slots=_roles(phase.roles, where),
        items=checked_list(f"{where}.work", phase.work, _card),
        applications=checked_list(f"{where}.applications", phase.applications, _application),
    )


def _deliverable(name: str, where: str) -> str:
    return checked_text(where, one_line, name, "deliverable", most=DELIVERABLE_NAME)


def _card(card: PlannedCard, where: str) -> TemplateItem:
    if bool(card.task) is bool(card.activity):
        raise InvalidImport(where, "It needs a title as “task” or as “activity”, and not both.")
    if card.activity:
        if card.role:
            raise InvalidImport(f"{where}.role", "Only a task has it. Write “roles”, a list.")
        return _activity(card, where)
    for name in ("roles", "tasks", "application"):
        if getattr(card, name):
            raise InvalidImport(f"{where}.{name}", "Only an activity has it." + " Write “role”." * (name == "roles"))
    return TemplateItem(
        kind=ItemKind.TASK,
        title=checked_text(f"{where}.task", one_line, card.task, most=CARD_TITLE),
        slots=_roles((card.role,) if card.role else (), where),
        **_of_each_card(card, where),
    )


def _activity(card: PlannedCard, where: str) -> TemplateItem:
    for at, task in enumerate(card.tasks):
        if task.activity:
            raise InvalidImport(f"{where}.tasks[{at}].activity", "An activity holds only tasks.")
    return TemplateItem(
        kind=ItemKind.ACTIVITY,
        title=checked_text(f"{where}.activity", one_line, card.activity, most=CARD_TITLE),
        slots=_roles(card.roles, where),
        tasks=checked_list(f"{where}.tasks", card.tasks, _card),
        application=_application(card.application, f"{where}.application") if card.application else None,
        **_of_each_card(card, where),
    )


def _of_each_card(card: PlannedCard, where: str) -> dict[str, Any]:
    return {
        "description": checked_text(f"{where}.description", many_lines, card.description),
        "link": checked_text(f"{where}.link", link, card.link),
        "due_days": _days(card.due, where),
        "priority": card.priority,
        "labels": _labels(card.labels, where),
        "values": checked_list(f"{where}.fields", card.fields, _value),
    }


def _labels(labels: Iterable[str], where: str) -> tuple[str, ...]:
    """Return the labels, each once, in the order in which a saved project has them."""
    found = {fold_name(each): checked_field(f"{where}.labels", label_name, each) for each in labels}
    return tuple(found[name] for name in sorted(found))


def _value(said: str, where: str) -> FieldValue:
    key, sign, value = said.partition("=")
    if not sign:
        raise InvalidImport(where, "Write it as KEY=VALUE, such as estimate=3.")
    text = checked_text(where, one_line, value, "value", most=MAX_TEXT)
    return FieldValue(key=checked_field(where, checked_key, key), value=text)


def _application(each: PlannedApplication, where: str) -> TemplateApplication:
    return TemplateApplication(
        product=checked_text(f"{where}.product", one_line, each.product),
        name=checked_text(f"{where}.name", one_line, each.name, most=APPLICATION_NAME),
        due_days=_days(each.due, where),
        slots=_roles(each.roles, where),
    )


def _days(due: int | None, where: str) -> int | None:
    if due is not None and abs(due) > MAX_DAYS:
        raise InvalidImport(f"{where}.due", f"Enter at most {MAX_DAYS:,} days, not {due:,}.")
    return due


def _roles(roles: Iterable[str], where: str) -> tuple[str, ...]:
    """Return the roles, each once, in the order in which a saved project has them."""
    return tuple(sorted({checked_text(f"{where}.roles", one_line, each, "role") for each in roles}, key=str.casefold))


# -- into the file -----------------------------------------------------------------------------------------------------


def _planned_phase(phase: TemplatePhase) -> PlannedPhase:
    return made_from(
        PlannedPhase,
        phase,
        due=phase.due_days,
        roles=phase.slots,
        evidence=phase.evidence_required,
        statements=not phase.no_statements if phase.evidence_required else None,
        work=tuple(map(_planned_card, phase.items)),
        applications=tuple(map(_planned_application, phase.applications)),
    )


def _planned_card(item: TemplateItem) -> PlannedCard:
    is_task = item.kind is ItemKind.TASK
    return PlannedCard(
        task=item.title if is_task else "",
        activity="" if is_task else item.title,
        due=item.due_days,
        role=item.slots[0] if is_task and item.slots else "",
        roles=() if is_task else item.slots,
        description=item.description,
        link=item.link,
        priority=item.priority,
        labels=item.labels,
        fields=tuple(f"{each.key}={each.value}" for each in item.values),
        tasks=tuple(map(_planned_card, item.tasks)),
        application=_planned_application(item.application) if item.application else None,
    )


def _planned_application(each: TemplateApplication) -> PlannedApplication:
    return PlannedApplication(product=each.product, name=each.name, due=each.due_days, roles=each.slots)
