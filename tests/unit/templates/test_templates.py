"""The shelf of templates: found by words and tags, read, compared, renamed, removed; and the five that are built in."""

from __future__ import annotations

import pytest

from core.actions.history.history import Redo, Undo
from core.actions.templates.apply import CreateProjectFromTemplate, SaveTemplate
from core.actions.templates.templates import (
    CompareTemplateVersions,
    EditTemplate,
    GetTemplate,
    ListTemplates,
    RemoveTemplate,
)
from core.actions.workspace.meta_roles import SEEDED
from core.domain.model import Gate
from core.domain.templates import TemplateBody
from core.errors import CannotUndo, DatabaseDamaged, Forbidden, InvalidInput, NotFound
from core.templates.built_in import built_in_templates
from core.templates.json_format import from_text, items_of, outline, to_text
from core.templates.template_file import TemplateDocument, workflow_of
from core.text.sanitize import many_lines, one_line
from tests.properties.template_strategies import START, built_in
from tests.support.workspace import World, content

NAMES = ["Brand refresh", "Campaign launch", "Event", "Product launch", "Software release"]

each_built_in = pytest.mark.parametrize("each", built_in_templates(), ids=lambda each: each.name)


def names(world: World, text: str = "", *tags: str) -> list[str]:
    return [line.template.name for line in world.ask(ListTemplates(text=text, tags=tags))]


# -- built in ----------------------------------------------------------------------------------------------------------


def test_a_new_workspace_has_five_templates(world: World) -> None:
    assert names(world) == NAMES
    rows = world.rows("SELECT number, by_id, note FROM template_version")
    assert rows == [{"number": 1, "by_id": None, "note": ""}] * 5


@pytest.mark.parametrize(
    ("name", "phases", "items", "days", "deliverables", "reviews"),
    [
        ("Brand refresh", 6, 46, 220, 15, 3),
        ("Campaign launch", 6, 46, 91, 12, 3),
        ("Event", 6, 44, 133, 11, 3),
        ("Product launch", 6, 45, 180, 15, 3),
        ("Software release", 6, 45, 75, 11, 2),
    ],
)
def test_the_main_figures_of_the_built_in_templates(
    world: World, name: str, phases: int, items: int, days: int, deliverables: int, reviews: int
) -> None:
    (line,) = [line for line in world.ask(ListTemplates()) if line.template.name == name]
    assert (line.phases, line.items, line.days) == (phases, items, days)
    body = world.ask(GetTemplate(template_id=line.template.id)).body
    assert sum(len(phase.deliverables) for phase in body.phases) == deliverables
    assert sum(phase.gate is Gate.REVIEW for phase in body.phases) == reviews


@each_built_in
def test_a_built_in_template_is_a_workflow_that_people_could_have_typed(each: TemplateDocument) -> None:
    body = workflow_of(each)
    items = list(items_of(body))
    assert set(outline(body).slots) == set(SEEDED)
    for phase in body.phases:
        one_line(phase.name, "name", most=80)
        assert many_lines(phase.objectives, "objectives")
        assert phase.outcomes
    assert all(one_line(item.title, "title") == item.title and len(item.slots) >= 1 for item in items)
    assert any(phase.gate is Gate.REVIEW and phase.evidence_required for phase in body.phases)
    assert not any(phase.evidence_required and not phase.deliverables for phase in body.phases)


@each_built_in
def test_the_days_of_a_built_in_template_follow_each_other(each: TemplateDocument) -> None:
    phases = workflow_of(each).phases
    days = [phase.due_days or 0 for phase in phases]
    assert days == sorted(days)
    for phase in phases:
        for item in phase.items:
            assert (item.due_days or 0) <= (phase.due_days or 0), item.title
            assert all((task.due_days or 0) <= (item.due_days or 0) for task in item.tasks), item.title


# -- finding and reading -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "tags", "found"),
    [
        ("LAUNCH", (), ["Campaign launch", "Product launch"]),
        ("harden", (), ["Software release"]),  # the name of a phase
        ("brand audit", (), ["Brand refresh"]),
        ("brand harden", (), []),
        ("", ("Launch",), ["Product launch"]),
        ("", ("brand", "design"), ["Brand refresh"]),
        ("", ("brand", "event"), []),
        ("%", (), []),
        ("'", (), []),
    ],
)
def test_templates_are_found_by_all_words_and_all_tags(
    world: World, text: str, tags: tuple[str, ...], found: list[str]
) -> None:
    assert names(world, text, *tags) == found


def test_the_list_counts_what_is_in_a_template(world: World) -> None:
    (line,) = world.ask(ListTemplates(text="event conference"))
    body = world.ask(GetTemplate(template_id=line.template.id)).body
    assert (line.phases, line.items, line.days) == (6, len(list(items_of(body))), 133)
    assert set(line.slots) == set(SEEDED)


def test_a_template_is_shown_with_its_versions_and_the_products_that_are_gone(world: World) -> None:
    template = built_in(world, "Event")
    world.add_application(world.product("Planner"))
    saved = world.do(SaveTemplate(project_id=world.project.id, template_id=template.id, note="Ours"))
    detail = world.ask(GetTemplate(template_id=template.id))
    assert (detail.number, [(note.number, note.by, note.note) for note in detail.versions]) == (
        2,
        [(2, "Maya Okafor", "Ours"), (1, "Podium", "")],
    )
    assert (saved.number, detail.line.phases, detail.missing_products) == (2, 3, ())
    world.database.write(lambda tx: tx.execute("UPDATE product SET retired = 1"))
    assert world.ask(GetTemplate(template_id=template.id)).missing_products == ("Planner",)
    assert world.ask(GetTemplate(template_id=template.id, number=1)).line.phases == 6
    world.refuses(GetTemplate(template_id=template.id, number=3), NotFound, "has no version 3")


