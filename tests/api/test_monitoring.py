"""Monitoring a server: its metrics for Prometheus, and its log by the filter for fail2ban."""

from __future__ import annotations

import io
import subprocess
from pathlib import Path

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from core.actions.catalog import MESSAGES
from tests.support.api.gateway import EXAMPLE, Gateway
from tests.support.api.server import ServerOfTests, token_for
from tests.support.system_programs import needs
from tests.support.waiting import wait_until
from tests.support.workspace import World

FILTER = EXAMPLE.with_name("fail2ban-podium.conf")


def samples(server: ServerOfTests) -> dict[tuple[str, str], float]:
    """The values of all metrics by name and first label."""
    answer = server.client().get("/metrics")
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    return {
        (sample.name, next(iter(sample.labels.values()), "")): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
        if "le" not in sample.labels
    }


def test_the_metrics_count_messages_refusals_commits_and_waits(world: World, server: ServerOfTests) -> None:
    client, path = server.client(), f"/v1/phases/{world.discover.id}/tasks"
    assert client.post(path, json={"title": "A very private title"}).status_code == 201
    assert server.client(world.vera).post(path, json={"title": "No"}).status_code == 403
    assert server.stranger().get("/v1/me").status_code == 401
    found: dict[tuple[str, str], float] = {}

    def counted() -> bool:
        found.update(samples(server))  # a request is counted after its last byte
        return found.get(("podium_refusals_total", "UNAUTHENTICATED")) == 1

    wait_until(counted)
    assert found["podium_request_seconds_count", "CreateTask"] == 2
    assert found["podium_responses_total", "CreateTask"] == 1
    assert found["podium_refusals_total", "FORBIDDEN"] == 1
    assert found["podium_commits_total", ""] == 1
    assert found["podium_wait_seconds_count", "writer"] >= 1
    assert found["podium_streams", ""] == 0
    assert found["podium_people_online", ""] == 0
    if world.database.writers > 1:
        assert found["podium_pool_waiting", ""] == 0
        assert found["podium_retries_total", "conflict"] >= 0


def test_no_label_of_a_metric_tells_of_people_or_their_work(world: World, server: ServerOfTests) -> None:
    client = server.client()
    client.post(f"/v1/phases/{world.discover.id}/tasks", json={"title": "A very private title"})
    client.get("/v1/projects/no-such-id/canvas")
    text = server.client().get("/metrics").text
    known = {kind.__name__ for kind in MESSAGES} | {"other"}
    families = list(text_string_to_metric_families(text))
    assert {s.labels["message"] for family in families for s in family.samples if "message" in s.labels} <= known
    assert not any(word in text for word in ("private", "maya", world.maya.user_id, world.project.id, "no-such-id"))


def test_over_the_network_the_metrics_take_a_code_of_their_own(
    world: World, server: ServerOfTests, lines: io.StringIO
) -> None:
    def ask(token: str = "") -> httpx.Response:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return httpx.get(f"{server.url}/metrics", headers=headers)

    assert ask().status_code == 401
    wait_until(lambda: '"status": 401' in lines.getvalue(), "a refusal is not logged here")
    refused = ask(token_for(world, world.bob))
    assert refused.status_code == 403
    assert "can read the metrics of the server" in refused.text
    assert "podium_streams" in ask(token_for(world, world.maya)).text


def test_without_its_library_a_server_says_what_to_install(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "prometheus_client", None)
    monkeypatch.delitem(__import__("sys").modules, "core.server.metrics", raising=False)
    with ServerOfTests(world) as server:
        answer = server.client().get("/metrics")
    assert answer.status_code == 404
    assert "podium-tui[metrics]" in answer.text


def test_the_filter_of_fail2ban_finds_the_addresses_of_wrong_tokens_behind_a_proxy(
    world: World, server: ServerOfTests, lines: io.StringIO, tmp_path: Path
) -> None:
    with (
        Gateway(server.path) as gateway,
        gateway.client("made-up") as liar,
        gateway.client(token_for(world, world.maya)) as maya,
    ):
        assert liar.get("/v1/me").status_code == 401
        assert maya.get("/v1/me").status_code == 200
    wait_until(lambda: lines.getvalue().count('"event": "request"') == 2)
    log = tmp_path / "log"
    other = '{"at": "2026-11-27T10:00:00.000+00:00", "level": "info", "event": "sign-in refused", "login": "", '
    requests = [line for line in lines.getvalue().splitlines(keepends=True) if '"event": "request"' in line]
    log.write_text("".join(requests) + other + '"address": "2001:db8::7", "reason": "UNAUTHENTICATED"}\n')
    found = subprocess.run(
        [needs("fail2ban-regex"), "--print-all-matched", str(log), str(FILTER)], capture_output=True, text=True
    )
    assert "Lines: 3 lines, 0 ignored, 2 matched, 1 missed" in found.stdout, found.stdout + found.stderr
    assert '"address": "127.0.0.1"' in found.stdout
