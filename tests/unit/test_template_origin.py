"""Which template a project comes from."""

from __future__ import annotations

from core.actions.template_origin import ShowOrigin
from tests.world import World


def test_a_project_of_its_own_comes_from_none(world: World) -> None:
    assert world.ask(ShowOrigin(project_id=world.project.id), world.vera) is None
