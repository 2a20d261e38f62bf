"""An open form says at once that another user has changed its record; what is typed stays, and saving asks as ever."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from textual.pilot import Pilot

from core.actions.cards.cards import DeleteCard
from core.actions.cards.tasks import EditTask
from core.actions.history.history import Undo
from core.actions.products.products import EditProduct
from core.actions.projects.members import RemoveMember
from core.actions.projects.projects import ArchiveProject, EditProject
from core.actions.templates.templates import EditTemplate, ListTemplates
from core.actions.workflow.phases import EditPhase
from core.actions.workspace.hierarchy import AddNode, RenameNode
from core.domain.model import NodeKind
from core.engine.messages import Command
from core.errors import ConcurrentChange
from tests.support.api.server import ServerOfTests
from tests.support.app_driver import Text, canvas, comes, hides, on_stage, press, seen, settled, shows, write
from tests.support.behind_server import at
from tests.support.workspace import World
from tui.dialogs.conflict import ConflictDialog
from tui.dialogs.form import FormDialog
from tui.screens.canvas.screen import CanvasScreen
from tui.screens.framework.screen import PodiumScreen
from tui.screens.phases.phase import PhaseScreen
from tui.screens.products.products import ProductsScreen
from tui.screens.projects.hierarchy import HierarchyScreen
from tui.screens.projects.projects import ProjectsScreen
from tui.screens.templates.templates import TemplatesScreen
from tui.services.form_watcher import DELETED, in_one_line

CHANGED = "Bob Lind, 2 Mar 2026: "
"""The beginning of the line, in a world whose clock stands still long before today."""


@pytest.fixture
def server(world: World) -> Iterator[ServerOfTests]:
    with ServerOfTests(world) as server:
        yield server


async def open_form(pilot: Pilot[int], key: str = "e") -> None:
    await press(pilot, key)
    assert await comes(pilot, lambda: isinstance(pilot.app.screen, FormDialog) and pilot.app.focused is not None)
    await settled(pilot)


def line(pilot: Pilot[int]) -> str:
    """The message line of the form."""
    return str(pilot.app.screen.query_one("#message").render())


async def test_two_people_on_one_card_the_form_says_it_at_once_and_saving_still_asks(
    world: World, server: ServerOfTests
) -> None:
    card, project = world.task("Write the brief"), world.project.id
    async with (
        at(server, world, lambda: CanvasScreen(project, card.id), world.maya, (80, 24)) as maya,
        at(server, world, lambda: CanvasScreen(project, card.id), world.bob) as bob,
    ):
        await open_form(maya)
        await press(maya, "ctrl+u", Text("Mine"))
        before = maya.app.screen.query_one("#panel").region
        await open_form(bob)
        await press(bob, "ctrl+u", Text("Bobs title"), "ctrl+s")
        assert await comes(maya, lambda: "changed Title to “Bobs title”" in line(maya))
        assert line(maya).startswith("Bob Lind")
        assert "Mine" in seen(maya), "what I typed stays"
        assert maya.app.screen.query_one("#panel").region == before, "the form keeps its layout"
        assert world.row("item", id=card.id)["title"] == "Bobs title"
        await press(maya, "ctrl+s")
        assert await comes(maya, lambda: isinstance(maya.app.screen, ConflictDialog))
        await settled(maya)
        await press(maya, "m")
        assert await comes(maya, lambda: world.row("item", id=card.id)["title"] == "Mine")


async def test_a_change_of_another_field_is_told_by_its_summary_and_a_deletion_until_it_is_undone(world: World) -> None:
    card, _ = world.task("Write the brief"), world.task("Call the venue")
    async with on_stage(world, canvas(world, card.id)) as pilot:
        await open_form(pilot)
        await write(pilot, "!")
        world.start(card.id, as_=world.bob)
        assert await shows(pilot, f"{CHANGED}started “Write the brief”")
        world.archive(card.id, as_=world.bob)
        assert await shows(pilot, f"{CHANGED}archived “Write the brief” (and 1 more)")
        world.do(DeleteCard(card_id=card.id))
        assert await shows(pilot, DELETED)
        assert isinstance(pilot.app.screen, FormDialog)
        assert "Write the brief!" in seen(pilot)


async def test_an_undone_change_is_named_as_undone(world: World) -> None:
    card = world.task("Write the brief")
    async with on_stage(world, canvas(world, card.id)) as pilot:
        await open_form(pilot)
        world.do(EditTask(task_id=card.id, title="Theirs"), world.bob)
        assert await shows(pilot, "changed Title to “Theirs”")
        world.do(Undo(project_id=world.project.id), world.bob)
        assert await shows(pilot, "undid: renamed")


async def test_an_archived_project_is_told_in_the_form_of_a_card(world: World) -> None:
    card = world.task("Write the brief")
    async with on_stage(world, canvas(world, card.id)) as pilot:
        await open_form(pilot)
        world.do(ArchiveProject(project_id=world.project.id))
        assert await shows(pilot, "“Spring launch” is archived.")


async def test_the_line_gives_way_to_a_warning_and_comes_back_with_the_next_key(world: World) -> None:
    card = world.task("Write the brief")
    async with on_stage(world, canvas(world, card.id)) as pilot:
        await open_form(pilot)
        world.do(EditTask(task_id=card.id, title="Theirs"), world.bob)
        assert await shows(pilot, CHANGED)
        await press(pilot, Text("!"), "escape")
        assert "Not saved. Press Esc again" in line(pilot)
        await write(pilot, "!")
        assert line(pilot).startswith(CHANGED)
        assert await hides(pilot, "Not saved.")


async def test_a_change_of_something_else_and_in_a_form_without_a_record_it_says_nothing(world: World) -> None:
    card, other = world.task("Write the brief"), world.task("Call the venue")
    async with on_stage(world, canvas(world, card.id)) as pilot:
        await open_form(pilot)
        world.do(EditTask(task_id=other.id, title="Call all venues"), world.bob)
        assert await shows(pilot, "Call all venues")
        await settled(pilot)
        assert line(pilot) == ""
        await press(pilot, "escape")
        await open_form(pilot, "n")
        world.do(EditTask(task_id=card.id, title="Theirs"), world.bob)
        assert await shows(pilot, "Theirs")
        assert line(pilot) == ""


def phase(world: World) -> tuple[Callable[[], PodiumScreen], Command[Any], str]:
    change = EditPhase(phase_id=world.build.id, name="Theirs")
    return lambda: PhaseScreen(world.project.id, world.build.id), change, "changed Name to “Theirs”"


def project(world: World) -> tuple[Callable[[], PodiumScreen], Command[Any], str]:
    return ProjectsScreen, EditProject(project_id=world.project.id, name="Theirs"), "changed Name to “Theirs”"


def product(world: World) -> tuple[Callable[[], PodiumScreen], Command[Any], str]:
    made = world.product("Sketchbook")
    return ProductsScreen, EditProduct(product_id=made.id, name="Theirs"), "changed Name to “Theirs”"


def node(world: World) -> tuple[Callable[[], PodiumScreen], Command[Any], str]:
    made = world.do(AddNode(kind=NodeKind.CLIENT, name="Halden"))
    return HierarchyScreen, RenameNode(node_id=made.id, name="Theirs"), "changed Name to “Theirs”"


def template(world: World) -> tuple[Callable[[], PodiumScreen], Command[Any], str]:
    first = world.ask(ListTemplates())[0].template
    return TemplatesScreen, EditTemplate(template_id=first.id, tags=("theirs",)), "changed Tags to “theirs”"


@pytest.mark.parametrize("kind", [phase, project, product, node, template], ids=lambda kind: kind.__name__)
async def test_it_is_one_mechanism_for_every_form_with_a_version(
    world: World, kind: Callable[[World], tuple[Callable[[], PodiumScreen], Command[Any], str]]
) -> None:
    first, change, words = kind(world)
    async with on_stage(world, first) as pilot:
        await open_form(pilot)
        world.do(change)
        assert await comes(pilot, lambda: words in line(pilot))
        assert line(pilot).startswith("Maya Okafor")


async def test_a_member_who_was_removed_does_not_see_the_form_any_more(world: World) -> None:
    card = world.task("Write the brief")
    async with on_stage(world, canvas(world, card.id), world.bob) as pilot:
        await open_form(pilot)
        world.do(RemoveMember(project_id=world.project.id, user_id=world.bob.user_id))
        assert await comes(pilot, lambda: not isinstance(pilot.app.screen, FormDialog))
        assert await hides(pilot, "Write the brief")


def test_the_line_is_short_and_says_just_of_what_was_changed_just_now() -> None:
    now = datetime(2026, 11, 25, 14, 5, tzinfo=UTC)
    renamed = ConcurrentChange("Bob Lind", now, "renamed “A” to “B”")
    assert in_one_line([renamed], {"title": "B"}, {}, now) == "Bob Lind just changed Title to “B”"
    assert in_one_line([renamed], {}, {}, now) == "Bob Lind just renamed “A” to “B”"
    words = in_one_line([renamed, renamed], {"description": "one\ntwo"}, {}, now + timedelta(days=1))
    assert words.endswith(": changed Description to “one two” (and 1 more)")
    assert in_one_line([], {}, {}, now) == "Someone else changed this"
