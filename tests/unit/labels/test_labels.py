"""The labels of a project and of the workspace: their names, colours and signs, merged, removed, undone."""

from __future__ import annotations

from typing import Any

import pytest

from core.actions.cards.labels import (
    AddLabel,
    AddWorkspaceLabel,
    EditLabel,
    ListLabels,
    ListWorkspaceLabels,
    MergeLabels,
    RemoveLabel,
    SetLabels,
)
from core.actions.history.history import ListWorkspaceHistory, Redo, Undo
from core.actions.projects.exports import ExportProject
from core.actions.projects.imports import ImportProject
from core.actions.workflow.canvas import GetCanvas
from core.actions.workflow.canvas_changes import GetCanvasChanges
from core.actions.workspace.users import SetPlatformRoles
from core.domain.labels import MAX_LABELS, Label, LabelColour
from core.domain.model import Item, PlatformRole
from core.engine.messages import Command
from core.errors import CannotUndo, Forbidden, InvalidInput, RuleViolation
from tests.support.workspace import World, content


def add(world: World, name: str, **fields: Any) -> Label:
    return world.do(AddLabel(project_id=world.project.id, name=name, **fields))


def listed(world: World) -> list[tuple[str, int]]:
    return [(each.label.name, each.cards) for each in world.ask(ListLabels(project_id=world.project.id))]


def on_card(world: World, item: Item) -> list[str]:
    canvas = world.ask(GetCanvas(project_id=world.project.id))
    names = {label.id: label.name for label in canvas.head.labels}
    (card,) = [card for card in canvas.cards if card.id == item.id]
    return sorted(names[each] for each in card.labels)


def test_a_label_gets_a_colour_and_a_sign_that_no_other_has(world: World) -> None:
    first, second, third = (add(world, name) for name in ("Print", "Press", "Proofs"))
    assert len({each.colour for each in (first, second, third)}) == 3
    assert (first.sign, second.sign, third.sign) == ("P", "Pr", "Po")
    assert listed(world) == [("Press", 0), ("Print", 0), ("Proofs", 0)]


def test_no_two_labels_differ_only_in_case_or_in_what_is_between_words(world: World) -> None:
    add(world, "Needs review")
    for twin in ("needs review", "NEEDS-REVIEW", "#needs_review"):
        with pytest.raises(InvalidInput, match=r"There is a label “Needs review” already. Merge the two"):
            add(world, twin)
    world.refuses(EditLabel(label_id=add(world, "Print").id, name="NEEDS review"), InvalidInput, "already")
    assert [name for name, _ in listed(world)] == ["Needs review", "Print"]


def test_signs_before_a_name_are_no_part_of_it_however_many_there_are(world: World) -> None:
    assert add(world, "# #print").name == "print"
    with pytest.raises(InvalidInput, match="There is a label “print” already"):
        add(world, "##Print")


def test_a_label_without_a_letter_gets_a_letter_as_its_sign_and_comes_back_from_a_file(world: World) -> None:
    task = world.task("Send it")
    world.do(SetLabels(card_id=task.id, add=("🔥", "✓")))
    assert sorted(each.label.sign for each in world.ask(ListLabels(project_id=world.project.id))) == ["A", "B"]
    document = world.ask(ExportProject(project_id=world.project.id))
    copy = world.do(ImportProject(document=document, name="Copy"))
    assert [each.label.name for each in world.ask(ListLabels(project_id=copy.id))] == ["✓", "🔥"]


def test_no_card_gets_more_labels_than_there_can_be(world: World) -> None:
    task = world.task("Send it")
    world.refuses(SetLabels(card_id=task.id, add=("print",) * 101), InvalidInput, "A card has at most 100 labels")
    assert listed(world) == []


def test_a_label_can_change_the_case_of_its_own_name(world: World) -> None:
    label = add(world, "print")
    assert world.do(EditLabel(label_id=label.id, name="Print")).name == "Print"


@pytest.mark.parametrize(
    ("name", "refusal"),
    [
        ("", "Enter a name"),
        ("#", "Enter a name"),
        ("# #", "Enter a name"),
        ("- _", "Enter a name"),
        ("none", "a word of filters"),
        ("a,b", "no quotes, commas"),
        ('say "x"', "no quotes, commas"),
        ("a\x1b[31mb", "U\\+001B"),
        ("x" * 31, "30"),
    ],
)
def test_a_name_that_cannot_be_typed_or_shown_is_refused(world: World, name: str, refusal: str) -> None:
    before = content(world.database)
    with pytest.raises(InvalidInput, match=refusal):
        add(world, name)
    assert content(world.database) == before


def test_markup_in_a_name_is_only_text(world: World) -> None:
    assert add(world, "[b]bold[/b]").name == "[b]bold[/b]"


def test_the_51st_label_is_refused_also_with_a_card_and_after_an_undo(world: World) -> None:
    labels = [add(world, f"label {number}") for number in range(MAX_LABELS)]
    with pytest.raises(RuleViolation, match=r"at most 50 labels. Merge or remove some first"):
        add(world, "One more")
    world.refuses(SetLabels(card_id=world.task().id, add=("One more",)), RuleViolation, "at most 50 labels")
    world.do(AddWorkspaceLabel(name="Legal"))
    world.do(RemoveLabel(label_id=labels[0].id))
    world.do(AddLabel(project_id=world.project.id, name="Instead"), as_=world.bob)
    world.refuses(Undo(project_id=world.project.id), CannotUndo, "at most 50 labels")
    assert len(world.rows("SELECT id FROM label WHERE project_id = :id", id=world.project.id)) == MAX_LABELS


