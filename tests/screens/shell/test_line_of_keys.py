"""The line of keys and the title line: what is useful now comes first, and what is normal is not said."""

from __future__ import annotations

from datetime import date
from unittest.mock import patch

import pytest
from rich.style import Style
from textual._styles_cache import StylesCache
from textual.content import Content
from textual.pilot import Pilot

from core.actions.cards.comments import AddComment
from core.actions.dependencies.links import LinkCards
from core.actions.projects.members import InviteMember, RemoveMember
from core.actions.projects.projects import EditProject
from core.actions.workflow.phases import EditPhase
from core.domain.grants import LOCAL
from core.domain.model import Gate, GateState
from core.record import replace
from tests.support.app_driver import Text, canvas, comes, on_stage, press, screen_of, seen, shows, told, write
from tests.support.counting_work import counted_work
from tests.support.workspace import World
from tui.screens.canvas.screen import CanvasScreen
from tui.screens.framework.key_dispatcher import KeyDispatcher
from tui.screens.people.people import PeopleScreen
from tui.screens.personal.inbox import InboxScreen
from tui.screens.personal.search import SearchScreen
from tui.screens.phases.phase import PhaseScreen
from tui.screens.views.cursor_line import ChangesOrDetail
from tui.screens.views.project_view import ProjectView
from tui.screens.views.table import TableScreen
from tui.screens.views.timeline import TimelineScreen
from tui.widgets.bars import KeyBar, TitleBar


def line(pilot: Pilot[int]) -> str:
    """The line of keys."""
    return seen(pilot).splitlines()[-1].strip()


def style_of(pilot: Pilot[int], words: str) -> Style:
    """The style of the first segment with these words in the line of keys."""
    strip = list(pilot.app.screen._compositor.render_strips())[-1]
    return next(segment.style for segment in strip if segment.style and words in segment.text)


def ready(world: World) -> None:
    """The first phase only waits for an approval."""
    task = world.task()
    world.do(EditPhase(phase_id=world.discover.id, gate=Gate.REVIEW))
    world.complete(task.id)


@pytest.mark.parametrize("size", [(40, 12), (80, 24), (120, 40), (200, 60)])
async def test_a_ready_phase_offers_its_approval_first_and_in_colour(world: World, size: tuple[int, int]) -> None:
    ready(world)
    async with on_stage(world, canvas(world), size=size) as pilot:
        assert line(pilot).startswith("> approve  ")
        assert style_of(pilot, "> approve").bold
        assert style_of(pilot, "> approve").color != style_of(pilot, "g").color or size[0] < 72
        await press(pilot, "greater_than_sign", "ctrl+s")
        assert world.row("phase", id=world.discover.id)["gate_state"] == GateState.PASSED
        assert "> approve" not in line(pilot)


async def test_the_page_of_a_ready_phase_offers_it_too_and_a_contributor_is_not_offered_it(world: World) -> None:
    ready(world)
    async with on_stage(world, lambda: PhaseScreen(world.project.id, world.discover.id)) as pilot:
        assert line(pilot).startswith("> approve  ")
    async with on_stage(world, canvas(world), world.bob) as pilot:
        assert "> approve" not in line(pilot)
        assert "c complete" in line(pilot)


@pytest.mark.parametrize("size", [(40, 12), (80, 24), (120, 40)])
async def test_a_locked_phase_offers_the_override_and_why(world: World, size: tuple[int, int]) -> None:
    world.task("Interview Ada")
    world.task("Sketch", world.build)
    async with on_stage(world, canvas(world), size=size) as pilot:
        assert "override" not in line(pilot)
        await press(pilot, "l")
        assert line(pilot).startswith("! override  w why  ")
        await press(pilot, "w")
        assert "Interview Ada" in seen(pilot)
        await press(pilot, "escape", "exclamation_mark", Text("The client wants it now."), "ctrl+s")
        assert world.row("phase", id=world.build.id)["overridden"]
        assert "override" not in line(pilot)


