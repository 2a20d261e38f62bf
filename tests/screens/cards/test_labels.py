"""Labels and priority on the screens: # sets both, cards show them, the palette changes the labels of the project."""

from __future__ import annotations

import pytest

from core.actions.cards.labels import AddLabel, AddWorkspaceLabel, EditLabel, SetLabels
from core.actions.personal.presets import ActivatePreset, SharePreset
from core.domain.model import Priority
from core.domain.view_settings import Layout, Sort
from tests.screens.shell.test_palette import find
from tests.support.app_driver import Text, canvas, comes, hides, on_stage, press, seen, shows
from tests.support.workspace import World
from tui.dialogs.labels import LabelDialog
from tui.screens.cards.card import CardScreen
from tui.screens.personal.my_work import MyWorkScreen
from tui.screens.views.status_board import StatusBoardScreen
from tui.screens.views.table import TableScreen


def labels_of(world: World, title: str) -> list[str]:
    """The names of the labels of a card."""
    rows = world.rows(
        "SELECT label.name FROM item_label JOIN label ON label.id = label_id JOIN item ON item.id = item_id"
        " WHERE title = :title ORDER BY label.name",
        title=title,
    )
    return [row["name"] for row in rows]


def priority_of(world: World, title: str) -> str:
    return str(world.row("item", title=title)["priority"])


async def test_typing_a_name_creates_the_label_and_one_undo_takes_it_away(world: World) -> None:
    world.task("Write the brief")
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "number_sign", Text("Print"))
        assert "Create “Print”" in seen(pilot)
        await press(pilot, "enter")
        assert await shows(pilot, "#Print")
        assert labels_of(world, "Write the brief") == ["Print"]
        await press(pilot, "u")
        assert await hides(pilot, "#Print")
        assert world.rows("SELECT * FROM label") == []


async def test_the_beginning_of_a_name_is_enough_and_a_number_chooses_the_priority(world: World) -> None:
    world.task("Write the brief")
    world.do(AddLabel(project_id=world.project.id, name="Reprint"))
    world.do(AddLabel(project_id=world.project.id, name="Print"))
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "number_sign", "4")
        assert "[4 urgent]" in seen(pilot)
        await press(pilot, Text("pri"), "enter")
        assert await shows(pilot, "!!")
        assert labels_of(world, "Write the brief") == ["Print"]
        assert priority_of(world, "Write the brief") == "URGENT"
        assert "2 changed" not in seen(pilot)
        await press(pilot, "u")  # both were one step
        assert await hides(pilot, "#Print")
        assert priority_of(world, "Write the brief") == "NORMAL"


async def test_space_marks_several_and_takes_off_what_a_card_has(world: World) -> None:
    world.task("Write the brief", labels=("Legal", "Print"))
    world.do(AddLabel(project_id=world.project.id, name="Shops"))
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "number_sign", "space")  # Legal, the first
        await press(pilot, Text("shops"), "space", "enter")
        assert await shows(pilot, "#Shops")
        assert labels_of(world, "Write the brief") == ["Print", "Shops"]


async def test_marked_cards_are_labelled_in_one_step_and_labels_of_some_of_them_stay(world: World) -> None:
    world.task("One", labels=("Legal",))
    world.task("Two")
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "V", "number_sign")
        assert "Labels and priority of 2 cards" in seen(pilot)
        assert "1 of 2 cards" in seen(pilot)
        await press(pilot, Text("New"), "enter")
        assert await shows(pilot, "#New")
        assert (labels_of(world, "One"), labels_of(world, "Two")) == (["Legal", "New"], ["New"])
        await press(pilot, "u")
        assert await hides(pilot, "#New")
        assert (labels_of(world, "One"), labels_of(world, "Two")) == (["Legal"], [])


async def test_a_label_of_some_cards_can_be_taken_off_all_of_them(world: World) -> None:
    world.task("One", labels=("Legal",))
    world.task("Two")
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "V", "number_sign", "space", "space")
        assert "will be taken off" in seen(pilot)
        await press(pilot, "enter")
        assert await hides(pilot, "#Legal")
        assert labels_of(world, "One") == labels_of(world, "Two") == []


async def test_a_name_that_is_refused_is_said_in_the_dialog_and_nothing_is_lost(world: World) -> None:
    world.task("Write the brief")
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "number_sign", Text("a,b"), "enter")
        assert "has no quotes, commas" in seen(pilot)
        assert isinstance(pilot.app.screen, LabelDialog)
        await press(pilot, "escape")
        assert world.rows("SELECT * FROM label") == []


async def test_an_application_has_no_labels(world: World) -> None:
    world.add_application()
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "number_sign")
        assert "An application has no labels and no priority" in seen(pilot)


async def test_a_label_that_another_person_renames_is_drawn_anew(world: World) -> None:
    world.task("Write the brief", labels=("Print",))
    async with on_stage(world, canvas(world)) as pilot:
        assert "#Print" in seen(pilot)
        label = world.row("label")
        world.do(EditLabel(label_id=label["id"], name="Paper"), as_=world.bob)
        assert await shows(pilot, "#Paper")
        assert "#Print" not in seen(pilot)


@pytest.mark.parametrize(("size", "shown"), [((160, 40), "#Legal #Print"), ((80, 24), "#Legal"), ((40, 12), "#L")])
async def test_a_card_shows_labels_by_width_and_never_only_a_colour(
    world: World, size: tuple[int, int], shown: str
) -> None:
    world.task("Write it", labels=("Legal", "Print"), assignee_id=world.bob.user_id, due=None, priority=Priority.HIGH)
    async with on_stage(world, canvas(world), size=size) as pilot:
        assert await shows(pilot, shown)
        assert "!" in seen(pilot)


