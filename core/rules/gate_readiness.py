"""The points that are missing at the gate of a phase: one answer for every screen, list, command, report and refusal.

A point is a card that is open, a deliverable that is not done or lacks evidence, an earlier phase that keeps the phase
locked, or, where nothing else is missing, the decision itself. A summary has their number and the first of them
(``core.domain.readiness``), and costs lists no statement for each phase. Notes name the cards that left the phase
since its last decision: archived, deleted for good or moved out, by whom and when.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import Any, NamedTuple

from core.domain.gate_policy import Vote
from core.domain.model import Gate, GateState, Id, Item, Phase, PhaseState, Project, Status
from core.domain.permissions import Permission
from core.domain.phase_states import NEEDS_UNLOCKED, Workflow
from core.domain.readiness import STOPS, TO_STOP_SENTENCE, Deciders, GateNote, GateSummary, ReadinessState
from core.engine.project_guard import holders, owners
from core.engine.unit_of_work import Snapshot
from core.errors import OBSTACLES_LISTED, Blocker, PhaseLocked, RuleViolation
from core.record import Record, replace
from core.rules.gate_conditions import condition_points
from core.rules.gate_criteria import CriterionResult, GateCriteria, read_criteria
from core.rules.gate_entries import LAST_DECISIONS, OLDEST_FIRST
from core.rules.gate_facts import (
    PROOF,
    GateFacts,
    Promise,
    find_lacking,
    gate_facts,
    open_cards,
    summarize,
    with_criteria,
    with_votes,
)
from core.rules.gate_panel import Panel, may_decide, read_panels
from core.rules.phases import read_workflow
from core.storage.database import batches, placeholders
from core.text.dates import in_short
from core.text.phrases import count, credit_author, full_name, names, person_name
from core.text.short_keys import card_key


class Readiness(Record):
    """The points that are missing at the gate of a phase, with all else that the people who decide should know."""

    phase_id: Id
    state: ReadinessState
    at_gate: bool
    """As in the short form."""
    reason: str
    """One sentence, for the person who asks."""
    points: tuple[Blocker, ...]
    """What is missing, the first 20: each with a sentence, the place to go to, and who can help."""
    missing: int
    """The number of all points."""
    hold: str
    """The hold, if that was the last decision: who, since when, and why."""
    notes: tuple[GateNote, ...]
    """The cards that were archived, deleted for good or moved out since the last decision, or ever without one."""
    deciders: Deciders
    can_approve: bool
    """True if the approval of the person who asks, or their vote, would be taken now."""
    panel: Panel
    """The people who decide, with their votes."""
    criteria: tuple[CriterionResult, ...] = ()
    """The criteria, each met or not."""


class Points(NamedTuple):
    """The first points of a phase, and the number of all."""

    listed: tuple[Blocker, ...] = ()
    number: int = 0


class Gates:
    """The gates of a project, with what their points are made of. It reads what it is asked for, and that once."""

    def __init__(self, view: Snapshot, workflow: Workflow, project_id: Id, facts: GateFacts | None = None) -> None:
        self._view = view
        self._workflow = workflow
        self._project = view.get(Project, id=project_id)
        sql = gate_facts("project_id = :project_id")
        self.facts = facts or GateFacts.of(view, view.tx.tuples(sql, project_id=project_id))
        self._owners = owners(view, project_id)
        self._cards: dict[Id, list[Blocker]] = {}
        self._panels: dict[Id, Panel] = {}
        self._results: dict[Id, tuple[CriterionResult, ...]] = {}
        self._conditions: dict[Id, Sequence[Blocker]] = {}

    def summary(self, phase: Phase) -> GateSummary:
        """Return the short form, with all votes and criteria."""
        found = summarize(phase, self._workflow.state(phase.id), self._workflow.tally(phase.id), self.facts)
        found = with_criteria(found, self.criteria(phase))
        is_voted = found.state is ReadinessState.READY and phase.id in self.facts.policies
        return with_votes(found, self.panel(phase)) if is_voted or phase.id in self.facts.stops else found

    def criteria(self, phase: Phase) -> tuple[CriterionResult, ...]:
        """Return the criteria of a gate, evaluated now."""
        if phase.id in self.facts.criteria and phase.id not in self._results:
            self._read_criteria([phase])
        return self._results.get(phase.id, ())

    def _read_criteria(self, phases: Iterable[Phase]) -> None:
        asked = [each.id for each in phases if each.id in self.facts.criteria]
        if asked:
            found = read_criteria(self._view, self._project.id, asked)
            self._results |= GateCriteria.evaluate(self._view, found, whole=True)

    def _lost_conditions(self, phase: Phase) -> Sequence[Blocker]:
        """The points of conditions that are no open cards of the phase."""
        if phase.id in self.facts.conditions and phase.id not in self._conditions:
            self._conditions |= condition_points(self._view, self._project.id, [phase.id])
        return self._conditions.get(phase.id, ())

    def panel(self, phase: Phase) -> Panel:
        """Return the people who decide at a gate, with their votes."""
        if phase.id not in self._panels:
            self._panels |= read_panels(self._view, {phase.id: phase.project_id})
        return self._panels[phase.id]

    def find_decider(self, phase: Phase) -> Deciders:
        """Return whether a decision of the sender would be taken, and the people whose would be."""
        if self._project.archived:
            return Deciders()
        panel = self.panel(phase)
        able = panel.waiting if panel.policy else panel.able
        me, names = may_decide(self._view, panel), tuple(each.name for each in able)
        names = self._owners if panel.decides(Vote.STOP) else names
        may = Permission.GATE_DECIDE in self._view.held
        return Deciders(me, names, self._view.actor.user_id, may, may and STOPS in self._view.held)

    @cached_property
    def _helpers(self) -> tuple[str, ...]:
        """The people who can deliver, and complete a card that nobody is assigned to."""
        return holders(self._view, self._project.id, Permission.DELIVER)

    def whole(self, phases: Sequence[Phase], *, with_notes: bool = True) -> list[Readiness]:
        """Return what is missing at the gates of these phases."""
        before = {each.id: self._workflow.incomplete_before(each.id) for each in phases}
        self._read_cards([*phases, *(each for found in before.values() for each in found)])
        self._panels |= read_panels(self._view, {each.id: each.project_id for each in phases})
        self._read_criteria(phases)
        notes: Mapping[Id, tuple[GateNote, ...]] = {}
        if with_notes:
            notes = notes_at(self._view, self._project, phases)
        return [self._whole(phase, notes.get(phase.id, ())) for phase in phases]

    def _whole(self, phase: Phase, notes: tuple[GateNote, ...]) -> Readiness:
        state, found, deciders = self._workflow.state(phase.id), self.summary(phase), self.find_decider(phase)
        points = Points() if state is PhaseState.COMPLETE else self._own(phase)
        if state is PhaseState.LOCKED:
            points = _join([self.earlier(phase), points])
        elif state is PhaseState.OPEN and not points.number:
            points = Points((self._decision(phase),), 1)
        return Readiness(
            phase_id=phase.id,
            state=found.state,
            at_gate=found.at_gate,
            reason=self._reason(phase, found, deciders),
            points=points.listed,
            missing=points.number,
            hold=found.hold,
            notes=notes,
            deciders=deciders,
            can_approve=deciders.me
            and found.state is not ReadinessState.NOT_READY
            and phase.gate_state is not GateState.PASSED
            and not (found.votes and found.votes.to_stop),
            panel=self.panel(phase),
            criteria=self.criteria(phase),
        )

    def _reason(self, phase: Phase, found: GateSummary, deciders: Deciders) -> str:
        held = f"“{phase.name}” is {found.hold}. " if found.hold and not found.on_hold else ""
        if found.state is ReadinessState.COMPLETE:
            return f"“{phase.name}” is complete."
        if found.state is ReadinessState.NOT_READY:
            to_stop = f" {TO_STOP_SENTENCE}" if found.votes else ""
            return f"{held}{self.refusal(phase)}{to_stop}"
        if self._project.archived:
            return f"{held}“{phase.name}” waits for approval, but its project is archived."
        if found.votes:
            words = found.votes.forms(deciders)[0]
            verb = ":" if found.votes.to_stop else " is" if words.startswith("ready") else ""
            return f"{held}“{phase.name}”{verb} {words}."
        who = deciders.who or "nobody"
        if self._is_empty(phase):
            return f"{held}“{phase.name}” has no cards yet. Add some, or {who} can approve it as it is."
        again = " again" if phase.gate_state is GateState.SENT_BACK else ""
        if held:
            return f"{held}Nothing else is missing: {who} can approve it."
        if deciders.who:
            return f"“{phase.name}” is ready{again}: {who} can approve it now."
        return f"“{phase.name}” waits for approval, but none of its owners is active."

    def _is_empty(self, phase: Phase) -> bool:
        """Return whether cards alone would complete the phase, and it has none."""
        return phase.gate is Gate.AUTOMATIC and phase.gate_state is GateState.NONE

    def refusal(self, phase: Phase) -> RuleViolation | None:
        """Return the refusal to approve a phase; None if nothing but the decision is missing."""
        state = self._workflow.state(phase.id)
        if state is PhaseState.COMPLETE:
            return None
        if state is PhaseState.OPEN:
            return self.check_unfinished(phase)
        self._read_cards([phase])
        refused = self.make_locked_error(phase, f"“{phase.name}” cannot be approved")
        refused.blockers = _join([Points(refused.blockers), self._own(phase)]).listed
        return refused

    def check_unfinished(self, phase: Phase) -> RuleViolation | None:
        """Return the refusal for a phase with open cards, or with deliverables that are not done or lack evidence."""
        self._read_cards([phase])
        points, still_open = self._own(phase), self._workflow.tally(phase.id).open
        lacking = find_lacking(phase, self.facts)
        if not points.number:
            return None
        why = [f"{open_cards(still_open)} in it"] if still_open else []
        if len(lacking) == 1:
            why.append(lacking[0][1])
        elif lacking:
            evidence = "evidence" if phase.accepts_statements else PROOF
            why.append(f"{count(len(lacking), 'deliverable')} must be done and have {evidence} first")
        why += [each.sentence for each in self._lost_conditions(phase)]
        failing = [each.sentence.rstrip(".") for each in self._failing(phase)]
        why += failing if len(failing) == 1 else [f"{len(failing)} criteria are not met"] * bool(failing)
        why += [f"it is {self.facts.holds.get(phase.id, 'on hold')}"] if phase.on_hold else []  # last: so is its reason
        what = "cannot be approved" if phase.gate is Gate.REVIEW else "is not complete"
        who_can = tuple(dict.fromkeys(name for each in points.listed for name in each.who_can))
        said = names(why).removesuffix(".")  # the reason of a hold may be a sentence
        return RuleViolation(f"“{phase.name}” {what}: {said}.", blockers=points.listed, who_can=who_can)

    def make_locked_error(self, phase: Phase, what: str) -> PhaseLocked:
        """Return the refusal that names the locked phase, the phases before it with their points, and the owners."""
        waiting_for = self._workflow.incomplete_before(phase.id)
        before = names([f"“{earlier.name}”" for earlier in waiting_for])
        until = f"until {before} {'is' if len(waiting_for) == 1 else 'are'} complete"
        return PhaseLocked(
            f"{what}: “{phase.name}” is locked {until}.",
            phase_id=phase.id,
            until=f"Locked {until}",
            blockers=self.earlier(phase).listed,
            who_can=self._owners,
        )

    def earlier(self, phase: Phase) -> Points:
        """Return the points of the phases that keep a phase locked; of one that lacks nothing, the decision."""
        waiting_for = self._workflow.incomplete_before(phase.id)
        self._read_cards(waiting_for)
        found = ((each, self._own(each)) for each in waiting_for)
        return _join(own if own.number else Points((self._decision(each),), 1) for each, own in found)

    def _own(self, phase: Phase) -> Points:
        """The open cards and the lacking deliverables."""
        lacking = [self._deliverable(phase, promise, why) for promise, why in find_lacking(phase, self.facts)]
        held = [self._hold(phase)] if phase.on_hold else []
        rest = [*lacking, *self._lost_conditions(phase), *self._failing(phase)]
        listed = [*held, *self._cards.get(phase.id, ()), *rest]
        number = len(held) + self._workflow.tally(phase.id).open + len(rest)
        return Points(tuple(listed[:OBSTACLES_LISTED]), number)

    def _failing(self, phase: Phase) -> list[Blocker]:
        """The criteria that are not met, each with the first card to go to, or the person who meets it by hand."""
        place = Blocker(phase.id, "PHASE", phase.name, phase.name, phase_id=phase.id, who_can=self._helpers)
        points: list[Blocker] = []
        for each in self.criteria(phase):
            if not each.is_met:
                at = next(iter(each.cards), place)
                who_can = (each.person,) if each.person else at.who_can
                points.append(replace(at, title=each.sentence, sentence=each.sentence, who_can=who_can))
        return points

    def _hold(self, phase: Phase) -> Blocker:
        """The point of a phase on hold: who holds it, since when, and why."""
        words = f"It is {self.facts.holds.get(phase.id, 'on hold')}"
        who_can = tuple(each.name for each in self.panel(phase).able)
        return Blocker(phase.id, "PHASE", words, phase.name, phase_id=phase.id, sentence=words, who_can=who_can)

    def _deliverable(self, phase: Phase, promise: Promise | None, why: str) -> Blocker:
        if promise is None:
            why = f"{why[:1].upper()}{why[1:]} · Press n on its page to add one"
        return Blocker(
            promise.id if promise else "",
            "DELIVERABLE",
            why,
            phase.name,
            phase_id=phase.id,
            sentence=why,
            who_can=self._helpers if promise else self._owners,
        )

    def _decision(self, phase: Phase) -> Blocker:
        """The point of a phase that lacks nothing but the decision."""
        hold, panel, found = self.facts.holds.get(phase.id), self.panel(phase), self.summary(phase)
        waits = "waits for an owner to approve it"
        if found.votes:
            waits = found.votes.forms(Deciders())[0]
        elif phase.gate_state is GateState.SENT_BACK:
            waits = "was sent back and waits for approval"
        elif self._is_empty(phase):
            waits = "has no cards yet: add some, or an owner can approve it as it is"
        title = f"{phase.name}: {waits}" + (f"; {hold}" if hold else "")
        who_can = tuple(each.name for each in (panel.waiting or panel.able if panel.policy else panel.able))
        who_can = self._owners if found.votes and found.votes.to_stop else who_can
        return Blocker(phase.id, "PHASE", title, phase.name, phase_id=phase.id, sentence=title, who_can=who_can)

    def _read_cards(self, phases: Iterable[Phase]) -> None:
        """Read the first open cards of phases, of each as many as are listed, and of no more phases than are needed."""
        wanted = {each.id: each for each in phases if each.id not in self._cards and self._workflow.tally(each.id).open}
        for batch in batches(list(wanted.values())):
            one = (
                "SELECT * FROM (SELECT phase_id, rank, item.id, kind, title, status, number, first_name, last_name"
                " FROM item LEFT JOIN app_user ON app_user.id = assignee_id WHERE project_id = :project_id"
                " AND phase_id = :{0} AND status IN ('TO_DO', 'IN_PROGRESS')"
                f" ORDER BY rank, item.id LIMIT {OBSTACLES_LISTED}) AS of_{{0}}"
            )
            params = {f"p{number}": each.id for number, each in enumerate(batch)}
            sql = " UNION ALL ".join(map(one.format, params)) + " ORDER BY 1, 2, 3"
            for row in self._view.tx.tuples(sql, project_id=self._project.id, **params):
                self._cards.setdefault(row[0], []).append(self._card(wanted[row[0]], *row[2:]))

    def _card(
        self, phase: Phase, card_id: Id, kind: str, title: str, status: str, number: int, *name: str | None
    ) -> Blocker:
        return Blocker(
            card_id,
            kind,
            title,
            phase.name,
            status=status,
            phase_id=phase.id,
            key=card_key(self._project.key, number),
            sentence=f"“{title}” is still open",
            who_can=(full_name(*name),) if any(name) else self._helpers,
        )


def _join(parts: Iterable[Points]) -> Points:
    points = [*parts]
    listed = [each for part in points for each in part.listed]
    return Points(tuple(listed[:OBSTACLES_LISTED]), sum(part.number for part in points))


def check_not_locked(view: Snapshot, item: Item, status: Status, was: PhaseState | None = None) -> None:
    """Raise RuleViolation if ``status`` needs an unlocked phase and the item's is locked; ``was`` as in ``refuses``."""
    if status not in NEEDS_UNLOCKED:
        return
    workflow = read_workflow(view, item.project_id)
    if workflow.refuses(item.phase_id, status, was):
        verb = "start" if status is Status.IN_PROGRESS else "be completed"
        raise make_locked_error(view, workflow, item.phase_id, f"“{item.title}” cannot {verb}")


