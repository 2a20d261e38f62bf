"""Makes ``screenshots/`` by driving Podium with the demo workspace, and the chart of its peers.

``python -m tests.docs.screenshots`` makes all, and with names those.

Each is an SVG, and a PNG beside it where ``rsvg-convert`` is installed (Debian's librsvg2-bin, with fonts-dejavu).
"""

from __future__ import annotations

import asyncio
import re
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from textual.app import App
from textual.pilot import Pilot

from core.actions import load_catalog
from core.actions.projects.find import FindProjects
from core.actions.workspace.profile import GetCurrentUser
from core.backends.local import LocalBackend
from core.demo import make_demo
from core.engine.engine import Engine
from core.sign_in.local import sign_on
from core.storage.sqlite.database import SqliteDatabase
from tests.docs import tour
from tests.docs.peers_chart import CHARTS, draw_charts
from tests.docs.screenshots_of_many import CAMPAIGN, CANVAS, SCENES, SIGN_IN, SMALL, in_browser, play, until
from tests.support.app_driver import seen
from tests.support.paths import ROOT
from tui.app import PodiumApp
from tui.drawing.theme import DARK, LIGHT
from tui.screens.shell.navigation import first_screen

FOLDER = ROOT / "screenshots"
TOUR = "tour"
LAUNCH = "Torq T4 drill launch"
"""The project of the demo whose gate waits for votes."""


TIMELINE = "g t tab" + " j" * 12
"""Opens the phase under way, down to a card that waits for others, with the arrow to it."""


@dataclass(frozen=True)
class Shot:
    """One picture: what is opened, which keys are pressed, at which size."""

    name: str
    keys: str = ""
    project: str | None = CAMPAIGN
    size: tuple[int, int] = (120, 40)
    light: bool = False


SHOTS = (
    Shot("projects", project=None),
    Shot("projects-light", project=None, light=True),
    Shot("canvas"),
    Shot("canvas-light", light=True),
    Shot("canvas-80x24", size=SMALL),
    Shot("canvas-200x60", size=(200, 60)),
    Shot("canvas-40x12", size=(40, 12)),
    Shot("canvas-marks", "j space j space j"),
    Shot("why", "l L"),
    Shot("new-card", "n"),
    Shot("menu", "full_stop"),
    Shot("go", "g"),
    Shot("card", "j j j j j j enter"),
    Shot("labels", "j number_sign"),
    Shot("waits-for", "j j ampersand"),
    Shot("application", "home enter"),
    Shot("launch-context", "home O"),
    Shot("add-application", "plus down down down"),
    Shot("my-work", "T"),
    Shot("my-work-light", "T", light=True),
    Shot("my-work-80x24", "T", size=SMALL),
    Shot("inbox", "g i"),
    Shot("inbox-light", "g i", light=True),
    Shot("timeline", TIMELINE),
    Shot("timeline-light", TIMELINE, light=True),
    Shot("timeline-80x24", TIMELINE, size=SMALL),
    Shot("table", "g l"),
    Shot("table-light", "g l", light=True),
    Shot("table-80x24", "g l", size=SMALL),
    Shot("status-board", "g b"),
    Shot("status-board-light", "g b", light=True),
    Shot("calendar", "g C j h h"),
    Shot("calendar-light", "g C j h h", light=True),
    Shot("calendar-80x24", "g C j h h", size=SMALL),
    Shot("charts", "g B"),
    Shot("charts-light", "g B", light=True),
    Shot("filter", "slash a s s i tab"),
    Shot("presets", "P"),
    Shot("search", "g f b r i e f"),
    Shot("templates", "g e"),
    Shot("template", "g e enter"),
    Shot("new-from-template", "g e n"),
    Shot("merge-template", "colon m e r g e space a enter down enter"),
    Shot("products", "g o"),
    Shot("product", "g o enter"),
    Shot("hierarchy", "g y"),
    Shot("meta-roles", "g r"),
    Shot("member-roles", "g M j enter"),
    Shot("phase", "p", LAUNCH),
    Shot("vote", "greater_than_sign", LAUNCH),
    Shot("gate-record", "g G j", LAUNCH),
    Shot("gate-seal", "g G j enter", LAUNCH),
    Shot("members", "g M"),
    Shot("people", "g w"),
    Shot("history", "g h"),
    Shot("help", "question_mark"),
    Shot("settings", "g s"),
    Shot("doctor", "g d"),
)


