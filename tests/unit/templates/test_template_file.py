"""A template as a file: written, read back, and refused with line and field where it is none."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from core.actions.history.history import ListWorkspaceHistory, Redo, Undo
from core.actions.templates.apply import CreateProjectFromTemplate
from core.actions.templates.templates import GetTemplate, ImportTemplate, ListTemplates
from core.domain.model import Gate, ItemKind
from core.domain.templates import Template, TemplateApplication, TemplateBody, TemplateItem, TemplatePhase
from core.errors import CannotUndo, Forbidden, InvalidImport, InvalidInput, RuleViolation
from core.import_export.files import read_file
from core.record import replace
from core.templates.built_in import built_in_templates
from core.templates.template_file import MAX_BYTES, TemplateDocument, template_in, template_text, workflow_of
from tests.properties.template_strategies import BODIES, START
from tests.support.message_examples.daily_work import TEMPLATE_FILE
from tests.support.paths import ROOT
from tests.support.workspace import World, content

FIRST_PHASE = 'name = "A"\n\n[[phases]]\nname = "B"\n'


def names(world: World) -> set[str]:
    return {line.template.name for line in world.ask(ListTemplates())}


# -- there and back ----------------------------------------------------------------------------------------------------


def test_a_file_written_by_hand_is_a_workflow() -> None:
    document = template_in(TEMPLATE_FILE)
    assert (document.name, document.tags) == ("Small campaign", ("north",))
    interview = TemplateItem(kind=ItemKind.TASK, title="Interview five customers", due_days=7, slots=("Strategist",))
    understand = TemplateItem(
        kind=ItemKind.ACTIVITY,
        title="Understand the market",
        due_days=8,
        slots=("Analyst", "Strategist"),
        tasks=(interview,),
        application=TemplateApplication(product="Asset library", name="Findings"),
    )
    approve = TemplateItem(
        kind=ItemKind.TASK,
        title="Approve the brief",
        description="One page, signed.",
        due_days=14,
        slots=("Approver",),
    )
    brief = TemplatePhase(
        name="Brief",
        deliverables=("Creative brief",),
        gate=Gate.REVIEW,
        evidence_required=True,
        no_statements=True,
        due_days=14,
        slots=("Lead",),
        items=(understand, approve),
    )
    assert workflow_of(document) == TemplateBody(phases=(brief,))


def test_the_file_on_the_page_of_the_command_line_is_a_template() -> None:
    (example,) = re.findall(r"```toml\n(.*?)```", (ROOT / "tui" / "cli" / "README.md").read_text(), re.DOTALL)
    body = workflow_of(template_in(example))
    assert [(phase.name, len(phase.items)) for phase in body.phases] == [("Brief", 2), ("Launch", 0)]


@pytest.mark.parametrize(
    ("said", "accepts"), [("", True), ("statements = true\n", True), ("statements = false\n", False)]
)
def test_a_file_that_does_not_say_whether_statements_count_accepts_them(world: World, said: str, accepts: bool) -> None:
    text = FIRST_PHASE + f'gate = "REVIEW"\nevidence = true\n{said}'
    added = world.do(ImportTemplate(document=template_in(text)))
    made = world.do(CreateProjectFromTemplate(template_id=added.id, name="Summer", start=START))
    assert world.row("phase", project_id=made.project.id)["accepts_statements"] == accepts
    exported = template_text(added, world.ask(GetTemplate(template_id=added.id)).body)
    assert f"evidence = true\nstatements = {str(accepts).lower()}\n" in exported


@given(BODIES)
def test_a_workflow_comes_back_from_its_file_as_it_was(body: TemplateBody) -> None:
    template = Template(id="1", name="Läufe “ü”", description='Says "so"\n\\ and\n\n so on', tags=("a", "b"))
    text = template_text(template, body)
    document = template_in(text)
    assert workflow_of(document) == body
    assert (document.name, document.description, document.tags) == (template.name, template.description, template.tags)


@pytest.mark.parametrize("each", built_in_templates(), ids=lambda each: each.name)
def test_a_built_in_template_is_exported_as_the_file_that_it_came_from(world: World, each: TemplateDocument) -> None:
    (line,) = [line for line in world.ask(ListTemplates()) if line.template.name == each.name]
    text = template_text(line.template, world.ask(GetTemplate(template_id=line.template.id)).body)
    folder = ROOT / "core" / "templates" / "built_in"
    assert text == (folder / f"{each.name.lower().replace(' ', '_')}.toml").read_text(encoding="utf-8")


def test_roles_are_kept_once_in_their_order_and_texts_as_typed_ones() -> None:
    text = FIRST_PHASE + 'roles = ["Producer", "analyst", "Producer"]\nobjectives = "  a\\r\\nb "\n'
    (phase,) = workflow_of(template_in(text)).phases
    assert (phase.slots, phase.objectives) == (("analyst", "Producer"), "a\nb")


# -- the message -------------------------------------------------------------------------------------------------------


def test_a_template_is_imported_and_a_project_made_from_it(world: World) -> None:
    added = world.do(ImportTemplate(document=template_in(TEMPLATE_FILE)))
    detail = world.ask(GetTemplate(template_id=added.id))
    assert (detail.number, detail.line.phases, detail.line.items, detail.line.days) == (1, 1, 3, 14)
    assert [(version.by, version.note) for version in detail.versions] == [("Maya Okafor", "")]
    assert detail.missing_products == ("Asset library",)
    assert (added.name, added.tags) == ("Small campaign", ("north",))
    assert world.ask(ListWorkspaceHistory())[0].summary == "imported the template “Small campaign”"
    made = world.do(CreateProjectFromTemplate(template_id=added.id, name="Summer", start=START))
    tasks = world.rows("SELECT title FROM item WHERE project_id = :id AND kind = 'TASK'", id=made.project.id)
    assert {task["title"] for task in tasks} == {"Interview five customers", "Approve the brief"}


def test_an_import_is_undone_and_redone_unless_a_project_came_from_it(world: World) -> None:
    before = content(world.database, versions=False)
    added = world.do(ImportTemplate(document=template_in(TEMPLATE_FILE), name="Ours"))
    assert "Ours" in names(world)
    world.do(Undo())
    assert content(world.database, versions=False) == before
    world.do(Redo())
    assert "Ours" in names(world)
    world.do(CreateProjectFromTemplate(template_id=added.id, name="Summer", start=START))
    world.refuses(Undo(), CannotUndo, "1 other project came from version 1")
    assert "Ours" in names(world)


def test_only_admins_import(world: World) -> None:
    with pytest.raises(Forbidden, match="import, rename or remove templates"):
        world.do(ImportTemplate(document=template_in(TEMPLATE_FILE)), as_=world.bob)
    assert "Small campaign" not in names(world)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"name": "EVENT"}, "There is a template “Event” already"),
        ({"name": "\u202eevil"}, "U\\+202E"),
        ({"name": "x" * 121}, "at most 120 characters"),
        ({"tags": ("x" * 41,)}, "at most 40 characters"),
        ({"description": "x" * 4_001}, "at most 4,000 characters"),
    ],
)
def test_what_could_not_be_typed_is_not_imported(world: World, fields: dict[str, Any], said: str) -> None:
    given: dict[str, Any] = {"name": "Fine", "phases": template_in(TEMPLATE_FILE).phases} | fields
    before = content(world.database)
    world.refuses(ImportTemplate(document=TemplateDocument(**given)), InvalidInput, said)
    assert content(world.database) == before


def test_a_document_without_the_rules_of_the_file_is_refused_by_the_message_too(world: World) -> None:
    (phase,) = template_in(TEMPLATE_FILE).phases
    with pytest.raises(InvalidImport, match=r"^phases: A template needs at least one phase"):
        world.do(ImportTemplate(document=TemplateDocument(name="A", phases=())))
    with pytest.raises(RuleViolation, match="at most 100 phases"):
        world.do(ImportTemplate(document=TemplateDocument(name="A", phases=(phase,) * 101)))
    crowded = replace(phase, work=phase.work * 2_500)
    with pytest.raises(RuleViolation, match="5,000 tasks and activities"):
        world.do(ImportTemplate(document=TemplateDocument(name="A", phases=(crowded,))))
    assert "A" not in names(world)


# -- refusals ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "name: It is missing."),
        ('name = "A"', "phases: It is missing."),
        ('name = "A"\nphases = []', "Line 2, phases: A template needs at least one phase."),
        ('{"name": "A"}', "Line 1: It is not TOML (Invalid statement)."),
        ('name = "A"\nname = "B"', "Line 2: It is not TOML (Cannot overwrite a value)."),
        ('name = "A"\ntags = ["', "Line 2: It is not TOML (Unterminated string)."),
        ('format = "podium-project"\nname = "A"', "Line 1, format: It should be 'podium-template'"),
        ('version = 2\nname = "A"', "Line 1, version: It should be 1"),
        (FIRST_PHASE + 'colour = "red"\n', "Line 5, phases[0].colour: There is no such field."),
        (FIRST_PHASE + 'due = "5"\n', "Line 5, phases[0].due: It should be a whole number, or nothing; “5” is not."),
        (FIRST_PHASE + "due = 2026-01-01\n", "Line 5, phases[0].due: It should be a whole number"),
        (FIRST_PHASE + "due = nan\n", "Line 5, phases[0].due: It should be a whole number"),
        (FIRST_PHASE + "due = 99999\n", "Line 5, phases[0].due: Enter at most 73,200 days, not 99,999."),
        (FIRST_PHASE + "due = 99999999999999999999\n", "Line 5, phases[0].due: "),
        (FIRST_PHASE + f"due = {'9' * 5_000}\n", "A number in it is too long."),
        (FIRST_PHASE + 'gate = "OPEN"\n', "Line 5, phases[0].gate: It should be one of AUTOMATIC, REVIEW"),
        (FIRST_PHASE + "evidence = true\n", "Line 5, phases[0].evidence: Only a review gate can require evidence."),
        (
            FIRST_PHASE + 'gate = "REVIEW"\nstatements = true\n',
            "Line 6, phases[0].statements: Only a gate that requires evidence can accept statements.",
        ),
        (FIRST_PHASE + '\n[[phases]]\ndue = 1\n', "Line 7, phases[1].name: It is missing."),
        (FIRST_PHASE + '\n[[phases]]\nname = "\\u001b[0m"\n', "Line 7, phases[1].name: The character U+001B"),
        (FIRST_PHASE + 'objectives = "\\u0000"\n', "Line 5, phases[0].objectives: The character U+0000 in"),
        (FIRST_PHASE + 'deliverables = [\n"A",\n"",\n]\n', "Line 5, phases[0].deliverables[1]: Enter a deliverable"),
        (FIRST_PHASE + 'work = [\n{ task = "T" },\n{ due = 1 },\n]\n', "Line 7, phases[0].work[1]: It needs a title"),
        (FIRST_PHASE + 'work = [{ task = "T", activity = "A" }]\n', "Line 5, phases[0].work[0]: It needs a title"),
        (FIRST_PHASE + 'work = [{ task = "T", roles = ["A"] }]\n', "Line 5, phases[0].work[0].roles: Only an activity"),
        (FIRST_PHASE + 'work = [{ task = "T", tasks = [{ task = "U" }] }]\n', "work[0].tasks: Only an activity"),
        (FIRST_PHASE + 'work = [{ activity = "A", role = "A" }]\n', "work[0].role: Only a task has it. Write “roles”"),
        (FIRST_PHASE + 'work = [{ activity = "A", tasks = [\n{ activity = "B" }] }]\n',
         "Line 6, phases[0].work[0].tasks[0].activity: An activity holds only tasks."),
        (FIRST_PHASE + 'work = [{ task = "T", link = "javascript:x" }]\n', "work[0].link: The link must start with"),
        (FIRST_PHASE + 'applications = [{ name = "A" }]\n', "applications[0].product: It is missing."),
        ("a = " + "[" * 100_000, "It is nested too deeply."),
        ("a = " + "[" * 300 + "]" * 300, "Line 1, a: There is no such field."),
        ('name = "A"\n' + "a." * 50_000 + "b = 1", "Line 2: A key has more than 20 dots."),
        ('"due" = 1\n' + FIRST_PHASE, "Line 1, due: There is no such field."),
    ],
)  # fmt: skip
def test_what_is_no_template_is_refused_with_line_and_field(text: str, said: str) -> None:
    with pytest.raises(InvalidImport) as refused:
        template_in(text)
    assert said in str(refused.value)


def test_the_line_is_found_among_many_fields_of_that_name() -> None:
    lines = ['name = "A"', "# due = 1", 'description = "due = 2"', "[[phases]]", 'name = "B"', "work = ["]
    lines += [f'{{ task = "due = {number}", "due" = {number} }},' for number in range(500)]
    lines[300] = '{ task = "T", due = false },'
    with pytest.raises(InvalidImport, match=r"^Line 301, phases\[0\].work\[294\].due: "):
        template_in("\n".join([*lines, "]"]))


def test_a_pipe_and_a_file_that_is_too_large_are_refused_before_they_are_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.toml")
    with pytest.raises(InvalidImport, match="it is a pipe or a device"):
        read_file(tmp_path / "pipe.toml", MAX_BYTES)
    with (tmp_path / "huge.toml").open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    with pytest.raises(InvalidImport, match=r"20,000,001 bytes\. Podium imports at most 20,000,000"):
        read_file(tmp_path / "huge.toml", MAX_BYTES)
