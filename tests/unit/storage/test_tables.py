"""The tables: made once, stored with each record as a row, and with an index for every statement."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from core.actions.catalog import MESSAGES
from core.actions.workflow.gates import DecideGate
from core.domain.gates import Decision
from core.engine.messages import Message
from core.storage.schema.migrations import MIGRATIONS, SCHEMA_VERSION, migrate
from core.storage.sqlite.database import SqliteDatabase
from tests.support.message_examples import messages
from tests.support.postgres_cluster import about_the_file
from tests.support.sweeps import every_message
from tests.support.workspace import World, new_database

pytestmark = about_the_file

MAY_BE_READ_WHOLE = {
    "workspace": "it has one row",
    "app_user": "people are listed whole, and there are no more of them than work here",
    "hierarchy_node": "clients, markets and brands are listed whole",
    "project": "an admin lists the ownerless ones of all",
    "feed": "one row for each project, asked only when the adding of a person is undone",
    "member": "the people screen counts everybody's projects",
    "meta_role": "the meta roles of a workspace are listed whole",
    "role_mapping": "what the three project roles bring",
    "member_meta_role": "the meta roles screen counts how often each was given",
    "product": "the registry is listed whole",
    "application_role": "the roles of the registry are listed whole",
    "token": "admins see everybody's, a handful each",
    "product_token": "admins see all, a handful for each product",
    "gateway_token": "admins see all, one for each gateway",
    "linked_account": "admins see everybody's, about one each",
    "template": "the templates are listed whole, each with its newest version",
    "unfinished": "the projects that are just being imported or deleted, a few at most",
    "search_text": "it is an index, and SQLite calls each look into it a scan",
    "search_text_config": "the settings of that index, a row or two, which SQLite reads once for a connection",
}
"""Tables that some statement may scan, and why. What grows with the work is not among them."""


DERIVED = {
    *("CONSTANT", "mine", "held", "found", "unread", "part0", "part1", "part2", "numbered", "of_p0", "scopes"),
    *("page", "part"),  # the projects of one page of a list, found by an index
    "json_each",  # the values that a statement was given as one
}
"""Rows that a statement has found or was given, under the names that it calls them by."""


class Recorder:
    """Notes every statement that SQLite runs on the connection of this thread."""

    def __init__(self, database: SqliteDatabase) -> None:
        self.statements: set[str] = set()
        database.connection.set_trace_callback(self._note)

    def _note(self, sql: str) -> None:
        if re.match(r"\s*(SELECT|UPDATE|DELETE|WITH|INSERT)\b", sql):
            self.statements.add(sql)


def plan(world: World, sql: str) -> list[str]:
    """The steps of the plan of a statement, its values already in it."""
    rows = world.database.read(lambda tx: tx.query(f"EXPLAIN QUERY PLAN {sql}"))
    return [row["detail"] for row in rows]


@every_message(MESSAGES)
def test_no_statement_of_a_message_reads_a_growing_table_whole(world: World, kind: type[Message[Any]]) -> None:
    message: Any = messages.ALL[kind](world)
    recorder = Recorder(world.database)
    world.send(message)
    world.database.connection.set_trace_callback(None)
    assert recorder.statements
    for sql in recorder.statements:
        for step in plan(world, sql):
            scanned = re.match(r"SCAN (?:main\.)?(\w+)", step)
            if scanned and scanned[1] not in DERIVED and not step.startswith("SCAN ("):
                assert scanned[1] in MAY_BE_READ_WHOLE, f"{step}\n{sql}"


def test_the_schema_is_made_once_and_opened_ever_after(tmp_path: Path) -> None:
    path = tmp_path / "podium.db"
    new_database(path).close()
    before = path.read_bytes()
    again = SqliteDatabase(path, create=True)
    assert again.connection.execute("PRAGMA user_version").fetchone()[0] == SCHEMA_VERSION
    migrate(again.connection, 0x506F6469)
    assert again.connection.execute("SELECT count(*) FROM _sqlite_migrations").fetchone()[0] == len(MIGRATIONS)
    again.close()
    assert len(path.read_bytes()) == len(before)


def test_programs_that_start_together_make_one_schema(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from core.storage.sqlite.database import SqliteDatabase;"
        "sys.stdin.readline(); SqliteDatabase(Path(sys.argv[1]), create=True).close()"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "podium.db")]
    programs = [subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(6)]
    for program in programs:
        assert program.stdin
        program.stdin.write(b"go\n")
        program.stdin.flush()
    assert [program.communicate()[1] for program in programs] == [b""] * 6
    assert [program.returncode for program in programs] == [0] * 6


def test_a_phase_is_a_row_with_the_decision_and_the_override_from_which_its_lock_follows(world: World) -> None:
    world.do(DecideGate(phase_id=world.build.id, decision=Decision.OVERRIDE, reason="The client asked for it."))
    row = world.row("phase", id=world.build.id)
    assert (row["name"], row["gate_state"], row["overridden"]) == ("Build", "NONE", 1)
    assert world.row("phase", id=world.launch.id)["overridden"] == 0
    assert not {"state", "locked"} & set(row), "the lock itself follows from the phases before, and is not stored"
