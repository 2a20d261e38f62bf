"""Two owners at work in two projects: no command starts or completes a card that waits for an open card.

The rows of the tables say after each step what is blocked, in the simplest way; the Canvas must say the same.
"""

from __future__ import annotations

import shutil
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.actions.cards.bulk import BulkUpdate
from core.actions.cards.cards import ArchiveCard, MoveCard, ReorderCard, RestoreCard
from core.actions.cards.tasks import CreateTask
from core.actions.dependencies.links import LinkCards, OverrideBlockers, UnlinkCards
from core.actions.history.history import Redo, Undo
from core.actions.projects.members import InviteMember, SetProjectRole
from core.actions.workflow.canvas import GetCanvas
from core.actions.workflow.phases import ReorderPhase
from core.domain.model import Id, ProjectRole, Status
from core.engine.messages import Command
from core.errors import NothingToUndo, RuleViolation
from core.rules.dependency_cycles import check_no_cycle
from tests.support.prepared import new_world
from tests.support.sweeps import sweep
from tests.support.workspace import World

NUMBER = st.integers(0, 11)
STATUSES = st.sampled_from([Status.TO_DO, Status.IN_PROGRESS, Status.COMPLETED, Status.COMPLETED])
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("move"), NUMBER, STATUSES),
        st.tuples(st.sampled_from(["link", "link", "unlink", "place"]), NUMBER, NUMBER),
        st.tuples(st.sampled_from(["archive", "restore", "override", "create", "bulk"]), NUMBER, NUMBER),
        st.tuples(st.sampled_from(["undo", "redo", "phase"]), NUMBER, NUMBER),
    ),
    min_size=4,
    max_size=24,
)


class Scene:
    """Two projects with two phases each, an activity with a task, and some tasks; Maya and Bob own both."""

    def __init__(self, world: World) -> None:
        self.world = world
        bob = world.bob.user_id
        world.do(SetProjectRole(project_id=world.project.id, user_id=bob, role=ProjectRole.OWNER))
        other = world.new_project("Autumn").id
        world.do(InviteMember(project_id=other, user_id=bob, role=ProjectRole.OWNER))
        self.phases = [world.discover, world.build, world.phase("Design", other), world.phase("Press", other)]
        activity = world.activity("Activity", phase=self.phases[0])
        world.task("Inside", activity_id=activity.id)
        for phase in (*self.phases, *self.phases[::2]):
            world.task(f"Task in {phase.name}", phase=phase)

    def cards(self) -> list[dict[str, Any]]:
        return self.world.rows("SELECT * FROM item ORDER BY number, project_id")

    def command(self, verb: str, one: int, two: Any) -> Command[Any] | None:
        cards = self.cards()
        card = cards[one % len(cards)]
        other = cards[two % len(cards)] if isinstance(two, int) else card
        phase = self.phases[two % len(self.phases)] if isinstance(two, int) else self.phases[0]
        is_task = card["kind"] == "TASK"
        match verb:
            case "move":
                return _move(card, two)
            case "bulk":
                commands = tuple(
                    _move(each, status)
                    for each, status in ((card, Status.IN_PROGRESS), (other, Status.COMPLETED))
                    if each["project_id"] == card["project_id"]
                )
                return BulkUpdate(project_id=card["project_id"], commands=commands)
            case "link":
                return LinkCards(waiting_id=card["id"], blocker_id=other["id"])
            case "unlink":
                return UnlinkCards(waiting_id=card["id"], blocker_id=other["id"])
            case "override":
                return OverrideBlockers(waiting_id=card["id"], reason="Because")
            case "place" if phase.project_id == card["project_id"]:
                return ReorderCard(card_id=card["id"], phase_id=phase.id, relock=True)
            case "archive":
                return ArchiveCard(card_id=card["id"])
            case "restore" if is_task:
                return RestoreCard(card_id=card["id"], relock=True)
            case "restore":
                return RestoreCard(card_id=card["id"], relock=True)
            case "create" if not is_task:
                return CreateTask(
                    phase_id=card["phase_id"], title="New", activity_id=card["id"] if two % 2 else None, relock=True
                )
            case "phase":
                return ReorderPhase(phase_id=phase.id, relock=True)
            case "undo":
                return Undo(project_id=phase.project_id, relock=True)
            case "redo":
                return Redo(project_id=phase.project_id, relock=True)
        return None

    def blocked(self) -> dict[Id, int]:
        """The number of open cards that each card waits for, worked out one by one."""
        by_id = {card["id"]: card for card in self.cards()}
        found = dict.fromkeys(by_id, 0)
        for each in self.world.rows("SELECT * FROM dependency WHERE override_reason = ''"):
            if by_id[each["blocker_id"]]["status"] in ("TO_DO", "IN_PROGRESS"):
                for card in by_id.values():
                    found[card["id"]] += each["waiting_id"] in (card["id"], card["activity_id"])
        return found


def _move(card: dict[str, Any], status: Status) -> Command[Any]:
    if card["kind"] == "TASK":
        return MoveCard(card_id=card["id"], status=status, relock=True)
    return MoveCard(card_id=card["id"], status=status, relock=True)


def _as_before_the_archive(card: dict[str, Any]) -> str:
    return str(card["archived_from"] or card["status"])


def play(steps: list[tuple[str, int, Any]]) -> None:
    folder = Path(tempfile.mkdtemp())
    world = new_world(folder / "podium.db")
    try:
        scene = Scene(world)
        for number, (verb, one, two) in enumerate(steps):
            command = scene.command(verb, one, two)
            if command is None:
                continue
            before = {card["id"]: _as_before_the_archive(card) for card in scene.cards()}
            try:
                world.do(command, as_=(world.maya, world.bob)[number % 2])
            except (RuleViolation, NothingToUndo):
                continue
            blocked = scene.blocked()
            for card in scene.cards():
                status = _as_before_the_archive(card)
                if status != before.get(card["id"]) and status in ("IN_PROGRESS", "COMPLETED"):
                    assert not blocked[card["id"]], (command, card["title"])
            _check_canvas(scene, blocked)
    finally:
        world.database.close()
        shutil.rmtree(folder)


@pytest.mark.parametrize("histories", sweep([15, 40], lambda histories: histories == 15))
def test_no_command_starts_or_completes_a_card_that_waits_for_an_open_one(histories: int) -> None:
    checks = [HealthCheck.too_slow, HealthCheck.data_too_large]
    settings(max_examples=histories, deadline=None, suppress_health_check=checks)(given(STEPS)(play))()


def _check_canvas(scene: Scene, blocked: dict[Id, int]) -> None:
    for project_id in {phase.project_id for phase in scene.phases}:
        canvas = scene.world.ask(GetCanvas(project_id=project_id))
        for card in canvas.cards:
            open_card = card.status in (Status.TO_DO, Status.IN_PROGRESS)
            assert card.waits_for == (blocked[card.id] if open_card else 0), card.title
        scene.world.engine.read(scene.world.maya, partial(check_no_cycle, project_id=project_id))
