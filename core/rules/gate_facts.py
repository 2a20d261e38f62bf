"""The facts of gates, for any number of phases in one statement, and the short form of what is missing at each.

``core.rules.gate_readiness`` has the whole answer, with the places to go to and the people who can help.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple, Protocol

from core.domain.gates import EvidenceKind
from core.domain.model import Gate, GateState, Id, PhaseState
from core.domain.readiness import GateSummary, ReadinessState
from core.domain.statuses import ItemCounts
from core.domain.workflow import PhaseLike
from core.engine.unit_of_work import Snapshot
from core.text.dates import in_short
from core.text.phrases import names, person_name

NO_DELIVERABLE = "it has no deliverable yet"
PROOF = "a link, a file or a card"

LAST_DECISIONS = "withdrawn = 0 AND decision IN ('PASS', 'HOLD', 'SEND_BACK')"
"""The condition of the entries of a gate's record that count as its last decision."""


class Promise(NamedTuple):
    """The columns of a deliverable that a gate looks at."""

    id: Id
    name: str
    done: bool
    evidence_kind: EvidenceKind


class GateFacts(NamedTuple):
    """The deliverables and the hold of each phase, from the rows of ``gate_facts``."""

    promised: Mapping[Id, Sequence[Promise]]
    holds: Mapping[Id, str]
    """In words, of the phases whose last decision is a hold."""

    @classmethod
    def of(cls, view: Snapshot, rows: Iterable[Sequence[Any]]) -> GateFacts:
        promised: dict[Id, list[Promise]] = {}
        holds: dict[Id, str] = {}
        for phase_id, _, key, text, done, kind, first_name, last_name in rows:
            if done is None:
                since = in_short(view.day_of(datetime.fromisoformat(key)), view.today)
                who = person_name(first_name, last_name)
                holds[phase_id] = f"held by {who} since {since}" + (f": {' '.join(text.split())}" if text else "")
            else:
                promised.setdefault(phase_id, []).append(Promise(key, text, bool(done), EvidenceKind(kind)))
        return cls(promised, holds)


class GatedPhase(PhaseLike, Protocol):
    """The fields of a phase that its summary reads."""

    @property
    def evidence_required(self) -> bool: ...
    @property
    def accepts_statements(self) -> bool: ...


_KIND = (
    "CASE WHEN evidence_kind = 'CARD' AND NOT EXISTS (SELECT 1 FROM item WHERE item.project_id = deliverable.project_id"
    " AND item.id = evidence) THEN 'NONE' ELSE evidence_kind END"
)
"""The kind of evidence of a deliverable; a card that was deleted is none."""


def gate_facts(where: str, among: str = "", *, lacking_only: bool = False) -> str:
    """Return the statement that reads the deliverables and the holds of phases for ``GateFacts``.

    ``where`` selects projects by ``project_id``, and ``among`` phases by ``phase_id``, each with its AND. With
    ``lacking_only`` it leaves out the deliverables of phases whose gate does not look at them.
    """
    looked_at = (
        " AND EXISTS (SELECT 1 FROM phase WHERE phase.project_id = deliverable.project_id"
        " AND phase.id = deliverable.phase_id AND evidence_required = 1 AND gate_state <> 'PASSED')"
    )
    return (
        f"SELECT phase_id, rank, id, name, done, {_KIND}, '', ''"
        f" FROM deliverable WHERE {where}{among}{looked_at if lacking_only else ''}"
        " UNION ALL SELECT phase_id, '', at, reason, NULL, '',"
        " CASE WHEN original_name = '' THEN first_name ELSE original_name END,"
        " CASE WHEN original_name = '' THEN last_name ELSE '' END"
        " FROM gate_record LEFT JOIN app_user ON app_user.id = by_id"
        f" WHERE {where}{among} AND {LAST_DECISIONS} AND decision = 'HOLD'"
        " AND NOT EXISTS (SELECT 1 FROM gate_record AS later WHERE later.project_id = gate_record.project_id"
        f" AND later.phase_id = gate_record.phase_id AND {LAST_DECISIONS}"
        " AND (later.at > gate_record.at OR later.at = gate_record.at AND later.id > gate_record.id))"
        " ORDER BY 1, 2, 3"
    )


def counts_as_evidence(promise: Promise, phase: GatedPhase) -> bool:
    """Return whether a deliverable has what its gate takes as evidence: a statement only where the gate says so."""
    if promise.evidence_kind is EvidenceKind.STATEMENT:
        return phase.accepts_statements
    return promise.evidence_kind is not EvidenceKind.NONE


def summarize(phase: GatedPhase, state: PhaseState, tally: ItemCounts, facts: GateFacts) -> GateSummary:
    """Return the number of points that are missing at a gate, and the first one."""
    hold = facts.holds.get(phase.id, "")
    if state is PhaseState.COMPLETE:
        return GateSummary(state=ReadinessState.COMPLETE, hold=hold)
    firsts = ["it is locked until the earlier phases are complete"] if state is PhaseState.LOCKED else []
    lacking = [clause for _, clause in find_lacking(phase, facts)]
    missing = len(firsts) + tally.open + len(lacking)
    firsts += [open_cards(tally.open)] if tally.open else lacking[:1]
    decides = phase.gate is Gate.REVIEW or phase.gate_state in (GateState.SENT_BACK, GateState.UNDECIDED)
    return GateSummary(
        state=ReadinessState.NOT_READY if missing else ReadinessState.READY,
        missing=missing,
        first=next(iter(firsts), ""),
        hold=hold,
        at_gate=decides
        and state is PhaseState.OPEN
        and not tally.open
        and (tally.any or (phase.evidence_required and not lacking)),
    )


def find_lacking(phase: GatedPhase, facts: GateFacts) -> list[tuple[Promise | None, str]]:
    """The deliverables that a gate with evidence waits for, each as a clause; None where there is not one."""
    if not phase.evidence_required:
        return []
    promised = facts.promised.get(phase.id, ())
    if not promised:
        return [(None, NO_DELIVERABLE)]
    lacking = ((each, [*_list_undone(each), *_unproven(each, phase)]) for each in promised)
    return [(each, f"“{each.name}” {names(why)}") for each, why in lacking if why]


def _list_undone(promise: Promise) -> list[str]:
    return [] if promise.done else ["is not done"]


def _unproven(promise: Promise, phase: GatedPhase) -> list[str]:
    if counts_as_evidence(promise, phase):
        return []
    is_statement = promise.evidence_kind is EvidenceKind.STATEMENT
    return [f"has only a statement: give {PROOF}" if is_statement else "has no evidence"]


def open_cards(number: int) -> str:
    return "one card is still open" if number == 1 else f"{number} cards are still open"
