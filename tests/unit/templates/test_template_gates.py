"""Policies and criteria of gates in templates: people become roles, and roles become people again."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

import pytest

from core.actions.cards.labels import EditLabel
from core.actions.dependencies.links import LinkCards
from core.actions.fields.custom_fields import RemoveField
from core.actions.history.history import Undo
from core.actions.projects.members import InviteMember
from core.actions.templates.apply import (
    CreateProjectFromTemplate,
    DiffAgainstTemplate,
    MergeTemplate,
    RoleAssignment,
    SaveTemplate,
    TemplateProjectResult,
)
from core.actions.workflow.gate_criteria import AddCriterion, MeetCriterion
from core.actions.workflow.gate_policy import SetGatePolicy
from core.actions.workflow.gate_votes import CastVote
from core.actions.workflow.gates import CheckGate
from core.actions.workflow.phases import EditPhase
from core.actions.workspace.meta_roles import RemoveMetaRole
from core.domain.fields import FieldKind
from core.domain.gate_policy import CriterionKind, Deciding, Vote
from core.domain.model import Gate, Id, ItemKind
from core.domain.templates import (
    DifferenceKind,
    TemplateBody,
    TemplateCriterion,
    TemplateField,
    TemplateItem,
    TemplatePhase,
    TemplatePolicy,
)
from core.errors import InvalidImport, RuleViolation
from core.record import replace
from core.templates.json_format import from_text, outline
from core.templates.template_file import template_in, template_text, workflow_of
from tests.properties.template_strategies import START, Studio
from tests.support.workspace import World, content

OF_PEOPLE = TemplatePolicy(deciders=Deciding.PEOPLE, roles=("Approver", "Lead"), needed=2, secretary="Producer")
OF_ROLE = TemplatePolicy(deciders=Deciding.META_ROLE, roles=("Approver",), four_eyes=True, due_days=9)
COSTS_OVER = 'criteria = [{{ text = "A", filter = "label:x", sum = "cost", most = {} }}]\n'
REVIEW = 'name = "A"\n\n[[phases]]\nname = "B"\ngate = "REVIEW"\n'


@pytest.fixture
def studio(world: World) -> Studio:
    return Studio(world)


def workflow(policy: TemplatePolicy | None = None, **fields: Any) -> TemplateBody:
    items = (TemplateItem(kind=ItemKind.TASK, title="Brief"),)
    make = TemplatePhase(name="Make", gate=Gate.REVIEW, policy=policy, items=items, **fields)
    return TemplateBody(phases=(make, TemplatePhase(name="Ship")))


def made(studio: Studio, body: TemplateBody, *later: TemplateBody, **people: Id) -> TemplateProjectResult:
    template = studio.template(body, *later)
    slots = tuple(RoleAssignment(role, user_id) for role, user_id in people.items())
    return studio.world.do(
        CreateProjectFromTemplate(template_id=template.id, number=1, name="Made", start=START, slots=slots)
    )


def policy_of(world: World, project_id: Id) -> dict[str, Any]:
    return world.row("gate_policy", project_id=project_id)


def test_the_people_of_a_policy_are_those_who_take_its_roles(studio: Studio) -> None:
    bob, vera, gus = studio.world.bob.user_id, studio.world.vera.user_id, studio.world.gus.user_id
    assert outline(workflow(OF_PEOPLE)).slots == ("Approver", "Lead", "Producer")
    found = made(studio, workflow(OF_PEOPLE), Approver=bob, Lead=vera, Producer=gus)
    assert found.left_out == ()
    policy = policy_of(studio.world, found.project.id)
    assert (policy["people"], policy["secretary_id"]) == (f'["{bob}", "{vera}"]', gus)
    assert (policy["deciders"], policy["needed"], policy["four_eyes"]) == ("PEOPLE", 2, 0)
    held = made(studio, workflow(OF_ROLE), Approver=bob)
    policy = policy_of(studio.world, held.project.id)
    assert (policy["meta_role_id"], policy["people"]) == (studio.world.meta_role("Approver"), "[]")
    assert (policy["four_eyes"], policy["decide_by"]) == (1, "2026-03-11")


def test_what_a_policy_lacks_in_a_new_project_is_said_and_its_gate_is_not_easier(studio: Studio) -> None:
    world, bob = studio.world, studio.world.bob.user_id
    found = made(studio, workflow(OF_PEOPLE), Lead=bob)
    assert found.left_out == (
        "The secretary of the gate of “Make”: no person here is Producer; name one in its policy.",
        "The people who decide at the gate of “Make” (2 of Bob Lind): 1 of 1 decider can decide, and it takes 2:"
        " name another decider, set another policy, or override the next phase with a reason.",
    )
    found = made(studio, workflow(replace(OF_PEOPLE, roles=("Approver",), secretary="")))
    (said,) = found.left_out
    assert "(2 people, to be named): no one is named yet: name another decider" in said
    phase = world.row("phase", project_id=found.project.id, name="Make")
    assert world.ask(CheckGate(phase_id=phase["id"])).panel.tally == "no one is named yet"
    world.do(RemoveMetaRole(meta_role_id=world.meta_role("Approver")))
    (said,) = made(studio, workflow(OF_ROLE)).left_out
    assert "“a meta role that was removed”" in said
    assert len(world.rows("SELECT 1 FROM gate_policy")) == 3


def test_an_owner_takes_the_places_at_gates_of_roles_for_which_no_person_is_named(studio: Studio) -> None:
    world = studio.world
    asks = TemplatePolicy(deciders=Deciding.PEOPLE, roles=("Lead",), secretary="Lead")
    by_hand = TemplateCriterion(text="Signed", kind=CriterionKind.HAND, slots=("Lead",))
    found = made(studio, workflow(asks, criteria=(by_hand,)))
    assert found.left_out == ()
    policy, me = policy_of(world, found.project.id), world.maya.user_id
    assert (policy["people"], policy["secretary_id"]) == (f'["{me}"]', me)
    assert world.row("gate_criterion", project_id=found.project.id)["person_id"] == me
    assert world.row("item", project_id=found.project.id)["assignee_id"] is None


def test_a_card_that_a_gate_set_as_a_condition_is_no_part_of_a_template(world: World) -> None:
    world.do(EditPhase(phase_id=world.discover.id, gate=Gate.REVIEW))
    world.do(SetGatePolicy(phase_id=world.discover.id))
    world.complete(world.task().id)
    asked: dict[str, Any] = {"condition": "Get a second price", "person_id": world.bob.user_id, "due": date(2027, 1, 1)}
    world.do(CastVote(phase_id=world.discover.id, vote=Vote.GO_IF, **asked))
    card = world.row("item", title="Get a second price")
    other = world.task("Order", world.build)
    world.do(LinkCards(waiting_id=other.id, blocker_id=card["id"]))
    world.do(SaveTemplate(project_id=world.project.id, name="Saved"))
    body = world.row("template_version", template_id=world.row("template", name="Saved")["id"])["body"]
    assert "Order" in body
    assert "second price" not in body


def test_named_people_become_the_roles_that_they_hold(studio: Studio) -> None:
    world = studio.world
    found = made(studio, workflow(OF_PEOPLE), Approver=studio.role["Approver"])
    project_id = found.project.id
    template_id = world.row("origin", project_id=project_id)["template_id"]
    assert world.ask(DiffAgainstTemplate(project_id=project_id, template_id=template_id)) == ()  # Lead is still open
    (make,) = world.rows("SELECT id FROM phase WHERE name = 'Make'")
    world.do(InviteMember(project_id=project_id, user_id=world.bob.user_id))
    world.do(
        SetGatePolicy(
            phase_id=make["id"],
            deciders=Deciding.PEOPLE,
            people=(world.maya.user_id, world.bob.user_id),
            secretary_id=world.maya.user_id,
            decide_by=date(2026, 12, 20),
        )
    )
    (line,) = world.ask(DiffAgainstTemplate(project_id=project_id, template_id=template_id))
    assert (line.field, line.before) == ("who decides", "2 of Approver and Lead, secretary Producer")
    assert line.after == "all of Lead, secretary Lead, by day 293"  # Bob has no meta role


def test_a_merge_brings_another_policy_as_a_line_with_an_entry_and_leaves_one_by_hand(studio: Studio) -> None:
    world = studio.world
    found = made(studio, workflow(OF_PEOPLE), workflow(OF_ROLE), Approver=studio.role["Approver"])
    project_id, make = found.project.id, world.row("phase", name="Make")
    template_id = world.row("origin", project_id=project_id)["template_id"]
    before = content(world.database, versions=False)
    (line,) = world.do(MergeTemplate(project_id=project_id, template_id=template_id)).differences
    assert (line.kind, line.field, line.after) == (
        DifferenceKind.CHANGED,
        "who decides",
        "all of those with the meta role “Approver”, four eyes, by day 9",
    )
    (entry,) = world.rows("SELECT decision, reason, detail FROM gate_record")
    assert entry["decision"] == "POLICY_CHANGE"
    assert entry["detail"].endswith("to “all of those with the meta role “Approver”, four eyes, by day 9”")
    world.do(Undo(project_id=project_id))
    after = content(world.database, versions=False)
    assert after | {"gate_record": []} == before | {"gate_record": []}
    world.do(SetGatePolicy(phase_id=make["id"], needed=1))
    (line,) = world.do(MergeTemplate(project_id=project_id, template_id=template_id)).differences
    assert (line.kind, line.reason) == (DifferenceKind.KEPT, "it was changed in this project")


def test_a_merge_leaves_a_policy_whose_people_are_not_there_and_removes_one_that_is_gone(studio: Studio) -> None:
    world = studio.world
    found = made(studio, workflow(), workflow(OF_ROLE))
    template_id = world.row("origin", project_id=found.project.id)["template_id"]
    (line,) = world.do(MergeTemplate(project_id=found.project.id, template_id=template_id)).differences
    assert (line.kind, line.reason) == (DifferenceKind.KEPT, "nobody in this project is Approver")
    found = made(studio, workflow(OF_ROLE), workflow(), Approver=studio.role["Approver"])
    template_id = world.row("origin", project_id=found.project.id)["template_id"]
    (line,) = world.do(MergeTemplate(project_id=found.project.id, template_id=template_id)).differences
    assert (line.kind, line.after) == (DifferenceKind.CHANGED, "one owner")
    assert world.rows("SELECT 1 FROM gate_policy") == []


def test_a_gate_that_becomes_automatic_loses_its_policy_and_criteria_unless_one_is_of_the_project(
    studio: Studio,
) -> None:
    world = studio.world
    automatic = replace(with_criteria().phases[0], gate=Gate.AUTOMATIC)
    first = with_criteria(LEGAL)
    first = replace(first, phases=(replace(first.phases[0], policy=TemplatePolicy(needed=1)), first.phases[1]))
    second = replace(first, phases=(automatic, first.phases[1]))
    found = made(studio, first, second)
    assert [line[::2] for line in merged(world, found.project.id)] == [
        ("CHANGED", "gate"),
        ("CHANGED", "who decides"),
        ("REMOVED", ""),
    ]
    assert world.row("phase", project_id=found.project.id, name="Make")["gate"] == "AUTOMATIC"
    found = made(studio, first, second)
    make, maya = world.row("phase", project_id=found.project.id, name="Make"), world.maya.user_id
    world.do(AddCriterion(phase_id=make["id"], text="Mine", kind=HAND, person_id=maya))
    template_id = world.row("origin", project_id=found.project.id)["template_id"]
    merge = MergeTemplate(project_id=found.project.id, template_id=template_id)
    world.refuses(merge, RuleViolation, "“Make” has a criterion, which only a review gate looks at")


def test_a_version_from_before_has_neither_policy_nor_criteria(studio: Studio) -> None:
    body = from_text('{"phases":[{"name":"Make","gate":"REVIEW"}]}')
    assert (body.phases[0].policy, body.phases[0].criteria) == (None, ())
    assert made(studio, body).left_out == ()
    assert studio.world.rows("SELECT phase_id FROM gate_policy UNION SELECT phase_id FROM gate_criterion") == []


# -- criteria ----------------------------------------------------------------------------------------------------------

HAND, CLOSED, SUM = CriterionKind.HAND, CriterionKind.CLOSED, CriterionKind.SUM
BY_LEAD = TemplateCriterion(text="The numbers are checked", kind=HAND, slots=("Lead",))
LEGAL = TemplateCriterion(text="Legal is done", kind=CLOSED, filter='label:legal phase:"Ship it"', may_be_empty=True)
COST = TemplateCriterion(text="It is cheap", kind=SUM, filter="label:legal", field="cost", amount="1000")
COSTS = TemplateField(name="Cost", key="cost", kind=FieldKind.NUMBER)


def with_criteria(*criteria: TemplateCriterion, label: str = "legal", key: str = "cost") -> TemplateBody:
    """A workflow whose last phase has a card with a label."""
    make = replace(workflow().phases[0], criteria=criteria)
    law = TemplateItem(kind=ItemKind.TASK, title="Read the law", labels=(label,) if label else ())
    return TemplateBody(phases=(make, TemplatePhase(name="Ship it", items=(law,))), fields=(replace(COSTS, key=key),))


def criteria_of(world: World, project_id: Id) -> list[dict[str, Any]]:
    return world.rows("SELECT * FROM gate_criterion WHERE project_id = :p ORDER BY rank", p=project_id)


def merged(world: World, project_id: Id) -> list[tuple[str, str, str]]:
    template_id = world.row("origin", project_id=project_id)["template_id"]
    done = world.do(MergeTemplate(project_id=project_id, template_id=template_id))
    return [(line.kind.value, line.path[-1], line.reason or line.field) for line in done.differences]


def test_criteria_name_what_a_new_project_has_even_of_later_phases(studio: Studio) -> None:
    world, bob = studio.world, studio.world.bob.user_id
    found = made(studio, with_criteria(BY_LEAD, LEGAL, COST), Lead=bob)
    assert found.left_out == ()
    project_id = found.project.id
    hand, closed, total = criteria_of(world, project_id)
    assert (hand["person_id"], hand["filter"]) == (bob, "")
    card, label = world.row("item", title="Read the law")["id"], world.row("label", name="legal")["id"]
    for each in (closed, total):
        assert label in each["filter"]
        assert json.loads(each["matched"]) == [card]
    assert (total["field_id"], total["amount"]) == (world.row("field", project_id=project_id)["id"], "1000")
    results = world.ask(CheckGate(phase_id=hand["phase_id"])).criteria
    assert [each.filter for each in results] == ["", 'label:legal phase:"Ship it"', "label:legal"]


def test_a_criterion_about_what_is_not_there_is_left_out_and_one_without_its_person_waits(studio: Studio) -> None:
    by_producer = replace(BY_LEAD, slots=("Producer",))
    found = made(studio, with_criteria(by_producer, LEGAL, COST, label="", key="price"))
    assert found.left_out == (
        "The person of the criterion “The numbers are checked”: none here is Producer; name one in the criterion.",
        "The criterion “Legal is done”: There is no label “legal”. There are none yet.",
        "The criterion “It is cheap”: There is no number field “cost” in the project.",
    )
    (hand,) = criteria_of(studio.world, found.project.id)
    (result,) = studio.world.ask(CheckGate(phase_id=hand["phase_id"])).criteria
    assert result.sentence == "“The numbers are checked” is not met: it names no person who has to say so."


def test_a_saved_criterion_has_names_and_roles_and_none_about_what_was_removed_is_saved(studio: Studio) -> None:
    world = studio.world
    body = with_criteria(BY_LEAD, LEGAL, COST)
    found = made(studio, body, Lead=studio.role["Lead"])
    assert studio.body(found.project).phases[0].criteria == body.phases[0].criteria
    label = world.row("label", name="legal")
    world.do(EditLabel(label_id=label["id"], name="law"))
    shown = [each.filter for each in studio.body(found.project).phases[0].criteria]
    assert shown == ["", 'label:law phase:"Ship it"', "label:law"]
    world.do(RemoveField(field_id=world.row("field", project_id=found.project.id)["id"]))
    assert [each.text for each in studio.body(found.project).phases[0].criteria] == [BY_LEAD.text, LEGAL.text]


def test_a_merge_adds_changes_and_removes_criteria_as_lines_with_one_entry(studio: Studio) -> None:
    world = studio.world
    first = with_criteria(BY_LEAD, replace(LEGAL, filter="label:legal"), replace(COST, filter="type:task"))
    second = with_criteria(
        replace(COST, filter="label:law", amount="900"), replace(LEGAL, text="Law", filter="label:law"), label="law"
    )
    found = made(studio, first, second, Lead=studio.role["Lead"])
    project_id = found.project.id
    before = content(world.database, versions=False)
    assert merged(world, project_id) == [
        ("CHANGED", COST.text, "filter"),
        ("CHANGED", COST.text, "limit"),
        ("ADDED", "Law", ""),
        ("REMOVED", BY_LEAD.text, ""),
        ("REMOVED", LEGAL.text, ""),
        ("CHANGED", "Read the law", "labels"),
    ]
    law = world.row("label", name="law")["id"]  # comes with a card of the same version
    cost, new = criteria_of(world, project_id)
    assert (cost["text"], cost["amount"], new["text"]) == (COST.text, "900", "Law")
    assert law in cost["filter"]
    assert law in new["filter"]
    (entry,) = world.rows("SELECT * FROM gate_record WHERE project_id = :p", p=project_id)
    assert entry["decision"] == "POLICY_CHANGE"
    assert "the criterion “It is cheap” was changed" in entry["detail"]
    world.do(Undo(project_id=project_id))
    now = content(world.database, versions=False)
    assert now | {"gate_record": []} == before | {"gate_record": []}


def test_a_merge_says_which_criteria_it_leaves(studio: Studio) -> None:
    world = studio.world
    by_hand = replace(BY_LEAD, slots=("Approver",))
    found = made(studio, with_criteria(label=""), with_criteria(LEGAL, by_hand, label=""))
    assert merged(world, found.project.id) == [
        ("NOT_ADDED", LEGAL.text, "There is no label “legal”. There are none yet"),
        ("NOT_ADDED", BY_LEAD.text, "nobody in this project is Approver"),
    ]
    found = made(studio, with_criteria(), with_criteria(BY_LEAD))
    make = world.row("phase", project_id=found.project.id, name="Make")
    world.do(EditPhase(phase_id=make["id"], gate=Gate.AUTOMATIC))
    assert merged(world, found.project.id) == [("NOT_ADDED", BY_LEAD.text, "its gate is automatic in this project")]
    found = made(studio, with_criteria(BY_LEAD, LEGAL), with_criteria(), Lead=world.maya.user_id)
    world.do(MeetCriterion(criterion_id=criteria_of(world, found.project.id)[0]["id"]))
    assert merged(world, found.project.id) == [
        ("KEPT", BY_LEAD.text, "it is met"),
        ("REMOVED", LEGAL.text, ""),
    ]


@pytest.mark.parametrize(
    ("written", "policy"),
    [
        ('{ role = "Approver", fourEyes = true, by = 9 }', OF_ROLE),
        ('{ people = ["Lead", "Approver"], needed = 2, secretary = "Producer" }', OF_PEOPLE),
        ("{ needed = 1 }", TemplatePolicy(needed=1)),
        ("{ }", TemplatePolicy()),
        ('{ deciders = "PEOPLE" }', TemplatePolicy(deciders=Deciding.PEOPLE)),
    ],
)
def test_a_policy_in_a_file_says_who_decides_by_what_it_names(studio: Studio, written: str, policy: Any) -> None:
    body = workflow_of(template_in(f"{REVIEW}policy = {written}\n"))
    assert body.phases[0].policy == policy
    assert workflow_of(template_in(template_text(studio.template(body), body))) == body


def test_criteria_in_a_file_are_met_by_what_they_name(studio: Studio) -> None:
    text = """
