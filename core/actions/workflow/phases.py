"""Phases: added, edited, dated, ordered and removed, and members assigned to them."""

from __future__ import annotations

from datetime import date
from typing import TypeVar

from core.domain.gate_policy import GatePolicy
from core.domain.gates import Deliverable, GateRecord
from core.domain.max_lengths import PHASE_NAME, REASON
from core.domain.model import Gate, Id, Item, Phase, PhaseState
from core.domain.permissions import Permission
from core.domain.phase_states import blocker
from core.domain.products.products import Application
from core.domain.statuses import ItemCounts, check_evidence_setting
from core.engine.messages import Command, ProjectCommand, ProjectQuery, Query
from core.engine.unit_of_work import Snapshot, UnitOfWork, new_id
from core.errors import OBSTACLES_LISTED, Blocker, RuleViolation
from core.record import Record
from core.rules import items
from core.rules.approvals import Relocking, confirm_reopening, record_kind_change
from core.rules.assignments import assign, list_assignments
from core.rules.dependency_cycles import check_no_cycle
from core.rules.gate_conditions import check_next_gates
from core.rules.gate_criteria import check_gate_rules, read_criteria
from core.rules.ordering import rank_before
from core.rules.phases import check_phase_count, read_workflow
from core.text.phrases import names
from core.text.sanitize import many_lines, one_line

R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)


class PhaseCommand(Command[R]):
    """The base of commands on one phase."""

    permission = Permission.WORKFLOW_MANAGE
    phase_id: Id
    seen_version: int | None = None

    def scope(self, view: Snapshot) -> Id:
        return view.get(Phase, id=self.phase_id).project_id

    def load_unchanged(self, work: UnitOfWork) -> Phase:
        """Return the phase. Raises VersionConflict when it has changed since the sender saw it."""
        return work.get(Phase, project_id=work.scope, id=self.phase_id, seen_version=self.seen_version)


class PhaseQuery(Query[R_co]):
    """The base of queries about one phase."""

    permission = Permission.PROJECT_VIEW
    phase_id: Id

    def scope(self, view: Snapshot) -> Id:
        return view.get(Phase, id=self.phase_id).project_id


class AddPhase(ProjectCommand[Phase]):
    """Add a phase to the workflow, before another one or last."""

    route = "POST /v1/projects/{project_id}/phases"
    permission = Permission.WORKFLOW_MANAGE
    creates = True
    name: str
    objectives: str = ""
    outcomes: str = ""
    due: date | None = None
    gate: Gate = Gate.AUTOMATIC
    evidence_required: bool = False
    accepts_statements: bool = False
    before_id: Id | None = None
    relock: bool = False

    def run(self, work: UnitOfWork) -> Phase:
        check_evidence_setting(self.gate, self.evidence_required, self.accepts_statements)
        rank = rank_before(work, Phase, self.before_id, project_id=self.project_id)
        phase = Phase(
            project_id=self.project_id,
            id=new_id(),
            rank=rank,
            name=one_line(self.name, "name", most=PHASE_NAME),
            objectives=many_lines(self.objectives, "objectives"),
            outcomes=many_lines(self.outcomes, "outcomes"),
            due=items.due_date(self.due),
            gate=self.gate,
            evidence_required=self.evidence_required,
            accepts_statements=self.accepts_statements,
        )
        with confirm_reopening(work, self.project_id, Relocking(self.relock)):
            work.insert(phase)
            check_phase_count(work, self.project_id)
            check_next_gates(work, read_workflow(work, self.project_id), phase.id)
        work.say(f"added the phase “{phase.name}”")
        return phase


class EditPhase(PhaseCommand[Phase]):
    """Change the name, objectives, outcomes, due date or gate of a phase; fields that are left out stay.

    ``no_due`` removes the due date. A gate that changes from review to automatic no longer requires evidence, and one
    that no longer requires evidence no longer accepts statements. Another kind of gate takes a ``reason`` once the
    phase has a decision or a completed card, and is an entry of its record.
    """

    route = "PATCH /v1/phases/{phase_id}"
    name: str | None = None
    objectives: str | None = None
    outcomes: str | None = None
    due: date | None = None
    no_due: bool = False
    gate: Gate | None = None
    evidence_required: bool | None = None
    accepts_statements: bool | None = None
    relock: bool = False
    allow_lapse: str = ""
    reason: str = ""

    def run(self, work: UnitOfWork) -> Phase:
        phase = self.load_unchanged(work)
        gate = self.gate or phase.gate
        required = phase.evidence_required and gate is Gate.REVIEW
        required = required if self.evidence_required is None else self.evidence_required
        accepts = required and phase.accepts_statements if self.accepts_statements is None else self.accepts_statements
        check_evidence_setting(gate, required, accepts)
        with confirm_reopening(work, work.scope, self):
            edited = work.update(
                phase,
                name=one_line(self.name, "name", most=PHASE_NAME) if self.name is not None else phase.name,
                objectives=phase.objectives if self.objectives is None else many_lines(self.objectives, "objectives"),
                outcomes=phase.outcomes if self.outcomes is None else many_lines(self.outcomes, "outcomes"),
                due=None if self.no_due else items.due_date(self.due) or phase.due,
                gate=gate,
                evidence_required=required,
                accepts_statements=accepts,
            )
            reason = many_lines(self.reason or self.allow_lapse, "reason", most=REASON)
            edited = record_kind_change(work, phase, edited, reason)
            if gate is not phase.gate:
                check_gate_rules(work, edited)
        renamed = f"renamed phase “{phase.name}” to “{edited.name}”" if edited.name != phase.name else ""
        what = names([word for field, word in _EDITED.items() if getattr(edited, field) != getattr(phase, field)])
        changed = f"changed its {what}" if renamed else f"changed {what} of “{phase.name}”"
        work.say(names([each for each in (renamed, what and changed) if each]))
        return edited


