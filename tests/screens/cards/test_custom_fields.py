"""Custom fields on the screens: I on a card, the palette for the fields of the project, columns, sums."""

from __future__ import annotations

from datetime import date
from typing import Any

from textual.pilot import Pilot

from core.actions.cards.details import GetCard
from core.actions.fields.custom_fields import AddField, ListFields, RemoveField, SetFields
from core.actions.workflow.phases import EditPhase
from core.domain.fields import CustomField, FieldKind, FieldValue
from core.domain.model import Gate
from tests.support.app_driver import Text, canvas, hides, on_stage, press, seen, shows, told
from tests.support.workspace import World
from tui.dialogs.fields.form_fields import DateField, PeopleField
from tui.screens.cards.card import CardScreen
from tui.screens.cards.custom_fields import _form_field, new_names
from tui.screens.personal.my_work import MyWorkScreen
from tui.screens.phases.phase import PhaseScreen
from tui.screens.portfolio.workload import WorkloadScreen
from tui.screens.views.charts import ChartsScreen
from tui.screens.views.table import TableScreen


def add(world: World, name: str, kind: FieldKind = FieldKind.NUMBER, **more: Any) -> CustomField:
    return world.do(AddField(project_id=world.project.id, name=name, kind=kind, **more))


def values(world: World, item_id: str) -> dict[str, str]:
    return {each.field.key: each.shown for each in world.ask(GetCard(item_id=item_id)).fields if each.shown}


async def add_estimate(pilot: Pilot[int]) -> None:
    """Add the field Estimate by the palette, where the project has none yet."""
    await press(pilot, "colon", Text("custom fields"))
    assert await shows(pilot, "Custom fields: add, edit, move or remove")
    await press(pilot, "enter")
    assert await shows(pilot, "Custom fields of the project")
    await press(pilot, "enter")
    assert await shows(pilot, "New custom field")
    await press(pilot, Text("Estimate"), "ctrl+s")


async def count_estimates(pilot: Pilot[int]) -> None:
    """Choose in the palette that the screen adds up the only field instead of counting cards."""
    await press(pilot, "colon", Text("add up"))
    await press(pilot, "enter")  # the palette waits until it has searched
    assert await shows(pilot, "─ Count ─")
    await press(pilot, "down", "enter")


async def test_i_sets_the_fields_of_a_card_and_the_head_of_the_phase_shows_the_sum(world: World) -> None:
    add(world, "Estimate", sums=True)
    add(world, "[red]Stage", FieldKind.CHOICE, choices=("[b]Draft", "Final"))
    task = world.task()
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "I")
        assert "Fields of “Write the brief”" in seen(pilot)
        assert "[red]Stage" in seen(pilot)
        await press(pilot, Text("x"), "ctrl+s")
        assert "“x” is not a number" in " ".join(seen(pilot).split())
        await press(pilot, "backspace", "2", ",", "5", "ctrl+s")
        assert values(world, task.id) == {"estimate": "2.5"}
        assert "estimate 2.5 (0 done)" in seen(pilot)
        await press(pilot, "u")
        assert values(world, task.id) == {}
        assert "estimate" not in seen(pilot)


async def test_the_values_of_marked_cards_are_set_as_one_step(world: World) -> None:
    add(world, "Estimate")
    add(world, "Note", FieldKind.TEXT)
    first, second = world.task("First"), world.task("Second")
    world.do(SetFields(item_id=first.id, values=(FieldValue(key="note", value="kept"),)))
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "space", "down", "space", "I", "4", "ctrl+s")
        assert values(world, first.id) == {"estimate": "4", "note": "kept"}
        assert values(world, second.id) == {"estimate": "4"}
        await press(pilot, "u")
        assert values(world, first.id) == {"note": "kept"}


async def test_a_form_asks_which_of_two_numbers_was_typed_and_keeps_it_open_without_an_answer(world: World) -> None:
    add(world, "Estimate")
    first, second = world.task("First"), world.task("Second")
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "I", Text("12.500"), "ctrl+s")
        assert await shows(pilot, "“12.500” can mean two numbers ")
        await press(pilot, "escape")
        assert await shows(pilot, "“12.500” can mean two numbers. Write")
        await press(pilot, "ctrl+s")
        assert await shows(pilot, "enter choose")
        await press(pilot, "enter")
        assert await hides(pilot, "Fields of")
        assert values(world, first.id) == {"estimate": "12500"}
        await press(pilot, "space", "down", "space", "I", Text("2,125"), "ctrl+s")
        assert await shows(pilot, "“2,125” can mean two numbers ")
        await press(pilot, "down", "enter")
        assert await hides(pilot, "Fields of")
        assert values(world, first.id) == values(world, second.id) == {"estimate": "2.125"}


async def test_the_limit_of_a_gate_is_asked_for_in_the_same_way(world: World) -> None:
    budget = add(world, "Budget")
    world.do(EditPhase(phase_id=world.build.id, gate=Gate.REVIEW))
    async with on_stage(world, lambda: PhaseScreen(world.project.id, world.build.id)) as pilot:
        await press(pilot, "n", Text("Not too dear"), "tab", *["right"] * 3)
        assert await shows(pilot, "Number field")
        await press(pilot, "tab", Text("due:late"), "tab", "space", Text("Budget"), "enter")
        await press(pilot, "tab", "tab", Text("1.500"), "ctrl+s")
        assert await shows(pilot, "“1.500” can mean two numbers ")
        await press(pilot, "enter")
        assert await hides(pilot, "New deliverable or criterion")
    assert world.row("gate_criterion", field_id=budget.id)["amount"] == "1500"


