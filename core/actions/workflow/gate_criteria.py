"""Criteria of gates: added, edited and removed by who manages the workflow, and met by hand by the people they name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, TypeVar

from core.actions.workflow.gate_policy import check_can_be_on_panel
from core.actions.workflow.phases import PhaseCommand, PhaseQuery
from core.domain.fields import FieldKind
from core.domain.gate_policy import CriterionKind, GateCriterion, checked_amount
from core.domain.gates import Decision
from core.domain.max_lengths import CRITERION
from core.domain.model import Id, Phase
from core.domain.permissions import Permission
from core.engine.messages import Command
from core.engine.unit_of_work import Snapshot, UnitOfWork, new_id
from core.errors import InvalidInput, RuleViolation
from core.record import replace
from core.rules.approvals import confirm_reopening, record_gate_change
from core.rules.fields import fields_of, the_field
from core.rules.gate_criteria import (
    BOUND_OF_CRITERION,
    CriterionResult,
    GateCriteria,
    check_gate_rules,
    define_criteria,
    read_criteria,
    with_matches,
)
from core.rules.gate_filters import show_filters, store_filter
from core.rules.ordering import rank_before
from core.text.sanitize import one_line

R = TypeVar("R")

PARTS = {
    CriterionKind.HAND: ("that is met by hand", ("person_id",)),
    CriterionKind.CLOSED: ("that asks for closed cards", ("filter", "may_be_empty")),
    CriterionKind.SUM: ("that adds up a field", ("filter", "may_be_empty", "field", "at_least", "amount")),
}
"""In words what a criterion of each kind is, and the fields of a message that it has, beside its text."""

WORDS = {
    "person_id": "person",
    "filter": "filter",
    "field": "number field",
    "at_least": "limit",
    "amount": "limit",
    "may_be_empty": "word on empty lists",
}


class ListCriteria(PhaseQuery[tuple[CriterionResult, ...]]):
    """List the criteria of the gate of a phase, each with whether it is met, and why."""

    route = "GET /v1/phases/{phase_id}/criteria"

    def run(self, view: Snapshot) -> tuple[CriterionResult, ...]:
        found = read_criteria(view, view.scope, [self.phase_id])
        return GateCriteria.evaluate(view, found, whole=True).get(self.phase_id, ())


class AddCriterion(PhaseCommand[GateCriterion]):
    """Add a criterion to the review gate of a phase: met by hand, by closed cards, or by the sum of a number field.

    HAND names the person who says that it is met. CLOSED and SUM have a filter of the filter language, and are met
    without a matching card only if they may be empty. ``field`` is the key or the name of a number field. Each change
    of criteria takes a ``reason`` once the phase has a decision or a completed card.
    """

    route = "POST /v1/phases/{phase_id}/criteria"
    creates = True
    text: str
    kind: CriterionKind
    person_id: Id | None = None
    filter: str | None = None
    field: str | None = None
    at_least: bool | None = None
    amount: str | None = None
    may_be_empty: bool | None = None
    relock: bool = False
    allow_lapse: str = ""
    reason: str = ""

    def run(self, work: UnitOfWork) -> GateCriterion:
        phase = self.load_unchanged(work)
        blank = GateCriterion(
            project_id=work.scope,
            id=new_id(),
            phase_id=phase.id,
            rank=rank_before(work, GateCriterion, None, project_id=work.scope, phase_id=phase.id),
            text="",
            kind=self.kind,
        )
        criterion = _check_parts(work, blank, self)
        with confirm_reopening(work, work.scope, self):
            work.insert(criterion)
            check_gate_rules(work, phase)
            _record(work, phase, f"the criterion “{criterion.text}” was added: {_describe(work, criterion)}", self)
        work.say(f"added the criterion “{criterion.text}” to the gate of “{phase.name}”")
        return criterion


class CriterionCommand(Command[R]):
    """The base of commands on one criterion. They end the approval of its phase, with the reason ``allow_lapse``."""

    permission = Permission.WORKFLOW_MANAGE
    criterion_id: Id
    seen_version: int | None = None
    relock: bool = False
    allow_lapse: str = ""

    def scope(self, view: Snapshot) -> Id:
        return view.get(GateCriterion, id=self.criterion_id).project_id

    def load_unchanged(self, work: UnitOfWork) -> GateCriterion:
        """Return the criterion. Raises VersionConflict when it has changed since the sender saw it."""
        return work.get(GateCriterion, project_id=work.scope, id=self.criterion_id, seen_version=self.seen_version)


class EditCriterion(CriterionCommand[GateCriterion]):
    """Change a criterion; fields that are left out stay, as does its kind. One that was met by hand is met no more."""

    route = "PATCH /v1/criteria/{criterion_id}"
    text: str | None = None
    person_id: Id | None = None
    filter: str | None = None
    field: str | None = None
    at_least: bool | None = None
    amount: str | None = None
    may_be_empty: bool | None = None
    reason: str = ""

    def run(self, work: UnitOfWork) -> GateCriterion:
        old = self.load_unchanged(work)
        new = _check_parts(work, old, self)
        if replace(new, matched=old.matched) == old:
            work.say(f"left the criterion “{old.text}” as it was")
            return old
        phase = work.get(Phase, project_id=work.scope, id=old.phase_id)
        with confirm_reopening(work, work.scope, self):
            changed = {name: getattr(new, name) for name in (*BOUND_OF_CRITERION, "matched")}
            edited = work.update(old, **changed | {"met_by": None, "met_at": None})
            renamed = f" to “{new.text}”" if new.text != old.text else ""
            _record(work, phase, f"the criterion “{old.text}” was changed: {_compare(work, old, new)}", self)
        work.say(f"changed the criterion “{old.text}” of “{phase.name}”{renamed}")
        return edited


class RemoveCriterion(CriterionCommand[None]):
    """Remove a criterion from its gate."""

    route = "DELETE /v1/criteria/{criterion_id}"
    held_key = True
    reason: str = ""

    def run(self, work: UnitOfWork) -> None:
        criterion = self.load_unchanged(work)
        phase = work.get(Phase, project_id=work.scope, id=criterion.phase_id)
        with confirm_reopening(work, work.scope, self):
            work.delete(criterion)
            _record(work, phase, f"the criterion “{criterion.text}” was removed: {_describe(work, criterion)}", self)
        work.say(f"removed the criterion “{criterion.text}” of “{phase.name}”")


class HandCommand(CriterionCommand[GateCriterion]):
    """The base of commands of the person whom a criterion by hand names, who alone sends them.

    No product can: its token sends permission queries and nothing else (``ProductToken``).
    """

    permission = Permission.DELIVER
    meets: ClassVar[bool] = True

    def run(self, work: UnitOfWork) -> GateCriterion:
        criterion, me = self.load_unchanged(work), work.actor
        name = f"“{criterion.text}”"
        if criterion.kind is not CriterionKind.HAND:
            raise RuleViolation(f"{name} is met by its cards, so no person can say that it is.")
        if me.user_id != criterion.person_id:
            [result] = GateCriteria(work, [criterion]).results(whole=False)
            raise RuleViolation(f"{result.sentence} Only that person can say so, or take it back.")
        if self.meets == bool(criterion.met_at):
            raise RuleViolation(
                f"{name} is met already." if self.meets else f"{name} is not met, so there is nothing to take back."
            )
        work.say(f"{'said' if self.meets else 'took back'} that the criterion {name} is met")
        met = (me.user_id, work.now) if self.meets else (None, None)
        with confirm_reopening(work, work.scope, self):
            return work.update(criterion, met_by=met[0], met_at=met[1])


class MeetCriterion(HandCommand):
    """Say that a criterion that names you is met."""

    route = "POST /v1/criteria/{criterion_id}/met"


class TakeBackCriterion(HandCommand):
    """Say that a criterion that names you is not met any more."""

    route = "POST /v1/criteria/{criterion_id}/take-back"
    meets = False


def _record(work: UnitOfWork, phase: Phase, detail: str, sent: AddCriterion | EditCriterion | RemoveCriterion) -> None:
    """Record a change of the criteria as an entry of the gate's record."""
    work.insert(record_gate_change(work, phase, Decision.POLICY_CHANGE, detail, sent.reason or sent.allow_lapse))


