"""The benchmark itself: that its clock asks for the right picture, and that its database is what it says."""

from __future__ import annotations

import math
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from core.actions import load_catalog
from core.actions.workflow.canvas import GetCanvas
from core.actions.workspace.hierarchy import GetHierarchy
from core.actions.workspace.meta_roles import SEEDED, ListMetaRoles
from core.domain.model import NodeKind
from core.domain.permissions import Permission
from core.engine.engine import Engine
from core.sign_in.local import sign_on
from core.storage.schema.integrity import damage
from core.storage.sqlite.database import SqliteDatabase
from tests.benchmarks import workspace
from tests.benchmarks.commits import CommitWatch
from tests.benchmarks.figures import LINES, Line, missed, ratio, with_table
from tests.benchmarks.notes import Notes, NotMeasured
from tests.benchmarks.remote import DELAY, round_trips
from tests.benchmarks.stopwatch import NoPicture, Stopwatch, shows
from tests.support.authorization_service.server import Received

COUNTER = [
    sys.executable,
    "-S",
    "-c",
    "import os, tty\ntty.setraw(0)\nn = 0\n"
    "while True:\n    os.write(1, b'\\x1b[Hcount %d' % n)\n    os.read(0, 9)\n    n += 1",
]


def test_the_clock_stops_at_the_expected_picture_and_counts_the_bytes() -> None:
    with Stopwatch(COUNTER) as counter:
        counter.start(shows("^count 0$"))
        lap = counter.press("x", shows("^count 1$"))
        assert 0 < lap.ms < 50_000
        assert lap.bytes == len("\x1b[Hcount 1")


def test_a_picture_that_was_there_before_the_key_is_no_figure() -> None:
    with Stopwatch(COUNTER) as counter:
        counter.start(shows("^count 0$"))
        with pytest.raises(NoPicture, match="before"):
            counter.press("x", shows("count"))


def test_a_program_that_ends_without_the_picture_is_no_figure() -> None:
    with Stopwatch(["true"]) as nothing, pytest.raises(NoPicture, match="ended"):
        nothing.start(shows("anything"))


def test_a_commit_is_noticed_by_the_log_it_is_written_to(tmp_path: Path) -> None:
    path = tmp_path / "any.db"
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("CREATE TABLE t (x)")
    with CommitWatch(path) as commits:
        assert not commits.last
        connection.execute("INSERT INTO t VALUES (1)")
        assert commits.wait()
    connection.close()


def test_the_workspace_is_whole_and_has_projects_of_known_size(tmp_path: Path) -> None:
    path = tmp_path / "workspace.db"
    workspace.generate(path, sum(workspace.SIZES) + workspace.LINKED_CARDS + 1_500)
    database = SqliteDatabase(path)
    assert damage(database.connection) == []
    engine = Engine(database, load_catalog)
    actor = sign_on(engine, workspace.LOGIN)
    for cards in workspace.SIZES:
        canvas = engine.query(GetCanvas(project_id=workspace.project_id(cards)), actor)
        assert canvas.head.name == workspace.project_name(cards)
        assert len(canvas.head.columns) == 6
        assert len(canvas.cards) == cards
        assert canvas.cards[0].title.startswith("A00001 ")
        assert Permission.TASK_MOVE in canvas.head.held
    linked = engine.query(GetCanvas(project_id=workspace.ulid(1, workspace.LINKED_NUMBER)), actor)
    assert sum(len(card.labels) for card in linked.cards) == 50_000
    assert database.connection.execute("SELECT count(*) FROM dependency").fetchone()[0] == 2 * 10_000 - 3
    assert linked.cards[0].waits_for == 0 < linked.cards[5].waits_for
    nodes = engine.query(GetHierarchy(), actor)
    assert [(line.node.kind, line.projects) for line in nodes] == [(kind, 2) for kind in NodeKind]
    assert {line.meta_role.name for line in engine.query(ListMetaRoles(), actor)} == set(SEEDED)
    database.close()


def test_a_line_is_a_ratio_of_medians_and_says_when_it_is_not_reached() -> None:
    notes = Notes()
    line = Line("cursor", 1.3, "× hello", *ratio("cursor"))
    assert line.row(notes)[3] == "not measured"
    notes.add("hello key", 2.0, 2.0, 9.0)
    notes.add("cursor", 1.0, 5.0, 5.0)
    assert line.row(notes)[1:4] == ("2.50 × hello", "≤ 1.3 × hello", "NO")
    with pytest.raises(NotMeasured):
        notes.median("drag")


