"""P on the Canvas and on the other views: previewed as one walks, chosen, remembered, saved, shared."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from textual.pilot import Pilot

from core.actions.cards.tasks import CreateTask
from core.actions.personal.presets import ActivatePreset, RemoveSharedPreset, SavePreset, SharePreset
from core.actions.workflow.deliverables import AddDeliverable
from core.actions.workflow.phases import EditPhase
from core.domain.model import Id, Status
from core.domain.view_settings import CardField, Density, Layout, PhaseSection, Sort
from tests.support.app_driver import Text, on_stage, press, seen, shows
from tests.support.waiting import until
from tests.support.workspace import World
from tui.board.board import Board
from tui.dialogs.form import FormDialog
from tui.dialogs.menus.preset_dialog import PresetDialog
from tui.screens.canvas.screen import CanvasScreen
from tui.screens.projects.projects import ProjectsScreen
from tui.screens.views.status_board import StatusBoardScreen
from tui.screens.views.timeline import TimelineScreen


def canvas(world: World, focus: Id | None = None, *, in_layout: bool = False) -> Callable[[], CanvasScreen]:
    return lambda: CanvasScreen(world.project.id, focus, in_layout=in_layout)


def furnish(world: World) -> None:
    """Two tasks, one of them Maya's, an application, and what the first phase is about."""
    world.task("Mine", assignee_id=world.maya.user_id)
    world.task("Other")
    world.add_application(world.product("Films"))
    world.do(EditPhase(phase_id=world.discover.id, objectives="Know the people", outcomes="A plan"))
    world.do(AddDeliverable(phase_id=world.discover.id, name="Report"))


def board(pilot: Pilot[int]) -> Board:
    """The board, whatever is open above it."""
    board: Board = next(each for screen in reversed(pilot.app.screen_stack) for each in screen.query(Board))
    return board


def titles(pilot: Pilot[int]) -> list[str]:
    return [card.title for card in board(pilot).model.cards()]


def chosen(world: World) -> list[tuple[str, str]]:
    return [(row["user_id"], row["preset_id"]) for row in world.rows("SELECT * FROM active_preset")]


# -- choosing ----------------------------------------------------------------------------------------------------


async def test_walking_the_menu_shows_each_preset_behind_it_and_esc_brings_back_what_was(world: World) -> None:
    furnish(world)
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "G")  # to a card that some of the presets hide
        before = seen(pilot)
        await press(pilot, "P")
        assert "● Overview" in seen(pilot)
        assert "default of my role" in seen(pilot)
        await press(pilot, "j")
        assert titles(pilot) == ["Mine"]
        assert "Other" not in seen(pilot)
        assert "My work" in seen(pilot).splitlines()[0]
        assert "filtered by assignee:me" in seen(pilot)
        await press(pilot, "G")
        assert "Objectives Know the people" in seen(pilot)
        assert "□ Report" in seen(pilot)
        await press(pilot, "escape")
        assert seen(pilot) == before
    assert chosen(world) == []


async def test_enter_chooses_for_this_person_and_project_and_a_new_start_remembers(world: World) -> None:
    furnish(world)
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "P", "j", "enter")
        assert titles(pilot) == ["Mine"]
        assert isinstance(pilot.app.screen, CanvasScreen)
    assert chosen(world) == [(world.maya.user_id, "MY_WORK")]
    async with on_stage(world, canvas(world)) as pilot:
        assert titles(pilot) == ["Mine"]
        await press(pilot, "P")
        assert "❯ ● My work" in seen(pilot)
        await press(pilot, "r", "escape")
        assert titles(pilot) == ["Films", "Mine", "Other"]
    assert chosen(world) == []
    async with on_stage(world, canvas(world), world.bob) as pilot:
        assert titles(pilot) == ["Films", "Mine", "Other"]


async def test_a_viewer_sees_what_is_promised_beside_the_cards(world: World) -> None:
    furnish(world)
    async with on_stage(world, canvas(world), world.vera) as pilot:
        assert titles(pilot) == ["Films", "Mine", "Other"]
        assert "Outcomes A plan" in seen(pilot)
        assert "Review" in seen(pilot).splitlines()[0]