_EDITED = {
    "objectives": "objectives",
    "outcomes": "outcomes",
    "due": "due date",
    "gate": "gate",
    "evidence_required": "the need for evidence",
    "accepts_statements": "whether statements are evidence",
}
"""The fields that an edit names beside a renaming, in words."""


class SetPhaseDueDate(PhaseCommand[Phase]):
    """Set the due date of a phase, or remove it."""

    route = "POST /v1/phases/{phase_id}/due-date"
    due: date | None

    def run(self, work: UnitOfWork) -> Phase:
        phase = self.load_unchanged(work)
        work.say(f"set phase “{phase.name}” due {self.due}" if self.due else f"removed the due date of “{phase.name}”")
        return work.update(phase, due=items.due_date(self.due))


class ReorderPhase(PhaseCommand[Phase]):
    """Put a phase before another one, or last."""

    route = "POST /v1/phases/{phase_id}/order"
    before_id: Id | None = None
    relock: bool = False

    def run(self, work: UnitOfWork) -> Phase:
        phase = self.load_unchanged(work)
        if self.before_id == phase.id:
            return phase
        rank = rank_before(work, Phase, self.before_id, project_id=work.scope)
        phase = work.get(Phase, project_id=work.scope, id=self.phase_id)
        with confirm_reopening(work, work.scope, Relocking(self.relock)):
            placed = work.update(phase, rank=rank)
            check_no_cycle(work, work.scope)
            check_next_gates(work, read_workflow(work, work.scope), phase.id)
        work.say(f"moved the phase “{phase.name}”")
        return placed


class AssignPhase(PhaseCommand[Phase]):
    """Assign exactly these members to a phase."""

    route = "POST /v1/phases/{phase_id}/assign"
    member_ids: tuple[Id, ...]

    def run(self, work: UnitOfWork) -> Phase:
        phase, people = assign(work, self.load_unchanged(work), self.member_ids)
        work.say(f"assigned phase “{phase.name}” to {people}")
        return phase


class RemovePhase(PhaseCommand[None]):
    """Remove a phase without cards; its record stays, under the name that it has.

    A phase with cards is refused, even if all are archived or applications: cards are moved, deleted or removed by
    their own commands.
    """

    route = "DELETE /v1/phases/{phase_id}"
    relock: bool = False
    allow_lapse: str = ""

    def run(self, work: UnitOfWork) -> None:
        phase = self.load_unchanged(work)
        cards = _cards(work, phase)
        if cards:
            raise RuleViolation(
                f"Phase “{phase.name}” still holds cards. Move them to another phase, delete tasks and activities for"
                " good, or remove applications.",
                blockers=cards,
            )
        for entry in work.all(GateRecord, "project_id = :p AND phase_id = :id", p=phase.project_id, id=phase.id):
            work.update(entry, phase_name=phase.name)
        with confirm_reopening(work, work.scope, self):
            for assignment in list_assignments(work, phase.project_id, phase.id):
                work.delete(assignment)
            policy = work.all(GatePolicy, "project_id = :p AND phase_id = :id", p=phase.project_id, id=phase.id)
            for each in (*deliverables(work, phase), *read_criteria(work, work.scope, [phase.id]), *policy):
                work.delete(each)
            work.delete(phase)
        work.say(f"removed the phase “{phase.name}”")


class PhaseSummary(Record):
    """A phase as a line of a list."""

    phase: Phase
    number: int
    state: PhaseState
    tally: ItemCounts


class ListPhases(ProjectQuery[tuple[PhaseSummary, ...]]):
    """List the phases of a project in their order, with state and progress."""

    route = "GET /v1/projects/{project_id}/phases"
    permission = Permission.PROJECT_VIEW

    def run(self, view: Snapshot) -> tuple[PhaseSummary, ...]:
        workflow = read_workflow(view, self.project_id)
        return tuple(
            PhaseSummary(phase=phase, number=number, state=workflow.state(phase.id), tally=workflow.tally(phase.id))
            for number, phase in enumerate(workflow.phases, 1)
        )


def _cards(view: Snapshot, phase: Phase) -> tuple[Blocker, ...]:
    """The first cards of a phase, as many as a refusal lists."""
    where = f"project_id = :project_id AND phase_id = :phase_id ORDER BY rank, id LIMIT {OBSTACLES_LISTED}"
    key = {"project_id": phase.project_id, "phase_id": phase.id}
    items_in = [blocker(item, phase) for item in view.all(Item, where, **key)]
    applications = [
        Blocker(each.id, "APPLICATION", each.name, phase.name) for each in view.all(Application, where, **key)
    ]
    return tuple((items_in + applications)[:OBSTACLES_LISTED])


def deliverables(view: Snapshot, phase: Phase) -> list[Deliverable]:
    """Return the deliverables of a phase, in order."""
    return view.all(
        Deliverable,
        "project_id = :project_id AND phase_id = :phase_id ORDER BY rank, id",
        project_id=phase.project_id,
        phase_id=phase.id,
    )
