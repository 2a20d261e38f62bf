"""Criteria of gates: how they are met, what they follow and miss, what is refused, and what ends an approval."""

from __future__ import annotations

from typing import Any

import pytest

from core.actions.cards.labels import EditLabel, MergeLabels, RemoveLabel, SetLabels
from core.actions.fields.custom_fields import AddField, RemoveField, RenameChoice, SetFields
from core.actions.history.history import ListHistory, Redo, Undo
from core.actions.projects.members import InviteMember, RemoveMember
from core.actions.workflow.gate_criteria import (
    AddCriterion,
    EditCriterion,
    ListCriteria,
    MeetCriterion,
    RemoveCriterion,
    TakeBackCriterion,
)
from core.actions.workflow.gate_record import CompareWithSeal, GetSeal, ListGateDecisions
from core.actions.workflow.gates import DecideGate
from core.actions.workflow.phases import EditPhase, RemovePhase
from core.actions.workspace.users import DeactivateUser
from core.diagnostics.seals import check_seals
from core.domain.fields import CustomField, FieldKind, FieldValue
from core.domain.gate_policy import MAX_CRITERIA, CriterionKind, GateCriterion
from core.domain.gates import Decision
from core.domain.labels import ItemLabel
from core.domain.model import Gate, Id, Item, Phase, ProjectRole
from core.engine.messages import Command
from core.engine.unit_of_work import Snapshot, UnitOfWork, new_id
from core.errors import CannotUndo, InvalidFilter, InvalidInput, LapsesApproval, RuleViolation
from core.record import replace
from core.rules.gate_criteria import (
    CriterionResult,
    GateCriteria,
    read_criteria,
    remember_matches,
)
from core.rules.gate_seals import bound_part, read_sealed
from core.rules.seal_words import describe_seal
from tests.support.counting import noted_statements
from tests.support.sized_worlds import add_project, label_and_fill
from tests.support.workspace import World

CLOSED, SUM, HAND = CriterionKind.CLOSED, CriterionKind.SUM, CriterionKind.HAND


@pytest.fixture
def gate(world: World) -> Phase:
    """A phase with a review gate and one card, which is done."""
    phase = world.do(EditPhase(phase_id=world.discover.id, gate=Gate.REVIEW))
    world.complete(world.task("Brief").id)
    return phase


@pytest.fixture
def legal(world: World) -> list[Item]:
    """Two open cards with a label."""
    cards = [world.task(title) for title in ("Contract", "Licence")]
    for card in cards:
        world.do(SetLabels(card_id=card.id, add=("legal",)))
    return cards


@pytest.fixture
def cost(world: World, legal: list[Item]) -> CustomField:
    """A number field, of which the two have 2.5 and 40."""
    field = world.do(AddField(project_id=world.project.id, name="Cost", kind=FieldKind.NUMBER))
    for card, number in zip(legal, ("2.5", "40"), strict=True):
        world.do(SetFields(item_id=card.id, values=(FieldValue("cost", number),)))
    return field


def add(world: World, gate: Phase, kind: CriterionKind = CLOSED, text: str = "Law", **fields: Any) -> GateCriterion:
    return world.do(AddCriterion(phase_id=gate.id, text=text, kind=kind, reason="So", **fields))


def view_of(world: World, tx: Any) -> Snapshot:
    return Snapshot(tx, world.vera, world.clock(), world.project.id)


def results(world: World, *, whole: bool = False) -> list[CriterionResult]:
    """The results of all criteria of the project, in the order of their text."""

    def read(tx: Any) -> list[CriterionResult]:
        view = view_of(world, tx)
        found = GateCriteria.evaluate(view, read_criteria(view, world.project.id), whole=whole)
        return sorted((each for of in found.values() for each in of), key=lambda each: each.criterion.text)

    return world.database.read(read)


def only(world: World, *, whole: bool = False) -> CriterionResult:
    [result] = results(world, whole=whole)
    return result


