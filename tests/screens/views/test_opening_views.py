"""Opening a view of a project that another view has read already."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from core.actions.cards.labels import AddWorkspaceLabel, EditLabel, SetLabels
from core.actions.cards.tasks import CreateTask, EditTask
from core.actions.personal.presets import ActivatePreset, SavePreset
from core.actions.products.products import EditProduct
from core.actions.projects.members import RemoveMember
from core.actions.workflow import canvas as canvas_query
from core.actions.workflow.canvas import GetCanvas
from core.actions.workspace.users import EditUser
from core.domain.canvas import Canvas, Card
from core.domain.view_settings import Sort
from core.engine.unit_of_work import Snapshot
from tests.screens.views.test_changes_in_views import fill
from tests.support.app_driver import canvas, on_stage, press, seen, settled
from tests.support.workspace import World
from tui.screens.framework.reading import Reading
from tui.screens.views import table
from tui.screens.views.status_board import StatusBoardScreen
from tui.screens.views.table import TableScreen
from tui.screens.views.table_columns import cells_of
from tui.services import change_listener

DUE = date(2026, 3, 2)

VIEWS = {"b": "Status board", "t": "Timeline", "l": "Table", "C": "Calendar"}
"""By the key that follows ``g``."""


async def never(_: object) -> None:
    """In place of what reads without being asked: news, and the rest of a large project."""


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The projects that are read whole, and none for news."""
    found: list[str] = []
    answer = GetCanvas.run

    def run(query: GetCanvas, view: Snapshot) -> Canvas:
        found.append(query.project_id)
        return answer(query, view)

    monkeypatch.setattr(GetCanvas, "run", run)
    monkeypatch.setattr(change_listener.ChangeListener, "run", never)
    return found


@pytest.mark.parametrize("key", VIEWS)
async def test_a_view_opened_from_the_canvas_takes_over_its_cards_and_asks_only_for_the_changes(
    world: World, reads: list[str], key: str
) -> None:
    brief = world.task("Write the brief", due=DUE)
    async with on_stage(world, canvas(world)) as pilot:
        assert len(reads) == 1
        world.do(EditTask(task_id=brief.id, title="Write the offer"), world.bob)
        world.do(CreateTask(phase_id=world.discover.id, title="Call the printer", due=DUE), world.bob)
        await press(pilot, "g", key)
        assert len(reads) == 1
        await press(pilot, "slash", *"printer")  # the Timeline unfolds what matches
        assert f"◆ {VIEWS[key]}" in seen(pilot)
        assert "Call the printer" in seen(pilot)
        await press(pilot, "escape")
        shown = pilot.view
        assert [card.title for card in shown.canvas.cards] == ["Write the offer", "Call the printer"]
        assert shown.canvas.cards == world.ask(GetCanvas(project_id=world.project.id)).cards


@pytest.mark.parametrize("key", VIEWS)
async def test_a_view_opened_from_the_canvas_shows_new_names_of_the_workspace_and_the_preset_chosen_elsewhere(
    world: World, reads: list[str], key: str
) -> None:
    """They are in no history of the project."""
    label = world.do(AddWorkspaceLabel(name="Company"))
    task = world.task("Write the brief", due=DUE, assignee_id=world.bob.user_id)
    world.do(SetLabels(card_id=task.id, add=(label.id,)))
    application = world.add_application(world.product("Films"))
    async with on_stage(world, canvas(world)) as pilot:
        world.do(EditUser(user_id=world.bob.user_id, first_name="Zeno"))
        world.do(EditLabel(label_id=label.id, name="Corp"))
        world.do(EditProduct(product_id=application.product_id, name="Movies"))
        saved = world.do(SavePreset(project_id=world.project.id, name="By title", sort=Sort.TITLE))
        world.do(ActivatePreset(project_id=world.project.id, preset_id=saved.id))
        await press(pilot, "g", key)
        shown = pilot.view
        whole = world.ask(GetCanvas(project_id=world.project.id))
        assert shown.canvas.head.members == whole.head.members
        assert "Zeno Lind" in [member.name for member in whole.head.members]
        assert [each.name for each in shown.canvas.head.labels] == ["Corp"]
        assert shown.canvas.cards == whole.cards
        assert shown.preset.viewing.sort is Sort.TITLE


async def test_a_view_opened_by_a_user_who_was_removed_meanwhile_shows_nothing_of_the_project(
    world: World, reads: list[str]
) -> None:
    world.task("Write the brief")
    async with on_stage(world, canvas(world), world.bob) as pilot:
        world.do(RemoveMember(project_id=world.project.id, user_id=world.bob.user_id))
        await press(pilot, "g", "l")
        assert "Write the brief" not in seen(pilot)
        assert "no access" in seen(pilot).splitlines()[0]
        assert "contributor" not in seen(pilot).splitlines()[0]


async def test_a_view_takes_over_nothing_from_a_canvas_of_which_only_the_first_cards_are_read(
    world: World, reads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(canvas_query, "LARGE", 1)
    for number in range(60):
        world.task(f"Write page {number}", due=DUE)
    monkeypatch.setattr(Reading, "read_rest", never)
    async with on_stage(world, canvas(world)) as pilot:
        below = pilot.screen
        assert below.reading.is_partial
        await pilot.app.push_screen(TableScreen(world.project.id))
        await settled(pilot)
        assert len(reads) == 2
        assert "Write page 3 " in seen(pilot)
        assert len(pilot.view.canvas.cards) == 60


async def test_R_on_a_view_that_took_over_the_cards_reads_them_whole(world: World, reads: list[str]) -> None:  # noqa: N802 - as the key is
    world.task("Write the brief")
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "g", "l")
        assert len(reads) == 1
        await press(pilot, "R")
        assert len(reads) == 2


async def test_the_table_makes_only_the_lines_in_view(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    def noting(card: Card, *around: Any) -> Any:
        made.append(card.id)
        return cells_of(card, *around)

    monkeypatch.setattr(table, "cells_of", noting)
    fill(world, 300)
    async with on_stage(world, lambda: TableScreen(world.project.id), size=(120, 40)) as pilot:
        assert "Card 1 " in seen(pilot)
        assert len(set(made)) < 40
    made.clear()
    fill(world, 700)
    async with on_stage(world, lambda: TableScreen(world.project.id), size=(120, 40)) as pilot:
        assert len(set(made)) < 40
        await press(pilot, "G")
        assert "Card 1000 " in seen(pilot)
        assert len(set(made)) < 80


async def test_the_cursor_stays_on_its_card_also_through_a_view_that_is_not_read_yet(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when you type fast, or the server is slow."""
    _, printer = (world.task(title, due=DUE) for title in ("Write the brief", "Call the printer"))
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "j")
        assert pilot.title == "Call the printer"
        monkeypatch.setattr(StatusBoardScreen, "reload", never)
        for view in ("…", "Timeline", "Table", "Calendar"):
            await press(pilot, "right_square_bracket")
            assert f"◆ {view}" in seen(pilot)
            assert pilot.view.location.card_id == printer.id
        assert pilot.view.presenter.card == pilot.view.presenter.find(printer.id)
