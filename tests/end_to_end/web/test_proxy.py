"""A reverse proxy that names the user: believed when the kernel says that it is the proxy, and never else."""

from __future__ import annotations

import asyncio
import math
import os
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio
from multidict import CIMultiDict

from core.actions.workspace.credentials import ListTokens, RevokeToken
from core.actions.workspace.users import DeactivateUser, ReactivateUser
from core.backends.remote import RemoteBackend
from core.errors import ServerUnavailable, StorageError
from core.net.bearer_tokens import BearerToken
from core.net.server_address import server_address
from core.server.transport.listeners import unix_socket
from core.sign_in.gateway_sessions import SESSION
from core.storage.row_mapper import encode_value
from tests.end_to_end.web.conftest import Place
from tests.support.waiting import until
from tests.support.web.gateway import gateway_here
from tui.web import gateway
from tui.web.proxy_auth import TemporaryTokens, TrustedProxy
from tui.web.sessions import BrowserSession, GatewayLimits

pytestmark = pytest.mark.asyncio(loop_scope="session")

ORIGIN = "https://podium.example"
WS = {"Origin": ORIGIN}


@dataclass
class Proxy:
    """Sends requests as the proxy does."""

    http: aiohttp.ClientSession

    async def get(self, path: str, *logins: str, cookie: str = "") -> aiohttp.ClientResponse:
        headers = CIMultiDict({"Cookie": cookie})
        for login in logins:
            headers.add("X-Forwarded-User", login)
        async with self.http.get(f"http://podium{path}", headers=headers, allow_redirects=False) as response:
            await response.read()
        return response


@pytest_asyncio.fixture(loop_scope="session")
async def proxy(place: Place, request: pytest.FixtureRequest) -> AsyncIterator[Proxy]:
    """A proxy before a gateway, which believes the account that runs the tests, or the one of the parameter."""
    path = Path(place.server.address.removeprefix("unix:")).with_name("web")
    trusted = TrustedProxy(getattr(request, "param", os.getuid()), place.gateway_token())
    async with (
        gateway_here(place.server.address, GatewayLimits(), ORIGIN, listener=unix_socket(path), trusted=trusted),
        aiohttp.ClientSession(connector=aiohttp.UnixConnector(str(path)), cookie_jar=aiohttp.DummyCookieJar()) as http,
    ):
        yield Proxy(http)


def cookie(response: aiohttp.ClientResponse) -> str:
    (kept,) = response.cookies.values()
    return f"{kept.key}={kept.value}"


async def test_whom_the_proxy_names_is_signed_in_with_one_token_a_day(place: Place, proxy: Proxy) -> None:
    sql = "SELECT * FROM token WHERE user_id = :id AND label = 'Podium in the browser'"
    before = len(place.world.rows(sql, id=place.world.vera.user_id))
    page = await proxy.get("/", "Vera")
    assert page.status == 200
    assert "Opening Podium for Vera Sato" in await page.text()
    await proxy.get("/", "vera")
    assert len(place.world.rows(sql, id=place.world.vera.user_id)) == before + 1
    headers = WS | {"Cookie": cookie(page), "X-Forwarded-User": "vera"}
    async with proxy.http.ws_connect("http://podium/ws", headers=headers) as socket:
        assert (await socket.receive()).type is aiohttp.WSMsgType.BINARY


async def test_a_cookie_is_worth_nothing_without_the_same_person_s_name(proxy: Proxy) -> None:
    kept = cookie(await proxy.get("/", "maya"))
    for said in ({}, {"X-Forwarded-User": "vera"}):
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await proxy.http.ws_connect("http://podium/ws", headers=WS | said | {"Cookie": kept})
        assert refused.value.status == 401
    assert "Vera Sato" in await (await proxy.get("/", "vera", cookie=kept)).text()


@pytest.mark.parametrize("named", [(), ("",), ("maya", "maya"), ("maya", "bob"), ("nobody",)])
async def test_who_is_not_named_once_does_not_come_in(proxy: Proxy, named: tuple[str, ...]) -> None:
    page = await proxy.get("/", *named)
    assert page.status == 401
    assert not page.cookies


@pytest.mark.parametrize("proxy", [4242], indirect=True)
async def test_the_header_of_another_account_is_not_believed(proxy: Proxy) -> None:
    page = await proxy.get("/", "maya")
    assert page.status == 401
    assert "did not send your login" in await page.text()


async def test_a_deactivated_user_reads_that_no_active_user_has_this_login(place: Place, proxy: Proxy) -> None:
    place.world.do(DeactivateUser(user_id=place.world.vera.user_id))
    try:
        page = await proxy.get("/", "vera")
    finally:
        place.world.do(ReactivateUser(user_id=place.world.vera.user_id, with_tokens=True))
    assert page.status == 401
    assert "No active user of this workspace has your login" in await page.text()


async def test_a_token_that_was_revoked_is_noticed_by_several_requests_at_once(place: Place, proxy: Proxy) -> None:
    assert (await proxy.get("/", "bob")).status == 200
    for line in place.world.ask(ListTokens(), place.world.bob):
        place.world.do(RevokeToken(token_id=line.id), place.world.bob)
    pages = await asyncio.gather(*(proxy.get("/", "bob") for _ in range(4)))
    assert {page.status for page in pages} <= {200, 401}
    assert (await proxy.get("/", "bob")).status == 200


def valid(place: Place, name: str) -> int:
    """The number of a user's temporary tokens that are still valid."""
    sql = "SELECT 1 FROM token WHERE user_id = :id AND label = 'Podium in the browser' AND revoked_at IS NULL"
    return len(place.world.rows(sql, id=getattr(place.world, name).user_id))


