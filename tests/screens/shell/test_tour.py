"""The tour: a goal is ticked by what was carried out in its sample project, and by nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import date
from typing import Any

import pytest

from core.actions.cards.cards import MoveCard, SetCardDueDate
from core.actions.cards.tasks import AssignTask, CreateTask
from core.actions.history.history import Undo
from core.actions.projects.members import InviteMember
from core.actions.workflow.gates import DecideGate
from core.demo.sample_project import NAME
from core.domain.gates import Decision
from core.domain.model import ProjectRole, Status
from core.engine.messages import Command
from core.engine.unit_of_work import Actor
from core.errors import ServerUnavailable
from tests.support.app_driver import PodiumPilot, Text, comes, on_stage, press, seen, settled, shows
from tests.support.sweeps import sizes
from tests.support.workspace import World
from tui.screens.canvas.screen import CanvasScreen
from tui.screens.projects.projects import ProjectsScreen
from tui.services.tour import GOALS, SETTING
from tui.widgets.bars import GoalLine

SIZES = [(80, 24), (120, 40), (200, 60), (40, 12)]


def line(pilot: PodiumPilot) -> str:
    """The line of the goal; "" while it is hidden."""
    return "".join(each.render().plain.strip() for each in pilot.app.screen.query(GoalLine) if each.display)


def kept(world: World, actor: Actor | None = None) -> list[str]:
    """The goals that are kept as done, after the id of the project."""
    who = (actor or world.maya).user_id
    rows = world.rows("SELECT value FROM preference WHERE user_id = :who AND name = :name", who=who, name=SETTING)
    return rows[0]["value"].split()[1:] if rows else []


def card(world: World, title: str) -> dict[str, Any]:
    return world.row("item", title=title)


@asynccontextmanager
async def touring(
    world: World, as_: Actor | None = None, size: tuple[int, int] = (120, 40)
) -> AsyncIterator[PodiumPilot]:
    """The first goal of a new tour."""
    async with on_stage(world, ProjectsScreen, as_, size) as pilot:
        await press(pilot, "1")
        assert await shows(pilot, "1/7")
        yield pilot


async def complete_the_phase(pilot: PodiumPilot) -> None:
    """Complete what is open in the reviewed phase: the card of the cursor, and the one of the sample."""
    board = pilot.board
    for title in ("Buy cups", "Order the espresso machine"):
        found = next(each for each in board.model.cards() if each.title == title)
        board.focus_card(found.id)
        await press(pilot, "c")


@sizes(*SIZES[:1], SIZES[3], swept=SIZES[1:3])
async def test_seven_goals_are_done_one_after_another(world: World, size: tuple[int, int]) -> None:
    async with touring(world, size=size) as pilot:
        project = world.row("project", name=NAME)
        (member,) = world.rows("SELECT * FROM member WHERE project_id = :id", id=project["id"])
        assert (member["user_id"], member["role"]) == (world.maya.user_id, "OWNER")
        assert isinstance(pilot.app.screen, CanvasScreen)
        assert "Add a card" in line(pilot)
        await press(pilot, "n", Text("Buy cups"), "enter")
        assert await shows(pilot, "2/7")
        assert card(world, "Buy cups")["project_id"] == project["id"]
        await press(pilot, "L")
        assert await shows(pilot, "3/7")
        assert card(world, "Buy cups")["status"] == "IN_PROGRESS"
        await press(pilot, "a", Text("Maya"), "enter")
        assert await shows(pilot, "4/7")
        assert card(world, "Buy cups")["assignee_id"] == world.maya.user_id
        await press(pilot, "D", Text("fri"), "enter")
        assert await shows(pilot, "5/7")
        assert card(world, "Buy cups")["due"]
        await press(pilot, "l", "w")
        assert "is locked until" in " ".join(seen(pilot).replace("│", " ").split())
        await press(pilot, "escape")
        assert await shows(pilot, "6/7")
        await complete_the_phase(pilot)
        await press(pilot, "greater_than_sign", "ctrl+s")
        assert await shows(pilot, "7/7")
        assert world.row("phase", name="Prepare", project_id=project["id"])["gate_state"] == "PASSED"
        await press(pilot, "u")
        assert await comes(pilot, lambda: "7/7" in line(pilot) and line(pilot).split("7/7")[1].split()[0] == "Q")
        assert world.row("phase", name="Prepare", project_id=project["id"])["gate_state"] != "PASSED"
        assert await comes(pilot, lambda: set(kept(world)) == {goal.name for goal in GOALS})


async def test_a_goal_out_of_order_is_ticked_and_the_first_open_one_stays(world: World) -> None:
    async with touring(world) as pilot:
        await press(pilot, "D", "ctrl+u", Text("fri"), "enter")
        assert "▸··✓··· 1/7" in line(pilot)
        assert await comes(pilot, lambda: kept(world) == ["date"])


async def test_a_key_alone_ticks_nothing(world: World) -> None:
    async with touring(world) as pilot:
        await press(pilot, "n", "escape", "a", "escape", "D", "escape", "greater_than_sign", "escape")
        assert "▸······ 1/7" in line(pilot)
        await press(pilot, "w", "escape")
        assert "▸······ 1/7" in line(pilot), "nothing is locked here"
        await press(pilot, "l", "L", "escape")
        assert "▸······ 1/7" in line(pilot), "a refused move is no move"
        assert kept(world) == []


async def test_a_due_date_that_is_cleared_and_an_assignment_to_nobody_are_no_goals(world: World) -> None:
    async with touring(world) as pilot:
        await press(pilot, "D", "ctrl+u", "enter", "a", "end", "down", "enter")
        assert card(world, "Order the espresso machine")["due"] is None
        assert card(world, "Order the espresso machine")["assignee_id"] is None
        assert "▸······ 1/7" in line(pilot)


async def test_work_in_another_project_ticks_nothing_and_has_no_line(world: World) -> None:
    async with touring(world) as pilot:
        await press(pilot, "q")
        assert await comes(pilot, lambda: f"enter  on “{NAME}” goes on with the tour" in line(pilot))
        await press(pilot, "end", "enter")
        assert pilot.screen.project_id == world.project.id
        assert line(pilot) == ""
        await press(pilot, "n", Text("Not of the tour"), "enter")
        assert card(world, "Not of the tour")["project_id"] == world.project.id
        assert kept(world) == []
        await press(pilot, "q", "home", "enter")
        assert "▸······ 1/7" in line(pilot)


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_the_way_back_to_the_tour_names_the_sample_project_also_with_the_cursor_on_another(
    world: World, size: tuple[int, int]
) -> None:
    world.new_project("Autumn launch")
    async with touring(world, size=size) as pilot:
        await press(pilot, "g", "p")
        assert pilot.record.project.name == "Autumn launch"
        assert await comes(pilot, lambda: line(pilot).startswith(f"enter  on “{NAME}”")), line(pilot)
        await press(pilot, "j", "enter")
        assert "1/7" in line(pilot)


async def test_marked_cards_that_are_moved_together_are_a_move_unless_all_are_refused(world: World) -> None:
    async with touring(world) as pilot:
        await press(pilot, "l", "space", "j", "space", "L")
        await settled(pilot)
        await press(pilot, "escape")
        assert "▸······ 1/7" in line(pilot), "both are in the locked phase"
        await press(pilot, "V", "escape", "h", "space", "h", "j", "space", "H")
        assert await comes(pilot, lambda: kept(world) == ["move"])


async def test_two_escapes_on_the_canvas_end_the_tour_and_another_key_goes_on(world: World) -> None:
    async with touring(world) as pilot:
        await press(pilot, "n", "escape")
        assert "Add a card" in line(pilot), "an esc for the dialog is none for the tour"
        await press(pilot, "escape")
        assert "Press esc again" in line(pilot)
        await press(pilot, "j")
        assert "Add a card" in line(pilot)
        await press(pilot, "escape", "escape")
        assert line(pilot) == ""
        assert isinstance(pilot.app.screen, CanvasScreen)
        assert "The tour has ended" in seen(pilot)
        await press(pilot, "q")
        assert isinstance(pilot.app.screen, ProjectsScreen)


async def test_escape_first_takes_marks_and_a_filter_away_and_leads_back_from_a_page(world: World) -> None:
    async with touring(world) as pilot:
        await press(pilot, "space", "escape")
        assert "Add a card" in line(pilot)
        assert not pilot.view.marks.ids
        await press(pilot, "enter")
        assert "Add a card" in line(pilot), "the line is on the pages of the project too"
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, CanvasScreen)
        assert "Add a card" in line(pilot)


async def test_a_later_tour_goes_on_with_the_sample_and_a_finished_one_begins_afresh(world: World) -> None:
    async with touring(world) as pilot:
        await press(pilot, "L")
        assert await comes(pilot, lambda: kept(world) == ["move"])
    async with on_stage(world, ProjectsScreen) as pilot:
        assert line(pilot) == ""
        await press(pilot, "1")
        assert await comes(pilot, lambda: "▸✓····· 1/7" in line(pilot))
        assert len(world.rows("SELECT id FROM project WHERE name = :name", name=NAME)) == 1
        pilot.app.tour._tick({goal.name for goal in GOALS})
        await press(pilot, "q", "1")
        assert await comes(pilot, lambda: "▸······ 1/7" in line(pilot))
        assert len(world.rows("SELECT id FROM project WHERE name = :name", name=NAME)) == 2


async def test_a_tour_whose_project_is_archived_or_gone_begins_afresh(world: World) -> None:
    async with touring(world) as pilot:
        await press(pilot, "q", "home", "d", "1")
        assert await comes(pilot, lambda: "1/7" in line(pilot))
        assert len(world.rows("SELECT id FROM project WHERE name = :name AND archived = 0", name=NAME)) == 1


async def test_one_key_removes_the_sample_after_saying_what_goes(world: World) -> None:
    async with touring(world) as pilot:
        sample = world.row("project", name=NAME)["id"]
        await press(pilot, "Q")
        assert "with 3 phases, 8 cards and its" in seen(pilot)
        assert "Your other projects stay." in " ".join(seen(pilot).replace("│", " ").split())
        await press(pilot, "n")
        assert world.row("project", id=sample)
        await press(pilot, "Q", "y")
        assert await shows(pilot, "Press n to create your own project")
        assert isinstance(pilot.app.screen, ProjectsScreen)
        assert world.rows("SELECT id FROM project WHERE id = :id", id=sample) == []
        assert world.row("project", id=world.project.id)
        assert kept(world) == []
        assert line(pilot) == ""


async def test_the_key_that_removes_the_sample_removes_no_other_project(world: World) -> None:
    async with on_stage(world, lambda: CanvasScreen(world.project.id)) as pilot:
        await press(pilot, "Q")
        assert "This key removes the sample project of the tour" in seen(pilot)
        assert world.row("project", id=world.project.id)


async def test_the_palette_begins_the_tour_from_any_screen(world: World) -> None:
    async with on_stage(world, lambda: CanvasScreen(world.project.id)) as pilot:
        await press(pilot, "colon", Text("show me around"))
        assert await shows(pilot, "Show me around")
        await press(pilot, "enter")
        assert await comes(pilot, lambda: "1/7" in line(pilot))
        assert pilot.screen.project_id == world.row("project", name=NAME)["id"]


async def test_a_guest_reads_why_there_is_no_tour_for_them(world: World) -> None:
    async with on_stage(world, ProjectsScreen, world.vera) as pilot:
        await press(pilot, "1")
        assert "can create projects" in seen(pilot)
        assert world.rows("SELECT id FROM project WHERE name = :name", name=NAME) == []


async def test_a_change_by_another_user_ticks_nothing(world: World) -> None:
    async with touring(world) as pilot:
        sample = world.row("project", name=NAME)["id"]
        phase = world.row("phase", name="Prepare", project_id=sample)["id"]
        world.do(InviteMember(project_id=sample, user_id=world.bob.user_id, role=ProjectRole.OWNER))
        await asyncio.to_thread(world.do, CreateTask(phase_id=phase, title="Of Bob"), world.bob)
        assert await shows(pilot, "Of Bob")
        await press(pilot, "L")
        assert "▸✓····· 1/7" in line(pilot)


async def test_changes_of_my_own_elsewhere_tick_their_goals_now_and_at_the_next_start(world: World) -> None:
    async with touring(world) as pilot:
        sample = world.row("project", name=NAME)["id"]
        phase = world.row("phase", name="Prepare", project_id=sample)["id"]
        me = world.maya.user_id
        task = await asyncio.to_thread(world.do, CreateTask(phase_id=phase, title="From the shell"))
        assert await comes(pilot, lambda: "✓▸····· 2/7" in line(pilot))
        for number, command in enumerate(
            (
                MoveCard(card_id=task.id, status=Status.IN_PROGRESS),
                AssignTask(task_id=task.id, assignee_id=me),
                SetCardDueDate(card_id=task.id, due=date(2026, 6, 1)),
            ),
            3,
        ):
            await asyncio.to_thread(world.do, command)
            assert await comes(pilot, lambda number=number: f"{number}/7" in line(pilot))
        open_ = world.rows("SELECT id FROM item WHERE phase_id = :phase AND status <> 'COMPLETED'", phase=phase)
    world.complete(*(row["id"] for row in open_))
    world.do(DecideGate(phase_id=phase, decision=Decision.PASS))
    world.do(Undo(project_id=sample))
    async with on_stage(world, ProjectsScreen) as pilot:
        await press(pilot, "1")
        assert await comes(pilot, lambda: "✓✓✓✓▸✓✓ 5/7" in line(pilot))


async def test_an_assignment_to_nobody_and_a_removed_date_elsewhere_are_no_goals(world: World) -> None:
    async with touring(world) as pilot:
        card_id = card(world, "Order the espresso machine")["id"]
        await asyncio.to_thread(world.do, AssignTask(task_id=card_id, assignee_id=None))
        await asyncio.to_thread(world.do, SetCardDueDate(card_id=card_id, due=None))
        await asyncio.to_thread(world.do, MoveCard(card_id=card_id, status=Status.TO_DO))
        assert await comes(pilot, lambda: "▸✓····· 1/7" in line(pilot))


async def test_ticks_that_cannot_be_kept_are_shown_all_the_same(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    async with touring(world) as pilot:
        execute = pilot.app.backend.execute

        async def refusing(command: Command[Any], *rest: Any) -> object:
            if type(command).__name__ == "SetPreference":
                raise ServerUnavailable("The server cannot be reached.")
            return await execute(command, *rest)

        monkeypatch.setattr(pilot.app.backend, "execute", refusing)
        await press(pilot, "L")
        assert "▸✓····· 1/7" in line(pilot)
        assert kept(world) == []


async def test_the_goals_name_the_keys_as_the_user_has_them(world: World) -> None:
    async with touring(world) as pilot:
        pilot.app.me.preferences["keymap"] = "canvas.new_card = ctrl+y"
        pilot.screen.show_titles()
        assert "1/7  ctrl+y  Add a card" in line(pilot)


@pytest.mark.parametrize("size", SIZES)
async def test_the_line_fits_at_every_size_and_hides_no_other_line(world: World, size: tuple[int, int]) -> None:
    async with touring(world, size=size) as pilot:
        for goal in GOALS:
            rows = seen(pilot).splitlines()
            assert f"{GOALS.index(goal) + 1}/7" in rows[-2]
            assert "…" not in rows[-2]
            assert "Order the espresso machine" in rows[-3], "the line of the cursor stands above it"
            pilot.app.tour._tick({goal.name})
            await settled(pilot)
        assert "…" not in seen(pilot).splitlines()[-2]
        assert seen(pilot).splitlines()[-2].split("7/7")[1].split()[0] == "Q"
