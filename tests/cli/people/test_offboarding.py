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
    ada("product", "add", "Planner", "--url", "https://planner.example/")
    ada("product", "token", "create", "planner", "Live")
    run("product", "token", "create", "planner", "Of Robin")
    ada("os-account", "link", OTHER_ACCOUNT, "bo")
    run.by("amara.nwosu")("user", "role", "ada", "platform_admin")
    ada("token", "gateway", "create", "Web")
    run.by("amara.nwosu")("user", "role", "ada", "workspace_admin")
    run("os-account", "link", OS_USER, "ada")


OTHER_ACCOUNT = "games"
"""Another account that every machine has."""


def test_a_person_who_leaves_hands_over_and_keeps_no_way_in(run: CommandLine, ada: CommandLine) -> None:
    rows = every_row(run.db)
    shown = run("user", "offboard", "ada", "--reassign-to", "bo")
    assert every_row(run.db) == rows
    token, given = (each["id"] for each in ada.json("token", "list")["data"][::-1][:2])
    gateway = run.json("token", "gateway", "list")["data"][0]["id"]
    of_robin, live = run.json("product", "token", "list")["data"]
    (link,) = [each for each in run.json("os-account", "list")["data"] if each["osUser"] == OTHER_ACCOUNT]
    assert of_robin["makerId"] != live["makerId"] == link["makerId"]
    for line in (
        "Ada Ng has access.",
        "Project “Alone”: 3 open cards, and no other active owner.",
        "Project “Shared”: 2 open cards.",
        "1 project that you cannot see.",
        "“podium project list --ownerless” lists those without an owner; “podium project claim” takes one over.",
        f"Token “Own”, {token}.",
        f"Linked account “{OS_USER}”.",
        f"Token “For Bo” of Bo Ek, made by them: “podium token revoke {given}” ends it.",
        f"Gateway “Web”, made by them: “podium token gateway revoke {gateway}” ends it.",
        f"Link of the account “{OTHER_ACCOUNT}” to Bo Ek, made by them: "
        f"“podium os-account unlink {OTHER_ACCOUNT} --host {link['host']}” ends it.",
        "Token “Live” of the product “Planner”, made by them: "
        f"“podium product token revoke {live['productId']} {live['id']}” ends it.",
    ):
        assert line in shown.stdout.splitlines()
    assert "Of Robin" not in shown.stdout
    assert "Add --yes" in shown.stderr
    foreseen = run.json("user", "offboard", "ada", "--reassign-to", "bo", "--dry-run")
    assert {each["entity"] for each in foreseen["changes"]} >= {"app_user", "item", "token", "linked_account"}
    assert every_row(run.db) == rows
    left = run.json("user", "offboard", "ada", "--reassign-to", "bo", "--yes")
    assert (left["user"]["active"], left["tokens"], left["accounts"], left["hiddenProjects"]) == (False, [], [], 1)
    assert left["projects"] == [{"name": "Alone", "openCards": 0, "isSoleOwner": True}]
    made = [each.rpartition("“")[2].removesuffix("” ends it.").split() for each in left["made"]]
    assert len(made) == 4
    for command in made:
        run(*command[1:])  # each of the commands ends what it names
    assert run.json("os-account", "list")["data"] == []
    listed = [run.json(*each, "list")["data"] for each in (("token",), ("token", "gateway"), ("product", "token"))]
    assert [each["label"] for lines in listed for each in lines if each["state"] == "VALID"] == ["Of Robin"]
    assert run.json("user", "offboard", "ada")["made"] == []
    tasks = run.json("task", "list", "Shared")["data"]
    assert {task["title"]: "bo" in task["assignees"] for task in tasks} == {"First": True, "Second": False}
    assert run.json("user", "show", "ada")["linkedAccounts"] == []
    ada("project", "list", status=3)


def test_what_a_project_refuses_is_named_and_an_owner_from_outside_is_invited(
    run: CommandLine, ada: CommandLine
) -> None:
    ada("member", "role", "Alone", "robin", "owner")
    ada("member", "role", "Shared", "robin", "contributor")
    ada("member", "remove", "Shared", "bo")
    run("member", "role", "Alone", "ada", "contributor")
    rows = every_row(run.db)
    for more in (["--yes"], ["--dry-run"], []):
        left = run("user", "offboard", "ada", "--reassign-to", "bo", "--owner", "bo", *more, "--json", status=1)
        assert [each.split(": ") for each in json.loads(left.stdout)["refused"]] == [
            ["Shared", "Only owners can invite, change or remove members; you are a contributor."],
            ["Shared", "Only members of this project can be assigned. Invite them first, then assign."],
        ]
        assert left.stderr.startswith(
            "Nothing was changed: Ada Ng keeps their access. Let an owner of the project invite"
        )
    assert every_row(run.db) == rows
    ada("member", "add", "Shared", "bo", "--role", "contributor")
    ada("member", "role", "Shared", "robin", "owner")
    left = run.json("user", "offboard", "ada", "--reassign-to", "bo", "--owner", "bo", "--yes")
    assert (left["user"]["active"], left["projects"], left["refused"]) == (False, [], [])


def test_who_sees_none_of_the_projects_is_told_before_access_ends(run: CommandLine, ada: CommandLine) -> None:
    amara = run.by("amara.nwosu")
    assert (
        "3 projects that you cannot see" in amara("user", "offboard", "ada", "--owner", "bo", "--yes", status=1).stdout
    )
    assert amara.json("user", "offboard", "ada", "--yes")["hiddenProjects"] == 3


def test_undo_lets_a_person_who_left_in_again_without_their_tokens_and_accounts(
    run: CommandLine, ada: CommandLine
) -> None:
    run("user", "offboard", "ada", "--yes")
    said = "deactivated Ada Ng and ended 1 token and 1 linked account for good"
    assert said in run("undo").stdout
    shown = run.json("user", "show", "ada")
    assert (shown["user"]["active"], shown["linkedAccounts"]) == (True, [])
    assert {each["state"] for each in ada.json("token", "list")["data"] if each["label"] == "Own"} == {"REVOKED"}


def test_who_cannot_be_deactivated_hands_nothing_over(run: CommandLine, ada: CommandLine) -> None:
    run.by("amara.nwosu")("user", "role", "ada", "platform_admin")
    rows = every_row(run.db)
    for options in ([], ["--yes"], ["--dry-run"]):
        assert "platform admin" in run("user", "offboard", "ada", "--reassign-to", "bo", *options, status=3).stderr
    assert "you are an internal user" in run.by("bo")("user", "offboard", "ada", "--yes", status=3).stderr
    assert every_row(run.db) == rows