async def sign_out(proxy: Proxy, kept: str, name: str) -> None:
    headers = {"Origin": ORIGIN, "Cookie": kept, "X-Forwarded-User": name}
    async with proxy.http.post("http://podium/sign-out", headers=headers) as response:
        assert response.status == 200


async def test_a_token_is_revoked_when_its_person_has_signed_out_everywhere(place: Place, proxy: Proxy) -> None:
    before = valid(place, "gus")
    first, second = [cookie(await proxy.get("/", "gus")) for _ in range(2)]
    assert valid(place, "gus") == before + 1
    async with proxy.http.ws_connect(
        "http://podium/ws", headers=WS | {"Cookie": first, "X-Forwarded-User": "gus"}
    ) as tab:
        await tab.receive()
        await sign_out(proxy, second, "gus")
        assert (await proxy.get("/", "gus", cookie=first)).status == 200, "the other browser goes on"
        await sign_out(proxy, first, "gus")
        while (await tab.receive()).type not in (aiohttp.WSMsgType.CLOSE, aiohttp.WSMsgType.CLOSED):
            pass
    await until(lambda: valid(place, "gus") == before)
    kept = cookie(await proxy.get("/", "gus"))
    assert kept not in (first, second), "a user who comes back gets a new one"
    assert valid(place, "gus") == before + 1


def away_at_first(execute: Any) -> Any:
    """A server that cannot be reached when a token is to be revoked first."""
    tried: list[RevokeToken] = []

    async def execute_later(backend: RemoteBackend, command: Any) -> Any:
        if isinstance(command, RevokeToken) and not tried:
            tried.append(command)
            raise StorageError("It is away.")
        return await execute(backend, command)

    return execute_later


@pytest.mark.parametrize("limits", [GatewayLimits(idle=0.1), GatewayLimits()], ids=["idle", "the gateway ends"])
async def test_a_token_is_revoked_when_its_session_is_idle_or_the_gateway_ends(
    place: Place, monkeypatch: pytest.MonkeyPatch, limits: GatewayLimits
) -> None:
    monkeypatch.setattr(gateway, "TIDY_SECONDS", 0.05)
    if limits.idle < 1:
        monkeypatch.setattr(RemoteBackend, "execute", away_at_first(RemoteBackend.execute))
    path = Path(place.server.address.removeprefix("unix:")).with_name("web")
    trusted = TrustedProxy(os.getuid(), place.gateway_token())
    before = valid(place, "gus")
    here = gateway_here(place.server.address, limits, ORIGIN, listener=unix_socket(path), trusted=trusted)
    async with here, aiohttp.ClientSession(connector=aiohttp.UnixConnector(str(path))) as http:
        assert (await Proxy(http).get("/", "gus")).status == 200
        if limits.idle < 1:
            await until(lambda: valid(place, "gus") == before)
        else:
            assert valid(place, "gus") == before + 1
    assert valid(place, "gus") == before


async def test_a_token_is_kept_as_long_as_one_of_its_sessions_and_for_one_that_begins_just_then(place: Place) -> None:
    tokens = TemporaryTokens(server_address(place.server.address), place.gateway_token())
    first, second, third = (BrowserSession(str(n), BearerToken("none", "tests"), "", "gus", 0.0) for n in range(3))

    async def settled() -> int:
        """The number of valid tokens after a revocation in progress."""
        await asyncio.sleep(0)
        async with tokens.turn_of("gus"):
            return valid(place, "gus")

    before = valid(place, "gus")
    made = await tokens.of("gus")
    made.sessions |= {first, second}
    tokens.after_session(first)
    assert await settled() == before + 1
    async with tokens.turn_of("gus"):
        tokens.after_session(second)
        await asyncio.sleep(0)
        made.sessions.add(third)
    assert await settled() == before + 1
    await tokens.close()
    assert valid(place, "gus") == before


async def test_a_session_is_kept_open_and_ends_soon_when_the_gateway_is_gone(place: Place) -> None:
    tokens = TemporaryTokens(server_address(place.server.address), place.gateway_token())
    made = await tokens.of("gus")
    made.sessions.add(BrowserSession("1", made.token, "", "gus", 0.0))

    def left() -> timedelta:
        row = place.world.row("token", id=made.id)
        return datetime.fromisoformat(row["expires_at"]) - datetime.now(UTC)

    assert timedelta(0) < left() <= SESSION
    soon = encode_value(datetime.now(UTC) + timedelta(minutes=2))
    place.world.database.write(
        lambda tx: tx.execute("UPDATE token SET expires_at = :soon WHERE id = :id", soon=soon, id=made.id)
    )
    await tokens.keep()
    assert left() < timedelta(minutes=3), "it is not due yet"
    made.kept = -math.inf
    await tokens.keep()
    assert left() > timedelta(minutes=10)
    place.world.database.write(
        lambda tx: tx.execute("UPDATE token SET revoked_at = created_at WHERE id = :id", id=made.id)
    )
    made.kept = -math.inf
    await tokens.keep()
    assert (await tokens.of("gus")).id != made.id, "one that was revoked is used no more"
    await tokens.close()


async def test_a_gateway_with_the_token_of_a_person_opens_nothing_and_says_so_in_its_log(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    tokens = TemporaryTokens(server_address(place.server.address), BearerToken(place.token("maya"), "tests"))
    with pytest.raises(ServerUnavailable):
        await tokens.of("gus")
    assert "gateway token refused" in capsys.readouterr().err


async def test_there_is_no_form_behind_a_proxy(proxy: Proxy) -> None:
    assert (await proxy.get("/sign-in", "maya")).headers["Location"] == "/"
    async with proxy.http.post("http://podium/sign-in", data={"token": "x"}, headers=WS) as response:
        assert response.status == 404
