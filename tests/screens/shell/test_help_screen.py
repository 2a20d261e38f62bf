"""Help: made from the table of keys, with reasons, searched as one types."""

from __future__ import annotations

from core.actions.workspace.profile import SetPreference
from tests.support.app_driver import Text, on_stage, press, seen, shows, write
from tests.support.sweeps import sizes
from tests.support.workspace import World
from tui.drawing.styles import ASCII, UNICODE, Symbols
from tui.keys.table import keys_on
from tui.screens.canvas.screen import CanvasScreen
from tui.screens.people.meta_roles import MetaRolesScreen
from tui.screens.projects.projects import ProjectsScreen
from tui.screens.shell.help import HelpScreen
from tui.wording.signs import DRAWN, legend


async def test_help_names_every_key_of_the_screen_and_how_podium_works(world: World) -> None:
    async with on_stage(world, ProjectsScreen, size=(160, 60)) as pilot:
        await press(pilot, "question_mark")
        shown = seen(pilot)
        assert "How Podium works" in shown
        for key in keys_on("projects"):
            assert key.words.split(",")[0][:30] in shown, key.id


async def test_typing_searches_and_esc_goes_back(world: World) -> None:
    async with on_stage(world, ProjectsScreen) as pilot:
        await press(pilot, "question_mark", Text("favour"))
        assert "Toggle favourite" in seen(pilot)
        assert "New project" not in seen(pilot)
        heading = next(line for line in seen(pilot).splitlines() if "Projects" in line and "Help" not in line)
        assert heading.index("Projects") < 4, "the first column is not left empty"
        await write(pilot, "zzz")
        assert "No key does that here" in seen(pilot)
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, ProjectsScreen)


async def test_a_key_that_does_nothing_says_why(world: World) -> None:
    world.task()
    async with on_stage(world, lambda: CanvasScreen(world.project.id), world.vera) as pilot:
        await press(pilot, "question_mark", Text("assign to me"))
        assert "you are a viewer" in seen(pilot)


async def test_help_and_footer_show_the_keys_a_person_has_chosen(world: World) -> None:
    world.do(SetPreference(name="keymap", value="projects.new_project = f5"))
    async with on_stage(world, ProjectsScreen) as pilot:
        assert "f5 new" in seen(pilot)
        await press(pilot, "question_mark", Text("new project"))
        assert "f5" in seen(pilot)
        await press(pilot, "escape", "f5")
        assert await shows(pilot, "Start the new project from")


@sizes((1, 1), (80, 24), swept=[(20, 6), (40, 12), (200, 60)])
async def test_help_opens_at_every_size(world: World, size: tuple[int, int]) -> None:
    async with on_stage(world, lambda: CanvasScreen(world.project.id), size=size) as pilot:
        await press(pilot, "question_mark", "pagedown", "pagedown", "up", "x")
        assert isinstance(pilot.app.screen, HelpScreen)


async def test_the_title_names_the_screen_as_people_do(world: World) -> None:
    async with on_stage(world, MetaRolesScreen) as pilot:
        await press(pilot, "question_mark")
        assert "Help · Meta roles" in seen(pilot)


async def test_help_begins_with_six_keys_groups_the_others_and_ends_with_all_signs(world: World) -> None:
    world.do(SetPreference(name="keymap", value="everywhere.undo = f7"))
    async with on_stage(world, lambda: CanvasScreen(world.project.id), size=(160, 60)) as pilot:
        await press(pilot, "question_mark")
        shown = seen(pilot)
        first = shown.partition("If you only learn six")[2]
        for words in ("enter open", "n add", "L next status", "> approve", "? help", "f7 undo"):
            assert words in first
        for group in ("Cards", "Marks", "Filter", "Views", "Phase", "Applications", "Moving", "Everywhere", "Signs"):
            assert f" {group} " in shown
        for signs, words in legend(UNICODE):
            assert signs in shown, words


async def test_reasons_are_shown_on_demand(world: World) -> None:
    world.task()
    async with on_stage(world, lambda: CanvasScreen(world.project.id), size=(160, 60)) as pilot:
        await press(pilot, "question_mark")
        assert "There is no application" not in seen(pilot)
        await press(pilot, "tab")
        assert "There is no application" in seen(pilot)
        await press(pilot, "tab")
        assert "There is no application" not in seen(pilot)


def test_the_legend_names_every_sign_that_has_a_meaning() -> None:
    for symbols in (UNICODE, ASCII):
        named = "".join(signs for signs, _ in legend(symbols))
        for field in Symbols.__struct_fields__:
            value = getattr(symbols, field)
            assert field in DRAWN or all(sign in named for sign in value), field
