"""Two people change one thing at once: the later one sees both versions and chooses; nothing typed is lost."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from core.actions import load_catalog
from core.actions.cards.activities import EditActivity
from core.actions.cards.applications import EditApplication, ReorderApplication
from core.actions.cards.cards import ReorderCard, SetCardDueDate
from core.actions.cards.comments import AddComment
from core.actions.cards.tasks import AssignTask, EditTask
from core.actions.products.products import EditApplicationRole
from core.actions.projects.projects import EditProject, LinkProject
from core.actions.workflow.phases import EditPhase
from core.domain.model import Id, Item, NodeKind, Status
from core.engine.engine import Engine
from core.engine.messages import Command
from core.errors import VersionConflict
from core.record import replace
from core.storage.sqlite.database import SqliteDatabase
from tests.support.api.server import ServerOfTests
from tests.support.app_driver import Text, canvas, comes, hides, on_stage, press, screen_of, seen, settled, shows, write
from tests.support.behind_server import at
from tests.support.message_examples import messages
from tests.support.workspace import World
from tui.dialogs.conflict import UNTOUCHED, ConflictDialog
from tui.dialogs.form import FormDialog
from tui.screens.canvas.screen import CanvasScreen
from tui.screens.personal.settings import SettingsScreen
from tui.screens.phases.phase import PhaseScreen
from tui.screens.projects.projects import ProjectsScreen
from tui.services.conflict_resolver import is_about


@pytest.fixture
def server(world: World) -> Iterator[ServerOfTests]:
    with ServerOfTests(world) as server:
        yield server


async def retitle(pilot: Pilot[int], title: str) -> None:
    """Open the form of the card of the cursor, type another title, and save."""
    await press(pilot, "e")
    assert await shows(pilot, "ctrl+s save")
    await press(pilot, "ctrl+u", Text(title))


async def save(pilot: Pilot[int]) -> None:
    await press(pilot, "ctrl+s")
    assert await comes(pilot, lambda: isinstance(pilot.app.screen, ConflictDialog))
    await settled(pilot)


def title(world: World, card: Item) -> str:
    return str(world.row("item", id=card.id)["title"])


def description(world: World, card_id: Id) -> str:
    return str(world.row("item", id=card_id)["description"])


async def test_both_type_and_the_later_one_sees_both_titles_and_keeps_theirs(
    world: World, server: ServerOfTests
) -> None:
    card, project = world.task("Write the brief"), world.project.id
    async with (
        at(server, world, lambda: CanvasScreen(project, card.id), world.maya) as maya,
        at(server, world, lambda: CanvasScreen(project, card.id), world.bob) as bob,
    ):
        await retitle(maya, "Mayas title")
        await retitle(bob, "Bobs title")
        await press(bob, "ctrl+s")
        assert await comes(bob, lambda: title(world, card) == "Bobs title")
        await save(maya)
        assert await shows(maya, ": renamed “Write the brief” to “Bobs")
        words = seen(maya)
        assert "Someone else changed this" in words
        assert "Bob Lind, " in words
        assert [line for line in words.splitlines() if "yours" in line and "Mayas title" in line]
        assert [line for line in words.splitlines() if "theirs now" in line and "Bobs title" in line]
        await press(maya, "t")
        assert await comes(maya, lambda: isinstance(maya.app.screen, CanvasScreen))
        assert title(world, card) == "Bobs title"
        assert await hides(maya, "Mayas title")


async def test_mine_is_written_over_theirs_where_i_say_so(world: World, server: ServerOfTests) -> None:
    card = world.task("Write the brief")
    async with at(server, world, canvas(world, card.id), world.maya) as maya:
        await retitle(maya, "Mine")
        world.do(EditTask(task_id=card.id, title="Theirs", description="And words"), world.bob)
        await save(maya)
        await press(maya, "m")
        assert await comes(maya, lambda: title(world, card) == "Mine")
        assert description(world, card.id) == "And words", "what I did not touch stays theirs"
        assert await comes(maya, lambda: isinstance(maya.app.screen, CanvasScreen))
        assert await shows(maya, "Mine")


async def test_different_fields_fit_together_and_enter_keeps_both(world: World, server: ServerOfTests) -> None:
    card = world.task("Write the brief")
    async with at(server, world, canvas(world, card.id), world.maya, (80, 24)) as maya:
        await retitle(maya, "Mine")
        world.do(EditTask(task_id=card.id, description="Theirs"), world.bob)
        await save(maya)
        assert title(world, card) == "Write the brief", "nothing is written before I choose"
        assert await shows(maya, "Keep both")
        assert "in other fields than yours" in " ".join(seen(maya).split())
        await press(maya, "enter")
        assert await comes(maya, lambda: title(world, card) == "Mine")
        assert description(world, card.id) == "Theirs"


async def test_a_conflict_about_an_activity_lists_the_field_that_both_changed_alone(world: World) -> None:
    card = world.activity("Shoot the films")
    async with on_stage(world, canvas(world, card.id), size=(120, 40)) as maya:
        await retitle(maya, "Mine")
        world.do(EditActivity(activity_id=card.id, title="Theirs"), world.bob)
        await save(maya)
        assert "Title" in seen(maya)
        assert "Activity" not in seen(maya)
        await press(maya, "m")
        assert await comes(maya, lambda: title(world, card) == "Mine")


async def test_editing_again_keeps_what_was_typed_and_says_what_is_theirs(world: World, server: ServerOfTests) -> None:
    card = world.task("Write the brief")
    async with at(server, world, canvas(world, card.id), world.maya) as maya:
        await retitle(maya, "Mine")
        world.do(EditTask(task_id=card.id, title="Theirs", description="Also theirs"), world.bob)
        await save(maya)
        await press(maya, "escape")
        assert await shows(maya, "theirs now: Theirs")
        assert await shows(maya, "theirs now: Also theirs")
        assert isinstance(maya.app.screen, FormDialog)
        assert "Mine" in seen(maya)
        await write(maya, " and theirs")
        world.do(EditTask(task_id=card.id, title="A third one"), world.bob)
        await save(maya)  # there is news again
        assert await shows(maya, "A third one")
        await press(maya, "e")
        assert await comes(maya, lambda: isinstance(maya.app.screen, FormDialog))
        await press(maya, Text("!"), "ctrl+s")
        assert await comes(maya, lambda: title(world, card) == "Mine and theirs!")
        assert description(world, card.id) == "Also theirs"


async def test_a_quick_key_asks_in_small_and_the_same_change_is_not_asked_about(
    world: World, server: ServerOfTests, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The news of the others is held back, as on a slow line."""
    card, _ = world.task("Write the brief"), world.task("Call the venue")
    async with at(server, world, canvas(world, card.id), world.maya) as maya:
        screen = screen_of(maya, CanvasScreen)

        async def deaf() -> None:
            return

        monkeypatch.setattr(screen, "reload", deaf)
        world.complete(card.id, as_=world.bob)
        await press(maya, "L")
        assert await comes(maya, lambda: isinstance(maya.app.screen, ConflictDialog))
        assert await shows(maya, "completed “Write the brief”")
        assert "in progress" in seen(maya)
        assert "Edit again" not in seen(maya)
        await press(maya, "escape")
        assert await comes(maya, lambda: isinstance(maya.app.screen, CanvasScreen))
        assert world.status(card) == Status.COMPLETED
        await press(maya, "L")
        assert await comes(maya, lambda: isinstance(maya.app.screen, ConflictDialog))
        await press(maya, "m")
        assert await comes(maya, lambda: world.status(card) == Status.IN_PROGRESS)
        await press(maya, "L")  # of a card that is in progress by now, as the key says it should be
        assert await shows(maya, "Already done by someone else.")
        assert isinstance(maya.app.screen, CanvasScreen)


