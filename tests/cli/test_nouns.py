"""The commands of each noun, from the list to the row."""

from __future__ import annotations

import re

import pytest

from tests.cli.conftest import CommandLine

CAMPAIGN, DRILL, EVENT = "Slow Mornings campaign", "Torq T4 drill launch", "Partner Days in Leeds"


def test_projects_are_listed_in_columns_with_favourites_first(run: CommandLine) -> None:
    head, *lines = run("project", "list").stdout.splitlines()
    assert head.split()[:3] == ["NAME", "ROLE", "HEALTH"]
    assert len(lines) == 7
    assert lines[0].startswith("*  Slow Mornings")
    assert len({line.index("owner") for line in lines if "owner" in line}) == 1
    assert len(run("project", "list", "--archived").stdout.splitlines()) == 9


def test_a_project_is_created_edited_starred_archived_restored_and_deleted(run: CommandLine) -> None:
    made = run.json("project", "create", "New bottle", "--brand", "fjordland", "--description", "Glass")
    assert run.project("New bottle")["links"] == ["Halden Foods", "Nordics", "Fjordland"]
    assert made["name"] == "New bottle"
    run("project", "edit", "new bo", "--name", "Newer bottle", "--client", "none")
    assert run.project("Newer")["links"] == []
    run("project", "favourite", "newer")
    assert run.project("Newer")["favourite"]
    assert "not archived" in run("project", "delete", "newer", "--yes", status=1).stderr
    run("project", "archive", "newer")
    assert run.project("Newer")["health"] == "NONE"
    run("project", "restore", "newer")
    run("project", "archive", "newer")
    run("project", "delete", "newer", "--yes")
    assert len(run.json("project", "list", "--archived")["data"]) == 8


def test_deleting_asks_first_and_no_answer_deletes_nothing(run: CommandLine) -> None:
    run("project", "delete", "trade fair", status=130, stdin=b"n\n")
    unasked = run("project", "delete", "trade fair", "--json", status=2)
    assert "Add --yes" in unasked.stderr
    assert '"errors"' in unasked.stderr
    assert run.project("Trade fair")


def test_a_project_is_shown_with_its_phases(run: CommandLine) -> None:
    assert "Production" in run("project", "show", "slow").stdout
    assert [line["state"] for line in run.json("project", "show", "slow")["phases"]][2:4] == ["OPEN", "LOCKED"]


def test_a_project_whose_owners_left_is_taken_over_by_an_admin(run: CommandLine) -> None:
    run("project", "claim", "partner", status=6)
    run("user", "deactivate", "priya.raman")
    run("project", "claim", "partner")
    assert run.project("Partner")["role"] == "OWNER"


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
    assert [member["login"] for member in shown["members"]] == ["mara.oduya", "jonas.weidmann"]
    assert "Mara Oduya" in run("phase", "show", "torq", "repose").stdout
    run("phase", "remove", "torq", "repose")
    assert "still holds cards" in run("phase", "remove", "torq", "launch week", status=1).stderr


def test_a_task_lives_its_life(run: CommandLine) -> None:
    run("task", "add", "slow", "3", "Buy oats", "--assignee", "mara", "--due", "2030-01-02")
    task = run.task("slow", "Buy oats")
    assert (task["due"], task["status"]) == ("2030-01-02", "TO_DO")
    run("task", "edit", "slow", "buy", "--title", "Buy more oats", "--description", "Rolled")
    run("task", "move", "slow", "buy more", "in_progress")
    run("task", "due", "slow", "buy more", "-")
    run("task", "assign", "slow", "buy more", "nobody")
    task = run.task("slow", "Buy more oats")
    assert (task["due"], task["status"], task["assigneeId"]) == (None, "IN_PROGRESS", None)
    assert task["description"] == "Rolled"
    run("task", "archive", "slow", "buy more")
    assert run.task("slow", "Buy more oats")["status"] == "ARCHIVED"
    run("task", "restore", "slow", "buy more")
    assert run.task("slow", "Buy more oats")["status"] == "IN_PROGRESS"
    run("task", "archive", "slow", "buy more")
    run("task", "delete", "slow", "buy more", "--yes")
    run("task", "archive", "slow", "buy more", status=6)


def test_tasks_are_listed_by_phase_and_by_me(run: CommandLine) -> None:
    every = run.json("task", "list", "slow")["data"]
    mine = run.json("task", "list", "slow", "--mine")["data"]
    production = run.json("task", "list", "slow", "--phase", "production")["data"]
    assert 0 < len(mine) < len(every)
    assert 0 < len(production) < len(every)
    assert "Robin Ekholm" in run("task", "list", "slow", "--mine").stdout


def test_an_activity_lives_its_life(run: CommandLine) -> None:
    run("activity", "add", "slow", "production", "Print", "--link", "https://example.com/print", "--due", "2030-01-02")
    run("task", "add", "slow", "production", "Proof", "--activity", "print")
    run("activity", "assign", "slow", "print", "hanna", "yuki")
    assert "one task is still open" in run("activity", "move", "slow", "print", "completed", status=1).stderr
    run("task", "move", "slow", "proof", "completed")
    run("activity", "move", "slow", "print", "completed")
    activities = run.json("activity", "list", "slow")["data"]
    card = next(card for card in activities if card["title"] == "Print")
    assert (card["status"], card["tasksDone"], len(card["assigneeIds"])) == ("COMPLETED", 1, 2)
    assert "Hanna Lindqvist" in run("activity", "list", "slow").stdout
    run("activity", "edit", "slow", "print", "--title", "Print run")
    run("activity", "due", "slow", "print run", "none")
    run("activity", "archive", "slow", "print run")
    run("activity", "restore", "slow", "print run")
    run("activity", "archive", "slow", "print run")
    run("activity", "delete", "slow", "print run", "--yes")
    assert "Print run" not in run("activity", "list", "slow", "--archived").stdout


