"""``podium meta-role``, ``podium member meta-roles`` and ``podium permission``, from the command line to the row."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any

from tests.cli.conftest import CommandLine

CAMPAIGN = "Slow Mornings campaign"


def rows(run: CommandLine, sql: str, *values: object) -> list[Any]:
    with closing(sqlite3.connect(run.db)) as connection:
        return connection.execute(sql, values).fetchall()


def account(run: CommandLine) -> str:
    return str(rows(run, "SELECT auth_id FROM project WHERE name = ?", CAMPAIGN)[0][0])


def test_meta_roles_are_added_renamed_mapped_and_removed(run: CommandLine) -> None:
    run("meta-role", "add", "Planner")
    run("meta-role", "rename", "planner", "Media planner")
    run("meta-role", "map", "viewer", "media planner", "analyst")
    lines = {line["metaRole"]["name"]: line for line in run.json("meta-role", "list")["data"]}
    assert lines["Media planner"]["projectRoles"] == lines["Analyst"]["projectRoles"] == ["VIEWER"]
    assert "gives it" in run("meta-role", "remove", "media planner", status=1).stderr
    assert run("meta-role", "map", "VIEWER").stdout == "The project role viewer gives no meta role now.\n"
    run("meta-role", "remove", "media planner")
    assert rows(run, "SELECT 1 FROM meta_role WHERE name LIKE '%planner'") == []
    run("meta-role", "remove", "media planner", status=6)


def test_the_list_says_what_brings_a_meta_role_and_what_it_brings(run: CommandLine) -> None:
    head, *lines = run("meta-role", "list").stdout.splitlines()
    assert head.split() == ["NAME", "INCLUDED", "IN", "ASSIGNED", "GRANTS"]
    lead = next(line for line in lines if line.startswith("Lead"))
    assert lead.split()[1] == "owner"
    assert "Asset library: " in lead


def test_only_admins_change_them(run: CommandLine) -> None:
    member = run.by("jonas.weidmann")
    assert "workspace admin" in member("meta-role", "add", "Planner", status=3).stderr
    assert member("meta-role", "list").stdout


def test_a_member_is_given_exactly_the_meta_roles_named_and_the_list_shows_what_follows(run: CommandLine) -> None:
    given = run("member", "meta-roles", "slow", "yuki", "analyst", "approver").stdout
    assert given == "Yuki Tanabe was given “Analyst” and “Approver”.\n"
    head, *lines = run("member", "list", "slow").stdout.splitlines()
    assert head.split()[-4:] == ["META", "ROLES", "PRODUCT", "ROLES"]
    yuki = next(line for line in lines if line.startswith("Yuki"))
    assert "Analyst, Approver" in yuki
    assert "Asset library: Approver" in yuki
    line = next(each for each in run.json("member", "list", "slow")["data"] if each["user"]["login"] == "yuki.tanabe")
    assert [each["metaRole"]["name"] for each in line["metaRoles"] if each["given"]] == ["Analyst", "Approver"]
    assert {"product", "role", "through"} == set(line["productRoles"][0])
    assert run("member", "meta-roles", "slow", "yuki").stdout == "Yuki Tanabe was given no meta role.\n"
    left = (
        "SELECT 1 FROM member_meta_role JOIN app_user ON app_user.id = user_id JOIN project ON project.id = project_id"
        " WHERE login = 'yuki.tanabe' AND project.name = ?"
    )
    assert rows(run, left, CAMPAIGN) == []
    run("member", "meta-roles", "slow", "yuki", "juggler", status=6)
    run.by("jonas.weidmann")("member", "meta-roles", "slow", "yuki", "lead", status=3)


def test_the_query_prints_the_documented_shape(run: CommandLine) -> None:
    asked = ("--user", "jonas.weidmann", "TASK_MOVE", "PROJECT_DELETE", "COMMENT_ADD")
    entry = {"account_id": account(run), "permissions": ["COMMENT_ADD", "TASK_MOVE"]}
    answer = {"total_count": 1, "data": [entry], "limit": 100, "offset": 0}
    assert run.json("permission", "query", "--project", "slow", *asked) == answer
    assert run.json("permission", "query", "--account", account(run), *asked) == answer
    head, line = run("permission", "query", "--project", "slow", *asked).stdout.splitlines()
    assert head.split() == ["ACCOUNT", "PERMISSIONS"]
    assert line.split() == [account(run), "COMMENT_ADD,", "TASK_MOVE"]


def test_without_an_account_the_query_pages_through_all(run: CommandLine) -> None:
    everything = run.json("permission", "query", "WORKSPACE_VIEW")
    assert everything["total_count"] == len(everything["data"]) > 12
    page = run.json("permission", "query", "WORKSPACE_VIEW", "--limit", "5", "--offset", "5")
    assert page["data"] == everything["data"][5:10]
    assert "5 of " in run("permission", "query", "WORKSPACE_VIEW", "--limit", "5").stdout
    assert run("permission", "query", "NO_SUCH_CODE").stdout == "None of these codes is held there.\n"


def test_a_query_that_cannot_be_asked_says_why(run: CommandLine) -> None:
    assert run.error("permission", "query", "TASK_MOVE", "--limit", "101", status=2)["errorCode"] == "INVALID_INPUT"
    assert run.error("permission", "query", "TASK_MOVE", "--account", "x", status=6)["errorCode"] == "NOT_FOUND"
    assert run.error("permission", "query", "task_move", status=2)["errorCode"] == "INVALID_INPUT"
    run("permission", "query", status=2)
    run("permission", "query", "TASK_MOVE", "--project", "slow", "--account", account(run), status=2)


def test_can_explains_and_its_exit_status_is_the_decision(run: CommandLine) -> None:
    held = run("permission", "can", "jonas", "MoveCard", "--project", "slow").stdout.splitlines()
    assert held[0] == "Jonas Weidmann can move cards to another status (TASK_MOVE): as contributor."
    assert held[1] == f"Role: contributor, on {CAMPAIGN}. Meta roles: Producer."
    assert held[2].startswith("Decided by: local, ")
    refused = run.json("permission", "can", "jonas", "PROJECT_DELETE", "--project", "slow", status=1)
    assert (refused["held"], refused["role"], refused["code"]) == (False, "contributor", "PROJECT_DELETE")
    assert "only owners can" in refused["reason"]
    wrong = run("permission", "can", "jonas", "task_mov", "--project", "slow", status=2).stderr
    assert "Did you mean “TASK_MOVE”" in wrong


def test_a_review_of_gates_says_who_can_decide_and_whose_absence_stops_it(run: CommandLine) -> None:
    run("project", "create", "Autumn")
    assert run("permission", "review", "Autumn").stdout.splitlines()[-1] == "No gate needs a decision."
    run("phase", "add", "Autumn", "Concept", "--gate", "review")
    source, empty, *gate = run("permission", "review", "Autumn").stdout.splitlines()
    assert source.startswith("The database of this workspace decides: owners and contributors named by the policy of")
    assert (empty, gate) == (
        "",
        ["1 Concept: an owner", "  Robin Ekholm can decide.", "  ! If Robin Ekholm is absent, no owner can decide."],
    )
    answer = run.json("permission", "review", "Autumn")
    [reviewed] = answer["data"]
    assert (answer["authority"]["source"], reviewed["needed"], reviewed["findings"]) == ("local", 1, [gate[2][4:]])
