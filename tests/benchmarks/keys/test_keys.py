"""The measurement of keys: that it forgets none, tells apart what they open, and says what misses its goal."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.benchmarks.keys import lines, part, screens, walk
from tests.benchmarks.keys.bare import OPENS, Bare
from tests.benchmarks.keys.project import make_workspace
from tests.benchmarks.keys.slow_line import RATE, WITHIN, Way, over_line
from tests.benchmarks.keys.walk import Walk
from tests.benchmarks.notes import Notes
from tests.benchmarks.stopwatch import Stopwatch, shows
from tests.benchmarks.test_benchmark import COUNTER
from tests.support.terminal.keys import encode
from tui.keys.table import SCREENS, VERBS, keys_on

pytestmark = pytest.mark.sqlite


def test_every_key_of_every_screen_is_measured_or_named_with_the_reason() -> None:
    assert {*screens.WAYS} == {*SCREENS} - {*screens.PARTS}
    assert screens.screens() == [name for name in SCREENS if name in screens.WAYS]
    for screen in screens.WAYS:
        measured = screens.measured_keys(screen)
        for key in keys_on(screen):
            assert (key in measured) != bool(screens.why_not_measured(screen, key)), key.id
        assert len({key.shown for key in measured}) == len(measured)
        assert all(encode(screens.typed(key)) for key in measured)


def test_no_reason_order_or_goal_is_about_a_key_that_is_not_in_the_table() -> None:
    named = [*screens.NOT_MEASURED, *screens.AROUND, *screens.FIRST, *walk.IN_BOX]
    assert {name.rpartition(".")[2] for name in named} <= {*VERBS}
    assert {name.partition(".")[0] for name in named if "." in name} <= {*screens.WAYS}
    shown = {key.shown for key in screens.measured_keys("canvas")}
    assert {*WITHIN} <= shown


@pytest.mark.parametrize("name", OPENS)
async def test_the_bare_program_opens_and_closes_what_dialogs_and_screens_are_compared_with(name: str) -> None:
    async with Bare().run_test() as pilot:
        await pilot.press(OPENS[name])
        assert len(pilot.app.screen_stack) == 2
        await pilot.press("escape" if name == screens.INPUT else "q")
        assert len(pilot.app.screen_stack) == 1


def test_an_answer_is_counted_to_its_last_byte_and_no_answer_is_none() -> None:
    with Stopwatch(COUNTER) as counter:
        counter.start(shows("^count 0$"))
        counter.quiet, counter.until_idle = 0.5, True
        answer = counter.hear("x")
        assert answer
        assert 0 < answer.first <= answer.last
        assert answer.bytes == len("\x1b[Hcount 1")
        counter.process.signal(signal.SIGSTOP)
        assert counter.hear("x") is None


def test_what_keys_open_is_told_apart_by_frames_and_title_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(walk, "SILENCE", 0.5)  # on a busy machine too
    monkeypatch.setattr(walk, "TIMES_OF_DIALOGS", 2)
    keys = {key.shown: key for key in screens.measured_keys("canvas")}
    monkeypatch.setattr(walk, "measured_keys", lambda _: [keys[shown] for shown in ("a", "\\", "j")])
    make_workspace(tmp_path / "made.db", (100,))
    notes = Notes()
    with Walk(tmp_path / "made.db", tmp_path, 100, "canvas") as walked:
        walked.press_all(notes)
    opened = {each.key: each.opened for each in lines.pressed_keys(notes)}
    assert opened == {"a": "dialog", "\\": "screen", "j": "place"}
    assert notes.median("100 canvas \\, screen: opened bytes") <= screens.WHOLE_SCREENS
    assert len(notes.of("100 canvas a, dialog: closed bytes")) == 1


def test_what_misses_its_goal_is_bold_and_counted() -> None:
    notes = Notes()
    for bare in OPENS:
        for what in ("opened", "closed"):
            notes.add(f"{bare}: {what} last byte", 10.0)
    for name, ms, size in (
        ("100 canvas :, dialog: opened", 12.0, 10_000),
        ("100 canvas :, dialog: closed", 27.0, 10_001),
        ("10000 canvas enter, screen: opened", 30.0, 24_000),
        ("100 canvas j, place: opened", 3.0, 800),
    ):
        for which in ("first", "last"):
            notes.add(f"{name} {which} byte", ms)
        notes.add(f"{name} bytes", size)
    rows = lines.table_of_keys(notes).splitlines()[2:]
    assert rows == [
        "| `:` | 100 | 12 | 12 | **1.20** | 1.15 | 10.0 | 10 | 27 | 1.20 | 1.2 | **10.0** | 10 |",
        "| `enter` | 10,000 | 30 | 30 | 3.00 | 3 | 24.0 | 24 | – | – | – | – | – |",
    ]
    assert lines.table_of_screens(notes).splitlines()[2:] == [
        "| Canvas | 100 | 2 | `j` 3 ms, 0.8 kB | `:` 12 ms, 10.0 kB | **1 of 1** |",
        "| Canvas | 10,000 | 1 | – | `enter` 30 ms, 24.0 kB | 0 of 1 |",
    ]
    notes.add("slow line n last byte", 351.0)
    notes.add("slow line n bytes", 6_000)
    assert lines.table_of_slow_line(notes).splitlines()[2:] == ["| `n` | **351** | 6.0 | 350 |"]
    assert lines.count_missed(notes) == 2


def test_the_page_has_a_place_for_each_table() -> None:
    page = (Path(__file__).parents[1] / "README.md").read_text()
    written = part.with_tables(page, Notes())
    for name in part.TABLES:
        assert f"<!-- {name} -->\n| " in page
        assert written.count(f"<!-- /{name} -->") == 1
    assert part.with_tables(written, Notes()) == written


def test_bytes_wait_for_the_line_and_arrive_in_their_order() -> None:
    way = Way(rate=1_000, delay=2.0)
    way.send(b"a" * 1_024, 5.0)
    way.send(b"b" * 500, 5.5)
    assert way.size == 1_524
    assert way.next == 5.0 + 1.024 + 2.0
    assert way.arrived(8.0) == b""
    assert way.arrived(8.1) == b"a" * 1_024
    assert way.next == 5.0 + 1.524 + 2.0
    assert way.arrived(9.0) == b"b" * 500
    assert way.next == float("inf")


def test_the_relay_passes_all_bytes_both_ways_and_ends_with_the_program() -> None:
    size = int(RATE / 8)
    program = ["sh", "-c", f"stty size; head -c {size} /dev/zero | tr '\\0' x; read word; echo got $word; exit 3"]
    with Stopwatch(over_line(program), env={"PYTHONPATH": str(Path.cwd())}) as app:
        app.quiet = 0.5
        app.start(shows("^40 120", "x{40}"))
        app.process.write(b"it\n")
        app.since(0.0, shows("got it"))
        assert app.process.wait(30.0) == 3
