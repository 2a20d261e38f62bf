"""Comments are edited and deleted by their authors alone; undo brings back what was there."""

from __future__ import annotations

import pytest

from core.actions.cards.comments import AddComment, DeleteComment, EditComment, ListComments
from core.actions.history.history import Redo, Undo
from core.domain.model import Comment, Item
from core.errors import Forbidden, InvalidInput, NotFound, RuleViolation, VersionConflict
from tests.support.inbox import inbox
from tests.support.workspace import World


@pytest.fixture
def task(world: World) -> Item:
    return world.task()


@pytest.fixture
def comment(world: World, task: Item) -> Comment:
    return world.do(AddComment(item_id=task.id, text="Looks good."))


def texts(world: World, task: Item) -> list[str]:
    return [each.text for each in world.ask(ListComments(item_id=task.id)).comments]


def test_the_text_of_a_comment_is_changed_and_undone(world: World, task: Item, comment: Comment) -> None:
    edited = world.do(EditComment(item_id=task.id, comment_id=comment.id, text="Looks better."))
    assert (edited.id, edited.at, edited.version) == (comment.id, comment.at, comment.version + 1)
    assert texts(world, task) == ["Looks better."]
    assert world.last_change()["summary"] == "edited a comment on “Write the brief”"
    world.do(Undo(project_id=world.project.id))
    assert texts(world, task) == ["Looks good."]
    world.do(Redo(project_id=world.project.id))
    assert texts(world, task) == ["Looks better."]


def test_a_deleted_comment_is_gone_until_the_change_is_undone(world: World, task: Item, comment: Comment) -> None:
    later = world.do(AddComment(item_id=task.id, text="And cheap."))
    assert world.do(DeleteComment(item_id=task.id, comment_id=comment.id)) == comment
    assert texts(world, task) == ["And cheap."]
    assert world.last_change()["summary"] == "deleted a comment on “Write the brief”"
    world.refuses(EditComment(item_id=task.id, comment_id=comment.id, text="Back"), NotFound)
    world.do(Undo(project_id=world.project.id))
    assert [each.id for each in world.ask(ListComments(item_id=task.id)).comments] == [comment.id, later.id]


def test_the_same_text_is_no_change(world: World, task: Item, comment: Comment) -> None:
    before = world.last_change()
    assert world.do(EditComment(item_id=task.id, comment_id=comment.id, text=comment.text)) == comment
    assert world.last_change() == before


@pytest.mark.parametrize("text", ["", " \n ", "x" * 100_000], ids=["empty", "blank", "long"])
def test_a_text_that_no_comment_can_have_is_refused(world: World, task: Item, comment: Comment, text: str) -> None:
    for message in (
        AddComment(item_id=task.id, text=text),
        EditComment(item_id=task.id, comment_id=comment.id, text=text),
    ):
        world.refuses(message, InvalidInput)
    assert texts(world, task) == ["Looks good."]


def test_nobody_but_the_author_changes_a_comment_not_even_an_owner(world: World, task: Item) -> None:
    of_bob = world.do(AddComment(item_id=task.id, text="Mine."), world.bob)
    reason = "This comment is by Bob Lind, and only its author changes a comment."
    for message in (
        EditComment(item_id=task.id, comment_id=of_bob.id, text="Ours."),
        DeleteComment(item_id=task.id, comment_id=of_bob.id),
    ):
        world.refuses(message, RuleViolation, reason)
        world.refuses(message, Forbidden, as_=world.vera)
    assert texts(world, task) == ["Mine."]


def test_a_comment_of_another_card_is_not_there(world: World, comment: Comment) -> None:
    other = world.task("Another card")
    world.refuses(EditComment(item_id=other.id, comment_id=comment.id, text="Moved"), NotFound, "no such comment")
    world.refuses(DeleteComment(item_id=other.id, comment_id=comment.id), NotFound, "no such comment")


def test_a_change_after_another_one_that_was_not_seen_is_refused(world: World, task: Item, comment: Comment) -> None:
    world.do(EditComment(item_id=task.id, comment_id=comment.id, text="Looks better.", seen_version=comment.version))
    for message in (
        EditComment(item_id=task.id, comment_id=comment.id, text="Worse.", seen_version=comment.version),
        DeleteComment(item_id=task.id, comment_id=comment.id, seen_version=comment.version),
    ):
        world.refuses(message, VersionConflict)
    assert texts(world, task) == ["Looks better."]


def test_who_is_mentioned_for_the_first_time_is_notified(world: World, task: Item) -> None:
    said = world.do(AddComment(item_id=task.id, text="@bob is this right?"))
    assert len(inbox(world)) == 1
    world.do(EditComment(item_id=task.id, comment_id=said.id, text="@bob @vera is this right?"))
    assert len(inbox(world)) == 1
    assert len(inbox(world, world.vera)) == 1
