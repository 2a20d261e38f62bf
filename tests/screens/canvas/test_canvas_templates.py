"""A workflow saved as a template from its Canvas, and a version of one brought into it."""

from __future__ import annotations

from typing import Any

from textual.pilot import Pilot

from core.actions.projects.projects import ArchiveProject
from core.actions.templates.apply import CreateProjectFromTemplate, SaveTemplate
from core.actions.templates.templates import GetTemplate
from core.domain.model import Project
from core.domain.templates import Template
from tests.support.app_driver import Text, canvas, on_stage, press, screen_of, seen, settled, shows, told
from tests.support.workspace import World
from tui.keys.table import BY_ID
from tui.screens.canvas.screen import CanvasScreen


def saved(world: World, **fields: Any) -> Template:
    return world.do(SaveTemplate(project_id=world.project.id, **{"name": "Small site"} | fields))


def made(world: World, template: Template) -> Project:
    start = world.engine.clock().date()
    return world.do(CreateProjectFromTemplate(template_id=template.id, name="Second site", start=start)).project


def second(world: World, template: Template) -> Template:
    """The next version, with a task more."""
    world.task("Call the venue")
    return saved(world, name="", template_id=template.id, seen_number=template.number)


async def run(pilot: Pilot[int], key_id: str) -> None:
    screen = screen_of(pilot, CanvasScreen)
    await screen.keys.run(BY_ID[key_id])
    await settled(pilot)


async def test_a_workflow_becomes_a_template_with_words_and_tags(world: World) -> None:
    world.task("Write the brief")
    async with on_stage(world, canvas(world)) as pilot:
        await run(pilot, "canvas.save_template")
        await press(pilot, "home", "enter", Text("Small site"), "tab", Text("For one page"), "tab", Text("web, small"))
        await press(pilot, "ctrl+s")
        assert "Saved the template “Small site”" in seen(pilot)
        await press(pilot, "u")
        assert world.rows("SELECT * FROM template WHERE name = 'Small site'") == []
        await press(pilot, "U")
    row = world.row("template", name="Small site")
    assert (row["description"], row["number"]) == ("For one page", 1)
    detail = world.ask(GetTemplate(template_id=row["id"]))
    assert sorted(detail.line.template.tags) == ["small", "web"]
    assert [phase.name for phase in detail.body.phases] == ["Discover", "Build", "Launch"]


async def test_saving_says_who_becomes_which_role_and_what_stays_open(world: World) -> None:
    async with on_stage(world, canvas(world)) as pilot:
        await run(pilot, "canvas.save_template")
        await press(pilot, "home", "enter")
        shown = " ".join(seen(pilot).replace("│", " ").split())
        assert "Maya Okafor becomes Lead." in shown
        assert "What is assigned to Bob Lind and Vera Sato, who have no meta role here, stays open." in shown


async def test_a_next_version_is_saved_after_its_difference_was_read(world: World) -> None:
    template = saved(world)
    project = made(world, template)
    world.task("Call the venue", world.phase("Aftercare", project.id))
    async with on_stage(world, lambda: CanvasScreen(project.id)) as pilot:
        await run(pilot, "canvas.save_template")
        assert "this project has version 1" in seen(pilot)
        await press(pilot, "enter")
        assert "Version 2 of “Small site”" in seen(pilot)
        assert "+ Aftercare" in seen(pilot)
        assert "+ Call the venue" in seen(pilot)
        await press(pilot, "escape")
        assert world.row("template", id=template.id)["number"] == 1
        await run(pilot, "canvas.save_template")
        await press(pilot, "enter", "enter", Text("Care after"), "ctrl+s")
        assert "Saved version 2 of “Small site”" in seen(pilot)
        await run(pilot, "canvas.save_template")
        await press(pilot, "enter")
        assert "No differences from version 2" in told(pilot)
    assert world.row("template_version", template_id=template.id, number=2)["note"] == "Care after"


async def test_a_version_that_another_user_saved_meanwhile_is_not_overwritten_unseen(world: World) -> None:
    template = saved(world)
    project = made(world, template)
    world.phase("Aftercare", project.id)
    async with on_stage(world, lambda: CanvasScreen(project.id)) as pilot:
        await run(pilot, "canvas.save_template")
        await press(pilot, "enter")
        second(world, template)
        await press(pilot, "enter", "ctrl+s")
        assert "What is new" in seen(pilot)
        assert world.row("template", id=template.id)["number"] == 2
        assert len(world.rows("SELECT number FROM template_version WHERE template_id = :id", id=template.id)) == 2


