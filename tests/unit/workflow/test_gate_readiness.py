"""The points that are missing at a gate: all of them at once, the hold, and the cards that left the phase."""

from __future__ import annotations

from datetime import date

import pytest

from core.actions.cards.cards import DeleteCard, ReorderCard, RestoreCard
from core.actions.cards.tasks import CreateTask
from core.actions.history.history import Undo
from core.actions.projects.exports import GetStatusReport
from core.actions.projects.projects import ArchiveProject
from core.actions.workflow.canvas import GetCanvas
from core.actions.workflow.deliverables import AddDeliverable, Deliver
from core.actions.workflow.gates import CheckGate, DecideGate, GateCheck
from core.actions.workflow.phases import EditPhase, SetPhaseDueDate
from core.domain.gates import Decision
from core.domain.model import Gate, Item, Phase
from core.domain.readiness import ReadinessState
from core.engine.unit_of_work import Actor
from core.errors import RuleViolation
from core.reports.status_report import to_markdown
from tests.support.workspace import World


@pytest.fixture
def reviewed(world: World) -> Phase:
    """Discover, with a review gate that asks for evidence, and one completed card."""
    phase = world.do(EditPhase(phase_id=world.discover.id, gate=Gate.REVIEW, evidence_required=True))
    done(world, world.task("Interview Ada"))
    return phase


def done(world: World, task: Item) -> Item:
    return world.complete(task.id)


def check(world: World, phase: Phase, who: Actor | None = None) -> GateCheck:
    return world.ask(CheckGate(phase_id=phase.id), who)


def notes(world: World) -> list[str]:
    return [each.sentence for each in check(world, world.discover).notes]


def test_evidence_cannot_be_asked_for_of_no_deliverable(world: World, reviewed: Phase) -> None:
    found = check(world, reviewed)
    assert (found.state, found.can_approve) == (ReadinessState.NOT_READY, False)
    [point] = found.blockers
    assert (point.kind, point.id, point.phase_id) == ("DELIVERABLE", "", reviewed.id)
    assert point.sentence == "It has no deliverable yet · Press n on its page to add one"
    world.refuses(DecideGate(phase_id=reviewed.id, decision=Decision.PASS), RuleViolation, "it has no deliverable yet")


def test_all_that_is_missing_is_said_at_once(world: World, reviewed: Phase) -> None:
    task = world.task("Call Ben", assignee_id=world.bob.user_id)
    free = world.task("Ask Ida")
    report = world.do(AddDeliverable(phase_id=reviewed.id, name="Report"))
    found = check(world, reviewed)
    assert [(each.id, each.kind, each.key, each.sentence, each.who_can) for each in found.blockers] == [
        (task.id, "TASK", "SPR-2", "“Call Ben” is still open", ("Bob Lind",)),
        (free.id, "TASK", "SPR-3", "“Ask Ida” is still open", ("Bob Lind", "Maya Okafor")),
        (report.id, "DELIVERABLE", "", "“Report” is not done and has no evidence", ("Bob Lind", "Maya Okafor")),
    ]
    why = "2 cards are still open in it and “Report” is not done and has no evidence"
    assert found.reason == f"“Discover” cannot be approved: {why}."
    locked = check(world, world.build)
    assert locked.blockers[: found.missing] == found.blockers
    column = world.ask(GetCanvas(project_id=world.project.id)).head.columns[0]
    assert (column.missing.missing, column.missing.first) == (3, "2 cards are still open")


def test_a_statement_that_is_no_evidence_here_is_said_to_be_none_with_what_is(world: World, reviewed: Phase) -> None:
    why = "“Contract” has only a statement: give a link, a file or a card"
    contract, brief = (world.do(AddDeliverable(phase_id=reviewed.id, name=name)) for name in ("Contract", "Brief"))
    for each in (contract, brief):
        world.do(Deliver(deliverable_id=each.id, statement="All signed"))
    several = "2 deliverables must be done and have a link, a file or a card first"
    assert check(world, reviewed).reason == f"“Discover” cannot be approved: {several}."
    world.do(Deliver(deliverable_id=brief.id, link="https://files.example/1"))
    found = check(world, reviewed)
    assert ([each.sentence for each in found.blockers], found.reason) == (
        [why],
        f"“Discover” cannot be approved: {why}.",
    )


