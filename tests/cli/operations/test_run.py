"""``podium run`` takes every kind of field, refuses what is wrong by name, and ``podium commands`` tells them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.actions import catalog
from tests.cli.conftest import CommandLine


@pytest.fixture
def film(run: CommandLine) -> dict[str, Any]:
    return run.task("slow", "Edit the 45″ film")


def test_text_status_number_and_truth_are_read_from_words(run: CommandLine, film: dict[str, Any]) -> None:
    moved = run.json(
        "run",
        "MoveCard",
        f"card_id={film['id']}",
        "status=IN_PROGRESS",
        f"seen_version={film['version']}",
        "relock=yes",
    )
    assert (moved["status"], moved["version"]) == ("IN_PROGRESS", film["version"] + 1)
    assert moved["assigneeId"] == run.json("task", "show", film["key"])["data"][0]["people"][0]["id"]


def test_a_stale_version_ends_with_4(run: CommandLine, film: dict[str, Any]) -> None:
    words = ("run", "EditTask", f"task_id={film['id']}", "title=A=B", "seen_version=1")
    assert run.json(*words)["title"] == "A=B"
    assert run.error(*words, status=4)["errorCode"] == "VERSION_CONFLICT"


@pytest.mark.parametrize(("word", "due"), [("2030-01-02", "2030-01-02"), ("", None), ("none", None)])
def test_dates_are_read_as_people_type_them(run: CommandLine, film: dict[str, Any], word: str, due: str | None) -> None:
    assert run.json("run", "SetCardDueDate", f"card_id={film['id']}", f"due={word}")["due"] == due


def test_an_empty_id_is_none_and_an_empty_text_is_empty(run: CommandLine, film: dict[str, Any]) -> None:
    assert run.json("run", "AssignTask", f"task_id={film['id']}", "assignee_id=")["assigneeId"] is None
    assert run.json("run", "EditTask", f"task_id={film['id']}", "description=")["description"] == ""


def test_the_document_of_the_http_api_is_printed_without_a_server(run: CommandLine) -> None:
    written = json.loads(run("commands", "--openapi", "--json").stdout)
    assert written["openapi"] == "3.1.0"
    assert written["paths"]["/v1/items/{card_id}/move"]["post"]["operationId"] == "MoveCard"


def test_lists_are_read_with_commas(run: CommandLine) -> None:
    phase = run.json("phase", "list", "slow")["data"][2]["phase"]
    people = [line["user"]["id"] for line in run.json("member", "list", "slow")["data"]][:2]
    run("run", "AssignPhase", f"phase_id={phase['id']}", f"member_ids={','.join(people)}")
    assert [user["id"] for user in run.json("phase", "show", "slow", "3")["members"]] == sorted(people)


def test_bulk_takes_its_steps_as_json(run: CommandLine, film: dict[str, Any]) -> None:
    steps = [
        {"message": "SetCardDueDate", "card_id": film["id"], "due": "2030-03-04"},
        {"message": "ArchiveCard", "card_id": film["id"]},
        {"message": "DeleteCard", "card_id": film["id"]},
    ]
    project_id = run.project("Slow")["project"]["id"]
    given = json.dumps({"project_id": project_id, "commands": steps}).encode()
    result = run.json("run", "BulkUpdate", "--json-input", "-", stdin=given, status=1)
    assert result["done"] == 2
    assert [refusal["step"] for refusal in result["refused"]] == [2]
    assert run.task("slow", film["title"])["due"] == "2030-03-04"
    words = (f"project_id={project_id}", f"commands={json.dumps(steps[:1])}")
    assert run.json("run", "BulkUpdate", *words)["done"] == 1


def test_fields_come_from_a_file(run: CommandLine, film: dict[str, Any], tmp_path: Path) -> None:
    source = tmp_path / "fields.json"
    source.write_text(json.dumps({"item_id": film["id"], "text": "Seen."}))
    assert run.json("run", "AddComment", "--json-input", str(source))["text"] == "Seen."


def test_a_query_answers_a_collection_as_data(run: CommandLine) -> None:
    assert len(run.json("run", "ListUsers")["data"]) == 13
    assert "firstName: Robin" in run("run", "ListUsers").stdout
    assert "active: true" in run("run", "GetCurrentUser").stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["MovCard"], "Did you mean “MoveCard”"),
        (["MoveCard", "task=1"], "no field “task”. It takes: card_id"),
        (["MoveCard"], "needs “card_id” (text), “status” (one of TO_DO, IN_PROGRESS, COMPLETED, ARCHIVED)"),
        (["MoveCard", "card_id=1", "status=DOING"], "“status” must be one of TO_DO"),
        (["MoveCard", "card_id=1", "status=TO_DO", "seen_version=x"], "“seen_version” must be a whole number, or no"),
        (["MoveCard", "card_id=1", "status=TO_DO", "relock=perhaps"], "“relock” must be true or false"),
        (["SetCardDueDate", "card_id=1", "due=someday"], "cannot be read as a date"),
        (["SetPlatformRoles", "user_id=1", "platform_roles=BOSS"], "a list, each one of PLATFORM_ADMIN"),
        (["BulkUpdate", "project_id=1", "commands=[{}]"], '{"message": NAME'),
        (["BulkUpdate", "project_id=1", 'commands=[{"message":"GetCurrentUser"}]'], "GetCurrentUser changes nothing"),
        (["MoveCard", "status"], "is not FIELD=VALUE"),
        (["MoveCard", "status=TO_DO", "--json-input", "-"], "not both"),
    ],
)
def test_what_cannot_be_accepted_is_named_and_ends_with_2(run: CommandLine, words: list[str], said: str) -> None:
    error = run.error("run", *words, status=2)
    assert error["errorCode"] == "INVALID_INPUT"
    assert said in error["errorMessage"]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"\xff\xfe", "stdin is not UTF-8"),
        (b"{", "stdin is not JSON"),
        (b"[1]", "no JSON object"),
        (b"[" * 100_000, "stdin is not JSON"),
        (b'{"card_id": "1", "card_id": "2", "status": "TO_DO"}', "stdin cannot be read: it has a duplicate key."),
        (b'{"card_id": 5, "status": "TO_DO"}', "“card_id” must be text; “5” is not"),
        (b'{"card_id": "1", "status": "TO_DO", "seen_version": "3"}', "“seen_version” must be a whole number"),
    ],
)
def test_wrong_json_is_said_and_ends_with_2(run: CommandLine, data: bytes, said: str) -> None:
    assert said in run("run", "MoveCard", "--json-input", "-", stdin=data, status=2).stderr


def test_a_file_that_cannot_be_read_is_said(run: CommandLine, tmp_path: Path) -> None:
    assert "cannot be read" in run("run", "MoveCard", "--json-input", str(tmp_path), status=2).stderr


def test_messages_tells_every_message_with_fields_permission_route_and_help(run: CommandLine) -> None:
    told = {each["name"]: each for each in run.json("commands")["data"]}
    assert set(told) == set(catalog.BY_NAME)
    assert all(each["help"] and each["route"] and each["permission"] for each in told.values())
    text = run("commands").stdout
    assert "MoveCard  Move a task or an activity to another status." in text
    assert "card_id [seen_version] status [relock]" in text
    assert "status: one of TO_DO" in run("commands", "MoveCard").stdout
