"""The changes of a Canvas: they bring an older Canvas up to date, and hold nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from core.actions.cards.comments import AddComment, DeleteComment, EditComment
from core.actions.cards.labels import AddLabel, AddWorkspaceLabel, EditLabel
from core.actions.fields.custom_fields import AddField, EditField
from core.actions.history.history import Undo
from core.actions.products.products import EditProduct
from core.actions.projects.members import InviteMember, RemoveMember, SetProjectRole
from core.actions.workflow.canvas import GetCanvas
from core.actions.workflow.canvas_changes import GetCanvasChanges
from core.actions.workflow.deliverables import AddDeliverable, Deliver, RemoveDeliverable
from core.actions.workflow.gates import DecideGate
from core.actions.workflow.phases import AddPhase, AssignPhase, EditPhase, RemovePhase, ReorderPhase
from core.actions.workspace.users import DeactivateUser, EditUser
from core.codec.encoding import to_json
from core.domain.canvas import Canvas, CanvasChanges
from core.domain.fields import FieldKind
from core.domain.gates import Decision
from core.domain.max_lengths import MAX_PHASES
from core.domain.model import Gate, Member, PhaseState, ProjectRole, Status, User
from core.engine.unit_of_work import new_id
from tests.support.counting import noted_statements
from tests.support.workspace import World

Given = Callable[[World], Any]


def canvas(world: World) -> Canvas:
    return world.ask(GetCanvas(project_id=world.project.id))


def changes_since(world: World, before: Canvas) -> CanvasChanges:
    changes = world.ask(GetCanvasChanges.of(before.head))
    assert changes is not None
    return changes


def changed_by(world: World, change: Given) -> CanvasChanges:
    """The changes after a change, checked: the Canvas of before with them is the Canvas as it is read whole."""
    before = canvas(world)
    change(world)
    changes = changes_since(world, before)
    assert before.after(changes) == canvas(world)
    return changes


def columns(changes: CanvasChanges) -> list[str]:
    return [column.name for column in changes.head.columns]


def members(changes: CanvasChanges) -> list[str]:
    return [member.name for member in changes.head.members]


def test_a_move_brings_the_column_of_its_card_alone(world: World) -> None:
    task, _ = world.task(), world.task()
    changes = changed_by(world, lambda _: world.start(task.id))
    assert (columns(changes), changes.head.members, changes.head.labels) == (["Discover"], (), None)


def test_a_move_that_completes_a_phase_brings_the_next_one_that_it_opens_too(world: World) -> None:
    task = world.task()
    before = canvas(world)
    assert before.head.columns[1].state is PhaseState.LOCKED
    changes = changed_by(world, lambda _: world.complete(task.id))
    assert columns(changes) == ["Discover", "Build"]
    assert changes.head.columns[1].state is PhaseState.OPEN


def test_a_phase_that_is_opened_and_locked_again_meanwhile_is_as_it_was(world: World) -> None:
    task = world.task()

    def there_and_back(_: World) -> None:
        world.complete(task.id)
        world.do(Undo(project_id=world.project.id))

    assert columns(changed_by(world, there_and_back)) == ["Discover"]


def test_a_moved_phase_brings_all_that_have_another_number_now(world: World) -> None:
    reorder = ReorderPhase(phase_id=world.launch.id, before_id=world.build.id)
    assert columns(changed_by(world, lambda _: world.do(reorder))) == ["Launch", "Build"]


def test_a_removed_phase_is_gone_and_comes_back_by_undo(world: World) -> None:
    changes = changed_by(world, lambda _: world.do(RemovePhase(phase_id=world.build.id)))
    assert (columns(changes), changes.head.gone_columns) == (["Launch"], (world.build.id,))
    changes = changed_by(world, lambda _: world.do(Undo(project_id=world.project.id)))
    assert (columns(changes), changes.head.gone_columns) == (["Build", "Launch"], ())


@pytest.mark.parametrize(
    "change",
    [
        lambda world: world.do(EditPhase(phase_id=world.build.id, name="Make", gate=Gate.REVIEW)),
        lambda world: world.do(AssignPhase(phase_id=world.build.id, member_ids=(world.bob.user_id,))),
        lambda world: world.do(DecideGate(phase_id=world.build.id, decision=Decision.OVERRIDE, reason="We have to.")),
        lambda world: world.do(AddDeliverable(phase_id=world.build.id, name="A plan")),
    ],
    ids=["edited", "assigned", "overridden", "promised"],
)
def test_a_change_of_a_phase_brings_its_column_alone(world: World, change: Given) -> None:
    assert [column.id for column in changed_by(world, change).head.columns] == [world.build.id]


def test_a_deliverable_that_is_done_or_removed_brings_the_column_of_its_phase(world: World) -> None:
    made = world.do(AddDeliverable(phase_id=world.build.id, name="A plan"))
    done = Deliver(deliverable_id=made.id)
    assert columns(changed_by(world, lambda _: world.do(done))) == ["Build"]
    assert columns(changed_by(world, lambda _: world.do(RemoveDeliverable(deliverable_id=made.id)))) == ["Build"]


def test_people_who_join_leave_or_get_another_role_are_told_one_by_one(world: World) -> None:
    join = InviteMember(project_id=world.project.id, user_id=world.gus.user_id, role=ProjectRole.VIEWER)
    gus = changed_by(world, lambda _: world.do(join)).head.members
    assert [(each.user_id, each.role) for each in gus] == [(world.gus.user_id, ProjectRole.VIEWER)]
    role = SetProjectRole(project_id=world.project.id, user_id=world.gus.user_id, role=ProjectRole.CONTRIBUTOR)
    assert [each.role for each in changed_by(world, lambda _: world.do(role)).head.members] == [ProjectRole.CONTRIBUTOR]
    leave = RemoveMember(project_id=world.project.id, user_id=world.gus.user_id)
    changes = changed_by(world, lambda _: world.do(leave))
    assert (members(changes), changes.head.gone_members) == ([], (world.gus.user_id,))


def test_what_changed_in_the_workspace_comes_with_the_next_change_of_the_project(world: World) -> None:
    """A new name of a person and of a label, and an account that was closed: no project has them in its history."""
    label = world.do(AddWorkspaceLabel(name="Print"))

    def change(_: World) -> None:
        world.do(EditUser(user_id=world.bob.user_id, first_name="Rob"))
        world.do(DeactivateUser(user_id=world.vera.user_id))
        world.do(EditLabel(label_id=label.id, name="Printed"))
        world.task()

    changes = changed_by(world, change)
    assert {(each.user_id, each.active) for each in changes.head.members} == {
        (world.bob.user_id, True),
        (world.vera.user_id, False),
    }
    assert [each.name for each in changes.head.labels or ()] == ["Printed"]


def test_after_a_product_was_renamed_the_next_change_has_the_canvas_read_again(world: World) -> None:
    product = world.product("Asset library")
    world.add_application(product)
    before = canvas(world)
    world.do(EditProduct(product_id=product.id, name="Library"))
    world.task()
    assert changes_since(world, before).read_again


def test_labels_and_custom_fields_come_where_one_of_them_differs(world: World) -> None:
    changes = changed_by(world, lambda _: world.do(AddLabel(project_id=world.project.id, name="Print")))
    assert ([each.name for each in changes.head.labels or ()], changes.head.fields) == (["Print"], None)
    add = AddField(project_id=world.project.id, name="Estimate", kind=FieldKind.NUMBER, sums=True)
    changes = changed_by(world, lambda _: world.do(add))
    assert ([each.name for each in changes.head.fields or ()], changes.head.labels) == (["Estimate"], None)
    field = canvas(world).head.fields[0]
    changed_by(world, lambda _: world.do(EditField(field_id=field.id, name="Effort")))


def test_a_query_without_the_number_of_the_workspace_gets_everyone(world: World) -> None:
    before = canvas(world)
    world.task()
    changes = world.ask(GetCanvasChanges(project_id=world.project.id, since=before.head.seq))
    assert changes is not None
    assert changes.head.members == before.head.members
    assert before.after(changes) == canvas(world)


def _crowd(world: World, people: int) -> None:
    users = [
        User(id=each, login=each, first_name="Ada", last_name=each, email=f"{each}@example.com")
        for each in (new_id() for _ in range(people))
    ]
    project_id, maya = world.project.id, world.maya.user_id
    joined = (
        Member(project_id=project_id, user_id=each.id, role=ProjectRole.VIEWER, invited_by=maya) for each in users
    )
    world.insert(*users, *joined)


def _phases(world: World, number: int) -> None:
    for each in range(number):
        world.do(AddPhase(project_id=world.project.id, name=f"Phase {each}"))


@pytest.mark.parametrize(
    ("more", "few", "many"), [(_crowd, 20, 1_980), (_phases, 2, MAX_PHASES - 5)], ids=["people", "phases"]
)
def test_the_answer_after_a_move_does_not_grow_with(
    world: World, monkeypatch: pytest.MonkeyPatch, more: Callable[[World, int], None], few: int, many: int
) -> None:
    """Neither its bytes nor the statements that it takes."""
    task, _ = world.task(), world.task()

    def after_a_move(status: Status) -> tuple[int, int]:
        before = canvas(world)
        world.move(task.id, status)
        with noted_statements(monkeypatch, world.database) as sent:
            changes = changes_since(world, before)
        assert before.after(changes) == canvas(world)
        return len(to_json(changes)), len(sent)

    more(world, few)
    at_few = after_a_move(Status.IN_PROGRESS)
    more(world, many)
    at_many = after_a_move(Status.TO_DO)
    assert at_many[0] == pytest.approx(at_few[0], rel=0.05)
    assert at_many[1] == at_few[1]
    assert at_many[0] < 2_500


def test_a_comment_of_which_only_the_text_changed_changes_no_card(world: World) -> None:
    task = world.task()
    said = world.do(AddComment(item_id=task.id, text="Nearly"), as_=world.bob)
    edit = EditComment(item_id=task.id, comment_id=said.id, text="There")
    changes = changed_by(world, lambda world: world.do(edit, as_=world.bob))
    assert changes.changed == ()
    assert "edited a comment" in str(changes.others)
    changed_by(world, lambda world: world.do(DeleteComment(item_id=task.id, comment_id=said.id), as_=world.bob))
    changed_by(world, lambda world: world.do(Undo(project_id=world.project.id), as_=world.bob))
