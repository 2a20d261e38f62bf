"""JSON in the database keeps its spelling: its bytes are those of the fixture, and older rows are read.

``python -m tests.unit.storage.test_stored_json`` writes the fixture again, after a migration that changes stored JSON.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch
from uuid import UUID

from core.actions import load_catalog
from core.actions.cards.activities import AssignActivity
from core.actions.cards.bulk import BulkUpdate
from core.actions.cards.cards import MoveCard
from core.actions.cards.tasks import CreateTask, EditTask
from core.actions.history.history import Undo
from core.actions.personal.presets import SavePreset
from core.actions.products.products import AddApplicationRole, EditProduct
from core.actions.projects.projects import CreateProject, SetFavourite
from core.actions.templates.apply import CreateProjectFromTemplate, SaveTemplate
from core.actions.templates.templates import ListTemplates
from core.actions.workflow.gates import DecideGate
from core.actions.workspace.meta_roles import AddMetaRole, SetMetaRoles
from core.domain.gates import Decision
from core.domain.model import Gate, NodeKind, Status
from core.domain.view_settings import CardField, Layout, PhaseSection
from core.engine.engine import Engine
from core.engine.idempotency import IdempotencyKey
from core.engine.messages import Command
from core.server.requests.execution import Executor
from core.storage.progress import NO_PROGRESS
from core.templates.json_format import from_text, to_text
from core.wire.result_decoder import read
from tests.support.postgres_cluster import about_the_file
from tests.support.workspace import Clock, World, gather, new_database

FIXTURE = Path(__file__).with_name("stored_json.json")
"""Every text in the database that is a JSON object or list, by table and column, and the stored responses."""


@contextmanager
def numbered_ids() -> Iterator[None]:
    numbers = count(1)
    with (
        patch("core.engine.unit_of_work.new_ulid", lambda: f"01{next(numbers):024}"),
        patch("uuid.uuid4", lambda: UUID(int=next(numbers))),
    ):
        yield


def commands(world: World) -> Iterator[Command[Any]]:
    """One of each kind that stores JSON: history, presets, templates, lists of codes and people."""
    task = world.task("Write “the brief” – ½ \\ \t☃", due=date(2026, 3, 9), description="Two\nlines")
    activity = world.activity("Interviews")
    scout = world.do(AddMetaRole(name="Scout"))
    product = world.product(permission_codes=("ASSET_VIEW", "ASSET_EDIT"), uses_external_authorization=True)
    yield EditTask(task_id=task.id, title="Write it", description="")
    yield MoveCard(card_id=task.id, status=Status.IN_PROGRESS)
    yield AssignActivity(activity_id=activity.id, member_ids=(world.maya.user_id, world.bob.user_id))
    yield CreateProject(name="Łódź", start=date(2026, 4, 1))
    yield SetFavourite(project_id=world.project.id, favourite=True)
    yield EditProduct(product_id=product.id, required_context=(NodeKind.BRAND, NodeKind.CLIENT))
    yield AddApplicationRole(
        product_id=product.id, name="Reader", permission_codes=("ASSET_VIEW",), meta_role_ids=(scout.id,)
    )
    yield SetMetaRoles(project_id=world.project.id, user_id=world.bob.user_id, meta_role_ids=(scout.id,))
    yield SavePreset(
        project_id=world.project.id,
        name="Mine",
        layout=Layout.TABLE,
        fields=(CardField.DUE, CardField.ASSIGNEES),
        sections=(PhaseSection.TASKS,),
    )
    yield BulkUpdate(
        project_id=world.project.id,
        commands=(
            MoveCard(card_id=task.id, status=Status.COMPLETED),
            CreateTask(phase_id=world.build.id, title="Not yet"),
        ),
    )
    yield Undo(project_id=world.project.id)
    world.phase("Review", gate=Gate.REVIEW, evidence_required=True, objectives="Two\nlines")
    world.add_application(world.product("Planner"), activity_id=activity.id)
    yield SaveTemplate(project_id=world.project.id, name="Spring", note="First")
    yield DecideGate(phase_id=world.discover.id, decision=Decision.HOLD, reason="Wait")
    (spring,) = [each for each in world.ask(ListTemplates()) if each.template.name == "Spring"]
    yield CreateProjectFromTemplate(template_id=spring.template.id, name="Summer", start=date(2026, 6, 1))


def json_texts(world: World) -> dict[str, set[str]]:
    """The JSON objects and lists that are in the database, by table and column."""
    found: dict[str, set[str]] = {}
    for table in [row["name"] for row in world.rows("SELECT name FROM sqlite_master WHERE type = 'table'")]:
        if not table.startswith(("sqlite_", "search", "receipt")):
            for row in world.rows(f"SELECT * FROM {table}"):
                for column, value in row.items():
                    if isinstance(value, str) and value.startswith(("{", "[")):
                        found.setdefault(f"{table}.{column}", set()).add(value)
    return found


def stored(path: Path) -> tuple[dict[str, Any], list[Command[Any]]]:
    """The rows that a new database stores of these commands, and the commands."""
    with numbered_ids():
        database = new_database(path)
        engine = Engine(database, load_catalog, clock=Clock())
        world, executor = World(engine, gather(engine)), Executor(engine, lambda: None)
        before, sent = json_texts(world), []
        for number, command in enumerate(commands(world)):
            executor.command(command, world.maya, IdempotencyKey(f"key {number}", "request"), NO_PROGRESS)
            sent.append(command)
    texts = {column: sorted(found - before.get(column, set())) for column, found in json_texts(world).items()}
    responses = [row["answer"] for row in world.rows("SELECT answer FROM receipt ORDER BY length(key), key")]
    database.close()
    texts = {column: sorted(found) for column, found in sorted(texts.items())}
    return {"texts": texts, "responses": responses}, sent


@about_the_file
def test_stored_json_has_the_bytes_of_the_fixture(tmp_path: Path) -> None:
    assert stored(tmp_path / "podium.db")[0]["texts"] == json.loads(FIXTURE.read_text())["texts"]


def test_workflows_of_templates_that_were_stored_before_are_read_and_written_as_they_were() -> None:
    bodies = json.loads(FIXTURE.read_text())["texts"]["template_version.body"]
    assert bodies
    assert [to_text(from_text(each)) for each in bodies] == bodies


@about_the_file
def test_responses_that_were_stored_before_are_read_as_those_of_now(tmp_path: Path) -> None:
    """Those of the fixture have times with "+00:00", those of now with "Z"."""
    now, sent = stored(tmp_path / "podium.db")
    before = json.loads(FIXTURE.read_text())["responses"]
    assert len(before) > 10
    for command, old, new in zip(sent, before, now["responses"], strict=True):
        assert read(command, old.encode()) == read(command, new.encode())


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        FIXTURE.write_text(json.dumps(stored(Path(folder) / "podium.db")[0], indent=1, ensure_ascii=False) + "\n")