def test_closed_cards_meet_a_criterion_and_the_open_ones_are_listed(
    world: World, gate: Phase, legal: list[Item]
) -> None:
    add(world, gate, filter="#legal status:done phase:Discover", text="legal work is done")
    found = only(world, whole=True)
    assert world.ask(ListCriteria(phase_id=gate.id)) == (found,)
    assert (found.is_met, found.open, found.matching) == (False, 2, 2)
    assert found.sentence == "“legal work is done” is not met: 2 of 2 cards are open."
    assert found.filter == "label:legal status:done phase:Discover"
    assert [(each.id, each.key, each.where, each.phase_id) for each in found.cards] == [
        (card.id, f"SPR-{card.number}", "Discover", gate.id) for card in legal
    ]
    world.complete(legal[0].id)
    assert only(world).sentence.endswith(": 1 of 2 cards is open.")
    world.complete(legal[1].id)
    assert (only(world).is_met, only(world).cards) == (True, ())
    assert only(world).sentence == "“legal work is done” is met: none of 2 cards is open."


def test_what_matches_nothing_is_met_only_where_it_may_be(world: World, gate: Phase, legal: list[Item]) -> None:
    criterion = add(world, gate, filter="#legal due:any")
    assert only(world).sentence == "“Law” is not met: no card matches its filter."
    world.do(EditCriterion(criterion_id=criterion.id, reason="So", may_be_empty=True))
    assert (only(world).is_met, only(world).open) == (True, 0)


def test_a_card_that_was_archived_open_does_not_count_and_is_named(
    world: World, gate: Phase, legal: list[Item]
) -> None:
    add(world, gate, filter="#legal")
    world.archive(legal[0].id)
    world.do(SetLabels(card_id=legal[1].id, remove=("legal",)), world.bob)
    deleted = world.task("Deed", world.build)
    world.do(SetLabels(card_id=deleted.id, add=("legal",)))
    world.database.write(lambda tx: remember(world, tx, gate, legal))
    world.archive(deleted.id)
    world.delete(deleted.id)
    found = only(world, whole=True)
    assert (found.is_met, found.matching) == (False, 0)
    assert {each.sentence for each in found.left} == {
        "“Contract” (SPR-2) no longer counts for “Law”: it is archived, and was last changed by Maya Okafor on 2 Mar.",
        "“Licence” (SPR-3) no longer counts for “Law”: it does not match any more, and was last changed by Bob Lind on"
        " 2 Mar.",
        "“Deed” (SPR-4) no longer counts for “Law”: it was deleted for good by Maya Okafor on 2 Mar.",
    }
    assert not only(world).left


def remember(world: World, tx: Any, gate: Phase, before: list[Item]) -> None:
    """Remember the matches of now, and the cards that matched before."""
    work = UnitOfWork(tx, world.maya, world.clock(), world.project.id)
    remember_matches(work, gate)
    [criterion] = read_criteria(work, gate.project_id)
    work.update(criterion, matched=(*criterion.matched, *(each.id for each in before)))
    work.flush()


def test_a_decision_forgets_the_cards_that_left_before_it(world: World, gate: Phase, legal: list[Item]) -> None:
    add(world, gate, filter="#legal")
    world.archive(legal[0].id)
    assert len(only(world, whole=True).left) == 1
    world.database.write(lambda tx: remember(world, tx, gate, []))
    assert not only(world, whole=True).left


def test_a_sum_is_compared_with_its_limit(world: World, gate: Phase, cost: CustomField, legal: list[Item]) -> None:
    criterion = add(world, gate, SUM, filter="#legal", field="cost", amount="42.5")
    assert only(world).sentence == "“Law” is met: the sum of Cost is 42.5, and has to be at most 42.5."
    world.do(EditCriterion(criterion_id=criterion.id, reason="So", at_least=True, amount="2,000000".replace(",", "")))
    assert (
        only(world).sentence == "“Law” is not met: the sum of Cost is 42.5, and has to be at least 2\u202f000\u202f000."
    )
    world.do(EditCriterion(criterion_id=criterion.id, reason="So", amount="40", filter="#legal cost:<3"))
    assert (only(world).is_met, only(world).matching) == (False, 1)


