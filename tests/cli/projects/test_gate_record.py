"""``podium gate record``, ``show``, ``diff`` and ``export``: what was approved by whom on what, and what it became."""

from __future__ import annotations

import csv
import io
import json
import re
import sqlite3
import time
from contextlib import closing
from datetime import datetime, timedelta, timezone

import pytest

from tests.cli.conftest import CommandLine

PHASE = ("torq", "readiness")
ON_A_FILE = "on a file without a server: anyone who can write it can act as anyone"


@pytest.fixture
def run(run: CommandLine) -> CommandLine:
    """The demo without anything of gates: an owner alone decides, and nothing is on record."""
    with closing(sqlite3.connect(run.db)) as database, database:
        for table in ("gate_policy", "gate_criterion", "gate_condition", "gate_seal", "gate_record"):
            database.execute(f"DELETE FROM {table}")
    return run


def lapsed(run: CommandLine) -> None:
    """An approval that ended, came back and ended again, and then another kind of gate."""
    run("gate", "approve", *PHASE, "--reason", "All tested")
    run("task", "add", *PHASE, "One more", "--allow-lapse", "A gap")
    run("undo", "torq")
    run("redo", "torq", "--allow-lapse", "A gap all the same")
    run("phase", "edit", *PHASE, "--gate", "automatic", "--reason", "No more reviews")


def test_the_record_has_every_step_in_the_words_of_the_screens(run: CommandLine) -> None:
    lapsed(run)
    shown = run("gate", "record", *PHASE).stdout
    by = "by Robin Ekholm"
    steps = (f"approved {by}", f"approval ended {by}", f"withdrawn {by}", f"restored {by}", f"gate changed {by}")
    places = [shown.index(step) for step in steps]
    assert places == sorted(places)
    assert "(“One more” was added)" in shown
    assert ON_A_FILE in shown
    lines = run.json("gate", "record", "torq")["data"]
    assert all(re.fullmatch(r"[\d-]+T[\d:.]+Z", each["record"]["at"]) for each in lines)
    assert re.fullmatch(r"sealed [0-9a-f]{4}…[0-9a-f]{2}", lines[0]["seal"])


def test_a_seal_is_shown_whole_and_a_changed_one_says_so(run: CommandLine) -> None:
    assert "Nothing has been decided" in run("gate", "show", *PHASE, status=6).stderr
    lapsed(run)
    shown = run("gate", "show", *PHASE).stdout
    for words in (
        "approved by Robin Ekholm",
        "The seal matches its hash, SHA-256 ",
        "by Robin Ekholm (owner; meta role Lead)",
        "because: All tested",
        "“Safety certificate”: done",
        "TOR-4 “Safety test at the institute”: completed by Jonas Weidmann on 2026-",
    ):
        assert words in shown
    found = run.json("gate", "show", *PHASE, "last")
    assert found["matches"] is True
    assert found["sealed"]["asItWas"]["decider"]["name"] == "Robin Ekholm"
    assert json.loads(found["body"]) == found["sealed"]
    record_id = found["entry"]["record"]["id"]
    with sqlite3.connect(run.db) as database:
        database.execute("UPDATE gate_seal SET body = replace(body, 'All tested', 'Untested')")
    database.close()
    assert "does not match its hash: it was changed past Podium." in run("gate", "show", *PHASE, record_id).stdout
    assert "does not match its hash" in run("gate", "diff", *PHASE).stdout
    assert "does not match its hash" in run("gate", "export", "torq").stdout


def test_a_diff_tells_what_ends_an_approval_from_what_does_not(run: CommandLine) -> None:
    assert "Nothing has been decided" in run("gate", "diff", *PHASE).stdout
    run("gate", "approve", *PHASE)
    assert "Nothing has changed." in run("gate", "diff", *PHASE).stdout
    run("phase", "edit", *PHASE, "--name", "Ready to ship")
    run("task", "add", "torq", "ready", "One more", "--allow-lapse", "A gap")
    shown = run("gate", "diff", "torq", "ready").stdout
    assert "Name of the phase: Readiness → Ready to ship" in shown.partition("As it was")[2]
    assert "“One more” was added" in shown.partition("As it was")[0]
    first = run.json("gate", "record", "torq")["data"][0]["record"]["id"]
    run("gate", "hold", "torq", "ready", "--reason", "Wait")
    assert "Nothing has changed." in run("gate", "diff", "torq", "ready").stdout
    between = run.json("gate", "diff", "torq", "ready", "--since", first, "--until", "last")
    assert [each["isBound"] for each in between["differences"]] == [True, False]


