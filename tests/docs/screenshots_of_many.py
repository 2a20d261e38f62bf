"""Pictures with several users: behind a real server, and in the real Chromium."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.async_api import async_playwright
from textual.pilot import Pilot

from core.actions import load_catalog
from core.actions.cards.tasks import EditTask
from core.actions.projects.find import FindProjects
from core.actions.workflow.canvas import GetCanvas
from core.actions.workspace.credentials import CreateToken
from core.actions.workspace.profile import GetCurrentUser
from core.backends.remote import RemoteBackend
from core.domain.canvas import Card
from core.domain.model import Id
from core.engine.engine import Engine
from core.net.server_address import server_address
from core.sign_in.local import sign_on
from core.storage.sqlite.database import SqliteDatabase
from tests.support.api.program import ServerProgram
from tests.support.app_driver import PodiumPilot, seen
from tests.support.system_programs import needs
from tests.support.web.browser import BrowserTab
from tests.support.web.gateway import GatewayProgram
from tui.app import PodiumApp
from tui.drawing.theme import DARK, LIGHT
from tui.screens.canvas.screen import CanvasScreen
from tui.screens.framework.screen import PodiumScreen
from tui.screens.people.tokens import AccessScreen

CAMPAIGN = "Slow Mornings campaign"
SMALL = (80, 24)
ME, MARA, JONAS, HANNA = "robin", "mara.oduya", "jonas.weidmann", "hanna.lindqvist"
MINE, HIS = "Edit the 45", "Cut down to 20"


class Studio:
    """The demo's workspace behind a server, and its users."""

    def __init__(self, database: Path, server: ServerProgram) -> None:
        self.engine = Engine(SqliteDatabase(database), load_catalog)
        self.server = server
        projects = self.engine.query(FindProjects(name=CAMPAIGN), sign_on(self.engine, ME))
        self.project_id: Id = projects[0].id

    def card(self, title: str) -> Card:
        """The first card whose title begins with ``title``."""
        canvas = self.engine.query(GetCanvas(project_id=self.project_id), sign_on(self.engine, ME))
        return next(card for card in canvas.cards if card.title.startswith(title))

    def token(self, login: str, label: str = "Terminal at home", days: int = 30) -> str:
        """The secret of a new token of a user."""
        return self.engine.execute(CreateToken(label=label, days=days), sign_on(self.engine, login)).secret

    @asynccontextmanager
    async def at(self, shot: Scene, login: str, first: Callable[[], PodiumScreen]) -> AsyncIterator[PodiumPilot]:
        """Podium of one user, as a client of the server."""
        backend = RemoteBackend(server_address(self.server.address), self.token(login))
        app = PodiumApp(backend, self.engine.query(GetCurrentUser(), sign_on(self.engine, login)), first, via="ssh")
        async with app.run_test(size=shot.size, notifications=True):
            app.theme = (LIGHT if shot.light else DARK).name
            yield PodiumPilot(app)
        await backend.close()

    def on_canvas(self, title: str) -> Callable[[], PodiumScreen]:
        """A Canvas with the cursor on a card."""
        card = self.card(title)
        return lambda: CanvasScreen(self.project_id, card.id)


TakePicture = Callable[[PodiumApp], None]
"""Takes a picture of the screen of an app."""


@dataclass(frozen=True)
class Scene:
    """One picture, and the session that leads to it."""

    name: str
    play: Callable[[Scene, Studio, TakePicture], Awaitable[None]]
    size: tuple[int, int] = (120, 40)
    light: bool = False


async def comes(pilot: Pilot[int], words: str) -> None:
    """Wait until the words are on the screen."""
    await until(pilot, lambda: words in seen(pilot))


async def until(pilot: Pilot[int], true: Callable[[], bool]) -> None:
    """Wait until a condition is true."""
    for _ in range(400):
        if true():
            return
        await pilot.pause(0.025)
    raise AssertionError(f"It does not happen:\n{seen(pilot)}")


async def together(scene: Scene, studio: Studio, take: TakePicture) -> None:
    """Three users are on the Canvas; one of them has just assigned a card to himself."""
    async with AsyncExitStack() as stack:
        me = await stack.enter_async_context(studio.at(scene, ME, studio.on_canvas(MINE)))
        await stack.enter_async_context(studio.at(scene, MARA, studio.on_canvas(MINE)))
        jonas = await stack.enter_async_context(studio.at(scene, JONAS, studio.on_canvas(HIS)))
        await comes(me, "●MO")
        await comes(me, "●JW")
        before = seen(me)
        await jonas.press("i")
        await until(me, lambda: seen(me) != before)
        take(me.app)


async def conflict(scene: Scene, studio: Studio, take: TakePicture) -> None:
    """Another user renamed the card while I was typing."""
    card = studio.card(MINE)
    async with studio.at(scene, ME, studio.on_canvas(MINE)) as me:
        await comes(me, MINE)
        await me.press("e")
        await comes(me, "ctrl+s save")
        await me.press("end", *["space" if each == " " else each for each in " and grade it"])
        studio.engine.execute(
            EditTask(task_id=card.id, title="Edit the 45″ film, two versions"), sign_on(studio.engine, MARA)
        )
        await me.press("ctrl+s")
        await comes(me, "Someone else changed this")
        await me.pause(0.3)
        take(me.app)


async def offline(scene: Scene, studio: Studio, take: TakePicture) -> None:
    """The server has stopped; the Canvas can still be read."""
    async with studio.at(scene, ME, studio.on_canvas(MINE)) as me:
        await comes(me, MINE)
        studio.server.stop()
        await comes(me, "offline")
        take(me.app)


async def access(scene: Scene, studio: Studio, take: TakePicture) -> None:
    """Tokens of several users, and linked accounts."""
    studio.token(ME, "Laptop in the browser", 90)
    studio.token(MARA, "Nightly report", 365)
    studio.token(HANNA, "Phone", 7)
    async with studio.at(scene, ME, AccessScreen) as me:
        await comes(me, "Nightly report")
        await me.pause(0.3)
        take(me.app)


SCENES = (
    Scene("together", together),
    Scene("together-light", together, light=True),
    Scene("together-80x24", together, SMALL),
    Scene("conflict", conflict),
    Scene("conflict-80x24", conflict, SMALL),
    Scene("offline-80x24", offline, SMALL),
    Scene("access", access),
)


async def play(scene: Scene, database: Path, take: TakePicture) -> None:
    """Start a server and play the scene."""
    with ServerProgram(database) as server:
        await scene.play(scene, Studio(database, server), take)


SIGN_IN, CANVAS = "browser-sign-in", "browser-canvas"


async def in_browser(database: Path, folder: Path) -> None:
    """Take pictures of the sign-in page and of a Canvas in a browser."""
    with (
        ServerProgram(database) as server,
        GatewayProgram(server.address, database.parent) as gateway,
    ):
        studio = Studio(database, server)
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=needs("chromium"), args=["--no-sandbox"])
            tab = BrowserTab(await browser.new_page(viewport={"width": 1200, "height": 760}))
            await tab.page.goto(gateway.url)
            await tab.page.screenshot(path=folder / f"{SIGN_IN}.png")
            await tab.sign_in(gateway.url, studio.token(ME))
            await tab.shows(CAMPAIGN)
            await tab.press("Enter")
            await tab.shows("Record the voice-over")
            await tab.page.wait_for_timeout(1000)  # until it is painted
            await tab.page.screenshot(path=folder / f"{CANVAS}.png")
            await browser.close()
