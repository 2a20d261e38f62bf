"""Carries out the plan of a merge, in the one transaction of its message."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

from core.domain.fields import FieldValue
from core.domain.gate_policy import GateCriterion
from core.domain.gates import Decision, Deliverable
from core.domain.model import Id, Item, Phase, Project
from core.domain.notifications import NotificationKind
from core.domain.products.products import Application
from core.domain.templates import (
    APPLICATION,
    CRITERION,
    DELIVERABLE,
    PHASE,
    STAYS,
    TASK,
    DifferenceKind,
    TemplateApplication,
    TemplateCriterion,
    TemplateDeliverable,
    TemplateField,
    TemplateItem,
    TemplatePhase,
    TemplatePolicy,
)
from core.engine.unit_of_work import UnitOfWork
from core.record import replace
from core.rules import items
from core.rules.approvals import CHANGES_NAMED, record_gate_change, record_kind_change
from core.rules.assignments import assign
from core.rules.fields import set_values
from core.rules.gate_criteria import check_gate_rules
from core.rules.gate_panel import store_policy
from core.rules.labels import labels_on, put_labels, take_labels
from core.rules.notifications import notify
from core.rules.ordering import ranks_before
from core.templates.instantiate import TemplateBuilder
from core.templates.merge import MergeStep
from core.templates.project_tree import LiveNode, ProjectTree, Row
from core.templates.tree import PLACE, Part, group_of, with_all_in
from core.text.phrases import some

KINDS: Mapping[str, type[Row]] = {
    PHASE: Phase,
    "ITEM": Item,
    DELIVERABLE: Deliverable,
    CRITERION: GateCriterion,
    APPLICATION: Application,
}
"""The record of each group of siblings."""


def apply_steps(
    work: UnitOfWork,
    project: Project,
    tree: ProjectTree,
    steps: Iterable[MergeStep],
    fields: Iterable[TemplateField],
    why: str,
) -> None:
    """Carry out a plan on its project: first new fields, then removals, changes, and last additions and moves.

    ``why`` is the reason for another kind of gate.
    """
    merging = _Merging(work, project, tree, why)
    merging.builder.add_fields(fields)
    merging.do(list(steps))


class _Merging:
    def __init__(self, work: UnitOfWork, project: Project, tree: ProjectTree, why: str) -> None:
        self.work = work
        self.why = why
        self.project = project
        self.tree = tree
        self.builder = TemplateBuilder(work, project, tree.team.filling)
        self.gone: set[Id] = set()
        self.orders: dict[tuple[Id, str], list[Id]] = {}
        """The ids of siblings in order, by container and group."""
        self.added: dict[int, Id] = {}
        """The ids of the records of new parts, by the id of the object."""

    def do(self, steps: Sequence[MergeStep]) -> None:
        for step in steps:
            if step.kind is DifferenceKind.REMOVED and step.live:
                self._remove(step.live)
        changes = _changes(steps)
        for live, fields in changes:
            if live.what != CRITERION:
                self._change(live, fields)
        for run in sorted(_runs(steps), key=lambda run: _group(run[0]) == CRITERION):  # last, as they name other parts
            self._place(run)
        for live, fields in changes:
            if isinstance(live.record, GateCriterion):
                self._change_criterion(live.record, cast(TemplateCriterion, live.part), fields)
        self.builder.finish_gates()
        self._record_gates(steps)
        self.builder.notify_assignees()

    # -- removals and changes ------------------------------------------------------------------------------------

    def _remove(self, live: LiveNode) -> None:
        self.gone.update(part.record.id for _, part in with_all_in(live))
        match live.record:
            case Item() as item:
                items.archive(self.work, item)
            case Application() as application:
                items.remove_application(self.work, application)
            case Deliverable() | GateCriterion() as promised:
                self.work.delete(promised)

    def _change(self, live: LiveNode, fields: dict[str, Any]) -> None:
        slots: tuple[str, ...] | None = fields.pop("slots", None)
        labels: tuple[str, ...] | None = fields.pop("labels", None)
        if labels is not None and isinstance(live.record, Item):
            self._label(live.record, labels)
        if not fields.keys().isdisjoint(("evidence_required", "no_statements")):
            gate = dict(live.fields) | fields
            fields["accepts_statements"] = gate["evidence_required"] and not gate["no_statements"]
            fields.pop("no_statements", None)
        if "due_days" in fields:
            fields["due"] = self.builder.due(fields.pop("due_days"), live.name)
        policy: TemplatePolicy | None
        sets_policy, policy = "policy" in fields, fields.pop("policy", None)
        values: tuple[FieldValue, ...] | None = fields.pop("values", None)
        people = None if slots is None else self.tree.team.filling(slots)
        if live.what == TASK and people is not None:
            fields["assignee_id"] = people[0] if people else None
        record = self.work.update(live.record, **fields)
        if isinstance(record, Phase) and isinstance(live.record, Phase):
            record = record_kind_change(self.work, live.record, record, self.why)
            if sets_policy:
                store_policy(self.work, record, self.builder.policy(record, policy) if policy else None)
            check_gate_rules(self.work, record)
        if values is not None and isinstance(record, Item):
            wanted = self.builder.values_for(record, values)
            set_values(self.work, record, {field.id: wanted.get(field.id) for field in self.tree.fields_taken} | wanted)
        if live.what == TASK:
            notify(self.work, NotificationKind.ASSIGNED, record.id, people[:1] if people else ())
        elif people is not None:
            assign(self.work, cast(Phase, record), people)

    def _change_criterion(self, criterion: GateCriterion, part: TemplateCriterion, fields: dict[str, Any]) -> None:
        wanted = replace(part, **fields)
        if fields.pop("slots", None) is not None:
            fields["person_id"] = next(iter(self.tree.team.filling(wanted.slots)), None)
        if not fields.keys().isdisjoint(("filter", "field")):
            fields |= self.builder.find_columns(wanted)
        fields.pop("field", None)
        self.work.update(criterion, **fields)

    def _record_gates(self, steps: Iterable[MergeStep]) -> None:
        """Record what else changed at gates that were there before, in one entry each. Raises RuleViolation."""
        found: dict[Id, dict[str, None]] = {}
        for step in steps:
            at, line = step.within or step.live, step.line
            if step.field == "policy":
                what = f"the policy was changed from “{line.before}” to “{line.after}”"
            else:
                what = f"the criterion “{line.path[-1]}” was {step.kind.lower()}"
            if at and step.kind not in STAYS and (step.field == "policy" or line.what == CRITERION):
                phase_id = at.record.phase_id if isinstance(at.record, GateCriterion) else at.record.id
                found.setdefault(phase_id, {})[what] = None
        for phase_id, changes in found.items():
            phase = self.work.get(Phase, project_id=self.project.id, id=phase_id)
            check_gate_rules(self.work, phase)
            detail = some([*changes], CHANGES_NAMED, "more changes")
            self.work.insert(record_gate_change(self.work, phase, Decision.POLICY_CHANGE, detail, self.why))

    def _label(self, item: Item, wanted: tuple[str, ...]) -> None:
        """Give a card exactly these labels."""
        has = labels_on(self.work, item)
        take_labels(self.work, item, [each.id for each in has if each.name not in wanted])
        put_labels(self.work, item, wanted)

    # -- additions and moves -------------------------------------------------------------------------------------

    def _place(self, run: Sequence[MergeStep]) -> None:
        """Add or move the parts of a run behind the sibling that its first step names."""
        siblings, after = self._siblings(run[0]), self._id(run[0].after)
        for step in run:
            if step.live:
                siblings.remove(step.live.record.id)
        at = siblings.index(after) + 1 if after in siblings else 0
        following = siblings[at] if at < len(siblings) else None
        phase_id, _ = _container(run[0])
        among = {"project_id": self.project.id} | ({"phase_id": phase_id} if phase_id else {})
        kind = cast(type[Item], KINDS[_group(run[0])])
        ranks = iter(ranks_before(self.work, kind, following, sum(map(_width, run)), **among))
        for step in run:
            placed = self._move(step.live.record, next(ranks)) if step.live else self._add(step, ranks)
            if placed:
                siblings.insert(at, placed.id)
                self.added[id(step.part)] = placed.id
                at += 1

    def _move(self, record: Row, rank: str) -> Row:
        now = self.work.get(type(record), project_id=record.project_id, id=record.id)
        return self.work.update(now, rank=rank)

    def _add(self, step: MergeStep, ranks: Iterator[str]) -> Row | None:
        phase_id, activity_id = _container(step)
        match step.part:
            case TemplatePhase() as phase:
                return self.builder.phase(phase, next(ranks))
            case TemplateItem() as item:
                return self.builder.item(phase_id, item, ranks, activity_id)
            case TemplateApplication() as application:
                return self.builder.application(phase_id, application, next(ranks), activity_id)
            case TemplateCriterion() as criterion:
                return self.builder.criterion(phase_id, criterion, next(ranks))
            case TemplateDeliverable(name):
                return self.builder.deliverable(phase_id, name, next(ranks))
        return None

    def _siblings(self, step: MergeStep) -> list[Id]:
        """The ids in the group and the container of a step's part, in their order."""
        group = _group(step)
        key = (step.within.record.id if step.within else "", group)
        if key not in self.orders:
            parts = step.within.children if step.within else self.tree.parts
            records = [each.record for each in parts if group_of(each) == group and each.record.id not in self.gone]
            self.orders[key] = [each.id for each in sorted(records, key=lambda each: (each.rank, each.id))]
        return self.orders[key]

    def _id(self, part: Part | None) -> Id | None:
        return part.record.id if isinstance(part, LiveNode) else self.added.get(id(part))