def test_an_entry_without_a_seal_is_shown_and_an_unknown_one_is_not_found(run: CommandLine) -> None:
    lapsed(run)
    changed = run.json("gate", "record", "torq")["data"][-1]["record"]["id"]
    shown = run("gate", "show", *PHASE, changed).stdout
    for words in ("gate changed by Robin Ekholm", "to “automatic”", "No more reviews", "Only decisions have a seal."):
        assert words in shown
    assert "Only decisions have a seal." in run("gate", "diff", *PHASE, "--since", changed).stdout
    for unknown in (("show", *PHASE, "01XYZ"), ("diff", *PHASE, "--since", "01XYZ")):
        assert "There is no entry “01XYZ” here" in run("gate", *unknown, status=6).stderr


def test_each_command_has_the_words_of_the_record_and_the_day_of_the_reader(
    run: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    lapsed(run)
    run("undo", "torq")
    run("deliverable", "deliver", *PHASE, "Safety", "--statement", "Tested", "--allow-lapse", "New")
    said = run.json("gate", "record", *PHASE)["data"]
    for zone, hours in (("Etc/GMT-14", 14), ("Etc/GMT+12", -12)):
        monkeypatch.setenv("TZ", zone)
        time.tzset()
        try:
            phase = run("phase", "show", *PHASE).stdout
            record = run("gate", "record", *PHASE).stdout
            listed = run("deliverable", "list", *PHASE).stdout
            changed = run("gate", "diff", *PHASE).stdout
        finally:
            monkeypatch.undo()
            time.tzset()
        for each in said:
            here = datetime.fromisoformat(each["record"]["at"]).astimezone(timezone(timedelta(hours=hours)))
            who = f"{each['words']} by {each['by']}" + (f", {each['state']}" if each["words"] == "held" else "")
            assert re.search(rf"{here:%Y-%m-%d %H:%M}  {who}", phase)
            assert re.search(rf"{here:%Y-%m-%d %H:%M}  .*{who}", record)
        assert f"{here:%Y-%m-%d}" in listed
        assert f"{here:%Y-%m-%d %H}" in changed
        assert record.count("anyone who can write it") == 1
        assert not re.search(r"\bpass\b|withdrawal|lapse|\(withdrawn\)", phase + record)


def test_a_removed_phase_keeps_its_record_and_its_seals(run: CommandLine) -> None:
    run("phase", "add", "torq", "Sign-off", "--gate", "review")
    run("gate", "hold", "torq", "sign-off", "--reason", "Who signs?")
    run("phase", "remove", "torq", "sign-off")
    assert (
        "Sign-off (removed)  held by Robin Ekholm  owner; meta role Lead  0/0    Who signs?"
        in run("gate", "record", "torq", "Sign-off").stdout
    )
    assert "“Sign-off” of “Torq T4 drill launch”: held" in run("gate", "show", "torq", "sign-off").stdout
    assert "| Sign-off (removed) | held |" in run("gate", "export", "torq").stdout


@pytest.mark.parametrize(("zone", "offset"), [("Asia/Kathmandu", "UTC+05:45"), ("UTC", "UTC+00:00")])
def test_an_export_names_its_zone_and_programs_get_utc(
    run: CommandLine, zone: str, offset: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lapsed(run)
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        markdown = run("gate", "export", "torq").stdout
        text = run("gate", "export", "torq", "--format", "csv").stdout
    finally:
        monkeypatch.undo()
        time.tzset()
    assert markdown.splitlines()[2] == f"Times are in {offset}."
    rows = list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"))))
    approved = rows[0]
    assert (approved["Entry"][:15], approved["Way"], len(approved["SHA-256"])) == ("approved, ended", ON_A_FILE, 64)
    assert "“Safety certificate”: done" in approved["Deliverables"]
    assert all(row["When"].endswith("Z") for row in rows)
    assert "gate changed" in {row["Entry"] for row in rows}
    assert not re.search(r"\bpass\b", markdown + text)
