"""A workspace from before seals is brought forward on both engines: its approvals stay, and the history fills the rest.

``tests/support/before_seals.json`` has its rows as the Podium of then wrote them; frozen, as its schema is.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest

from core.actions import load_catalog
from core.actions.cards.cards import MoveCard
from core.actions.history.history import Redo, Undo
from core.actions.workflow.gate_record import ListGateDecisions
from core.actions.workflow.phases import EditPhase, ListPhases
from core.domain.model import PhaseState, Status
from core.engine.engine import Engine
from core.engine.unit_of_work import Actor
from core.errors import CannotUndo, LapsesApproval
from core.net.database_url import DatabaseUrl
from core.storage.opening import open_database
from core.storage.postgres.database import PostgresDatabase
from core.storage.postgres.migrating import migrate_database
from core.storage.schema import migrations
from core.storage.schema.integrity import damage
from core.storage.sqlite.database import SqliteDatabase
from tests.support.database_forms import make_database, number_before
from tests.support.paths import ROOT
from tests.support.workspace import Clock, People, World
from tests.unit.storage.postgres.test_migrating import make_older

ROWS: dict[str, list[dict[str, Any]]] = json.loads(
    (ROOT / "tests" / "support" / "before_seals.json").read_text(encoding="utf-8")
)
BEFORE = number_before(migrations.gates_have_seals)


class Older(World):
    """The workspace after it was brought forward."""

    def __init__(self, database: Any) -> None:
        self.engine, self.database = Engine(database, load_catalog, clock=Clock()), database
        self.clock.forward(days=10)
        users = {row["login"].split(".")[0]: Actor(row["id"]) for row in ROWS["app_user"]}
        people = People(*(users[name] for name in ("maya", "bob", "vera", "gus")))
        self.maya, self.bob, self.vera, self.gus = people.maya, people.bob, people.vera, people.gus
        self.names = {actor.user_id: name for name, actor in users.items()}
        self.project_id = ROWS["project"][0]["id"]
        self.phases = {row["name"]: row["id"] for row in ROWS["phase"]}

    def state(self, phase: str) -> PhaseState:
        lines = self.ask(ListPhases(project_id=self.project_id))
        return next(line.state for line in lines if line.phase.name == phase)

    def item(self, title: str) -> dict[str, Any]:
        return self.row("item", title=title)

    def seq(self, summary: str) -> int:
        """The number of the last change of these words that was no undo."""
        found = self.rows("SELECT seq FROM change WHERE summary = :s AND project_id = :p", s=summary, p=self.project_id)
        return max(int(row["seq"]) for row in found)


@pytest.fixture(params=["sqlite", "postgresql"])
def older(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Older]:
    made = in_sqlite(tmp_path / "podium.db") if request.param == "sqlite" else in_postgres(request)
    with closing(made) as database:
        yield Older(database)


def in_sqlite(path: Path) -> SqliteDatabase:
    make_database(path, BEFORE, ROWS)
    found = SqliteDatabase(path)
    assert damage(found.connection) == []
    return found


def in_postgres(request: pytest.FixtureRequest) -> PostgresDatabase:
    empty_url, url = request.getfixturevalue("empty_url"), request.getfixturevalue("url")
    with psycopg.connect(empty_url, autocommit=True) as connection:
        make_older(connection, url, BEFORE)
        connection.execute("SET session_replication_role = replica")
        for table, rows in ROWS.items():
            connection.execute(f"DELETE FROM {table}".encode())
            for row in rows:
                values = ", ".join(f"%({name})s" for name in row)
                connection.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({values})".encode(), row)
    assert migrate_database(empty_url) == migrations.SCHEMA_VERSION - BEFORE
    opened = open_database(DatabaseUrl(empty_url))
    assert isinstance(opened, PostgresDatabase)
    return opened


def test_what_the_history_told_is_in_the_rows(older: Older) -> None:
    names = older.names
    completed = {row["title"]: row for row in older.rows("SELECT * FROM item")}
    assert {title: names.get(row["completed_by"]) for title, row in completed.items()} == {
        "Kept": "bob",
        "Tidy": "bob",
        "One more": "bob",
        "Odd one": "bob",
    }
    for row in completed.values():
        change = older.row("change", summary=f"completed “{row['title']}”")
        assert row["completed_at"] == change["at"]
    delivered = {row["name"]: row for row in older.rows("SELECT * FROM deliverable")}
    assert {
        name: (row["evidence_kind"], row["evidence"], names.get(row["delivered_by"])) for name, row in delivered.items()
    } == {
        "Contract": ("LINK", "https://files.example/1", "vera"),
        "Notes": ("STATEMENT", "See the shared drive: HTTPS", "vera"),
        "Video": ("LINK", "HTTP://video.example/a", "vera"),
        "Odd": ("STATEMENT", "https:// files.example", "vera"),
        "Draft": ("STATEMENT", "two", "maya"),
    }
    accepting = {row["name"]: row["accepts_statements"] for row in older.rows("SELECT * FROM phase")}
    assert accepting == {"Discover": 1, "Build": 0, "Launch": 0}


def test_the_record_has_the_names_of_phases_and_who_withdrew_and_what_ended(older: Older) -> None:
    lines = older.ask(ListGateDecisions(project_id=older.project_id), older.maya)
    said = [(line.phase, line.record.decision.value, line.by, line.record.withdrawn) for line in lines]
    assert said == [
        ("Discover", "PASS", "Maya Okafor", False),
        ("Build", "PASS", "Maya Okafor", False),
        ("Build", "LAPSE", "Vera Sato", False),
        ("Launch", "OVERRIDE", "Vera Sato", False),
        ("Launch", "WITHDRAWAL", "Vera Sato", False),
        ("Launch", "RESTORATION", "Vera Sato", False),
        ("Extras", "OVERRIDE", "Vera Sato", False),
        ("Extras", "PASS", "Vera Sato", False),
        ("Build", "HOLD", "Maya Okafor", True),
        ("Build", "WITHDRAWAL", "Maya Okafor", False),
    ]
    lapse, approval = lines[2].record, lines[1].record
    assert (lapse.of_id, lapse.detail) == (approval.id, "added the task “One more”")
    changed = older.row("change", summary="added the task “One more”")
    assert lapse.at.isoformat()[:19] == changed["at"][:19]
    assert {line.record.sha256 for line in lines} == {""}


def test_an_approval_in_force_stays_and_ends_by_the_same_rules(older: Older) -> None:
    assert older.state("Discover") is PhaseState.COMPLETE
    move = {"card_id": older.item("Kept")["id"], "status": Status.TO_DO}
    with pytest.raises(LapsesApproval, match=r"This ends Maya Okafor's approval of “Discover” .*“Kept” was reopened"):
        older.do(MoveCard(**move))
    older.do(MoveCard(**move, allow_lapse="Not good"))
    assert older.state("Discover") is PhaseState.OPEN
    older.do(Undo(project_id=older.project_id))
    assert older.state("Discover") is PhaseState.COMPLETE
    assert older.row("gate_record", reason="Not good")["withdrawn"] == 1


def test_an_approval_from_before_does_not_come_back_for_what_changed_since(older: Older) -> None:
    older.do(MoveCard(card_id=older.item("Kept")["id"], status=Status.TO_DO, allow_lapse="Not good"), older.bob)
    older.do(EditPhase(phase_id=older.phases["Discover"], objectives="Other"))
    with pytest.raises(CannotUndo, match="“Discover” is not as it was approved any more"):
        older.do(Undo(project_id=older.project_id), older.bob)


def test_changes_from_before_are_undone_and_redone(older: Older) -> None:
    project_id = older.project_id
    older.do(Undo(project_id=project_id, seq=older.seq("completed “One more”")), older.bob)
    assert [older.item("One more")[column] for column in ("status", "completed_by")] == ["TO_DO", None]
    older.do(Undo(project_id=project_id, seq=older.seq("delivered “Draft”")))
    draft = older.row("deliverable", name="Draft")
    assert (draft["evidence"], draft["done"], draft["delivered_by"]) == ("one", 0, None)
    assert draft["evidence_kind"] == "STATEMENT"
    older.do(Undo(project_id=project_id, seq=older.seq("removed the phase “Extras”")), older.vera)
    extras = older.row("phase", name="Extras")
    assert (extras["gate_state"], extras["accepts_statements"]) == ("PASSED", 0)
    older.do(Redo(project_id=project_id, allow_lapse="It was removed"), older.vera)
    assert older.rows("SELECT 1 FROM phase WHERE name = 'Extras'") == []
    older.do(Undo(project_id=project_id, seq=older.seq("overrode the lock of phase “Launch”: Hurry")), older.vera)
    assert older.row("phase", name="Launch")["overridden"] == 0


def test_a_decision_that_was_withdrawn_before_is_restored(older: Older) -> None:
    older.do(Redo(project_id=older.project_id))
    assert older.row("gate_record", decision="HOLD")["withdrawn"] == 0
    about = older.rows(
        "SELECT decision FROM gate_record WHERE of_id = :id ORDER BY at",
        id=older.row("gate_record", decision="HOLD")["id"],
    )
    assert [row["decision"] for row in about] == ["WITHDRAWAL", "RESTORATION"]