async def test_without_fields_the_key_says_how_to_add_one(world: World) -> None:
    world.task()
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "I")
        assert "no custom fields yet. To add one, press : and type “custom fields”" in told(pilot)


async def test_the_palette_adds_a_field_to_the_project(world: World) -> None:
    async with on_stage(world, canvas(world)) as pilot:
        await add_estimate(pilot)
        [line] = world.ask(ListFields(project_id=world.project.id))
        assert (line.field.name, line.field.kind, line.field.sums) == ("Estimate", FieldKind.NUMBER, True)
        assert await shows(pilot, "Press I on a card to set it.")


async def test_a_field_is_added_on_the_page_of_a_card_by_the_words_that_the_key_says(world: World) -> None:
    task = world.task()
    async with on_stage(world, lambda: CardScreen(world.project.id, task.id)) as pilot:
        await press(pilot, "I")
        assert "To add one, press : and type “custom fields”" in told(pilot)
        await add_estimate(pilot)
        [line] = world.ask(ListFields(project_id=world.project.id))
        assert line.field.name == "Estimate"
        await press(pilot, "I", "4", "enter")
        assert values(world, task.id) == {"estimate": "4"}
        assert await shows(pilot, "Estimate")


async def test_on_my_work_the_key_says_that_fields_are_added_in_the_project(world: World) -> None:
    world.task(assignee_id=world.maya.user_id)
    async with on_stage(world, MyWorkScreen) as pilot:
        await press(pilot, "I")
        assert "To add one, open the project, press : and type “custom fields”." in told(pilot)


async def test_the_card_page_and_the_table_show_the_values(world: World) -> None:
    add(world, "Estimate", sums=True)
    add(world, "Lead", FieldKind.PERSON)
    task = world.task()
    pairs = (FieldValue(key="estimate", value="8"), FieldValue(key="lead", value="bob"))
    world.do(SetFields(item_id=task.id, values=pairs))
    async with on_stage(world, lambda: CardScreen(world.project.id, task.id)) as pilot:
        shown = " ".join(seen(pilot).split())
        assert "Estimate 8" in shown
        assert "Lead Bob Lind" in shown
    async with on_stage(world, lambda: TableScreen(world.project.id), size=(200, 40)) as pilot:
        shown = " ".join(seen(pilot).split())
        assert "Estimate Lead" in shown
        assert "estimate 8 (0 done)" in shown
        assert "8 Bob Lind" in shown


async def test_the_charts_and_the_workload_show_sums_with_their_decimals(world: World) -> None:
    add(world, "Estimate", sums=True)
    tasks = [world.task(assignee_id=world.bob.user_id) for _ in range(3)]
    for task, number in zip(tasks, ("11.5", "8.5", "19.5"), strict=True):
        world.do(SetFields(item_id=task.id, values=(FieldValue(key="estimate", value=number),)))
    world.complete(tasks[0].id)
    async with on_stage(world, lambda: ChartsScreen(world.project.id)) as pilot:
        await count_estimates(pilot)
        assert "Estimate: 11.5 of 39.5 completed, 0 in progress." in " ".join(seen(pilot).split())
    async with on_stage(world, WorkloadScreen, size=(120, 40)) as pilot:
        await count_estimates(pilot)
        line = next(row for row in seen(pilot).splitlines() if "Bob Lind" in row)
        assert line.split("Bob Lind")[1].replace("·", "").split()[:2] == ["28", "28"]
        put = FieldValue(key="estimate", value="19")
        world.do(SetFields(item_id=task.id, values=(put,)))
        await press(pilot, "R")
        line = next(row for row in seen(pilot).splitlines() if "Bob Lind" in row)
        assert line.split("Bob Lind")[1].replace("·", "").split()[:2] == ["27.5", "27.5"]


def test_a_changed_line_renames_a_choice_and_other_changes_do_not() -> None:
    assert new_names(("Draft", "Final"), ("Rough", "Final")) == [("Draft", "Rough")]
    assert new_names(("Draft", "Final"), ("Final", "Draft")) == []
    assert new_names(("Draft", "Final"), ("Draft", "Final", "Sent")) == []


async def test_a_filter_follows_the_fields_of_the_project(world: World) -> None:
    field = add(world, "Estimate")
    task = world.task("Small")
    world.task("Other")
    world.do(SetFields(item_id=task.id, values=(FieldValue(key="estimate", value="1"),)))
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "slash", Text("estimate:1"), "enter")
        assert "Small" in seen(pilot)
        assert "Other" not in seen(pilot)
        world.do(RemoveField(field_id=field.id), as_=world.maya)
        await press(pilot, "R")
        assert "There is no field “estimate”" in " ".join(seen(pilot).split())


def test_a_choice_and_a_person_are_picked_from_lists_and_dates_are_read() -> None:
    person = _form_field(field_of(FieldKind.PERSON), "u", (("u", "Bob Lind"),))
    assert isinstance(person, PeopleField)
    assert (person.options, person.value) == ((("u", "Bob Lind"),), ("u",))
    day = _form_field(field_of(FieldKind.DATE), "2026-03-04", ())
    assert isinstance(day, DateField)
    assert day.value == date(2026, 3, 4)


def field_of(kind: FieldKind) -> CustomField:
    return CustomField(project_id="p", id="f", rank="a", name="Its", key="its", kind=kind)
