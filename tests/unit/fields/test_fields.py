"""Custom fields: added, edited, renamed, moved, removed and undone; their values on cards, and their sums."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.actions.cards.bulk import BulkUpdate
from core.actions.cards.details import GetCard
from core.actions.fields.custom_fields import (
    AddField,
    EditField,
    ListFields,
    MoveField,
    RemoveField,
    RenameChoice,
    SetFields,
)
from core.actions.history.history import Redo, Undo
from core.actions.projects.exports import ExportProject
from core.actions.projects.imports import ImportProject
from core.actions.projects.members import RemoveMember
from core.actions.workflow.canvas import GetCanvas
from core.actions.workflow.canvas_changes import GetCanvasChanges
from core.domain.fields import (
    RESERVED,
    CustomField,
    FieldKind,
    FieldValue,
    from_thousandths,
    in_thousandths,
    key_for,
    read_kept_number,
    read_number,
)
from core.domain.model import Id, Item, Status
from core.errors import CannotUndo, InvalidImport, InvalidInput, PodiumError, RuleViolation
from core.filters.fields import FIELDS
from core.record import replace
from core.rules.card_fields import THOUSANDTHS
from core.text.amounts import has_two_meanings, spell_number, write_amount
from tests.support.message_examples import custom_fields
from tests.support.workspace import World, content


def add(world: World, name: str, kind: FieldKind = FieldKind.NUMBER, **more: Any) -> CustomField:
    return world.do(AddField(project_id=world.project.id, name=name, kind=kind, **more))


def put(world: World, item: Item, **values: str) -> Item:
    pairs = tuple(FieldValue(key=key, value=value) for key, value in values.items())
    return world.do(SetFields(item_id=item.id, values=pairs))


def held(world: World, item: Item) -> dict[str, str]:
    """The values of a card on the Canvas."""
    cards = {card.id: card for card in world.ask(GetCanvas(project_id=world.project.id)).cards}
    return {each.key: each.value for each in cards[item.id].values}


def keys(world: World) -> list[str]:
    return [each.field.key for each in world.ask(ListFields(project_id=world.project.id))]


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("Estimate", "estimate"),
        ("Story points", "storypoints"),
        ("Größe", "grösse"),
        ("42", "field"),
        ("Due", "duefield"),
    ],
)
def test_the_key_of_a_field_follows_from_its_name(world: World, name: str, key: str) -> None:
    assert add(world, name).key == key


def test_fields_with_like_names_get_different_keys(world: World) -> None:
    assert [add(world, name).key for name in ("Cost", "Cost 2", "Cost 3")] == ["cost", "costb", "costc"]
    with pytest.raises(InvalidInput, match="There is a field “COST” already"):
        add(world, "COST")
    with pytest.raises(InvalidInput, match="There is a field “Ｃost” already"):
        add(world, "Ｃost")
    with pytest.raises(InvalidInput, match="Another field has the key cost"):
        add(world, "Price", key="Cost")


@given(st.text(max_size=60), st.sets(st.text(max_size=20)))
def test_a_key_is_always_made_of_letters_and_free(name: str, taken: set[str]) -> None:
    key = key_for(name, taken)
    assert key.isalpha()
    assert len(key) <= 20
    assert key not in taken


def test_no_custom_field_hides_a_word_of_the_filter_language() -> None:
    assert FIELDS.keys() - RESERVED == set(), "its word is to be RESERVED"
    assert [word for word in RESERVED if key_for(word, ()) in RESERVED] == []


def test_a_project_has_at_most_twelve_fields(world: World) -> None:
    for number in range(12):
        add(world, f"CustomField {number}")
    with pytest.raises(RuleViolation, match="at most 12 custom fields"):
        add(world, "One more")


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"name": "\x1b[31mred"}, "cannot be shown"),
        ({"name": ""}, "name"),
        ({"name": "x" * 41}, "40"),
        ({"name": "A", "key": "a-b"}, "cannot be the key"),
        ({"name": "A", "key": "status"}, "cannot be the key"),
        ({"name": "A", "choices": ("x",)}, "Only a field of the kind choice"),
        ({"name": "A", "kind": FieldKind.CHOICE}, "A field has 1 to 30 choices"),
        ({"name": "A", "kind": FieldKind.CHOICE, "choices": ("Draft", "DRAFT")}, "is there twice"),
        ({"name": "A", "kind": FieldKind.CHOICE, "choices": ("S", "Ｓ")}, "is there twice"),
        ({"name": "A", "kind": FieldKind.CHOICE, "choices": ("\x1b]0;x\x07",)}, "cannot be shown"),
        ({"name": "A", "kind": FieldKind.TEXT, "sums": True}, "Only numbers can be summed"),
    ],
)
def test_a_wrong_field_is_refused_in_a_sentence(world: World, more: dict[str, Any], said: str) -> None:
    world.refuses(AddField(**({"project_id": world.project.id, "kind": FieldKind.NUMBER} | more)), InvalidInput, said)
    assert keys(world) == []


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("estimate", "three", "Estimate: “three” is not a number"),
        ("estimate", "1e9", "is not a number"),
        ("estimate", "1 2", "is not a number"),
        ("estimate", "2.1234", "“2.1234” has too many decimals. A number has at most 3."),
        ("estimate", "1,000", "“1,000” can mean two numbers. Write 1000 or 1."),
        ("estimate", "nan", "is not a number"),
        ("estimate", "1000000000001", "is too large. A number is at most 1,000,000,000,000"),
        ("stage", "Sent", "Stage: “Sent” is not a choice. Choose Draft or Final"),
        ("itsdate", "someday", "cannot be read as a date"),
        ("itsperson", "gus", "There is no member “gus”"),
        ("itstext", "\x1b[2J", "cannot be shown"),
        ("itslink", "javascript:alert(1)", "must start with https:// or http://"),
        ("itslink", "file:///etc/passwd", "must start with https:// or http://"),
        ("nothing", "3", "no field “nothing”. The fields are estimate"),
    ],
)
def test_a_wrong_value_is_refused_and_the_card_keeps_its_own(world: World, key: str, value: str, said: str) -> None:
    card = custom_fields.furnish(world)
    before = content(world.engine.database)
    world.refuses(SetFields(item_id=card, values=(FieldValue(key=key, value=value),)), InvalidInput, said)
    assert content(world.engine.database) == before


def test_markup_in_names_and_values_is_kept_as_typed(world: World) -> None:
    field = add(world, "[red]Cost[/]", FieldKind.CHOICE, choices=("[b]x", "<b>"))
    card = put(world, world.task(), **{field.key: "[b]X"})
    assert held(world, card) == {"redcost": "[b]x"}


def test_values_are_kept_in_one_form(world: World) -> None:
    card = custom_fields.furnish(world)
    values = {each.field.key: each.value for each in world.ask(GetCard(item_id=card)).fields}
    assert values == {
        "estimate": "3",
        "stage": "Final",
        "itsdate": "2026-03-09",
        "itsperson": world.bob.user_id,
        "itstext": "by hand",
        "itslink": "https://example.com/plan",
    }
    assert {each.shown for each in world.ask(GetCard(item_id=card)).fields if each.field.kind is FieldKind.PERSON} == {
        "Bob Lind"
    }


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        *[("3", "3"), ("2,50", "2.5"), ("+0.10", "0.1"), ("-7.0000", "-7"), ("007", "7"), ("-0", "0")],
        *[("12.500,50", "12500.5"), ("12 500", "12500"), ("1'250.50", "1250.5"), ("1.234.567", "1234567")],
        *[("0.125", "0.125"), ("1,234,567.25", "1234567.25"), ("12\u202f500.50", "12500.5"), ("1234,567", "1234.567")],
        *[
            ("1 000 000 000 000", "1000000000000"),
            ("-999999999999.999", "-999999999999.999"),
            ("12.1250", "12.125"),
            ("١٢", "12"),
        ],
    ],
)
def test_a_number_with_one_meaning_is_kept_without_zeros_at_its_ends(typed: str, kept: str) -> None:
    assert read_number(typed) == kept


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("12.500", "“12.500” can mean two numbers. Write 12500 or 12.5."),
        ("12,500", "“12,500” can mean two numbers. Write 12500 or 12.5."),
        ("-1.234", "“-1.234” can mean two numbers. Write -1234 or -1.2340."),
        ("1000000000000.001", "too large"),
        ("1.2345", "too many decimals"),
        ("1.23.4", "is not a number"),
        ("12 50", "is not a number"),
        ("1,234.567,8", "is not a number"),
        ("", "is not a number"),
    ],
)
def test_a_number_with_two_meanings_or_none_is_refused(typed: str, said: str) -> None:
    with pytest.raises(InvalidInput, match=re.escape(said)):
        read_number(typed)


@given(st.integers(-(10**15), 10**15))
def test_a_kept_number_is_read_again_as_forms_screens_and_files_have_it(thousandths: int) -> None:
    kept = from_thousandths(thousandths)
    assert read_number(spell_number(kept)) == read_kept_number(kept) == kept
    assert has_two_meanings(kept) or read_number(write_amount(kept)) == kept


def test_ten_thousand_of_the_largest_numbers_are_added_up(world: World) -> None:
    """In thousandths they do not fit into 64 bits: SQLite gives fifteen digits then, PostgreSQL all."""
    statement = (
        "WITH RECURSIVE card(number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM card WHERE number < :most),"
        f" item_field AS (SELECT '999999999999.999' AS value FROM card) SELECT {THOUSANDTHS} FROM item_field"
    )
    few, many = (
        each[0][0]
        for each in world.engine.database.read(lambda tx: [tx.tuples(statement, most=most) for most in (9_000, 10_000)])
    )
    assert few == 9_000 * 999_999_999_999_999
    assert from_thousandths(many)[:14] == "99999999999999"


def test_setting_values_raises_the_version_and_comes_with_the_changes_of_the_canvas(world: World) -> None:
    add(world, "Estimate", sums=True)
    card = world.task()
    seq = world.ask(GetCanvas(project_id=world.project.id)).head.seq
    changed = put(world, card, estimate="2.5")
    assert changed.version == card.version + 1
    changes = world.ask(GetCanvasChanges(project_id=world.project.id, since=seq))
    assert changes is not None
    assert [[(each.key, each.value) for each in card.values] for card in changes.changed] == [[("estimate", "2.5")]]
    assert [(each.key, each.done, each.total) for each in changes.head.columns[0].sums] == [("estimate", "0", "2.5")]
    assert world.last_change()["summary"] == "set the Estimate of “Write the brief”"
    assert put(world, changed, estimate="2.50").version == changed.version


def test_a_removed_field_comes_back_with_all_its_values_by_one_undo(world: World) -> None:
    card = custom_fields.furnish(world)
    before = content(world.engine.database, versions=False)
    field = next(each.field for each in world.ask(ListFields(project_id=world.project.id)) if each.field.key == "stage")
    seq = world.ask(GetCanvas(project_id=world.project.id)).head.seq
    world.do(RemoveField(field_id=field.id))
    assert world.last_change()["summary"] == "removed the field “Stage” and its values on 2 cards"
    assert "stage" not in keys(world)
    assert "stage" not in held(world, world.ask(GetCard(item_id=card)).item)
    changes = world.ask(GetCanvasChanges(project_id=world.project.id, since=seq))
    assert changes is not None
    assert changes.read_again
    world.do(Undo(project_id=world.project.id))
    after = content(world.engine.database, versions=False)
    assert [(row["field_id"], row["item_id"], row["value"]) for row in after["item_field"]] == [
        (row["field_id"], row["item_id"], row["value"]) for row in before["item_field"]
    ]
    world.do(Redo(project_id=world.project.id))
    assert "stage" not in keys(world)


def test_a_field_that_cards_use_since_is_not_taken_away_by_undo(world: World) -> None:
    add(world, "Estimate")
    card = world.task()
    added = world.rows("SELECT seq FROM change WHERE message = 'AddField'")[0]["seq"]
    world.do(SetFields(item_id=card.id, values=(FieldValue(key="estimate", value="1"),)), as_=world.bob)
    world.refuses(Undo(project_id=world.project.id, seq=added), CannotUndo, "something else depends on it")
    assert held(world, card) == {"estimate": "1"}


def test_undo_brings_back_no_second_field_of_a_name(world: World) -> None:
    world.do(RemoveField(field_id=add(world, "Estimate").id))
    seq = world.last_change()["seq"]
    add(world, "Estimate")
    world.refuses(Undo(project_id=world.project.id, seq=seq), CannotUndo)


def test_a_renamed_choice_follows_on_the_cards_and_a_used_one_cannot_be_left_out(world: World) -> None:
    field = custom_fields.stage(world)
    world.refuses(EditField(field_id=field.id, choices=("Final",)), RuleViolation, "“Draft” is the Stage of 1 card")
    world.do(RenameChoice(field_id=field.id, choice="Draft", name="Rough"))
    assert [row["value"] for row in world.rows("SELECT value FROM item_field WHERE field_id = :id", id=field.id)] == [
        "Rough"
    ]
    assert world.do(EditField(field_id=field.id, choices=("Rough", "Sent"))).choices == ("Rough", "Sent")
    world.refuses(RenameChoice(field_id=field.id, choice="Final", name="Done"), InvalidInput, "has no choice “Final”")


def test_renaming_keeps_the_key_and_moving_changes_the_order(world: World) -> None:
    first, second = add(world, "Estimate"), add(world, "Cost")
    assert world.do(EditField(field_id=first.id, name="Effort", sums=True)).key == "estimate"
    world.do(MoveField(field_id=second.id, before_id=first.id))
    assert keys(world) == ["cost", "estimate"]


def test_a_card_deleted_for_good_takes_its_values_along(world: World) -> None:
    add(world, "Estimate")
    card = put(world, world.task(), estimate="3")
    world.delete(card.id, relock=True)
    assert world.rows("SELECT * FROM item_field") == []


def test_a_person_who_leaves_the_project_is_no_value_any_more_until_undo(world: World) -> None:
    card = custom_fields.furnish(world)
    world.do(RemoveMember(project_id=world.project.id, user_id=world.bob.user_id))
    named = "SELECT item_id FROM item_field WHERE user_id IS NOT NULL"
    assert world.rows(named) == []
    world.do(Undo(project_id=world.project.id))
    assert [row["item_id"] for row in world.rows(named)] == [card]


@pytest.mark.parametrize("seed", range(4))
def test_sums_equal_those_of_the_cards_under_bulk_changes_and_undo(world: World, seed: int) -> None:
    import random

    dice = random.Random(seed)
    add(world, "Estimate", sums=True)
    cards = [world.task(f"Card {number}", (world.discover, world.build)[number % 2]) for number in range(4)]
    for _ in range(40):
        card, number = dice.choice(cards), from_thousandths(dice.randrange(-4_000, 9_999))
        value = (FieldValue(key="estimate", value=dice.choice([number, number, ""])),)
        step = dice.randrange(5)
        try:
            if step == 0:
                world.do(Undo(project_id=world.project.id))
            elif step == 1:
                world.move(card.id, dice.choice(list(Status)[:3]), relock=True)
            elif step == 2:
                world.archive(card.id)
            elif step == 3:
                world.do(SetFields(item_id=card.id, values=value))
            else:
                commands = tuple(SetFields(item_id=each.id, values=value) for each in cards)
                world.do(BulkUpdate(project_id=world.project.id, commands=commands))
        except PodiumError:
            continue
        head = world.ask(GetCanvas(project_id=world.project.id)).head
        sums = {(column.id, each.key): (each.done, each.total) for column in head.columns for each in column.sums}
        assert sums == expected_sums(world)


def expected_sums(world: World) -> dict[tuple[Id, str], tuple[str, str]]:
    """The sums by phase and key, of the rows themselves."""
    found: dict[tuple[Id, str], list[int]] = {}
    rows = world.rows(
        "SELECT phase_id, status, archived_from, value FROM item JOIN item_field ON item_field.item_id = item.id"
    )
    for row in rows:
        done = "COMPLETED" in (row["status"], row["archived_from"])
        if done or row["status"] != "ARCHIVED":
            sums = found.setdefault((row["phase_id"], "estimate"), [0, 0])
            sums[0] += in_thousandths(row["value"]) * done
            sums[1] += in_thousandths(row["value"])
    return {place: (from_thousandths(done), from_thousandths(total)) for place, (done, total) in found.items()}


def test_an_export_of_an_import_is_the_same_document(world: World) -> None:
    custom_fields.furnish(world)
    document = world.ask(ExportProject(project_id=world.project.id))
    assert [field.key for field in document.fields] == [
        "estimate",
        "stage",
        "itsdate",
        "itsperson",
        "itstext",
        "itslink",
    ]
    copied = world.do(ImportProject(document=document, name="Copy"))
    again = world.ask(ExportProject(project_id=copied.id))
    assert (again.fields, again.phases) == (document.fields, document.phases)


def test_a_document_with_a_wrong_value_is_refused_with_its_place(world: World) -> None:
    custom_fields.furnish(world)
    document = world.ask(ExportProject(project_id=world.project.id))
    fields = (replace(document.fields[0], kind=FieldKind.DATE, sums=False), *document.fields[1:])
    with pytest.raises(InvalidImport, match=r"It is not a date") as refused:
        world.do(ImportProject(document=replace(document, fields=fields)))
    assert refused.value.field == "phases[0].items[0].fields[0].value"
