"""Filters that a person keeps."""

from __future__ import annotations

import pytest

from core.actions.personal.saved_filters import (
    MAX_FILTERS,
    MAX_NAME_LENGTH,
    MAX_TEXT_LENGTH,
    DeleteSavedFilter,
    ListSavedFilters,
    SaveFilter,
)
from core.engine.unit_of_work import Actor
from core.errors import InvalidFilter, InvalidInput, NotFound, RuleViolation
from tests.support.workspace import World


def kept(world: World, as_: Actor | None = None) -> list[tuple[str, str]]:
    return [(each.name, each.text) for each in world.ask(ListSavedFilters(), as_)]


def test_filters_are_kept_by_name_and_one_of_the_same_name_is_replaced(world: World) -> None:
    world.do(SaveFilter(name="waiting", text="status:doing"))
    world.do(SaveFilter(name=" Late  ones ", text="  due:late "))
    world.do(SaveFilter(name="waiting", text="status:todo"))
    assert kept(world) == [("Late ones", "due:late"), ("waiting", "status:todo")]
    row = world.row("saved_filter", name="waiting")
    assert (row["user_id"], row["text"], row["version"]) == (world.maya.user_id, "status:todo", 2)


def test_a_filter_is_private_and_in_no_history(world: World) -> None:
    before = world.rows("SELECT * FROM change")
    world.do(SaveFilter(name="Late", text="due:late"), world.bob)
    assert kept(world) == []
    world.refuses(DeleteSavedFilter(name="Late"), NotFound, "You have no saved filter “Late”")
    world.do(DeleteSavedFilter(name="Late"), world.bob)
    assert world.rows("SELECT * FROM saved_filter") == []
    assert world.rows("SELECT * FROM change") == before


@pytest.mark.parametrize(
    ("name", "text", "field"),
    [
        ("", "due:late", "name"),
        ("x" * (MAX_NAME_LENGTH + 1), "due:late", "name"),
        ("Late\x1b[2J", "due:late", "name"),
        ("Late", " ", "filter"),
        ("Late", "x" * (MAX_TEXT_LENGTH + 1), "filter"),
        ("Late", "\u202eetal", "filter"),
    ],
)
def test_names_and_texts_that_cannot_be_kept_are_refused(world: World, name: str, text: str, field: str) -> None:
    refused = world.refuses(SaveFilter(name=name, text=text), InvalidInput)
    assert refused.field == field
    assert kept(world) == []


def test_what_is_a_filter_in_no_project_is_not_kept_but_people_of_other_projects_may_be_named(world: World) -> None:
    refused = world.refuses(SaveFilter(name="Broken", text="late asignee:me"), InvalidFilter)
    assert (refused.at, refused.length) == (5, 8)
    for text in ("status:late", "due:<<", "due:2dec..1dec 2026", "type:card", "has:status", "-due:late,someday"):
        world.refuses(SaveFilter(name="Broken", text=text), InvalidFilter)
    world.do(SaveFilter(name="Theirs", text="assignee:another phase:Elsewhere"))
    world.do(SaveFilter(name="Days", text="due:29feb,<fri status:todo,doing type:task -has:link"))
    assert [name for name, _ in kept(world)] == ["Days", "Theirs"]


def test_no_user_keeps_more_filters_than_fit_into_a_menu(world: World) -> None:
    for number in range(MAX_FILTERS):
        world.do(SaveFilter(name=f"Filter {number}", text="due:late"))
    world.do(SaveFilter(name="Filter 7", text="due:today"))
    world.refuses(SaveFilter(name="One more", text="due:late"), RuleViolation, "Delete one first")
    assert len(kept(world)) == MAX_FILTERS