async def test_a_version_is_brought_in_as_one_step_after_a_look_at_it(world: World) -> None:
    template = saved(world)
    project = made(world, template)
    second(world, template)
    async with on_stage(world, lambda: CanvasScreen(project.id)) as pilot:
        await run(pilot, "canvas.merge_template")
        await press(pilot, "enter")
        assert "Version 2" in seen(pilot)
        await press(pilot, "enter")
        assert "Merge version 2 of “Small site” into the project" in seen(pilot)
        assert "+ Call the venue" in seen(pilot)
        await press(pilot, "escape")
        assert _titles(world, project) == []
        await run(pilot, "canvas.merge_template")
        await press(pilot, "enter", "enter", "enter")
        assert _titles(world, project) == ["Call the venue"]
        assert "Merged version 2 of “Small site”: 1 added" in told(pilot)
        assert world.row("origin", project_id=project.id)["number"] == 2
        await press(pilot, "u")
        assert _titles(world, project) == []
        assert world.row("origin", project_id=project.id)["number"] == 1


async def test_what_a_version_removes_is_chosen_line_by_line(world: World) -> None:
    gone = [world.task(title) for title in ("Rent a van", "Print badges")]
    template = saved(world)
    project = made(world, template)
    world.archive(*(task.id for task in gone))
    saved(world, name="", template_id=template.id, seen_number=template.number)
    async with on_stage(world, lambda: CanvasScreen(project.id)) as pilot:
        await run(pilot, "canvas.merge_template")
        await press(pilot, "enter", "enter")
        assert "2 removed" in seen(pilot).casefold()
        assert "space choose what stays" in seen(pilot)
        await press(pilot, "space")
        assert "Which of these stay in the project?" in seen(pilot)
        await press(pilot, "space", "enter")
        assert "1 removed, 1 kept" in seen(pilot)
        assert "because you keep it" in seen(pilot)
        await press(pilot, "enter")
        assert "1 removed, 1 kept" in told(pilot)
    rows = world.rows("SELECT title, status FROM item WHERE project_id = :id", id=project.id)
    assert {(row["title"], row["status"]) for row in rows} == {("Rent a van", "TO_DO"), ("Print badges", "ARCHIVED")}


def _titles(world: World, project: Project) -> list[str]:
    return [row["title"] for row in world.rows("SELECT title FROM item WHERE project_id = :id", id=project.id)]


async def test_a_plan_that_is_no_longer_true_is_shown_again(world: World) -> None:
    template = saved(world)
    project = made(world, template)
    second(world, template)
    async with on_stage(world, lambda: CanvasScreen(project.id)) as pilot:
        await run(pilot, "canvas.merge_template")
        await press(pilot, "enter", "enter")
        world.phase("Aftercare", project.id)
        await press(pilot, "enter")
        assert await shows(pilot, "changed meanwhile")
        assert _titles(world, project) == []
        await press(pilot, "enter")
        assert _titles(world, project) == ["Call the venue"]


async def test_where_nothing_would_change_there_is_nothing_to_do(world: World) -> None:
    template = saved(world)
    project = made(world, template)
    async with on_stage(world, lambda: CanvasScreen(project.id)) as pilot:
        await run(pilot, "canvas.merge_template")
        await press(pilot, "enter")
        assert "there is nothing to merge" in told(pilot)


async def test_a_project_without_phases_or_in_the_archive_says_why_not(world: World) -> None:
    template = saved(world)
    project = made(world, template)
    second(world, template)
    world.do(ArchiveProject(project_id=project.id))
    async with on_stage(world, lambda: CanvasScreen(project.id)) as pilot:
        await run(pilot, "canvas.merge_template")
        await press(pilot, "enter", "enter", "enter")
        assert "“Second site” is archived. Restore the project first." in told(pilot)
        assert _titles(world, project) == []
    empty = world.new_project("Empty")
    async with on_stage(world, lambda: CanvasScreen(empty.id)) as pilot:
        await run(pilot, "canvas.save_template")
        await press(pilot, "enter", Text("Nothing"), "ctrl+s")
        assert "A template needs at least one phase" in seen(pilot)
        assert world.rows("SELECT * FROM template WHERE name = 'Nothing'") == []