def test_only_its_person_meets_a_criterion_by_hand_and_takes_it_back(world: World, gate: Phase) -> None:
    criterion = add(world, gate, HAND, person_id=world.bob.user_id)
    met, back = (kind(criterion_id=criterion.id) for kind in (MeetCriterion, TakeBackCriterion))
    assert only(world).sentence == "“Law” is not met: Bob Lind has to say so."
    world.refuses(back, RuleViolation, "is not met, so there is nothing to take back", as_=world.bob)
    world.refuses(met, RuleViolation, "Bob Lind has to say so. Only that person")
    world.do(met, world.bob)
    assert only(world).sentence == "“Law” is met: Bob Lind said so on Mon 2 Mar 2026."
    world.refuses(met, RuleViolation, "is met already", as_=world.bob)
    world.do(back, world.bob)
    world.do(Undo(project_id=world.project.id), world.bob)
    assert only(world).is_met
    world.do(EditCriterion(criterion_id=criterion.id, reason="So", text="Law and tax"))
    assert not only(world).is_met, "it was met in other words"
    closed = add(world, gate, filter="type:task")
    world.refuses(MeetCriterion(criterion_id=closed.id), RuleViolation, "is met by its cards")


def test_a_person_who_left_cannot_meet_a_criterion_and_what_was_met_stays(world: World, gate: Phase) -> None:
    add(world, gate, HAND, person_id=world.bob.user_id)
    world.do(DeactivateUser(user_id=world.bob.user_id))
    assert only(world).sentence == "“Law” is not met: Bob Lind, who has to say so, is not active."
    world.do(RemoveMember(project_id=world.project.id, user_id=world.bob.user_id))
    assert only(world).sentence == "“Law” is not met: Bob Lind, who has to say so, has left the project."
    gus = InviteMember(project_id=world.project.id, user_id=world.gus.user_id, role=ProjectRole.CONTRIBUTOR)
    world.do(gus)
    second = add(world, gate, HAND, text="Z", person_id=world.gus.user_id)
    world.do(MeetCriterion(criterion_id=second.id), world.gus)
    world.do(RemoveMember(project_id=world.project.id, user_id=world.gus.user_id))
    assert results(world)[1].is_met


def test_a_filter_follows_what_is_renamed_or_merged(world: World, gate: Phase, legal: list[Item]) -> None:
    """And the approval stays, also when the merge is undone."""
    world.complete(*(card.id for card in legal))
    add(world, gate, filter="#legal assignee:none phase:Discover")
    stage = AddField(project_id=world.project.id, name="Stage", kind=FieldKind.CHOICE, choices=("draft", "final"))
    field = world.do(stage)
    add(world, gate, text="Z", filter="stage:draft", may_be_empty=True)
    world.do(DecideGate(phase_id=gate.id, decision=Decision.PASS))
    label = world.row("label", name="legal")["id"]
    world.do(EditLabel(label_id=label, name="Law and tax"))
    world.do(EditPhase(phase_id=gate.id, name="Make"))
    assert results(world)[0].filter == 'label:"Law and tax" assignee:none phase:Make'
    world.do(SetLabels(card_id=world.task("Other", world.build).id, add=("other",)))
    world.do(MergeLabels(label_id=label, into_id=world.row("label", name="other")["id"]))
    assert results(world)[0].filter == "label:other assignee:none phase:Make"
    assert results(world)[0].matching == 2
    world.do(RenameChoice(field_id=field.id, choice="draft", name="early draft"))
    assert results(world)[1].filter == 'stage:"early draft"'
    assert check_seals(world.database).found == "1 seal checked"
    for _ in range(2):
        world.do(Undo(project_id=world.project.id))
    assert [each.filter for each in results(world)] == ['label:"Law and tax" assignee:none phase:Make', "stage:draft"]
    for _ in range(2):
        world.do(Redo(project_id=world.project.id))
    assert results(world)[0].filter == "label:other assignee:none phase:Make"
    assert world.row("phase", id=gate.id)["gate_state"] == "PASSED"
    assert check_seals(world.database).found == "1 seal checked"


