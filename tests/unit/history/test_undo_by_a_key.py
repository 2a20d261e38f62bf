"""Undo by a key: the last change, after a question if the user could mean another one."""

from __future__ import annotations

import pytest

from core.actions.cards.cards import DeleteCard
from core.actions.cards.tasks import EditTask
from core.actions.history.history import Redo, Undo
from core.actions.projects.members import SetProjectRole
from core.actions.projects.projects import CreateProject
from core.actions.workspace.workspace import RenameWorkspace
from core.domain.model import ProjectRole
from core.errors import CannotUndo, NothingToUndo, UndoTooOld
from tests.support.workspace import Clock, World


def test_an_undo_limited_to_recent_changes_says_that_the_last_one_is_older(world: World, clock: Clock) -> None:
    task = world.task("One")
    clock.forward(hours=24)
    world.do(Undo(project_id=world.project.id, recent=True))
    clock.forward(hours=24, seconds=1)
    with pytest.raises(
        UndoTooOld, match="Your last undo in “Spring launch” was 1 day ago, on Tue 3 Mar 2026: added the task “One”"
    ):
        world.do(Redo(project_id=world.project.id, recent=True))
    assert not world.rows("SELECT id FROM item")
    world.do(Redo(project_id=world.project.id))
    assert world.row("item", id=task.id)
    clock.forward(days=2)
    with pytest.raises(UndoTooOld, match="Your last change in “Spring launch” was 2 days ago, on Wed 4 Mar 2026"):
        world.do(Undo(project_id=world.project.id, recent=True))
    clock.forward(days=19)
    with pytest.raises(UndoTooOld, match="was 3 weeks ago, on Wed 4 Mar 2026: added the task “One”") as asked:
        world.do(Undo(project_id=world.project.id, recent=True))
    world.do(Undo(project_id=world.project.id, recent=True, seq=asked.value.seq))
    assert not world.rows("SELECT id FROM item")


def test_a_change_that_cannot_be_undone_is_named_and_the_one_before_is_asked_about(world: World, clock: Clock) -> None:
    kept, gone = world.task("Kept"), world.task("Gone")
    world.delete(gone.id)
    with pytest.raises(UndoTooOld, match=r"cannot be undone: deleted .*“Gone”.* was .*: added .*“Kept”") as asked:
        world.do(Undo(project_id=world.project.id, recent=True))
    assert asked.value.seq == world.rows("SELECT min(seq) AS seq FROM change_record WHERE entity = 'item'")[0]["seq"]
    assert world.row("item", id=kept.id)
    clock.forward(days=8)
    with pytest.raises(UndoTooOld, match=r"cannot be undone: deleted .* was 1 week ago, on .*: added .*“Kept”"):
        world.do(Undo(project_id=world.project.id, recent=True))


def test_undo_without_a_key_does_not_pass_over_a_change_that_cannot_be_undone(world: World) -> None:
    kept, gone = world.task("Kept"), world.task("Gone")
    world.delete(gone.id)
    before = world.rows("SELECT max(seq) AS seq FROM change")[0]["seq"]
    world.refuses(Undo(project_id=world.project.id), NothingToUndo, rf"deleted .*“Gone”.* --change {before - 3}”\.$")
    with pytest.raises(CannotUndo, match=rf"cannot be undone.* --change {before - 3}”\.$"):
        world.do(Undo(project_id=world.project.id, seq=before - 1))
    world.do(Undo(project_id=world.project.id, seq=before - 3))
    assert not world.rows("SELECT id FROM item")
    world.do(Redo(project_id=world.project.id))
    assert world.row("item", id=kept.id)


def test_steps_that_a_deletion_made_impossible_are_not_offered(world: World) -> None:
    kept, gone = world.task("Kept"), world.task("Gone")
    world.do(EditTask(task_id=gone.id, title="Gone soon"))
    world.do(EditTask(task_id=gone.id, title="Gone now"))
    world.archive(gone.id, as_=world.bob)
    world.do(DeleteCard(card_id=gone.id))
    with pytest.raises(UndoTooOld, match=r"The last one that can be undone was .*: added the task “Kept”") as asked:
        world.do(Undo(project_id=world.project.id, recent=True))
    assert len(world.rows("SELECT id FROM item")) == 1, "what was tried was taken back"
    world.do(Undo(project_id=world.project.id, recent=True, seq=asked.value.seq))
    assert not world.rows("SELECT id FROM item WHERE id = :id", id=kept.id)


def test_where_no_change_can_be_undone_none_is_offered(world: World) -> None:
    gone = world.task("Gone")
    world.do(SetProjectRole(project_id=world.project.id, user_id=world.bob.user_id, role=ProjectRole.OWNER))
    world.delete(gone.id, as_=world.bob, relock=True)
    for recent in (True, False):
        with pytest.raises(NothingToUndo, match=r"cannot be undone: deleted .*“Gone” for good\.$"):
            world.do(Undo(project_id=world.project.id, recent=recent), world.bob)


def test_a_way_past_names_a_project_by_its_key_where_two_of_mine_have_its_name(world: World) -> None:
    world.task("Kept")
    gone = world.task("Gone")
    world.delete(gone.id)
    world.refuses(Undo(project_id=world.project.id), NothingToUndo, "podium undo 'Spring launch' --change")
    world.do(CreateProject(name="Spring launch"))
    world.refuses(Undo(project_id=world.project.id), NothingToUndo, "podium undo SPR --change")


def test_only_ones_own_changes_are_undone_by_their_number_and_redone_by_it(world: World) -> None:
    one, two = world.task("One"), world.task("Two")
    world.do(EditTask(task_id=one.id, title="Uno"), world.bob)
    first, second, of_bob = (row["seq"] for row in world.rows("SELECT seq FROM change ORDER BY seq DESC LIMIT 3")[::-1])
    for seq in (of_bob, 999):
        with pytest.raises(NothingToUndo, match=f"Number {seq} is not one of your changes"):
            world.do(Undo(project_id=world.project.id, seq=seq))
    world.refuses(Undo(project_id=world.project.id, seq=first), CannotUndo, "Bob Lind has changed it since")
    world.do(Undo(project_id=world.project.id, seq=second))
    assert [row["id"] for row in world.rows("SELECT id FROM item")] == [one.id]
    with pytest.raises(NothingToUndo, match=f"Number {second} is not one of your changes"):
        world.do(Undo(project_id=world.project.id, seq=second))
    world.do(Redo(project_id=world.project.id, seq=of_bob + 1))
    assert world.row("item", id=two.id)


def test_undo_in_a_project_names_a_later_change_to_the_workspace(world: World, clock: Clock) -> None:
    world.task("One")
    clock.forward(minutes=1)
    world.do(RenameWorkspace(name="Studio South"))
    said = (
        r"Your last change was to the workspace: renamed .* type “podium undo --workspace”\. To undo your last change "
        r"in “Spring launch” \(added the task “One”\): “podium undo 'Spring launch'”\."
    )
    world.refuses(Undo(project_id=world.project.id, only_last=True), NothingToUndo, said)