def make_locked_error(view: Snapshot, workflow: Workflow, phase_id: Id, what: str) -> PhaseLocked:
    """Return the refusal of what a locked phase does not allow, as ``Gates.make_locked_error`` words it."""
    phase = workflow.phase(phase_id)
    return Gates(view, workflow, phase.project_id).make_locked_error(phase, what)


NOTES_READ = 2_000
"""The most cards that left of which the notes are found."""

_SINCE = (
    "SELECT phase_id, (SELECT min(seq) FROM change_record WHERE change_record.project_id = gate_record.project_id AND"
    """ key = '{{"project_id": "' || gate_record.project_id || '", "id": "' || gate_record.id || '"}}')"""
    f" FROM gate_record WHERE project_id = :project_id AND {LAST_DECISIONS} AND phase_id IN {{chosen}}"
    f" ORDER BY {OLDEST_FIRST}"
)
_LEFT = (
    "SELECT change_record.seq, key, before, after, at, first_name, last_name, through FROM change_record"
    " JOIN change ON change.project_id = change_record.project_id AND change.seq = change_record.seq"
    " LEFT JOIN app_user ON app_user.id = actor_id"
    " WHERE change_record.project_id = :project_id AND change_record.seq > :since AND entity = 'item'"
    " AND before IS NOT NULL AND (after IS NULL AND change.kind = 'DO' OR after LIKE :moved OR after LIKE :archived)"
    " ORDER BY change_record.seq DESC, position DESC LIMIT :most"
)
_LEAVES = {"moved": '%"phase_id"%', "archived": f'%"{Status.ARCHIVED}"%'}
_NOW = "SELECT id, phase_id, title, number, status, archived_from FROM item WHERE project_id = :project_id AND id IN "