@pytest.mark.parametrize(("day", "is_named"), [(16, True), (17, False)])
def test_the_report_names_evidence_that_is_due_within_what_it_covers_beside_open_cards(
    world: World, reviewed: Phase, day: int, is_named: bool
) -> None:
    world.task("Call Ben")
    world.do(AddDeliverable(phase_id=reviewed.id, name="Contract"))
    world.do(SetPhaseDueDate(phase_id=reviewed.id, due=date(2026, 3, day)))
    report = to_markdown(world.ask(GetStatusReport(project_id=world.project.id)))
    gap = "Phase 1 Discover is not ready for approval: “Contract” is not done and has no evidence; 1 more"
    assert (gap in report) == is_named
    assert "| review with evidence |" in report


@pytest.mark.parametrize(
    ("who", "reason"), [("maya", "you can approve it now"), ("vera", "Maya Okafor can approve it")]
)
def test_ready_names_who_can_approve(world: World, who: str, reason: str) -> None:
    world.do(EditPhase(phase_id=world.discover.id, gate=Gate.REVIEW))
    done(world, world.task())
    found = check(world, world.discover, getattr(world, who))
    assert (found.state, found.can_approve) == (ReadinessState.READY, who == "maya")
    assert f"is ready: {reason}" in found.reason
    world.do(ArchiveProject(project_id=world.project.id))
    archived = check(world, world.discover, getattr(world, who))
    assert (archived.can_approve, "ready" in archived.reason) == (False, False)


def test_a_hold_is_named_with_its_reason_until_it_is_lifted_and_an_old_one_binds_nobody(world: World) -> None:
    world.do(EditPhase(phase_id=world.discover.id, gate=Gate.REVIEW))
    done(world, world.task())
    world.do(DecideGate(phase_id=world.discover.id, decision=Decision.HOLD, reason="Waiting\nfor legal"))
    held = "held by Maya Okafor since 2 Mar: Waiting for legal"
    found = check(world, world.discover)
    assert (found.hold, found.can_approve) == (held, False)
    assert found.reason == f"“Discover” cannot be approved: it is {held}."
    assert check(world, world.build).blockers[0].title == f"It is {held}"
    world.database.write(lambda tx: tx.execute("UPDATE phase SET on_hold = 0"))  # as holds were before they bound
    found, held = check(world, world.discover), f"{held} (from before holds were binding: it binds nobody)"
    assert (found.hold, found.can_approve) == (held, True)
    assert found.reason == f"“Discover” is {held}. Nothing else is missing: you can approve it."
    assert check(world, world.build).blockers[0].title.startswith("Discover: waits for an owner to approve it; held by")
    world.database.write(lambda tx: tx.execute("UPDATE phase SET on_hold = 1 WHERE id = :id", id=world.discover.id))
    world.do(Undo(project_id=world.project.id))
    assert check(world, world.discover).hold == ""


def test_cards_that_left_are_named_with_who_took_them_away_and_block_nothing(world: World) -> None:
    one, two, three, back = (world.task(name) for name in ("One", "Two", "Three", "Back"))
    done(world, two)
    world.archive(one.id, two.id, back.id)
    world.do(RestoreCard(card_id=back.id))
    world.do(ReorderCard(card_id=three.id, phase_id=world.build.id), world.bob)
    world.do(DeleteCard(card_id=two.id))
    assert notes(world) == [
        "“Two” (SPR-2) was deleted for good by Maya Okafor on 2 Mar.",
        "“Three” (SPR-3) was moved out by Bob Lind on 2 Mar.",
        "“One” (SPR-1) was archived before it was completed by Maya Okafor on 2 Mar.",
    ]
    assert [each.id for each in check(world, world.discover).blockers] == [back.id]
    done(world, back)
    world.do(DecideGate(phase_id=world.discover.id, decision=Decision.PASS))
    assert notes(world) == []
    world.do(CreateTask(phase_id=world.build.id, title="Later", due=date(2026, 4, 1)))
    world.archive(back.id)
    assert notes(world) == ["“Back” (SPR-4) was archived by Maya Okafor on 2 Mar."]
