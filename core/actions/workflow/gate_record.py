"""The record of the gates: every decision and what became of it, the seals, and what has changed since."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from core.actions.workflow.gates import GateCheck, said_by
from core.actions.workflow.phases import PhaseQuery
from core.domain.gate_policy import ENDINGS, VOTE_WORDS, VOTES
from core.domain.gates import DECISION_WORDS, DECISIONS, Decision, GateRecord, GateSeal, Way
from core.domain.model import GateState, Id, PhaseState
from core.domain.permissions import Permission
from core.domain.phase_states import Workflow
from core.engine.messages import ProjectQuery, Query
from core.engine.project_guard import names_of
from core.engine.unit_of_work import Snapshot
from core.errors import NotFound
from core.record import Record, replace
from core.rules.approvals import way_of
from core.rules.gate_entries import OLDEST_FIRST
from core.rules.gate_seals import canonical, describe_sealed, fault_of_seal, hash_of
from core.rules.phases import read_workflow
from core.rules.seal_words import (
    SealDifference,
    SealSection,
    UnreadableSeal,
    compare_seals,
    describe_seal,
    read_role_and_votes,
)
from core.storage.database import placeholders
from core.text.dates import in_minutes, in_short

WAY_WORDS = {
    Way.FILE: "on a file without a server: anyone who can write it can act as anyone",
    Way.SERVER: "through a server",
    Way.BROWSER: "through a server, in a browser",
    Way.UNKNOWN: "",
}
BY_IMPORT = "by import"

_NOUNS: Mapping[Decision, str] = {
    Decision.PASS: "approval",
    Decision.HOLD: "hold",
    Decision.SEND_BACK: "sending back",
    Decision.OVERRIDE: "override",
    Decision.LIFT: "lift of the hold",
    Decision.STOP: "stop",
    Decision.LAPSE: "end of the approval",
    Decision.KIND_CHANGE: "change of the gate",
    Decision.WITHDRAWAL: "withdrawal",
    Decision.RESTORATION: "restoration",
    Decision.VOTES_ENDED: "end of the votes",
    Decision.POLICY_CHANGE: "change of the rules",
    Decision.WAIVER: "waiver of a condition",
    Decision.REOPENING: "restoring of the project",
    **{entry: f"vote “{VOTE_WORDS[vote]}”" for entry, vote in VOTES.items()},
}
"""The names of entries where another one is about them."""

COUNTED, NOT_COUNTED, CHANGED_LATER = "counted", "did not count", "changed later"
ENDED, EARLIER_STATE = "the votes were ended", "on an earlier state"
"""The states of a vote that is over."""

NO_SEAL = "{}: what the decision was made on is not known."
NOT_SEALED = "Only decisions have a seal."
NOT_COMPARED = "That came by import: its seal is a document about another workspace, so nothing is compared with it."
NO_DECISION = "Nothing has been decided at this gate yet."


SEALS_AT_ONCE = 20
"""The most bodies of seals in memory at a time, and the most that a list reads unless it is asked for all."""


class DecisionSummary(Record):
    """An entry of the gate record with its words for people: a decision, or what became of one."""

    record: GateRecord
    by: str
    """The name of the person; if imported, “Ann Berg, imported by Eve Stone”."""
    number: int
    """The number of the phase; 0 once it is removed."""
    phase: str
    """The name of the phase; of a removed one, the last that it had."""
    words: str
    """The kind of entry: "approved", "approval ended", "held"."""
    state: str
    """Whether it still holds: "in force" and "ended 27 Nov" of an approval, "counted" and its like of a vote that is
    over, "withdrawn"; else empty, also where the seal that knows it was not read."""
    ended: datetime | None
    """The time at which an approval ended."""
    role: str
    """The role of the person at that time, by the seal: "owner; meta role Lead"; empty where it is not known."""
    about: str
    """The decision that it is about: "approval of 27 Nov 14:05 by Mara Oduya"; empty where it is none."""
    way: str
    """The way by which the person came; empty where it is not known."""
    seal: str
    """Of a decision: "sealed 4f2a…91", "approved before seals" or "by import"; or what is wrong with it."""
    in_force: bool
    """True for the approval that the phase is complete by."""

    @property
    def sentence(self) -> str:
        """The entry without its time: "approval ended by Ines Keller: approval of 27 Nov 14:05 by Mara Oduya"."""
        return ", ".join(filter(None, (f"{self.words} by {self.by}", self.state))) + (self.about and f": {self.about}")

    @property
    def entry(self) -> str:
        """The kind of entry, and whether it still holds: "approved, in force"."""
        return ", ".join(filter(None, (self.words, self.state)))

    @property
    def numbered(self) -> str:
        """The phase with its number, by its name at that time and the one that it has now where they differ."""
        then = self.record.phase_name
        named = f"{then}, now {self.phase}" if then not in ("", self.phase) else self.phase
        return f"{self.number} {named}" if self.number else f"{named} (removed)".strip()


class ListGateDecisions(ProjectQuery[tuple[DecisionSummary, ...]]):
    """List the gate record of a project or of one phase, the oldest entry first, including withdrawn decisions."""

    route = "GET /v1/projects/{project_id}/decisions"
    permission = Permission.PROJECT_VIEW
    phase_id: Id | None = None
    every_seal: bool = False
    """Read all seals, for the role of each person and to compare each entry with its seal, not only the last 20."""

    def run(self, view: Snapshot) -> tuple[DecisionSummary, ...]:
        return read_record(view, read_workflow(view, self.project_id), self.phase_id, every_seal=self.every_seal)


def read_record(
    view: Snapshot, workflow: Workflow, phase_id: Id | None = None, *, every_seal: bool = False
) -> tuple[DecisionSummary, ...]:
    """Return the gate record of the project in view, or of one of its phases, the oldest entry first."""
    named = {phase.id: (number, phase) for number, phase in enumerate(workflow.phases, 1)}
    where = "project_id = :project_id" + (" AND phase_id = :phase_id" if phase_id else "")
    params = {"project_id": view.scope, "phase_id": phase_id} if phase_id else {"project_id": view.scope}
    records = view.all(GateRecord, f"{where} ORDER BY {OLDEST_FIRST}", **params)
    people = names_of(view, {record.by_id for record in records})
    credits = {record.id: said_by(record, record.by_id, people) for record in records}
    sealed = [each for each in records if each.sha256 or each.decision in DECISIONS]
    seals = dict(_seals(view, sealed if every_seal else sealed[-SEALS_AT_ONCE:]))
    approvals = {
        record.phase_id: record.id for record in records if record.decision is Decision.PASS and not record.withdrawn
    }
    known = {record.id: record for record in records}
    votes = _vote_states(records, {record_id: counted for record_id, (*_, counted) in seals.items()})
    in_force = {approvals.get(phase.id) for _, phase in named.values() if phase.gate_state is GateState.PASSED}
    return tuple(
        DecisionSummary(
            record=record,
            by=credits[record.id],
            number=number,
            phase=phase.name if phase else record.phase_name,
            words=DECISION_WORDS[record.decision],
            state=votes.get(record.id) or _state(view, record, ended, is_in_force=record.id in in_force),
            ended=ended,
            role=seals.get(record.id, ("", ""))[0],
            about=refer_to(record, known, credits, lambda at: in_minutes(at, view.actor.zone, view.today)),
            way=BY_IMPORT if record.imported_by else WAY_WORDS[record.way],
            seal=seals.get(record.id, ("", ""))[1].partition(":")[0] or _seal_words(record),
            in_force=record.id in in_force,
        )
        for place, record in enumerate(records)
        for number, phase in (named.get(record.phase_id, (0, None)),)
        for ended in (_find_end(records[place + 1 :], record, is_in_force=record.id in in_force),)
    )


def _seals(
    view: Snapshot, records: Sequence[GateRecord]
) -> Iterator[tuple[Id, tuple[str, str, Collection[str] | None]]]:
    """Of each entry the role of its person by its seal, what is wrong with the seal, and the votes that it counted."""
    for start in range(0, max(len(records), 1), SEALS_AT_ONCE):  # so that few bodies are in memory
        some = records[start : start + SEALS_AT_ONCE]
        chosen, params = placeholders(each.id for each in some)
        sql = f"SELECT record_id, body FROM gate_seal WHERE project_id = :project_id AND record_id IN {chosen}"
        bodies = dict(view.tx.tuples(sql, project_id=view.scope, **params))
        for each in some:
            body = bodies.get(each.id, "")
            role, votes = read_role_and_votes(body)
            yield each.id, (role, fault_of_seal(each, body), votes)


def _vote_states(records: Sequence[GateRecord], counted: Mapping[Id, Collection[str] | None]) -> Mapping[Id, str]:
    """The states of the votes that are over, by what came after it at its gate; ``counted`` is what the seals say."""
    meetings = {(each.phase_id, each.at) for each in records if each.meeting}  # which end votes on the same state
    endings: dict[Id, GateRecord] = {}
    voters: dict[Id, set[tuple[Id, str]]] = {}
    found: dict[Id, str] = {}
    for each in reversed(records):
        if not each.withdrawn and each.decision in VOTES:
            newer, voter = voters.setdefault(each.phase_id, set()), (each.by_id, each.original_login)
            ending = endings.get(each.phase_id)
            if voter in newer:
                found[each.id] = CHANGED_LATER
            elif ending and ending.decision in (Decision.PASS, Decision.STOP):
                found[each.id] = _say_whether_counted(each, ending, counted)
            elif ending:
                is_later = ending.decision is Decision.VOTES_ENDED and (ending.phase_id, ending.at) not in meetings
                found[each.id] = EARLIER_STATE if is_later else ENDED
            newer.add(voter)
        elif not each.withdrawn and each.decision in ENDINGS:
            endings[each.phase_id] = each
            voters.pop(each.phase_id, None)
    return found


def _say_whether_counted(vote: GateRecord, decision: GateRecord, counted: Mapping[Id, Collection[str] | None]) -> str:
    """By the seal of the decision: empty where that is not known, as of an import, which has the ids of before."""
    sealed = None if decision.imported_by else counted.get(decision.id)
    return "" if sealed is None else COUNTED if vote.id in sealed else NOT_COUNTED


def _find_end(later: Iterable[GateRecord], record: GateRecord, *, is_in_force: bool) -> datetime | None:
    """The time at which an approval ended: by what changed, or by sending the phase back."""
    if record.withdrawn or record.decision is not Decision.PASS or is_in_force:
        return None
    for each in later:
        is_back = each.decision is Decision.SEND_BACK and each.phase_id == record.phase_id
        if not each.withdrawn and (is_back or (each.decision is Decision.LAPSE and each.of_id == record.id)):
            return each.at
    return None


def _state(view: Snapshot, record: GateRecord, ended: datetime | None, *, is_in_force: bool) -> str:
    """Return whether an entry still holds."""
    if record.withdrawn or record.decision is not Decision.PASS:
        return "withdrawn" if record.withdrawn else ""
    if is_in_force or ended is None:
        return "in force" if is_in_force else "not in force"
    return f"ended {in_short(view.day_of(ended), view.today)}"


def refer_to(
    record: GateRecord, known: Mapping[Id, GateRecord], credits: Mapping[Id, str], moment: Callable[[datetime], str]
) -> str:
    """Name the entry that another one is about; the end of an approval by the approval. Empty if it is about none."""
    if not record.of_id:
        return ""
    about = known.get(record.of_id)
    if about is None:
        return "a decision that is not in the record"
    if about.decision is Decision.LAPSE and about.of_id in known:
        return f"end of the {refer_to(about, known, credits, moment)}"
    return f"{_NOUNS[about.decision]} of {moment(about.at)} by {credits[about.id]}"


def _seal_words(record: GateRecord) -> str:
    if record.decision not in DECISIONS:
        return ""
    if record.imported_by:
        return BY_IMPORT
    if not record.sha256:
        return f"{DECISION_WORDS[record.decision]} before seals"
    return f"sealed {record.sha256[:4]}…{record.sha256[-2:]}"


class SealDetail(Record):
    """The seal of a decision, and whether it is still what was hashed."""

    entry: DecisionSummary
    body: str
    """The canonical JSON, of which the bytes in UTF-8 were hashed; empty where there is none."""
    sha256: str
    matches: bool
    """True if the body matches its hash, and the entry matches the body."""
    note: str
    """A fault of the seal, or the reason why there is none; empty if all is well."""

    @property
    def verdict(self) -> str:
        """The note, or that all is well, with the hash."""
        origin = ", an imported document about another workspace," if self.entry.record.imported_by else ""
        return self.note or f"The seal{origin} matches its hash, SHA-256 {self.sha256}."


class GetSeal(Query[SealDetail]):
    """Show what a decision at a gate was made on, and whether that is still what was hashed."""

    route = "GET /v1/gate-records/{record_id}/seal"
    permission = Permission.PROJECT_VIEW
    record_id: Id

    def scope(self, view: Snapshot) -> Id:
        return view.get(GateRecord, id=self.record_id).project_id

    def run(self, view: Snapshot) -> SealDetail:
        record = view.get(GateRecord, project_id=view.scope, id=self.record_id)
        entries = read_record(view, read_workflow(view, view.scope), record.phase_id)
        return _read_seal(view, _entry(entries, record.id))


def _entry(entries: Sequence[DecisionSummary], record_id: Id) -> DecisionSummary:
    found = next((each for each in entries if each.record.id == record_id), None)
    if found is None:
        raise NotFound(f"There is no entry {record_id} in the record of this gate.")
    return found


def _read_seal(view: Snapshot, entry: DecisionSummary) -> SealDetail:
    record = entry.record
    seal = view.find(GateSeal, project_id=record.project_id, record_id=record.id)
    body = seal.body if seal else ""
    note = fault_of_seal(record, body)
    matches = bool(body) and not note
    if not body and not note:
        note = NO_SEAL.format(entry.seal.capitalize()) if entry.seal else NOT_SEALED
    return SealDetail(
        entry=entry,
        body=body,
        sha256=record.sha256,
        matches=matches,
        note=note,
    )


class ApprovalPreview(Record):
    """The seal that an approval would get now, to be read before it."""

    check: GateCheck
    body: str
    """The body of the seal that it would get from the person who asks."""
    opens: tuple[str, ...]
    """The names of the phases that it opens."""
    ground: str
    """The hash of what is sealed, for ``DecideGate.seen_ground``."""


class PreviewApproval(PhaseQuery[ApprovalPreview]):
    """Show what would be sealed if a phase was approved now, and what that opens."""

    route = "GET /v1/phases/{phase_id}/seal"

    def run(self, view: Snapshot) -> ApprovalPreview:
        workflow = read_workflow(view, view.scope)
        phase = workflow.phase(self.phase_id)
        passed = [replace(each, gate_state=GateState.PASSED) if each is phase else each for each in workflow.phases]
        after = Workflow.from_phases(passed, workflow.tallies)
        actor = view.actor
        decision = GateRecord(
            project_id=view.scope,
            id="",
            phase_id=phase.id,
            decision=Decision.PASS,
            by_id=actor.user_id,
            at=view.now,
            way=way_of(actor),
            through=actor.through,
        )
        sealed = describe_sealed(view, decision, after.phase(phase.id))
        return ApprovalPreview(
            ground=hash_of(canonical(sealed["bound"])),
            check=GateCheck.read(view, workflow, phase),
            body=canonical(sealed),
            opens=tuple(
                each.name
                for each in after.phases
                if (workflow.state(each.id), after.state(each.id)) == (PhaseState.LOCKED, PhaseState.OPEN)
            ),
        )


def in_sections(
    seal: SealDetail | ApprovalPreview, moment: Callable[[datetime], str], decided: str = ""
) -> Sequence[SealSection]:
    """Return a seal in words; none of a body that is not there or cannot be read."""
    try:
        return describe_seal(seal.body, decided, moment)
    except UnreadableSeal:
        return ()


class SealComparison(Record):
    """The differences between the seal of a decision and a later one, or the phase as it is now."""

    since: DecisionSummary | None
    """The decision; None where there was none yet."""
    until: DecisionSummary | None
    """The later decision; None for now."""
    note: str
    """Why nothing can be compared, or what is wrong with a seal; empty if all is well."""
    differences: tuple[SealDifference, ...]
    """Those of the bound part first."""


class CompareWithSeal(PhaseQuery[SealComparison]):
    """Compare a phase with the seal of its last decision, or of another one, or the seals of two decisions."""

    route = "GET /v1/phases/{phase_id}/seal-diff"
    since: Id | None = None
    until: Id | None = None

    def run(self, view: Snapshot) -> SealComparison:
        workflow = read_workflow(view, view.scope)
        phase = workflow.phase(self.phase_id)
        entries = read_record(view, workflow, phase.id)
        until = _entry(entries, self.until) if self.until else None
        earlier = entries[: entries.index(until)] if until else entries
        decisions = [each for each in earlier if each.record.decision in DECISIONS and not each.record.withdrawn]
        since = _entry(entries, self.since) if self.since else decisions[-1] if decisions else None
        if since is None:
            return SealComparison(since=None, until=until, note=NO_DECISION, differences=())
        seals = [_read_seal(view, each) for each in (since, until) if each]
        notes = [
            f"{each.entry.sentence} ({in_minutes(each.entry.record.at, view.actor.zone, view.today)}): {each.note}"
            for each in seals
            if each.note
        ]
        if any(each.entry.record.imported_by for each in seals):
            notes = [NOT_COMPARED]
        elif all(each.body for each in seals):
            bodies = [each.body for each in seals]
            if until is None:
                bodies.append(canonical(describe_sealed(view, since.record, phase)))
            try:
                zone = view.actor.zone
                differences = compare_seals(*bodies, moment=lambda at: f"{at.astimezone(zone):%Y-%m-%d %H:%M:%S}")
                return SealComparison(since=since, until=until, note=" ".join(notes), differences=differences)
            except UnreadableSeal as error:
                notes.append(str(error))
        return SealComparison(since=since, until=until, note=" ".join(notes), differences=())


def describe_comparison(found: SealComparison) -> Iterator[str]:
    """Return a comparison in words: its note, what ends an approval, and what ends none."""
    if found.note:
        yield found.note
    elif not found.differences:
        yield "Nothing has changed."
    for is_bound, heading in ((True, "What an approval holds for:"), (False, "As it was, which ends no approval:")):
        lines = [f"  {each.sentence}" for each in found.differences if each.is_bound is is_bound]
        if lines:
            yield from (heading, *lines)