def test_members_join_change_and_leave(run: CommandLine) -> None:
    run("member", "add", "torq", "tomasz", "--role", "viewer")
    run("member", "role", "torq", "tomasz", "owner")
    run("member", "guest", "torq", "Ada", "Ng", "ada@example.com")
    members = {line["user"]["login"]: line["role"] for line in run.json("member", "list", "torq")["data"]}
    assert (members["tomasz.zielinski"], members["ada"]) == ("OWNER", "CONTRIBUTOR")
    run("member", "remove", "torq", "ada")
    assert "Ada Ng" not in run("member", "list", "torq").stdout
    run("member", "remove", "slow", "mara")
    assert "last one" in run("member", "remove", "slow", "robin", status=1).stderr


def test_people_are_added_given_roles_and_deactivated(run: CommandLine) -> None:
    run("user", "add", "Ada", "Ng", "ada@example.com", "--role", "internal", "--city", "Accra")
    run("user", "role", "ada", "workspace_admin", "internal")
    ada = next(line["user"] for line in run.json("user", "list")["data"] if line["user"]["login"] == "ada")
    assert ada["platformRoles"] == ["WORKSPACE_ADMIN", "INTERNAL"]
    run("user", "deactivate", "ada")
    run.by("ada")("project", "list", status=3)
    run("user", "reactivate", "ada")
    run("user", "role", "ada")
    run.by("ada")("project", "create", "X", status=3)
    assert "Accra" in run("user", "list").stdout


def test_the_hierarchy_is_a_tree(run: CommandLine) -> None:
    run("hierarchy", "add", "brand", "Nordlicht", "--under", "nordics")
    lines = run("hierarchy", "list").stdout.splitlines()
    depth = {line.split("  ")[0].replace("· ", ""): line.count("· ") for line in lines}
    assert (depth["Halden Foods"], depth["Nordics"], depth["Nordlicht"]) == (0, 1, 2)
    run("hierarchy", "add", "client", "X", "--under", "nordics", status=1)


def test_history_undo_and_redo(run: CommandLine) -> None:
    run("task", "add", "slow", "3", "Buy oats")
    assert "added the task “Buy oats”" in run("history", "slow").stdout.splitlines()[1]
    assert re.search(r"Took back: added the task “Buy oats” \(\d{4}-\d\d-\d\d \d\d:\d\d\)", run("undo", "slow").stdout)
    assert "took back: added" in run("history", "slow").stdout.splitlines()[1]
    assert "Buy oats" not in run("task", "list", "slow").stdout
    assert run.json("redo", "slow")["summary"] == "added the task “Buy oats”"
    assert run.error("redo", "slow", status=1)["errorCode"] == "NOTHING_TO_UNDO"
    assert "deactivated Erik Solberg" in run("history").stdout
    seq = run.json("history", "slow")["data"][0]["seq"]
    assert run.json("history", "slow", "--before", str(seq))["data"][0]["seq"] == seq - 1


def test_gate_check_says_why_and_its_status_says_whether(run: CommandLine) -> None:
    assert run.json("gate", "check", "torq", "readiness")["mayPass"] is True
    answer = run.json("gate", "check", "torq", "launch week", status=1)
    assert (answer["state"], answer["mayPass"]) == ("LOCKED", False)
    assert answer["blockers"][0]["kind"] == "PHASE"
    assert answer["whoCan"] == ["Priya Raman", "Robin Ekholm"]
    refused = run("gate", "check", "slow", "production", status=1).stdout
    assert "still open in it" in refused
    assert "Edit the 45″ film" in refused


def test_gates_are_decided_on_the_command_line(run: CommandLine) -> None:
    run("gate", "hold", "torq", "readiness", "--reason", "One more day")
    run("gate", "approve", "torq", "readiness")
    assert run.json("phase", "list", "torq")["data"][2]["state"] == "OPEN"
    assert run.error("gate", "back", "torq", "readiness", "--allow-relock", status=2)["errorCode"] == "INVALID_INPUT"
    assert run.error("gate", "back", "torq", "readiness", "--reason", "No", status=1)["errorCode"] == "RELOCKS_PHASES"
    assert "Add --allow-relock" in run("gate", "back", "torq", "readiness", "--reason", "No", status=1).stderr
    run("gate", "back", "torq", "readiness", "--reason", "No", "--allow-relock")
    run("gate", "override", "torq", "launch week", "--reason", "The shops are open")
    assert "open by override" in run("phase", "list", "torq").stdout
    decisions = run.json("phase", "show", "torq", "readiness")["decisions"]
    assert [line["record"]["decision"] for line in decisions] == ["SEND_BACK", "PASS", "HOLD"]


def test_a_locked_phase_refuses_with_the_items_in_the_way_and_who_can_help(run: CommandLine) -> None:
    refused = run("task", "move", "slow", "book television", "IN_PROGRESS", status=1).stderr
    assert "locked until “Production” is complete" in refused
    assert "  - Edit the 45″ film (task in Production)" in refused
    assert "Who can help: Mara Oduya, Robin Ekholm." in refused


@pytest.mark.parametrize("login", ["robin", "ROBIN"])
def test_logins_know_no_case(run: CommandLine, login: str) -> None:
    assert run.by(login)("project", "list").stdout
