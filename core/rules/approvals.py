"""Approvals in force, and the one function that ends them: when the bound part of what was approved changes.

A command that may do so runs within ``confirm_reopening``, which also asks before later phases lock again.
An undo or a redo brings an approval back only for what was approved (``undone_decisions.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from core.domain.gates import DECISIONS, Decision, Deliverable, GateRecord, Way
from core.domain.max_lengths import REASON
from core.domain.model import ChangeKind, Gate, GateState, Id, Phase, PhaseState, Project, User
from core.domain.permissions import Permission
from core.domain.phase_states import Workflow
from core.domain.statuses import CLOSED
from core.engine.change_records import RecordChange
from core.engine.project_guard import owners
from core.engine.unit_of_work import Actor, Snapshot, UnitOfWork, new_id
from core.errors import Blocker, InvalidInput, LapsesApproval, WouldBlockCards, WouldRelockPhases
from core.record import Record, replace
from core.rules.dependencies import blocked_again
from core.rules.gate_conditions import condition_points, follow_conditions
from core.rules.gate_criteria import criterion_words
from core.rules.gate_entries import NEWEST_FIRST
from core.rules.gate_panel import credit_entry, read_panels, read_votes
from core.rules.gate_seals import BOUND_OF_DELIVERABLE, BOUND_OF_PHASE, DELIVERY, EVIDENCE, hash_of_ground
from core.rules.phases import read_workflow
from core.storage.database import placeholders
from core.storage.row_mapper import table_of
from core.text.dates import in_minutes
from core.text.phrases import UNKNOWN, count, credit_author, names, shorten, some
from core.text.sanitize import many_lines

KIND_OF_GATE = "the kind of the gate changed"
CHANGED_MEANWHILE = "what the votes are about has changed meanwhile"

CHANGES_NAMED = 3
"""The most changes that a lapse names; the others are counted."""


class Consent(Protocol):
    """The consent of a command: ``relock`` that later phases lock again and that cards are blocked again, and
    ``allow_lapse``, the reason for ending approvals, to all of it."""

    @property
    def relock(self) -> bool:
        """True if later phases may lock again, and cards be blocked again."""

    @property
    def allow_lapse(self) -> str:
        """The reason for ending approvals; "" where none may end."""


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
        f" ORDER BY {NEWEST_FIRST} LIMIT 1",
        project_id=phase.project_id,
        phase_id=phase.id,
    )
    return found[0] if found else None


def stop_in_force(work: UnitOfWork, project: Project) -> GateRecord | None:
    """Return the decision by which a project was stopped; None if it was archived otherwise, or restored since."""
    entries = work.all(
        GateRecord,
        "project_id = :id AND withdrawn = 0 AND imported_by IS NULL AND decision IN ('STOP', 'REOPENING')"
        f" ORDER BY {NEWEST_FIRST} LIMIT 1",
        id=project.id,
    )
    return entries[0] if entries and entries[0].decision is Decision.STOP and project.archived else None


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
        follow_conditions(work, work.changes[first:])  # last: a gate that is not approved any more may wait for one

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
    text = " ".join(sentences)
    if lapses:
        approved = [each.phase for each in lapses]
        raise LapsesApproval(
            text,
            phase_ids=tuple(each.id for each in approved),
            can_allow=may_end_approvals(work, approved),
            blockers=blockers,
            who_can=who_may_end_approvals(work, approved),
        )
    refusal = WouldRelockPhases if relocked.phases else WouldBlockCards
    raise refusal(text, blockers=blockers, who_can=owners(work, project_id))


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
    # an undo or a redo brings votes back, also where the bound part changed while none were in
    entries = [each for each in changes if each.entity == "gate_record" and "withdrawn" in (each.after or {})]
    _end_votes(work, {each.row["phase_id"]: [CHANGED_MEANWHILE] for each in entries if each.before} | what)
    lapses: list[Lapse] = []
    phases = [each for each in changes if each.entity == "phase"]
    for phase_id in what:
        again = _lapse_again(work, [*phases, *entries], phase_id, tuple(what[phase_id]))
        phase = None if again else _approved_before(work, phases, phase_id)
        if phase is None:
            lapses += again
            continue
        approval = approval_in_force(work, phase)
        lapses.append(_lapse(work, phase, approval, tuple(what[phase_id]), reason))
    if lapses and reason and not may_end_approvals(work, [each.phase for each in lapses]):
        raise LapsesApproval(
            " ".join(each.sentence for each in lapses),
            phase_ids=tuple(each.phase.id for each in lapses),
            can_allow=False,
            who_can=who_may_end_approvals(work, [each.phase for each in lapses]),
        )
    return lapses


def end_votes(work: UnitOfWork, changes: Sequence[RecordChange]) -> None:
    """End the votes on an earlier state than these changes leave, which close cards and so end no approval."""
    _end_votes(work, bound_changes(changes))


def _end_votes(work: UnitOfWork, what: Mapping[Id, Sequence[str]]) -> None:
    """End the votes that were given on another bound part than there is now, and record what changed.

    What is as it was voted on, such as after an undo, ends none. An ended vote stays in the record.
    """
    for phase_id, votes in read_votes(work, work.scope, what).items():
        phase = work.find(Phase, project_id=work.scope, id=phase_id)
        if phase is None or phase.gate_state is GateState.PASSED:
            continue
        if {each.ground for each in votes} == {hash_of_ground(work, phase)}:
            continue
        detail = some([*what[phase_id]], CHANGES_NAMED, "more changes")
        work.insert(new_entry(work, phase.id, phase.name, Decision.VOTES_ENDED, detail=detail))


def _lost_evidence(work: UnitOfWork, changes: Sequence[RecordChange]) -> Iterator[tuple[Id, str]]:
    """The phases, also of other cards, with a deliverable whose evidence is a card that is deleted for good."""
    gone = {each.key["id"]: each.row["title"] for each in changes if each.entity == "item" and each.after is None}
    chosen, params = placeholders(gone)
    where = f"project_id = :project_id AND evidence_kind = 'CARD' AND evidence IN {chosen}"
    for each in work.all(Deliverable, where, project_id=work.scope, **params) if gone else ():
        yield each.phase_id, f"the deliverable “{each.name}” loses its evidence, the card “{gone[each.evidence]}”"


def may_end_approvals(view: Snapshot, phases: Sequence[Phase]) -> bool:
    """Return whether the user can consent to the end of these approvals: as one of the panel of each gate, or as the
    owner of the workflow.

    A lapse decides nothing, it takes an approval away, so four eyes refuse nobody.
    """
    if Permission.WORKFLOW_MANAGE in view.held or Permission.GATE_DECIDE not in view.held:
        return Permission.WORKFLOW_MANAGE in view.held
    panels = read_panels(view, {each.id: each.project_id for each in phases})
    return all(each.is_on_panel(view) for each in panels.values())


def who_may_end_approvals(view: Snapshot, phases: Sequence[Phase]) -> tuple[str, ...]:
    """Return the names of the owners, and of those who are on the panels of all these gates."""
    panels = read_panels(view, {each.id: each.project_id for each in phases}).values()
    first, *others = [{each.user_id: each.name for each in panel.members if each.is_present} for panel in panels]
    on_all = [name for user_id, name in first.items() if all(user_id in each for each in others)]
    return tuple(dict.fromkeys((*owners(view, view.scope), *on_all)))


def record_kind_change(work: UnitOfWork, before: Phase, after: Phase, reason: str) -> Phase:
    """Record another kind of gate, or other evidence that it asks for, as an entry of its record. Returns the phase.

    A phase that it would complete waits for an approval instead: ``GateState.UNDECIDED``.
    """
    if before.gate_words == after.gate_words:
        return after
    detail = f"from “{before.gate_words}” to “{after.gate_words}”"
    entry = record_gate_change(work, after, Decision.KIND_CHANGE, detail, reason)
    if after.gate_state is GateState.UNDECIDED:
        after = work.update(after, gate_state=GateState.NONE)
    after = leave_undecided(work, after)
    work.insert(entry)
    return after


def record_gate_change(work: UnitOfWork, phase: Phase, decision: Decision, detail: str, reason: str) -> GateRecord:
    """Return the entry about another kind, policy or criterion of a gate, which is not inserted yet.

    It takes a reason once the phase has a decision or a completed card. Raises InvalidInput without one.
    """
    reason = many_lines(reason, "reason", most=REASON)
    detail = shorten(detail, REASON)
    workflow = read_workflow(work, work.scope)
    entries = work.all(GateRecord, "project_id = :p AND phase_id = :id", p=phase.project_id, id=phase.id)
    if not reason and (workflow.tally(phase.id).done or any(each.decision in DECISIONS for each in entries)):
        raise InvalidInput(
            "reason", f"Why does the gate of “{phase.name}” change? It has a decision or completed cards, so say why."
        )
    return new_record(work, workflow, phase, decision, reason=reason, detail=detail)


def leave_undecided(work: UnitOfWork, phase: Phase) -> Phase:
    """Have a phase wait for an approval that its gate, automatic from now on, would complete, also without a card
    of a condition. Returns the phase."""
    tally = read_workflow(work, work.scope).tally(phase.id)
    completes = (tally.any and not tally.open) or condition_points(work, work.scope, [phase.id])
    waits = completes and phase.gate is Gate.AUTOMATIC and phase.gate_state is GateState.NONE
    return work.update(phase, gate_state=GateState.UNDECIDED) if waits else phase


def end_approval(work: UnitOfWork, phase: Phase, approval: GateRecord, what: str, reason: str) -> GateRecord:
    """End an approval that a person contradicts, and return the entry of the lapse: no consent is asked for."""
    work.update(phase, gate_state=GateState.NONE)
    workflow = read_workflow(work, work.scope)
    fields = {"reason": reason, "detail": what, "of_id": approval.id, "meeting": approval.meeting}
    return work.insert(new_record(work, workflow, phase, Decision.LAPSE, **fields))


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
    return Lapse(phase, approval, what, describe_lapse(work, phase, approval, named))


def _lapse_again(work: UnitOfWork, changes: Sequence[RecordChange], phase_id: Id, what: tuple[str, ...]) -> list[Lapse]:
    """The lapse that a redo brings back, with its entry: it ends an approval as it did the first time."""
    entries = [each.row for each in changes if each.entity == "gate_record"]
    back = [each for each in entries if (each["phase_id"], each["decision"]) == (phase_id, Decision.LAPSE)]
    rows = [each.row for each in changes if each.entity == "phase" and each.key["id"] == phase_id and each.before]
    if work.kind is not ChangeKind.REDO or not back or not rows:
        return []
    phase = table_of(Phase).load(rows[0])
    approval = approval_in_force(work, replace(phase, gate_state=GateState.PASSED))
    return [
        Lapse(phase, approval, what, describe_lapse(work, phase, approval, some(what, CHANGES_NAMED, "more changes")))
    ]


def describe_lapse(view: Snapshot, phase: Phase, approval: GateRecord | None, named: str) -> str:
    """Return the sentence about an approval that changes end; ``named`` are the changes."""
    if approval is None:
        whose = f"the approval of “{phase.name}”"
    else:
        user = view.find(User, id=approval.by_id)
        name = user.name if user else UNKNOWN
        at = in_minutes(approval.at, view.actor.zone, view.today)
        who = credit_author(approval.original_name if approval.imported_by else name, approval.through)
        whose = f"{who}'s approval of “{phase.name}” of {at}"
        if approval.meeting or approval.detail:  # of more people than the last who voted
            whose = f"the approval of “{phase.name}” of {at} by {credit_entry(approval, name)}"
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
            case "gate_policy":
                how = "was set" if first is None else "was removed" if last is None else "changed"
                found.setdefault((last or first or {})["phase_id"], []).append(f"the policy of the gate {how}")
            case "gate_criterion":
                row = last or first or {}
                if words := criterion_words(first, last):
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
        if change.entity not in ("item", "deliverable", "phase", "gate_policy", "gate_criterion"):
            continue
        key = change.entity, change.key.get("id") or change.key["phase_id"]
        first.setdefault(key, None if change.before is None else change.row)
        last[key] = None if change.after is None else change.row | change.after
    for (entity, id_), before in first.items():
        if before is not None or last[entity, id_] is not None:
            yield entity, id_, before, last[entity, id_]


def _compare_cards(found: dict[Id, list[str]], first: dict[str, Any] | None, last: dict[str, Any] | None) -> None:
    title = f"“{(last or first or {})['title']}”"
    was, now = (row is not None and row["status"] in CLOSED for row in (first, last))
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
