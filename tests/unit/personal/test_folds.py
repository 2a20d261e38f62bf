"""Folds of the Canvas: kept for each user and project, and complete phases by themselves."""

from __future__ import annotations

import pytest

from core.actions.personal.folds import SetFold
from core.actions.projects.projects import ArchiveProject, DeleteProject
from core.actions.workflow.canvas import GetCanvas
from core.actions.workspace.profile import GetCurrentUser
from core.domain.canvas import MAX_FOLDS, Folds, folded_phases, folds_in, folds_text, with_fold
from core.domain.model import Id
from core.engine.unit_of_work import Actor
from core.errors import NotFound
from tests.support.workspace import World


def fold(world: World, target_id: Id, as_: Actor | None = None, *, folded: bool = True) -> Folds:
    world.do(SetFold(project_id=world.project.id, target_id=target_id, folded=folded), as_=as_)
    return world.ask(GetCanvas(project_id=world.project.id), as_).folds


def folded(world: World) -> list[str]:
    shown = world.ask(GetCanvas(project_id=world.project.id))
    ids = folded_phases(shown.head.columns, shown.folds)
    return [column.name for column in shown.head.columns if column.id in ids]


def test_each_user_has_their_own_folds_in_each_project(world: World) -> None:
    talks = world.activity("Interviews")
    fold(world, world.build.id)
    assert fold(world, talks.id) == Folds((world.build.id, talks.id), ())
    assert fold(world, world.build.id, folded=False) == Folds((talks.id,), (world.build.id,))
    assert fold(world, world.launch.id, world.vera) == Folds((world.launch.id,), ())
    other = world.new_project("Other")
    assert world.ask(GetCanvas(project_id=other.id)).folds == Folds()
    assert "folds" not in " ".join(world.ask(GetCurrentUser()).preferences)


def test_a_fold_is_no_change_of_the_project(world: World) -> None:
    before = world.ask(GetCanvas(project_id=world.project.id)).head
    fold(world, world.build.id)
    assert world.ask(GetCanvas(project_id=world.project.id)).head == before


def test_only_a_phase_or_an_activity_of_the_project_can_be_folded(world: World) -> None:
    for target in (world.task().id, "nothing"):
        with pytest.raises(NotFound, match="phase or activity"):
            fold(world, target)
    assert world.rows("SELECT * FROM preference") == []


def test_an_archived_project_can_be_folded_and_takes_its_folds_along_when_it_is_deleted(world: World) -> None:
    world.do(ArchiveProject(project_id=world.project.id))
    fold(world, world.build.id)
    fold(world, world.build.id, world.vera)
    assert len(world.rows("SELECT * FROM preference")) == 2
    world.do(DeleteProject(project_id=world.project.id))
    assert world.rows("SELECT * FROM preference") == []


def test_a_complete_phase_is_folded_unless_the_user_chose_otherwise(world: World) -> None:
    task = world.task()
    assert folded(world) == []
    world.complete(task.id)
    assert folded(world) == ["Discover"]
    fold(world, world.discover.id, folded=False)
    fold(world, world.launch.id)
    assert folded(world) == ["Launch"]
    fold(world, world.discover.id)
    assert folded(world) == ["Discover", "Launch"]


def test_where_every_phase_is_complete_none_is_folded_by_itself(world: World) -> None:
    for done, phase in enumerate((world.discover, world.build, world.launch)):
        assert folded(world) == ["Discover", "Build"][:done]
        world.complete(world.task(phase=phase).id)
    assert folded(world) == []


def test_the_oldest_choices_are_dropped() -> None:
    folds = Folds()
    for number in range(MAX_FOLDS + 3):
        folds = with_fold(folds, f"id{number}", folded=True)
    assert (len(folds.folded), folds.folded[0], folds.folded[-1]) == (MAX_FOLDS, "id3", f"id{MAX_FOLDS + 2}")
    folds = with_fold(folds, "id5", folded=False)
    assert ("id5" in folds.folded, folds.unfolded) == (False, ("id5",))
    assert folds_in(folds_text(folds)) == folds
    assert folds_in("") == Folds()
