"""``podium preset …``: listed, chosen, saved, shared, removed, and handed on as files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import CommandLine


def chosen(run: CommandLine) -> str:
    """The name beside the star, which is the one that is chosen in the JSON."""
    favourite = [line for line in run("preset", "list", "slow").stdout.splitlines() if line.startswith("*")]
    name = favourite[0].removeprefix("*").split("  ")[1].strip()
    assert [each["name"] for each in run.json("preset", "list", "slow")["data"] if each["chosen"]] == [name]
    return name


def preset(run: CommandLine, name: str) -> dict[str, Any]:
    return next(each for each in run.json("preset", "list", "slow")["data"] if each["name"] == name)


def test_the_presets_are_listed_with_the_chosen_one(run: CommandLine) -> None:
    assert [each["name"] for each in run.json("preset", "list", "slow")["data"]] == [
        "Overview", "My work", "Deadlines", "Delivery", "Applications", "Review",
    ]  # fmt: skip
    assert chosen(run) == "Overview"
    assert "“Delivery”" in run("preset", "choose", "slow", "deliv").stdout
    assert chosen(run) == "Delivery"
    told = run.json("preset", "list", "slow")
    assert [each["name"] for each in told["data"] if each["id"] == told["chosen"]] == ["Delivery"]
    run("preset", "choose", "slow")
    assert chosen(run) == "Overview"
    assert "There is no preset" in run("preset", "choose", "slow", "nothing", status=6).stderr


def test_a_preset_is_saved_from_another_one_and_saved_again_under_its_name(run: CommandLine) -> None:
    run("preset", "save", "slow", "Late", "--like", "my work", "--sort", "due", "--density", "compact")
    viewing = preset(run, "Late")["viewing"]
    assert (viewing["filter"], viewing["sort"], viewing["density"]) == ("assignee:me", "DUE", "COMPACT")
    assert viewing["sections"] == ["ACTIVITIES", "TASKS"]
    run("preset", "save", "slow", "late", "--section", "tasks", "--field", "due", "--filter", "", "--layout", "table")
    viewing = preset(run, "late")["viewing"]
    assert (viewing["sections"], viewing["fields"], viewing["layout"]) == (["TASKS"], ["DUE"], "TABLE")
    assert (viewing["sort"], viewing["density"]) == ("ORDER", None)
    assert len(run.json("preset", "list", "slow")["data"]) == 7
    run("preset", "remove", "slow", "late")
    assert len(run.json("preset", "list", "slow")["data"]) == 6


def test_a_shared_preset_is_there_for_others_and_only_owners_share(run: CommandLine) -> None:
    run("preset", "share", "slow", "Ours", "--like", "delivery")
    assert preset(run.by("yuki.tanabe"), "Ours")["shared"]
    run.by("yuki.tanabe")("preset", "share", "slow", "Theirs", status=3)
    run.by("yuki.tanabe")("preset", "remove", "slow", "Ours", status=3)
    run("preset", "remove", "slow", "Ours")
    run("undo", "slow")
    assert preset(run.by("yuki.tanabe"), "Ours")


def test_what_is_no_preset_is_refused(run: CommandLine) -> None:
    run("preset", "save", "slow", "overview", status=2)
    run("preset", "save", "slow", "Late", "--section", "objectives", status=2)
    run("preset", "save", "slow", "Late", "--filter", "assignee:", status=2)
    run("preset", "save", "slow", "Late", "--sort", "colour", status=2)
    assert "of Podium" in run("preset", "remove", "slow", "overview", status=2).stderr
    assert len(run.json("preset", "list", "slow")["data"]) == 6


def test_a_preset_travels_as_a_file(run: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    run("preset", "save", "slow", "Mine", "--like", "delivery", "--filter", "due:<friday “x”")
    run("preset", "export", "slow", "Mine", "-o", str(file))
    assert "already" in run("preset", "export", "slow", "Mine", "-o", str(file), status=2).stderr
    run("preset", "export", "slow", "Mine", "-o", str(file), "--force")
    text = file.read_text()
    assert json.loads(text)["format"] == "podium-preset"
    assert json.loads(run("preset", "export", "slow", "Mine").stdout) == json.loads(text)
    run("preset", "import", "slow", str(file), "--share")
    assert preset(run.by("yuki.tanabe"), "Mine")["viewing"] == preset(run, "Mine")["viewing"]
    other = run.by("yuki.tanabe")
    other("preset", "import", "slow", "-", "--name", "From Robin", stdin=text.encode())
    assert preset(other, "From Robin")["viewing"] == preset(run, "Mine")["viewing"]
    run("preset", "export", "slow", "Overview", "-o", str(file), "--force")
    run("preset", "import", "slow", str(file))
    assert preset(run, "Overview (copy)")["viewing"] == preset(run, "Overview")["viewing"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "cut off"),
        ("name: A", "not JSON"),
        ("{", "cut off"),
        ("[]", ""),
        ('{"format": "podium-preset"}', "preset"),
        ('{"format": "other", "preset": {"name": "A"}}', "format"),
        ('{"format": "podium-preset", "preset": {"name": "A", "sort": "COLOUR"}}', "sort"),
        ('{"format": "podium-preset", "preset": {"name": "A", "colour": 1}}', "colour"),
        ('{"format": "podium-preset", "preset": {"name": "A\\u001b[0m"}}', "U+001B"),
        ('{"format": "podium-preset", "preset": {"name": "A", "sections": []}}', "No cards"),
    ],
)
def test_a_file_that_is_no_preset_is_refused_and_nothing_is_written(
    run: CommandLine, tmp_path: Path, text: str, said: str
) -> None:
    file = tmp_path / "bad.json"
    file.write_text(text)
    assert said in run("preset", "import", "slow", str(file), status=2).stderr
    assert len(run.json("preset", "list", "slow")["data"]) == 6