async def test_what_is_typed_to_filter_holds_together_with_the_preset(world: World) -> None:
    furnish(world)
    world.task("Mine too", assignee_id=world.maya.user_id)
    world.do(ActivatePreset(project_id=world.project.id, preset_id="MY_WORK"))
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "slash", Text("too"))
        assert titles(pilot) == ["Mine too"]
        await press(pilot, "escape")
        assert titles(pilot) == ["Mine", "Mine too"]


async def test_sorted_cards_are_not_put_before_one_another_and_the_keys_say_why(world: World) -> None:
    first, second = world.task("Zest"), world.task("Apples")
    world.do(SavePreset(project_id=world.project.id, name="By name", sort=Sort.TITLE))
    async with on_stage(world, canvas(world, second.id)) as pilot:
        await press(pilot, "P", "G", "enter")
        assert titles(pilot) == ["Apples", "Zest"]
        ranks = [world.row("item", id=item.id)["rank"] for item in (first, second)]
        for key in ("J", "K"):
            await press(pilot, key)
            assert "sorted by title" in seen(pilot)
        await press(pilot, "L")
        assert world.status(second) == Status.IN_PROGRESS
        assert ranks == [world.row("item", id=item.id)["rank"] for item in (first, second)]


async def test_a_preset_says_how_dense_cards_are_and_else_the_person_does(world: World) -> None:
    world.do(SavePreset(project_id=world.project.id, name="Dense", density=Density.COMPACT))
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "P", "G")
        assert board(pilot).viewport.compact
        await press(pilot, "escape")
        assert not board(pilot).viewport.compact
        await press(pilot, "P", "G", "enter", "z")
        assert board(pilot).viewport.compact
        assert "With “Dense” cards are compact." in seen(pilot)
        await press(pilot, "P", "home", "enter", "z")
        assert board(pilot).viewport.compact
    assert world.row("preference", name="density")["value"] == "compact"


async def test_the_archive_is_shown_by_preset_and_by_key(world: World) -> None:
    world.do(SavePreset(project_id=world.project.id, name="All", sections=tuple(PhaseSection)))
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "P", "G", "enter")
        assert "Archived" in seen(pilot)
        await press(pilot, "A", "R")
        assert "To Do 0" in seen(pilot)
        assert "Archived 0" not in seen(pilot)


# -- views -------------------------------------------------------------------------------------------------------


async def test_a_preset_of_another_layout_is_announced_and_opens_its_view(world: World) -> None:
    furnish(world)
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "P", "j", "j")
        assert "Layout: Timeline." in seen(pilot)
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, TimelineScreen)
        await press(pilot, "P", "home")
        assert "Layout: Canvas." in seen(pilot)
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, CanvasScreen)
        assert titles(pilot) == ["Films", "Mine", "Other"]
    assert chosen(world) == [(world.maya.user_id, "OVERVIEW")]


async def test_opening_a_project_opens_the_view_of_its_preset_once_on_top_of_the_canvas(world: World) -> None:
    world.do(ActivatePreset(project_id=world.project.id, preset_id="DEADLINES"))
    async with on_stage(world, ProjectsScreen) as pilot:
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, TimelineScreen)
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, CanvasScreen)
        await press(pilot, "p", "escape")
        assert isinstance(pilot.app.screen, CanvasScreen)
    async with on_stage(world, canvas(world, in_layout=True)) as pilot:
        assert isinstance(pilot.app.screen, TimelineScreen)


async def test_the_status_board_takes_presets_too(world: World) -> None:
    furnish(world)
    async with on_stage(world, lambda: StatusBoardScreen(world.project.id)) as pilot:
        await press(pilot, "P", "j")
        assert await shows(pilot, "Layout: Canvas.")
        assert titles(pilot) == ["Mine"]
        await press(pilot, "escape")
        assert titles(pilot) == ["Mine", "Other"]


