"""``podium user offboard``: what a leaving person holds, to whom it goes, and the end of their access."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import CommandLine
from tests.support.message_examples.people import OS_USER
from tests.support.predictions import every_row


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("offboarding") / "prepared.db"


@pytest.fixture
def ada(run: CommandLine, prepared: Path) -> CommandLine:
    """Ada, who owns a project alone and another one with Robin, with cards, tokens and an account."""
    if not prepared.exists():  # the first test makes it, and the others copy it
        make_ada(run)
        shutil.copy(run.db, prepared)
    shutil.copy(prepared, run.db)
    return run.by("ada")


def make_ada(run: CommandLine) -> None:
    for first, last in (("Ada", "Ng"), ("Bo", "Ek")):
        run("user", "add", first, last, f"{first.lower()}@example.com", "--role", "internal")
    run("user", "role", "ada", "workspace_admin")
    ada = run.by("ada")
    for project in ("Alone", "Shared", "Hidden"):
        ada("project", "create", project)
        ada("phase", "add", project, "Now")
        for title in ("First", "Second"):
            ada("task", "add", project, "now", title, "--assignee", "ada")
        ada("activity", "add", project, "now", "Workshop")
        ada("activity", "assign", project, "workshop", "ada")
    for project, role in (("Alone", "contributor"), ("Shared", "owner")):
        ada("member", "add", project, "robin", "--role", role)
        ada("member", "add", project, "bo", "--role", "contributor")
    ada("activity", "assign", "Shared", "workshop", "ada", "robin", "bo")
    ada("task", "move", "Shared", "second", "done")
    ada("token", "create", "Own")
    ada("token", "create", "For Bo", "--for", "bo")
    run.by("amara.nwosu")("user", "role", "ada", "platform_admin")
    ada("token", "gateway", "create", "Web")
    run.by("amara.nwosu")("user", "role", "ada", "workspace_admin")
    run("os-account", "link", OS_USER, "ada")


def test_a_person_who_leaves_hands_over_and_keeps_no_way_in(run: CommandLine, ada: CommandLine) -> None:
    rows = every_row(run.db)
    shown = run("user", "offboard", "ada", "--reassign-to", "bo", "--owner", "robin")
    assert every_row(run.db) == rows
    token, given = (each["id"] for each in ada.json("token", "list")["data"][::-1][:2])
    gateway = run.json("token", "gateway", "list")["data"][0]["id"]
    for line in (
        "Ada Ng has access.",
        "Project “Alone”: 3 open cards, and no other active owner.",
        "Project “Shared”: 2 open cards.",
        "1 project that you cannot see. “podium project claim” takes one over.",
        f"Token “Own”, {token}.",
        f"Linked account “{OS_USER}”.",
        f"Token “For Bo” of Bo Ek, made by them: “podium token revoke {given}” ends it.",
        f"Gateway “Web”, made by them: “podium token gateway revoke {gateway}” ends it.",
        "Not handed over: Alone: Only owners can invite, change or remove members; you are a contributor.",
    ):
        assert line in shown.stdout.splitlines()
    assert "Add --yes" in shown.stderr
    dry = run("user", "offboard", "ada", "--reassign-to", "bo", "--owner", "robin", "--dry-run", "--json")
    assert dry.stderr.startswith("Not handed over: Alone: Only owners")
    foreseen = json.loads(dry.stdout)
    assert {each["entity"] for each in foreseen["changes"]} >= {"app_user", "item", "token", "linked_account"}
    assert every_row(run.db) == rows
    left = run.json("user", "offboard", "ada", "--reassign-to", "bo", "--yes")
    assert (left["user"]["active"], left["tokens"], left["accounts"], left["hiddenProjects"]) == (False, [], [], 1)
    assert left["projects"] == [{"name": "Alone", "openCards": 0, "isSoleOwner": True}]
    assert [each["label"] for each in left["madeForOthers"] + left["gatewayTokens"]] == ["For Bo", "Web"]
    bo = run.json("user", "show", "bo")["user"]["id"]
    assert {task["title"]: task["assigneeId"] == bo for task in run.json("task", "list", "Shared")["data"]} == {
        "First": True,
        "Second": False,
    }
    assert run.json("user", "show", "ada")["linkedAccounts"] == []
    ada("project", "list", status=3)


def test_what_a_project_refuses_is_named_and_an_owner_from_outside_is_invited(
    run: CommandLine, ada: CommandLine
) -> None:
    ada("member", "role", "Alone", "robin", "owner")
    ada("member", "role", "Shared", "robin", "contributor")
    ada("member", "remove", "Shared", "bo")
    run("member", "role", "Alone", "ada", "contributor")
    left = run.json("user", "offboard", "ada", "--reassign-to", "bo", "--owner", "bo", "--yes")
    assert left["projects"] == [{"name": "Shared", "openCards": 2, "isSoleOwner": True}]
    assert [each.split(":")[0] for each in left["refused"]] == ["Shared", "First", "Workshop"]
    assert "Only members of this project can be assigned" in left["refused"][1]


def test_who_cannot_be_deactivated_hands_nothing_over(run: CommandLine, ada: CommandLine) -> None:
    run.by("amara.nwosu")("user", "role", "ada", "platform_admin")
    rows = every_row(run.db)
    for options in ([], ["--yes"], ["--dry-run"]):
        assert "platform admin" in run("user", "offboard", "ada", "--reassign-to", "bo", *options, status=3).stderr
    assert "you are an internal user" in run.by("bo")("user", "offboard", "ada", "--yes", status=3).stderr
    assert every_row(run.db) == rows