def notes_at(view: Snapshot, project: Project, phases: Collection[Phase]) -> dict[Id, tuple[GateNote, ...]]:
    """Return the cards of these phases that were archived, deleted for good or moved out, the newest first.

    Only those since the last decision count, or all where there is none. A card that is back is left out.
    """
    of_project = {"project_id": project.id}
    chosen, params = placeholders(phase.id for phase in phases)
    decided = dict(view.tx.tuples(_SINCE.format(chosen=chosen), **of_project, **params))
    since = {phase.id: decided.get(phase.id) or 0 for phase in phases}
    first = min(since.values(), default=0)
    rows = view.tx.tuples(_LEFT, **of_project, since=first, most=NOTES_READ, **_LEAVES)
    left = [(seq, *(json.loads(text or "{}") for text in (key, old, new)), by) for seq, key, old, new, *by in rows]
    if not left:
        return {}
    some, params = placeholders({key["id"] for _, key, *_ in left})
    now = {row[0]: row for row in view.tx.tuples(_NOW + some, **of_project, **params)}
    gone = {key["id"]: old for _, key, old, new, _ in left if not new and key["id"] not in now}
    found: dict[Id, dict[Id, GateNote]] = {}
    for seq, key, old, new, by in left:
        card_id, in_change = key["id"], "phase_id" in old
        if not in_change and new.get("status") != Status.ARCHIVED:  # the LIKE also matches texts with that word
            continue
        if card_id in gone:
            phase_now, status, card = None, None, gone[card_id]
        elif card_id in now:
            _, phase_now, title, number, status, archived_from = now[card_id]
            card = {"phase_id": phase_now, "title": title, "number": number, "archived_from": archived_from}
        else:
            continue
        phase_id = (old if in_change else card)["phase_id"]
        how = "archived" if not in_change else "moved out" if new else "deleted for good"
        is_back = status != Status.ARCHIVED if not in_change else phase_now == phase_id
        if is_back or seq <= since.get(phase_id, seq) or card_id in found.get(phase_id, ()):
            continue
        found.setdefault(phase_id, {})[card_id] = _note(view, project, card_id, card, how, by)
    return {phase_id: tuple(notes.values()) for phase_id, notes in found.items()}


def _note(
    view: Snapshot, project: Project, card_id: Id, card: Mapping[str, Any], how: str, by: Sequence[str]
) -> GateNote:
    """Say of a card that left how it did, by whom and when, and whether it was archived before it was completed."""
    at, first_name, last_name, through = by
    is_open = " before it was completed" if how != "moved out" and card["archived_from"] in _OPEN else ""
    who = credit_author(person_name(first_name, last_name), through)
    day = in_short(view.day_of(datetime.fromisoformat(at)), view.today)
    key = card_key(project.key, card["number"])
    sentence = f"“{card['title']}” ({key}) was {how}{is_open} by {who} on {day}."
    return GateNote(sentence=sentence, card_id=card_id, key=key)


_OPEN = (Status.TO_DO, Status.IN_PROGRESS)
