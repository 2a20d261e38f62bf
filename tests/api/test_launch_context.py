"""The launch context is one object everywhere: in the answers of the API, on the command line, and as handed over."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from click.testing import CliRunner

from core.actions.products.launch import GetLaunchContext, LaunchApplication
from core.actions.projects.projects import LinkProject
from core.actions.workspace.hierarchy import AddNode
from core.domain.model import NodeKind
from core.domain.products.launch_context import environment, web_url
from core.domain.products.products import Application
from tests.support.api.server import ServerOfTests
from tests.support.postgres_cluster import DIRECT, place_of
from tests.support.sample_products.fragments import unpacked
from tests.support.workspace import World
from tui.cli.program import podium


@pytest.fixture
def held(world: World) -> Application:
    """An application in a project that links a client."""
    client = world.do(AddNode(kind=NodeKind.CLIENT, name="Halden “Föods”"))
    world.do(LinkProject(project_id=world.project.id, client_id=client.id))
    return world.add_application(world.product(required_context=(NodeKind.CLIENT,)))


@pytest.fixture
def printed(world: World, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Runs the command line on the workspace, and returns its output."""
    for name in [name for name in os.environ if name.startswith("PODIUM_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PODIUM_CONFIG", os.devnull)
    place = ["--db", place_of(world.database.path), "--as", "maya", *DIRECT]
    return lambda *words: str(CliRunner().invoke(podium, [*words, *place], catch_exceptions=False).stdout)


def expected(world: World, held: Application) -> dict[str, Any]:
    (client,) = world.rows("SELECT id, name FROM hierarchy_node")
    item = {"id": held.id, "type": "APPLICATION", "phaseId": held.phase_id, "activityId": None}
    return {
        "project": {"id": world.project.id, "name": "Spring launch", "items": [item]},
        "hierarchy": {"client": client, "market": None, "brand": None},
        "additional": {"projectAuthId": world.row("project", id=world.project.id)["auth_id"]},
    }


def test_an_application_is_launched_with_the_same_bytes_everywhere(
    world: World, server: ServerOfTests, held: Application, printed: Callable[..., str]
) -> None:
    text = world.ask(GetLaunchContext(application_id=held.id)).as_json()
    assert json.loads(text) == expected(world, held)
    maya = server.client()
    assert maya.get(f"/v1/applications/{held.id}/context").text == text
    launched = maya.post(f"/v1/applications/{held.id}/launch")
    assert f'"context":{text}' in launched.text
    assert launched.json()["launch"]["context"] == text
    exchanged = server.stranger().get(f"/v1/launches/{launched.json()['code']}").json()
    assert exchanged.pop("userId") == world.maya.user_id
    assert exchanged == json.loads(text)
    handed = world.do(LaunchApplication(application_id=held.id))
    assert environment(handed.context, world.maya.user_id, {})["PODIUM_LAUNCH_CONTEXT"] == text
    fragment = parse_qs(urlsplit(web_url("https://a.example", handed.context, world.maya.user_id, "")).fragment)
    assert (unpacked(fragment["context"][0]), fragment["userId"]) == (text, [world.maya.user_id])
    assert printed("launch", "Spring launch", held.name, "--dry-run") == text + "\n"
    shown = printed("run", "GetLaunchContext", f"application_id={held.id}", "--json")
    assert json.loads(shown) == {"formatVersion": 1, **json.loads(text)}


def test_outside_of_a_project_the_object_has_the_same_keys(
    world: World, server: ServerOfTests, printed: Callable[..., str]
) -> None:
    product = world.product()
    wanted = {"project": None, "hierarchy": {"client": None, "market": None, "brand": None}, "additional": {}}
    assert server.client().get(f"/v1/products/{product.id}/context").json() == wanted
    assert server.client().post(f"/v1/products/{product.id}/launch").json()["context"] == wanted
    shown = printed("run", "GetProductContext", f"product_id={product.id}", "--json")
    assert json.loads(shown) == {"formatVersion": 1, **wanted}
    told = printed("run", "GetProductContext", f"product_id={product.id}")
    assert "data" not in told