async def test_a_filter_offers_to_be_cleared_and_says_how_much_it_leaves(world: World) -> None:
    for title in ("Call Ada", "Call Ben", "Draw a map"):
        world.task(title)
    for first in (canvas(world), lambda: TableScreen(world.project.id)):
        async with on_stage(world, first) as pilot:
            await press(pilot, "slash", Text("call"), "enter")
            assert line(pilot).startswith("F clear filter (2 of 3)  ")
            world.task("Call Cleo")
            assert await shows(pilot, "F clear filter (3 of 4)")
            world.archive(world.row("item", title="Call Cleo", status="TO_DO")["id"])
            assert await shows(pilot, "F clear filter (2 of 3)")
            await press(pilot, "F")
            assert "clear filter" not in line(pilot)
            assert "Draw a map" in seen(pilot)
    async with on_stage(world, PeopleScreen) as pilot:
        await press(pilot, "F")
        assert "no filter" in told(pilot)
        await press(pilot, "slash", Text("bob"), "enter")
        assert line(pilot).startswith("F clear filter  ")
        await pilot.click(KeyBar, offset=(4, 0))
        assert await comes(pilot, lambda: "clear filter" not in line(pilot))
        assert "Maya Okafor" in seen(pilot)


async def test_an_empty_project_says_n_everywhere_and_n_adds_the_first_phase(world: World) -> None:
    empty = world.new_project("Empty")
    for first in (lambda: CanvasScreen(empty.id), lambda: TableScreen(empty.id)):
        async with on_stage(world, first) as pilot:
            assert line(pilot).startswith("N first phase  ")
            assert "n new" not in line(pilot)
            for key in ("n", "c", "a", "p", "enter", "x"):
                await press(pilot, "R", key)
                assert told(pilot) == "This project has no phases yet. Press N to add the first one."
    async with on_stage(world, lambda: TableScreen(empty.id)) as pilot:
        await press(pilot, "N", Text("Idea"), "ctrl+s")
        assert world.row("phase", project_id=empty.id)["name"] == "Idea"
        assert await shows(pilot, "n new")
        assert "first phase" not in line(pilot)


async def test_redo_is_offered_after_an_undo_until_it_is_done_or_something_else_is(world: World) -> None:
    task = world.task()
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "L")
        assert "U redo" not in line(pilot)
        await press(pilot, "u")
        assert "U redo" in line(pilot)
        await press(pilot, "U")
        assert world.status(task) == "IN_PROGRESS"
        assert "U redo" not in line(pilot)
        await press(pilot, "u", "i")
        assert "U redo" not in line(pilot)


@pytest.mark.parametrize(("size", "end"), [((40, 12), "g u ?"), ((120, 40), "g go  u undo  ? help")])
async def test_go_undo_and_help_are_at_the_right_end_and_can_be_clicked(
    world: World, size: tuple[int, int], end: str
) -> None:
    world.task()
    async with on_stage(world, canvas(world), size=size) as pilot:
        assert line(pilot).endswith(f" {end}")
        bottom = seen(pilot).splitlines()[-1]
        await pilot.click(KeyBar, offset=(bottom.rindex("g" if size[0] < 72 else "g go"), 0))
        assert await shows(pilot, "Go to")
        await press(pilot, "escape")
        await pilot.click(KeyBar, offset=(bottom.rindex("?"), 0))
        assert await shows(pilot, "Help")


async def test_only_keys_that_do_something_now_are_in_the_line(world: World) -> None:
    task = world.task()
    world.add_application()
    async with on_stage(world, canvas(world), world.vera) as pilot:
        assert "enter open" in line(pilot)
        assert "complete" not in line(pilot)
    async with on_stage(world, lambda: CanvasScreen(world.project.id, task.id)) as pilot:
        assert "c complete" in line(pilot)
        await press(pilot, "k")
        assert "c complete" not in line(pilot)
        assert "o launch" in line(pilot)


