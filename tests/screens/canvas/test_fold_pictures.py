"""Pictures of wrapped titles, families and folds on the Canvas, kept as those of ``test_pictures.py`` are."""

from __future__ import annotations

import pytest

from core.actions.cards.activities import AssignActivity
from core.actions.cards.tasks import AssignTask
from tests.screens.test_pictures import FAR, MakeApp, Snap, app, canvas, pressing, scene, still
from tests.support.sweeps import sizes
from tests.support.workspace import World
from tui.drawing.theme import LIGHT

__all__ = ["app", "scene"]

SIZES = sizes((80, 24), swept=[(120, 40), (200, 60), (40, 12)])
FAMILY = "Shoot the films in the harbour of Bergen and in the kitchen of the grandparents"


@pytest.fixture
def folds(scene: World) -> World:
    """Discover is complete; Build has an activity with tasks in two sections, and several people."""
    for row in scene.rows("SELECT id FROM item WHERE phase_id = :id AND kind = 'TASK'", id=scene.discover.id):
        scene.complete(row["id"])
    scene.complete(scene.row("item", kind="ACTIVITY")["id"])
    films = scene.activity(FAMILY, scene.build, due=FAR)
    scene.do(AssignActivity(activity_id=films.id, member_ids=(scene.bob.user_id, scene.maya.user_id)))
    crew = scene.task("Book the crew and the kitchen", scene.build, activity_id=films.id, due=FAR)
    scene.do(AssignTask(task_id=crew.id, assignee_id=scene.vera.user_id))
    day = scene.task("撮影日: 港での夜明けとその後の台所", scene.build, activity_id=films.id)
    scene.start(day.id)
    return scene


@SIZES
def test_wrapped_titles_beside_a_complete_phase(
    folds: World, app: MakeApp, snap_compare: Snap, size: tuple[int, int]
) -> None:
    assert snap_compare(app(canvas(folds)), terminal_size=size, run_before=still)


@SIZES
def test_a_folded_family_with_marks_and_a_folded_phase(
    folds: World, app: MakeApp, snap_compare: Snap, size: tuple[int, int]
) -> None:
    fold = pressing("j", "space", "k", "tab", "l", "Z")
    assert snap_compare(app(canvas(folds)), terminal_size=size, run_before=fold)


def test_compact_cards_in_light_colours(folds: World, app: MakeApp, snap_compare: Snap) -> None:
    assert snap_compare(app(canvas(folds), LIGHT.name), terminal_size=(120, 40), run_before=pressing("z"))
