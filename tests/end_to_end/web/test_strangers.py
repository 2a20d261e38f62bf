"""Refusals, limits and secrets of the gateway, tested with requests that browsers do not send."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from contextlib import AsyncExitStack
from pathlib import Path

import aiohttp
import pytest

from tests.end_to_end.web.conftest import Place
from tests.support.terminal.screen import Screen
from tests.support.waiting import PATIENCE, until
from tests.support.web.gateway import GatewayProgram, Visitor, alive, gateway_here
from tui.web.gateway import STOPPED
from tui.web.pages import page
from tui.web.sessions import GatewayLimits
from tui.web.sign_in import cookie_of

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_the_cookie_is_for_this_gateway_alone(place: Place, visitor: Visitor) -> None:
    response = await visitor.sign_in(place.token())
    assert response.status == 303
    (cookie,) = response.headers.getall("Set-Cookie")
    assert cookie.startswith(f"{cookie_of(place.url)}=")
    assert {"HttpOnly", "Path=/", "SameSite=Strict"} <= set(cookie.split("; "))
    assert "Domain" not in cookie
    first = visitor.cookie
    await visitor.sign_in(place.token())
    assert visitor.cookie != first
    assert (await Visitor(place.url, visitor.http).get("/", Cookie=first)).headers["Location"] == "/sign-in"


async def test_a_person_who_signs_in_at_two_gateways_of_a_host_is_signed_in_at_both(place: Place) -> None:
    assert cookie_of("http://127.0.0.1:8080") != cookie_of("http://127.0.0.1:8081")
    async with (
        gateway_here(place.server.address, GatewayLimits()) as first,
        gateway_here(place.server.address, GatewayLimits()) as second,
        aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as browser,
    ):
        token = place.token()
        for url in (first, second, first):
            async with browser.get(f"{url}/sign-in", allow_redirects=False) as page:
                is_signed_in = page.status == 303
            if not is_signed_in:
                async with browser.post(f"{url}/sign-in", data={"token": token}, headers={"Origin": url}) as page:
                    assert page.status == 200
        assert is_signed_in, "the second sign-in ended the first"


async def test_wrong_expired_revoked_and_malformed_tokens_are_answered_alike(place: Place, visitor: Visitor) -> None:
    revoked = place.token("gus")
    place.world.database.write(
        lambda tx: tx.execute(
            "UPDATE token SET revoked_at = created_at WHERE user_id = :id", id=place.world.gus.user_id
        )
    )
    answers = set()
    for token in ("wrong", place.token(days=-1), revoked, "two words", "ö", "", "x" * 1001):
        response = await visitor.sign_in(token)
        answers.add((response.status, await response.text()))
        assert "Set-Cookie" not in response.headers
    assert len(answers) == 1
    assert "This token is not valid" in answers.pop()[1]


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1", ""])
async def test_another_page_can_neither_sign_in_nor_open_a_terminal(
    place: Place, visitor: Visitor, origin: str
) -> None:
    await visitor.sign_in(place.token())
    visitor.origin = origin
    refused = await visitor.post("/sign-in", token=place.token())
    assert refused.status == 403
    assert f"Podium is at {place.url}." in await refused.text()  # a name for it that is not its own was typed, mostly
    assert (await visitor.post("/sign-out")).status == 403
    with pytest.raises(aiohttp.WSServerHandshakeError) as barred:
        async with visitor.terminal():
            pass
    assert barred.value.status == 403


async def test_a_second_origin_makes_the_first_worth_nothing(place: Place, visitor: Visitor) -> None:
    await visitor.sign_in(place.token())
    both = [("Origin", visitor.origin), ("Origin", "http://evil.example"), ("Cookie", visitor.cookie)]
    for origins, status in ((both, 403), (both[::2], 303)):
        async with visitor.http.post(f"{place.url}/sign-out", headers=origins, allow_redirects=False) as response:
            assert response.status == status


async def test_names_are_text_in_a_page_and_nothing_else() -> None:
    others = dict.fromkeys(("role", "script", "reader_link", "reader_words"), "")
    response = page("terminal", theme='dark" onload="', workspace="</title><script>", name="$workspace <b>", **others)
    assert "<script>" not in (response.text or "")
    assert "&lt;/title&gt;&lt;script&gt;" in (response.text or "")
    assert "$workspace &lt;b&gt;" in (response.text or "")
    assert 'onload="' not in (response.text or "")


async def test_without_a_cookie_there_is_no_terminal_and_no_file(visitor: Visitor) -> None:
    assert (await visitor.get("/")).headers["Location"] == "/sign-in"
    assert (await visitor.get("/download/0123")).status == 404
    with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
        async with visitor.terminal(Cookie=f"{cookie_of(visitor.url)}=guessed"):
            pass
    assert refused.value.status == 401


@pytest.mark.parametrize("path", ["/", "/sign-in", "/nothing", "/assets/", "/assets/podium.js", "/download/x"])
async def test_every_answer_says_what_a_browser_may_do_with_it(visitor: Visitor, path: str) -> None:
    response = await visitor.get(path)
    assert "frame-ancestors 'none'" in response.headers["Content-Security-Policy"]
    assert "default-src 'none'" in response.headers["Content-Security-Policy"]
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.headers["Referrer-Policy"] == "same-origin"
    assert "Server" not in response.headers


@pytest.mark.parametrize(
    ("kind", "body", "status"),
    [
        ("application/x-www-form-urlencoded", b"token=\xff%ff", 401),
        ("application/x-www-form-urlencoded; charset=none", b"token=x", 401),
        ("application/x-www-form-urlencoded", b"token=" + b"x" * 20_000, 413),
        ("multipart/form-data; boundary=x", b"--x\r\nbroken", 401),
        ("multipart/form-data", b"", 401),
        ("application/json", b'{"token": 1}', 401),
        ("", b"", 401),
    ],
)
async def test_a_form_that_is_none_is_refused_in_order(
    place: Place, http: aiohttp.ClientSession, kind: str, body: bytes, status: int
) -> None:
    async with gateway_here(place.server.address, GatewayLimits()) as url:
        headers = {"Origin": url, "Content-Type": kind}
        async with http.post(f"{url}/sign-in", data=body, headers=headers, allow_redirects=False) as response:
            assert response.status == status


@pytest.mark.parametrize("path", ["/assets", "/assets/", "/assets/..%2fpages.py", "/assets/sign_in.html", "/static/"])
async def test_no_folder_is_listed_and_no_other_file_is_served(visitor: Visitor, path: str) -> None:
    assert (await visitor.get(path)).status == 404


@pytest.mark.parametrize(
    "frame",
    ["", "no JSON", "[" * 500, "{}", '["stdin"]', '["stdin", 7]', '["resize", {"width": true, "height": 2}]',
     '["run", "sh"]', '["ping", "' + "x" * 33 + '"]', b'["stdin", "q"]'],
    ids=str,
)  # fmt: skip
async def test_what_no_page_sends_ends_the_connection(place: Place, visitor: Visitor, frame: str | bytes) -> None:
    await visitor.sign_in(place.token())
    async with visitor.terminal() as socket:
        await (socket.send_bytes(frame) if isinstance(frame, bytes) else socket.send_str(frame))
        code, _ = await visitor.ended(socket)
    assert code == aiohttp.WSCloseCode.UNSUPPORTED_DATA


async def test_a_frame_that_is_too_long_ends_the_connection(place: Place, visitor: Visitor) -> None:
    await visitor.sign_in(place.token())
    async with visitor.terminal() as socket:
        await socket.send_str(json.dumps(["stdin", "x" * 300_000]))
        code, _ = await visitor.ended(socket)
    assert code == aiohttp.WSCloseCode.MESSAGE_TOO_BIG


async def test_a_podium_knows_its_token_and_nothing_of_its_host(place: Place, visitor: Visitor) -> None:
    before, token = place.gateway.podiums(), place.token()
    await visitor.sign_in(token)
    async with visitor.terminal() as socket:
        await socket.receive()
        (pid,) = place.gateway.podiums() - before
        environ = Path(f"/proc/{pid}/environ").read_bytes()
        arguments = Path(f"/proc/{pid}/cmdline").read_bytes()
        assert os.getsid(pid) == pid
    names = {each.partition(b"=")[0].decode() for each in environ.split(b"\0") if each}
    assert names <= {"PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "SSL_CERT_FILE", "SSL_CERT_DIR", "HOME", "COLUMNS",
                     "ROWS", "TEXTUAL_DRIVER", "TEXTUAL_COLOR_SYSTEM", "PODIUM_CONFIG", "PODIUM_SERVER",
                     "PODIUM_TOKEN_FD"}  # fmt: skip
    assert token.encode() not in environ + arguments
    assert token not in place.gateway.written()


async def test_one_person_has_five_tabs_and_signing_out_ends_them(place: Place, http: aiohttp.ClientSession) -> None:
    visitor, other = Visitor(place.url, http), Visitor(place.url, http)
    await visitor.sign_in(place.token("gus"))  # no other test opens tabs for him, which may be ending still
    await other.sign_in(place.token("bob"))
    tabs = AsyncExitStack()
    sockets = [await tabs.enter_async_context(visitor.terminal()) for _ in range(5)]
    with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
        async with visitor.terminal():
            pass
    assert refused.value.status == 503
    refusal = await visitor.get("/")
    assert refusal.status == 503
    assert "You have 5 tabs" in await refusal.text()
    async with other.terminal():
        assert (await visitor.post("/sign-out")).status == 303
        endings = await asyncio.gather(*(visitor.ended(socket) for socket in sockets))
        assert endings == [(aiohttp.WSCloseCode.GOING_AWAY, "You signed out.")] * 5
        assert (await other.get("/")).status == 200
    await tabs.aclose()


async def test_a_token_that_is_revoked_opens_no_further_page(place: Place, visitor: Visitor) -> None:
    await visitor.sign_in(place.token("bob"))
    place.world.database.write(
        lambda tx: tx.execute(
            "UPDATE token SET revoked_at = created_at WHERE user_id = :id", id=place.world.bob.user_id
        )
    )
    refusal = await visitor.get("/")
    assert refusal.status == 401
    assert "Your sign-in has ended" in await refusal.text()
    assert (await visitor.get("/")).headers["Location"] == "/sign-in"


async def test_a_file_is_for_the_person_who_asked_for_it_once(place: Place, http: aiohttp.ClientSession) -> None:
    visitor, other = Visitor(place.url, http), Visitor(place.url, http)
    await visitor.sign_in(place.token("vera"))
    await other.sign_in(place.token("maya"))
    async with visitor.terminal() as socket:
        screen = Screen(100, 30)
        for shown, keys in (("Spring launch", "\r"), ("To Do", ":export\r"), ("whole project", "\x13")):
            while shown not in screen.text:
                screen.feed((await socket.receive(timeout=PATIENCE)).data)
            await socket.send_json(["stdin", keys])
        while (message := await socket.receive(timeout=PATIENCE)).type is not aiohttp.WSMsgType.TEXT:
            pass
        kind, key = message.json()
        assert kind == "deliver_file_start"
        assert (await other.get(f"/download/{key}")).status == 404
        file = await visitor.get(f"/download/{key}")
        assert file.status == 200
        assert file.headers["Content-Disposition"] == 'attachment; filename="spring-launch.json"'
        assert file.headers["Content-Type"] == "application/octet-stream"
        assert "Spring launch" in await file.text()
        assert (await visitor.get(f"/download/{key}")).status == 404


@pytest.mark.slow
async def test_a_podium_that_hangs_is_ended_all_the_same(place: Place, visitor: Visitor) -> None:
    before = place.gateway.podiums()
    await visitor.sign_in(place.token())
    async with visitor.terminal() as socket:
        await socket.receive()
        (pid,) = place.gateway.podiums() - before
        os.kill(pid, signal.SIGSTOP)
    await until(lambda: not alive(pid))


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
async def test_no_podium_outlives_its_gateway(place: Place, http: aiohttp.ClientSession, number: int) -> None:
    with GatewayProgram(place.server.address, place.folder) as gateway:
        visitor = Visitor(gateway.url, http)
        await visitor.sign_in(place.token())
        async with visitor.terminal() as one, visitor.terminal() as two:
            for socket in (one, two):
                await socket.receive()
            podiums = gateway.podiums()
            assert len(podiums) == 2
            status = await asyncio.to_thread(gateway.stop, number)
            await until(lambda: not any(map(alive, podiums)))
            if number == signal.SIGTERM:
                assert status == 0
                assert (await visitor.ended(one))[1] == STOPPED
