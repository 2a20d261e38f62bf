"""Every message on PostgreSQL: with indexes for its statements, and with a server that lacks abilities."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from core.actions.cards.cards import DeleteCard
from core.actions.catalog import MESSAGES
from core.actions.history.history import Undo
from core.actions.personal.search import Search
from core.domain.model import Status
from core.engine.messages import Command
from core.errors import Forbidden
from core.record import fields
from core.storage.postgres.capabilities import Capabilities
from core.storage.postgres.database import PostgresDatabase
from core.storage.postgres.transaction import PostgresTx
from tests.support import postgres_cluster
from tests.support.message_examples import messages
from tests.support.waiting import wait_until
from tests.support.workspace import World
from tests.unit.storage.postgres.conftest import studio_in
from tests.unit.storage.test_tables import MAY_BE_READ_WHOLE

ALL = frozenset(fields(Capabilities))


def scans(plan: Any) -> Iterator[str]:
    """The tables that a plan reads whole."""
    if plan["Node Type"] == "Seq Scan":
        yield plan["Relation Name"]
    for part in plan.get("Plans", ()):
        yield from scans(part)


def test_no_statement_of_a_message_reads_a_growing_table_whole(
    studio: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, whole = PostgresTx._run, dict[str, str]()

    def explained(self: PostgresTx, cursor: Any, sql: str, params: dict[str, object], **more: Any) -> None:
        if sql.startswith(("SELECT", "UPDATE", "DELETE", "WITH", "INSERT")):
            run(self, self._tuples, f"EXPLAIN (FORMAT JSON) {sql}", params)
            ((plans,),) = self._tuples.fetchall()
            whole.update(dict.fromkeys(scans(plans[0]["Plan"]), sql))
        run(self, cursor, sql, params, **more)

    monkeypatch.setattr(PostgresTx, "_run", explained)
    rows = postgres_cluster.rows_of(tmp_path / "podium.db")
    for kind in MESSAGES:
        message: Any = messages.ALL[kind](studio)
        studio.do(message) if isinstance(message, Command) else studio.ask(message)
        postgres_cluster.fill(tmp_path / "podium.db", rows)
    assert {table: sql for table, sql in whole.items() if table not in {*MAY_BE_READ_WHOLE, "commit_count"}} == {}


@pytest.mark.parametrize(
    "without", [*(frozenset({each}) for each in sorted(ALL)), ALL], ids=lambda each: "+".join(sorted(each))
)
def test_a_day_of_work_is_the_same_without(connect: Callable[..., PostgresDatabase], without: frozenset[str]) -> None:
    database = connect(without=without)
    assert database.capabilities == Capabilities(**dict.fromkeys(ALL, True) | dict.fromkeys(without, False))
    world, other = studio_in(database), connect(without=without)
    before = other.data_version()
    task = world.task("Media plan")
    world.start(task.id, as_=world.bob)
    with pytest.raises(Forbidden):
        world.do(DeleteCard(card_id=task.id), as_=world.vera)
    world.do(Undo(project_id=world.project.id), as_=world.bob)
    assert world.status(task) == Status.TO_DO
    assert [hit.title for hit in world.ask(Search(text="pla med")).found] == ["Media plan"]
    wait_until(lambda: other.data_version() == before + 3)
    with ThreadPoolExecutor(4) as threads:
        for done in [threads.submit(world.task, f"Task {number}") for number in range(20)]:
            done.result()
    assert world.rows("SELECT count(*) AS n FROM item") == [{"n": 21}]
    seqs = world.rows("SELECT seq FROM change WHERE project_id = :id ORDER BY seq", id=world.project.id)
    assert [row["seq"] for row in seqs] == list(range(1, len(seqs) + 1))
