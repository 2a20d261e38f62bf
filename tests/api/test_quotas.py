"""Quotas over HTTP: what ``podium serve`` sets, what is answered, and what is in the database then."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import httpx

from core.actions import load_catalog
from core.domain.quotas import Quotas
from core.engine.engine import Engine
from tests.support.api.program import ServerProgram
from tests.support.api.server import ServerOfTests, token_for
from tests.support.workspace import World, gather, new_database


def refused(answer: httpx.Response) -> str:
    """The sentence of a refusal by a quota."""
    (error,) = answer.json()["errors"]
    assert (answer.status_code, error["errorCode"]) == (400, "QUOTA_REACHED")
    return str(error["errorMessage"])


def test_a_guest_who_makes_tokens_gets_no_more_than_the_quota(world: World, server: ServerOfTests) -> None:
    world.engine.quotas = Quotas(tokens=5)
    guest = server.client(world.gus)  # with one token
    answers = [guest.post("/v1/tokens", json={"label": f"Token {number}"}) for number in range(30)]
    assert [answer.status_code for answer in answers] == [201] * 4 + [400] * 26
    assert "You have 5 valid tokens; one user can have at most 5." in refused(answers[-1])
    assert len(world.rows("SELECT id FROM token WHERE user_id = :me", me=world.gus.user_id)) == 5
    told = guest.get(answers[-1].json()["errors"][0]["link"].split("http://localhost")[-1])
    assert (told.status_code, told.json()["code"]) == (200, "QUOTA_REACHED")
    mine = guest.get("/v1/tokens").json()["data"][0]["id"]
    assert guest.post(f"/v1/tokens/{mine}/revoke").status_code == 200
    assert guest.post("/v1/tokens", json={"label": "Instead"}).status_code == 201


def test_a_gateway_opens_no_more_sessions_for_one_person_than_the_quota(world: World, server: ServerOfTests) -> None:
    world.engine.quotas = Quotas(sessions=2)
    gateway = server.as_gateway()
    answers = [gateway.post("/v1/sessions", json={"login": "vera"}) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [201, 201, 400]
    assert "one user can have at most 2" in refused(answers[-1])
    assert gateway.post("/v1/sessions", json={"login": "bob"}).status_code == 201


def test_a_refused_import_leaves_nothing_and_the_answers_kept_under_a_key_count_as_text(
    world: World, server: ServerOfTests
) -> None:
    maya = server.client()
    document = maya.get(f"/v1/projects/{world.project.id}/export").json()
    world.engine.quotas = Quotas(imports_a_day=1)
    assert maya.post("/v1/projects/import", json={"document": document}).status_code == 201
    projects = world.rows("SELECT * FROM project")
    assert "can import 1 project a day" in refused(maya.post("/v1/projects/import", json={"document": document}))
    assert world.rows("SELECT * FROM project") == projects
    amounts = []
    for number in range(400):  # each changes nothing, and its answer is kept
        answer = maya.patch(
            f"/v1/projects/{world.project.id}",
            json={"name": world.project.name},
            headers={"Idempotency-Key": f"key-{number}"},
        )
        assert answer.status_code == 200
        amounts = world.rows("SELECT amount FROM usage WHERE kind = 'TEXT'")
        if amounts and number > 200:
            break
    assert amounts[0]["amount"] > 16_000


def test_serve_takes_the_quotas_from_its_settings(tmp_path: Path) -> None:
    path = tmp_path / "served.db"
    engine = Engine(new_database(path), load_catalog, clock=lambda: datetime.now(UTC))
    world = World(engine, gather(engine))
    token = token_for(world, world.maya)
    engine.close()
    with ServerProgram(path, settings="max_projects_a_day = 2") as server:
        headers = {"Authorization": f"Bearer {token}"}
        answers = [server.client.post("/v1/projects", json={"name": f"P{n}"}, headers=headers) for n in range(3)]
    assert [answer.status_code for answer in answers] == [201, 201, 400]
    assert "raise “max_projects_a_day”" in refused(answers[-1])
