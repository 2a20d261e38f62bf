"""What people see has an order of its own: no answer follows the order in which the database happens to find rows."""

from __future__ import annotations

from typing import Any

import pytest

from core.actions.activities import AssignActivity
from core.actions.canvas import ShowCanvasChanges
from core.storage.transaction import SqliteTx
from core.wire import to_json
from tests import samples
from tests.world import World

QUERIES = {**samples.QUERIES, ShowCanvasChanges: lambda world: ShowCanvasChanges(project_id=world.project.id, since=0)}


def furnish(world: World) -> None:
    """Several of each thing on the Canvas, made in another order than that of their names."""
    for title in ("Write the brief", "Call the venue", "Book the train"):
        activity = world.activity(title)
        world.do(AssignActivity(activity_id=activity.id, member_ids=(world.maya.user_id, world.bob.user_id)))
        world.task(f"{title} again")
        world.add_application(world.product(title))


@pytest.mark.parametrize("kind", QUERIES, ids=lambda kind: kind.__name__)
def test_no_answer_depends_on_the_order_in_which_the_database_finds_rows(
    kind: type[Any], world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    furnish(world)
    message: Any = QUERIES[kind](world)
    expected = to_json(world.ask(message))
    turned = turn_rows_round(world, monkeypatch)
    assert to_json(world.ask(message)) == expected, turned


def test_rows_without_an_order_come_the_other_way_round_in_these_tests(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    furnish(world)
    before = [row["title"] for row in world.rows("SELECT title FROM item")]
    turned = turn_rows_round(world, monkeypatch)
    assert sorted(before) == sorted(row["title"] for row in world.rows("SELECT title FROM item"))
    assert turned == {"SELECT title FROM item"}


def turn_rows_round(world: World, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Have the rows of each statement without an ORDER BY come the other way round; the statements that it met."""
    turned: set[str] = set()
    for name in ("query", "tuples"):
        found = getattr(SqliteTx, name)

        def turned_round(tx: SqliteTx, sql: str, found: Any = found, **params: object) -> list[Any]:
            rows: list[Any] = found(tx, sql, **params)
            if "ORDER BY" in sql or len(rows) < 2:
                return rows
            turned.add(sql)
            return rows[::-1]

        monkeypatch.setattr(SqliteTx, name, turned_round)
    world.database.close()  # what was kept of earlier answers is asked for again
    return turned
