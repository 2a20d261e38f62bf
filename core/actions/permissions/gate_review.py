"""The review of the gates of a project: who can decide now, whose absence stops it, and who could approve own work."""

from __future__ import annotations

from collections.abc import Iterator

from core.domain.gate_policy import Vote
from core.domain.grants import LOCAL, DecisionSource, PermissionQuery
from core.domain.model import Gate, GateState, Id, Phase, PhaseState, Project
from core.domain.permissions import ALL_CODES, Permission, decided_in_place, holders_of
from core.engine.messages import ProjectQuery
from core.engine.unit_of_work import Snapshot
from core.record import COLLECTION, Record, field, replace
from core.rules.gate_panel import Panel, PanelMember, read_panels
from core.rules.phases import read_workflow
from core.text.phrases import count, names

MOST_ASKED = 50
"""The most people about whom an authorization service is asked for one review."""

DECIDES = Permission.GATE_DECIDE


class GateReview(Record, kw_only=False):
    """A gate that needs a decision, and what is risky about those who decide there."""

    phase_id: Id
    number: int
    phase: str
    policy: str
    """In words: "2 of the 3 owners, four eyes"; "an owner" without one."""
    needed: int
    """The number of votes, or approvals, that a decision takes."""
    votes: str
    """The votes in words: "1 of 2 votes go, 1 no"; "" without a policy."""
    deciders: tuple[PanelMember, ...]
    """Those on its panel, or named to it and gone; of each why they cannot decide, also by the permission source."""
    findings: tuple[str, ...]
    """Sentences: absences that leave no one or too few, people who could approve own work, work of unknown people."""


class PermissionReview(Record, kw_only=False):
    """The review of all gates of a project that need a decision."""

    authority: DecisionSource
    source: str
    """The permission source, and what it has to say about decisions, in sentences."""
    gates: tuple[GateReview, ...] = field(name=COLLECTION)


class ReviewGates(ProjectQuery[PermissionReview]):
    """Review each gate that needs a decision: who can decide now, and where that depends on one person.

    An authorization service is asked about the people on the panels, at most 50 of them.
    """

    route = "GET /v1/projects/{project_id}/gate-review"
    permission = Permission.PROJECT_VIEW

    def asks(self, view: Snapshot) -> tuple[PermissionQuery, ...]:
        if view.grant.authority.source == LOCAL.source:  # which lets all whom panel and four eyes let
            return ()
        able = dict.fromkeys(each.user_id for _, _, panel in _read_gates(view) for each in panel.able)
        account = view.get(Project, id=view.scope).auth_id
        return tuple(PermissionQuery(user_id, account, ALL_CODES) for user_id in [*able][:MOST_ASKED])

    def run(self, view: Snapshot) -> PermissionReview:
        gates = _read_gates(view)
        source = " ".join(_describe_source(view.grant.authority, [panel for _, _, panel in gates]))
        return PermissionReview(view.grant.authority, source, tuple(_review(view, *each) for each in gates))


def _read_gates(view: Snapshot) -> list[tuple[int, Phase, Panel]]:
    """The phases that people decide on and have not approved, with their numbers and panels; none in an archive."""
    workflow = read_workflow(view, view.scope)
    found = {
        number: phase
        for number, phase in enumerate(workflow.phases, 1)
        if workflow.state(phase.id) is not PhaseState.COMPLETE
        and phase.gate_state is not GateState.PASSED
        and (phase.gate is Gate.REVIEW or phase.gate_state is not GateState.NONE)
    }
    if not found or view.get(Project, id=view.scope).archived:
        return []
    panels = read_panels(view, {phase.id: view.scope for phase in found.values()})
    return [(number, phase, panels[phase.id]) for number, phase in found.items()]


def _describe_source(authority: DecisionSource, panels: list[Panel]) -> Iterator[str]:
    if authority.source == LOCAL.source:
        yield f"The database of this workspace decides: {holders_of(DECIDES)} hold {DECIDES}."
        return
    yield f"The permission service decides who holds {DECIDES}, beside the panel of each gate."
    if DECIDES in authority.unnamed:
        yield decided_in_place([DECIDES])
    if any(panel.policy is None for panel in panels):
        yield "At a gate without a policy all whom it permits can decide; it was asked about the owners."
    if authority.fault:
        yield authority.fault.reason


def _review(view: Snapshot, number: int, phase: Phase, panel: Panel) -> GateReview:
    deciders = tuple(replace(each, why_not=each.why_not or _find_refusal(view, each.user_id)) for each in panel.members)
    findings = tuple(_find_risks(phase, panel, [each for each in deciders if each.can_decide]))
    needed = max(panel.needed, 1)
    return GateReview(phase.id, number, phase.name, panel.who, needed, panel.tally, deciders, findings)


def _find_refusal(view: Snapshot, user_id: Id) -> str:
    """The reason why the permission source does not let a person decide whom the panel lets; "" if it does."""
    if view.grant.authority.source == LOCAL.source:
        return ""
    grant = next((grant for asked, grant in view.answers.items() if asked.user_id == user_id), None)
    if grant is None:
        return "the permission service was not asked about them"
    if DECIDES in grant.held:
        return ""
    return f"the permission service {'gave no answer' if grant.authority.fault else 'does not let them'}"


def _find_risks(phase: Phase, panel: Panel, able: list[PanelMember]) -> Iterator[str]:
    """The sentences about a gate. The absent stay on the panel and give no vote; a go that is in still counts."""
    # without a policy an authorization service can let others than owners decide
    no_one = "no one" if panel.policy else "no owner"
    needed, awaited = max(panel.needed, 1), [each.name for each in able if each.counts not in (Vote.GO, Vote.GO_IF)]
    if phase.on_hold:
        yield "It is on hold: no one approves it before a decider lifts that."
    if not able:
        yield f"{no_one.capitalize()} can decide now."
    elif len(able) < needed:
        yield f"A decision takes {count(needed, 'vote')}, and only {names([each.name for each in able])} can vote."
    elif len(able) == needed and awaited:
        absent = awaited[0] if len(awaited) == 1 else f"one of {names(awaited)}"
        lost = f"{no_one} can decide" if needed == 1 else f"the {needed} votes cannot be reached"
        yield f"If {absent} is absent, {lost}."
    for each in able:
        if each.worked:  # four eyes would refuse them
            yield f"{each.name} could approve their own work: they {each.worked} in this round."
    if panel.unknown:
        yield f"It is not known who did {count(panel.unknown, 'piece')} of the work, which bars no one."