@asynccontextmanager
async def opened(database: Path, shot: Shot) -> AsyncIterator[Pilot[int]]:
    """Podium on a workspace, as Robin."""
    engine = Engine(SqliteDatabase(database), load_catalog)
    actor = sign_on(engine, "robin")
    backend = LocalBackend(engine, actor)
    found = shot.project and engine.query(FindProjects(name=shot.project), actor)[0]
    app = PodiumApp(backend, engine.query(GetCurrentUser(), actor), first_screen(found or None))
    async with app.run_test(size=shot.size, notifications=True) as pilot:
        app.theme = (LIGHT if shot.light else DARK).name
        await pilot.pause(0.4)
        yield pilot
    await backend.close()


async def press(pilot: Pilot[int], keys: str) -> None:
    """Press keys one after the other."""
    for key in keys.split():
        await pilot.press(key)
        await pilot.pause(0.3)


def shows(pilot: Pilot[int], pattern: str) -> bool:
    """Check the words on the screen against a regular expression."""
    return re.search(pattern, seen(pilot)) is not None


async def take(database: Path, shot: Shot, target: Path) -> None:
    """Open Podium, press the keys, save the screen."""
    async with opened(database, shot) as pilot:
        await press(pilot, shot.keys)
        save(pilot.app, target)


async def take_tour(database: Path, target: Path) -> None:
    """Play the steps of the tour and save them as one moving picture."""
    stills = []
    async with opened(database, Shot("tour", project=None, size=(120, 30))) as pilot:
        for step in tour.STEPS:
            await press(pilot, step.keys)
            await until(pilot, partial(shows, pilot, step.appears))
            stills.append(screen_of(pilot.app))
    target.write_text(tour.animated(stills))


def save(app: App[int], target: Path) -> None:
    """Save the screen as an SVG."""
    target.write_text(screen_of(app))


def screen_of(app: App[int]) -> str:
    """The screen as an SVG."""
    return with_own_font(app.export_screenshot(title="Podium"))


def with_own_font(svg: str) -> str:
    """Without fonts from the network, and with blanks kept, which some renderers fold.

    A cell is 12.2 wide there, and so are the letters of DejaVu Sans Mono and Menlo at this size: columns stand under
    each other also where ``textLength`` is not heeded.
    """
    svg = svg.replace("font-size: 20px", "font-size: 20.26px")
    svg = re.sub(r"@font-face\s*{[^}]*}", "", svg)
    svg = re.sub(r"font-family:[^;]*;", "font-family: DejaVu Sans Mono, Menlo, Consolas, monospace;", svg)
    svg = "\n".join(line.strip() for line in svg.splitlines() if line.strip())
    return svg.replace("<text ", '<text xml:space="preserve" ') + "\n"


def draw(svg: Path) -> None:
    """The PNG beside an SVG."""
    subprocess.run(["rsvg-convert", "--zoom", "1", str(svg), "-o", str(svg.with_suffix(".png"))], check=True)


def draw_if_possible(svg: Path) -> None:
    """The PNG beside an SVG, where the program for it is installed."""
    if shutil.which("rsvg-convert"):
        draw(svg)
    print(svg.name)


@contextmanager
def demo(made: Path | None = None) -> Iterator[Path]:
    """The demo's workspace, in a new database, or a copy of the one that was ``made`` before.

    In the copies people have the same ids, and so the same colours in all pictures.
    """
    with TemporaryDirectory() as folder:
        database = Path(folder) / "demo.db"
        if made is None:
            make_demo(database, login="robin")
        else:
            shutil.copy(made, database)  # with its mode
        yield database


def main(names: list[str]) -> None:
    """Take all pictures, or those that are named."""
    FOLDER.mkdir(exist_ok=True)
    with demo() as made:
        if not names or {SIGN_IN, CANVAS} & set(names):
            with demo(made) as database:
                asyncio.run(in_browser(database, FOLDER))
        if not names or TOUR in names:
            with demo(made) as database:
                asyncio.run(take_tour(database, FOLDER / f"{TOUR}.svg"))
        for svg in draw_charts(FOLDER, [name for name in CHARTS if not names or name in names]):
            draw_if_possible(svg)
        for shot in (shot for shot in (*SHOTS, *SCENES) if not names or shot.name in names):
            svg = FOLDER / f"{shot.name}.svg"
            with demo(made) as database:
                if isinstance(shot, Shot):
                    asyncio.run(take(database, shot, svg))
                else:
                    asyncio.run(play(shot, database, partial(save, target=svg)))
            draw_if_possible(svg)


if __name__ == "__main__":
    main(sys.argv[1:])
