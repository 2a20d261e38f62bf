"""A server that answers late, wrongly or not at all: a clear sentence, nothing done twice, and no storm of tries."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

import pytest

from core.actions.cards.tasks import CreateTask, EditTask
from core.actions.workspace.profile import GetCurrentUser
from core.backends import connection, remote
from core.backends.local import ChangeEvent
from core.backends.remote import RemoteBackend
from core.domain.model import Status
from core.errors import ServerUnavailable, Unauthenticated
from core.net.unix_http_client import SocketClient
from tests.contract.test_backends import listening
from tests.support.api.server import ServerOfTests, token_for
from tests.support.app_driver import canvas, comes, hides, settled, shows
from tests.support.authorization_service.faults import http
from tests.support.faults.between import CUT, HELD, LOST, REFUSED, Between, Fault, Seen
from tests.support.waiting import PATIENCE, until
from tests.support.workspace import World
from tui.app import PodiumApp

UNKNOWN = "It is not known whether it was done: look before you do it again."

HTML = http(200, "<html>Sign in to the Wi-Fi</html>", "Content-Type: text/html")
ANSWERS: dict[str, tuple[bytes | str, str]] = {
    "not HTTP": (b"\x00\x01garbage\r\n\r\n", "answered with something that is not HTTP"),
    "a page of something else": (HTML, "gave an answer that is not understood"),
    "half of the JSON": (http(200, '{"user": {"id": "01'), "gave an answer that is not understood"),
    "JSON of another kind": (http(200, "[1, 2]"), "gave an answer that is not understood"),
    "a record without fields": (http(200, "{}"), "gave an answer that is not understood"),
    "an endless nesting": (http(200, "[" * 100_000), "gave an answer that is not understood"),
    "a status from elsewhere": (http(302, "", "Location: http://127.0.0.1:1/"), "answered with the status 302"),
    "a fault of a gateway": (http(502, "<h1>Bad gateway</h1>"), "answered with the status 502"),
    "too much to do": (http(503, "busy"), "answered with the status 503"),
    "an answer cut off": (CUT, "closed the connection"),
    "no answer at all": (HELD, "did not answer in time"),
    "a connection that ends": (REFUSED, "closed the connection"),
}


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waiting takes a fraction of its time."""
    monkeypatch.setattr(connection, "PAUSE", 0.05)
    waiting_at_most(monkeypatch, 0.5)


def waiting_at_most(monkeypatch: pytest.MonkeyPatch, seconds: float = PATIENCE) -> None:
    """Let the client wait for an answer for at most this time, by default as long as the slowest machine needs."""
    for module in (connection, remote):
        monkeypatch.setattr(module, "DEADLINE", seconds)
    for name in ("AWAY_DEADLINE", "PATIENCE"):
        monkeypatch.setattr(connection, name, seconds)


@pytest.fixture
async def between(world: World) -> AsyncIterator[Between]:
    """A wire to a real server."""
    with ServerOfTests(world) as server:
        async with Between(server.path) as between:
            yield between


@pytest.fixture
async def backend(world: World, between: Between) -> AsyncIterator[RemoteBackend]:
    """Maya's, over the wire."""
    backend = RemoteBackend(between.address, token_for(world, world.maya))
    yield backend
    await backend.close()


def the_first(times: int, fault: Fault) -> Callable[[Seen], Fault]:
    """A fault that befalls the first commands and questions, and no stream."""
    left = [fault] * times
    return lambda seen: left.pop() if left and seen.path != "/v1/changes" else None