def test_a_removed_label_comes_back_with_its_cards_by_one_undo(world: World) -> None:
    label = add(world, "Print")
    cards = [world.task(labels=("print",)) for _ in range(3)]
    before = content(world.database, versions=False)
    world.do(RemoveLabel(label_id=label.id))
    assert listed(world) == []
    assert on_card(world, cards[0]) == []
    world.do(Undo(project_id=world.project.id))
    assert listed(world) == [("Print", 3)]
    assert content(world.database, versions=False) == before
    world.do(Redo(project_id=world.project.id))
    assert listed(world) == []


def test_merged_labels_are_one_and_one_undo_parts_them(world: World) -> None:
    add(world, "Print")
    proofs = add(world, "Proofs")
    one, both = world.task(labels=("Proofs",)), world.task(labels=("Print", "Proofs"))
    before = content(world.database, versions=False)
    world.do(MergeLabels(label_id=proofs.id, into_id=world.row("label", name="Print")["id"]))
    assert listed(world) == [("Print", 2)]
    assert on_card(world, one) == on_card(world, both) == ["Print"]
    world.do(Undo(project_id=world.project.id))
    assert content(world.database, versions=False) == before
    assert on_card(world, both) == ["Print", "Proofs"]


def test_a_label_of_the_workspace_is_for_all_projects_and_its_admins_change_it(world: World) -> None:
    legal = world.do(AddWorkspaceLabel(name="Legal"))
    other = world.new_project("Autumn")
    world.do(SetLabels(card_id=world.task(phase=world.phase("Plan", other.id)).id, add=("legal",)))
    world.task(labels=("LEGAL",))
    assert [(each.label.name, each.cards) for each in world.ask(ListWorkspaceLabels())] == [("Legal", 2)]
    assert listed(world) == [("Legal", 1)]
    world.refuses(EditLabel(label_id=legal.id, name="Law"), Forbidden, as_=world.bob)
    world.refuses(AddWorkspaceLabel(name="Mine"), Forbidden, as_=world.bob)
    world.do(EditLabel(label_id=legal.id, name="Law", colour=LabelColour.GREY))
    assert listed(world) == [("Law", 1)]


def test_a_label_of_a_project_merges_into_one_of_the_workspace_and_never_the_other_way(world: World) -> None:
    legal, mine = world.do(AddWorkspaceLabel(name="Legal")), add(world, "Law")
    card = world.task(labels=("Law",))
    with pytest.raises(RuleViolation, match="only be merged into another one of the workspace"):
        world.do(MergeLabels(label_id=legal.id, into_id=mine.id))
    world.refuses(MergeLabels(label_id=mine.id, into_id=mine.id), RuleViolation, "into itself")
    world.do(MergeLabels(label_id=mine.id, into_id=legal.id))
    assert on_card(world, card) == ["Legal"]


def test_a_project_with_a_label_like_one_of_the_workspace_uses_its_own(world: World) -> None:
    world.do(AddWorkspaceLabel(name="Legal"))
    mine = add(world, "legal")
    card = world.task(labels=("LEGAL",))
    assert world.row("item_label", item_id=card.id)["label_id"] == mine.id


def test_a_renamed_label_reaches_an_open_canvas(world: World) -> None:
    label = add(world, "Print")
    seen = world.ask(GetCanvas(project_id=world.project.id)).head.seq
    world.do(EditLabel(label_id=label.id, name="Printing"), as_=world.bob)
    changes = world.ask(GetCanvasChanges(project_id=world.project.id, since=seen))
    assert changes is not None
    assert changes.head.labels is not None
    assert [each.name for each in changes.head.labels] == ["Printing"]


def test_viewers_see_labels_and_change_none(world: World) -> None:
    label = add(world, "Print")
    assert [each.label for each in world.ask(ListLabels(project_id=world.project.id), world.vera)] == [label]
    refused: tuple[Command[Any], ...] = (
        AddLabel(project_id=world.project.id, name="Mine"),
        EditLabel(label_id=label.id, name="Mine"),
        RemoveLabel(label_id=label.id),
    )
    for command in refused:
        world.refuses(command, Forbidden, as_=world.vera)


def test_the_removal_of_a_label_of_the_workspace_shows_no_card_of_a_project_that_the_admin_cannot_see(
    world: World,
) -> None:
    world.do(SetPlatformRoles(user_id=world.vera.user_id, platform_roles=(PlatformRole.WORKSPACE_ADMIN,)))
    label = world.do(AddWorkspaceLabel(name="legal"))
    hidden = world.phase("Plan", world.new_project("Hidden").id)
    task = world.task("Secret", phase=hidden)
    world.do(SetLabels(card_id=task.id, add=("legal",)))
    foreseen = world.engine.dry_run(RemoveLabel(label_id=label.id), world.vera)
    assert [each.entity for each in foreseen.changes] == ["label"]
    world.do(RemoveLabel(label_id=label.id), as_=world.vera)
    assert world.rows("SELECT * FROM item_label") == []
    entry = world.ask(ListWorkspaceHistory(), as_=world.vera)[0]
    assert (entry.summary, entry.about) == ("removed the label “legal”", None)
