"""Deliverables of a phase, each with its evidence and a done mark."""

from __future__ import annotations

from typing import TypeVar

from core.actions.workflow.phases import PhaseCommand
from core.domain.max_lengths import DELIVERABLE_NAME, EVIDENCE
from core.domain.model import Deliverable, EvidenceKind, Id
from core.domain.permissions import Permission
from core.engine.messages import Command
from core.engine.unit_of_work import Snapshot, UnitOfWork, new_id
from core.rules.approvals import confirm_reopening
from core.rules.ordering import rank_before
from core.storage.schema.gate_history import kind_of_text
from core.text.sanitize import one_line

R = TypeVar("R")


class DeliverableCommand(Command[R]):
    """The base of commands on one deliverable."""

    permission = Permission.WORKFLOW_MANAGE
    deliverable_id: Id
    seen_version: int | None = None
    relock: bool = False
    allow_lapse: str = ""

    def scope(self, view: Snapshot) -> Id:
        return view.get(Deliverable, id=self.deliverable_id).project_id

    def seen(self, work: UnitOfWork) -> Deliverable:
        """Return the deliverable. Raises VersionConflict when it has changed since the sender saw it."""
        return work.get(Deliverable, project_id=work.scope, id=self.deliverable_id, seen_version=self.seen_version)


class AddDeliverable(PhaseCommand[Deliverable]):
    """Add a deliverable to a phase."""

    route = "POST /v1/phases/{phase_id}/deliverables"
    creates = True
    name: str
    evidence: str = ""
    relock: bool = False
    allow_lapse: str = ""

    def run(self, work: UnitOfWork) -> Deliverable:
        phase = self.seen(work)
        evidence = one_line(self.evidence, "evidence", most=EVIDENCE, empty=True)
        deliverable = Deliverable(
            project_id=work.scope,
            id=new_id(),
            phase_id=phase.id,
            rank=rank_before(work, Deliverable, None, project_id=work.scope, phase_id=phase.id),
            name=one_line(self.name, "name", most=DELIVERABLE_NAME),
            evidence=evidence,
            evidence_kind=EvidenceKind(kind_of_text(evidence)),
        )
        with confirm_reopening(work, work.scope, self):
            work.insert(deliverable)
        work.say(f"added the deliverable “{deliverable.name}” to “{phase.name}”")
        return deliverable


class EditDeliverable(DeliverableCommand[Deliverable]):
    """Change a deliverable, its evidence (a link or a path) or its done mark; fields that are left out stay."""

    route = "PATCH /v1/deliverables/{deliverable_id}"
    name: str | None = None
    evidence: str | None = None
    done: bool | None = None

    def run(self, work: UnitOfWork) -> Deliverable:
        old = self.seen(work)
        evidence, kind = old.evidence, old.evidence_kind
        if self.evidence is not None:
            evidence = one_line(self.evidence, "evidence", most=EVIDENCE, empty=True)
            kind = EvidenceKind(kind_of_text(evidence))
        with confirm_reopening(work, work.scope, self):
            new = work.update(
                old,
                name=old.name if self.name is None else one_line(self.name, "name", most=DELIVERABLE_NAME),
                evidence=evidence,
                evidence_kind=kind,
                done=old.done if self.done is None else self.done,
            )
        marked = {True: "delivered", False: "took back"}[new.done] if new.done != old.done else "edited"
        work.say(f"{marked} “{new.name}”")
        return new


class RemoveDeliverable(DeliverableCommand[None]):
    """Remove a deliverable from its phase."""

    route = "DELETE /v1/deliverables/{deliverable_id}"
    held_key = True

    def run(self, work: UnitOfWork) -> None:
        deliverable = self.seen(work)
        with confirm_reopening(work, work.scope, self):
            work.delete(deliverable)
        work.say(f"removed the deliverable “{deliverable.name}”")