async def test_markup_in_a_label_is_drawn_as_it_is(world: World) -> None:
    task = world.task("Write the brief", labels=("[b]x[/b]",))
    async with on_stage(world, canvas(world)) as pilot:
        assert "#[b]x[/b]" in seen(pilot)
        await press(pilot, "number_sign")
        assert "[b]x[/b]" in seen(pilot)
    async with on_stage(world, lambda: CardScreen(world.project.id, task.id)) as pilot:
        assert "#[b]x[/b]" in seen(pilot)


async def test_the_page_of_a_card_has_both_and_the_key_works_there(world: World) -> None:
    task = world.task("Write the brief", priority=Priority.LOW)
    async with on_stage(world, lambda: CardScreen(world.project.id, task.id)) as pilot:
        assert "none · # to add some" in seen(pilot)
        await press(pilot, "number_sign", "3", Text("Print"), "enter")
        assert await shows(pilot, "#Print")
        assert "! high" in seen(pilot)


async def test_my_work_labels_cards_of_one_project_at_a_time(world: World) -> None:
    world.task("One", assignee_id=world.maya.user_id)
    other = world.phase("Plan", world.new_project("Autumn").id)
    world.task("Two", phase=other, assignee_id=world.maya.user_id)
    async with on_stage(world, MyWorkScreen) as pilot:
        await press(pilot, "number_sign", Text("Print"), "enter")
        assert await comes(pilot, lambda: labels_of(world, "One") == ["Print"])
        await press(pilot, "V", "number_sign")
        assert await shows(pilot, "Label cards of one project at a time")


async def test_the_table_has_columns_for_both_where_a_card_has_one_and_sorts_by_them(world: World) -> None:
    world.task("One", labels=("Print",))
    world.task("Two")
    async with on_stage(world, lambda: TableScreen(world.project.id), size=(160, 40)) as pilot:
        assert "Labels" in seen(pilot)
        assert "Priority" not in seen(pilot)
        world.task("Three", priority=Priority.URGENT)
        assert await shows(pilot, "!! urgent")
        while "by priority" not in seen(pilot):
            await press(pilot, "S")
        lines = seen(pilot)
        assert lines.index("Three") < lines.index("One")


@pytest.mark.parametrize(
    ("sort", "titles"), [(Sort.LABEL, ("#Print", "No label")), (Sort.PRIORITY, ("High", "Normal"))]
)
async def test_a_preset_by_label_or_priority_groups_the_status_board(
    world: World, sort: Sort, titles: tuple[str, str]
) -> None:
    world.task("Second")
    world.task("First", labels=("Print",), priority=Priority.HIGH)
    preset = world.do(SharePreset(project_id=world.project.id, name="Ours", layout=Layout.STATUS_BOARD, sort=sort))
    world.do(ActivatePreset(project_id=world.project.id, preset_id=preset.id))
    async with on_stage(world, lambda: StatusBoardScreen(world.project.id)) as pilot:
        shown = seen(pilot)
        assert shown.index(titles[0]) < shown.index("First") < shown.index(titles[1]) < shown.index("Second")


async def test_the_filter_offers_labels_and_priorities(world: World) -> None:
    world.task("One", labels=("Needs review",), priority=Priority.HIGH)
    world.task("Two")
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "slash", Text("label:ne"))
        assert await shows(pilot, '"Needs review"')
        await press(pilot, "tab", "enter")
        assert await hides(pilot, "Two")
        assert "One" in seen(pilot)


async def test_the_palette_renames_merges_and_removes_labels(world: World) -> None:
    world.task("One", labels=("Print", "Proofs"))
    world.do(AddWorkspaceLabel(name="Legal"))
    async with on_stage(world, canvas(world)) as pilot:
        await find(pilot, "labels of the project", "Labels of the project")
        await press(pilot, "enter")
        assert await shows(pilot, "Legal")
        await press(pilot, Text("Proofs"), "enter", "m")
        assert await shows(pilot, "Merge “Proofs” into")
        await press(pilot, Text("Print"), "enter")
        assert await comes(pilot, lambda: labels_of(world, "One") == ["Print"])
        await press(pilot, Text("Print"), "enter", "e")
        assert await shows(pilot, "Edit the label “Print”")
        await press(pilot, "ctrl+u", Text("Paper"), "ctrl+s")
        assert await comes(pilot, lambda: labels_of(world, "One") == ["Paper"])
        await press(pilot, Text("Paper"), "enter", "d")
        assert await comes(pilot, lambda: labels_of(world, "One") == [])
        await press(pilot, "escape", "u")
        assert await shows(pilot, "#Paper")


async def test_viewers_are_refused(world: World) -> None:
    task = world.task("Write the brief")
    world.do(SetLabels(card_id=task.id, add=("Print",)))
    async with on_stage(world, canvas(world), as_=world.vera) as pilot:
        assert "#Print" in seen(pilot)
        await press(pilot, "number_sign")
        assert "Only owners and contributors" in seen(pilot)


async def test_a_name_of_several_words_is_typed_as_it_is(world: World) -> None:
    world.task("Shoot")
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "number_sign", Text("TV day"), "enter")
        assert await shows(pilot, "#TV day")
    assert labels_of(world, "Shoot") == ["TV day"]
