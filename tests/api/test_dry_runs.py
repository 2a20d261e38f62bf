"""``?dryRun=true`` over a real server: every command answers what it would change, and nothing is changed."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any

import httpx
import pytest

from core.actions.cards.ask import AskForConsent
from core.actions.cards.cards import MoveCard
from core.actions.cards.tasks import CreateTask
from core.actions.projects.exports import ExportProject
from core.actions.projects.imports import ImportProject
from core.actions.projects.projects import ArchiveProject, DeleteProject
from core.domain.model import Status
from core.engine.messages import Command, Message
from core.server.requests.execution import Executor
from core.storage.progress import NO_PROGRESS
from core.wire.routes import as_dry_run, request_of
from tests.api.test_denials import lacking
from tests.api.test_openapi import check_fits, strict
from tests.support.api.server import ServerOfTests
from tests.support.expected_rights import CODE_OF, is_of_project
from tests.support.message_examples import messages
from tests.support.postgres_cluster import about_the_file
from tests.support.predictions import every_row
from tests.support.sweeps import every_message
from tests.support.workspace import World


def ask(client: httpx.Client, command: Message[Any], *, dry: bool = True, **headers: str) -> httpx.Response:
    method, target, body = as_dry_run(request_of(command)) if dry else request_of(command)
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    sent |= {"Content-Type": "application/json"} if body else {}
    return client.request(method, target, content=body or None, headers=sent)


@every_message(messages.COMMANDS)
def test_a_dry_run_is_answered_as_documented_and_denied_to_others(
    world: World, server: ServerOfTests, kind: type[Message[Any]]
) -> None:
    command = messages.COMMANDS[kind](world)
    client, actor = server.client(), lacking(world, kind)
    other = server.client(actor) if actor else server.stranger()
    rows = every_row(world.database.path)
    answer = ask(client, command, Idempotency_Key="once")
    assert answer.status_code == 200, answer.text
    check_fits(answer.json(), strict()["components"]["schemas"]["DryRun"])
    assert answer.json()["changes"] or kind is AskForConsent  # which leaves lines in inboxes only
    denied = ask(other, command, Idempotency_Key="once")
    is_unseen = actor == world.gus and is_of_project(CODE_OF[kind.__name__])
    assert denied.status_code == (404 if is_unseen else 403 if actor else 401)
    assert every_row(world.database.path) == rows
    refused = ask(other, command, dry=False)
    assert (refused.status_code, refused.json().get("details")) == (denied.status_code, denied.json().get("details"))


def test_a_dry_run_neither_uses_up_nor_answers_from_an_idempotency_key(world: World, server: ServerOfTests) -> None:
    client, command = server.client(), CreateTask(phase_id=world.discover.id, title="Brief")
    for _ in range(2):
        assert ask(client, command, Idempotency_Key="brief-1").json()["summary"] == "added the task “Brief”"
    assert world.rows("SELECT 1 FROM receipt") == []
    made = ask(client, command, dry=False, Idempotency_Key="brief-1")
    assert made.status_code == 201
    assert len(ask(client, command, Idempotency_Key="brief-1").json()["changes"]) == 1
    assert ask(client, command, dry=False, Idempotency_Key="brief-1").json() == made.json()
    assert len(world.rows("SELECT 1 FROM item")) == 1


@pytest.mark.parametrize("key", ["", "x" * 300, "a\tb"])
def test_a_wrong_idempotency_key_is_refused_as_without_a_dry_run(world: World, server: ServerOfTests, key: str) -> None:
    command = CreateTask(phase_id=world.discover.id, title="Brief")
    for dry in (True, False):
        refused = ask(server.client(), command, dry=dry, Idempotency_Key=key)
        assert (refused.status_code, refused.json()["details"]["field"]) == (400, "Idempotency-Key")
    assert world.rows("SELECT 1 FROM item") == []


def test_a_refused_dry_run_names_what_blocks_it_and_those_who_can_help(world: World, server: ServerOfTests) -> None:
    world.task("First")
    command = MoveCard(card_id=world.task("Later", phase=world.build).id, status=Status.IN_PROGRESS)
    refused = ask(server.client(world.bob), command)
    assert refused.status_code == 400
    assert refused.json()["errors"][0]["errorCode"] == "PHASE_LOCKED"
    assert refused.json()["details"]["whoCan"] == ["Maya Okafor"]
    assert [each["title"] for each in refused.json()["details"]["blockers"]] == ["First"]


@pytest.mark.parametrize("query", ["dryRun=yes", "dryRun=", "dryRun=true&dryRun=true", "dryRun=1", "dry_run=true"])
def test_a_dry_run_that_is_asked_for_wrongly_changes_nothing(world: World, server: ServerOfTests, query: str) -> None:
    task, client = world.task(), server.client()
    rows = every_row(world.database.path)
    for method, path, body in (
        ("POST", f"/v1/items/{task.id}/move", {"status": "IN_PROGRESS"}),
        ("POST", "/v1/projects/import", {"document": {}}),
        ("DELETE", f"/v1/projects/{world.project.id}", None),
    ):
        answer = client.request(method, f"{path}?{query}", json=body)
        assert answer.status_code == 400, answer.text
        assert answer.json()["details"]["field"] in ("dryRun", "dry_run")
    assert every_row(world.database.path) == rows


def test_a_query_has_no_dry_run_and_false_is_no_dry_run(world: World, server: ServerOfTests) -> None:
    task, client = world.task(), server.client()
    assert client.get("/v1/me?dryRun=true").status_code == 400
    moved = client.post(f"/v1/items/{task.id}/move?dryRun=false", json={"status": "IN_PROGRESS"})
    assert moved.json()["status"] == "IN_PROGRESS"


def test_an_import_has_a_dry_run_too(world: World, server: ServerOfTests) -> None:
    world.task()
    command = ImportProject(document=world.ask(ExportProject(project_id=world.project.id)), name="Again")
    answer = ask(server.client(), command, Idempotency_Key="import")
    assert {"project", "member", "phase", "item"} <= {each["entity"] for each in answer.json()["changes"]}
    assert world.rows("SELECT 1 FROM project WHERE name = 'Again'") == []


def test_no_one_hears_of_a_dry_run(world: World) -> None:
    heard: list[None] = []
    executor = Executor(world.engine, lambda: heard.append(None))
    command: Command[Any] = CreateTask(phase_id=world.discover.id, title="Brief")
    version = world.database.data_version()
    executor.dry_run(command, world.maya, NO_PROGRESS)
    assert heard == []
    assert world.database.data_version() == version
    executor.command(command, world.maya, None, NO_PROGRESS)
    assert heard == [None]


@about_the_file
def test_the_dry_run_of_a_deletion_is_answered_while_another_program_writes(
    world: World, server: ServerOfTests
) -> None:
    world.task("One")
    world.do(ArchiveProject(project_id=world.project.id))
    client = server.client()
    with closing(sqlite3.connect(world.database.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        answer = ask(client, DeleteProject(project_id=world.project.id))
        other.execute("ROLLBACK")
    assert answer.status_code == 200
    assert {"project", "item"} <= {each["entity"] for each in answer.json()["changes"]}
