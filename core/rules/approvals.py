"""Approvals in force, and the one function that ends them: when the bound part of what was approved changes.

A command that may do so runs within ``confirm_reopening``, which also asks before later phases lock again.
An undo or a redo brings an approval back only for what was approved.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from core.domain.gates import DECISION_WORDS, DECISIONS, Decision, Deliverable, GateRecord, GateSeal, Way
from core.domain.max_lengths import REASON
from core.domain.model import Change, ChangeKind, Gate, GateState, Id, Item, Phase, PhaseState, User
from core.domain.permissions import Permission
from core.domain.statuses import CLOSED
from core.domain.workflow import Workflow
from core.engine.change_records import RecordChange
from core.engine.project_guard import owners
from core.engine.unit_of_work import Actor, Snapshot, UnitOfWork, new_id
from core.errors import Blocker, InvalidInput, LapsesApproval, RuleViolation, WouldBlockCards, WouldRelockPhases
from core.record import Record, replace
from core.rules.dependencies import blocked_again
from core.rules.gate_seals import is_as_sealed
from core.rules.phases import read_workflow
from core.storage.database import placeholders
from core.storage.row_mapper import encode_value, table_of
from core.text.dates import in_minutes
from core.text.phrases import UNKNOWN, count, credit_author, names, person_name, some
from core.text.sanitize import many_lines

BOUND_OF_PHASE = ("objectives", "outcomes", "gate", "evidence_required", "accepts_statements")
EVIDENCE = {"evidence", "evidence_kind", "file_size", "file_sha256"}
DELIVERY = {"done", "delivered_by", "delivered_at"}
BOUND_OF_DELIVERABLE = {"name"} | EVIDENCE | DELIVERY
BOUND_OF_CARD = {"status", "phase_id"}
"""The columns that an approval holds for; ``_deliverable_words`` has the words for a change of those of a delivery."""

KIND_OF_GATE = "the kind of the gate changed"

CHANGES_NAMED = 3
"""The most changes that a lapse names; the others are counted."""


class Consent(Protocol):
    """The consent of a command: ``relock`` that later phases lock again and that cards are blocked again, and
    ``allow_lapse``, the reason for ending approvals, to all of it."""

    @property
    def relock(self) -> bool: ...
    @property
    def allow_lapse(self) -> str: ...


class Relocking(Record, kw_only=False):
    """The consent of a command that can lock later phases again, but ends no approval."""

    relock: bool
    allow_lapse: str = ""


class Lapse(Record, kw_only=False):
    """An approval that a change ended: the approval, and what changed, in words."""

    phase: Phase
    approval: GateRecord | None
    what: tuple[str, ...]
    sentence: str


def approval_in_force(view: Snapshot, phase: Phase) -> GateRecord | None:
    """Return the approval that holds for a phase; None without one, and for an imported state without its record."""
    if phase.gate_state is not GateState.PASSED:
        return None
    found = view.all(
        GateRecord,
        "project_id = :project_id AND phase_id = :phase_id AND decision = 'PASS' AND withdrawn = 0"
        " ORDER BY at DESC, id DESC LIMIT 1",
        project_id=phase.project_id,
        phase_id=phase.id,
    )
    return found[0] if found else None


def way_of(actor: Actor) -> Way:
    """Return the way by which an actor came: on a file, each person who can write it can act as anyone."""
    if actor.via != "server":
        return Way.FILE
    return Way.BROWSER if actor.in_session else Way.SERVER


def new_record(work: UnitOfWork, workflow: Workflow, phase: Phase, decision: Decision, **fields: Any) -> GateRecord:
    """Return a new entry of a gate's record, as ``new_entry`` does, with what is complete in the phase."""
    tally = workflow.tally(phase.id)
    return new_entry(work, phase.id, phase.name, decision, completed=tally.done, total=tally.total, **fields)


def new_entry(work: UnitOfWork, phase_id: Id, phase_name: str, decision: Decision, **fields: Any) -> GateRecord:
    """Return a new entry of a gate's record, by the actor and as of now. It is not inserted yet."""
    return GateRecord(
        project_id=work.scope,
        id=new_id(),
        phase_id=phase_id,
        decision=decision,
        by_id=work.actor.user_id,
        at=work.now,
        through=work.actor.through,
        phase_name=phase_name,
        seq=work.seq,
        way=way_of(work.actor),
        **fields,
    )