async def test_people_are_named_in_both_versions_of_an_assignment(
    world: World, server: ServerOfTests, monkeypatch: pytest.MonkeyPatch
) -> None:
    card = world.task("Write the brief")
    async with at(server, world, canvas(world, card.id), world.maya) as maya:
        await press(maya, "a")
        assert await shows(maya, "Vera Sato")
        world.do(AssignTask(task_id=card.id, assignee_id=world.bob.user_id), world.bob)
        await press(maya, Text("Vera"), "enter")
        assert await comes(maya, lambda: isinstance(maya.app.screen, ConflictDialog))
        await settled(maya)
        assert [line for line in seen(maya).splitlines() if "yours" in line and "Vera Sato" in line]
        assert [line for line in seen(maya).splitlines() if "theirs now" in line and "Bob Lind" in line]
        await press(maya, "m")
        assert await comes(maya, lambda: world.row("item", id=card.id)["assignee_id"] == world.vera.user_id)


async def test_phases_and_projects_ask_in_the_same_way(world: World, server: ServerOfTests) -> None:
    phase, project = world.discover, world.project
    async with at(server, world, lambda: PhaseScreen(project.id, phase.id), world.maya) as maya:
        await retitle(maya, "Explore")
        world.do(EditPhase(phase_id=phase.id, outcomes="A list"))
        await save(maya)
        await press(maya, "m")
        assert await comes(maya, lambda: world.row("phase", id=phase.id)["name"] == "Explore")
        assert world.row("phase", id=phase.id)["outcomes"] == "A list"
    async with at(server, world, ProjectsScreen, world.maya) as maya:
        await retitle(maya, "Summer launch")
        world.do(EditProject(project_id=project.id, name="Winter launch"))
        await save(maya)
        assert await shows(maya, "Winter launch")
        await press(maya, "m")
        assert await comes(maya, lambda: world.row("project", id=project.id)["name"] == "Summer launch")


