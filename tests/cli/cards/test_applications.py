"""``podium application`` and ``podium launch``, from the list to the row."""

from __future__ import annotations

import json
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urldefrag

import pytest

from tests.cli.conftest import CommandLine
from tests.support import sample_products
from tests.support.sample_products.fragments import unpacked

FOLDER = Path(sample_products.__file__).parent


def line(run: CommandLine, name: str) -> dict[str, Any]:
    """A line of ``application list``."""
    lines: list[dict[str, Any]] = run.json("application", "list", "slow")["data"]
    return next(each for each in lines if each["application"]["name"] == name)


def launches(run: CommandLine, name: str) -> list[dict[str, Any]]:
    """The launches of an application, the newest first."""
    application = line(run, name)["application"]["id"]
    with closing(sqlite3.connect(run.db)) as db:
        db.row_factory = sqlite3.Row
        rows = db.execute("SELECT * FROM launch WHERE application_id = ? ORDER BY id DESC", (application,)).fetchall()
    return [dict(row) for row in rows]


def test_an_application_lives_its_life(run: CommandLine) -> None:
    run(
        *("application", "add", "slow", "asset library", "--phase", "3", "--name", "Bottle shots"),
        *("--due", "2030-01-02", "--assign", "hanna", "--assign", "yuki"),
    )
    added = line(run, "Bottle shots")
    assert (added["phase"], added["application"]["due"], len(added["people"])) == ("Production", "2030-01-02", 2)
    assert "Hanna Lindqvist, Yuki Tan" in run("application", "list", "slow").stdout
    run("application", "rename", "slow", "bottle", "Bottle films")
    run("application", "due", "slow", "bottle", "none")
    run("application", "assign", "slow", "bottle", "mara")
    run("application", "move", "slow", "bottle", "4", "--before", "nordic")
    moved = line(run, "Bottle films")
    assert (moved["phase"], moved["application"]["due"]) == ("Media & launch", None)
    assert [person["login"] for person in moved["people"]] == ["mara.oduya"]
    shown = run("application", "show", "slow", "bottle").stdout
    for words in ("Asset library, a web product", "phase “Media & launch”", "Mara Oduya", "renamed the application"):
        assert words in shown
    run("application", "remove", "slow", "bottle")
    run("application", "show", "slow", "bottle", status=6)
    run("undo", "slow")
    assert line(run, "Bottle films")["phase"] == "Media & launch"


def test_an_activity_holds_one_application_and_a_place_is_needed(run: CommandLine) -> None:
    run("activity", "add", "slow", "3", "Print")
    added = run.json("application", "add", "slow", "media planner", "--activity", "print")
    assert added["name"] == "Media planner"
    assert line(run, "Media planner")["activity"] == "Print"
    again = run("application", "add", "slow", "asset library", "--activity", "print", status=1)
    assert "holds the application “Media planner” already" in again.stderr
    assert "to a phase or to an activity" in run("application", "add", "slow", "asset library", status=2).stderr


def test_a_product_that_does_not_fit_is_refused_with_the_level_and_the_way_out(run: CommandLine) -> None:
    refused = run("application", "add", "slow", "venue finder", "--phase", "3", status=1).stderr
    assert "it is for projects without a brand" in refused
    assert "Unlink the brand" in refused
    choices = {each["product"]["name"]: each["refusal"] for each in run.json("application", "products", "slow")["data"]}
    assert choices["Asset library"] == ""
    assert choices["Venue finder"] in refused
    assert "Old wiki" not in choices
    retired = run("application", "add", "slow", "old wiki", "--phase", "3", status=6).stderr
    assert "or it is retired" in retired


def test_a_contributor_launches_and_changes_nothing(run: CommandLine) -> None:
    hanna = run.by("hanna.lindqvist")
    before = len(launches(run, "Campaign assets"))
    hanna("application", "remove", "slow", "campaign assets", status=3)
    hanna("launch", "slow", "campaign assets")
    assert len(launches(run, "Campaign assets")) == before + 1
    assert line(run, "Campaign assets")


def test_printing_the_context_launches_nothing(run: CommandLine) -> None:
    before = launches(run, "Campaign assets")
    context = json.loads(run("launch", "slow", "campaign assets", "--dry-run").stdout)
    assert set(context) == {"project", "hierarchy", "additional"}
    assert context["project"]["items"][0]["id"] == line(run, "Campaign assets")["application"]["id"]
    assert context["hierarchy"]["brand"]["name"] == "Fjordland"
    assert launches(run, "Campaign assets") == before


def test_without_a_desktop_or_over_ssh_the_link_is_printed(run: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    address, fragment = urldefrag(run("launch", "slow", "campaign assets").stdout.strip())
    assert address == "https://assets.lighthouse.example/open"
    context = json.loads(unpacked(parse_qs(fragment)["context"][0]))
    assert context == json.loads(launches(run, "Campaign assets")[0]["context"])
    monkeypatch.setenv("DISPLAY", ":99")
    monkeypatch.setenv("SSH_CONNECTION", "a 1 b 2")
    monkeypatch.setenv("PODIUM_PUBLIC_URL", "https://podium.example")
    told = run.json("launch", "slow", "nordic")
    assert told["url"].startswith("https://media.lighthouse.example/plan?view=calendar&launch=")
    assert told["opened"] is False


def test_on_a_desktop_the_browser_opens(run: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen, browser = tmp_path / "seen.json", tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{FOLDER / "browser.py"}" "{seen}" "$1"\n')
    browser.chmod(browser.stat().st_mode | stat.S_IXUSR)
    monkeypatch.delenv("SSH_CONNECTION", raising=False)
    monkeypatch.setenv("DISPLAY", ":99")
    monkeypatch.setenv("BROWSER", str(browser))
    assert "in the browser" in run("launch", "slow", "campaign assets").stdout
    assert json.loads(seen.read_text())["url"].startswith("https://assets.lighthouse.example/open#context=")


def test_a_terminal_product_without_a_terminal_is_refused_and_not_recorded(run: CommandLine) -> None:
    before = launches(run, "Context viewer")
    command = [sys.executable, "-m", "tui", "launch", "slow", "context", "--db", str(run.db), "--as", "robin"]
    ended = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert "there is none here" in ended.stderr
    assert launches(run, "Context viewer") == before
