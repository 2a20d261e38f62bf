"""The limits of the gateway: how long, how many, how often, how fast; and cookies where there is TLS."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections import Counter

import aiohttp
import pytest

from tests.end_to_end.web.conftest import Place
from tests.support.web.gateway import Visitor, alive, gateway_here
from tui.web import tab, tab_process
from tui.web.sessions import GatewayLimits
from tui.web.sign_in_attempts import TRIES, TRIES_SECONDS, SignInAttempts
from tui.web.websocket_messages import Focus, Keys, Resize, read_frame, size

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_tab_and_a_sign_in_end_when_nothing_is_typed(place: Place, http: aiohttp.ClientSession) -> None:
    async with gateway_here(place.server.address, GatewayLimits(idle=2)) as url:
        visitor = Visitor(url, http)
        await visitor.sign_in(place.token())
        async with visitor.terminal() as socket:
            code, why = await visitor.ended(socket)
        assert (code, why) == (aiohttp.WSCloseCode.OK, "Nothing was typed for 0 minutes.")
        assert (await visitor.get("/")).status == 200
        for _ in range(10):
            await asyncio.sleep(3)  # the process is gone, and then two seconds
            if (await visitor.get("/")).headers.get("Location") == "/sign-in":
                return
        pytest.fail("the sign-in did not end")


async def test_what_a_browser_sends_by_itself_is_not_typed(place: Place, http: aiohttp.ClientSession) -> None:
    async with gateway_here(place.server.address, GatewayLimits(idle=1)) as url:
        visitor = Visitor(url, http)
        await visitor.sign_in(place.token())
        async with visitor.terminal() as socket:
            ending = asyncio.ensure_future(visitor.ended(socket))
            while not ending.done():  # without end, if one of them counted
                for frame in ("ping", "1"), ("blur",), ("focus",), ("resize", {"width": 90, "height": 30}):
                    with contextlib.suppress(ConnectionError):
                        await socket.send_json(frame)
                await asyncio.wait([ending], timeout=0.2)
            assert (await ending)[1].startswith("Nothing was typed")


async def test_there_is_a_limit_for_all_people_too(place: Place, http: aiohttp.ClientSession) -> None:
    async with gateway_here(place.server.address, GatewayLimits(most=1)) as url:
        visitor, other = Visitor(url, http), Visitor(url, http)
        await visitor.sign_in(place.token())
        await other.sign_in(place.token("vera"))
        async with visitor.terminal():
            page = await other.get("/")
            assert page.status == 503
            assert "Too many people are using Podium in a browser" in await page.text()


async def test_where_there_is_tls_the_cookie_is_for_tls_alone(place: Place, http: aiohttp.ClientSession) -> None:
    async with gateway_here(place.server.address, GatewayLimits(), "https://podium.example") as url:
        response = await Visitor(url, http, "https://podium.example").sign_in(place.token())
    (cookie,) = response.headers.getall("Set-Cookie")
    assert cookie.startswith("__Host-podium=")
    assert "Secure" in cookie.split("; ")
    assert response.headers["Strict-Transport-Security"] == "max-age=31536000"


async def test_who_tries_too_often_has_to_wait(place: Place, http: aiohttp.ClientSession) -> None:
    async with gateway_here(place.server.address, GatewayLimits()) as url:
        visitor = Visitor(url, http)
        for _ in range(TRIES):
            assert (await visitor.sign_in("wrong")).status == 401
        response = await visitor.sign_in(place.token())
    assert response.status == 429
    assert response.headers["Retry-After"] == "60"
    assert "Wait a minute" in await response.text()


async def test_behind_a_proxy_tries_count_for_the_address_that_it_names_last(
    place: Place, http: aiohttp.ClientSession
) -> None:
    """The client can forge all addresses before the last one."""
    async with gateway_here(place.server.address, GatewayLimits()) as url:
        statuses = []
        for made_up, address in [*((each, "10.0.0.1") for each in range(TRIES + 1)), (0, "10.0.0.2")]:
            headers = {"Origin": url, "X-Forwarded-For": f"{made_up}, {address}"}
            async with http.post(f"{url}/sign-in", data={"token": "wrong"}, headers=headers) as response:
                statuses.append(response.status)
    assert statuses == [401] * TRIES + [429, 401]


async def test_tries_are_forgotten_after_a_minute_and_are_each_address_s_own() -> None:
    now = [0.0]
    tries = SignInAttempts(lambda: now[0])
    assert [tries.begin("10.0.0.1") for _ in range(TRIES + 1)] == [True] * TRIES + [False]
    assert tries.begin("10.0.0.2")
    now[0] = TRIES_SECONDS
    assert tries.begin("10.0.0.1")
    assert len(tries) == 1, "what is long ago is kept nowhere"


async def test_a_try_that_is_under_way_counts_and_one_that_succeeded_does_not() -> None:
    tries = SignInAttempts()
    for _ in range(3 * TRIES):
        assert tries.begin("10.0.0.1")
        tries.forget("10.0.0.1")
    assert len(tries) == 0


async def test_addresses_without_end_are_not_all_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tui.web.sign_in_attempts.MAX_ADDRESSES", 50)
    tries = SignInAttempts()
    assert all(tries.begin(f"10.0.{each}.1") for each in range(200))
    assert len(tries) <= 50


async def test_of_three_hundred_sign_ins_at_once_ten_are_tried(place: Place) -> None:
    connector = aiohttp.TCPConnector(limit=30)  # more would be closed for each other
    async with (
        gateway_here(place.server.address, GatewayLimits()) as url,
        aiohttp.ClientSession(connector=connector) as http,
    ):
        visitor = Visitor(url, http)
        answers = await asyncio.gather(*(visitor.sign_in("wrong") for _ in range(300)))
    assert Counter(answer.status for answer in answers) == {401: TRIES, 429: 300 - TRIES}


@pytest.mark.slow
async def test_a_browser_that_reads_nothing_is_given_up(
    place: Place, http: aiohttp.ClientSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tab_process, "STALL", 1.0)
    monkeypatch.setattr(tab, "STALL", 1.0)
    opened: list[tab.Tab] = []
    run = tab.Tab.run

    async def watched(self: tab.Tab, transport: asyncio.Transport | None) -> None:
        opened.append(self)
        await run(self, transport)

    monkeypatch.setattr(tab.Tab, "run", watched)
    async with gateway_here(place.server.address, GatewayLimits()) as url:
        visitor = Visitor(url, http)
        await visitor.sign_in(place.token())
        async with visitor.terminal() as socket:
            await socket.receive()
            for number in range(2000):
                if not alive(opened[0].child.pid):
                    break
                width = 500 - number % 2
                await socket.send_str(json.dumps(["resize", {"width": width, "height": 300}]))
                await asyncio.sleep(0.02)
            assert not alive(opened[0].child.pid)


async def test_frames_are_read_and_sizes_are_brought_within_reason() -> None:
    assert read_frame('["stdin", "ä\\ud800"]') == Keys("ä?".encode())
    assert read_frame('["resize", {"width": 100, "height": 30}]') == Resize(100, 30)
    assert read_frame('["resize", {"width": -5, "height": 99999}]') == Resize(10, 300) == size(0, 10**9)
    assert read_frame('["blur"]') == Focus(gained=False)
