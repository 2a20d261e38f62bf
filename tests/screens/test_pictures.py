"""Pictures of every screen, kept beside the tests: a change of the look, ours or Textual's, is a change to look at.

``pytest tests/screens/test_pictures.py --snapshot-update`` takes them again, after you have looked at them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from core.actions.cards.comments import AddComment
from core.actions.products.products import AddApplicationRole, RetireProduct
from core.actions.workflow.deliverables import AddDeliverable, Deliver
from core.actions.workflow.phases import EditPhase
from core.actions.workspace.hierarchy import AddNode
from core.actions.workspace.profile import GetCurrentUser
from core.backends.local import LocalBackend
from core.domain.model import Gate, NodeKind
from tests.support.app_driver import comes, settled
from tests.support.sweeps import sizes
from tests.support.workspace import World
from tui.app import PodiumApp
from tui.drawing.theme import LIGHT
from tui.screens.canvas.screen import CanvasScreen
from tui.screens.framework.screen import PodiumScreen
from tui.screens.projects.import_file import IncomingFile, Said
from tui.screens.projects.import_screen import ImportScreen
from tui.screens.projects.projects import ProjectsScreen

Snap = Callable[..., bool]
MakeApp = Callable[..., PodiumApp]
FAR = date(2150, 6, 1)
"""Shown with its year, whatever day it is when the test runs."""


@pytest.fixture
def scene(world: World) -> World:
    """A project in the middle of things; wide, long and hostile texts among them."""
    brief = world.task("Write the brief", due=FAR, assignee_id=world.bob.user_id)
    talks = world.activity("Interviews with customers in four countries and two languages", due=FAR)
    world.task("Call Ana", activity_id=talks.id)
    world.task("概要を書く、それから翻訳する", world.build)
    world.task("[red]Not red[/] [@click=app.bell]not a link[/]", world.build)
    world.complete(brief.id)
    world.do(AddComment(item_id=talks.id, text="Two of them answer only in the evening."))
    findings = world.do(AddDeliverable(phase_id=world.discover.id, name="Findings"))
    world.do(Deliver(deliverable_id=findings.id, link="https://example.com/findings.pdf"))
    world.do(EditPhase(phase_id=world.build.id, gate=Gate.REVIEW))
    furnish(world)
    return world


def furnish(world: World) -> None:
    """A hierarchy and products around the project."""
    client = world.do(AddNode(kind=NodeKind.CLIENT, name="Halden Foods"))
    market = world.do(AddNode(kind=NodeKind.MARKET, name="Nordics", parent_id=client.id))
    world.do(AddNode(kind=NodeKind.BRAND, name="Solstråle 概要を書く", parent_id=market.id))
    world.do(AddNode(kind=NodeKind.BRAND, name="[red]Not red[/]"))
    codes = ("ASSET_VIEW", "ASSET_EDIT")
    library = world.product(permission_codes=codes, description="Pictures and films of every campaign.")
    world.do(AddApplicationRole(product_id=library.id, name="Editor", permission_codes=codes))
    planner = world.product("Old planner 概要を書く", required_context=(NodeKind.CLIENT, NodeKind.BRAND))
    world.do(RetireProduct(product_id=planner.id))


@pytest.fixture
def app(utc: None, scene: World) -> Iterator[MakeApp]:
    """``app(first screen, theme)``: Podium as Maya has it; its threads end before the database is closed."""
    backends: list[LocalBackend] = []

    def make(first: Callable[[], PodiumScreen], theme: str | None = None) -> PodiumApp:
        backends.append(LocalBackend(scene.engine, scene.maya))
        podium = PodiumApp(backends[-1], scene.ask(GetCurrentUser()), first)
        if theme:
            podium.theme = theme
        return podium

    yield make
    for backend in backends:
        asyncio.run(backend.close())


def canvas(world: World) -> Callable[[], PodiumScreen]:
    return lambda: CanvasScreen(world.project.id)


@sizes((120, 40), swept=[(80, 24), (200, 60), (40, 12)])
def test_the_canvas(scene: World, app: MakeApp, snap_compare: Snap, size: tuple[int, int]) -> None:
    assert snap_compare(app(canvas(scene)), terminal_size=size, run_before=still)


def test_the_canvas_in_light_colours(scene: World, app: MakeApp, snap_compare: Snap) -> None:
    assert snap_compare(app(canvas(scene), LIGHT.name), terminal_size=(120, 40), run_before=still)


@sizes((120, 40), swept=[(80, 24), (40, 12)])
def test_the_projects(scene: World, app: MakeApp, snap_compare: Snap, size: tuple[int, int]) -> None:
    assert snap_compare(app(ProjectsScreen), terminal_size=size, run_before=still)


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("card", ["enter"]),
        ("phase", ["p"]),
        ("members", ["g", "M"]),
        ("people", ["g", "w"]),
        ("history", ["g", "h"]),
        ("help", ["question_mark"]),
        ("settings", ["g", "s"]),
        ("hierarchy", ["g", "y"]),
        ("meta-roles", ["g", "r"]),
        ("products", ["g", "o"]),
        ("product", ["g", "o", "enter"]),
        ("new-product", ["g", "o", "n"]),
        ("new-card", ["n"]),
        ("assign", ["a"]),
        ("menu", ["full_stop"]),
        ("why", ["l", "w"]),
        ("filtered", ["slash", "c", "a", "l", "l"]),
        ("go", ["g"]),
        ("locked", ["l"]),
        ("filter-kept", ["slash", "c", "a", "l", "l", "enter"]),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
@sizes((100, 30), swept=[(40, 12)])
def test_a_screen_or_dialog(
    scene: World, app: MakeApp, snap_compare: Snap, name: str, keys: list[str], size: tuple[int, int]
) -> None:
    assert snap_compare(app(canvas(scene)), terminal_size=size, run_before=pressing(*keys)), name


TABLE = """Launch of 概要を書く
Task;Owner;Due;Budget;State;Note with a rather long head, [red]not red[/]
Posters;Bob Lind;03/04/2150;1.200,00;on it;large
Print;Zed Zeller;05/06/2150;12.500;done;
Ship;;;;on it;
"""


@pytest.mark.parametrize(
    ("size", "theme"),
    [
        ((80, 24), None),
        pytest.param((120, 40), LIGHT.name, marks=pytest.mark.sweep),
        pytest.param((200, 60), None, marks=pytest.mark.sweep),
        pytest.param((40, 12), None, marks=pytest.mark.sweep),
    ],
    ids=str,
)
def test_the_preview_of_an_import(
    app: MakeApp, snap_compare: Snap, tmp_path: Path, size: tuple[int, int], theme: str | None
) -> None:
    path = tmp_path / "plan.csv"
    path.write_text(TABLE)

    async def look(pilot: Any) -> None:
        file = IncomingFile(path)
        await file.look(pilot.app, Said())
        await pilot.app.push_screen(ImportScreen(file))
        await still(pilot)

    assert snap_compare(app(ProjectsScreen, theme), terminal_size=size, run_before=look)


def pressing(*keys: str) -> Callable[[Any], Awaitable[None]]:
    """Makes what is done before a picture: keys are pressed."""

    async def press(pilot: Any) -> None:
        await still(pilot)
        for key in keys:
            await pilot.press(key)
            await still(pilot)

    return press


async def still(pilot: Any) -> None:
    """Wait until what was read is drawn, also the preview under a dialog. No cursor blinks: that would be sent too."""
    await settled(pilot)
    previewers = [screen.previewer for screen in pilot.app.screen_stack if hasattr(screen, "previewer")]
    assert await comes(pilot, lambda: all(each is None or each.is_at_rest for each in previewers))
    await settled(pilot)
    assert not any(field.cursor_blink for field in pilot.app.screen.query("Input, TextArea"))