async def test_shown_archived_cards_are_a_mode_that_the_line_offers_to_end(world: World) -> None:
    world.task()
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "A")
        assert line(pilot).startswith("A hide archived  ")
        await press(pilot, "A")
        assert "hide archived" not in line(pilot)


async def test_keys_of_ones_own_stand_in_the_line(world: World) -> None:
    from core.actions.workspace.profile import SetPreference

    ready(world)
    world.do(SetPreference(name="keymap", value="canvas.approve_gate = f6\neverywhere.undo = f7"))
    async with on_stage(world, canvas(world)) as pilot:
        assert line(pilot).startswith("f6 approve  ")
        assert line(pilot).endswith("g go  f7 undo  ? help")


async def test_the_title_line_says_who_and_what_is_not_normal_and_the_name_of_the_project_wins(world: World) -> None:
    world.do(EditProject(project_id=world.project.id, name="The long spring campaign"))
    world.do(AddComment(item_id=world.task().id, text="@maya look"), world.bob)
    async with on_stage(world, canvas(world)) as pilot:
        assert await shows(pilot, "Maya Okafor · owner  inbox 1  ✓ saved")
        assert "local" not in seen(pilot)
        await pilot.resize_terminal(40, 12)
        assert await shows(pilot, "◆ The long spring campaign")
        assert "inbox 1" in seen(pilot).splitlines()[0]
        await pilot.resize_terminal(80, 24)
        assert await shows(pilot, "✓ saved")
        assert "◆ The long spring campaign" in seen(pilot)


@pytest.mark.parametrize("size", [(40, 12), (120, 40)])
async def test_the_number_of_the_inbox_opens_it_when_clicked(world: World, size: tuple[int, int]) -> None:
    world.do(AddComment(item_id=world.task().id, text="@maya look"), world.bob)
    async with on_stage(world, canvas(world), size=size) as pilot:
        assert await shows(pilot, "inbox 1")
        await pilot.click(TitleBar, offset=(3, 0))
        assert isinstance(pilot.app.screen, CanvasScreen)
        at = seen(pilot).splitlines()[0].index("inbox 1")
        await pilot.click(TitleBar, offset=(at + 2, 0))
        assert await comes(pilot, lambda: isinstance(pilot.app.screen, InboxScreen))
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, CanvasScreen)


async def test_a_key_draws_the_line_of_the_cursor_in_one_strip_without_textuals_cache_of_styles(world: World) -> None:
    for number in range(3):
        world.task(f"Task {number}")
    async with on_stage(world, canvas(world)) as pilot:
        detail = pilot.app.screen.query_one(ChangesOrDetail)
        await press(pilot, "j")
        with patch.object(StylesCache, "render_widget", autospec=True, side_effect=StylesCache.render_widget) as cached:
            await press(pilot, "j")
        assert "Task 2" in seen(pilot).splitlines()[-2]
        assert detail not in [call.args[1] for call in cached.call_args_list]
        (drawn,) = detail.render_lines(detail.size.region)
        assert (drawn.cell_length, drawn.text.strip()) == (detail.size.width, detail.render().plain.strip())


async def test_the_line_of_keys_makes_the_text_of_each_key_once_and_joins_them_once(world: World) -> None:
    world.task("Sketch", world.build)
    async with on_stage(world, canvas(world), size=(80, 24)) as pilot:
        bar = pilot.app.screen.query_one(KeyBar)
        first, last = bar.owner.keys.line()
        with counted_work() as work, patch.object(Content, "assemble", wraps=Content.assemble) as joined:
            bar.line(80)
        shortened = sum(" (" in each.label for each in first)
        assert work.calls["_part"] <= len(first) + len(last) + shortened
        assert joined.call_count == work.calls["_part"] + 1