def _runs(steps: Iterable[MergeStep]) -> Iterator[list[MergeStep]]:
    """The additions and moves; those of a run are placed one after the other, so their ranks are made together."""
    run: list[MergeStep] = []
    for step in steps:
        if not (step.part or (step.field == PLACE and step.kind is DifferenceKind.CHANGED)):
            continue
        if run and step.after is not (run[-1].part or run[-1].live):
            yield run
            run = []
        run.append(step)
    if run:
        yield run


def _group(step: MergeStep) -> str:
    part = step.live or step.part
    return group_of(part) if part else ""


def _width(step: MergeStep) -> int:
    """The number of ranks that a part takes: a new activity brings its tasks."""
    return 1 + len(step.part.tasks) if isinstance(step.part, TemplateItem) else 1


def _container(step: MergeStep) -> tuple[Id, Id | None]:
    """The phase and the activity in which the part of a step is placed; "" for a phase."""
    if step.within is None:
        return "", None
    record = step.within.record
    return (record.phase_id, record.id) if isinstance(record, Item) else (record.id, None)


def _changes(steps: Iterable[MergeStep]) -> list[tuple[LiveNode, dict[str, Any]]]:
    """The changed fields of each part."""
    found: dict[Id, tuple[LiveNode, dict[str, Any]]] = {}
    for step in steps:
        if step.kind is DifferenceKind.CHANGED and step.live and step.field != PLACE:
            found.setdefault(step.live.record.id, (step.live, {}))[1][step.field] = step.value
    return list(found.values())