@pytest.mark.parametrize(
    ("filter", "why"),
    [
        ("#legal,other", "a label of its filter was removed"),
        ("cost:>3", "the field “Cost” was removed"),
        ("phase:Launch", "a phase of its filter was removed"),
        ("-assignee:bob", "Bob Lind has left the project"),
        ("#legal -assignee:bob", "a label of its filter was removed and Bob Lind has left the project"),
    ],
)
def test_what_is_removed_is_not_met_and_the_reason_is_named(
    world: World, gate: Phase, legal: list[Item], cost: CustomField, filter: str, why: str
) -> None:
    world.do(SetLabels(card_id=legal[0].id, add=("other",)))
    add(world, gate, filter=filter, may_be_empty=True)
    world.do(RemoveLabel(label_id=world.row("label", name="legal")["id"]))
    world.do(RemoveField(field_id=cost.id))
    world.do(RemovePhase(phase_id=world.launch.id))
    world.do(RemoveMember(project_id=world.project.id, user_id=world.bob.user_id))
    assert only(world, whole=True).sentence == f"“Law” is not met: {why}."
    shown = {"cost:>3": "(removed):>3", "phase:Launch": "phase:(removed)"}
    assert only(world).filter == shown.get(filter, only(world).filter)


def test_a_sum_without_its_field_and_a_filter_that_was_changed_past_podium_are_not_met(
    world: World, gate: Phase, cost: CustomField
) -> None:
    add(world, gate, SUM, filter="#legal", field="Cost", amount="50")
    world.do(RemoveField(field_id=cost.id))
    assert only(world).sentence == "“Law” is not met: the field “Cost” was removed."
    world.database.write(lambda tx: tx.execute("UPDATE gate_criterion SET filter = '[{'"))
    assert "its filter cannot be read" in only(world).sentence


HAND_FIELDS = {"kind": HAND, "person_id": "bob"}
SUM_FIELDS = {"kind": SUM, "filter": "#legal", "field": "cost", "amount": "3"}


