"""Pictures of a Canvas with applications; ``tests/screens/test_pictures.py`` says how they are taken again."""

from __future__ import annotations

import pytest

from tests.screens.test_pictures import FAR, MakeApp, Snap, app, canvas, pressing, scene
from tests.support.sweeps import sizes
from tests.support.workspace import World

__all__ = ["app", "scene"]


@pytest.fixture
def with_applications(scene: World) -> World:
    """Applications with and without holder, people and due date; one of a product of its own name."""
    talks = scene.activity("Interviews", link="https://example.org/plan")
    scene.add_application(scene.product("Media desk"), due=FAR, member_ids=(scene.bob.user_id, scene.maya.user_id))
    scene.add_application(scene.product("Survey studio"), name="Customer survey", activity_id=talks.id)
    scene.add_application(scene.product("[b]媒体[/b] planning with a long name"), scene.launch, name="Media plan")
    return scene


@sizes((120, 40), swept=[(80, 24)])
@pytest.mark.parametrize("keys", [["home"], ["z", "home", "j"]], ids=["roomy", "compact"])
def test_a_canvas_with_applications(
    with_applications: World, app: MakeApp, snap_compare: Snap, size: tuple[int, int], keys: list[str]
) -> None:
    assert snap_compare(app(canvas(with_applications)), terminal_size=size, run_before=pressing(*keys))
