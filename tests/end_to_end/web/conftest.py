"""One workspace, one server, one gateway and one Chromium for all of these tests."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio
from playwright.async_api import Browser, async_playwright

from core.actions import load_catalog
from core.actions.workspace.gateway_tokens import CreateGatewayToken
from core.authorization.local_source import LocalPermissions
from core.engine.engine import Engine
from core.net.bearer_tokens import BearerToken
from tests.support.api.program import ServerProgram
from tests.support.api.server import token_for
from tests.support.system_programs import needs
from tests.support.web.browser import BrowserTab
from tests.support.web.gateway import GatewayProgram, Visitor
from tests.support.workspace import World, gather, new_database

Visit = Callable[..., Awaitable[BrowserTab]]


@dataclass
class Place:
    """A gateway with its server and workspace."""

    world: World
    server: ServerProgram
    gateway: GatewayProgram
    folder: Path

    @property
    def url(self) -> str:
        return self.gateway.url

    def token(self, name: str = "maya", **options: Any) -> str:
        """A new token of one of the four."""
        return token_for(self.world, getattr(self.world, name), **options)

    def gateway_token(self) -> BearerToken:
        """A new token of a gateway, which opens sessions."""
        return BearerToken(self.world.do(CreateGatewayToken(label="tests")).secret, "tests")


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """The small workspace behind a real server and a real gateway."""
    folder = tmp_path_factory.mktemp("web")
    database = new_database(folder / "podium.db")
    engine = Engine(database, load_catalog, LocalPermissions(database), clock=lambda: datetime.now(UTC))
    world = World(engine, gather(engine))
    with (
        ServerProgram(folder / "podium.db") as server,
        GatewayProgram(server.address, folder) as gateway,
    ):
        yield Place(world, server, gateway, folder)
    engine.close()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def chromium() -> AsyncIterator[Browser]:
    """The browser; Chromium does not sandbox itself for root."""
    program = needs("chromium")
    async with async_playwright() as playwright:
        options = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = await playwright.chromium.launch(executable_path=program, args=options)
        yield browser
        await browser.close()


@pytest_asyncio.fixture(loop_scope="session")
async def visit(chromium: Browser) -> AsyncIterator[Visit]:
    """``await visit()`` opens a tab of a user whom this browser does not know yet."""
    contexts = []

    async def open_tab(width: int = 1280, height: int = 800, **options: Any) -> BrowserTab:
        context = await chromium.new_context(viewport={"width": width, "height": height}, **options)
        contexts.append(context)
        return BrowserTab(await context.new_page())

    yield open_tab
    for context in contexts:
        await context.close()


@pytest_asyncio.fixture(loop_scope="session")
async def http() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as session:
        yield session


@pytest.fixture
def visitor(place: Place, http: aiohttp.ClientSession) -> Visitor:
    """A user without a browser."""
    return Visitor(place.url, http)
