"""Templates keep the labels and priorities of cards: saved, as a file, applied, and merged into a project."""

from __future__ import annotations

from datetime import date

from core.actions.cards.cards import SetPriority
from core.actions.cards.labels import SetLabels
from core.actions.templates.apply import CreateProjectFromTemplate, MergeTemplate, SaveTemplate
from core.actions.templates.templates import GetTemplate
from core.actions.workflow.canvas import GetCanvas
from core.domain.model import Id, Priority
from core.templates.template_file import template_in, template_text, workflow_of
from tests.support.workspace import World


def on_cards(world: World, project_id: Id) -> dict[str, tuple[list[str], Priority]]:
    canvas = world.ask(GetCanvas(project_id=project_id))
    names = {label.id: label.name for label in canvas.head.labels}
    return {card.title: (sorted(names[each] for each in card.labels), card.priority) for card in canvas.cards}


def test_a_template_brings_labels_and_priorities_and_its_next_version_changes_them(world: World) -> None:
    task = world.task("Print it", labels=("print", "Legal"), priority=Priority.HIGH)
    world.task("Plain")
    template = world.do(SaveTemplate(project_id=world.project.id, name="Ours"))
    made = world.do(CreateProjectFromTemplate(template_id=template.id, name="Next", start=date(2026, 4, 1))).project
    expected = {"Print it": (["Legal", "print"], Priority.HIGH), "Plain": ([], Priority.NORMAL)}
    assert on_cards(world, made.id) == expected

    world.do(SetLabels(card_id=task.id, add=("Proofs",), remove=("Legal",)))
    world.do(SetPriority(card_id=task.id, priority=Priority.LOW))
    world.do(SaveTemplate(project_id=world.project.id, template_id=template.id))
    merged = world.do(MergeTemplate(project_id=made.id, template_id=template.id))
    assert {(line.field, line.before, line.after) for line in merged.differences} == {
        ("labels", "Legal and print", "print and Proofs"),
        ("priority", "high", "low"),
    }
    assert on_cards(world, made.id)["Print it"] == (["Proofs", "print"], Priority.LOW)


def test_labels_that_were_changed_by_hand_stay(world: World) -> None:
    task = world.task("Print it", labels=("print",))
    template = world.do(SaveTemplate(project_id=world.project.id, name="Ours"))
    made = world.do(CreateProjectFromTemplate(template_id=template.id, name="Next", start=date(2026, 4, 1))).project
    card = world.row("item", project_id=made.id, title="Print it")
    world.do(SetLabels(card_id=card["id"], add=("Mine",)))
    world.do(SetLabels(card_id=task.id, add=("Theirs",)))
    world.do(SaveTemplate(project_id=world.project.id, template_id=template.id))
    (line,) = world.do(MergeTemplate(project_id=made.id, template_id=template.id)).differences
    assert line.reason == "it was changed in this project"
    assert on_cards(world, made.id)["Print it"][0] == ["Mine", "print"]


def test_the_file_of_a_template_has_both(world: World) -> None:
    world.task("Print it", labels=("print", "Legal"), priority=Priority.URGENT)
    template = world.do(SaveTemplate(project_id=world.project.id, name="Ours"))
    body = world.ask(GetTemplate(template_id=template.id)).body
    text = template_text(template, body)
    assert 'priority = "URGENT", labels = ["Legal", "print"]' in text
    assert workflow_of(template_in(text)) == body
