"""The template that a project was created from."""

from __future__ import annotations

from core.actions.templates.apply import SaveTemplate
from core.actions.templates.templates import GetTemplateOrigin
from tests.support.workspace import World


def test_a_project_of_its_own_comes_from_none(world: World) -> None:
    assert world.ask(GetTemplateOrigin(project_id=world.project.id), world.vera) is None


def test_one_that_was_saved_as_a_template_comes_from_that(world: World) -> None:
    template = world.do(SaveTemplate(project_id=world.project.id, name="Small site"))
    origin = world.ask(GetTemplateOrigin(project_id=world.project.id))
    assert origin is not None
    assert (origin.template_id, origin.number) == (template.id, 1)
