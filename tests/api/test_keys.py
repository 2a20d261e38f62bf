"""Keys in requests: AUT for the id of a project, AUT-12 for that of a card, in paths, queries and bodies."""

from __future__ import annotations

import pytest

from tests.support.api.server import ServerOfTests
from tests.support.workspace import World


@pytest.mark.parametrize("key", ["SPR", "spr"])
def test_keys_stand_for_ids_in_the_path_the_query_and_the_body(world: World, server: ServerOfTests, key: str) -> None:
    client, task = server.client(), world.task("Write the brief")
    assert client.get(f"/v1/projects/{key}/canvas").json()["head"]["projectId"] == world.project.id
    shown = client.get(f"/v1/items/{key}-1").json()
    assert (shown["item"]["id"], shown["item"]["number"], shown["key"]) == (task.id, 1, "SPR-1")
    found = client.get("/v1/search", params={"text": "brief", "project_id": key}).json()["data"]
    assert [hit["key"] for hit in found] == ["SPR-1"]
    moved = client.post(f"/v1/items/{key}-1/move", json={"status": "IN_PROGRESS", "seenVersion": 1})
    assert (moved.status_code, moved.json()["status"]) == (200, "IN_PROGRESS")
    step = {"message": "MoveCard", "cardId": f"{key}-1", "status": "COMPLETED"}
    assert client.post(f"/v1/projects/{key}/bulk", json={"commands": [step]}).json()["done"] == 1
    assert world.status(task) == "COMPLETED"


def test_a_key_that_is_taken_or_impossible_is_refused_with_its_field(world: World, server: ServerOfTests) -> None:
    other = world.new_project("Other")
    for key, words in (("spr", "Another project has or had the key SPR"), ("A1", "A key has 2 to 6 letters")):
        for answer in (
            server.client().post("/v1/projects", json={"name": "New", "key": key}),
            server.client().patch(f"/v1/projects/{other.id}", json={"key": key}),
        ):
            assert answer.status_code == 400
            assert words in answer.text


def test_a_stranger_cannot_try_out_which_keys_there_are(world: World, server: ServerOfTests) -> None:
    world.task("Write the brief")
    stranger = server.client(world.gus)
    answers = [stranger.get(f"/v1/items/{key}") for key in ("SPR-1", "SPR-2", "NONE-1")]
    assert {answer.status_code for answer in answers} == {404}
    assert {answer.json()["errors"][0]["errorCode"] for answer in answers} == {"NOT_FOUND"}
