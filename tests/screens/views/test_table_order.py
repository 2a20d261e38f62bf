"""The order and the columns of the Table while others change the fields and the cards that they show."""

from __future__ import annotations

from collections.abc import Callable

from core.actions.fields.custom_fields import AddField, EditField, RemoveField, RenameChoice, SetFields
from core.domain.fields import CustomField, FieldKind, FieldValue
from core.domain.model import Id, Priority
from tests.support.app_driver import PodiumPilot, Text, on_stage, press, seen
from tests.support.workspace import World
from tui.screens.views.table import TableScreen
from tui.widgets.list_view import FEW


def table(world: World) -> Callable[[], TableScreen]:
    return lambda: TableScreen(world.project.id)


def header(pilot: PodiumPilot) -> str:
    return next(line for line in seen(pilot).splitlines() if "Title" in line)


async def read_again(pilot: PodiumPilot) -> None:
    await pilot.refresh()


def put(world: World, card_id: Id, value: str) -> None:
    world.do(SetFields(item_id=card_id, values=(FieldValue(key="size", value=value),)))


def sized(world: World) -> CustomField:
    """Three cards, two of which have a choice of the field Size."""
    field = world.do(
        AddField(project_id=world.project.id, name="Size", kind=FieldKind.CHOICE, choices=("big", "small"))
    )
    for title, value in (("One", "small"), ("Two", "big"), ("Three", "")):
        card = world.task(title)
        if value:
            put(world, card.id, value)
    return field


async def by_size(pilot: PodiumPilot) -> None:
    while "Size ▲" not in seen(pilot):
        await press(pilot, "S")


async def test_the_table_is_sorted_by_the_choices_of_a_field_as_they_are_now(world: World) -> None:
    field = sized(world)
    async with on_stage(world, table(world), size=(160, 30)) as pilot:
        await by_size(pilot)
        assert pilot.titles == ["Two", "One", "Three"]
        field = world.do(RenameChoice(field_id=field.id, choice="big", name="giant"))
        await read_again(pilot)
        assert pilot.titles == ["Two", "One", "Three"]
        field = world.do(EditField(field_id=field.id, name="Extent", choices=("small", "giant", "tiny")))
        put(world, world.row("item", title="Three")["id"], "tiny")
        await read_again(pilot)
        assert pilot.titles == ["One", "Two", "Three"]
        assert "by extent" in seen(pilot)
        assert "Extent ▲" in header(pilot)


async def test_without_the_field_that_it_was_sorted_by_the_table_is_in_the_order_of_the_phases(world: World) -> None:
    field = sized(world)
    async with on_stage(world, table(world), size=(160, 30)) as pilot:
        await by_size(pilot)
        await press(pilot, "b")
        world.do(RemoveField(field_id=field.id))
        await read_again(pilot)
        assert pilot.titles == ["One", "Two", "Three"]
        assert "by phase" in seen(pilot)
        assert "backwards" not in seen(pilot)


async def test_columns_that_no_shown_card_fills_are_not_there(world: World) -> None:
    """With few cards and with many: one for a product that has the title of its card, one for a card in the archive."""
    world.add_application(world.product("Films"))
    world.task("Write the first page")
    world.archive(world.task("Old", assignee_id=world.bob.user_id).id)
    for count in (3, FEW + 20):
        for number in range(count):
            world.task(f"Write page {number}")
        async with on_stage(world, table(world), size=(200, 30)) as pilot:
            assert "Product" not in header(pilot)
            assert "Assigned to" not in header(pilot)
            await press(pilot, "A")
            assert "Assigned to" in header(pilot)


async def test_after_a_filter_is_cleared_the_columns_of_many_cards_are_there_again(world: World) -> None:
    for number in range(FEW + 60):
        world.task(f"Card {number}", assignee_id=world.bob.user_id if number == FEW + 50 else None)
    async with on_stage(world, table(world), size=(120, 30)) as pilot:
        before = header(pilot)
        assert "Assigned to" in before
        await press(pilot, "slash", Text("Card 9"), "enter")
        assert "Assigned to" not in header(pilot)
        await press(pilot, "F")
        assert header(pilot) == before


async def test_the_columns_of_many_cards_are_narrow_again_when_a_long_title_is_gone(world: World) -> None:
    for number in range(FEW + 60):
        world.task(f"Card {number}")
    long = world.task("A title of very many letters " * 3)
    async with on_stage(world, table(world), size=(100, 30)) as pilot:
        narrow = header(pilot).index("Key")
        await press(pilot, "G")
        assert header(pilot).index("Key") > narrow + 20
        world.archive(long.id, as_=world.bob)
        await read_again(pilot)
        assert header(pilot).index("Key") < narrow + 5


async def test_the_heading_of_the_order_is_whole_with_its_sign(world: World) -> None:
    world.task("Write the texts", priority=Priority.URGENT)
    for size in ((80, 24), (120, 40)):
        async with on_stage(world, table(world), size=size) as pilot:
            while "by priority" not in seen(pilot):
                await press(pilot, "S")
            assert "Priority ▲" in header(pilot)