@pytest.mark.parametrize("view", [CanvasScreen, StatusBoardScreen])
async def test_a_change_does_not_replace_the_preset_under_the_cursor_of_the_menu(
    world: World, view: type[CanvasScreen | StatusBoardScreen]
) -> None:
    furnish(world)
    async with on_stage(world, lambda: view(world.project.id)) as pilot:
        await press(pilot, "P", "j")
        assert titles(pilot) == ["Mine"]
        world.do(CreateTask(phase_id=world.discover.id, title="Theirs"), world.bob)
        world.do(CreateTask(phase_id=world.discover.id, title="Also mine", assignee_id=world.maya.user_id), world.bob)
        await until(lambda: "Also mine" in titles(pilot))
        assert titles(pilot) == ["Mine", "Also mine"]
        await press(pilot, "escape")
        assert {"Mine", "Other", "Theirs", "Also mine"} <= set(titles(pilot))


# -- saving, sharing, removing -----------------------------------------------------------------------------------


async def test_n_saves_what_is_shown_now_and_looks_with_it(world: World) -> None:
    furnish(world)
    async with on_stage(world, canvas(world), size=(120, 50)) as pilot:
        await press(pilot, "slash", Text("mine"), "enter", "A", "P", "n")
        assert isinstance(pilot.app.screen, FormDialog)
        await press(pilot, Text("Late"), "ctrl+s")
        assert isinstance(pilot.app.screen, CanvasScreen)
        assert "Late" in seen(pilot).splitlines()[0]
    row = world.row("preset")
    assert (row["name"], row["filter"], row["owner_id"]) == ("Late", "mine", world.maya.user_id)
    assert "ARCHIVED" in row["sections"]
    assert chosen(world) == [(world.maya.user_id, row["id"])]


async def test_a_name_that_is_taken_and_a_filter_that_does_not_parse_are_said_at_their_field(world: World) -> None:
    world.do(SavePreset(project_id=world.project.id, name="Mine"))
    async with on_stage(world, canvas(world), size=(120, 50)) as pilot:
        await press(pilot, "P", "n", Text("Mine"), "ctrl+s")
        assert "There is a preset “Mine” already" in seen(pilot)
        await press(pilot, Text("d"), "tab", "tab", "tab", "tab", Text("assignee:"), "ctrl+s")
        assert isinstance(pilot.app.screen, FormDialog)
        await press(pilot, "escape", "escape")
        assert isinstance(pilot.app.screen, PresetDialog)
    assert len(world.rows("SELECT * FROM preset")) == 1


async def test_e_edits_a_preset_of_mine_but_none_of_podium(world: World) -> None:
    mine = world.do(SavePreset(project_id=world.project.id, name="Mine", fields=(CardField.DUE,)))
    async with on_stage(world, canvas(world), size=(120, 50)) as pilot:
        await press(pilot, "P", "e")
        assert "This preset comes with Podium" in seen(pilot)
        await press(pilot, "G", "e", Text("!"), "ctrl+s")
        assert "❯ ○ Mine!" in seen(pilot)
    row = world.row("preset", id=mine.id)
    assert (row["name"], row["fields"], row["version"]) == ("Mine!", '["DUE"]', 2)


async def test_s_shares_with_everyone_on_the_project_and_others_see_it(world: World) -> None:
    furnish(world)
    world.do(SavePreset(project_id=world.project.id, name="Tasks", sections=(PhaseSection.TASKS,)))
    async with on_stage(world, canvas(world), size=(120, 50)) as pilot:
        await press(pilot, "P", "G", "s", "ctrl+s")
        assert "shared" in seen(pilot)
        await press(pilot, "escape", "u")
    assert world.rows("SELECT * FROM preset WHERE owner_id IS NULL") == []
    world.do(SharePreset(project_id=world.project.id, name="Tasks", sections=(PhaseSection.TASKS,)))
    async with on_stage(world, canvas(world), world.bob) as pilot:
        await press(pilot, "P", "G")
        assert "Tasks" in seen(pilot)
        for key in ("e", "d", "s"):
            await press(pilot, key)
            assert isinstance(pilot.app.screen, PresetDialog)
        await press(pilot, "enter")
        assert titles(pilot) == ["Mine", "Other"]


