"""IN lists of any length: a user can be a member of more projects than a statement can have parameters."""

from __future__ import annotations

import pytest

from core.engine.unit_of_work import new_id
from core.storage.database import ASKED_AT_ONCE, placeholders
from tests.support.workspace import World

TITLES = ["Write the brief", 'It\'s "quoted" \\ and\nlong', "Größe 🎉", "[1, 2]"]


@pytest.mark.parametrize("others", [0, ASKED_AT_ONCE, 70_000])
def test_a_list_finds_its_values_and_no_others(world: World, others: int) -> None:
    given = [(title, world.task("named below").id) for title in TITLES]
    rename = "UPDATE item SET title = :title WHERE id = :id"
    world.database.write(lambda tx: [tx.execute(rename, title=title, id=item_id) for title, item_id in given])
    chosen, params = placeholders([*TITLES[1:], *(f"other {number}" for number in range(others))])
    found = world.rows(f"SELECT title FROM item WHERE title IN {chosen} ORDER BY number", **params)
    assert [row["title"] for row in found] == TITLES[1:]
    found = world.rows(f"SELECT title FROM item WHERE title NOT IN {chosen}", **params)
    assert [row["title"] for row in found] == TITLES[:1]


def test_two_lists_are_in_one_statement_and_each_has_its_own_values(world: World) -> None:
    task = world.task("Write the brief")
    many = [new_id() for _ in range(ASKED_AT_ONCE)]
    ids, of_ids = placeholders([*many, task.id], "id")
    titles, of_titles = placeholders([*many, task.title], "title")
    both = f"SELECT id FROM item WHERE id IN {ids} AND title IN {titles} AND project_id = :project_id"
    assert world.rows(both, **of_ids, **of_titles, project_id=world.project.id) == [{"id": task.id}]


def test_an_empty_list_finds_nothing(world: World) -> None:
    world.task()
    chosen, params = placeholders([])
    assert world.rows(f"SELECT id FROM item WHERE id IN {chosen}", **params) == []
    assert len(world.rows(f"SELECT id FROM item WHERE id NOT IN {chosen}", **params)) == 1
