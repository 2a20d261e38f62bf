"""Pictures of what several people see of each other, kept as those of ``test_pictures.py`` are."""

from __future__ import annotations

from typing import Any

import pytest

from core.actions.cards.tasks import EditTask
from core.actions.projects.presence import ReportPresence
from core.actions.workspace.credentials import CreateToken, RevokeToken
from core.domain.model import Id
from tests.screens.test_pictures import MakeApp, Snap, app, scene, still
from tests.support.app_driver import comes
from tests.support.sweeps import sizes
from tests.support.workspace import World
from tui.dialogs.conflict import ConflictDialog
from tui.drawing.theme import LIGHT
from tui.screens.canvas.screen import CanvasScreen
from tui.screens.people.tokens import AccessScreen

__all__ = ["app", "scene"]

SIZES = sizes((120, 40), swept=[(80, 24), (40, 12)])


def calls(world: World) -> Id:
    """The task in the middle of the first phase."""
    return str(world.row("item", title="Call Ana")["id"])


@SIZES
def test_two_others_are_on_the_canvas(scene: World, app: MakeApp, snap_compare: Snap, size: tuple[int, int]) -> None:
    project, card = scene.project.id, calls(scene)
    for person, card_id in ((scene.bob, card), (scene.vera, None)):
        scene.ask(ReportPresence(project_id=project, card_id=card_id, terminal=person.user_id, via="ssh"), person)

    async def look(pilot: Any) -> None:
        await still(pilot)
        pilot.app.presence.ask_soon()
        await still(pilot)

    assert snap_compare(app(lambda: CanvasScreen(project, card)), terminal_size=size, run_before=look)


@SIZES
def test_someone_else_changed_this(
    scene: World, app: MakeApp, snap_compare: Snap, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.widgets.change_highlight.HIGHLIGHT_SECONDS", 600.0)
    monkeypatch.setattr("tui.screens.views.cursor_line.SAID_SECONDS", 600.0)
    card = calls(scene)

    async def type_too_late(pilot: Any) -> None:
        podium = pilot.app
        for key in ("e", "end", "exclamation_mark"):
            await still(pilot)
            await pilot.press(key)
        board = podium.visible_screen.board
        scene.do(EditTask(task_id=card, title="Call Ana and João", description="In the evening."), scene.bob)
        assert await comes(pilot, lambda: board.model.by_id[card].version == 2)
        await pilot.press("ctrl+s")
        assert await comes(pilot, lambda: isinstance(podium.screen, ConflictDialog) and podium.saving.is_saved)
        await still(pilot)

    first = app(lambda: CanvasScreen(scene.project.id, card), LIGHT.name if size == (80, 24) else None)
    assert snap_compare(first, terminal_size=size, run_before=type_too_late)


@SIZES
def test_access(scene: World, app: MakeApp, snap_compare: Snap, size: tuple[int, int]) -> None:
    scene.do(CreateToken(label="Nightly report [red]概要[/]", days=365), scene.bob)
    phone = scene.do(CreateToken(label="Phone"))
    scene.do(RevokeToken(token_id=phone.token.id))
    assert snap_compare(app(AccessScreen), terminal_size=size, run_before=still)
