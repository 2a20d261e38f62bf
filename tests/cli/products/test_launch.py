"""``podium product launch``: a product outside of a project, from the command line to the row."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from typing import Any
from urllib.parse import parse_qs, urldefrag

import pytest

from tests.cli.conftest import CommandLine
from tests.support.sample_products.fragments import unpacked

WHOLE = ("--client", "halden", "--market", "nordics", "--brand", "fjordland")


@pytest.fixture(autouse=True)
def _no_desktop(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)


def launches(run: CommandLine) -> list[dict[str, Any]]:
    """The launches outside of projects, the newest first."""
    with closing(sqlite3.connect(run.db)) as db:
        db.row_factory = sqlite3.Row
        rows = db.execute("SELECT * FROM launch WHERE application_id IS NULL ORDER BY id DESC").fetchall()
    return [dict(row) for row in rows]


def names(context: dict[str, Any]) -> list[str | None]:
    """Client, market and brand of a context."""
    return [each and each["name"] for each in context["hierarchy"].values()]


@pytest.mark.parametrize("chosen", [WHOLE, WHOLE[4:]])
def test_a_web_product_is_launched_for_what_is_chosen_and_what_that_stands_under(
    run: CommandLine, chosen: tuple[str, ...]
) -> None:
    before = len(launches(run))
    address, fragment = urldefrag(run("product", "launch", "asset library", *chosen).stdout.strip())
    assert address == "https://assets.lighthouse.example/open"
    (packed,) = parse_qs(fragment)["context"]
    context = json.loads(unpacked(packed))
    assert context["project"] is None
    assert names(context) == ["Halden Foods", "Nordics", "Fjordland"]
    launch, *others = launches(run)
    assert (json.loads(launch["context"]), len(others)) == (context, before)
    assert parse_qs(fragment)["userId"] == [launch["user_id"]]
    assert "launched “Asset library”" in run("history").stdout


def test_a_product_that_requires_nothing_is_launched_for_nothing(run: CommandLine) -> None:
    told = run.json("product", "launch", "time sheet")
    assert (told["launchId"], told["opened"]) == (launches(run)[0]["id"], False)
    assert names(json.loads(launches(run)[0]["context"])) == [None, None, None]


def test_printing_the_context_launches_nothing(run: CommandLine) -> None:
    before = launches(run)
    context = json.loads(run("product", "launch", "insight", "--client", "halden", "--dry-run").stdout)
    assert set(context) == {"project", "hierarchy", "additional"}
    assert (context["project"], names(context)) == (None, ["Halden Foods", None, None])
    assert run.json("product", "launch", "insight", "--client", "halden", "--dry-run") == context
    assert launches(run) == before


@pytest.mark.parametrize(
    ("given", "status", "said"),
    [
        (("asset library",), 1, "is launched with a client, a market and a brand"),
        (("time sheet", "--client", "halden"), 1, "is launched without a client"),
        (("insight", "--brand", "fjordland"), 1, "Leave out the market and the brand"),
        (("insight", "--client", "nordics"), 6, "There is no client “nordics”"),
        (("nothing",), 6, "There is no product “nothing”"),
        ((), 2, "Missing argument 'PRODUCT'"),
    ],
)
def test_what_does_not_fit_is_refused_and_not_recorded(
    run: CommandLine, given: tuple[str, ...], status: int, said: str
) -> None:
    before = launches(run)
    for looking in ((), ("--dry-run",)):
        assert said in run("product", "launch", *given, *looking, status=status).stderr
    assert launches(run) == before


def test_guests_launch_nothing_and_do_not_see_the_context_either(run: CommandLine) -> None:
    before, claire = launches(run), run.by("claire.whitlock")
    seen = [line["product"]["name"] for line in claire.json("product", "list")["data"]]
    assert "Time sheet" not in seen
    for looking in ((), ("--dry-run",)):
        assert "you cannot see it" in claire("product", "launch", "time sheet", *looking, status=6).stderr
        assert "you are a guest" in claire("product", "launch", seen[0], *looking, status=3).stderr
    assert launches(run) == before


def test_a_terminal_product_without_a_terminal_is_refused_and_not_recorded(run: CommandLine) -> None:
    before = launches(run)
    options = (*WHOLE, "--db", str(run.db), "--as", "robin")
    command = [sys.executable, "-m", "tui", "product", "launch", "context viewer", *options]
    ended = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert (ended.returncode, "there is none here" in ended.stderr) == (1, True)
    assert launches(run) == before