@contextmanager
def confirm_reopening(
    work: UnitOfWork, project_id: Id, consent: Consent, *, only_if_started: bool = False
) -> Iterator[Callable[[], None]]:
    """Refuse the change made within if it ends an approval, locks later phases, or blocks cards again, unless it may.

    An approval that ends leaves a lapse in the record, in the same change. Only an open phase can lock again: a
    complete one stays complete until its own bound part changes. ``only_if_started`` counts only phases with an item in
    progress: the undo of the user's last step needs no confirmation while no work depends on it. Cards that wait for a
    reopened one count always. A change that has to know which phases are locked after it calls what it gets here first:
    that ends the approvals. Raises LapsesApproval, WouldRelockPhases, or WouldBlockCards where no phase locks.
    """
    reason = many_lines(consent.allow_lapse, "allow_lapse", most=REASON)
    before, first = read_workflow(work, project_id) if not reason else None, len(work.changes)
    lapses: list[Lapse] = []

    def end() -> None:
        ended = {lapse.phase.id for lapse in lapses}
        lapses.extend(each for each in end_approvals(work, work.changes[first:], reason) if each.phase.id not in ended)

    yield end
    end()
    if before is None or (consent.relock and not lapses):
        return
    relocked = _find_relocked(before, read_workflow(work, project_id))
    if only_if_started and not relocked.started and not lapses:
        relocked = NONE_RELOCKED
    reblocked = None if consent.relock else blocked_again(work, work.changes[first:])
    if not (lapses or relocked.phases or reblocked):
        return
    sentences = [lapse.sentence for lapse in lapses]
    phases = (*(lapse.phase for lapse in lapses), *relocked.phases)
    blockers: tuple[Blocker, ...] = tuple(Blocker(phase.id, "PHASE", phase.name, phase.name) for phase in phases)
    if relocked.phases:
        sentences.append(relocked.sentence(after_lapse=bool(lapses)))
    if reblocked:
        sentences.append(reblocked.sentence)
        blockers += reblocked.cards.listed
    text, who_can = " ".join(sentences), owners(work, project_id)
    if lapses:
        raise LapsesApproval(
            text,
            phase_ids=tuple(each.phase.id for each in lapses),
            can_allow=may_end_approvals(work),
            blockers=blockers,
            who_can=who_can,
        )
    refusal = WouldRelockPhases if relocked.phases else WouldBlockCards
    raise refusal(text, blockers=blockers, who_can=who_can)


class _Relocked(Record, kw_only=False):
    """The phases that lock again, and the number of their items in progress."""

    phases: tuple[Phase, ...]
    started: int

    def sentence(self, *, after_lapse: bool) -> str:
        which = names([f"“{phase.name}”" for phase in self.phases])
        if after_lapse:
            verb = "locks" if len(self.phases) == 1 else "lock"
            cards = f"{count(self.started, 'card')} {'is' if self.started == 1 else 'are'} in progress there"
            return f"{which} {verb} again{f': {cards}' if self.started else ''}."
        rest = f" with {self.started} in progress there." if self.started else "."
        return f"This reopens an earlier phase, so {which} would lock again{rest}"


NONE_RELOCKED = _Relocked((), 0)


def _find_relocked(before: Workflow, after: Workflow) -> _Relocked:
    """The phases that were open and are locked now."""
    phases = tuple(
        phase
        for phase in after.phases
        if after.states[phase.id] is PhaseState.LOCKED and before.states.get(phase.id) is PhaseState.OPEN
    )
    return _Relocked(phases, sum(after.tally(phase.id).in_progress for phase in phases))


