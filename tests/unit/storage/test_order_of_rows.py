"""Every answer has a defined order, independent of the order in which the database finds rows."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from core.actions.cards.activities import AssignActivity
from core.actions.cards.comments import AddComment
from core.actions.projects.members import InviteMember
from core.actions.workflow.canvas_changes import GetCanvasChanges
from core.actions.workspace.users import AddUser, SetPlatformRoles
from core.codec.encoding import to_json
from core.domain.model import PlatformRole, ProjectRole
from core.engine.messages import Message, Query
from core.storage.database import Tx
from core.storage.sqlite import connections as thread_connections
from core.storage.sqlite.transaction import SqliteTx
from tests.support.message_examples import messages
from tests.support.postgres_cluster import ON_POSTGRES
from tests.support.sweeps import every_message
from tests.support.workspace import World

QUERIES: dict[type[Message[Any]], Callable[[World], Query[Any]]] = {
    **messages.QUERIES,
    GetCanvasChanges: lambda world: GetCanvasChanges(project_id=world.project.id, since=0),
}
Found = Callable[..., list[Any]]
"""``query`` or ``tuples`` of a transaction."""


def furnish(world: World) -> None:
    """Several of each thing on the Canvas, made in another order than that of their names; some are called alike."""
    twins = [world.do(AddUser(first_name="Bob", last_name="Lind", email=f"{n}@example.com", login=n)) for n in "zaby"]
    for twin in twins:
        world.do(SetPlatformRoles(user_id=twin.id, platform_roles=(PlatformRole.WORKSPACE_ADMIN,)))
    for twin in twins[:2]:  # the others can be invited
        world.do(InviteMember(project_id=world.project.id, user_id=twin.id, role=ProjectRole.OWNER))
    members = (world.maya.user_id, world.bob.user_id, twins[0].id, twins[1].id)
    for title in ("Write the brief", "Call the venue", "Book the train"):
        activity = world.activity(title)
        world.do(AssignActivity(activity_id=activity.id, member_ids=members))
        task = world.task(f"{title} again", assignee_id=twins[0].id)
        for text in ("first", "second"):  # in one moment, as in a bulk change
            world.do(AddComment(item_id=task.id, text=f"@maya {text}"), as_=world.bob)
        world.add_application(world.product(title))


def turn_results(patch: pytest.MonkeyPatch) -> None:
    """The rows of each statement without an ORDER BY come the other way round, grouped ones too."""

    def turned(find: Found, tx: Tx, sql: str, params: dict[str, object]) -> list[Any]:
        rows = find(tx, sql, **params)
        return rows if "ORDER BY" in sql else rows[::-1]

    find_rows_by(patch, turned)


def turn_scans(patch: pytest.MonkeyPatch) -> None:
    """SQLite itself looks the other way round where no order is asked for, within a LIMIT and a subquery too."""
    patch.setattr(thread_connections, "PRAGMAS", (*thread_connections.PRAGMAS, "PRAGMA reverse_unordered_selects = ON"))


def mix_ties(patch: pytest.MonkeyPatch) -> None:
    """Rows that an ORDER BY takes for equal come in an order that is drawn each time."""

    def mixed(find: Found, tx: Tx, sql: str, params: dict[str, object]) -> list[Any]:
        before, by, after = sql.rpartition(" ORDER BY ")
        end = re.search(r" LIMIT |$", after)
        if by and end and after.count("(") == after.count(")") and " UNION " not in before and "DISTINCT" not in before:
            sql = f"{before}{by}{after[: end.start()]}, random(){after[end.start() :]}"
        return find(tx, sql, **params)

    find_rows_by(patch, mixed)


def type_of_transaction() -> type[Any]:
    """The transactions of the engine on which these tests run."""
    if ON_POSTGRES:
        from core.storage.postgres.transaction import PostgresTx

        return PostgresTx
    return SqliteTx


TURNS = (turn_results,) if ON_POSTGRES else (turn_results, turn_scans)


def find_rows_by(patch: pytest.MonkeyPatch, way: Callable[..., list[Any]]) -> None:
    transaction = type_of_transaction()
    patch.setattr(transaction, "tuples_all", SqliteTx.tuples_all)  # one after the other, by ``tuples``
    for name in ("query", "tuples"):
        find: Found = getattr(transaction, name)
        patch.setattr(transaction, name, lambda tx, sql, find=find, **params: way(find, tx, sql, params))


@every_message(QUERIES)
def test_no_answer_depends_on_the_order_in_which_the_database_finds_rows(
    kind: type[Any], world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    furnish(world)
    message: Any = QUERIES[kind](world)
    expected = to_json(world.ask(message))
    for turn in (*TURNS, *[mix_ties] * 5):
        with monkeypatch.context() as patch:
            turn(patch)
            world.database.close()  # what was kept of earlier answers is asked for again
            assert to_json(world.ask(message)) == expected, turn.__name__


@pytest.mark.parametrize("turn", TURNS)
def test_rows_without_an_order_come_the_other_way_round_in_these_tests(
    turn: Callable[[pytest.MonkeyPatch], None], world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    furnish(world)
    before = [row["title"] for row in world.rows("SELECT title FROM item")]
    turn(monkeypatch)
    world.database.close()
    assert [row["title"] for row in world.rows("SELECT title FROM item")] == before[::-1]


def test_rows_that_an_order_takes_for_equal_are_mixed_in_these_tests(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    furnish(world)
    mix_ties(monkeypatch)
    orders = {tuple(row["title"] for row in world.rows("SELECT title FROM item ORDER BY kind")) for _ in range(20)}
    assert len(orders) > 1