@pytest.mark.parametrize("view", [CanvasScreen, TableScreen])
async def test_on_an_archived_card_the_line_offers_to_restore_it_in_place_of_what_it_refuses(
    world: World, view: type[ProjectView]
) -> None:
    first, old = world.task("First"), world.task("Old")
    world.archive(old.id)
    async with on_stage(world, lambda: view(world.project.id, first.id)) as pilot:
        await press(pilot, "A")
        assert "c complete" in line(pilot)
        assert "r restore" not in line(pilot)
        await press(pilot, "j")
        assert "r restore" in line(pilot)
        for refused in ("H/L move", "c complete", "d archive"):
            assert refused not in line(pilot)
        await press(pilot, "c")
        assert told(pilot) == "This card is archived. Press r to restore it, d to delete it for good."
        await press(pilot, "r")
        assert world.status(old) != "ARCHIVED"
        assert "r restore" not in line(pilot)


async def test_while_words_are_typed_to_search_for_the_line_shows_the_keys_of_the_box(world: World) -> None:
    world.task("Call the quokka")
    async with on_stage(world, SearchScreen) as pilot:
        await write(pilot, "quo")
        assert await shows(pilot, "Call the quokka")
        assert line(pilot) == "enter open the first  down into the list  esc back"
        await press(pilot, "down")
        assert "y copy key" in line(pilot)
        await press(pilot, "slash")
        assert "y copy key" not in line(pilot)


@pytest.mark.parametrize("view", [CanvasScreen, TimelineScreen])
async def test_the_line_of_keys_asks_the_actions_only_after_a_change_that_can_concern_them(
    world: World, view: type[ProjectView]
) -> None:
    first, activity = world.task("First", due=date(2026, 3, 9)), world.activity("Interviews")
    for number in range(3):
        world.task(f"Like the first {number}")
    world.add_application(activity_id=activity.id)
    world.task("Sketch", world.build)
    world.archive(world.task("Old").id)
    world.do(LinkCards(waiting_id=world.task("Later").id, blocker_id=first.id))
    async with on_stage(world, lambda: view(world.project.id, first.id), world.bob) as pilot:
        screen = screen_of(pilot, view)
        keys = screen.keys
        with patch.object(keys, "make_line", wraps=keys.make_line) as made:
            for key in [*"jjjkL", "space", "j", "escape", *"AGduUl", "slash", "a"]:
                await press(pilot, key)
                assert keys.line() == KeyDispatcher.make_line(keys), f"after {key}"
            asked = made.call_count
            for name, value in (("held", frozenset()), ("authority", replace(LOCAL, pending=True))):
                setattr(screen.access, name, value)
                assert keys.line() == KeyDispatcher.make_line(keys), f"after a change of {name}"
            pilot.app.view_as.project_id = world.project.id
            assert keys.line() == KeyDispatcher.make_line(keys), "as a Viewer"
        assert asked < 14


async def test_marks_that_go_leave_no_keys_of_cards_where_there_is_no_card(world: World) -> None:
    world.task("Write the brief")
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "2", "Z", "1", "space", "2")
        assert "c complete" in line(pilot)
        await press(pilot, "escape")
        assert "c complete" not in line(pilot)
        assert "n new" in line(pilot)


async def test_the_numbers_of_a_filter_are_those_of_the_project_that_comes_back(world: World) -> None:
    for title in ("Film", "Print", "Web"):
        world.task(title)
    async with on_stage(world, canvas(world), as_=world.bob) as pilot:
        await press(pilot, "slash", Text("fil"), "enter")
        assert "(1 of 3)" in line(pilot)
        world.do(RemoveMember(project_id=world.project.id, user_id=world.bob.user_id))
        assert await comes(pilot, lambda: "(1 of 3)" not in seen(pilot))
        world.do(InviteMember(project_id=world.project.id, user_id=world.bob.user_id))
        assert await shows(pilot, "(1 of 3)")
