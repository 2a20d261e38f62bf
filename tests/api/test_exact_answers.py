"""Requests that are wrong in form get the status of the table, in its form, and change nothing."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import httpx
import pytest

from core.actions.cards.tasks import EditTask
from core.domain.products.launch_context import CODE_SECONDS
from core.errors import VersionConflict
from tests.support.api.server import ServerOfTests
from tests.support.workspace import World, content

JSON = {"Content-Type": "application/json"}


def said(answer: httpx.Response) -> Any:
    """The code or the status of the only error in an answer, in either form."""
    assert answer.headers["Content-Type"] == "application/json"
    assert re.fullmatch(r"[0-9a-f]{32}", answer.headers["X-Correlation-Id"])
    assert "Traceback" not in answer.text
    (error,) = answer.json()["errors"]
    return error.get("errorCode", error.get("status_code"))


UNREADABLE = {
    "no JSON": b"{",
    "an array": b"[]",
    "nothing": b"null",
    "a word": b'"name"',
    "a key that is given twice": b'{"name": "A", "name": "B"}',
    "NaN": b'{"name": NaN}',
    "infinity": b'{"name": "A", "start": Infinity}',
    "half a letter": rb'{"name": "\ud800"}',
    "half a letter as a key": rb'{"\ud800": "x", "name": "A"}',
    "NUL in a name": rb'{"name": "a\u0000b"}',
    "NUL in an id": rb'{"name": "A", "clientId": "a\u0000b"}',
    "a truth value as text": b'{"name": true}',
    "a number as text": b'{"name": 5}',
    "an unknown field": b'{"name": "A", "colour": "red"}',
    "a field in snake_case": b'{"name": "A", "client_id": null}',
    "no UTF-8": b'{"name": "\xff"}',
    "UTF-16": '{"name": "A"}'.encode("utf-16"),
    "a byte order mark": b'\xef\xbb\xbf{"name": "A"}',
    "deep nesting": b'{"name": ' + b"[" * 5000 + b"]" * 5000 + b"}",
    "wide nesting": b'{"name": ' + b"[" * 40 + b"]" * 40 + b"}",
    "nothing but spaces": b"  ",
    "a day that is none": b'{"name": "A", "start": "2026-02-30"}',
    "a moment as a day": b'{"name": "A", "start": "2026-02-03T00:00:00"}',
}


@pytest.mark.parametrize("what", UNREADABLE)
def test_a_body_that_does_not_validate_is_a_400_in_form_b(world: World, server: ServerOfTests, what: str) -> None:
    before = content(world.database)
    answer = server.client().post("/v1/projects", content=UNREADABLE[what], headers=JSON)
    assert (answer.status_code, said(answer)) == (400, 400)
    assert content(world.database) == before


@pytest.mark.parametrize("version", [b"true", b"1.5", b"1.0", b'"1"', b"9007199254740993", b"1e400", b"-1e3"])
def test_a_number_is_a_whole_number_that_every_database_holds(
    world: World, server: ServerOfTests, version: bytes
) -> None:
    path = f"/v1/projects/{world.project.id}"
    answer = server.client().patch(path, content=b'{"name": "A", "seenVersion": %s}' % version, headers=JSON)
    assert (answer.status_code, said(answer)) == (400, 400)
    assert answer.json()["details"]["field"] == "seenVersion" or version == b"1e400"


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        (None, 415), ("text/plain", 415), ("application/jsonx", 415), ("application/json; charset=latin-1", 415),
        ("application/merge-patch+json", 415), ("application/json", 201), ("Application/JSON; charset=UTF-8", 201),
        ('application/json;charset="utf-8"', 201),
    ],
)  # fmt: skip
def test_a_body_is_declared_as_json(world: World, server: ServerOfTests, kind: str | None, status: int) -> None:
    answer = server.client().post(
        "/v1/projects", content=b'{"name": "Declared"}', headers={"Content-Type": kind} if kind else {}
    )
    assert answer.status_code == status
    assert len(world.rows("SELECT id FROM project WHERE name = 'Declared'")) == (status == 201)
    assert status == 201 or said(answer) == "UNSUPPORTED_MEDIA_TYPE"


def test_a_body_that_is_packed_is_refused_and_an_empty_one_needs_no_type(world: World, server: ServerOfTests) -> None:
    headers = {**JSON, "Content-Encoding": "gzip"}
    assert server.client().post("/v1/projects", content=b"{}", headers=headers).status_code == 415
    task = world.task()
    assert server.client().post(f"/v1/items/{task.id}/archive").status_code == 200


@pytest.mark.parametrize(
    "query",
    [
        "colour=red", "archived=true&archived=true", "archived=1", "archived=yes", "archived=", "archived",
        "Archived=true", "archived=%00true",
    ],
)  # fmt: skip
def test_a_query_takes_its_own_parameters_once(server: ServerOfTests, query: str) -> None:
    answer = server.client().get(f"/v1/projects?{query}")
    assert (answer.status_code, said(answer)) == (400, 400)


@pytest.mark.parametrize("number", ["", "x", "1.5", "--1", "1e3", "٣", " 1", "9007199254740993", "9" * 5000])
def test_a_number_in_a_query_is_a_whole_number(world: World, server: ServerOfTests, number: str) -> None:
    answer = server.client().get(f"/v1/projects/{world.project.id}/changes", params={"since": number})
    assert (answer.status_code, said(answer)) == (400, 400)
    assert answer.json()["details"]["field"] == "since"


@pytest.mark.parametrize("path", ["/v1/projects/a%00b", "/v1/items/%00", "/v1/projects/x/explain?user_id=%00&action=A"])
def test_nul_is_in_no_id(server: ServerOfTests, path: str) -> None:
    answer = server.client().get(path)
    assert (answer.status_code, said(answer)) == (400, 400)


def test_what_is_in_the_wrong_place_is_refused(world: World, server: ServerOfTests) -> None:
    maya, path = server.client(), f"/v1/projects/{world.project.id}"
    for answer in (
        maya.patch(f"{path}?name=A", json={"name": "A"}),
        maya.patch(path, json={"name": "A", "projectId": world.project.id}),
        maya.request("GET", path, content=b"{}", headers=JSON),
        maya.put("/v1/role-mappings/KING", json={"metaRoleIds": []}),
    ):
        assert (answer.status_code, said(answer)) == (400, 400)


NOWHERE = ("/", "/v1", "/v1/", "/v1/nowhere", "/v1/me/", "/v1/projects/", "//v1/me", "/v1/ME", "/v2/me", "/favicon.ico")


@pytest.mark.parametrize("path", NOWHERE)
def test_an_address_at_which_there_is_nothing_is_a_404_and_no_redirection(server: ServerOfTests, path: str) -> None:
    for method in ("GET", "POST", "OPTIONS", "TRACE"):
        answer = server.client().request(method, httpx.URL("http://podium", raw_path=path.encode()))
        assert (answer.status_code, said(answer)) == (404, "NOT_FOUND")


@pytest.mark.parametrize("method", ["POST", "OPTIONS", "TRACE", "PROPFIND", "LOCK"])
def test_a_method_that_an_address_does_not_take_is_a_405_which_names_those_it_takes(
    world: World, server: ServerOfTests, method: str
) -> None:
    answer = server.client().request(method, f"/v1/projects/{world.project.id}")
    assert (answer.status_code, said(answer)) == (405, "METHOD_NOT_ALLOWED")
    assert set(answer.headers["Allow"].split(", ")) == {"GET", "HEAD", "PATCH", "DELETE"}


def test_a_method_that_is_none_is_a_400(server: ServerOfTests) -> None:
    answer = server.client().request("BREW", "/v1/me")
    assert (answer.status_code, said(answer)) == (400, 400)


def test_the_head_of_an_answer_can_be_asked_for_alone(server: ServerOfTests) -> None:
    maya = server.client()
    head, whole = maya.head("/v1/me"), maya.get("/v1/me")
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["Content-Length"] == whole.headers["Content-Length"]
    assert maya.head("/v1/projects/import").status_code == 405


def test_a_correlation_id_of_the_sender_is_kept_when_it_is_sane(server: ServerOfTests) -> None:
    for path in ("/v1/me", "/v1/nowhere", "/v1/me?x=1", "/v1/errors", "/health", "/v1/openapi.json"):
        answer = server.client().get(path, headers={"X-Correlation-Id": "trip-7.a_b:C"})
        assert answer.headers["X-Correlation-Id"] == "trip-7.a_b:C"
    for strange in ("", "a b", "<script>", "x" * 101, 'a"b'):
        answer = server.client().get("/v1/me", headers={"X-Correlation-Id": strange})
        assert re.fullmatch(r"[0-9a-f]{32}", answer.headers["X-Correlation-Id"])


def test_links_lead_to_the_server_as_the_client_reached_it(server: ServerOfTests) -> None:
    for client, base in ((server.client(), "http://podium"), (server.client(over_tcp=True), server.url)):
        error = client.get("/v1/nowhere").json()["errors"][0]
        if client.base_url.host == "podium":
            assert error["link"] == f"{base}/v1/errors/NOT_FOUND"
        assert client.get(httpx.URL(error["link"]).path).json()["code"] == "NOT_FOUND"
    strange = server.client().get("/v1/nowhere", headers={"Host": "a b<c>"}).json()["errors"][0]
    assert strange["link"] == "http://localhost/v1/errors/NOT_FOUND"


def test_links_lead_to_the_address_that_is_configured(world: World) -> None:
    with ServerOfTests(world, public_url="https://podium.example/api") as server:
        error = server.client().get("/v1/nowhere").json()["errors"][0]
    assert error["link"] == "https://podium.example/api/v1/errors/NOT_FOUND"


def test_a_stale_version_is_refused_with_the_record_as_it_is(world: World, server: ServerOfTests) -> None:
    task = world.task()
    world.do(EditTask(task_id=task.id, title="Newer"), world.bob)
    before = content(world.database)
    answer = server.client().patch(f"/v1/tasks/{task.id}", json={"title": "Mine", "seenVersion": task.version})
    assert (answer.status_code, said(answer)) == (VersionConflict.http_status, "VERSION_CONFLICT")
    current = answer.json()["details"]["current"]
    assert (current["title"], current["version"]) == ("Newer", task.version + 1)
    assert content(world.database) == before
    retried = server.client().patch(f"/v1/tasks/{task.id}", json={"title": "Mine", "seenVersion": current["version"]})
    assert (retried.status_code, retried.json()["title"]) == (200, "Mine")


def test_a_refusal_names_the_field_as_the_request_does(world: World, server: ServerOfTests) -> None:
    maya = server.client()
    wrong: dict[str, Any] = {"firstName": "", "lastName": "B", "email": "a@example.com"}
    assert maya.post("/v1/users", json=wrong).json()["details"] == {"code": "INVALID_INPUT", "field": "firstName"}
    product = world.product()
    answer = maya.patch(f"/v1/products/{product.id}", json={"permissionCodes": ["TASK_MOVE"]})
    assert answer.json()["details"]["field"] == "permissionCodes"
    assert maya.get("/v1/me/inbox?read_too=x").json()["details"]["field"] == "read_too"


def test_a_launch_code_is_exchanged_once(world: World, server: ServerOfTests) -> None:
    held, stranger = world.add_application(), server.stranger()
    maya = server.client()
    code, late = (maya.post(f"/v1/applications/{held.id}/launch").json()["code"] for _ in range(2))
    assert stranger.head(f"/v1/launches/{code}").status_code == 405
    first = stranger.get(f"/v1/launches/{code}")
    assert (first.status_code, first.json()["project"]["id"]) == (200, world.project.id)
    assert first.headers["Cache-Control"] == "no-store"
    world.clock.forward(seconds=CODE_SECONDS)
    refusals = [stranger.get(f"/v1/launches/{each}") for each in (code, late, "unknown", "%00", "é")]
    assert {(each.status_code, each.json()["errors"][0]["errorMessage"]) for each in refusals} == {
        (404, refusals[0].json()["errors"][0]["errorMessage"])
    }


def test_senders_are_listed_in_the_form_of_the_convention(world: World, server: ServerOfTests) -> None:
    bob = server.client(world.bob)
    maya = {"id": world.maya.user_id, "firstName": "Maya", "lastName": "Okafor", "city": "Lagos"}
    assert bob.get("/v1/senders").json() == {"data": [maya]}
    assert bob.get("/v1/senders", params={"first_name": "may", "last_name": "OK"}).json() == {"data": [maya]}
    nobody = bob.get("/v1/senders?first_name=Bob")
    assert (nobody.status_code, nobody.json()) == (200, {"data": []})
    assert bob.get("/v1/senders?id=x").status_code == 400


def test_each_error_code_has_a_page_for_people_and_for_programs(server: ServerOfTests) -> None:
    stranger = server.stranger()
    listed = stranger.get("/v1/errors").json()["data"]
    assert len(listed) > 20
    for page in listed:
        assert all(page[key] for key in ("code", "title", "meaning", "status", "whatToDo"))
        assert stranger.get(f"/v1/errors/{page['code']}").json() == page
        shown = stranger.get(f"/v1/errors/{page['code']}", headers={"Accept": "text/html,*/*"})
        assert shown.headers["Content-Type"].startswith("text/html")
        assert page["title"] in unescape(shown.text)
    assert stranger.get("/v1/errors/<b>").status_code == 404
