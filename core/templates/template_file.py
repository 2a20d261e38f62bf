"""A template as a file: TOML that people can read, write by hand and pass on.

name = "Small campaign"

[[phases]]
name = "Brief"
due = 14                            # days after the first day of the project
roles = ["Lead"]
gate = "REVIEW"
evidence = true                     # can be approved only with evidence of each deliverable
statements = false                  # a link, a file or a card; a statement in words does not count
policy = { role = "Approver", needed = 2, fourEyes = true, by = 14, secretary = "Lead" }
deliverables = ["Creative brief"]
work = [
    { activity = "Understand the market", due = 8, roles = ["Analyst", "Strategist"], tasks = [
        { task = "Interview five customers", due = 7, role = "Strategist" },
    ] },
    { task = "Approve the brief", due = 14, role = "Approver", description = "One page, signed." },
]
criteria = [{ text = "The numbers are checked", by = "Analyst" }, { text = "Legal is done", filter = "label:legal" }]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from graphlib import CycleError, TopologicalSorter
from typing import Annotated, ClassVar, Literal

from core.domain.dependencies import MAX_BLOCKERS, MAX_LAG
from core.domain.fields import MAX_FIELDS, MAX_TEXT, FieldKind, FieldValue, checked_key
from core.domain.gate_policy import MAX_CRITERIA
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
from core.errors import InvalidImport, InvalidInput
from core.record import made_from, replace
from core.rules.dependency_cycles import STEPS_NAMED
from core.rules.fields import check_sums, checked_choices, checked_name, folded_word
from core.templates.planned_gates import (
    Days,
    PlannedCriterion,
    PlannedPolicy,
    Role,
    Roles,
    TemplatePart,
    check_criteria,
    criterion_of,
    planned_criterion,
    planned_policy,
    policy_of,
)
from core.templates.size import check_counts
from core.text.document_fields import FieldRule, Link, checked_field, line, text
from core.text.label_names import fold_name, label_name
from core.text.phrases import names
from core.text.sanitize import one_line

MAX_BYTES = 20_000_000
"""The most bytes of a file: the longest version of a template fits, in any script."""


def _labels(labels: tuple[str, ...]) -> tuple[str, ...]:
    """Return the labels, each once, in the order in which a saved project has them."""
    found = {fold_name(each): label_name(each) for each in labels}
    return tuple(found[name] for name in sorted(found))


def _value_text(said: str) -> str:
    """Return KEY=VALUE with both parts as they are stored. Raises InvalidInput."""
    key, sign, value = said.partition("=")
    if not sign:
        raise InvalidInput("value", "Write it as KEY=VALUE, such as estimate=3.")
    return f"{checked_key(key)}={one_line(value, 'value', most=MAX_TEXT)}"


Labels = Annotated[tuple[str, ...], FieldRule(_labels)]


class PlannedApplication(TemplatePart):
    """An application of a product; ``product`` is its name in the registry."""

    product: Annotated[str, line()]
    name: Annotated[str, line(APPLICATION_NAME)]
    due: Days | None = None
    roles: Roles = ()


class PlannedCard(TemplatePart):
    """A task, or an activity with its tasks; the title stands under ``task`` or ``activity``.

    A task has one ``role`` at most, and only an activity has ``roles``, ``tasks`` and an ``application``.
    """

    task: Annotated[str, line(CARD_TITLE, optional=True)] = ""
    activity: Annotated[str, line(CARD_TITLE, optional=True)] = ""
    due: Days | None = None
    role: Role = ""
    roles: Roles = ()
    description: Annotated[str, text()] = ""
    link: Link = ""
    priority: Priority = Priority.NORMAL
    labels: Labels = ()
    fields: tuple[Annotated[str, FieldRule(_value_text)], ...] = ()
    """The values of custom fields, each as KEY=VALUE."""
    tasks: tuple[PlannedCard, ...] = ()
    application: PlannedApplication | None = None

    def normalize(self) -> PlannedCard:
        """Check that it is a task or an activity, and has only what such a card can have."""
        if bool(self.task) is bool(self.activity):
            raise InvalidImport("", "It needs a title as “task” or as “activity”, and not both.")
        if self.activity and self.role:
            raise InvalidImport("role", "Only a task has it. Write “roles”, a list.")
        for name in ("roles", "tasks", "application"):
            if self.task and getattr(self, name):
                raise InvalidImport(name, "Only an activity has it." + " Write “role”." * (name == "roles"))
        if (at := next((at for at, task in enumerate(self.tasks) if task.activity), None)) is not None:
            raise InvalidImport(f"tasks[{at}].activity", "An activity holds only tasks.")
        return self


class PlannedPhase(TemplatePart):
    """A phase; ``due`` counts days after the first day of the project, here and everywhere in the file."""

    name: Annotated[str, line(PHASE_NAME)]
    due: Days | None = None
    roles: Roles = ()
    gate: Gate = Gate.AUTOMATIC
    evidence: bool = False
    """True if the gate can be approved only with evidence of each deliverable."""
    statements: bool | None = None
    """True if a statement in words counts as evidence, as in every file that does not say it."""
    policy: PlannedPolicy | None = None
    criteria: tuple[PlannedCriterion, ...] = ()
    objectives: Annotated[str, text()] = ""
    outcomes: Annotated[str, text()] = ""
    deliverables: tuple[Annotated[str, line(DELIVERABLE_NAME, "deliverable")], ...] = ()
    work: tuple[PlannedCard, ...] = ()
    applications: tuple[PlannedApplication, ...] = ()

    def normalize(self) -> PlannedPhase:
        checked_field("evidence", check_evidence_setting, self.gate, self.evidence)
        checked_field("statements", check_evidence_setting, self.gate, self.evidence, bool(self.statements))
        for name in ("policy", "criteria"):
            if getattr(self, name) and self.gate is not Gate.REVIEW:
                raise InvalidImport(name, "Only a review gate has it.")
        if len(self.criteria) > MAX_CRITERIA:
            raise InvalidImport("criteria", f"A gate has at most {MAX_CRITERIA} criteria, not {len(self.criteria)}.")
        return self


class PlannedField(TemplatePart):
    """A custom field of the project; cards name it by its ``key``."""

    name: Annotated[str, FieldRule(checked_name)]
    key: Annotated[str, FieldRule(checked_key)]
    kind: FieldKind
    choices: tuple[str, ...] = ()
    sum: bool = False

    def normalize(self) -> PlannedField:
        checked_field("sum", check_sums, self.kind, self.sum)
        return replace(self, choices=checked_field("choices", checked_choices, self.kind, self.choices))


class PlannedWait(TemplatePart):
    """A card that waits for another one; each is named by its phase, its activity if it has one, and its title."""

    card: tuple[str, ...]
    blocker: tuple[str, ...]
    lag: int = 0
    """The days between their due dates."""

    def normalize(self) -> PlannedWait:
        if not 0 <= self.lag <= MAX_LAG:
            raise InvalidImport("lag", f"The lag is 0 to {MAX_LAG} days.")
        return self


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
    from core.codec.toml_text import line_of
    from core.templates.checked_files import read_toml

    document = read_toml(text, TemplateDocument)
    try:
        _check_size(document)
        _workflow(document)
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
    from core.templates.checked_files import check

    _check_size(document)
    return _workflow(check(document))


def _check_size(document: TemplateDocument) -> None:
    if not document.phases:
        raise InvalidImport("phases", "A template needs at least one phase.")
    cards = list(_cards(card for phase in document.phases for card in phase.work))
    others = sum(len(phase.deliverables) + len(phase.applications) for phase in document.phases)
    check_counts(len(document.phases), len(cards), others + sum(card.application is not None for card in cards))


def _workflow(document: TemplateDocument) -> TemplateBody:
    """Return the workflow of a document whose parts are checked. Raises InvalidImport for those that do not fit."""
    keys = [field.key for field in document.fields]
    if len(set(keys)) < len(keys) or len(keys) > MAX_FIELDS:
        raise InvalidImport("fields", f"A template has at most {MAX_FIELDS} fields, each with its own key.")
    called = [folded_word(field.name) for field in document.fields]
    if len(set(called)) < len(called):
        raise InvalidImport("fields", "Two fields have the same name. Give each its own.")
    cards = _cards(card for phase in document.phases for card in phase.work)
    labels = {fold_name(label) for card in cards for label in card.labels}
    if len(labels) > MAX_LABELS:
        raise InvalidImport("work", f"A project has at most {MAX_LABELS} labels, and these cards have {len(labels)}.")
    check_criteria((phase.criteria for phase in document.phases), {field.key: field.kind for field in document.fields})
    _check_waits(document)
    return TemplateBody(
        phases=tuple(map(_phase, document.phases)),
        fields=tuple(made_from(TemplateField, field, sums=field.sum) for field in document.fields),
        waits=tuple(TemplateWait(card=each.card, blocker=each.blocker, lag_days=each.lag) for each in document.waits),
    )


def _check_waits(document: TemplateDocument) -> None:
    """Raise InvalidImport for a card that waits for one that is not there, or of a later phase, or for itself."""
    places = {
        path: place
        for place, phase in enumerate(document.phases)
        for card in phase.work
        for path in _paths(phase, card)
    }
    blockers: dict[tuple[str, ...], set[tuple[str, ...]]] = {}
    for at, wait in enumerate(document.waits):
        for name, path in (("card", wait.card), ("blocker", wait.blocker)):
            if path not in places:
                raise InvalidImport(f"waits[{at}].{name}", f"There is no card “{' / '.join(path)}” in the file.")
        if wait.card == wait.blocker or places[wait.blocker] > places[wait.card]:
            raise InvalidImport(f"waits[{at}]", "A card waits for another card, of its own or an earlier phase.")
        others = blockers.setdefault(wait.card, set())
        if wait.blocker in others:
            raise InvalidImport(f"waits[{at}]", "This dependency is listed twice.")
        others.add(wait.blocker)
        if len(others) > MAX_BLOCKERS:
            raise InvalidImport(f"waits[{at}]", f"A card waits for at most {MAX_BLOCKERS} cards.")
    try:
        TopologicalSorter(blockers).prepare()
    except CycleError as error:
        titles = names([f"“{path[-1]}”" for path in error.args[1][:STEPS_NAMED]])
        raise InvalidImport("waits", f"A card would wait for itself: {titles}.") from None


def _paths(phase: PlannedPhase, card: PlannedCard) -> Iterator[tuple[str, ...]]:
    title = card.task or card.activity
    yield phase.name, title
    for task in card.tasks:
        yield phase.name, title, task.task


def _cards(work: Iterable[PlannedCard]) -> Iterator[PlannedCard]:
    for card in work:
        yield card
        yield from _cards(card.tasks)


def _phase(phase: PlannedPhase) -> TemplatePhase:
    return made_from(
        TemplatePhase,
        phase,
        evidence_required=phase.evidence,
        no_statements=phase.evidence and phase.statements is False,
        policy=policy_of(phase.policy) if phase.policy else None,
        criteria=tuple(map(criterion_of, phase.criteria)),
        due_days=phase.due,
        slots=phase.roles,
        items=tuple(map(_item, phase.work)),
        applications=tuple(map(_application, phase.applications)),
    )


def _item(card: PlannedCard) -> TemplateItem:
    return made_from(
        TemplateItem,
        card,
        kind=ItemKind.TASK if card.task else ItemKind.ACTIVITY,
        title=card.task or card.activity,
        slots=(card.role,) if card.role else card.roles,
        due_days=card.due,
        values=tuple(FieldValue(*each.split("=", 1)) for each in card.fields),
        tasks=tuple(map(_item, card.tasks)),
        application=_application(card.application) if card.application else None,
    )


def _application(each: PlannedApplication) -> TemplateApplication:
    return made_from(TemplateApplication, each, due_days=each.due, slots=each.roles)


# -- into the file -----------------------------------------------------------------------------------------------------


def _planned_phase(phase: TemplatePhase) -> PlannedPhase:
    return made_from(
        PlannedPhase,
        phase,
        due=phase.due_days,
        roles=phase.slots,
        evidence=phase.evidence_required,
        statements=not phase.no_statements if phase.evidence_required else None,
        policy=planned_policy(phase.policy) if phase.policy else None,
        criteria=tuple(map(planned_criterion, phase.criteria)),
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
