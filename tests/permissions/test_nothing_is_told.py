"""No answer reveals hidden data: with other secrets in the database, every answer has the same bytes.

Two copies of a workspace differ only in texts that the sender cannot see. Every message of the catalog is sent to
both, with ids of records that the sender cannot see, by strangers and by guests on a project of their own.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from core.actions import load_catalog
from core.actions.cards.ask import AskForConsent
from core.actions.catalog import MESSAGES
from core.actions.products.products import ListProducts
from core.actions.projects.lists import GetProject
from core.actions.projects.members import InviteMember
from core.actions.projects.projects import CreateProject
from core.actions.templates.apply import SaveTemplate
from core.actions.workspace.hierarchy import AddNode, GetHierarchy
from core.actions.workspace.users import AddUser, ListUsers
from core.codec.encoding import to_json
from core.domain.model import Id, NodeKind, PlatformRole, ProjectRole
from core.domain.permissions import PROJECT_CODES
from core.engine.engine import Engine
from core.engine.messages import Message
from core.engine.unit_of_work import Actor
from core.errors import NotFound, PodiumError
from core.record import fields, replace
from core.wire.error_bodies import to_error_body
from tests.support.expected_rights import UNSEEN, Rehearsal
from tests.support.message_examples import messages as samples
from tests.support.prepared import new_world
from tests.support.sweeps import every_message
from tests.support.workspace import Clock, World, copy_of, open_database_of_test, send

OF_PROJECTS = {
    "project": "name description",
    "phase": "name objectives outcomes",
    "deliverable": "name evidence",
    "item": "title description",
    "field": "name choices",
    "comment": "text",
    "application": "name",
    "gate_record": "reason",
    "change": "summary",
    "preset": "name",
}
"""The texts of projects, which nobody sees who is not on them."""

OF_WORKSPACE = {
    "app_user": "first_name last_name email login city",
    "hierarchy_node": "name",
    "product": "name description url",
    "application_role": "name",
    "template": "name description",
    "template_version": "note body",
}
"""The texts that the workspace shares, of which guests see what their own projects have."""

ULID = re.compile(r"\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b|\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")
NOWHERE = "01ARZ3NDEKTSV4RRFFQ69G5FAV"

OF_OWNERS = frozenset({"ListProductOptions", "AddApplication"})
"""What a guest who owns a project needs of the workspace: products to add."""

by_kind = every_message(MESSAGES)


class Scene(NamedTuple):
    """A workspace with a project that is nobody's but Maya's, and one of guests."""

    world: World
    secret: dict[str, Any]
    """By the names of the fields of messages, ids of what the guests may not see."""
    garden: Id
    stranger: Actor
    """A guest on no project."""
    colleague: Actor
    """On no project either, and no guest: who sees what the workspace shares."""
    guests: dict[str, Actor]
    """The guests on the garden, by role."""


def _furnish(world: World) -> Scene:
    halden = world.do(AddNode(kind=NodeKind.CLIENT, name="Halden Ltd"))
    world.do(CreateProject(name="Vault", client_id=halden.id))
    product = world.product("Deal room", permission_codes=("DEALROOM_VIEW",))
    task, activity = world.task("Buy the rival"), world.activity("Talks")
    application = world.add_application(product, name="Deals")
    template = world.do(SaveTemplate(project_id=world.project.id, name="Takeover"))
    garden = world.new_project("Garden")

    def add(name: str, role: ProjectRole | None, *roles: PlatformRole) -> Actor:
        user = AddUser(first_name=name, last_name="Moss", email=f"{name.lower()}@moss.example", platform_roles=roles)
        actor = Actor(world.do(user).id)
        if role:
            world.do(InviteMember(project_id=garden.id, user_id=actor.user_id, role=role))
        return actor

    secret = {
        "project_id": world.project.id,
        "account_id": world.project.auth_id,
        "phase_id": world.build.id,
        "before_id": task.id,
        "task_id": task.id,
        "item_id": task.id,
        "card_id": task.id,
        "activity_id": activity.id,
        "application_id": application.id,
        "product_id": product.id,
        "client_id": halden.id,
        "node_id": halden.id,
        "parent_id": halden.id,
        "template_id": template.id,
        "user_id": world.gus.user_id,
        "assignee_id": world.gus.user_id,
        "member_ids": (world.gus.user_id,),
    }
    guests = {role.value: add(role.value.title(), role) for role in ProjectRole}
    return Scene(world, secret, garden.id, add("Stranger", None), add("Colleague", None, PlatformRole.INTERNAL), guests)


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    world = new_world(tmp_path_factory.mktemp("secrets") / "secrets.db")
    yield _furnish(world)
    world.engine.close()


@contextmanager
def _copied(world: World, path: Path) -> Iterator[World]:
    copy_of(world.database, path)
    again = copy.copy(world)
    again.database = open_database_of_test(path, synchronous="OFF")
    again.engine = Engine(again.database, load_catalog, clock=Clock())
    try:
        yield again
    finally:
        again.engine.close()


def _on_garden(world: World, scene: Scene) -> World:
    """The same workspace, for samples about the project of the guests."""
    mine = copy.copy(world)
    mine.project = scene.world.ask(GetProject(project_id=scene.garden)).project
    mine.discover, mine.build, mine.launch = (mine.phase(name, scene.garden) for name in ("Dig", "Sow", "Reap"))
    for actor in (world.bob, world.vera):
        mine.do(InviteMember(project_id=scene.garden, user_id=actor.user_id))
    return mine


def _rewrite(world: World, garden: Id, tables: dict[str, str]) -> None:
    """Other texts for all that is not of the garden."""

    def write(tx: Any) -> None:
        for table, columns in tables.items():
            keys = {key for row in tx.query(f"SELECT * FROM {table} LIMIT 1") for key in row.keys()}  # noqa: SIM118
            where = "project_id <> :garden" if "project_id" in keys else "id <> :garden"
            if table == "app_user":
                garden_s = "id IN (SELECT user_id FROM member WHERE project_id = :garden)"
                where = f"NOT ({garden_s}) AND first_name <> 'Stranger'"
            elif table in ("product", "application_role"):
                mine = "(SELECT product_id FROM application WHERE project_id = :garden)"
                where = f"{'id' if table == 'product' else 'product_id'} NOT IN {mine}"
            elif table == "hierarchy_node":
                where = "id NOT IN (SELECT coalesce(client_id, '') FROM project WHERE id = :garden)"
            elif table == "template_version":
                where = "by_id IS NOT NULL AND :garden = :garden"
            elif table == "template":
                where = "id IN (SELECT template_id FROM template_version WHERE by_id IS NOT NULL) AND :garden = :garden"
            elif table == "change":
                where = "project_id NOT IN (:garden, 'workspace')"
            for column in columns.split():
                new = f"'Other ' || {column}"
                if column == "body":
                    new = 'replace(body, \'"name": "\', \'"name": "Other \')'
                elif column == "choices":
                    new = "replace(choices, '[\"', '[\"Other ')"
                tx.execute(f"UPDATE {table} SET {column} = {new} WHERE {where}", garden=garden)
        if "product" in tables:
            tx.execute("UPDATE product SET permission_codes = replace(permission_codes, 'DEALROOM', 'OTHER_ROOM')")

    world.database.write(write)


def _answer(world: World, message: Message[Any], actor: Actor) -> str:
    """The sender's answer; changes are rolled back."""
    try:
        result = _carry_out(world, message, actor)
    except PodiumError as error:
        return ULID.sub("*", json.dumps(to_error_body(error, ""), sort_keys=True))
    if getattr(message, "returns_secret", False):
        return "done"
    return ULID.sub("*", json.dumps(to_json(result), sort_keys=True))


