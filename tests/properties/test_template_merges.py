"""Templates, projects made from them and merges of new versions, on random workflows."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.actions.history.history import Undo
from core.actions.projects.members import InviteMember
from core.actions.templates.apply import DiffAgainstTemplate, MergeTemplate, PreviewTemplateMerge
from core.actions.workspace.meta_roles import SEEDED, SetMetaRoles
from core.domain.model import Project
from core.domain.templates import Difference, DifferenceKind, TemplateBody
from core.templates.diff import differences
from core.templates.tree import by_identity
from tests.properties.template_strategies import BODIES, Studio
from tests.support.workspace import World, content

DRAWN = settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


@pytest.fixture
def studio(world: World) -> Studio:
    return Studio(world)


def everybody(studio: Studio, project: Project) -> None:
    """Make a user of each meta role a member, as far as they are none yet."""
    roles = {row["name"]: row["id"] for row in studio.world.rows("SELECT id, name FROM meta_role")}
    members = {row["user_id"] for row in studio.world.rows("SELECT * FROM member WHERE project_id = :p", p=project.id)}
    for name in SEEDED:
        user_id = studio.role[name]
        if user_id not in members:
            studio.world.do(InviteMember(project_id=project.id, user_id=user_id))
            studio.world.do(SetMetaRoles(project_id=project.id, user_id=user_id, meta_role_ids=(roles[name],)))


@DRAWN
@given(before=BODIES, after=BODIES)
def test_an_untouched_project_becomes_what_the_new_version_is(
    studio: Studio, before: TemplateBody, after: TemplateBody
) -> None:
    lost = by_identity(before.phases).keys() - by_identity(after.phases).keys()
    template = studio.template(before, after)
    project = studio.project(template, before)
    everybody(studio, project)
    stood = content(studio.world.database, versions=False)
    done = studio.world.do(MergeTemplate(project_id=project.id, template_id=template.id))
    kept = [line for line in done.differences if line.kind is DifferenceKind.KEPT]
    if not lost:
        assert kept == []
        assert studio.body(project) == after
    assert {line.what for line in kept} <= {"PHASE"}
    assert studio.world.ask(PreviewTemplateMerge(project_id=project.id, template_id=template.id)).differences == ()
    if done.differences:
        studio.world.do(Undo(project_id=project.id))
        now = content(studio.world.database, versions=False)
        assert now | {"gate_record": []} == stood | {"gate_record": []}  # which keeps what was undone


@DRAWN
@given(body=BODIES)
def test_a_project_made_from_a_template_saves_as_the_same_workflow(studio: Studio, body: TemplateBody) -> None:
    project = studio.project(studio.template(body), body)
    assert studio.body(project) == body
    assert differences(body, studio.body(project)) == ()


@DRAWN
@given(body=BODIES, roles=st.sets(st.sampled_from(SEEDED)))
def test_with_any_roles_filled_a_project_differs_in_nothing_from_its_template(
    studio: Studio, body: TemplateBody, roles: set[str]
) -> None:
    template = studio.template(body)
    project = studio.project(template, body, roles)
    assert studio.world.ask(DiffAgainstTemplate(project_id=project.id, template_id=template.id)) == ()
    assert studio.world.ask(PreviewTemplateMerge(project_id=project.id, template_id=template.id)).differences == ()


def paths(found: tuple[Difference, ...], kind: DifferenceKind) -> list[tuple[str, ...]]:
    """Names alone: a part may be written in other letters on the other side."""
    return sorted(tuple(map(str.casefold, line.path)) for line in found if line.kind is kind)


@DRAWN
@given(before=BODIES, after=BODIES)
def test_a_difference_names_what_is_there_on_one_side_only(before: TemplateBody, after: TemplateBody) -> None:
    assert differences(before, before) == ()
    there, back = differences(before, after), differences(after, before)
    assert (before == after) == (there == ())
    assert paths(there, DifferenceKind.ADDED) == paths(back, DifferenceKind.REMOVED)
    assert all(line.before != line.after for line in there if line.field not in ("", "place"))  # names may be equal