@pytest.mark.parametrize("what", ANSWERS)
async def test_what_is_no_answer_gives_a_clear_sentence_soon(
    world: World, between: Between, backend: RemoteBackend, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fault, words = ANSWERS[what]
    between.fault = lambda _: fault
    with pytest.raises(ServerUnavailable) as asked:
        await backend.query(GetCurrentUser())
    assert str(asked.value) == f"The server at {between.address} {words}. Try again in a moment."
    with pytest.raises(ServerUnavailable) as sent:
        await backend.execute(CreateTask(phase_id=world.discover.id, title="Once"))
    assert str(sent.value) == f"The server at {between.address} {words}. {UNKNOWN}"
    assert len(between.seen) < 20
    assert len({each.key for each in between.commands()}) == 1
    between.fault = lambda _: None
    waiting_at_most(monkeypatch)
    assert (await backend.query(GetCurrentUser())).user.first_name == "Maya"


@pytest.mark.parametrize("fault", [LOST, CUT, http(503, "stopping")], ids=["lost", "cut off", "stopping"])
async def test_a_command_whose_answer_was_lost_is_sent_again_and_done_once(
    world: World, between: Between, backend: RemoteBackend, fault: Fault, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting_at_most(monkeypatch)
    between.fault = the_first(2, fault)
    made = await backend.execute(CreateTask(phase_id=world.discover.id, title="Once"))
    assert world.row("item", title="Once")["id"] == made.id
    assert len(between.commands()) == 3
    assert len({each.key for each in between.commands()}) == 1


async def test_a_command_that_is_sent_again_after_no_answer_is_carried_out_once(
    world: World, between: Between, backend: RemoteBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = CreateTask(phase_id=world.discover.id, title="Once")
    between.fault = lambda _: LOST
    with pytest.raises(ServerUnavailable):
        await backend.execute(command)
    between.fault = lambda _: None
    waiting_at_most(monkeypatch)
    made = await backend.execute(command)
    assert world.row("item", title="Once")["id"] == made.id
    again = await backend.execute(command)
    assert again.id != made.id, "what was answered is no longer the same"


async def test_what_could_not_be_sent_changed_nothing_and_says_so(world: World) -> None:
    with ServerOfTests(world) as server:
        async with Between(server.path) as gone:
            address = gone.address
    backend = RemoteBackend(address, "token")
    with pytest.raises(ServerUnavailable) as refused:
        await backend.execute(CreateTask(phase_id=world.discover.id, title="Never"))
    await backend.close()
    assert (
        str(refused.value) == f"The server at {address} cannot be reached. Nothing was changed. Try again in a moment."
    )
    assert refused.value.exit_status == 5


async def test_a_server_that_hangs_is_offline_until_it_answers_again(
    between: Between, backend: RemoteBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with listening(backend) as heard:
        await until(lambda: heard)
        between.fault = lambda _: HELD
        with pytest.raises(ServerUnavailable):
            await backend.query(GetCurrentUser())
        await until(lambda: not heard[-1].online)
        between.fault = lambda _: None
        waiting_at_most(monkeypatch)
        assert await backend.query(GetCurrentUser())
        await until(lambda: heard[-1].online)


async def test_questions_that_are_given_up_one_after_another_all_say_so(
    between: Between, backend: RemoteBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also while the stream, which the first of them ends, takes its time to end."""
    lines = SocketClient.lines

    async def ending_slowly(self: SocketClient, url: str, headers: Mapping[str, str]) -> AsyncIterator[str]:
        try:
            async for line in lines(self, url, headers):
                yield line
        finally:
            await asyncio.sleep(0.1)

    async def ask(after: float) -> None:
        await asyncio.sleep(after)
        await backend.aside(GetCurrentUser())

    monkeypatch.setattr(SocketClient, "lines", ending_slowly)
    async with listening(backend) as heard:
        await until(lambda: heard)
        between.fault = lambda seen: HELD if seen.path != "/v1/changes" else None
        refused = await asyncio.gather(*(ask(part * 0.02) for part in range(4)), return_exceptions=True)
    assert [type(each) for each in refused] == [ServerUnavailable] * 4


async def test_a_stream_that_fell_silent_is_opened_again(
    between: Between, backend: RemoteBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting_at_most(monkeypatch)
    monkeypatch.setattr(connection, "STREAM_TIMEOUT", 0.3)
    async with listening(backend) as heard:
        await until(lambda: len(between.streams()) >= 3 and len(heard) >= 3)
        assert set(heard) == {ChangeEvent(), ChangeEvent(inbox=True)}


async def test_changes_that_were_made_while_the_wire_was_cut_are_heard_of(
    world: World, between: Between, backend: RemoteBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting_at_most(monkeypatch)
    async with listening(backend) as heard:
        await until(lambda: heard)
        for number in range(5):
            between.fault = lambda _: REFUSED
            between.cut_all()
            await until(lambda: not heard[-1].online)
            await asyncio.to_thread(world.task, f"Card {number}")
            before = len(heard)
            between.fault = lambda _: None
            await until(lambda before=before: len(heard) > before and heard[-1].online)


@pytest.mark.parametrize("most", [5_000, 2], ids=["told by the changes", "read whole after too many"])
async def test_a_canvas_that_was_away_shows_all_changes_once_it_is_back(
    world: World, between: Between, backend: RemoteBackend, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    waiting_at_most(monkeypatch)
    monkeypatch.setattr("core.actions.workflow.canvas_changes.MAX_RECORDS", most)
    brief, letter = world.task("Write the brief"), world.task("Write the letter")

    def change_much() -> None:
        world.do(EditTask(task_id=brief.id, title="Brief by Bob"), as_=world.bob)
        world.complete(letter.id, as_=world.bob)
        world.do(CreateTask(phase_id=world.discover.id, title="New by Bob"), as_=world.bob)

    def shown() -> dict[str, Status]:
        screen: Any = app.screen
        return {card.title: card.status for card in screen.presenter.list_shown()}

    app = PodiumApp(backend, world.ask(GetCurrentUser(), world.maya), canvas(world), via="ssh")
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        assert await shows(pilot, "Write the brief")
        between.fault = lambda _: REFUSED
        between.cut_all()
        assert await shows(pilot, "offline")
        await asyncio.to_thread(change_much)
        assert set(shown()) == {"Write the brief", "Write the letter"}
        between.fault = lambda _: None
        expected = {"Brief by Bob": Status.TO_DO, "Write the letter": Status.COMPLETED, "New by Bob": Status.TO_DO}
        assert await comes(pilot, lambda: shown() == expected)
        assert await shows(pilot, "Brief by Bob")
        assert await hides(pilot, "offline")
        await settled(pilot)
    assert {row["title"]: row["status"] for row in world.rows("SELECT * FROM item")} == expected


async def test_there_is_no_storm_of_tries_while_the_server_does_not_answer(
    between: Between, backend: RemoteBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "PAUSE", 0.1)
    between.fault = lambda _: REFUSED
    async with listening(backend) as heard:
        began = time.monotonic()
        await until(lambda: len(between.streams()) >= 7)
        assert time.monotonic() - began > 1.2, "after about 0.1, 0.3, 0.7, 1.5 and 3.1 s, or a half of that"
        assert heard == [ChangeEvent(online=False)]


async def test_a_user_who_is_signed_out_meanwhile_is_notified_and_the_next_query_says_why(
    world: World, between: Between, backend: RemoteBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting_at_most(monkeypatch)
    async with listening(backend) as heard:
        await until(lambda: heard)
        _revoke_all(world)
        between.cut_all()
        before = len(heard)
        await until(lambda: len(heard) > before)
        assert heard[-1].online
        with pytest.raises(Unauthenticated) as refused:
            await backend.query(GetCurrentUser())
        assert refused.value.exit_status == 3
        with pytest.raises(Unauthenticated):
            await backend.execute(CreateTask(phase_id=world.discover.id, title="No"))
    assert world.rows("SELECT * FROM item") == []


def _revoke_all(world: World) -> None:
    world.database.write(lambda tx: tx.execute("UPDATE token SET revoked_at = created_at"))
