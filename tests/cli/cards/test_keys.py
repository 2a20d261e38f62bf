"""Keys on the command line: SLO-3 for a card and SLO for a project, wherever one is named or printed."""

from __future__ import annotations

from tests.cli.conftest import CommandLine

TITLE = "Edit the 45″ film"


def key_of(run: CommandLine, title: str = TITLE) -> str:
    return str(run.task("slow", title)["key"])


def test_a_card_needs_no_project_where_its_key_is_named(run: CommandLine) -> None:
    key, task = key_of(run), run.task("slow", TITLE)
    run("use", "torq")
    for typed in (key, key.lower()):
        assert run.json("task", "show", typed)["data"][0]["item"]["id"] == task["id"]
    assert run("task", "show", key).stdout.startswith(f"{key} {TITLE}: ")
    run("comment", "add", key, "Nearly there")
    run("task", "done", key)
    assert run.task("slow", TITLE)["status"] == "COMPLETED"


def test_commands_that_name_a_project_take_its_key_and_those_of_its_cards(run: CommandLine) -> None:
    key = key_of(run)
    run("task", "due", "slo", key.lower(), "2031-12-03")
    assert run.task("slow", TITLE)["due"] == "2031-12-03"
    activity = run.json("activity", "list", "SLO")["data"][0]
    run("activity", "edit", "SLO", activity["key"], "--title", "Renamed")
    assert run.json("activity", "list", "SLO")["data"][0]["title"] == "Renamed"
    missing = run("task", "due", "torq", key, "2031-12-03", status=6)
    assert f"There is no task “{key}” here" in missing.stderr
    for noun, other in (("task", activity), ("activity", run.task("slow", TITLE))):
        refused = run(noun, "move", "slo", other["id"], "doing", status=6)
        assert f"There is no {noun} “{other['id']}” here" in refused.stderr


def test_a_title_that_looks_like_a_key_is_found_too(run: CommandLine) -> None:
    run("task", "add", "slow", "production", "COVID-19")
    assert run.json("task", "show", "COVID-19", "-p", "slow")["data"][0]["item"]["title"] == "COVID-19"


def test_lists_and_answers_print_keys(run: CommandLine) -> None:
    key = key_of(run)
    (line,) = [line for line in run("task", "list", "slow").stdout.splitlines() if TITLE in line]
    assert line.split()[-1] == key
    assert key_of(run, "Write the creative brief") in run("search", "creative brief").stdout
    (found,) = run.json("search", key)["data"]
    assert (found["key"], found["title"]) == (key, TITLE)
    made = run.json("task", "add", "slow", "production", "Buy oats")
    assert (
        run("task", "add", "slow", "production", "Buy milk").stdout == f"Added “Buy milk” (SLO-{made['number'] + 1}).\n"
    )
    assert f"“Buy honey” (SLO-{made['number'] + 2}) to “Production”" in run("add", "Buy honey", "-p", "SLO").stdout
    mine = run.json("my-work")["data"]
    assert all(line["key"] in run("my-work").stdout for line in mine)


def test_the_key_of_a_project_is_chosen_and_changed(run: CommandLine) -> None:
    assert run("project", "create", "Autumn", "--key", "fall").stdout == "Created “Autumn” (FALL).\n"
    assert "Another project has or had the key FALL" in run("project", "edit", "slow", "--key", "fall", status=2).stderr
    key = key_of(run)
    run("project", "edit", "SLO", "--key", "morn")
    assert run("project", "show", "slo").stdout.startswith("MORN Slow Mornings campaign\n")
    for typed in (key, key.replace("SLO", "MORN")):
        assert run.json("task", "show", typed)["data"][0]["key"] == key.replace("SLO", "MORN")
    run("undo", "slow")
    assert run.project("Slow")["project"]["key"] == "SLO"


def test_cards_of_one_title_are_listed_by_their_keys(run: CommandLine) -> None:
    for _ in range(2):
        run("task", "add", "slow", "production", "Twin")
    keys = [line["key"] for line in run.json("task", "list", "slow")["data"] if line["title"] == "Twin"]
    for line in (("task", "done", "Twin", "-p", "slow"), ("task", "due", "slow", "Twin", "fri")):
        said = run(*line, status=2).stderr
        assert all(f"Twin ({key})" in said for key in keys)
        assert "Name one by its key." in said
    assert run.task("slow", "Twin")["status"] == "TO_DO"