async def test_two_programs_on_one_file_ask_too(world: World, database: SqliteDatabase) -> None:
    card = world.task("Write the brief")
    other = SqliteDatabase(Path(database.path))
    async with on_stage(world, canvas(world, card.id)) as maya:
        await retitle(maya, "Mine")
        Engine(other, load_catalog).execute(EditTask(task_id=card.id, title="[b]Theirs[/"), world.bob)
        await save(maya)
        assert await shows(maya, "[b]Theirs[/")
        await press(maya, "left", "enter")  # from "Edit again" to "Use mine"
        assert await comes(maya, lambda: title(world, card) == "Mine")


async def test_a_card_that_is_gone_leaves_the_form_and_its_words(world: World, server: ServerOfTests) -> None:
    card, _ = world.task("Write the brief"), world.task("Call the venue")
    async with at(server, world, canvas(world, card.id), world.maya) as maya:
        await retitle(maya, "Long words")
        world.delete(card.id)
        await press(maya, "ctrl+s")
        assert await shows(maya, "There is no")
        assert "Long words" in seen(maya)


def test_a_conflict_is_about_the_command_for_its_record_and_for_the_version_that_was_read(world: World) -> None:
    task, other = world.task("Draft"), world.task("Other")
    edit = EditTask(task_id=task.id, title="Mine", seen_version=task.version)
    now = replace(task, title="Theirs", version=task.version + 1)
    assert is_about(edit, VersionConflict("Changed.", current=now, base=task))
    assert not is_about(edit, VersionConflict("Changed.", current=now))
    assert not is_about(edit, VersionConflict("Changed.", current=now, base=replace(task, version=task.version + 1)))
    assert not is_about(edit, VersionConflict("Changed.", current=other, base=other))


async def test_a_comment_never_conflicts(world: World, server: ServerOfTests) -> None:
    card = world.task("Write the brief")
    async with at(server, world, canvas(world, card.id), world.maya) as maya:
        await press(maya, "C")
        assert await shows(maya, "Comment on")
        await write(maya, "Mine")
        world.do(AddComment(item_id=card.id, text="Theirs"), world.bob)
        world.do(SetCardDueDate(card_id=card.id, due=None), world.bob)
        await press(maya, "ctrl+s")
        assert await comes(maya, lambda: len(world.rows("SELECT * FROM comment")) == 2)


async def test_what_a_record_refers_to_is_called_by_its_name(world: World) -> None:
    """For each kind of record, and on each screen."""
    card, market, role = world.task("Write the brief"), messages.market(world), messages.application_role(world)
    project, maker = world.project, messages.meta_role(world)
    world.do(LinkProject(project_id=project.id, market_id=market.id))
    films = world.product("Films", required_context=(NodeKind.CLIENT, NodeKind.MARKET))
    application = world.add_application(films)
    world.do(ReorderCard(card_id=card.id, phase_id=world.build.id))
    world.do(AssignTask(task_id=card.id, assignee_id=world.vera.user_id))
    world.do(ReorderApplication(application_id=application.id, phase_id=world.launch.id))
    world.do(EditApplicationRole(application_role_id=role.id, meta_role_ids=(maker.id,)))
    late: list[tuple[Command[Any], dict[str, list[str]]]] = [
        (
            EditTask(task_id=card.id, seen_version=1, title="Mine"),
            {"Phase": [UNTOUCHED, "Build"], "Assignee": [UNTOUCHED, "Vera Sato"]},
        ),
        (ReorderCard(card_id=card.id, seen_version=1, phase_id=world.launch.id), {"Phase": ["Launch", "Build"]}),
        (
            EditApplication(application_id=application.id, seen_version=1, name="Mine"),
            {"Phase": [UNTOUCHED, "Launch"]},
        ),
        (EditProject(project_id=project.id, seen_version=1, name="Mine"), {"Market": [UNTOUCHED, market.name]}),
        (
            EditApplicationRole(application_role_id=role.id, seen_version=1, name="Mine"),
            {"Meta role": [UNTOUCHED, maker.name]},
        ),
    ]
    async with on_stage(world, SettingsScreen, size=(80, 40)) as pilot:
        for command, fields in late:
            await pilot.app.perform(command)
            assert await comes(pilot, lambda: isinstance(pilot.app.screen, ConflictDialog)), command
            await settled(pilot)
            assert {field: versions_of(pilot, field) for field in fields} == fields
            await press(pilot, "t")


def versions_of(pilot: Pilot[int], field: str) -> list[str]:
    """Mine and theirs, as the dialog shows them for a field."""
    lines = [line.strip(" │") for line in seen(pilot).splitlines()]
    assert field in lines, lines
    at = lines.index(field)
    return [line.split("  ")[-1].strip() for line in lines[at + 1 : at + 3]]
