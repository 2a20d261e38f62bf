"""The facts of gates, for any number of phases in one statement, and the short form of what is missing at each.

Votes and criteria are read only where nothing else is missing. ``core.rules.gate_readiness`` has the whole answer, with
the places to go to and the people who can help.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from core.domain.gate_policy import GateCriterion, Vote
from core.domain.gates import EvidenceKind
from core.domain.model import Gate, GateState, Id, PhaseState
from core.domain.phase_states import PhaseLike
from core.domain.readiness import GateSummary, ReadinessState, VotesDue
from core.domain.statuses import ItemCounts
from core.engine.unit_of_work import Snapshot
from core.record import replace
from core.rules.gate_entries import COUNTS_NO_MORE, LAST_DECISIONS, follows
from core.storage.database import placeholders
from core.text.dates import in_short
from core.text.phrases import names, person_name

if TYPE_CHECKING:
    from core.rules.gate_criteria import CriterionResult
    from core.rules.gate_panel import Panel

BINDS_NOBODY = "from before holds were binding: it binds nobody"
NO_DELIVERABLE = "it has no deliverable yet"
PROOF = "a link, a file or a card"

MOST_SETTLED = 20
"""The most gates of a list whose votes and criteria are read; the others say that they are not checked.

So do those whose criteria do not fit into one statement with the others."""

NOT_READ = VotesDue({}, "its votes are not checked in this list")


class Promise(NamedTuple):
    """The columns of a deliverable that a gate looks at."""

    id: Id
    name: str
    done: bool
    evidence_kind: EvidenceKind


class GateFacts(NamedTuple):
    """The facts that the gate of each phase looks at, from the rows of ``gate_facts``."""

    promised: Mapping[Id, Sequence[Promise]]
    holds: Mapping[Id, str]
    """In words, of the phases on hold, and of those whose last decision is a hold that binds nobody."""
    policies: Collection[Id] = ()
    """The phases with a policy."""
    criteria: Mapping[Id, int] = {}
    """The number of criteria of each phase that has some."""
    conditions: Mapping[Id, int] = {}
    """The number of conditions that each gate waits for although they are no open cards of its phase."""
    stops: Mapping[Id, int] = {}
    """The number of votes to stop the project at each gate that has some, whether or not they count."""

    @classmethod
    def of(cls, view: Snapshot, rows: Iterable[Sequence[Any]]) -> GateFacts:
        promised: dict[Id, list[Promise]] = {}
        holds: dict[Id, str] = {}
        at_gate: dict[str, dict[Id, int]] = {_POLICY: {}, _CRITERIA: {}, _CONDITIONS: {}, _STOPS: {}}
        for phase_id, _, key, text, done, kind, first_name, last_name in rows:
            if kind in at_gate:
                at_gate[kind][phase_id] = done
            elif done is None:
                since = in_short(view.day_of(datetime.fromisoformat(key)), view.today)
                who = person_name(first_name, last_name)
                why = f": {' '.join(text.split()).rstrip('.')}" if text else ""
                holds[phase_id] = f"held by {who} since {since}{why}"
            else:
                promised.setdefault(phase_id, []).append(Promise(key, text, bool(done), EvidenceKind(kind)))
        return cls(promised, holds, *at_gate.values())  # in the order of its fields


_POLICY, _CRITERIA, _CONDITIONS, _STOPS = "POLICY", "CRITERIA", "CONDITIONS", "STOPS"
"""Stand in the column of the kind of evidence of rows about the gate itself."""


DROPPED = (
    "(SELECT CASE WHEN made.withdrawn = 1 THEN 'its decision was withdrawn' WHEN EXISTS (SELECT 1 FROM gate_record AS"
    " later WHERE later.project_id = made.project_id AND later.phase_id = made.phase_id AND later.decision = 'PASS'"
    f" AND later.withdrawn = 0 AND {follows('later', 'made')})"
    " THEN 'the gate was decided again' WHEN EXISTS (SELECT 1 FROM gate_record AS lapse WHERE"
    " lapse.project_id = made.project_id AND lapse.of_id = made.id AND lapse.decision = 'LAPSE'"
    " AND lapse.meeting IS NOT NULL AND lapse.withdrawn = 0) THEN 'its decision was contradicted' END"
    " FROM gate_record AS made WHERE made.project_id = gate_condition.project_id AND made.id = decision_id)"
)
"""Why a condition with a card binds no more: its decision fell, or the gate was approved without it since; else NULL.