@pytest.mark.parametrize(
    ("sent", "field", "words"),
    [
        ({"text": " "}, "text", "text"),
        ({"filter": None}, "filter", "that asks for closed cards needs a filter"),
        ({"filter": "  "}, "filter", "Say which cards"),
        ({"filter": "assignee:me"}, "filter", "Name the person instead of “me”"),
        ({"filter": "-@me"}, "filter", "Name the person instead of “me”"),
        ({"filter": "legal"}, "filter", "no free words, as “legal” is"),
        ({"filter": "#12"}, "filter", "no free words, as “#12” is"),
        ({"filter": "phase:2"}, "filter", "Name the phase instead of its number, “2”"),
        ({"filter": "type:application"}, "filter", "an application is never open or closed"),
        ({"filter": "label:print"}, "filter", "There is no label “print”"),
        ({"filter": "assignee:zoe"}, "filter", "There is no member “zoe”"),
        ({"filter": "phase:Design"}, "filter", "There is no phase “Design”"),
        ({"filter": "size:3"}, "filter", "There is no field “size”"),
        ({"filter": "due:29feb2027"}, "filter", "is not a day"),
        ({"filter": 'label:"legal'}, "filter", "The quotes that begin here do not end"),
        ({"person_id": "bob"}, "person_id", "A criterion that asks for closed cards takes no person"),
        ({"amount": "3"}, "amount", "A criterion that asks for closed cards takes no limit"),
        (HAND_FIELDS | {"person_id": None}, "person_id", "needs a person"),
        (HAND_FIELDS | {"person_id": "gus"}, "person_id", "Gus .* is no member of this project"),
        (HAND_FIELDS | {"person_id": "vera"}, "person_id", "is a viewer"),
        (HAND_FIELDS | {"filter": "#legal"}, "filter", "A criterion that is met by hand takes no filter"),
        (SUM_FIELDS | {"amount": None}, "amount", "needs a limit"),
        (SUM_FIELDS | {"amount": "-1"}, "amount", "The limit cannot be below 0"),
        (SUM_FIELDS | {"amount": "many"}, "amount", "“many” is not a number"),
        (SUM_FIELDS | {"field": None}, "field", "needs a number field"),
        (SUM_FIELDS | {"field": "size"}, "field", "This project has no field “size”"),
        (SUM_FIELDS | {"field": "note"}, "field", "“Note” is no number field"),
    ],
)
def test_bad_input_is_refused_with_the_field_and_one_sentence(
    world: World, gate: Phase, cost: CustomField, sent: dict[str, Any], field: str, words: str
) -> None:
    world.do(AddField(project_id=world.project.id, name="Note", kind=FieldKind.TEXT))
    given: dict[str, Any] = {"text": "Law", "kind": CLOSED, "filter": "#legal"} | sent
    if given["kind"] is HAND and "filter" not in sent:
        del given["filter"]
    if name := given.get("person_id"):
        given["person_id"] = getattr(world, name).user_id if hasattr(world, name) else name
    refused = world.refuses(AddCriterion(phase_id=gate.id, **given), InvalidInput, words)
    assert refused.field == field
    if isinstance(refused, InvalidFilter):
        assert refused.text == given["filter"]
    assert not world.rows("SELECT id FROM gate_criterion")


def test_a_gate_has_criteria_only_for_a_review_and_at_most_twenty(world: World, gate: Phase) -> None:
    world.refuses(
        AddCriterion(phase_id=world.build.id, text="Law", kind=HAND, person_id=world.bob.user_id),
        RuleViolation,
        "“Build” has a criterion, which only a review gate looks at",
    )
    added = [add(world, gate, HAND, text=f"C{at}", person_id=world.bob.user_id) for at in range(MAX_CRITERIA)]
    one_more = AddCriterion(phase_id=gate.id, text="Law", kind=HAND, person_id=world.bob.user_id)
    world.refuses(one_more, RuleViolation, "has 20 criteria, the most for one gate")
    automatic = EditPhase(phase_id=gate.id, gate=Gate.AUTOMATIC, reason="So", relock=True)
    world.refuses(automatic, RuleViolation, "has 20 criteria, which only a review gate looks at")
    for each in added:
        world.do(RemoveCriterion(criterion_id=each.id, reason="So"))
    world.do(automatic)
    world.do(EditPhase(phase_id=gate.id, gate=Gate.REVIEW, reason="So", relock=True))
    add(world, gate, HAND, person_id=world.bob.user_id)


def test_a_gate_with_criteria_stays_a_review_through_undo(world: World) -> None:
    world.do(EditPhase(phase_id=world.discover.id, gate=Gate.REVIEW))
    world.do(InviteMember(project_id=world.project.id, user_id=world.gus.user_id, role=ProjectRole.OWNER))
    world.do(AddCriterion(phase_id=world.discover.id, text="Law", kind=HAND, person_id=world.bob.user_id), world.gus)
    world.do(RemoveMember(project_id=world.project.id, user_id=world.vera.user_id))
    world.do(Undo(project_id=world.project.id))
    world.do(Undo(project_id=world.project.id))
    world.refuses(Undo(project_id=world.project.id), CannotUndo, "which only a review gate looks at")