def end_approvals(work: UnitOfWork, changes: Sequence[RecordChange], reason: str) -> list[Lapse]:
    """End each approval whose bound part differs after these changes, and record the lapse. Return the lapses.

    Raises LapsesApproval where there is a reason, but the user can neither decide at the gate nor manage the workflow.
    """
    what = {phase_id: [*words] for phase_id, words in bound_changes(changes).items()}
    for phase_id, words in _lost_evidence(work, changes):
        what.setdefault(phase_id, []).append(words)
    if not what:
        return []
    lapses: list[Lapse] = []
    for phase_id in what:
        again = _lapse_again(work, changes, phase_id, tuple(what[phase_id]))
        phase = None if again else _approved_before(work, changes, phase_id)
        if phase is None:
            lapses += again
            continue
        approval = approval_in_force(work, phase)
        lapses.append(_lapse(work, phase, approval, tuple(what[phase_id]), reason))
    if lapses and reason and not may_end_approvals(work):
        raise LapsesApproval(
            " ".join(each.sentence for each in lapses),
            phase_ids=tuple(each.phase.id for each in lapses),
            can_allow=False,
            who_can=owners(work, work.scope),
        )
    return lapses


def _lost_evidence(work: UnitOfWork, changes: Sequence[RecordChange]) -> Iterator[tuple[Id, str]]:
    """The phases, also of other cards, with a deliverable whose evidence is a card that is deleted for good."""
    gone = {each.key["id"]: each.row["title"] for each in changes if each.entity == "item" and each.after is None}
    chosen, params = placeholders(gone)
    where = f"project_id = :project_id AND evidence_kind = 'CARD' AND evidence IN {chosen}"
    for each in work.all(Deliverable, where, project_id=work.scope, **params) if gone else ():
        yield each.phase_id, f"the deliverable “{each.name}” loses its evidence, the card “{gone[each.evidence]}”"


def may_end_approvals(view: Snapshot) -> bool:
    """Return whether the user can consent to the end of an approval: who decides at the gate, or owns the workflow.

    A lapse decides nothing, it takes an approval away.
    """
    return bool(view.held & {Permission.GATE_DECIDE, Permission.WORKFLOW_MANAGE})


def record_kind_change(work: UnitOfWork, before: Phase, after: Phase, reason: str) -> Phase:
    """Record another kind of gate, or other evidence that it asks for, as an entry of its record. Returns the phase.

    It takes a reason once the phase has a decision or a completed card. A phase that it would complete waits for an
    approval instead: ``GateState.UNDECIDED``.
    """
    if before.gate_words == after.gate_words:
        return after
    workflow = read_workflow(work, work.scope)
    tally = workflow.tally(after.id)
    entries = work.all(GateRecord, "project_id = :p AND phase_id = :id", p=after.project_id, id=after.id)
    if not reason and (tally.done or any(each.decision in DECISIONS for each in entries)):
        raise InvalidInput(
            "reason", f"Why does the gate of “{after.name}” change? It has a decision or completed cards, so say why."
        )
    if after.gate_state is GateState.UNDECIDED:
        after = work.update(after, gate_state=GateState.NONE)
    after = leave_undecided(work, after)
    detail = f"from “{before.gate_words}” to “{after.gate_words}”"
    work.insert(new_record(work, workflow, after, Decision.KIND_CHANGE, reason=reason, detail=detail))
    return after


def leave_undecided(work: UnitOfWork, phase: Phase) -> Phase:
    """Have a phase wait for an approval that its gate, automatic from now on, would complete. Returns the phase."""
    tally = read_workflow(work, work.scope).tally(phase.id)
    completes = phase.gate is Gate.AUTOMATIC and phase.gate_state is GateState.NONE and tally.any and not tally.open
    return work.update(phase, gate_state=GateState.UNDECIDED) if completes else phase


def _lapse(work: UnitOfWork, phase: Phase, approval: GateRecord | None, what: tuple[str, ...], reason: str) -> Lapse:
    """Take the approval of a phase away, and record it."""
    workflow = read_workflow(work, work.scope)
    is_there = any(each.id == phase.id for each in workflow.phases)
    if is_there:
        ended = work.update(phase, gate_state=GateState.NONE)
        if KIND_OF_GATE in what:
            leave_undecided(work, ended)
    named = some(what, CHANGES_NAMED, "more changes")
    fields = {"reason": reason, "detail": named, "of_id": approval.id if approval else None}
    work.insert(new_record(work, workflow, phase, Decision.LAPSE, **fields))
    return Lapse(phase, approval, what, _sentence(work, phase, approval, named))


