"""The templates on their screens: found, read, edited, removed, and a project made from one."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from textual.pilot import Pilot

from core.actions.templates.apply import SaveTemplate
from core.actions.templates.templates import GetTemplate, ListTemplates, RemoveTemplate, TemplateSummary
from core.actions.workspace.hierarchy import AddNode
from core.actions.workspace.users import SetPlatformRoles
from core.domain.model import NodeKind, PlatformRole
from core.domain.templates import Template
from core.text.dates import in_full
from tests.support.app_driver import Text, on_stage, press, screen_of, seen, settled, shows, told
from tests.support.workspace import Clock, World
from tui.screens.canvas.screen import CanvasScreen
from tui.screens.projects.from_template import first_day
from tui.screens.projects.projects import ProjectsScreen
from tui.screens.templates.template import TemplateScreen
from tui.screens.templates.templates import TemplatesScreen

BUILT_IN = ("Brand refresh", "Campaign launch", "Event", "Product launch", "Software release")


@pytest.fixture(autouse=True)
def today(clock: Clock) -> None:
    """Dates are read as on the day of the reader, so the workspace lives today too."""
    clock.now = datetime.now(UTC)


def campaign(world: World) -> TemplateSummary:
    return next(line for line in world.ask(ListTemplates()) if line.template.name == "Campaign launch")


def two_versions(world: World) -> Template:
    """A template saved from the project, with a task more in its second version."""
    world.task("Write the brief")
    first = world.do(SaveTemplate(project_id=world.project.id, name="Small site"))
    world.task("Call the venue")
    return world.do(SaveTemplate(project_id=world.project.id, template_id=first.id, seen_number=1, note="It calls."))


async def go_to(pilot: Pilot[int], name: str) -> None:
    """Filter the list down to one template."""
    await press(pilot, "slash", Text(name), "enter")


async def test_the_list_counts_what_is_in_each_and_the_filter_finds_words_and_tags(world: World) -> None:
    line = campaign(world)
    async with on_stage(world, TemplatesScreen, size=(120, 40)) as pilot:
        shown = seen(pilot)
        assert all(name in shown for name in BUILT_IN)
        row = next(each for each in shown.splitlines() if "Campaign launch" in each)
        assert f" {line.phases} " in row
        assert f" {line.items} " in row
        assert "weeks" in row
        tag = next(tag for tag in line.template.tags)
        for typed in ("campaign", f"#{tag}"):
            await go_to(pilot, typed)
            assert "Campaign launch" in _names(pilot)
            await press(pilot, "escape")
        await go_to(pilot, "no such words")
        assert "No matches" in seen(pilot)


def _names(pilot: Pilot[int]) -> list[str]:
    screen = screen_of(pilot, TemplatesScreen)
    return [line.cells[0][0][0] for line in screen.listing.lines]


@pytest.mark.parametrize(("width", "beside"), [(80, False), (120, True), (200, True)])
async def test_the_phases_stand_beside_the_list_where_there_is_room(world: World, width: int, beside: bool) -> None:
    first = world.ask(GetTemplate(template_id=world.ask(ListTemplates())[0].template.id)).body.phases[0]
    async with on_stage(world, TemplatesScreen, size=(width, 40)) as pilot:
        await settled(pilot)
        assert (f"1 {first.name}" in seen(pilot)) == beside


async def test_enter_opens_the_workflow_with_days_gates_and_roles(world: World) -> None:
    detail = world.ask(GetTemplate(template_id=campaign(world).template.id))
    async with on_stage(world, TemplatesScreen, size=(200, 60)) as pilot:
        await go_to(pilot, "campaign launch")
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, TemplateScreen)
        shown = seen(pilot)
        phase = detail.body.phases[0]
        assert f"1 {phase.name}" in shown
        assert f"day {phase.due_days}" in shown
        assert f"[{phase.items[0].slots[0]}" in shown
        assert phase.items[0].title in shown
        assert phase.deliverables[0] in shown


@pytest.mark.parametrize("size", [(40, 12), (80, 24)])
async def test_the_end_of_a_long_workflow_can_be_reached(world: World, size: tuple[int, int]) -> None:
    async with on_stage(world, lambda: TemplateScreen(campaign(world).template.id), size=size) as pilot:
        assert "Versions" not in seen(pilot)
        await press(pilot, *["pagedown"] * 60)
        assert "Versions" in seen(pilot)


async def test_versions_are_stepped_through_and_compared(world: World) -> None:
    template = two_versions(world)
    async with on_stage(world, lambda: TemplateScreen(template.id)) as pilot:
        assert "It calls." in seen(pilot)
        assert "Call the venue" in seen(pilot)
        await press(pilot, "enter")
        assert "1 added" in seen(pilot)
        assert "+ Call the venue" in seen(pilot)
        await press(pilot, "escape", "h")
        assert "Call the venue" not in seen(pilot)
        assert "there is a newer one" in seen(pilot)
        await press(pilot, "h")
        assert "This is the first version" in told(pilot)
        await press(pilot, "enter")
        assert "nothing to compare it with" in told(pilot)


async def test_editing_changes_the_words_in_their_row(world: World) -> None:
    async with on_stage(world, TemplatesScreen) as pilot:
        await go_to(pilot, "event")
        await press(pilot, "e", "end", Text(" 2"), "tab", "tab", "ctrl+u", Text("party, #hall"), "ctrl+s")
        detail = next(line.template for line in world.ask(ListTemplates()) if line.template.name == "Event 2")
        assert sorted(detail.tags) == ["hall", "party"]
        assert "Event 2" in seen(pilot)
        assert world.row("template", id=detail.id)["name"] == "Event 2"


async def test_a_removed_template_comes_back_with_undo(world: World) -> None:
    before = world.rows("SELECT * FROM template_version ORDER BY template_id, number")
    async with on_stage(world, TemplatesScreen) as pilot:
        await go_to(pilot, "event")
        await press(pilot, "d")
        assert world.rows("SELECT * FROM template WHERE name = 'Event'") == []
        await press(pilot, "u")
        assert world.row("template", name="Event")["number"] == 1
    after = world.rows("SELECT * FROM template_version ORDER BY template_id, number")
    assert [row["body"] for row in after] == [row["body"] for row in before]


async def test_a_page_closes_when_its_template_is_removed_by_another_user(world: World) -> None:
    template = campaign(world).template
    async with on_stage(world, TemplatesScreen) as pilot:
        await go_to(pilot, "campaign launch")
        await press(pilot, "enter")
        world.do(RemoveTemplate(template_id=template.id))
        assert await shows(pilot, "“Campaign launch” is not here any more")
        assert isinstance(pilot.app.screen, TemplatesScreen)


async def test_a_project_from_a_template_has_its_phases_its_people_and_its_links(world: World) -> None:
    client = world.do(AddNode(kind=NodeKind.CLIENT, name="Acme"))
    line = campaign(world)
    role = next(role for role in line.slots if role != "Lead")
    async with on_stage(world, TemplatesScreen, size=(120, 50)) as pilot:
        await go_to(pilot, "campaign launch")
        await press(pilot, "n", Text("Autumn campaign"), "tab", Text("+1w"))
        start = date.today() + timedelta(weeks=1)
        assert f"ends {in_full(start + timedelta(days=line.days))}" in seen(pilot)
        await press(pilot, "tab", "space", *"acme", "enter")
        await press(pilot, *["tab"] * (1 + line.slots.index(role)), "space", *"bob", "enter", "ctrl+s")
        assert isinstance(pilot.app.screen, CanvasScreen)
        assert "Created “Autumn campaign” from “Campaign launch”" in seen(pilot)
    project = world.row("project", name="Autumn campaign")
    assert (project["client_id"], project["start"]) == (client.id, start.isoformat())
    phases = world.rows("SELECT id FROM phase WHERE project_id = :id", id=project["id"])
    items = world.rows("SELECT id FROM item WHERE project_id = :id", id=project["id"])
    assert (len(phases), len(items)) == (line.phases, line.items)
    assert world.row("member", project_id=project["id"], user_id=world.bob.user_id)
    assert world.rows(
        "SELECT * FROM assignment WHERE project_id = :id AND user_id = :bob", id=project["id"], bob=world.bob.user_id
    )
    assert world.row("origin", project_id=project["id"])["template_id"] == line.template.id


async def test_n_on_projects_offers_the_templates_and_who_makes_the_project_leads_it(world: World) -> None:
    async with on_stage(world, ProjectsScreen, size=(80, 24)) as pilot:
        await press(pilot, "n")
        assert "Empty project" in seen(pilot)
        assert all(name in seen(pilot) for name in BUILT_IN)
        await press(pilot, Text("campaign"), "enter", Text("Autumn campaign"), "ctrl+s")
        assert isinstance(pilot.app.screen, CanvasScreen)
        await press(pilot, "q")
        assert isinstance(pilot.app.screen, ProjectsScreen)
        assert "Autumn campaign" in seen(pilot)
    project = world.row("project", name="Autumn campaign")
    assert date.fromisoformat(project["start"]) == first_day(date.today())
    members = world.rows("SELECT user_id FROM member WHERE project_id = :id", id=project["id"])
    assert members == [{"user_id": world.maya.user_id}]


async def test_without_templates_nothing_is_offered(world: World) -> None:
    for line in world.ask(ListTemplates()):
        world.do(RemoveTemplate(template_id=line.template.id))
    async with on_stage(world, ProjectsScreen) as pilot:
        await press(pilot, "n")
        assert "What is the project called?" in seen(pilot)
    async with on_stage(world, TemplatesScreen) as pilot:
        assert "No templates yet" in seen(pilot)
        await press(pilot, "n", "e", "d", "enter", "y")
        assert "No template here" in seen(pilot)


@pytest.mark.parametrize("typed", ["", "  "])
async def test_a_project_without_a_name_is_refused_in_the_form(world: World, typed: str) -> None:
    async with on_stage(world, lambda: TemplateScreen(campaign(world).template.id)) as pilot:
        await press(pilot, "n", Text(typed), "ctrl+s")
        assert "Enter a name." in seen(pilot)
        await press(pilot, "tab", Text("31 feb"), "ctrl+s")
        assert "There is no day" in seen(pilot)
    assert len(world.rows("SELECT id FROM project")) == 1


async def test_a_guest_on_no_project_reads_no_template(world: World) -> None:
    async with on_stage(world, TemplatesScreen, world.gus) as pilot:
        await press(pilot, "enter")
        assert not isinstance(pilot.app.screen, TemplateScreen), "a guest on no project sees none"
    world.do(SetPlatformRoles(user_id=world.gus.user_id, platform_roles=(PlatformRole.INTERNAL,)))
    async with on_stage(world, TemplatesScreen, world.gus) as pilot:
        await press(pilot, "n")
        assert "New project from" in seen(pilot)


@pytest.mark.parametrize(
    ("day", "first"),
    [(date(2026, 3, 6), date(2026, 3, 6)), (date(2026, 3, 7), date(2026, 3, 9)), (date(2026, 3, 8), date(2026, 3, 9))],
)
def test_a_project_begins_today_or_on_the_monday_after_a_weekend(day: date, first: date) -> None:
    assert first_day(day) == first
