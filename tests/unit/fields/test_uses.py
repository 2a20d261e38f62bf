"""Custom fields in filters, presets, templates, tables, the burn-up and the workload."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest

from core.actions.fields.custom_fields import AddField, ListFields, RenameChoice, SetFields
from core.actions.history.history import Undo
from core.actions.personal.presets import SavePreset
from core.actions.personal.saved_filters import SaveFilter
from core.actions.portfolio.workload import GetWorkload
from core.actions.projects.exports import ExportProject
from core.actions.projects.imports import ImportProject
from core.actions.templates.apply import (
    CreateProjectFromTemplate,
    DiffAgainstTemplate,
    MergeTemplate,
    PreviewTemplateMerge,
    SaveTemplate,
)
from core.actions.templates.templates import GetTemplate
from core.actions.workflow.burn_up import GetBurnUp
from core.actions.workflow.canvas import GetCanvas
from core.actions.workflow.phases import SetPhaseDueDate
from core.codec.encoding import text_of
from core.domain.fields import CustomField, FieldKind, FieldValue
from core.domain.model import Id, Item
from core.errors import InvalidFilter, InvalidInput
from core.filters.completion import complete
from core.filters.context import FilterContext
from core.filters.filter import Filter
from core.import_export.tables.csv_export import to_csv
from core.import_export.tables.draft import draft
from core.import_export.tables.grid import read_grid
from core.import_export.tables.mapping import TableMapping
from core.templates.template_file import template_in, template_text, workflow_of
from tests.support.message_examples import custom_fields
from tests.support.workspace import World

TODAY = date(2026, 3, 2)


def add(world: World, name: str, kind: FieldKind = FieldKind.NUMBER, **more: Any) -> CustomField:
    return world.do(AddField(project_id=world.project.id, name=name, kind=kind, **more))


def put(world: World, item: Item, **values: str) -> None:
    pairs = tuple(FieldValue(key=key, value=value) for key, value in values.items())
    world.do(SetFields(item_id=item.id, values=pairs))


def around(world: World) -> FilterContext:
    head = world.ask(GetCanvas(project_id=world.project.id)).head
    return FilterContext(world.maya.user_id, head.today, head.columns, head.members, head.labels, head.fields)


def left(world: World, text: str) -> list[str]:
    """The titles of the cards that a filter leaves."""
    cards = world.ask(GetCanvas(project_id=world.project.id)).cards
    only = Filter(text, around(world))
    return sorted(card.title for card in cards if only.matches(card))


@pytest.fixture
def cards(world: World) -> dict[str, Item]:
    add(world, "Estimate", sums=True)
    add(world, "Stage", FieldKind.CHOICE, choices=("First draft", "Final"))
    for kind in (FieldKind.DATE, FieldKind.PERSON, FieldKind.TEXT, FieldKind.LINK):
        add(world, kind.lower(), kind)
    made = {title: world.task(title) for title in ("A", "B", "C")}
    put(world, made["A"], estimate="3", stage="final", date="2026-03-04", person="me", text="by Hand")
    put(world, made["B"], estimate="10.5", stage="first draft", person="bob", link="https://example.com/x")
    return made


@pytest.mark.usefixtures("cards")
@pytest.mark.parametrize(
    ("text", "titles"),
    [
        ("estimate:3", "A"),
        ("estimate:>3", "B"),
        ("estimate:>=3", "AB"),
        ("estimate:<10", "A"),
        ("estimate:1..5", "A"),
        ("estimate:none", "C"),
        ("estimate:any", "AB"),
        ("-estimate:>3", "AC"),
        ("stage:final", "A"),
        ('stage:"first draft"', "B"),
        ("stage:first", "B"),
        ("stage:final,none", "AC"),
        ("date:4mar", "A"),
        ("date:<fri", "A"),
        ("date:week", "A"),
        ("date:none", "BC"),
        ("person:me", "A"),
        ("person:bob", "B"),
        ("person:none", "C"),
        ("text:hand", "A"),
        ("link:example", "B"),
        ("estimate:any stage:final", "A"),
    ],
)
def test_a_filter_takes_custom_fields(world: World, text: str, titles: str) -> None:
    assert left(world, text) == list(titles)


@pytest.mark.usefixtures("cards")
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("estimate:much", "“much” is not a number"),
        ("estimate:5..1", "It ends before it begins"),
        ("stage:sent", "There is no choice “sent”. The choices are First draft"),
        ("date:someday", "is not a day"),
        ("person:zoe", "There is no member “zoe”"),
        ("estimat:3", "There is no field “estimat”. The fields are .*estimate:"),
    ],
)
def test_a_wrong_value_in_a_filter_is_told(world: World, text: str, said: str) -> None:
    with pytest.raises(InvalidFilter, match=said):
        left(world, text)


@pytest.mark.usefixtures("cards")
def test_fields_and_choices_are_completed(world: World) -> None:
    context = around(world)
    assert "estimate:" in [each.word for each in complete("", 0, context)]
    assert [each.word for each in complete("stage:f", 7, context)] == ['"First draft"', "Final"]


def test_presets_and_saved_filters_can_name_the_fields_of_my_projects(world: World) -> None:
    world.refuses(SaveFilter(name="Large", text="estimate:>3"), InvalidFilter, "There is no field “estimate”")
    add(world, "Estimate")
    world.do(SaveFilter(name="Large", text="estimate:>3"))
    world.do(SavePreset(project_id=world.project.id, name="Large", filter="estimate:>3"))
    world.refuses(SaveFilter(name="Large", text="estimate:>3"), InvalidFilter, as_=world.gus)


@pytest.mark.usefixtures("cards")
def test_a_template_carries_the_fields_and_the_values_that_fit_any_project(world: World) -> None:
    template = world.do(SaveTemplate(project_id=world.project.id, name="Ours"))
    body = world.ask(GetTemplate(template_id=template.id)).body
    assert [field.key for field in body.fields] == ["estimate", "stage", "date", "person", "text", "link"]
    assert workflow_of(template_in(template_text(template, body))) == body
    made = world.do(CreateProjectFromTemplate(template_id=template.id, name="Next", start=TODAY)).project
    canvas = world.ask(GetCanvas(project_id=made.id))
    assert [field.key for field in canvas.head.fields] == [field.key for field in body.fields]
    values = {card.title: {each.key: each.value for each in card.values} for card in canvas.cards}
    assert values == {
        "A": {"estimate": "3", "stage": "Final", "text": "by Hand"},
        "B": {"estimate": "10.5", "stage": "First draft", "link": "https://example.com/x"},
        "C": {},
    }
    assert world.ask(DiffAgainstTemplate(project_id=made.id, template_id=template.id)) == ()


def test_a_merge_brings_new_fields_and_changed_values_as_one_step(world: World) -> None:
    card = world.task("A")
    template = world.do(SaveTemplate(project_id=world.project.id, name="Ours"))
    made = world.do(CreateProjectFromTemplate(template_id=template.id, name="Next", start=TODAY)).project
    add(world, "Estimate", sums=True)
    put(world, card, estimate="3")
    world.do(SaveTemplate(project_id=world.project.id, template_id=template.id))
    lines = world.ask(PreviewTemplateMerge(project_id=made.id, template_id=template.id)).differences
    assert [(line.kind, line.what, line.field, line.after) for line in lines] == [
        ("ADDED", "FIELD", "", ""),
        ("CHANGED", "TASK", "fields", "estimate 3"),
    ]
    world.do(MergeTemplate(project_id=made.id, template_id=template.id))
    assert values_of(world, made.id) == {"A": {"estimate": "3"}}
    world.do(Undo(project_id=made.id))
    assert values_of(world, made.id) == {"A": {}}
    assert world.ask(ListFields(project_id=made.id)) == ()


def test_a_merge_says_nothing_of_values_and_fields_that_the_project_cannot_have(world: World) -> None:
    first, second = world.task("A"), world.task("B")
    add(world, "Size", FieldKind.CHOICE, choices=("S", "M"))
    put(world, first, size="S")
    template = world.do(SaveTemplate(project_id=world.project.id, name="Ours"))
    made = world.do(CreateProjectFromTemplate(template_id=template.id, name="Next", start=TODAY)).project
    size = world.ask(ListFields(project_id=made.id))[0].field
    world.do(RenameChoice(field_id=size.id, choice="S", name="Small"))
    world.do(AddField(project_id=made.id, name="Cost (net)", kind=FieldKind.NUMBER, key="cost"))
    add(world, "Cost (net)", key="net")
    put(world, second, size="S", net="5")
    world.do(SaveTemplate(project_id=world.project.id, template_id=template.id))
    assert world.do(MergeTemplate(project_id=made.id, template_id=template.id)).differences == ()
    assert values_of(world, made.id) == {"A": {"size": "Small"}, "B": {}}


def values_of(world: World, project_id: Id) -> dict[str, dict[str, str]]:
    cards = world.ask(GetCanvas(project_id=project_id)).cards
    return {card.title: {each.key: each.value for each in card.values} for card in cards}


def test_a_table_has_a_column_for_each_field_and_comes_back(world: World) -> None:
    custom_fields.furnish(world)
    add(world, "Status", FieldKind.TEXT)
    put(world, world.task("=1+1"), statusfield="=odd", estimate="1")
    document = world.ask(ExportProject(project_id=world.project.id))
    text = to_csv(document)
    heads = text.splitlines()[0].split(",")
    assert heads[-7:] == [
        "Estimate",
        "Stage (field)",
        "Its date",
        "Its person",
        "Its text",
        "Its link",
        "Status (field)",
    ]
    again = draft(read_grid(text), TableMapping(), TODAY, "Again").document()
    kinds = {field.name: field.kind for field in again.fields}
    assert kinds == {
        "Estimate": FieldKind.NUMBER,
        "Stage": FieldKind.TEXT,
        "Its date": FieldKind.DATE,
        "Its person": FieldKind.TEXT,
        "Its text": FieldKind.TEXT,
        "Its link": FieldKind.LINK,
        "Status": FieldKind.TEXT,
    }
    copied = world.do(ImportProject(document=again, leave_out_unknown=True))
    assert values_of(world, copied.id)["=1+1"] == {"estimate": "1", "statusfield": "=odd"}


def test_fields_that_are_named_like_heads_of_a_table_come_back_with_their_names(world: World) -> None:
    names = ("Own (field)", "Own", "Status", "Status (field)")
    for name in names:
        add(world, name, FieldKind.TEXT)
    fields = [each.field for each in world.ask(ListFields(project_id=world.project.id))]
    values = {field.key: field.name for field in fields}
    put(world, world.task("A"), **values)
    text = to_csv(world.ask(ExportProject(project_id=world.project.id)))
    again = draft(read_grid(text), TableMapping(), TODAY, "Again").document()
    assert tuple(field.name for field in again.fields) == names
    keys = {field.key: field.name for field in again.fields}
    [item] = [item for phase in again.phases for item in phase.items if item.title == "A"]
    assert {keys[each.field]: each.value for each in item.fields} == {name: name for name in names}


def test_the_burn_up_adds_up_a_field_as_its_values_change(world: World) -> None:
    add(world, "Estimate", sums=True)
    first, second = world.task("A"), world.task("B")
    put(world, first, estimate="3")
    put(world, second, estimate="5")
    world.complete(first.id)
    flow = world.ask(GetBurnUp(project_id=world.project.id, sum="estimate"))
    last = flow.days[-1]
    assert (flow.unit, last.to_do, last.in_progress, last.completed) == ("Estimate", 5, 0, 3)
    put(world, first, estimate="4")
    put(world, second, estimate="")
    last = world.ask(GetBurnUp(project_id=world.project.id, sum="estimate")).days[-1]
    assert (last.to_do, last.completed) == (0, 4)
    put(world, second, estimate="7")
    world.archive(second.id)
    assert world.ask(GetBurnUp(project_id=world.project.id, sum="estimate")).days[-1].total == 4
    counted = world.ask(GetBurnUp(project_id=world.project.id))
    assert (counted.unit, counted.days[-1].total) == ("", 1)
    world.refuses(GetBurnUp(project_id=world.project.id, sum="cost"), InvalidInput, "No field “cost” is added up here")


def test_the_burn_up_adds_up_decimals_exactly(world: World) -> None:
    add(world, "Estimate", sums=True)
    cards = [world.task("A") for _ in range(4)]
    for card, number in zip(cards, ("11.5", "0.1", "28.2", "0.2"), strict=True):
        put(world, card, estimate=number)
    world.complete(cards[0].id)
    world.do(SetPhaseDueDate(phase_id=world.discover.id, due=TODAY + timedelta(days=9)))
    flow = world.ask(GetBurnUp(project_id=world.project.id, sum="estimate"))
    last = flow.days[-1]
    assert (last.to_do, last.in_progress, last.completed, last.total) == (28.5, 0, 11.5, 40)
    assert repr(last.total) == "40"
    assert [each.cards for each in flow.plan] == [0, 40]
    assert "28.5" in text_of(last)


def test_the_workload_adds_up_decimals_exactly(world: World) -> None:
    add(world, "Estimate", sums=True)
    for number, due in (("8.5", TODAY), ("0.4", TODAY - timedelta(days=8)), ("0.1", None)):
        put(world, world.task("A", due=due, assignee_id=world.bob.user_id), estimate=number)
    (line,) = world.ask(GetWorkload(weeks=2, sum="estimate")).lines
    assert (line.late, line.weeks, line.undated, line.total) == (0.4, (8.5, 0), 0.1, 9)


def test_the_workload_adds_up_a_field_over_the_projects_that_have_it(world: World) -> None:
    add(world, "Estimate", sums=True)
    for number, due in (("3", TODAY), ("0.5", TODAY), ("2", None)):
        put(world, world.task("A", due=due, assignee_id=world.bob.user_id), estimate=number)
    world.task("B", due=TODAY, assignee_id=world.bob.user_id)
    other = world.new_project("Other")
    world.task("C", phase=world.phase("One", other.id), due=TODAY)
    summed = world.ask(GetWorkload(weeks=2, sum="estimate"))
    assert [(line.name, line.weeks[0], line.undated, line.total) for line in summed.lines] == [
        ("Bob Lind", 3.5, 2, 5.5)
    ]
    assert summed.sums == ("estimate",)
    assert world.ask(GetWorkload(weeks=2)).lines[0].weeks[0] == 3
    assert world.ask(GetWorkload(weeks=2), world.gus).sums == ()
