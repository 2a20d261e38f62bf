"""Criteria of gates that are long, many, or said to be met of something else: no list fails, nothing is misquoted."""

from __future__ import annotations

from typing import Any

import pytest

from core.actions.cards.labels import MergeLabels, SetLabels
from core.actions.fields.custom_fields import AddField, SetFields
from core.actions.history.history import ListHistory, Redo, Undo
from core.actions.personal.inbox import ListInbox
from core.actions.personal.my_work import GetMyWork
from core.actions.projects.exports import ExportProject, GetStatusReport
from core.actions.projects.lists import ListProjects
from core.actions.templates.apply import SaveTemplate
from core.actions.workflow.gate_criteria import AddCriterion, EditCriterion, ListCriteria, MeetCriterion
from core.actions.workflow.gate_record import CompareWithSeal
from core.actions.workflow.gates import CheckGate, DecideGate
from core.actions.workflow.phases import EditPhase
from core.domain.fields import FieldKind, FieldValue
from core.domain.gate_policy import MAX_CRITERIA, CriterionKind, GateCriterion
from core.domain.gates import Decision
from core.domain.model import Gate, Phase
from core.engine.unit_of_work import Snapshot
from core.errors import CannotUndo, InvalidInput, LapsesApproval, RuleViolation
from core.record import replace
from core.rules.gate_criteria import TESTS_AT_ONCE, GateCriteria
from core.rules.gate_filters import MAX_TESTS
from core.rules.gate_seals import hash_of_ground
from tests.support.counting import noted_statements
from tests.support.workspace import World

CLOSED, HAND = CriterionKind.CLOSED, CriterionKind.HAND


@pytest.fixture
def gate(world: World) -> Phase:
    """A phase with a review gate, and one card, which is done."""
    phase = world.do(EditPhase(phase_id=world.discover.id, gate=Gate.REVIEW))
    world.do(AddField(project_id=world.project.id, name="Note", kind=FieldKind.TEXT))
    card = world.task("Brief")
    world.do(SetFields(item_id=card.id, values=(FieldValue("note", "Οι ΑΡΜΟΔΙΌΤΗΤΕΣ μας"),)))
    world.complete(card.id)
    return phase


def add(world: World, gate: Phase, text: str, kind: CriterionKind = CLOSED, **fields: Any) -> GateCriterion:
    return world.do(AddCriterion(phase_id=gate.id, text=text, kind=kind, reason="So", **fields))