def test_a_line_shows_its_goal_beside_its_limit_and_may_be_reached_from_above() -> None:
    notes = Notes()
    notes.add("hello key", 2.0)
    notes.add("cursor", 5.0)
    line = Line("cursor", 3, "× hello", *ratio("cursor"), goal=1.1)
    assert line.row(notes)[2:5] == ("≤ 3 × hello", "yes", "≤ 1.1 × hello")
    assert Line("faster", 30, "×", *ratio("cursor"), least=True).row(notes)[2:5] == ("≥ 30 ×", "NO", "")
    assert Line("faster", 2, "×", *ratio("cursor"), least=True).row(notes)[3] == "yes"
    assert Line("shown", math.inf, "×", *ratio("cursor")).row(notes)[1:5] == ("2.50 ×", "", "", "")
    assert not missed(notes, [Line("shown", math.inf, "×", *ratio("cursor"))])


def test_no_goal_is_above_the_limit_that_holds_the_present_figure() -> None:
    assert [line.what for line in LINES if line.goal is not None and line.goal > line.limit] == []


def test_every_key_of_the_canvas_has_a_line_with_a_goal_at_each_size() -> None:
    goals = {line.samples: line.goal for line in LINES}
    for cards in workspace.SIZES:
        at_size = [goals[f"{cards} {what}"] for what in ("cursor", "columns", "page", "move")]
        assert at_size == [1.2, 1.7, 1.2, 2.6], cards


def test_a_picture_with_pauses_is_final_when_the_program_is_at_rest() -> None:
    """Also where others use the processor: then it uses none for a while, and is at work."""
    until = "import time\nend = time.process_time() + {}\nwhile time.process_time() < end: 0"
    work = f"print('begun', flush=True)\n{until.format(0.1)}\nprint('done', flush=True)\ntime.sleep(600)"
    with Stopwatch([sys.executable, "-S", "-c", work]) as program:
        program.quiet, program.until_idle = 0.05, True
        program.timeout = 300  # on a busy machine a tenth of a second takes the last in the line half a minute
        processor = {min(os.sched_getaffinity(0))}
        os.sched_setaffinity(program.pid, processor)
        os.setpriority(os.PRIO_PROCESS, program.pid, 19)
        if (session := Path(f"/proc/{program.pid}/autogroup")).exists():  # where Linux shares between sessions
            session.write_text("19")
        with subprocess.Popen([sys.executable, "-S", "-c", until.format(1)]) as other:
            os.sched_setaffinity(other.pid, processor)
            program.start_until_still(shows("begun"))
            assert shows("^done *$")(program.screen)


def test_questions_that_were_put_before_the_first_was_answered_are_one_round_trip() -> None:
    together = [Received("POST", "", {}, b"", at) for at in (7.0, 7.01)]
    later = Received("POST", "", {}, b"", 7.0 + DELAY)
    assert round_trips(together) == 1
    assert round_trips([later, *together]) == 2
    assert round_trips([]) == 0


def test_the_page_has_each_line_and_shows_what_misses_its_target_in_bold() -> None:
    notes = Notes()
    for name, key in (("hello key", 1.0), ("100 cursor", 20.0), ("1000 cursor", 1.0)):
        notes.add(name, key)
    page = (Path(__file__).parent / "README.md").read_text()
    written = with_table(page, notes)
    for text in (page, written):
        rows = text.partition("<!-- figures -->")[2].partition("<!-- /figures -->")[0].strip().splitlines()[2:]
        assert [row.split(" | ")[0].removeprefix("| ") for row in rows] == [line.what for line in LINES]
        assert [row.split(" | ")[2] for row in rows] == [line.unit for line in LINES]
    assert "| cursor down or right, 100 cards | **20.00** | × hello | 1.3, goal 1.2 |" in written
    assert "| cursor down or right, 1,000 cards | 1.00 | × hello | 1.3, goal 1.2 |" in written
    assert written.partition("<!-- figures -->")[0] == page.partition("<!-- figures -->")[0]
    assert written.partition("<!-- /figures -->")[2] == page.partition("<!-- /figures -->")[2]