def test_two_versions_are_compared(world: World) -> None:
    template = built_in(world, "Event")
    world.do(SaveTemplate(project_id=world.project.id, template_id=template.id))
    found = world.ask(CompareTemplateVersions(template_id=template.id, before=1, after=2))
    assert {(line.kind.value, line.path) for line in found if line.what == "PHASE"} >= {
        ("ADDED", ("Discover",)),
        ("REMOVED", ("Concept",)),
    }
    assert world.ask(CompareTemplateVersions(template_id=template.id, before=2, after=2)) == ()


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{", '{"phases":[{"name":5}]}', '{"phases":[{"name":"A","colour":"red"}]}', '{"phases":{"name":"A"}}',
     '{"phases":[{"name":"A","due_days":"5"}]}', '{"phases":[{"name":"A","items":[{"kind":"EPIC","title":"B"}]}]}'],
)  # fmt: skip
def test_what_is_no_workflow_is_not_read_as_one_and_counts_as_damage(world: World, text: str) -> None:
    template = built_in(world, "Event")
    world.database.write(lambda tx: tx.execute("UPDATE template_version SET body = :text", text=text))
    for query in (ListTemplates(), GetTemplate(template_id=template.id)):
        world.refuses(query, DatabaseDamaged, "The workflow of a template cannot be read")


def test_a_workflow_comes_back_from_its_json_as_it_was() -> None:
    assert all(from_text(to_text(body)) == body for body in map(workflow_of, built_in_templates()))
    assert from_text(to_text(TemplateBody())) == TemplateBody()


# -- renaming and removing ---------------------------------------------------------------------------------------------


def test_a_template_is_renamed_described_and_tagged(world: World) -> None:
    template = built_in(world, "Event")
    world.do(EditTemplate(template_id=template.id, name="  Fair ", tags=("Fair", "fair", " North "), seen_version=1))
    row = world.row("template", id=template.id)
    assert (row["name"], row["tags"], row["description"]) == ("Fair", '["fair", "north"]', template.description)
    world.do(EditTemplate(template_id=template.id, description="Two\nlines", tags=()))
    row = world.row("template", id=template.id)
    assert (row["name"], row["tags"], row["description"], row["version"]) == ("Fair", "[]", "Two\nlines", 3)


@pytest.mark.parametrize("name", ["", "  ", "x" * 121, "a\x1b[31m", "\u202eevil", "brand REFRESH"])
def test_a_name_that_cannot_be_shown_or_is_taken_is_refused(world: World, name: str) -> None:
    world.refuses(EditTemplate(template_id=built_in(world, "Event").id, name=name), InvalidInput)
    world.refuses(SaveTemplate(project_id=world.project.id, name=name), InvalidInput)
    assert names(world) == NAMES


def test_tags_have_their_limits(world: World) -> None:
    template = built_in(world, "Event")
    for tags in (("x" * 41,), tuple(f"tag {number}" for number in range(21)), ("\u202e",)):
        world.refuses(EditTemplate(template_id=template.id, tags=tags), InvalidInput)
    assert world.row("template", id=template.id)["version"] == 1


def test_only_admins_rename_and_remove(world: World) -> None:
    template = built_in(world, "Event")
    with pytest.raises(Forbidden, match="import, rename or remove templates"):
        world.do(EditTemplate(template_id=template.id, name="Mine"), as_=world.bob)
    with pytest.raises(Forbidden, match="import, rename or remove templates"):
        world.do(RemoveTemplate(template_id=template.id), as_=world.bob)
    assert names(world) == NAMES
    assert world.ask(ListTemplates(), as_=world.bob)


def test_a_removed_template_comes_back_whole_and_projects_made_from_it_stay(world: World) -> None:
    template = built_in(world, "Event")
    made = world.do(CreateProjectFromTemplate(template_id=template.id, name="Fair", start=START)).project
    world.do(SaveTemplate(project_id=world.project.id, template_id=template.id))
    before = content(world.database, versions=False)
    world.do(RemoveTemplate(template_id=template.id))
    assert "Event" not in names(world)
    assert world.rows("SELECT * FROM template_version WHERE template_id = :id", id=template.id) == []
    assert len(world.rows("SELECT * FROM phase WHERE project_id = :id", id=made.id)) == 6
    world.do(Undo())
    assert content(world.database, versions=False) == before


def test_a_name_that_was_given_again_keeps_a_template_from_coming_back(world: World) -> None:
    world.do(RemoveTemplate(template_id=built_in(world, "Event").id))
    world.do(SaveTemplate(project_id=world.project.id, name="EVENT"))
    world.refuses(Undo(), CannotUndo, "There is a template “EVENT” already")
    assert "Event" not in names(world)


def test_a_saved_template_is_taken_back_and_brought_back(world: World) -> None:
    before = content(world.database, versions=False)
    world.do(SaveTemplate(project_id=world.project.id, name="Ours"))
    world.do(Undo(project_id=world.project.id))
    assert content(world.database, versions=False) == before
    world.do(Redo(project_id=world.project.id))
    assert "Ours" in names(world)
