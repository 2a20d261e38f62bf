"""Deliverables of a phase: owners say what they are, contributors deliver them with evidence and take them back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from core.actions.workflow.phases import PhaseCommand, PhaseQuery, deliverables
from core.domain.evidence import (
    NO_EVIDENCE,
    Evidence,
    evidence_in,
    evidence_words,
    filed_evidence,
    linked_evidence,
    stated_evidence,
)
from core.domain.gates import Deliverable, EvidenceKind
from core.domain.max_lengths import DELIVERABLE_NAME
from core.domain.model import Id, Item, Phase
from core.domain.permissions import Permission
from core.engine.messages import Command
from core.engine.project_guard import names_of
from core.engine.unit_of_work import Snapshot, UnitOfWork, new_id
from core.errors import InvalidInput, RuleViolation
from core.record import Record
from core.rules.approvals import confirm_reopening
from core.rules.ordering import rank_before
from core.storage.database import placeholders
from core.text.sanitize import one_line
from core.text.short_keys import card_key

R = TypeVar("R")


class DeliverableCommand(Command[R]):
    """The base of commands on one deliverable. They end the approval of its phase, with the reason ``allow_lapse``."""

    permission = Permission.WORKFLOW_MANAGE
    deliverable_id: Id
    seen_version: int | None = None
    relock: bool = False
    allow_lapse: str = ""

    def scope(self, view: Snapshot) -> Id:
        return view.get(Deliverable, id=self.deliverable_id).project_id

    def load_unchanged(self, work: UnitOfWork) -> Deliverable:
        """Return the deliverable. Raises VersionConflict when it has changed since the sender saw it."""
        return work.get(Deliverable, project_id=work.scope, id=self.deliverable_id, seen_version=self.seen_version)


class AddDeliverable(PhaseCommand[Deliverable]):
    """Add a deliverable to a phase."""

    route = "POST /v1/phases/{phase_id}/deliverables"
    creates = True
    name: str
    relock: bool = False
    allow_lapse: str = ""

    def run(self, work: UnitOfWork) -> Deliverable:
        phase = self.load_unchanged(work)
        deliverable = Deliverable(
            project_id=work.scope,
            id=new_id(),
            phase_id=phase.id,
            rank=rank_before(work, Deliverable, None, project_id=work.scope, phase_id=phase.id),
            name=one_line(self.name, "name", most=DELIVERABLE_NAME),
        )
        work.say(f"added the deliverable “{deliverable.name}” to “{phase.name}”")
        with confirm_reopening(work, work.scope, self):
            return work.insert(deliverable)


class EditDeliverable(DeliverableCommand[Deliverable]):
    """Rename a deliverable."""

    route = "PATCH /v1/deliverables/{deliverable_id}"
    name: str

    def run(self, work: UnitOfWork) -> Deliverable:
        old = self.load_unchanged(work)
        with confirm_reopening(work, work.scope, self):
            new = work.update(old, name=one_line(self.name, "name", most=DELIVERABLE_NAME))
        work.say(f"renamed the deliverable “{old.name}” to “{new.name}”")
        return new


class RemoveDeliverable(DeliverableCommand[None]):
    """Remove a deliverable from its phase."""

    route = "DELETE /v1/deliverables/{deliverable_id}"
    held_key = True

    def run(self, work: UnitOfWork) -> None:
        deliverable = self.load_unchanged(work)
        with confirm_reopening(work, work.scope, self):
            work.delete(deliverable)
        work.say(f"removed the deliverable “{deliverable.name}”")


class Deliver(DeliverableCommand[Deliverable]):
    """Mark a deliverable as done, with a link, a file, a card or a statement as evidence; without one it keeps its own.

    A file is hashed by the program of the person who delivers: its name, size and SHA-256 are sent, and not the file.
    """

    route = "POST /v1/deliverables/{deliverable_id}/delivery"
    permission = Permission.DELIVER
    link: str | None = None
    file_name: str | None = None
    file_size: int | None = None
    file_sha256: str | None = None
    card_id: Id | None = None
    statement: str | None = None

    def run(self, work: UnitOfWork) -> Deliverable:
        old = self.load_unchanged(work)
        evidence = self._evidence(work) or evidence_in(old)
        if old.done and evidence == evidence_in(old):
            work.say(f"left “{old.name}” as it was delivered")
            return old
        work.say(f"delivered “{old.name}”" if not old.done else f"delivered “{old.name}” with other evidence")
        by = work.actor.user_id
        with confirm_reopening(work, work.scope, self):
            return work.update(old, **evidence.columns, done=True, delivered_by=by, delivered_at=work.now)

    def _evidence(self, view: Snapshot) -> Evidence | None:
        """The evidence that is given, checked; None for none. Raises InvalidInput, which names the field."""
        kinds = ("link", "file_name", "card_id", "statement")
        given = [name for name in kinds if getattr(self, name) is not None]
        if len(given) > 1:
            raise InvalidInput(given[1], "Evidence is one thing: a link, a file, a card or a statement.")
        of_file = {name: getattr(self, name) for name in ("file_name", "file_size", "file_sha256")}
        missing = [name for name, value in of_file.items() if value is None]
        if 0 < len(missing) < len(of_file):
            raise InvalidInput(missing[0], "A file as evidence has a name, a size and a SHA-256. Give all three.")
        if self.link is not None:
            return linked_evidence(self.link)
        if self.file_name is not None:
            return filed_evidence(self.file_name, self.file_size or 0, self.file_sha256 or "")
        if self.card_id is not None:
            if view.find(Item, project_id=view.scope, id=self.card_id) is None:
                raise InvalidInput("card_id", "There is no such card in this project. Give its key, such as AUT-12.")
            return Evidence(EvidenceKind.CARD, self.card_id)
        return None if self.statement is None else stated_evidence(self.statement)


class TakeBack(DeliverableCommand[Deliverable]):
    """Take the done mark from a deliverable; its evidence stays, unless it goes with it."""

    route = "POST /v1/deliverables/{deliverable_id}/take-back"
    permission = Permission.DELIVER
    no_evidence: bool = False

    def run(self, work: UnitOfWork) -> Deliverable:
        old = self.load_unchanged(work)
        if not old.done and not (self.no_evidence and evidence_in(old) != NO_EVIDENCE):
            raise RuleViolation(f"“{old.name}” is not delivered, so there is nothing to take back.")
        work.say(f"took back “{old.name}”" + (" with its evidence" if self.no_evidence else ""))
        evidence = NO_EVIDENCE.columns if self.no_evidence else {}
        with confirm_reopening(work, work.scope, self):
            return work.update(old, **evidence, done=False, delivered_by=None, delivered_at=None)


class DeliverableSummary(Record):
    """A deliverable with its evidence in words."""

    deliverable: Deliverable
    shown: str
    """“file contract.pdf, 1.2 MB, SHA-256 9c1e…”; a card by its key and title; "" for no evidence."""
    by: str
    """The name of the person who delivered it; "" if it is not done, or nobody knows."""


class ListDeliverables(PhaseQuery[tuple[DeliverableSummary, ...]]):
    """List the deliverables of a phase in their order, with their evidence."""

    route = "GET /v1/phases/{phase_id}/deliverables"

    def run(self, view: Snapshot) -> tuple[DeliverableSummary, ...]:
        return summaries(view, view.get(Phase, id=self.phase_id))


def summaries(view: Snapshot, phase: Phase) -> tuple[DeliverableSummary, ...]:
    """Return the deliverables of a phase in their order, with their evidence in words."""
    return describe_deliverables(view, deliverables(view, phase))


def describe_deliverables(view: Snapshot, found: Sequence[Deliverable]) -> tuple[DeliverableSummary, ...]:
    """Return these deliverables of the project in view, with their evidence in words."""
    cards = cards_as_evidence(view, found)
    people = {each.delivered_by for each in found if each.delivered_by}
    names = names_of(view, people) if people else {}
    return tuple(
        DeliverableSummary(
            deliverable=each,
            shown=evidence_words(evidence_in(each), cards.get(each.evidence, "")),
            by=names.get(each.delivered_by or "", ""),
        )
        for each in found
    )


def cards_as_evidence(view: Snapshot, found: Iterable[Deliverable]) -> dict[Id, str]:
    """Return key and title of the cards that are evidence of these deliverables; a deleted card is not among them."""
    ids = sorted({each.evidence for each in found if each.evidence_kind is EvidenceKind.CARD})
    if not ids:
        return {}
    chosen, params = placeholders(ids)
    rows = view.rows(
        "SELECT item.id, item.number, item.title, project.key FROM item JOIN project ON project.id = item.project_id"
        f" WHERE item.project_id = :project_id AND item.id IN {chosen}",
        project_id=view.scope,
        **params,
    )
    return {row["id"]: f"{card_key(row['key'], row['number'])} {row['title']}" for row in rows}
