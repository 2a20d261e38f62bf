"""``podium settings``: the values are checked, and are those of the screens."""

from __future__ import annotations

import pytest

from tests.cli.conftest import CommandLine


def values(run: CommandLine) -> dict[str, str]:
    return {each["name"]: each["value"] for each in run.json("settings", "list")["data"]}


def test_settings_are_listed_set_and_reset(run: CommandLine) -> None:
    assert values(run)["density"] == "roomy"
    assert run("settings", "set", "density", "compact").stdout == "density is compact.\n"
    assert values(run)["density"] == "compact"
    assert run.json("run", "GetCurrentUser")["preferences"] == {"density": "compact"}
    run("settings", "reset", "density")
    assert run.json("run", "GetCurrentUser")["preferences"] == {}


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("density", "tight", "“tight” is no value of density. There are “roomy” and “compact”."),
        ("theme", "bogus", "“bogus” is no value of theme. There are “podium-dark”, “podium-light”"),
        ("keymap", "canvas.nothing = f6", "canvas.nothing"),
        ("tour", "x", "'tour' is not one of"),
    ],
)
def test_a_value_that_cannot_be_is_refused(run: CommandLine, name: str, value: str, said: str) -> None:
    assert said in run("settings", "set", name, value, status=2).stderr
    assert run.json("run", "GetCurrentUser")["preferences"] == {}


def test_a_message_checks_a_value_too(run: CommandLine) -> None:
    said = run("run", "SetPreference", "name=density", "value=tight", status=2).stderr
    assert "“tight” is no value of density. There are “roomy” and “compact”." in said


def test_the_workspace_is_renamed_and_a_person_edited(run: CommandLine) -> None:
    run("workspace", "rename", "Oat works")
    assert run("workspace", "show").stdout.startswith("Workspace: Oat works\nI am: ")
    run("user", "edit", "mara", "--last-name", "Obi", "--city", "Lagos")
    people = {each["user"]["login"]: each["user"] for each in run.json("user", "list")["data"]}
    assert (people["mara.oduya"]["lastName"], people["mara.oduya"]["city"]) == ("Obi", "Lagos")


def test_a_default_that_is_set_goes_before_the_file(run: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PODIUM_DENSITY", "")
    run("settings", "set", "density", "roomy")
    lines = {each["name"]: each for each in run.json("settings", "list")["data"]}
    assert (lines["density"]["value"], lines["density"]["isDefault"]) == ("roomy", False)


def test_the_default_is_that_of_the_screens_in_this_terminal(run: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    """The Linux console has no signs of Unicode. Another test looks at the screens there, and this one at the list."""
    monkeypatch.setenv("TERM", "linux")
    assert values(run)["signs"] == "ascii"
    monkeypatch.setenv("TERM", "xterm-256color")
    assert values(run)["signs"] == "unicode"