def _lapse_again(work: UnitOfWork, changes: Sequence[RecordChange], phase_id: Id, what: tuple[str, ...]) -> list[Lapse]:
    """The lapse that a redo brings back, with its entry: it ends an approval as it did the first time."""
    entries = [
        each.row for each in changes if each.entity == "gate_record" and each.after and "withdrawn" in each.after
    ]
    back = [each for each in entries if (each["phase_id"], each["decision"]) == (phase_id, Decision.LAPSE)]
    rows = [each.row for each in changes if each.entity == "phase" and each.key["id"] == phase_id and each.before]
    if work.kind is not ChangeKind.REDO or not back or not rows:
        return []
    phase = table_of(Phase).load(rows[0])
    approval = approval_in_force(work, replace(phase, gate_state=GateState.PASSED))
    return [Lapse(phase, approval, what, _sentence(work, phase, approval, some(what, CHANGES_NAMED, "more changes")))]


def _sentence(view: Snapshot, phase: Phase, approval: GateRecord | None, named: str) -> str:
    if approval is None:
        whose = f"the approval of “{phase.name}”"
    else:
        user = view.find(User, id=approval.by_id)
        who = approval.original_name if approval.imported_by else user.name if user else UNKNOWN
        at = in_minutes(approval.at, view.actor.zone, view.today)
        whose = f"{credit_author(who, approval.through)}'s approval of “{phase.name}” of {at}"
    return f"This ends {whose}: {named}."


def _approved_before(work: UnitOfWork, changes: Sequence[RecordChange], phase_id: Id) -> Phase | None:
    """The phase, as it is now, if its approval was in force before the changes, and they did not end it themselves.

    Of a removed phase, as it was.
    """
    phase = work.find(Phase, project_id=work.scope, id=phase_id)
    of_phase = [each for each in changes if each.entity == "phase" and each.key["id"] == phase_id]
    if phase is None:
        phase = next((table_of(Phase).load(each.row) for each in of_phase if each.after is None), None)
    if phase is None or phase.gate_state is not GateState.PASSED:
        return None
    is_new = any(each.before is None or (each.after and "gate_state" in each.before) for each in of_phase)
    return None if is_new else phase


def bound_changes(changes: Sequence[RecordChange]) -> Mapping[Id, list[str]]:
    """The changes in the bound part of each phase, in words, by the phase's id.

    Several changes of one record count as one, from the first state to the last: what is as it was has not changed.
    """
    found: dict[Id, list[str]] = {}
    for entity, id_, first, last in _collapse(changes):
        match entity:
            case "item":
                _compare_cards(found, first, last)
            case "deliverable":
                row = last or first or {}
                if words := _deliverable_words(first, last):
                    found.setdefault(row["phase_id"], []).append(words)
            case "phase" if first is not None:
                differing = [name for name in BOUND_OF_PHASE if last is None or first[name] != last[name]]
                if last is None:
                    found.setdefault(id_, []).append("the phase was removed")
                elif differing:
                    found.setdefault(id_, []).extend(_phase_words(differing))
    return found


def _collapse(
    changes: Sequence[RecordChange],
) -> Iterator[tuple[str, Id, dict[str, Any] | None, dict[str, Any] | None]]:
    """Each changed record with its row before the first change and after the last; None where there was or is none."""
    first: dict[tuple[str, Id], dict[str, Any] | None] = {}
    last: dict[tuple[str, Id], dict[str, Any] | None] = {}
    for change in changes:
        if change.entity not in ("item", "deliverable", "phase"):
            continue
        key = change.entity, change.key["id"]
        first.setdefault(key, None if change.before is None else change.row)
        last[key] = None if change.after is None else change.row | change.after
    for (entity, id_), before in first.items():
        if before is not None or last[entity, id_] is not None:
            yield entity, id_, before, last[entity, id_]


def _compare_cards(found: dict[Id, list[str]], first: dict[str, Any] | None, last: dict[str, Any] | None) -> None:
    title = f"“{(last or first or {})['title']}”"
    was, now = (_is_closed(row) for row in (first, last))
    if first is None or last is None or first["phase_id"] != last["phase_id"]:
        if first is not None:
            how = "was deleted for good" if last is None else "was moved out"
            found.setdefault(first["phase_id"], []).append(f"{title} {how}")
        if last is not None:
            how = "was added" if first is None else "was moved in"
            found.setdefault(last["phase_id"], []).append(f"{title} {how}")
    elif was != now:
        how = "was completed" if now else "was restored" if first["status"] == "ARCHIVED" else "was reopened"
        found.setdefault(last["phase_id"], []).append(f"{title} {how}")


