"""Bodies that would exhaust a server: refused by their head, by their length or by their values, before they are made
into anything, and read for nobody who may not send them."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable
from typing import Any

import pytest

from core.actions.cards.bulk import BulkUpdate
from core.actions.catalog import MESSAGES
from core.actions.workspace.users import SetPlatformRoles
from core.codec.strict_json import BRACKETS, Bounds, has_more_values, read_json
from core.domain.model import PlatformRole
from core.errors import Forbidden, InvalidInput, NotFound
from core.server.requests import decoding
from core.server.requests.bounds import body_limits, limits
from core.wire.routes import BODILESS, head_of, route_of
from tests.benchmarks.served import connected
from tests.support.api.program import ServerProgram
from tests.support.api.raw import answer, exchange, request
from tests.support.api.server import ServerOfTests, token_for
from tests.support.workspace import World

IMPORT = "/v1/projects/import"
MAX_MEMORY = 400 * 1024 * 1024
"""Bytes that a server may have, whatever is sent (the bar)."""


def bomb(size: int, unit: bytes = b"[],") -> bytes:
    """A document of this many bytes, with as many values as fit."""
    return b'{"document": {"name": [' + unit * (size // len(unit) - 20) + b"1]}}"


@pytest.mark.parametrize("name", ["gus", "bob"])
@pytest.mark.parametrize("target", [IMPORT, f"{IMPORT}/preview"])
def test_a_file_is_not_parsed_for_a_user_who_may_not_import(
    world: World, server: ServerOfTests, monkeypatch: pytest.MonkeyPatch, name: str, target: str
) -> None:
    parsed: list[Any] = []
    monkeypatch.setattr("core.server.requests.dispatcher.decode_message", lambda *about: parsed.append(about))
    token = token_for(world, getattr(world, name))
    for body in (b"{{{", bomb(1_000_000)):
        refused = exchange(server, request(target, token, method="POST", body=body))
        assert refused.status == 403, refused
    assert not parsed


@pytest.mark.parametrize("body", [b"0\x80", b'{"document": 0, "\xff', b'"\xff"', b"\x80"])
@pytest.mark.parametrize("target", [IMPORT, f"{IMPORT}/preview"])
def test_a_file_that_is_not_in_utf_8_is_refused(world: World, server: ServerOfTests, target: str, body: bytes) -> None:
    refused = exchange(server, request(target, token_for(world, world.maya), method="POST", body=body))
    assert refused.status == 400, refused


@pytest.mark.parametrize("body", [b"{{{", b'{"name": 5}', b'{"name": "' + b"x" * 200_000 + b'"}'])
def test_a_body_is_not_parsed_for_a_user_who_may_not_send_it(
    world: World, server: ServerOfTests, monkeypatch: pytest.MonkeyPatch, body: bytes
) -> None:
    parsed: list[Any] = []

    def read(text: bytes, most: Bounds) -> Any:
        parsed.append(text)
        return read_json(text, most)

    monkeypatch.setattr(decoding, "read_json", read)
    project, phase = world.project.id, world.discover.id
    own = world.task(title="Hers").id
    for name, method, target in (
        ("gus", "POST", "/v1/projects"),
        ("gus", "POST", f"/v1/phases/{phase}/tasks"),
        ("gus", "PATCH", f"/v1/projects/{project}"),
        ("gus", "PATCH", f"/v1/tasks/{own}"),
        ("gus", "POST", f"/v1/projects/{project}/bulk"),
        ("vera", "POST", f"/v1/phases/{phase}/tasks"),
        ("bob", "POST", f"/v1/projects/{project}/phases"),
        ("nobody", "POST", "/v1/projects"),
    ):
        token = "not-of-ours" if name == "nobody" else token_for(world, getattr(world, name))
        refused = exchange(server, request(target, token, method=method, body=body))
        is_unseen = name == "gus" and target != "/v1/projects"
        assert refused.status == (401 if name == "nobody" else 404 if is_unseen else 403), (name, target, refused)
    assert not parsed


def test_a_right_that_the_body_decides_is_looked_at_after_it(world: World, server: ServerOfTests) -> None:
    """Of a bulk change each step has its own; that of the first is not enough for the second."""
    other = world.new_project("Another")
    task = world.task(phase=world.phase("Plan", other.id))
    steps = [{"message": "MoveCard", "cardId": task.id, "status": "COMPLETED"}]
    client = server.client(world.bob)
    done = client.post(f"/v1/projects/{world.project.id}/bulk", json={"commands": steps}).json()
    assert (done["done"], len(done["refused"])) == (0, 1)
    assert world.status(task) == "TO_DO"


@pytest.mark.parametrize("values", [limits.MAX_VALUES + 1, limits.MAX_BODY // 4])
def test_values_are_counted_before_a_body_is_parsed(
    world: World, server: ServerOfTests, monkeypatch: pytest.MonkeyPatch, values: int
) -> None:
    monkeypatch.setattr("core.codec.strict_json.json", None)  # what would parse it
    token = token_for(world, world.gus)
    body = b'{"value": [' + b"[]," * (values - 2) + b"1]}"
    refused = exchange(server, request("/v1/me/preferences/theme", token, method="PUT", body=body))
    assert (refused.status, "more than 20,000 values" in refused.said) == (400, True)


@pytest.mark.parametrize(
    ("text", "most", "more"),
    [
        (b"[1,2,3]", 3, False),
        (b"[1,2,3]", 2, True),
        (b'{"a,b,[,{": ",,,,,,,,,,"}', 1, False),
        (b'{"a\\",": "\\\\",  "b": [,,', 3, True),
        (b'"never, ends, \\"', 1, False),
        (b'"' + b'\\"' * 500_000, 1, False),
        (b'",' * 500_000, 250_000, False),
    ],
)
def test_commas_and_brackets_in_texts_are_no_values(text: bytes, most: int, more: bool) -> None:
    assert has_more_values(text, most) is more
    assert has_more_values(bytearray(text), 100, BRACKETS) is False


def test_a_text_of_more_than_a_hundred_thousand_characters_is_refused_at_the_door(
    world: World, server: ServerOfTests
) -> None:
    client = server.client(world.gus)
    for body in ({"value": "\t" * 100_001}, {"x" * 100_001: "dark"}, {"value": ["❤\u200d" * 60_000]}):
        raw = json.dumps(body, ensure_ascii=False).encode()[: limits.MAX_BODY]
        refused = client.put("/v1/me/preferences/theme", content=raw, headers={"Content-Type": "application/json"})
        assert refused.status_code == 400, refused
        assert len(refused.content) < 1_000


def test_the_head_of_every_command_is_enough_or_says_so(world: World) -> None:
    """No scope of a message fails in another way when only the words of its path are known."""
    seen = 0
    for kind in MESSAGES:
        if route_of(kind).method in BODILESS:
            continue
        seen += 1
        path = dict.fromkeys(route_of(kind).in_path, world.project.id)
        with contextlib.suppress(NotFound, Forbidden, InvalidInput):
            world.engine.authorizer.admit(head_of(kind, path), world.maya)
    assert seen > 50


def test_a_bulk_change_and_a_file_may_be_longer_than_other_bodies() -> None:
    lengths = {kind: body_limits.body_limit(kind).length for kind in MESSAGES}
    assert lengths[BulkUpdate] == limits.MAX_BULK
    assert {kind.__name__ for kind, most in lengths.items() if most == limits.MAX_BULKY} == {
        "ImportInto",
        "ImportProject",
        "ImportTemplate",
        "PreviewImport",
        "PreviewImportInto",
    }
    assert set(lengths.values()) == {limits.MAX_BODY, limits.MAX_BULK, limits.MAX_BULKY}


def test_memory_stays_bounded_whatever_is_brought(world: World) -> None:
    """By a guest, whose 49 MB took 3.7 GiB, and by people who may import."""
    world.do(SetPlatformRoles(user_id=world.bob.user_id, platform_roles=(PlatformRole.INTERNAL,)))
    size = 49_000_000
    emoji = ('"' + "x" * 90_000 + '\U0001f600",').encode()
    tokens = {name: token_for(world, getattr(world, name), days=36_500) for name in ("gus", "bob", "maya")}
    with ServerProgram(world.database.path, "--log-level", "error") as program:
        bodies = [("gus", bomb(size)), ("bob", bomb(size)), ("bob", bomb(size, emoji)), ("maya", bomb(size, emoji))]
        bodies += [("bob", bomb(2_400_000, b'{"a":1},')), ("bob", bomb(20_000_000, b'"abcdefghijkl",'))]

        def send(name: str, body: bytes) -> None:
            with connected(program.socket) as client:
                client.settimeout(120)
                with contextlib.suppress(BrokenPipeError):  # a refusal may come before all is sent
                    client.sendall(request(IMPORT, tokens[name], method="POST", body=body))
                assert answer(client).status in (400, 403, 503)

        for name, body in bodies:
            send(name, body)
        several = [threading.Thread(target=send, args=each) for each in bodies[2:]]
        for thread in several:
            thread.start()
        for thread in several:
            thread.join()
        assert program.peak() < MAX_MEMORY


FAULTY = {
    "fields that there are not": (
        lambda: b'{"document":{"name":"P",%s}}' % b",".join(b'"k%d":0' % number for number in range(1_400_000)),
        "k0: There is no such",
    ),
    "values of another type": (
        lambda: b'{"document":{"name":"P","people":[%s0]}}' % (b"0," * 1_400_000),
        "people[0]: It should be an object",
    ),
}


@pytest.mark.parametrize(("made", "said"), FAULTY.values(), ids=FAULTY)
def test_of_a_million_faults_in_a_file_only_the_first_is_kept(
    world: World, made: Callable[[], bytes], said: str
) -> None:
    body = made()
    token = token_for(world, world.maya, days=36_500)
    with ServerProgram(world.database.path, "--log-level", "error") as program:
        before = program.memory()
        refused = program.client.post(
            IMPORT, content=body, headers={"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        )
        assert refused.status_code == 400
        assert said in refused.text
        assert program.peak() - before < 8 * len(body) + 64 * 1024 * 1024
