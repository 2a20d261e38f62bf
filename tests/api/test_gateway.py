"""The example for nginx, with the real nginx: it answers what is the gateway's to answer, in the forms of the API."""

from __future__ import annotations

import asyncio
import json
import re
import socket
import ssl
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from core.diagnostics.local import diagnose_client
from core.diagnostics.server import diagnose_server
from core.net.server_address import server_address
from tests.support.api.gateway import EXAMPLE, Gateway
from tests.support.api.server import ServerOfTests, token_for
from tests.support.waiting import wait_until
from tests.support.workspace import World


@pytest.fixture
def gateway(server: ServerOfTests) -> Iterator[Gateway]:
    with Gateway(server.path) as gateway:
        yield gateway


def form_a(answer: httpx.Response, status: int, code: str) -> None:
    """It is an error in form A, and tied to the log."""
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/json")
    (error,) = answer.json()["errors"]
    assert set(error) == {"errorCode", "errorMessage", "correlationId", "link"}
    assert error["errorCode"] == code
    assert error["correlationId"] == answer.headers["x-correlation-id"]
    assert answer.headers["strict-transport-security"] == "max-age=31536000"
    assert error["link"].endswith(f"/v1/errors/{code}")


def form_b(answer: httpx.Response) -> None:
    assert (answer.status_code, answer.headers["content-type"]) == (400, "application/json")
    (error,) = answer.json()["errors"]
    assert set(error) == {"status_code", "detail"}
    assert error["status_code"] == 400


def test_a_token_decides_who_the_user_is_and_without_one_no_request_gets_further(
    world: World, server: ServerOfTests, gateway: Gateway
) -> None:
    for actor, name in ((world.maya, "Maya"), (world.bob, "Bob")):
        with gateway.client(token_for(world, actor)) as client:
            assert client.get("/v1/me").json()["user"]["firstName"] == name
    with gateway.client() as nobody, gateway.client("made-up") as liar:
        for path in ("/v1/me", "/v1/changes", "/v1/projects", "/api/v20/users/permissions/query"):
            form_a(nobody.get(path), 401, "UNAUTHENTICATED")
            assert nobody.get(path).headers["www-authenticate"] == "Bearer"
        assert liar.get("/v1/me").status_code == 401
        forged = {"X-Forwarded-User": "maya", "X-Remote-User": "maya", "Connection": "Authorization"}
        form_a(nobody.get("/v1/me", headers=forged), 401, "UNAUTHENTICATED")


def test_what_needs_no_token_is_there_for_everybody(gateway: Gateway) -> None:
    with gateway.client() as nobody:
        assert nobody.get("/v1/openapi.json").json()["openapi"].startswith("3.1")
        codes = {page["code"] for page in nobody.get("/v1/errors").json()["data"]}
        said = set(re.findall(r"^    \w+ +([A-Z_]{5,});$", EXAMPLE.read_text(), re.MULTILINE))
        assert {"TOO_MANY_REQUESTS", "BAD_GATEWAY"} < said <= codes
        assert nobody.get("/v1/errors/TOO_MANY_REQUESTS").json()["status"] == 429
        assert nobody.get("/v1/launches/none").json()["errors"][0]["errorCode"] == "NOT_FOUND"


def test_doctor_knows_podium_behind_it(world: World, gateway: Gateway, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(gateway.certificate))
    for token, verdicts in ((token_for(world, world.maya), ["GOOD"] * 3), ("made-up", ["GOOD", "BAD"])):
        found, client = asyncio.run(diagnose_server(server_address(gateway.url), token)), diagnose_client()
        assert found[: len(client)] == client
        findings = found[len(client) :]
        assert [each.verdict for each in findings] == verdicts, findings
        assert findings[0].found.startswith(f"{gateway.url}, behind a gateway, answered in")


def test_a_command_goes_through_and_its_refusals_come_back_as_they_were(world: World, gateway: Gateway) -> None:
    with gateway.client(token_for(world, world.maya)) as maya, gateway.client(token_for(world, world.vera)) as vera:
        made = maya.post("/v1/projects", json={"name": "Through the gate"})
        assert made.status_code == 201
        assert world.row("project", id=made.json()["id"])["name"] == "Through the gate"
        unread = maya.post("/v1/projects", json={"name": 5})
        form_b(unread)
        assert unread.json()["details"]["field"] == "name"
        refused = vera.post(f"/v1/projects/{world.project.id}/phases", json={"name": "Mine"})
        assert refused.status_code == 403
        assert refused.json()["errors"][0]["errorCode"] == "FORBIDDEN"


def test_a_project_that_is_longer_than_any_other_body_goes_through(world: World, gateway: Gateway) -> None:
    document = {"name": "Large", "phases": [{"name": "Only"}]}
    long = json.dumps({"document": document}).encode() + b" " * (9 * 1024 * 1024)
    with gateway.client(token_for(world, world.maya)) as maya:
        for path, status in (("/v1/projects/import/preview", 200), ("/v1/projects/import", 201)):
            assert maya.post(path, content=long, headers={"Content-Type": "application/json"}).status_code == status
    assert world.row("project", name="Large")