def _is_closed(row: dict[str, Any] | None) -> bool:
    return row is not None and row["status"] in CLOSED


def _deliverable_words(first: dict[str, Any] | None, last: dict[str, Any] | None) -> str:
    """The changes of a deliverable, in words; empty if nothing bound did."""
    name = f"“{(first or last or {})['name']}”"
    if first is None or last is None:
        return f"the deliverable {name} was {'added' if first is None else 'removed'}"
    differing = {column for column in BOUND_OF_DELIVERABLE if first[column] != last[column]}
    said = [
        *(["was renamed"] if "name" in differing else []),
        *(["has other evidence"] if differing & EVIDENCE else []),
        *(["was delivered" if last["done"] else "was taken back"] if differing & DELIVERY else []),
    ]
    return f"the deliverable {name} {names(said)}" if said else ""


def _phase_words(differing: Sequence[str]) -> list[str]:
    said = [f"the {name} changed" for name in ("objectives", "outcomes") if name in differing]
    if {"gate", "evidence_required", "accepts_statements"} & set(differing):
        said.append(KIND_OF_GATE)
    return said


def check_restored(work: UnitOfWork, phase: Phase, since: int) -> None:
    """Refuse an undo or a redo of the change ``since`` that brings back an approval of something else than there is.

    An approval by import, or from before seals, has no seal to compare with, so nothing may have changed since.
    """
    approval = approval_in_force(work, phase)
    ours = approval is not None and not approval.imported_by
    seal = work.find(GateSeal, project_id=phase.project_id, record_id=approval.id) if approval and ours else None
    if not is_as_sealed(work, phase, seal) if seal else has_changed_since(work, phase, since):
        raise RuleViolation(f"“{phase.name}” is not as it was approved any more. Approve it again instead.")


def check_decides_last(work: UnitOfWork, phase_id: Id, change: Change) -> None:
    """Refuse the undo or redo of a change that set the decision in force, where there was another decision since.

    It would bring back a state that the later decision was not made in. Raises RuleViolation.
    """
    later = work.rows(
        "SELECT decision, at, phase_name, first_name, last_name FROM gate_record LEFT JOIN app_user ON app_user.id ="
        " by_id WHERE project_id = :project_id AND phase_id = :phase_id AND withdrawn = 0 AND imported_by IS NULL"
        " AND decision IN ('PASS', 'HOLD', 'SEND_BACK', 'LAPSE')"
        " AND (seq >= :seq OR seq = 0 AND at > :at) ORDER BY at DESC, gate_record.id DESC LIMIT 1",
        project_id=change.project_id,
        phase_id=phase_id,
        seq=change.seq,
        at=encode_value(change.at),
    )
    for row in later:
        who = person_name(row["first_name"], row["last_name"])
        lapsed = row["decision"] == Decision.LAPSE
        said = "changed after its approval" if lapsed else DECISION_WORDS[Decision(row["decision"])]
        raise RuleViolation(f"“{row['phase_name']}” was {said} by {who} since. Decide at its gate instead.")


def has_changed_since(work: UnitOfWork, phase: Phase, seq: int) -> bool:
    """Return whether the bound part of a phase was changed after a change, by what the history has."""
    where = {"project_id": phase.project_id, "phase_id": phase.id}
    mine = "project_id = :project_id AND phase_id = :phase_id"
    cards, deliverables = work.all(Item, mine, **where), work.all(Deliverable, mine, **where)
    ids = {phase.id, *(card.id for card in cards), *(each.id for each in deliverables)}
    bound = BOUND_OF_CARD | BOUND_OF_DELIVERABLE | set(BOUND_OF_PHASE)
    rows = work.tx.tuples(
        "SELECT key, before, after FROM change_record WHERE project_id = :project_id AND seq > :seq"
        " AND entity IN ('item', 'deliverable', 'phase')",
        project_id=phase.project_id,
        seq=seq,
    )
    touching = (row for row in rows if json.loads(row[0])["id"] in ids or phase.id in f"{row[1]}{row[2]}")
    return any(not (before and after) or bound & json.loads(after).keys() for _, before, after in touching)
