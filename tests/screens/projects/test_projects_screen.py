"""The Projects widget: what a key does is in the database and on the screen."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta

import pytest
from textual.pilot import Pilot

from core.actions.cards.cards import DeleteCard
from core.actions.cards.tasks import AssignTask
from core.actions.projects.projects import ArchiveProject, EditProject, LinkProject, SetFavourite
from core.actions.workflow.gate_policy import SetGatePolicy
from core.actions.workflow.phases import EditPhase
from core.actions.workspace.hierarchy import AddNode
from core.actions.workspace.users import DeactivateUser, SetPlatformRoles
from core.domain.gate_policy import Deciding
from core.domain.model import Gate, NodeKind, PlatformRole
from core.engine.unit_of_work import Actor
from core.text.dates import in_full
from tests.support.app_driver import Text, canvas, hides, on_stage, post_keys, press, seen, settled, shows, told
from tests.support.workspace import Clock, World
from tui.screens.canvas.screen import CanvasScreen
from tui.screens.projects.projects import ProjectsScreen


@pytest.fixture(autouse=True)
def today(clock: Clock) -> None:
    """Dates are read as on the day of the reader, so the workspace lives today too."""
    clock.now = datetime.now(UTC)


async def test_a_new_project_opens_and_is_in_its_row_under_the_cursor(world: World) -> None:
    world.do(AddNode(kind=NodeKind.CLIENT, name="Acme"))
    async with on_stage(world, ProjectsScreen) as pilot:
        await press(pilot, "n", "enter", Text("Autumn launch"), "tab", "tab", "space", *"acme", "enter", "ctrl+s")
        row = world.row("project", name="Autumn launch")
        assert row["client_id"] == world.row("hierarchy_node", name="Acme")["id"]
        assert isinstance(pilot.app.screen, CanvasScreen)
        assert pilot.app.screen.project_id == row["id"]
        assert "Created “Autumn launch”. Press N to add its first phase." in seen(pilot)
        await press(pilot, "q")
        assert pilot.line.id == row["id"]
        assert "Autumn launch" in seen(pilot)


async def test_enter_opens_the_canvas_and_q_comes_back(world: World) -> None:
    async with on_stage(world, ProjectsScreen) as pilot:
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, CanvasScreen)
        assert pilot.app.screen.project_id == world.project.id
        await press(pilot, "q")
        assert isinstance(pilot.app.screen, ProjectsScreen)


async def test_a_favourite_stands_first_with_a_star(world: World) -> None:
    other = world.new_project("Aardvark")
    async with on_stage(world, ProjectsScreen) as pilot:
        assert pilot.line.id == other.id
        await press(pilot, "j", "asterisk")
        assert world.rows("SELECT project_id FROM favourite") == [{"project_id": world.project.id}]
        assert seen(pilot).index("★ Spring launch") < seen(pilot).index("Aardvark")
        assert pilot.line.id == world.project.id
        await press(pilot, "asterisk")
        assert world.rows("SELECT project_id FROM favourite") == []


async def test_undo_takes_back_what_was_done_to_a_project_here(world: World) -> None:
    people = len(world.rows("SELECT id FROM app_user"))
    async with on_stage(world, ProjectsScreen) as pilot:
        await press(pilot, "d")
        assert world.row("project", id=world.project.id)["archived"] == 1
        await press(pilot, "u")
        assert world.row("project", id=world.project.id)["archived"] == 0
        assert "Undone: archived the project “Spring launch”" in seen(pilot)
        await press(pilot, "U")
        assert world.row("project", id=world.project.id)["archived"] == 1
    assert len(world.rows("SELECT id FROM app_user WHERE active = 1")) == people


async def test_a_low_terminal_has_one_line_for_what_a_project_is_about_and_a_tall_one_the_preview(world: World) -> None:
    words = "What this project is about, which takes more than a line of most terminals " * 2 + "and ends here."
    world.do(EditProject(project_id=world.project.id, description=words))
    async with on_stage(world, ProjectsScreen, size=(120, 24)) as pilot:
        assert "What this project is about" in seen(pilot)
        assert "ends here." not in seen(pilot)
        await pilot.resize_terminal(120, 40)
        assert await shows(pilot, "ends here.")


async def test_undo_on_the_list_is_about_the_project_that_was_just_made(world: World, clock: Clock) -> None:
    clock.forward(days=-9)
    world.do(DeactivateUser(user_id=world.gus.user_id))
    clock.forward(days=9)
    async with on_stage(world, ProjectsScreen) as pilot:
        await press(pilot, "n", "enter", Text("Temp project"), "ctrl+s")
        assert world.row("project", name="Temp project")
        await press(pilot, "u")
        assert "created the project “Temp project”" in one_line(pilot)
        assert "Gus" not in seen(pilot)
        assert world.row("app_user", id=world.gus.user_id)["active"] == 0
        assert world.row("project", name="Temp project")["archived"] == 1


async def test_a_change_of_four_weeks_ago_is_undone_only_after_a_question_that_names_it(
    world: World, clock: Clock
) -> None:
    clock.forward(days=-30)
    world.do(DeactivateUser(user_id=world.gus.user_id))
    clock.forward(days=30)
    async with on_stage(world, ProjectsScreen) as pilot:
        await press(pilot, "u")
        assert "Your last change was 4 weeks ago" in one_line(pilot)
        assert "deactivated Gus Roy" in one_line(pilot)
        await press(pilot, "n")
        assert world.row("app_user", id=world.gus.user_id)["active"] == 0


def one_line(pilot: Pilot[int]) -> str:
    """The screen without the line breaks and frames of a toast or a dialog."""
    return " ".join(re.sub("[│▌]", " ", seen(pilot)).split())


async def test_what_was_done_long_ago_is_named_before_it_is_taken_back(world: World, clock: Clock) -> None:
    def active() -> int:
        return len(world.rows("SELECT id FROM app_user WHERE active = 1"))

    clock.forward(days=-3)
    everybody, day = active(), in_full(clock.now.astimezone().date())
    world.do(DeactivateUser(user_id=world.gus.user_id))
    clock.forward(days=3)
    async with on_stage(world, ProjectsScreen) as pilot:
        await press(pilot, "u")
        assert "Undo an older change?" in seen(pilot)
        assert day in seen(pilot)
        assert "deactivated Gus" in seen(pilot)
        await press(pilot, "escape")
        assert active() == everybody - 1
        await press(pilot, "u", "y")
        assert active() == everybody
        assert "Undone: deactivated Gus" in seen(pilot)
        assert day in seen(pilot)
        await press(pilot, "U")  # just now, so nothing is asked
        assert active() == everybody - 1
        clock.forward(days=2)
        await press(pilot, "u")
        assert "Undo an older change?" in seen(pilot)
        await press(pilot, "n")
    assert active() == everybody - 1


async def test_u_offers_the_change_before_one_that_a_deletion_made_impossible_to_undo(world: World) -> None:
    kept, gone = world.task("Kept"), world.task("Gone")
    world.archive(gone.id, as_=world.bob)
    world.do(DeleteCard(card_id=gone.id))
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "u")
        assert "cannot be undone: deleted “Gone” for good" in one_line(pilot)
        assert "The last one that can be undone was just now" in one_line(pilot)
        assert world.row("item", id=kept.id)
        await press(pilot, "y")
        assert "Undone: added the task “Kept”" in one_line(pilot)
    assert not world.rows("SELECT id FROM item")


async def test_the_archive_hides_shows_restores_and_deletes(world: World) -> None:
    async with on_stage(world, ProjectsScreen) as pilot:
        await press(pilot, "d")
        assert world.row("project", id=world.project.id)["archived"] == 1
        assert "No projects yet" in seen(pilot)
        await press(pilot, "A")
        assert "Spring launch" in seen(pilot)
        await press(pilot, "r")
        assert world.row("project", id=world.project.id)["archived"] == 0
        await press(pilot, "d")
        await pilot.screen.action_do("projects.delete")
        await settled(pilot)
        await press(pilot, Text("delete"), "enter")
        assert world.rows("SELECT * FROM project") == []


async def test_editing_changes_name_and_links_in_their_rows(world: World) -> None:
    client = world.do(AddNode(kind=NodeKind.CLIENT, name="Acme"))
    async with on_stage(world, ProjectsScreen) as pilot:
        await press(pilot, "e", "end", Text(" 2"), "tab", "tab", "space", *"acme", "enter", "ctrl+s")
        row = world.row("project", id=world.project.id)
        assert (row["name"], row["client_id"]) == ("Spring launch 2", client.id)
        assert "Spring launch 2" in seen(pilot)


@pytest.mark.parametrize("width", [80, 200])
async def test_the_filter_finds_projects_by_client_market_and_brand(world: World, width: int) -> None:
    client = world.do(AddNode(kind=NodeKind.CLIENT, name="Acme"))
    market = world.do(AddNode(kind=NodeKind.MARKET, name="Nordics", parent_id=client.id))
    brand = world.do(AddNode(kind=NodeKind.BRAND, name="Fjordland", parent_id=market.id))
    world.do(LinkProject(project_id=world.project.id, brand_id=brand.id))
    world.new_project("Aardvark")
    async with on_stage(world, ProjectsScreen, size=(width, 24)) as pilot:
        assert width < 200 or "Acme / Nordics / Fjordland" in seen(pilot)
        for word in ("acme", "nordics", "fjordland"):
            await press(pilot, "slash", *word, "enter")
            assert "Spring launch" in seen(pilot)
            assert "Aardvark" not in seen(pilot)
            await press(pilot, "escape")
            assert "Aardvark" in seen(pilot)


async def test_who_may_not_edit_reads_why(world: World) -> None:
    async with on_stage(world, ProjectsScreen, world.vera) as pilot:
        await press(pilot, "e")
        assert "Edit project" not in seen(pilot)
        assert "can change the project's details" in seen(pilot).replace("\n", " ")
        await press(pilot, "d")
        assert "can change the project's details" in seen(pilot).replace("\n", " ")
        assert world.row("project", id=world.project.id)["archived"] == 0


async def test_a_newcomer_reads_what_to_do(world: World) -> None:
    async with on_stage(world, ProjectsScreen, world.gus) as pilot:
        assert "No projects yet" in seen(pilot)
        assert "Ask a project's owner to add you" in seen(pilot)
        assert "open" not in seen(pilot).splitlines()[-1], "there is nothing to open"
        await press(pilot, "enter")
        assert told(pilot) == "No project here."
        await press(pilot, "n")
        assert "can create projects" in seen(pilot)
    world.do(SetPlatformRoles(user_id=world.gus.user_id, platform_roles=(PlatformRole.INTERNAL,)))
    async with on_stage(world, ProjectsScreen, world.gus) as pilot:
        assert "Press n to create a project at any time" in seen(pilot)


def newcomer(world: World) -> Actor:
    """Gus as an internal user, who may create projects and has none."""
    world.internal(world.gus)
    return world.gus


WAYS = ("Show me around", "Start from a template", "Empty project", "Bring in a file")


@pytest.mark.parametrize("size", [(80, 24), (40, 12), (120, 40), (200, 60)])
async def test_an_empty_list_offers_four_ways_to_begin_in_the_room_that_there_is(
    world: World, size: tuple[int, int]
) -> None:
    async with on_stage(world, ProjectsScreen, newcomer(world), size) as pilot:
        rows = seen(pilot).splitlines()
        at = [
            next(number for number, row in enumerate(rows) if f"{key}  {way}" in row) for key, way in enumerate(WAYS, 1)
        ]
        assert at == sorted(at)
        assert ("A sample project and seven small goals" in seen(pilot)) == (size[1] > 12)
        assert size[1] < 40 or at[0] >= 5, "a high page has them further down"
        for key in ("open", "edit", "favourite", "filter"):
            assert key not in rows[-1], "no key that does nothing here"
        assert "1 show me around" in rows[-1]


@pytest.mark.parametrize(
    ("keys", "title"), [("2", "Start the new project from"), ("3", "New project"), ("4", "Import a file")]
)
async def test_a_key_begins_at_once(world: World, keys: str, title: str) -> None:
    async with on_stage(world, ProjectsScreen, newcomer(world)) as pilot:
        await press(pilot, keys)
        assert title in seen(pilot)
        await press(pilot, "escape")
        assert "How do you want to begin?" in seen(pilot)


async def test_the_ways_to_begin_are_back_after_the_first_project_was_undone_and_u_redoes_it(world: World) -> None:
    async with on_stage(world, ProjectsScreen, newcomer(world)) as pilot:
        await press(pilot, "3", Text("Xyz"), "ctrl+s", "u", "q")
        assert "How do you want to begin?" in seen(pilot)
        assert "U redo  1 show me around" in seen(pilot).splitlines()[-1]
        await press(pilot, "U")
        assert "Xyz" in seen(pilot)
        assert "How do you want to begin?" not in seen(pilot)
        assert world.row("project", name="Xyz")["archived"] == 0


async def test_keys_that_were_typed_ahead_wait_for_the_canvas_of_the_new_project(world: World) -> None:
    async with on_stage(world, ProjectsScreen, newcomer(world)) as pilot:
        post_keys(pilot, "3", *"Xyz", "ctrl+s", "N", *"Brief", "ctrl+s")
        assert await shows(pilot, "1 Brief")
        assert world.row("phase", name="Brief")["project_id"] == world.row("project", name="Xyz")["id"]


async def test_the_cursor_and_the_mouse_choose_a_way_to_begin_too(world: World) -> None:
    async with on_stage(world, ProjectsScreen, newcomer(world)) as pilot:
        await press(pilot, "j", "j", "enter")
        assert "New project" in seen(pilot)
        await press(pilot, "escape")
        rows = seen(pilot).splitlines()
        y = next(number for number, row in enumerate(rows) if "Start from a template" in row)
        await pilot.click(offset=(rows[y].index("Start"), y))
        await settled(pilot)
        assert "Brand refresh" in seen(pilot)
        await press(pilot, "enter", Text("Our brand"), "ctrl+s")
        assert "Left out of “Our brand”" in seen(pilot)  # who decides, since nobody is Approver yet
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, CanvasScreen)
        assert world.row("project", name="Our brand")
        await press(pilot, "q")
        assert "Our brand" in seen(pilot)
        assert "How do you want to begin?" not in seen(pilot)
        assert pilot.line.id == world.row("project", name="Our brand")["id"]


async def test_a_user_who_cannot_create_projects_is_offered_none(world: World) -> None:
    async with on_stage(world, ProjectsScreen, world.gus) as pilot:
        assert "Show me around" not in seen(pilot)
        await press(pilot, "1")
        assert "can create projects" in seen(pilot)
        assert world.rows("SELECT name FROM project") == [{"name": "Spring launch"}]


async def test_what_is_next_for_me_stands_beside_the_list_and_opens_its_card(world: World) -> None:
    world.task("Not mine")
    mine = world.task("Call the printer", due=date.today() + timedelta(days=1))
    world.do(AssignTask(task_id=mine.id, assignee_id=world.maya.user_id))
    async with on_stage(world, ProjectsScreen) as pilot:
        assert "Next for me" in seen(pilot)
        assert "tomorrow" in seen(pilot)
        await press(pilot, "tab", "enter")
        assert isinstance(pilot.app.screen, CanvasScreen)
        assert pilot.card.id == mine.id


async def test_a_gate_that_waits_for_my_vote_is_next_for_me_and_stands_in_the_title(world: World) -> None:
    """Also for a contributor whom the policy of the gate names, as in the inbox."""
    world.do(EditPhase(phase_id=world.discover.id, gate=Gate.REVIEW))
    world.complete(world.task("Brief", world.discover).id)
    people = (world.bob.user_id,)
    world.do(SetGatePolicy(phase_id=world.discover.id, deciders=Deciding.PEOPLE, people=people, reason="He knows"))
    async with on_stage(world, ProjectsScreen, world.bob) as pilot:
        assert "Projects · Studio North · 1 gate for you to decide" in seen(pilot)
        assert re.search("1 Discover: ready for your vote", seen(pilot))
    async with on_stage(world, ProjectsScreen) as pilot:
        assert "for you to decide" not in seen(pilot)


async def test_with_several_projects_each_line_that_is_next_names_its_project(world: World) -> None:
    zoo = world.phase("Only", world.new_project("Zebra").id)
    for phase, title in ((world.discover, "Call the printer"), (zoo, "Feed it")):
        task = world.task(title, phase, due=date.today() + timedelta(days=1))
        world.do(AssignTask(task_id=task.id, assignee_id=world.maya.user_id))
        if title != "Feed it":
            async with on_stage(world, ProjectsScreen) as pilot:
                assert "○ Call the printer" in seen(pilot)
    keys = [row["key"] for row in world.rows("SELECT key FROM project ORDER BY name")]
    async with on_stage(world, ProjectsScreen) as pilot:
        assert f"○ {keys[0]} Call the printer" in seen(pilot)
        assert f"○ {keys[1]} Feed it" in seen(pilot)


async def test_it_stands_below_where_rows_are_free_and_leaves_where_they_are_not(world: World) -> None:
    mine = world.task("Call the printer", due=date.today() + timedelta(days=1))
    world.do(AssignTask(task_id=mine.id, assignee_id=world.maya.user_id))
    async with on_stage(world, ProjectsScreen, size=(80, 24)) as pilot:
        assert "Next for me" in seen(pilot)
        await press(pilot, "tab")
        await pilot.resize_terminal(40, 7)
        await settled(pilot)
        assert "Spring launch" in seen(pilot)
        assert "Next for me" not in seen(pilot)
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, CanvasScreen)


async def test_s_sorts_by_the_next_column_and_the_title_says_so(world: World) -> None:
    late = world.new_project("Zebra")
    world.task("Late", world.phase("Only", late.id), due=date.today() - timedelta(days=2))
    async with on_stage(world, ProjectsScreen) as pilot:
        assert seen(pilot).index("Spring launch") < seen(pilot).index("Zebra")
        await press(pilot, "S")
        assert "by health" in seen(pilot)
        assert "overdue" in seen(pilot)
        assert seen(pilot).index("Zebra") < seen(pilot).index("Spring launch")


async def test_the_filter_narrows_while_one_types_and_esc_ends_it(world: World) -> None:
    world.new_project("Aardvark")
    async with on_stage(world, ProjectsScreen) as pilot:
        await press(pilot, "slash", Text("spring"))
        assert "Spring launch" in seen(pilot)
        assert await hides(pilot, "Aardvark")
        await press(pilot, "enter", "escape")
        assert "Aardvark" in seen(pilot)


async def test_an_admin_takes_over_a_project_that_its_owners_left(world: World) -> None:
    world.do(SetPlatformRoles(user_id=world.gus.user_id, platform_roles=(PlatformRole.WORKSPACE_ADMIN,)))
    world.do(DeactivateUser(user_id=world.maya.user_id), world.gus)
    async with on_stage(world, ProjectsScreen, world.gus) as pilot:
        await pilot.screen.action_do("projects.claim")
        await settled(pilot)
        assert "Spring launch" in seen(pilot)
        await press(pilot, "enter")
        assert world.row("member", user_id=world.gus.user_id)["role"] == "OWNER"
        assert pilot.line.id == world.project.id


async def test_a_colleagues_change_appears_without_a_key(world: World) -> None:
    other = world.new_project("Aardvark")
    async with on_stage(world, ProjectsScreen) as pilot:
        world.do(SetFavourite(project_id=other.id, favourite=True))
        world.do(ArchiveProject(project_id=world.project.id))
        assert await shows(pilot, "★ Aardvark")
        assert await hides(pilot, "Spring launch")


@pytest.mark.parametrize("size", [(40, 12), (80, 24), (120, 40), (200, 60)])
async def test_name_and_health_are_there_at_every_size(world: World, size: tuple[int, int]) -> None:
    world.task("Soon", due=date.today() + timedelta(days=1))
    async with on_stage(world, ProjectsScreen, size=size) as pilot:
        assert "Spring launch" in seen(pilot)
        assert "at risk" in seen(pilot)