def test_the_id_that_ties_an_answer_to_the_log_goes_all_the_way(world: World, gateway: Gateway) -> None:
    with gateway.client(token_for(world, world.maya)) as client:
        refused = client.get("/v1/projects/none", headers={"X-Correlation-Id": "mine-1"})
        assert refused.headers["x-correlation-id"] == refused.json()["errors"][0]["correlationId"] == "mine-1"
        odd = client.get("/nowhere", headers={"X-Correlation-Id": '"}]}<script>'})
        form_a(odd, 404, "NOT_FOUND")
        assert "script" not in odd.text


def test_a_user_who_exceeds_the_quota_has_to_wait_and_others_go_on(world: World, server: ServerOfTests) -> None:
    token, slowly = token_for(world, world.bob), {"zone=podium_sender:10m": "rate=20r/s rate=1r/s"}
    with (
        Gateway(server.path, **slowly) as gateway,
        gateway.client(token) as bob,
        gateway.client(token_for(world, world.maya)) as maya,
    ):
        with ThreadPoolExecutor(4) as pool:
            sent = list(pool.map(lambda _: bob.get("/v1/me"), range(120)))
        late = [answer for answer in sent if answer.status_code != 200]
        assert len(sent) - len(late) >= 40
        assert late
        for answer in late:
            form_a(answer, 429, "TOO_MANY_REQUESTS")
            assert answer.headers["retry-after"] == "1"
        assert maya.get("/v1/me").status_code == 200
        wait_until(lambda: bob.get("/v1/me").status_code == 200)


def test_made_up_tokens_share_the_quota_of_their_address(server: ServerOfTests) -> None:
    slowly = {
        "zone=podium_address:10m": "rate=1000r/s rate=1r/s",
        "limit_req zone=podium_address nodelay": "burst=2000 burst=200",
    }
    with Gateway(server.path, **slowly) as gateway, gateway.client() as client, ThreadPoolExecutor(4) as pool:

        def ask(number: int) -> int:
            return client.get("/v1/me", headers={"Authorization": f"Bearer {number}"}).status_code

        assert set(pool.map(ask, range(600))) == {401, 429}


def test_changes_come_at_once(world: World, gateway: Gateway) -> None:
    with gateway.client(token_for(world, world.maya)) as client, client.stream("GET", "/v1/changes") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        events = (line for line in stream.iter_lines() if line.startswith("event"))
        assert [next(events), next(events)] == ["event: change", "event: inbox"]  # each stream begins with them
        for _ in range(3):  # the first may be that of the token
            world.task()
            assert next(events), "a proxy that collects would hold it back"


def test_without_a_server_behind_it_a_gateway_says_so(world: World, server: ServerOfTests, tmp_path: Path) -> None:
    token = token_for(world, world.maya)
    with Gateway(tmp_path / "nobody-listens") as gateway, gateway.client(token) as client:
        form_a(client.get("/v1/me"), 502, "BAD_GATEWAY")
        form_a(client.post("/v1/projects", json={"name": "Lost"}), 502, "BAD_GATEWAY")


def test_a_server_that_does_not_answer_in_time_is_not_waited_for(world: World, server: ServerOfTests) -> None:
    hung = server.path.with_name("hung")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(hung))
        listener.listen()
        with Gateway(hung, proxy_read_timeout="30s 300ms") as gateway, gateway.client("any") as client:
            form_a(client.get("/v1/me"), 504, "TIMED_OUT")


def test_what_nginx_refuses_itself_comes_in_the_forms_of_the_api(world: World, gateway: Gateway) -> None:
    with gateway.client(token_for(world, world.maya)) as client:
        form_a(client.get("/"), 404, "NOT_FOUND")
        form_a(client.get("/.podium/form-a"), 404, "NOT_FOUND")
        form_a(client.request("TRACE", "/v1/me"), 405, "METHOD_NOT_ALLOWED")
        form_b(client.post("/v1/projects", content=b"x" * (2 * 1024 * 1024 + 1)))
        form_b(client.get("/v1/me", headers={"X-Long": "x" * 20_000}))
        form_b(client.get("/v1/me?" + "x" * 20_000))


@pytest.mark.parametrize("first", [b"hello", b"GET / HTTP/1.1", b"GET /../.. HTTP/1.1", b"GET / HTTP/1.1\r\nHost: a b"])
def test_what_is_no_request_is_refused_in_form_b(gateway: Gateway, first: bytes) -> None:
    context = ssl.create_default_context(cafile=str(gateway.certificate))
    with (
        socket.create_connection(("127.0.0.1", gateway.port)) as plain,
        context.wrap_socket(plain, server_hostname="127.0.0.1") as client,
    ):
        client.sendall(first + b"\r\n\r\n")
        form_b(_read(client))


def test_without_tls_nothing_is_served_and_nothing_redirected(gateway: Gateway) -> None:
    with socket.create_connection(("127.0.0.1", gateway.port)) as client:
        client.sendall(b"GET /v1/me HTTP/1.1\r\nHost: podium\r\nAuthorization: Bearer secret\r\n\r\n")
        form_b(_read(client))


def _read(client: socket.socket) -> httpx.Response:
    """An answer after which the connection is closed."""
    received = b""
    while piece := client.recv(65536):
        received += piece
    head, _, body = received.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    headers = [(name, value) for name, _, value in (line.partition(": ") for line in lines)]
    headers = [pair for pair in headers if pair[0].lower() != "transfer-encoding"]
    return httpx.Response(int(first.split(" ")[1]), headers=headers, content=body)
