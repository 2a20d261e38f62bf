"""One answer about a gate: whatever people do, all places say the same, and “ready” only where an approval is taken."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest

from core.actions.cards.cards import ArchiveCard, DeleteCard, MoveCard, RestoreCard
from core.actions.cards.details import GetPhase
from core.actions.cards.tasks import CreateTask
from core.actions.history.history import Redo, Undo
from core.actions.personal.inbox import InboxReason, ListInbox
from core.actions.personal.my_work import GetMyWork
from core.actions.portfolio.timeline import GetPortfolio
from core.actions.projects.exports import GetStatusReport
from core.actions.projects.lists import ListProjects
from core.actions.projects.members import SetProjectRole
from core.actions.projects.projects import ArchiveProject, RestoreProject
from core.actions.workflow.canvas import GetCanvas
from core.actions.workflow.canvas_changes import GetCanvasChanges
from core.actions.workflow.deliverables import AddDeliverable, Deliver, RemoveDeliverable, TakeBack
from core.actions.workflow.gates import CheckGate, DecideGate, GateCheck
from core.actions.workflow.next_phase import GetNextPhase
from core.actions.workflow.phases import EditPhase
from core.domain.gates import Decision
from core.domain.model import Gate, Id, PhaseState, ProjectRole, Status
from core.domain.readiness import Deciders, GateSummary, ReadinessState
from core.engine.messages import Command
from core.engine.unit_of_work import Actor
from core.errors import PodiumError, RuleViolation
from core.reports.status_report import to_markdown
from tests.support.prepared import new_world
from tests.support.sweeps import sweep
from tests.support.workspace import World

SEEDS = sweep(range(40), lambda seed: seed < 4)
STEPS = 30
CONSENT = "Agreed"

Step = Callable[[World, Random], Command[Any]]


def of_table(table: str, world: World, dice: Random) -> Id:
    """The id of a random row; of half of the phases, the first one."""
    rows = world.rows(f"SELECT id FROM {table} WHERE project_id = :id ORDER BY id", id=world.project.id)
    if table == "phase" and dice.random() < 0.5:
        return world.discover.id
    found: Id = dice.choice(rows)["id"] if rows else "none"
    return found


def new_task(world: World, dice: Random) -> Command[Any]:
    return CreateTask(phase_id=of_table("phase", world, dice), title=f"T{dice.random()}", allow_lapse=CONSENT)


def complete(world: World, dice: Random) -> Command[Any]:
    return MoveCard(card_id=of_table("item", world, dice), status=Status.COMPLETED, allow_lapse=CONSENT)


def another_status(world: World, dice: Random) -> Command[Any]:
    return MoveCard(card_id=of_table("item", world, dice), status=dice.choice([*Status][:3]), allow_lapse=CONSENT)


def leave(world: World, dice: Random) -> Command[Any]:
    kind = dice.choice([ArchiveCard, ArchiveCard, RestoreCard, DeleteCard])
    more: dict[str, Any] = {} if kind is ArchiveCard else {"allow_lapse": CONSENT}
    made: Command[Any] = kind(card_id=of_table("item", world, dice), **more)
    return made


def new_deliverable(world: World, dice: Random) -> Command[Any]:
    return AddDeliverable(phase_id=of_table("phase", world, dice), name=f"D{dice.random()}", allow_lapse=CONSENT)


def deliver(world: World, dice: Random) -> Command[Any]:
    deliverable_id = of_table("deliverable", world, dice)
    if dice.random() < 0.3:
        return TakeBack(deliverable_id=deliverable_id, no_evidence=dice.random() < 0.5, allow_lapse=CONSENT)
    evidence: dict[str, Any] = {
        "link": "https://files.example/1",
        "statement": "It is.",
        "card_id": of_table("item", world, dice),
    }
    kind = dice.choice(["", *evidence])
    return Deliver(deliverable_id=deliverable_id, **({kind: evidence[kind]} if kind else {}), allow_lapse=CONSENT)


def no_deliverable(world: World, dice: Random) -> Command[Any]:
    return RemoveDeliverable(deliverable_id=of_table("deliverable", world, dice), allow_lapse=CONSENT)


def another_gate(world: World, dice: Random) -> Command[Any]:
    required = dice.random() < 0.6
    gate = Gate.REVIEW if required else dice.choice([*Gate])
    asks: dict[str, Any] = {
        "gate": gate,
        "evidence_required": required,
        "accepts_statements": required and dice.random() < 0.5,
    }
    return EditPhase(phase_id=of_table("phase", world, dice), **asks, reason="Agreed", allow_lapse=CONSENT)


def decide(world: World, dice: Random) -> Command[Any]:
    decision = dice.choice([Decision.PASS, Decision.PASS, Decision.HOLD, Decision.SEND_BACK, Decision.OVERRIDE])
    return DecideGate(phase_id=of_table("phase", world, dice), decision=decision, reason="Because", relock=True)


def go_back(world: World, dice: Random) -> Command[Any]:
    made: Command[Any] = dice.choice([Undo, Undo, Redo])(project_id=world.project.id, relock=True)
    return made


def archive(world: World, dice: Random) -> Command[Any]:
    archived = world.row("project", id=world.project.id)["archived"]
    made: Command[Any] = (RestoreProject if archived else ArchiveProject)(project_id=world.project.id)
    return made


def another_role(world: World, dice: Random) -> Command[Any]:
    role = dice.choice([*ProjectRole])
    return SetProjectRole(project_id=world.project.id, user_id=world.bob.user_id, role=role)


def finish(world: World) -> None:
    """Complete all that is open in the first phase, and deliver all that it promises."""
    if world.row("project", id=world.project.id)["archived"]:
        world.do(RestoreProject(project_id=world.project.id))
    first = "project_id = :project_id AND phase_id = :id"
    where = {"project_id": world.project.id, "id": world.discover.id}
    for row in world.rows(f"SELECT id FROM item WHERE {first} AND status IN ('TO_DO', 'IN_PROGRESS')", **where):
        world.complete(row["id"])
    for row in world.rows(f"SELECT id FROM deliverable WHERE {first}", **where):
        world.do(Deliver(deliverable_id=row["id"], link="https://files.example/3"))


RARELY: tuple[Step, ...] = (archive, another_role, go_back, no_deliverable, another_gate)
OFTEN: tuple[Step, ...] = (new_task, another_status, leave, new_deliverable, complete, deliver)
STEPS_OF: tuple[Step, ...] = (*RARELY, *OFTEN * 3, *(decide,) * 4)


def is_taken(world: World, phase_id: Id, who: Actor) -> PodiumError | None:
    """The refusal of an approval by this person at this moment; None if it would be taken."""
    try:
        world.engine.dry_run(DecideGate(phase_id=phase_id, decision=Decision.PASS), who)
    except PodiumError as error:
        return error
    return None


def check_everywhere(world: World, who: Actor) -> None:
    """Compare all places, as one person reads them."""
    canvas = world.ask(GetCanvas(project_id=world.project.id), who)
    archived = canvas.head.archived
    words = {}
    for column in canvas.head.columns:
        check = world.ask(CheckGate(phase_id=column.id), who)
        refused = is_taken(world, column.id, who)
        check_gate(check, column.missing, canvas.head.deciders, refused)
        assert world.ask(GetPhase(phase_id=column.id), who).gate == check
        told = world.ask(GetNextPhase(phase_id=column.id), who)
        assert (told.gate, told.deciders) == (column.missing, canvas.head.deciders)
        if column.missing.at_gate:
            words[column.id] = column.missing.words(canvas.head.deciders)
    mine = {} if archived else words
    for summary in (
        *world.ask(ListProjects(), who).lines,
        *(line.summary for line in world.ask(GetPortfolio(), who).lines),
    ):
        if summary.project.id == world.project.id:
            assert {gate.phase_id: gate.words for gate in summary.gates} == mine
    if not canvas.head.deciders.me:
        mine = {}
    inbox = [line for line in world.ask(ListInbox(), who).lines if line.concern is InboxReason.GATE]
    assert {line.target_id: line.words.removesuffix(", after it was sent back") for line in inbox} == mine
    assert {gate.phase_id: gate.words for gate in world.ask(GetMyWork(), who).gates} == mine
    report = to_markdown(world.ask(GetStatusReport(project_id=world.project.id), who))
    assert report.count("waits for a decision at its gate") == sum(
        column.missing.at_gate and column.missing.state is ReadinessState.READY for column in canvas.head.columns
    )


def check_gate(check: GateCheck, column: GateSummary, deciders: Deciders, refused: PodiumError | None) -> None:
    """Compare the whole answer with its short form, and both with what an approval meets."""
    assert check.can_approve == (refused is None), (check, refused)
    assert (check.state, check.hold) == (column.state, column.hold)
    if check.state is ReadinessState.NOT_READY and check.phase_state is PhaseState.OPEN:
        assert check.missing == column.missing == len(check.blockers)
    if check.state is ReadinessState.NOT_READY and deciders.me:
        assert isinstance(refused, RuleViolation)
        assert str(refused) in check.reason
        assert refused.blockers == check.blockers
    assert bool(check.blockers) == (check.state is not ReadinessState.COMPLETE)
    assert all(each.sentence and each.phase_id for each in check.blockers)
    for text in (check.reason, *column.forms(deciders)):
        if "ready" in text.replace("already", ""):
            assert check.can_approve or any(name in text for name in check.who_can), text
            assert not check.hold or check.hold in text, text
    if check.hold:
        assert check.hold.startswith("held by ")
        assert check.hold.endswith(": Because")


@pytest.mark.parametrize("seed", SEEDS)
def test_all_places_say_the_same_of_a_gate_after_random_changes(tmp_path: Path, seed: int) -> None:
    world, dice = new_world(tmp_path / "podium.db"), Random(seed)
    world.do(SetProjectRole(project_id=world.project.id, user_id=world.bob.user_id, role=ProjectRole.OWNER))
    world.do(EditPhase(phase_id=world.discover.id, gate=Gate.REVIEW, evidence_required=True))
    seen = {who.user_id: world.ask(GetCanvas(project_id=world.project.id), who) for who in (world.maya, world.vera)}
    met = set()
    for step in range(STEPS):
        with suppress(PodiumError):
            if step % 6 == 4:
                finish(world)
            world.do(dice.choice(STEPS_OF)(world, dice), dice.choice([world.maya, world.maya, world.bob]))
        for who in (world.maya, world.vera):
            before = seen[who.user_id]
            if changes := world.ask(GetCanvasChanges.of(before.head), who):
                seen[who.user_id] = world.ask(GetCanvas(project_id=world.project.id), who)
                assert changes.read_again or before.after(changes) == seen[who.user_id]
            met |= {column.missing.state for column in seen[who.user_id].head.columns}
        if step % 3 == 2:
            check_everywhere(world, [world.maya, world.vera, world.bob][step % 9 // 3])
    assert ReadinessState.NOT_READY in met
    world.database.close()