def test_a_part_of_a_text_in_any_alphabet_is_found_in_one_statement_more(
    world: World, gate: Phase, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(world, gate, "One", filter="note:αρμοδιότητες")
    add(world, gate, "Two", filter="note:αβγδεζηθικλμνξοπρστυφχψω")
    add(world, gate, "Three", filter="-note:ἀἁἂἃἄἅἆἇᾀᾁᾂᾃ,none")
    assert [each.matching for each in world.ask(ListCriteria(phase_id=gate.id))] == [1, 0, 1]
    assert "“Two” is not met: no card matches its filter" in world.ask(CheckGate(phase_id=gate.id)).reason
    criteria = world.rows("SELECT id FROM gate_criterion")
    assert len(criteria) == 3
    with noted_statements(monkeypatch, world.database) as statements:
        world.ask(ListProjects())
    assert len([each for each in statements if "item_field" in each]) == 2


@pytest.mark.parametrize(
    "stored",
    [
        '[{"field":"TEXT","ownId":"x","words":[' + ",".join(f'"{at}"' for at in range(1200)) + "]}]",
        '[{"field":"CHOICE","ids":["x"]}]',
        '[{"field":"due","words":["29feb2027"]}]',
        "[{",
        '{"field":3}',
        "",
    ],
    ids=["too long", "no such field", "no such day", "no JSON", "no list", "empty"],
)
def test_a_filter_that_cannot_be_evaluated_is_not_met_and_fails_no_list(world: World, gate: Phase, stored: str) -> None:
    add(world, gate, "Law", filter="note:any", may_be_empty=True)
    add(world, gate, "Signed", HAND, person_id=world.bob.user_id)
    world.database.write(
        lambda tx: tx.execute("UPDATE gate_criterion SET filter = :filter WHERE kind = 'CLOSED'", filter=stored)
    )
    [law, signed] = world.ask(ListCriteria(phase_id=gate.id))
    assert law.sentence.startswith("“Law” is not met: ")
    assert ". " not in law.sentence, "one sentence"
    assert signed.sentence == "“Signed” is not met: Bob Lind has to say so."
    assert world.ask(CheckGate(phase_id=gate.id)).reason.endswith("2 criteria are not met.")
    assert world.ask(GetStatusReport(project_id=world.project.id))
    for answer in (ListProjects(), ListInbox(), GetMyWork(), ListHistory(project_id=world.project.id)):
        assert world.ask(answer)
    assert world.ask(ExportProject(project_id=world.project.id))
    world.do(SaveTemplate(project_id=world.project.id, name="T"))
    world.refuses(DecideGate(phase_id=gate.id, decision=Decision.PASS), RuleViolation, "2 criteria are not met")
    world.do(EditCriterion(criterion_id=law.criterion.id, filter="note:any", reason="So"))
    assert world.ask(ListCriteria(phase_id=gate.id))[0].is_met


def test_a_long_filter_is_refused(world: World, gate: Phase) -> None:
    words = ",".join(f"w{at}" for at in range(MAX_TESTS - 1))
    add(world, gate, "Long", filter=f"note:{words} has:link", may_be_empty=True)
    longer = AddCriterion(
        phase_id=gate.id, text="c", kind=CLOSED, filter=f"note:{words} has:link -has:due", reason="So"
    )
    refused = world.refuses(longer, InvalidInput, "at most 20 conditions and words, not 21")
    assert refused.field == "filter"


def many(world: World, gates: int, words: int) -> list[GateCriterion]:
    """The most criteria for gates of a project, each with a filter of so many words."""
    asked = ",".join(f'"2026-03-{at + 1:02}"' for at in range(words))
    return [
        GateCriterion(
            project_id=world.project.id, id=f"{gate:02}-{at:02}", phase_id=f"p{gate:02}", rank="a", text="C",
            kind=CLOSED, filter=f'[{{"field":"due","words":[{asked}]}}]', may_be_empty=True,
        )
        for gate in range(gates)
        for at in range(MAX_CRITERIA)
    ]  # fmt: skip


def test_a_list_evaluates_the_gates_that_fit_into_one_statement_and_a_whole_answer_all(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def evaluate(criteria: list[GateCriterion], **how: bool) -> tuple[int, int]:
        """The gates that are evaluated, and the statements that it takes."""
        with noted_statements(monkeypatch, world.database) as statements:
            found = world.database.read(
                lambda tx: GateCriteria.evaluate(
                    Snapshot(tx, world.maya, world.clock(), world.project.id), criteria, **how
                )
            )
        assert all(len(each) == MAX_CRITERIA and each[0].is_met for each in found.values())
        return len(found), len(statements)

    assert MAX_CRITERIA * MAX_TESTS == TESTS_AT_ONCE
    assert evaluate(many(world, 20, 1), in_one=True) == (20, 1)
    assert evaluate(many(world, 3, 8), in_one=True) == (2, 1)
    assert evaluate(many(world, 2, MAX_TESTS), in_one=True) == (1, 1)
    assert evaluate(many(world, 2, MAX_TESTS)) == (2, 2)
    assert evaluate(many(world, 30, 1)) == (30, 2), "more than an engine takes in one statement"


def test_lists_say_of_which_gates_the_criteria_are_not_checked(
    world: World, gate: Phase, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(world, gate, "Law", filter="note:any -note:none")
    monkeypatch.setattr("core.rules.gate_criteria.TESTS_AT_ONCE", 1)
    [waiting] = world.ask(ListProjects()).lines[0].gates
    assert waiting.words == "waits for 1 criterion, not checked yet"
    assert world.ask(CheckGate(phase_id=gate.id)).criteria[0].is_met


def test_what_is_met_by_hand_comes_back_only_as_its_person_said_it(world: World, gate: Phase) -> None:
    criterion = add(world, gate, "Legal agrees", HAND, person_id=world.bob.user_id)
    undo, redo = Undo(project_id=world.project.id), Redo(project_id=world.project.id)

    def met() -> bool:
        return world.row("gate_criterion")["met_at"] is not None

    world.do(MeetCriterion(criterion_id=criterion.id), world.bob)
    world.do(undo, world.bob)
    changed = EditCriterion(criterion_id=criterion.id, reason="So")
    for differing in (replace(changed, person_id=world.maya.user_id), replace(changed, text="Legal and tax agree")):
        world.do(differing)
        world.refuses(redo, CannotUndo, "not what was said to be met, or another person", as_=world.bob)
        assert not met()
        world.do(undo)
    world.do(redo, world.bob)
    assert met()
    world.do(replace(changed, text="Tax agrees"))
    assert not met()
    world.do(undo)
    assert met(), "all is as Bob said it"


def test_a_merge_of_labels_changes_nothing_that_is_bound(world: World, gate: Phase) -> None:
    """Neither for an approval that is compared with its seal and comes back, nor for votes."""
    card_id = world.rows("SELECT id FROM item")[0]["id"]
    for name in ("legal", "law"):
        world.do(SetLabels(card_id=card_id, add=(name,)))
    legal, law = (world.row("label", name=name)["id"] for name in ("legal", "law"))
    add(world, gate, "Law", filter="#legal")

    def ground() -> str:
        view = (world.maya, world.clock(), world.project.id)
        return world.database.read(lambda tx: hash_of_ground(Snapshot(tx, *view), gate))

    before, undo, redo = ground(), Undo(project_id=world.project.id), Redo(project_id=world.project.id)
    world.do(DecideGate(phase_id=gate.id, decision=Decision.PASS))
    world.do(undo)
    world.do(MergeLabels(label_id=legal, into_id=law), world.bob)
    assert world.ask(ListCriteria(phase_id=gate.id))[0].filter == "label:law"
    assert ground() == before
    world.do(redo)
    compared = world.ask(CompareWithSeal(phase_id=gate.id)).differences
    assert not [each.sentence for each in compared if each.is_bound]
    world.do(undo, world.bob)
    assert ground() == before
    other = EditCriterion(criterion_id=world.row("gate_criterion")["id"], filter="#law", reason="So")
    world.refuses(other, LapsesApproval, "the criterion “Law” was changed")