def _describe(work: UnitOfWork, criterion: GateCriterion) -> str:
    """The definition of a criterion in words: "filter: “label:legal”, may be empty: no"."""
    [defined] = define_criteria(work, [criterion])
    return ", ".join(f"{part}: {words}" for part, words in defined.items() if part != "text")


def _compare(work: UnitOfWork, old: GateCriterion, new: GateCriterion) -> str:
    """The values that differ, in words: "limit: from at most 12000 to at most 15000"."""
    was, now = define_criteria(work, [old, new])
    differing = [part for part in was | now if was.get(part) != now.get(part)]
    return ", ".join(f"{part}: from {was.get(part, 'none')} to {now.get(part, 'none')}" for part in differing)


def _check_parts(work: UnitOfWork, criterion: GateCriterion, sent: AddCriterion | EditCriterion) -> GateCriterion:
    """The criterion with the fields that were sent. Raises InvalidInput, which names the field."""
    given = {part: getattr(sent, part) for part in WORDS if getattr(sent, part) is not None}
    how, parts = PARTS[criterion.kind]
    for part in given:
        if part not in parts:
            raise InvalidInput(part, f"A criterion {how} takes no {WORDS[part]}. Leave it out.")
    if sent.text is not None:
        criterion = replace(criterion, text=one_line(sent.text, "text", most=CRITERION))
    if "filter" in given and given["filter"] in show_filters(work, [criterion.filter]).values():
        del given["filter"]  # as it was, also if something that it names was removed
    checked = [_CHECKS[part](work, value) if part in _CHECKS else (part, value) for part, value in given.items()]
    criterion = replace(criterion, **dict(checked))
    for part in parts:
        if getattr(criterion, "field_id" if part == "field" else part) in (None, ""):
            raise InvalidInput(part, f"A criterion {how} needs a {WORDS[part]}. Give one.")
    return with_matches(work, criterion)


def _check_person(work: UnitOfWork, person_id: Id) -> tuple[str, Id]:
    check_can_be_on_panel(work, "person_id", person_id)
    return "person_id", person_id


def _find_number_field(work: UnitOfWork, wanted: str) -> tuple[str, Id]:
    try:
        field = the_field(fields_of(work, work.scope), wanted)
    except InvalidInput as refused:
        raise InvalidInput("field", str(refused)) from refused
    if field.kind is not FieldKind.NUMBER:
        raise InvalidInput("field", f"“{field.name}” is no number field. Name one whose values are numbers.")
    return "field_id", field.id


_CHECKS: Mapping[str, Callable[[UnitOfWork, Any], tuple[str, str]]] = {
    "person_id": _check_person,
    "filter": lambda work, text: ("filter", store_filter(work, work.scope, text)),
    "field": _find_number_field,
    "amount": lambda _, text: ("amount", checked_amount(text)),
}
"""The checks of the parts of a criterion, which return the column and its value."""