def test_an_approval_ends_when_a_criterion_changes_and_the_record_says_so(
    world: World, gate: Phase, legal: list[Item]
) -> None:
    def sealed() -> dict[str, Any]:
        return world.database.read(lambda tx: bound_part(read_sealed(view_of(world, tx), gate)))

    assert "criteria" not in sealed(), "seals from before keep their hash"
    world.complete(*(card.id for card in legal))
    criterion = add(world, gate, filter="#legal", text="Law")
    assert [each["text"] for each in sealed()["criteria"]] == ["Law"]
    by_hand = add(world, gate, HAND, text="Signed", person_id=world.maya.user_id)
    meet = MeetCriterion(criterion_id=by_hand.id)
    world.do(meet)
    changes: dict[Command[Any], str] = {
        AddCriterion(phase_id=gate.id, text="New", kind=CLOSED, filter="#legal", reason="So"): "“New” was added",
        EditCriterion(criterion_id=criterion.id, reason="So", filter="-#legal"): "“Law” was changed",
        TakeBackCriterion(criterion_id=by_hand.id): "“Signed” was taken back",
        RemoveCriterion(criterion_id=by_hand.id, reason="So"): "“Signed” was removed",
    }
    consent: Any = {"allow_lapse": "We must", "relock": True}
    world.refuses(RemoveCriterion(criterion_id=by_hand.id), InvalidInput, "Why does the gate of “Discover” change")
    for change, words in changes.items():
        world.do(DecideGate(phase_id=gate.id, decision=Decision.PASS))
        refused = world.refuses(change, LapsesApproval, f"This ends Maya Okafor's approval.*: the criterion {words}")
        assert refused.phase_ids == (gate.id,)
        world.do(replace(change, **consent))
        newest = world.rows("SELECT * FROM gate_record WHERE phase_id = :id ORDER BY id DESC LIMIT 2", id=gate.id)
        said = {row["decision"]: row["detail"] for row in newest}
        assert said["LAPSE"] == f"the criterion {words}"
        compared = world.ask(CompareWithSeal(phase_id=gate.id)).differences
        about = f"The criterion {words.partition(' was')[0]}"
        assert [each.is_bound for each in compared if each.sentence.startswith(about)] == [True]
        if isinstance(change, TakeBackCriterion):
            not_met = "“Signed” is not met: Maya Okafor has to say so"
            world.refuses(DecideGate(phase_id=gate.id, decision=Decision.PASS), RuleViolation, not_met)
            world.do(meet)
        else:
            assert said["POLICY_CHANGE"].startswith(f"the criterion {words}: ")
    world.do(DecideGate(phase_id=gate.id, decision=Decision.PASS))
    same = EditCriterion(criterion_id=criterion.id, text="Law", filter="-label:legal")
    assert world.do(same).version == world.row("gate_criterion", id=criterion.id)["version"]
    undo = Undo(project_id=world.project.id, allow_lapse="Back", relock=True)
    assert world.do(undo)
    assert len(world.ask(ListGateDecisions(project_id=world.project.id))) > 10


