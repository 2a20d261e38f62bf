"""The phase that opens when a phase is complete, to be told at that moment."""

from __future__ import annotations

from datetime import date

from core.actions.workflow.phases import PhaseQuery
from core.domain.model import Id, Item, ItemKind, Phase, PhaseState
from core.domain.readiness import Deciders, GateSummary
from core.domain.statuses import CLOSED
from core.engine.unit_of_work import Snapshot
from core.record import Record
from core.rules.gate_readiness import Gates
from core.rules.phases import read_workflow


class OpenPhase(Record):
    """An open phase with its open items."""

    id: Id
    name: str
    tasks: int
    """The open tasks."""
    items: int
    """The open tasks and activities."""
    first_due: date | None
    """The first due date of these items; if none has one, the due date of the phase."""
    first_item_id: Id | None


class NextPhase(Record):
    """A phase and the one that follows it."""

    project_id: Id
    name: str
    """The name of the phase itself."""
    complete: bool
    """True if it is complete; else nothing follows yet."""
    gate: GateSummary
    """What is missing at its gate."""
    deciders: Deciders
    """The people whose approval would be taken, where nothing else is missing."""
    next: OpenPhase | None
    """The first open phase after it."""
    project_complete: bool
    """True if all phases are complete."""
    done: int
    """The completed items of the project."""
    today: date


class GetNextPhase(PhaseQuery[NextPhase]):
    """Return whether a phase is complete, and the phase that is open after it, with what is to do there."""

    route = "GET /v1/phases/{phase_id}/next"

    def run(self, view: Snapshot) -> NextPhase:
        workflow = read_workflow(view, view.scope)
        phase = workflow.phase(self.phase_id)
        complete = workflow.state(phase.id) is PhaseState.COMPLETE
        following = workflow.phases[[each.id for each in workflow.phases].index(phase.id) + 1 :]
        opened = next((each for each in following if workflow.state(each.id) is not PhaseState.COMPLETE), None)
        if not complete or (opened is not None and workflow.state(opened.id) is not PhaseState.OPEN):
            opened = None
        gates = Gates(view, workflow, view.scope)
        return NextPhase(
            project_id=view.scope,
            name=phase.name,
            complete=complete,
            gate=gates.summary(phase),
            deciders=gates.find_decider(phase),
            next=_open_phase(view, opened) if opened else None,
            project_complete=workflow.complete,
            done=sum(workflow.tally(each.id).done for each in workflow.phases),
            today=view.today,
        )


def _open_phase(view: Snapshot, phase: Phase) -> OpenPhase:
    where = "project_id = :project_id AND phase_id = :phase_id ORDER BY rank, id"
    items = [
        item
        for item in view.all(Item, where, project_id=phase.project_id, phase_id=phase.id)
        if item.status not in CLOSED
    ]
    return OpenPhase(
        id=phase.id,
        name=phase.name,
        tasks=sum(item.kind is ItemKind.TASK for item in items),
        items=len(items),
        first_due=min((item.due for item in items if item.due), default=phase.due),
        first_item_id=items[0].id if items else None,
    )
