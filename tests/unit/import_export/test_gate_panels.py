"""Gates in files: policies, criteria, votes, conditions and holds come as they were."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest

from core.actions.cards.labels import AddLabel, RemoveLabel, SetLabels
from core.actions.fields.custom_fields import AddField, RemoveField
from core.actions.projects.imports import ImportProject, PreviewImport
from core.actions.projects.members import InviteMember, RemoveMember
from core.actions.workflow.gate_conditions import ListConditions
from core.actions.workflow.gate_criteria import AddCriterion, MeetCriterion
from core.actions.workflow.gate_policy import SetGatePolicy
from core.actions.workflow.gate_record import ListGateDecisions
from core.actions.workflow.gate_votes import CastVote, ContradictMeeting, MeetingVote, RecordMeeting
from core.actions.workflow.gates import CheckGate, DecideGate
from core.actions.workflow.phases import EditPhase
from core.actions.workspace.meta_roles import SetMetaRoles
from core.codec.encoding import to_json
from core.domain.fields import FieldKind
from core.domain.gate_policy import CriterionKind, Deciding, Vote
from core.domain.gates import Decision
from core.domain.model import Gate, GateState, Phase, PhaseState, ProjectRole
from core.errors import InvalidImport, RuleViolation
from core.import_export.document import PersonEntry, PhaseEntry, ProjectDocument
from core.import_export.files import read_document
from core.record import replace
from core.wire.message_decoder import message_from
from tests.support.workspace import World
from tests.unit.import_export.test_gate_records import as_file, exported

HAND, CLOSED, SUM = CriterionKind.HAND, CriterionKind.CLOSED, CriterionKind.SUM
DUE = date(2026, 12, 18)


@pytest.fixture
def document(world: World) -> ProjectDocument:
    """The export of a project: a meeting approved “Discover” with a condition, and “Build” is on hold."""
    project_id, discover, build = world.project.id, world.discover, world.build
    maya, bob, gus = world.maya.user_id, world.bob.user_id, world.gus.user_id
    world.do(InviteMember(project_id=project_id, user_id=gus, role=ProjectRole.CONTRIBUTOR))
    world.do(SetMetaRoles(project_id=project_id, user_id=bob, meta_role_ids=(world.meta_role("Approver"),)))
    for phase in (discover, build):
        world.do(EditPhase(phase_id=phase.id, gate=Gate.REVIEW))
    legal = world.do(AddLabel(project_id=project_id, name="legal advice"))
    world.do(AddField(project_id=project_id, name="Cost", key="cost", kind=FieldKind.NUMBER))
    law = world.task("Read the law", discover)
    world.do(SetLabels(card_id=law.id, add=("legal advice",)))
    checked = add(world, discover, HAND, text="The numbers are checked", person_id=bob)
    add(world, discover, CLOSED, text="Legal is done", filter=f'label:"{legal.name}" phase:discover -assignee:bob')
    add(world, build, SUM, text="It is cheap", filter="assignee:bob", field="cost", amount="9.5", may_be_empty=True)
    world.complete(law.id)
    world.do(MeetCriterion(criterion_id=checked), as_=world.bob)
    people: dict[str, Any] = {"deciders": Deciding.PEOPLE, "people": (maya, bob, gus), "reason": "A committee"}
    world.do(SetGatePolicy(phase_id=discover.id, needed=2, secretary_id=maya, decide_by=DUE, **people))
    world.do(CastVote(phase_id=discover.id, vote=Vote.NO, reason="Not yet"), as_=world.bob)
    condition: dict[str, Any] = {"condition": "Ask the union", "person_id": gus, "due": DUE}
    votes = (MeetingVote(user_id=bob, vote=Vote.GO_IF, **condition), MeetingVote(user_id=gus, vote=Vote.GO))
    world.do(RecordMeeting(phase_id=discover.id, day=date(2026, 3, 1), votes=votes))
    role = world.meta_role("Approver")
    world.do(SetGatePolicy(phase_id=build.id, deciders=Deciding.META_ROLE, meta_role_id=role, four_eyes=True))
    world.do(DecideGate(phase_id=build.id, decision=Decision.HOLD, reason="No budget"), as_=world.bob)
    return exported(world)


def add(world: World, phase: Phase, kind: CriterionKind, **fields: Any) -> str:
    return world.do(AddCriterion(phase_id=phase.id, kind=kind, **fields)).id


def imported(world: World, document: ProjectDocument, **fields: Any) -> str:
    read = read_document(as_file(world, document)).document
    assert read == document
    return world.do(ImportProject(document=read, **fields)).id


def phase_of(world: World, project_id: str, name: str) -> str:
    return str(world.row("phase", project_id=project_id, name=name)["id"])


def test_an_imported_project_has_the_same_gates(world: World, document: ProjectDocument) -> None:
    discover, build = document.phases[:2]
    assert discover.policy is not None
    assert (discover.policy.people, discover.policy.secretary) == (("maya", "bob", "gus"), "maya")
    assert [(each.person, each.met_by, each.filter, each.matched) for each in discover.criteria] == [
        ("bob", "bob", "", ()),
        (None, None, 'label:"legal advice" phase:Discover -assignee:"Bob Lind"', ("1",)),
    ]
    assert (build.on_hold, build.criteria[0].field, build.criteria[0].amount) == (True, "cost", "9.5")
    condition = next(each.condition for each in discover.decisions if each.condition)
    assert (condition.person, condition.item, condition.next_phase, condition.decision) == (
        "gus",
        document.phases[1].items[-1].id,
        2,
        len(discover.decisions),
    )
    parts = world.ask(PreviewImport(document=document)).parts
    assert parts[parts.index("2 gate decisions") :][:6] == (
        "2 gate decisions",
        "3 votes",
        "8 other entries of the gate record",
        "2 policies of gates",
        "3 criteria",
        "1 condition",
    )
    came = exported(world, project_id := imported(world, document))
    mark: dict[str, Any] = {"imported_by": "maya", "imported_at": world.engine.clock()}
    for was, now in zip(document.phases, came.phases, strict=True):
        assert now == replace(was, decisions=tuple(replace(each, **mark) for each in was.decisions))
    sql = "SELECT filter FROM gate_criterion WHERE project_id = :p ORDER BY text"
    stored = [[row["filter"].count('"ids"') for row in world.rows(sql, p=p)] for p in (world.project.id, project_id)]
    assert stored == [[1, 3, 0], [1, 3, 0]]
    assert world.row("gate_record", project_id=project_id, decision="VOTE_GO")["recorded_by"] == world.maya.user_id


def test_an_imported_hold_and_condition_bind_and_imported_votes_count_for_nothing(
    world: World, document: ProjectDocument
) -> None:
    sent = replace(document.phases[0], gate_state=GateState.SENT_BACK)
    project_id = imported(world, replace(document, phases=(sent, *document.phases[1:])))
    check = world.ask(CheckGate(phase_id=phase_of(world, project_id, "Discover")))
    assert (check.votes, [each.vote for each in check.panel.members]) == ("0 of 2 votes go", [None] * 3)
    assert check.phase_state is PhaseState.OPEN
    held = world.ask(CheckGate(phase_id=phase_of(world, project_id, "Build")))
    assert any("No budget" in each for each in (held.reason, *(point.sentence for point in held.blockers)))
    (condition,) = world.ask(ListConditions(project_id=project_id))
    assert (condition.state, condition.person, condition.is_waiting) == ("open", "Gus Roy", True)
    assert condition.set_by == "Bob Lind"
    entries = {each.words: each.by for each in world.ask(ListGateDecisions(project_id=project_id))}
    recorded = "imported by Maya Okafor, recorded by Maya Okafor, not voted"
    assert entries["voted go if"] == f"Bob Lind, in the meeting of Sun 1 Mar 2026, {recorded}"
    meeting = "the meeting of Sun 1 Mar 2026, recorded by Maya Okafor, imported by Maya Okafor"
    assert entries["approved"] == meeting
    record = world.row("gate_record", project_id=project_id, decision="PASS")["id"]
    world.refuses(ContradictMeeting(record_id=record, reason="No"), RuleViolation, "names no vote of yours")


def test_whom_a_gate_names_and_is_not_here_is_named_refused_and_left_out_when_told_to(
    world: World, document: ProjectDocument
) -> None:
    discover = document.phases[0]
    assert discover.policy is not None
    policy = replace(discover.policy, people=("zed",), secretary="zed", meta_role="Pilot")
    (hand, closed) = discover.criteria
    decisions = tuple(
        replace(each, condition=replace(each.condition, person="zed")) if each.condition else each
        for each in discover.decisions
    )
    changed = replace(
        discover,
        policy=policy,
        criteria=(replace(hand, person="zed"), replace(closed, filter="assignee:zed")),
        decisions=decisions,
    )
    people = (*document.people, PersonEntry(login="zed", name="Zed Zeller"))
    unknown = replace(document, people=people, phases=(changed, *document.phases[1:]))
    missing = [(each.kind, each.name, each.why) for each in world.ask(PreviewImport(document=unknown)).missing]
    assert missing == [("person", "Zed Zeller (zed)", "whom a gate names"), ("meta role", "Pilot", "")]
    with pytest.raises(InvalidImport, match=r"person “Zed Zeller \(zed\)” \(whom a gate names\)"):
        world.do(ImportProject(document=unknown))
    project_id = world.do(ImportProject(document=unknown, leave_out_unknown=True)).id
    came = exported(world, project_id).phases[0]
    assert came.policy is not None
    assert (came.policy.deciders, came.policy.people, came.policy.secretary) == (Deciding.PEOPLE, (), None)
    assert [(each.person, each.filter) for each in came.criteria] == [(None, ""), (None, "label:(removed)")]
    assert [each.condition.person for each in came.decisions if each.condition] == [None]
    check = world.ask(CheckGate(phase_id=phase_of(world, project_id, "Discover")))
    assert "no one is named yet" in check.panel.stuck


def test_a_criterion_about_what_was_removed_or_a_person_who_left_comes_and_is_not_met(
    world: World, document: ProjectDocument
) -> None:
    assert document
    world.do(RemoveLabel(label_id=world.row("label", name="legal advice")["id"]))
    world.do(RemoveField(field_id=world.row("field")["id"]))
    world.do(RemoveMember(project_id=world.project.id, user_id=world.bob.user_id))
    left = exported(world)
    assert next(each.role for each in left.people if each.login == "bob") is None
    assert left.phases[0].criteria[1].filter == "label:(removed)"
    project_id = imported(world, left)
    assert [each.criteria for each in exported(world, project_id).phases] == [each.criteria for each in left.phases]
    found = world.ask(CheckGate(phase_id=phase_of(world, project_id, "Build"))).criteria
    assert [each.sentence for each in found] == [
        "“It is cheap” is not met: Bob Lind has left the project and a field of its filter was removed."
    ]


def test_a_file_from_before_has_no_word_of_it_and_reads_as_before(world: World) -> None:
    people = (PersonEntry(login="maya", role=ProjectRole.OWNER),)
    old = ProjectDocument(name="Old", people=people, phases=(PhaseEntry(name="Work", gate=Gate.REVIEW),))
    text = as_file(world, old)
    for key in ("onHold", "policy", "criteria", "ground", "meeting", "recordedBy", "condition"):
        assert f'"{key}"' not in text
    world.do(ImportProject(document=read_document(text).document))
    assert world.rows("SELECT phase_id FROM gate_policy UNION SELECT phase_id FROM gate_criterion") == []


def test_who_completed_before_an_import_is_unknown_to_four_eyes(world: World, document: ProjectDocument) -> None:
    discover = document.phases[0]
    assert discover.policy is not None
    four_eyes = replace(discover, policy=replace(discover.policy, four_eyes=True), gate_state=GateState.SENT_BACK)
    world.clock.forward(minutes=1)
    project_id = imported(world, replace(document, phases=(four_eyes, *document.phases[1:])))
    phase_id = phase_of(world, project_id, "Discover")
    panel = world.ask(CheckGate(phase_id=phase_id)).panel
    assert ([each.why_not for each in panel.members], panel.unknown) == ([""] * 3, 1)


Change = Callable[[dict[str, Any]], object]


def of_policy(**fields: Any) -> Change:
    return lambda phase: phase["policy"].update(fields)


def of_criterion(at: int, **fields: Any) -> Change:
    return lambda phase: phase["criteria"][at].update(fields)


def of_condition(**fields: Any) -> Change:
    return lambda phase: next(each["condition"] for each in phase["decisions"] if each["condition"]).update(fields)


HOSTILE: dict[str, tuple[Change, str]] = {
    "a quorum of nothing": (of_policy(needed=0), r"phases\[0\].policy.needed: It takes 1 vote or more"),
    "a decider that is none": (of_policy(people=["zed"]), r"policy.people\[0\]: “zed” is not among the people"),
    "a secretary that is none": (of_policy(secretary="zed"), r"policy.secretary: “zed” is not among"),
    "too many deciders": (of_policy(people=["bob"] * 51), "policy.people: A panel has at most 50 people"),
    "a filter that does not parse": (of_criterion(1, filter='label:"x'), r"criteria\[1\].filter: The quotes"),
    "a free word": (of_criterion(1, filter="x"), r"criteria\[1\].filter: Name a field, such as label:legal"),
    "a label that is none": (of_criterion(1, filter="label:x"), r"criteria\[1\].filter: There is no label “x”"),
    "no filter": (of_criterion(1, filter=""), r"criteria\[1\].filter: A criterion has a filter, unless"),
    "a filter by hand": (of_criterion(0, filter="due:any"), r"criteria\[0\].filter: A criterion has a filter, unless"),
    "a limit below zero": (of_criterion(1, kind="SUM", amount="-1"), r"criteria\[1\].amount: The limit cannot be"),
    "a sum of nothing": (of_criterion(1, kind="SUM"), r"criteria\[1\].amount: A sum has a limit"),
    "a field that is none": (
        of_criterion(1, kind="SUM", amount="1", field="x"),
        r"field: The file has no number",
    ),
    "an item that is none": (of_criterion(1, matched=["99"]), r"matched: There is no item with the id “99”"),
    "two ways": (of_criterion(1, person="bob"), r"criteria\[1\].person: Only what is met by hand"),
    "no review": (lambda phase: phase.update(gate="AUTOMATIC"), r"phases\[0\].policy: Only a review gate has it"),
    "criteria alone": (
        lambda phase: phase.update(gate="AUTOMATIC", policy=None),
        "criteria: Only a review gate has it",
    ),
    "21 criteria": (lambda phase: phase.update(criteria=phase["criteria"] * 11), "at most 20 criteria, not 22"),
    "approved and held": (lambda phase: phase.update(onHold=True), "onHold: The phase is approved"),
    "a condition of another": (of_condition(decision=99), "condition.decision: It is a number from 1 to"),
    "a condition elsewhere": (of_condition(nextPhase=0), "condition.nextPhase: It is a number from 1 to"),
    "a condition on no card": (of_condition(item="99"), "condition.item: There is no item"),
    "a condition of nobody": (of_condition(waivedBy="zed"), "condition.waivedBy: “zed” is not among the people"),
    "a condition without a day": (of_condition(due=None), "condition.due: "),
    "a meeting on no day": (lambda phase: phase["decisions"][-1].update(meeting="then"), "meeting: "),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_a_gate_with_something_wrong_is_refused_by_field(world: World, document: ProjectDocument, case: str) -> None:
    change, said = HOSTILE[case]
    forged = to_json(document)
    change(forged["phases"][0])
    before = world.rows("SELECT count(*) AS n FROM phase")
    with pytest.raises(InvalidImport, match=said):
        world.send(message_from("ImportProject", {"document": forged}))
    assert world.rows("SELECT count(*) AS n FROM phase") == before