def test_the_record_and_the_seal_have_a_criterion_in_words(world: World, gate: Phase, cost: CustomField) -> None:
    dear = add(world, gate, SUM, text="Dear", filter="#legal", field="cost", amount="12000")
    signed = add(world, gate, HAND, text="Signed", person_id=world.maya.user_id)
    world.complete(*(row["id"] for row in world.rows("SELECT id FROM item WHERE status <> 'COMPLETED'")))
    world.do(MeetCriterion(criterion_id=signed.id))
    approval = world.do(DecideGate(phase_id=gate.id, decision=Decision.PASS))
    [criteria] = [
        each.lines
        for each in describe_seal(world.ask(GetSeal(record_id=approval.id)).body, "approved", str)
        if each.heading == "Criteria"
    ]
    dear_line, signed_line = sorted(criteria)
    assert "It asks for filter: “label:legal”, field: “Cost”, limit: at most 12000, may be empty: no." in dear_line
    assert "said so on Mon 2 Mar 2026. It asks for person: Maya Okafor." in signed_line
    world.do(EditLabel(label_id=world.row("label", name="legal")["id"], name="law"))
    assert not [each for each in world.ask(CompareWithSeal(phase_id=gate.id)).differences if each.is_bound]
    edit: dict[str, Any] = {"reason": "So", "allow_lapse": "We must", "relock": True}
    world.do(EditCriterion(criterion_id=dear.id, filter="-#law", amount="15000", **edit))
    world.do(EditCriterion(criterion_id=signed.id, person_id=world.bob.user_id, **edit))
    details = [each.record.detail for each in world.ask(ListGateDecisions(project_id=world.project.id))]
    values = "filter: from “label:law” to “-label:law”, limit: from at most 12000 to at most 15000"
    assert f"the criterion “Dear” was changed: {values}" in details
    assert "the criterion “Signed” was changed: person: from Maya Okafor to Bob Lind" in details
    differences = [each.sentence for each in world.ask(CompareWithSeal(phase_id=gate.id)).differences if each.is_bound]
    assert "The criterion “Dear”, limit: at most 12000 → at most 15000" in differences
    assert "The criterion “Dear”, filter: “label:legal” → “-label:law”" in differences
    assert "The criterion “Signed”, person: Maya Okafor → Bob Lind" in differences


def test_the_history_has_a_filter_in_words(world: World, gate: Phase, cost: CustomField) -> None:
    criterion = add(world, gate, filter="#legal,none")
    world.do(EditCriterion(criterion_id=criterion.id, filter="-cost:>3 assignee:bob", reason="So"))
    world.do(RemoveField(field_id=cost.id))
    world.do(RemoveLabel(label_id=world.row("label", name="legal")["id"]))
    entries = world.ask(ListHistory(project_id=world.project.id))
    said = {each.sentence for entry in entries for each in entry.values if each.field == "filter"}
    assert said == {
        "criterion “Law”, filter: from none to “label:legal,none”",
        "criterion “Law”, filter: from “label:legal,none” to “-Cost:>3 assignee:Bob Lind”",
    }


def test_removing_a_phase_removes_its_criteria_and_undo_brings_them_back(world: World) -> None:
    last = world.do(EditPhase(phase_id=world.launch.id, gate=Gate.REVIEW))
    add(world, last, HAND, person_id=world.bob.user_id)
    world.do(RemovePhase(phase_id=last.id))
    assert not results(world)
    world.do(Undo(project_id=world.project.id))
    assert only(world).criterion.text == "Law"


def test_twenty_gates_of_several_projects_are_evaluated_in_one_statement(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also one over ten thousand cards."""
    large = add_project(world, phases=20, cards=10_000, members=(world.maya.user_id, world.bob.user_id))
    label = new_id()
    some = world.rows("SELECT id FROM item WHERE project_id = :p ORDER BY id LIMIT 1000", p=large)
    label_and_fill(world, world.project.id)
    own = world.row("label", name="all")
    world.insert(*(ItemLabel(project_id=large, item_id=row["id"], label_id=own["id"]) for row in some))
    phases: list[tuple[Id, Id]] = [
        (row["project_id"], row["id"]) for row in world.rows("SELECT project_id, id FROM phase ORDER BY rank LIMIT 20")
    ]
    stored = f'[{{"field":"label","ids":["{own["id"]}"]}},{{"field":"type","words":["task"]}}]'
    criteria = [
        GateCriterion(
            project_id=project, id=f"{label}{at}", phase_id=phase, rank="a", text=f"C{at}", kind=CLOSED, filter=stored
        )
        for at, (project, phase) in enumerate(phases)
    ]

    def read(tx: Any) -> dict[Id, tuple[CriterionResult, ...]]:
        return GateCriteria.evaluate(view_of(world, tx), criteria)

    with noted_statements(monkeypatch, world.database) as statements:
        found = world.database.read(read)
    assert len(statements) == 1
    assert len(found) == len(phases) == 20
    assert {each.open for [each] in found.values() if each.criterion.project_id == large} == {1_000}