async def test_only_who_may_share_does(world: World) -> None:
    async with on_stage(world, canvas(world), world.bob) as pilot:
        await press(pilot, "P", "s")
        assert "can share presets" in " ".join(seen(pilot).split())


async def test_d_asks_before_one_of_mine_goes_and_takes_a_shared_one_at_once(world: World) -> None:
    mine = world.do(SavePreset(project_id=world.project.id, name="Mine"))
    world.do(ActivatePreset(project_id=world.project.id, preset_id=mine.id))
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "P", "d", "n")
        assert world.row("preset")["id"] == mine.id
        await press(pilot, "d", "y")
        assert "❯ ● Overview" in seen(pilot)
        await press(pilot, "escape")
        assert "1 Discover" in seen(pilot)
        assert "Mine" not in seen(pilot)
    assert world.rows("SELECT * FROM preset") == []
    world.do(SharePreset(project_id=world.project.id, name="Ours"))
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "P", "G", "d")
        assert world.rows("SELECT * FROM preset") == []
        await press(pilot, "escape", "u")
        assert world.row("preset")["name"] == "Ours"


async def test_a_shared_preset_that_is_changed_or_removed_changes_what_others_see(world: World) -> None:
    furnish(world)
    ours = world.do(SharePreset(project_id=world.project.id, name="Ours", sections=(PhaseSection.TASKS,)))
    world.do(ActivatePreset(project_id=world.project.id, preset_id=ours.id), world.bob)
    async with on_stage(world, canvas(world), world.bob) as pilot:
        assert titles(pilot) == ["Mine", "Other"]
        wider = (PhaseSection.APPLICATIONS,)
        world.do(SharePreset(project_id=world.project.id, preset_id=ours.id, name="Ours", sections=wider))
        await pilot.refresh()
        assert titles(pilot) == ["Films"]
        world.do(RemoveSharedPreset(project_id=world.project.id, preset_id=ours.id))
        await pilot.refresh()
        assert titles(pilot) == ["Films", "Mine", "Other"]


async def test_a_preset_that_is_gone_meanwhile_is_refused_and_all_is_as_before(world: World) -> None:
    furnish(world)
    ours = world.do(SharePreset(project_id=world.project.id, name="Ours", sections=(PhaseSection.TASKS,)))
    async with on_stage(world, canvas(world), world.bob) as pilot:
        await press(pilot, "P", "G")
        world.do(RemoveSharedPreset(project_id=world.project.id, preset_id=ours.id))
        await press(pilot, "enter")
        assert await shows(pilot, "not there any more")
        assert titles(pilot) == ["Films", "Mine", "Other"]
    assert chosen(world) == []


async def test_hostile_names_are_text(world: World) -> None:
    world.do(SharePreset(project_id=world.project.id, name="[red]A[/] [@click=app.bell]"))
    async with on_stage(world, canvas(world), size=(80, 24)) as pilot:
        await press(pilot, "P", "G")
        assert "[red]A[/] [@click=app.bell]" in seen(pilot)
        await press(pilot, "enter")
        assert "[red]A[/]" in seen(pilot).splitlines()[0]


async def test_a_layout_that_is_saved_is_a_view(world: World) -> None:
    """Every layout has a view, or choosing it would end in nothing."""
    for layout in Layout:
        preset = world.do(SavePreset(project_id=world.project.id, name=layout.value, layout=layout))
        world.do(ActivatePreset(project_id=world.project.id, preset_id=preset.id))
        async with on_stage(world, canvas(world, in_layout=True)) as pilot:
            opened = pilot.app.screen
            assert isinstance(opened, CanvasScreen) == (layout is Layout.PHASE_COLUMNS)