name = "A"

[[fields]]
name = "Cost"
key = "cost"
kind = "NUMBER"

[[phases]]
name = "B"
gate = "REVIEW"
criteria = [
    { text = "The numbers are checked", by = "Lead" },
    { text = "Legal is done", filter = 'label:legal phase:"Ship it"', empty = true },
    { text = "It is cheap", filter = "label:legal", sum = "cost", most = 1000 },
    { text = "It is sold", filter = "type:task", sum = "cost", least = 0.5 },
]
"""
    body = workflow_of(template_in(text))
    sold = TemplateCriterion(text="It is sold", kind=SUM, filter="type:task", field="cost", at_least=True, amount="0.5")
    assert body.phases[0].criteria == (BY_LEAD, LEGAL, COST, sold)
    written = template_text(studio.template(body), body)
    assert "most = 1000 }" in written
    assert workflow_of(template_in(written)) == body


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (REVIEW.replace("REVIEW", "AUTOMATIC") + "policy = { }\n", "phases[0].policy: Only a review gate"),
        (REVIEW + "policy = { needed = 0 }\n", "phases[0].policy.needed: It takes 1 vote or more"),
        (REVIEW + 'policy = { role = "A", people = ["B"] }\n', "Line 6, phases[0].policy: One role decides, or the"),
        (REVIEW + 'policy = { deciders = "META_ROLE" }\n', "phases[0].policy: One role decides, or the people"),
        (REVIEW + 'policy = { deciders = "OWNERS", role = "A" }\n', "phases[0].policy: One role decides, or the"),
        (REVIEW + "policy = { by = 99999 }\n", "Line 6, phases[0].policy.by: Enter at most 73,200 days"),
        (REVIEW.replace("REVIEW", "AUTOMATIC") + 'criteria = [{ text = "A" }]\n', "criteria: Only a review gate"),
        (REVIEW + "criteria = [" + '{ text = "A" }, ' * 21 + "]\n", "A gate has at most 20 criteria, not 21."),
        (
            REVIEW + 'criteria = [{ text = "A", by = "Lead", filter = "label:x" }]\n',
            "criteria[0].by: A criterion",
        ),
        (REVIEW + 'criteria = [{ text = "A", empty = true }]\n', "criteria[0].filter: Say which cards it is about"),
        (REVIEW + 'criteria = [{ text = "A", filter = "label:x", most = 1 }]\n', "criteria[0].sum: A sum has a limit"),
        (REVIEW + 'criteria = [{ text = "A", filter = "lable:x" }]\n', "Line 6, phases[0].criteria[0].filter: "),
        (REVIEW + 'criteria = [{ text = "A", filter = "x" }]\n', "criteria[0].filter: Name a field, such as label:"),
        (REVIEW + COSTS_OVER.format(-1), "Line 6, phases[0].criteria[0].most: The limit cannot be below 0."),
        (REVIEW + COSTS_OVER.format('"1"'), "criteria[0].most: It should be a number, or nothing"),
        (REVIEW + COSTS_OVER.format("nan"), "criteria[0].most: "),
        (REVIEW + COSTS_OVER.format(5), "criteria[0].sum: The file has no number field with the key “cost”."),
        (REVIEW + 'policy = { deciders = "ALL" }\n', "policy.deciders: It should be one of OWNERS, META_ROLE, PEOPLE"),
    ],
)
def test_what_is_no_policy_or_criterion_in_a_file_is_refused_with_its_place(text: str, said: str) -> None:
    with pytest.raises(InvalidImport) as refused:
        template_in(text)
    assert said in str(refused.value)