An approval that is made with it becomes its decision. One that lapses by a change leaves it bound until the next.
"""

_CARD = "SELECT 1 FROM item WHERE item.project_id = gate_condition.project_id AND item.id = item_id"
IS_LOST = (
    f"item_id IS NOT NULL AND (met_at IS NULL OR EXISTS ({_CARD})) AND waived_at IS NULL AND {DROPPED} IS NULL"
    f" AND NOT EXISTS ({_CARD}"
    " AND (item.status = 'COMPLETED' OR archived_from = 'COMPLETED'"
    " OR item.phase_id = next_phase_id AND item.status <> 'ARCHIVED'))"
)
"""The condition of the conditions that a gate waits for and that are no open cards of its phase: as
``ConditionState.is_waiting`` and ``lost`` of ``core.rules.gate_conditions``."""


class GatedPhase(PhaseLike, Protocol):
    """The fields of a phase that its summary reads."""

    @property
    def evidence_required(self) -> bool:
        """True if every deliverable needs evidence."""

    @property
    def accepts_statements(self) -> bool:
        """True if a statement in words is evidence."""


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
        # a phase that is sent back stays on hold
        " AND (later.decision <> 'SEND_BACK' OR NOT EXISTS (SELECT 1 FROM phase WHERE on_hold = 1"
        " AND phase.project_id = gate_record.project_id AND phase.id = gate_record.phase_id))"
        f" AND {follows('later', 'gate_record')})"
        f" UNION ALL SELECT phase_id, '', '', '', 1, '{_POLICY}', '', '' FROM gate_policy WHERE {where}{among}"
        f" UNION ALL SELECT phase_id, '', '', '', count(*), '{_CRITERIA}', '', '' FROM gate_criterion"
        f" WHERE {where}{among} GROUP BY phase_id"
        f" UNION ALL SELECT phase_id, '', '', '', count(*), '{_CONDITIONS}', '', '' FROM"
        f" (SELECT project_id, next_phase_id AS phase_id FROM gate_condition WHERE {IS_LOST}) AS lost"
        f" WHERE {where}{among} GROUP BY phase_id"
        f" UNION ALL SELECT phase_id, '', '', '', count(*), '{_STOPS}', '', '' FROM gate_record AS vote"
        f" WHERE {where}{among} AND decision = 'VOTE_STOP' AND withdrawn = 0 AND imported_by IS NULL"
        f" AND NOT {COUNTS_NO_MORE} GROUP BY phase_id"
        " ORDER BY 1, 2, 3"
    )


def counts_as_evidence(promise: Promise, phase: GatedPhase) -> bool:
    """Return whether a deliverable has what its gate takes as evidence: a statement only where the gate says so."""
    if promise.evidence_kind is EvidenceKind.STATEMENT:
        return phase.accepts_statements
    return promise.evidence_kind is not EvidenceKind.NONE


def summarize(phase: GatedPhase, state: PhaseState, tally: ItemCounts, facts: GateFacts) -> GateSummary:
    """Return the number of points that are missing at a gate, and the first one; criteria and votes are not read."""
    hold = facts.holds.get(phase.id, "")
    if hold and not phase.on_hold:
        hold += f" ({BINDS_NOBODY})"
    if state is PhaseState.COMPLETE:
        return GateSummary(state=ReadinessState.COMPLETE, hold=hold)
    firsts = ["it is locked until the earlier phases are complete"] if state is PhaseState.LOCKED else []
    firsts += [f"it is {hold or 'on hold'}"] if phase.on_hold else []
    lacking = [clause for _, clause in find_lacking(phase, facts)]
    conditions = facts.conditions.get(phase.id, 0)
    missing = len(firsts) + tally.open + len(lacking) + conditions
    firsts += [open_cards(tally.open)] if tally.open else lacking[:1]
    if conditions:
        firsts.append("a condition is not met" if conditions == 1 else f"{conditions} conditions are not met")
    decides = phase.gate is Gate.REVIEW or phase.gate_state in (GateState.SENT_BACK, GateState.UNDECIDED)
    return GateSummary(
        state=ReadinessState.NOT_READY if missing else ReadinessState.READY,
        missing=missing,
        first=next(iter(firsts), ""),
        hold=hold,
        on_hold=phase.on_hold,
        unchecked=facts.criteria.get(phase.id, 0),
        at_gate=decides
        and state is PhaseState.OPEN
        and not tally.open
        and (tally.any or (phase.evidence_required and not lacking)),
    )


def settle_summaries(
    view: Snapshot, summaries: Mapping[Id, GateSummary], facts: GateFacts, project_of: Mapping[Id, Id]
) -> Mapping[Id, GateSummary]:
    """Return the summaries, by phase, with the votes and the criteria of gates where nothing else is missing.

    Votes to stop the project are read wherever there are some: they take nothing else.
    They are the same for all users: Canvas headers share them.
    """
    waiting = [
        phase_id
        for phase_id, each in summaries.items()
        if each.at_gate and each.state is ReadinessState.READY and (each.unchecked or phase_id in facts.policies)
    ]
    stopping = [each for each in summaries if each in facts.stops and each not in waiting]
    if not waiting and not stopping:
        return summaries
    # a program that starts needs neither, until a gate has a policy or criteria
    from core.rules.gate_criteria import GateCriteria
    from core.rules.gate_panel import read_panels

    read = [*islice(waiting, MOST_SETTLED), *islice(stopping, MOST_SETTLED)]
    settled = dict(summaries)
    if asked := [each for each in read if summaries[each].unchecked]:
        chosen, params = placeholders(asked)
        projects, of_projects = placeholders({project_of[each] for each in asked}, "project")
        where = f"project_id IN {projects} AND phase_id IN {chosen} ORDER BY phase_id, rank, id"
        results = GateCriteria.evaluate(view, view.all(GateCriterion, where, **of_projects, **params), in_one=True)
        settled |= {each: with_criteria(summaries[each], results[each]) for each in asked if each in results}
        read = [each for each in read if not settled[each].unchecked]
    panels = read_panels(view, {each: project_of[each] for each in read if each in facts.policies})
    for phase_id in (*waiting, *stopping):
        if phase_id in panels:
            settled[phase_id] = with_votes(settled[phase_id], panels[phase_id])
        elif phase_id in facts.policies and settled[phase_id].state is ReadinessState.READY:
            settled[phase_id] = replace(settled[phase_id], votes=NOT_READ)
    return settled


def with_criteria(summary: GateSummary, results: Sequence[CriterionResult]) -> GateSummary:
    """Return a summary with the criteria that are not met among its points."""
    failing = [each.sentence.rstrip(".") for each in results if not each.is_met]
    if summary.state is ReadinessState.COMPLETE or not failing:
        return replace(summary, unchecked=0)
    return replace(
        summary,
        state=ReadinessState.NOT_READY,
        missing=summary.missing + len(failing),
        first=summary.first or failing[0],
        unchecked=0,
    )


def with_votes(summary: GateSummary, panel: Panel) -> GateSummary:
    """Return a summary with its votes, if nothing else is missing, or they are to stop the project."""
    votes = votes_due(panel)
    is_due = summary.state is ReadinessState.READY or (votes.to_stop and summary.state is not ReadinessState.COMPLETE)
    return replace(summary, votes=votes) if is_due else summary


def votes_due(panel: Panel) -> VotesDue:
    """Return the votes that a gate with this panel waits for."""
    waiting = {each.user_id: each.name for each in panel.waiting}
    return VotesDue(waiting, panel.tally, panel.stuck, panel.decides(Vote.STOP))


def find_lacking(phase: GatedPhase, facts: GateFacts) -> list[tuple[Promise | None, str]]:
    """The deliverables that a gate with evidence waits for, each as a clause; None where there is not one."""
    if not phase.evidence_required:
        return []
    promised = facts.promised.get(phase.id, ())
    if not promised:
        return [(None, NO_DELIVERABLE)]
    lacking = ((each, [*([] if each.done else ["is not done"]), *_unproven(each, phase)]) for each in promised)
    return [(each, f"“{each.name}” {names(why)}") for each, why in lacking if why]


def _unproven(promise: Promise, phase: GatedPhase) -> list[str]:
    if counts_as_evidence(promise, phase):
        return []
    is_statement = promise.evidence_kind is EvidenceKind.STATEMENT
    return [f"has only a statement: give {PROOF}" if is_statement else "has no evidence"]


def open_cards(number: int) -> str:
    return "one card is still open" if number == 1 else f"{number} cards are still open"