def _carry_out(world: World, message: Message[Any], actor: Actor) -> Any:
    return send(Rehearsal(world.database).engine(Clock()), message, actor)


def _with_foreign_ids(message: Message[Any], secret: dict[str, Any]) -> Iterator[Message[Any]]:
    """The message with each of its ids, one after the other, that of something secret."""
    yield message
    for name in fields(message):
        if name in secret:
            yield replace(message, **{name: secret[name]})


def _compare(here: World, there: World, messages: list[Message[Any]], actors: dict[str, Actor]) -> list[str]:
    """The differences of the answers."""
    found = []
    for message in messages:
        for role, actor in actors.items():
            one, other = _answer(here, message, actor), _answer(there, message, actor)
            if one != other:
                found.append(f"{message} of {role}:\n  {one}\n  {other}")
    return found


@by_kind
def test_strangers_learn_nothing_of_a_project_not_even_whether_it_exists(
    scene: Scene, kind: type[Message[Any]], tmp_path: Path
) -> None:
    strangers = {"colleague": scene.colleague, "stranger": scene.stranger, **scene.guests}
    with _copied(scene.world, tmp_path / "here.db") as here:
        message = samples.ALL[kind](here)
        with _copied(here, tmp_path / "there.db") as there:
            _rewrite(there, scene.garden, OF_PROJECTS)
            assert _compare(here, there, [message], strangers) == []
        for actor in strangers.values() if kind.permission in PROJECT_CODES else ():
            answers = [_answer(here, each, actor) for each in (message, _about_nothing(message))]
            assert answers[0] == answers[1]
            with pytest.raises(NotFound, match=UNSEEN):
                _carry_out(here, message, actor)


@by_kind
def test_guests_learn_nothing_but_what_their_own_projects_have(
    scene: Scene, kind: type[Message[Any]], tmp_path: Path
) -> None:
    with _copied(scene.world, tmp_path / "here.db") as here:
        message = samples.ALL[kind](_on_garden(here, scene))
        with _copied(here, tmp_path / "there.db") as there:
            _rewrite(there, scene.garden, OF_PROJECTS | OF_WORKSPACE)
            messages = list(_with_foreign_ids(message, scene.secret))
            guests = {"stranger": scene.stranger} | {role: scene.guests[role] for role in ("VIEWER", "CONTRIBUTOR")}
            if kind.__name__ not in OF_OWNERS:
                guests["OWNER"] = scene.guests["OWNER"]
            assert _compare(here, there, messages, guests) == []


def test_members_see_the_difference(scene: Scene, tmp_path: Path) -> None:
    """So that the comparison finds one where there is one."""
    with _copied(scene.world, tmp_path / "here.db") as here, _copied(scene.world, tmp_path / "there.db") as there:
        _rewrite(there, scene.garden, OF_PROJECTS | OF_WORKSPACE)
        for kind in (GetProject, ListUsers, ListProducts, GetHierarchy):
            message = samples.ALL[kind](here)
            assert _compare(here, there, [message], {"maya": here.maya}) != []


def _about_nothing(message: Any) -> Message[Any]:
    """The message about something that does not exist, by the field that names its project, or what it is about."""
    if isinstance(message, AskForConsent):
        return replace(message, commands=tuple(map(_about_nothing, message.commands)))
    named = re.findall(r"{(\w+)}", message.route)
    changed: Message[Any] = replace(message, **{str(named[0]): NOWHERE})
    return changed
