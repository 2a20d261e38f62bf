"""``podium phase``, from the list to the row, and the dates that hang on a phase."""

from __future__ import annotations

from datetime import date, timedelta

from tests.cli.conftest import CommandLine

DUE = date(2030, 3, 1)


def due_of_phases(run: CommandLine) -> list[str | None]:
    return [line["phase"]["due"] for line in run.json("phase", "list", "torq")["data"]]


def test_a_phase_is_shifted_with_what_hangs_on_it_or_alone_or_only_to_look(run: CommandLine) -> None:
    run("phase", "due", "torq", "readiness", str(DUE))
    run("task", "add", "torq", "readiness", "Oil the drill", "--due", "2030-02-20")
    before = due_of_phases(run)
    would = run("phase", "reschedule", "torq", "readiness", "-1w", "--dry-run").stdout
    assert "Oil the drill" in would
    assert "Wed 13 Feb 2030" in would
    assert due_of_phases(run) == before
    said = run("phase", "reschedule", "torq", "readiness", "-1w").stdout
    assert said.startswith("Moved “")
    assert "7 days earlier, to Fri 22 Feb 2030, together with" in said
    assert str(DUE - timedelta(7)) in due_of_phases(run)
    assert run.task("torq", "Oil the drill")["due"] == "2030-02-13"
    alone = run.json("phase", "reschedule", "torq", "readiness", "+3d", "--no-cascade")
    assert [each["kind"] for each in alone["moved"]] == ["PHASE"]
    assert run.task("torq", "Oil the drill")["due"] == "2030-02-13"


def test_a_distance_that_is_none_is_refused_with_an_example(run: CommandLine) -> None:
    for typed in ("soon", "1m", "0"):
        assert "3" in run("phase", "reschedule", "torq", "readiness", typed, status=2).stderr


def test_phases_are_added_edited_dated_assigned_moved_and_removed(run: CommandLine) -> None:
    run("phase", "add", "torq", "Rest", "--due", "2030-02-01", "--gate", "review", "--before", "launch")
    lines = run.json("phase", "list", "torq")["data"]
    assert [line["phase"]["name"] for line in lines][2] == "Rest"
    assert lines[2]["phase"]["due"] == "2030-02-01"
    run("phase", "edit", "torq", "3", "--name", "Repose", "--gate", "automatic")
    run("phase", "due", "torq", "repose", "none")
    run("phase", "assign", "torq", "repose", "mara", "jonas weidmann")
    run("phase", "move", "torq", "repose")
    last = run.json("phase", "list", "torq")["data"][-1]["phase"]
    assert (last["name"], last["due"], last["gate"]) == ("Repose", None, "AUTOMATIC")
    shown = run.json("phase", "show", "torq", "repose")
    assert {member["login"] for member in shown["members"]} == {"mara.oduya", "jonas.weidmann"}
    assert "Mara Oduya" in run("phase", "show", "torq", "repose").stdout
    run("phase", "remove", "torq", "repose")
    assert "still holds cards" in run("phase", "remove", "torq", "launch week", status=1).stderr
