"""Comments on tasks and activities."""

from __future__ import annotations

import contextlib
import json
from datetime import datetime

from core.actions.workflow.gates import said_by
from core.domain.max_lengths import COMMENT
from core.domain.model import Comment, Id, Item
from core.domain.notifications import NotificationKind
from core.domain.permissions import Permission
from core.engine.messages import Query
from core.engine.project_guard import names_of
from core.engine.unit_of_work import Snapshot, UnitOfWork, check_version, new_id
from core.errors import DatabaseDamaged, InvalidInput, NotFound, RuleViolation
from core.record import COLLECTION, Record, field, made_from
from core.rules.items import ItemCommand, find_item
from core.rules.notifications import mentioned_members, notify
from core.storage.database import placeholders
from core.storage.row_mapper import table_of
from core.text.phrases import no_such
from core.text.sanitize import many_lines

FIRST_PART = 20
"""The comments that come with a card."""

PART = 100
"""The most comments in any other answer."""


class AddComment(ItemCommand[Comment]):
    """Comment on a task or an activity; ``@login`` notifies a member."""

    route = "POST /v1/items/{item_id}/comments"
    permission = Permission.COMMENT_ADD
    creates = True
    item_id: Id
    text: str

    def run(self, work: UnitOfWork) -> Comment:
        text = _check_text(self.text)
        item = self.find_card(work)
        comment = Comment(
            project_id=item.project_id,
            id=new_id(),
            item_id=item.id,
            author_id=work.actor.user_id,
            at=work.now,
            text=text,
            through=work.actor.through,
        )
        work.say(f"commented on “{item.title}”")
        work.insert(comment)
        notify(work, NotificationKind.MENTIONED, item.id, mentioned_members(work, text))
        return comment


class EditComment(ItemCommand[Comment]):
    """Change the text of my comment, which is marked as edited; people whom the new text alone mentions are notified.

    As for undo, each changes only what is their own, and the history keeps the text before.
    """

    route = "PATCH /v1/items/{item_id}/comments/{comment_id}"
    permission = Permission.COMMENT_ADD
    item_id: Id
    comment_id: Id
    text: str
    seen_version: int | None = None

    def run(self, work: UnitOfWork) -> Comment:
        text = _check_text(self.text)
        item = self.find_card(work)
        comment = _find_mine(work, item, self.comment_id, self.seen_version)
        if text == comment.text:
            return comment
        work.say(f"edited a comment on “{item.title}”")
        before = mentioned_members(work, comment.text)
        mentioned = [each for each in mentioned_members(work, text) if each not in before]
        notify(work, NotificationKind.MENTIONED, item.id, mentioned)
        return work.update(comment, text=text, through=work.actor.through)


class DeleteComment(ItemCommand[Comment]):
    """Delete my comment. Undo brings it back."""

    route = "DELETE /v1/items/{item_id}/comments/{comment_id}"
    permission = Permission.COMMENT_ADD
    item_id: Id
    comment_id: Id
    seen_version: int | None = None

    def run(self, work: UnitOfWork) -> Comment:
        item = self.find_card(work)
        comment = _find_mine(work, item, self.comment_id, self.seen_version)
        work.say(f"deleted a comment on “{item.title}”")
        work.delete(comment)
        return comment


def _check_text(typed: str) -> str:
    """Return the text of a comment as it is stored. Raises InvalidInput."""
    text = many_lines(typed, "text", most=COMMENT)
    if not text.strip():
        raise InvalidInput("text", "The comment is empty. Write something, or leave it.")
    return text


def _find_mine(work: UnitOfWork, item: Item, comment_id: Id, seen_version: int | None) -> Comment:
    """Return a comment of the user on a card.

    Raises NotFound, RuleViolation for one of another person, and VersionConflict when its version is another one.
    """
    comment = work.find(Comment, project_id=item.project_id, id=comment_id)
    if comment is None or comment.item_id != item.id:
        raise NotFound(no_such("comment", comment_id))
    if comment.author_id != work.actor.user_id or comment.imported_by is not None:
        author = names_of(work, {comment.author_id})
        raise RuleViolation(
            f"This comment is by {said_by(comment, comment.author_id, author)}, and only its author changes a comment."
        )
    return check_version(work, comment, seen_version)


class CommentSummary(Record):
    """A comment with the name of its author; for an imported comment “Ann Berg, imported by Eve Stone”."""

    id: Id
    author: str
    author_id: Id
    """The user who wrote it, or who imported it."""
    at: datetime
    text: str
    imported_by: str | None
    """The name of the person who imported it; None for a comment that was written in this workspace."""
    imported_at: datetime | None
    edited: bool = False
    """True if its author has changed the text since; the history has the texts before."""


class CommentPage(Record):
    """Comments of a card that follow each other."""

    comments: tuple[CommentSummary, ...] = field(name=COLLECTION)
    """The oldest first."""
    older: int
    """The number of comments before these: ``ListComments`` lists them."""
    unreadable: int
    """The number of comments left out because a value is damaged. “podium doctor” names them."""


class ListComments(Query[CommentPage]):
    """List the newest 100 comments of a task or an activity; ``before`` is the comment before which they end."""

    route = "GET /v1/items/{item_id}/comments"
    permission = Permission.PROJECT_VIEW
    item_id: Id
    before: Id | None = None

    def scope(self, view: Snapshot) -> Id:
        return find_item(view, self.item_id, None).project_id

    def run(self, view: Snapshot) -> CommentPage:
        return comments_of(view, find_item(view, self.item_id, None), PART, self.before)


def comments_of(view: Snapshot, item: Item, most: int, before: Id | None = None) -> CommentPage:
    """Return the newest comments of a card, or those before one, without damaged ones. May raise NotFound."""
    which = "FROM comment WHERE project_id = :project_id AND item_id = :item_id"
    if before is not None:
        view.get(Comment, project_id=item.project_id, id=before)
        which += " AND (at, id) < (SELECT at, id FROM comment WHERE project_id = :project_id AND id = :before)"
    rows = view.rows(  # by id, so that the texts of the others are not read to sort them
        f"SELECT comment.*, (SELECT count(*) {which}) AS in_all FROM comment WHERE project_id = :project_id"
        f" AND id IN (SELECT id {which} ORDER BY at DESC, id DESC LIMIT :most) ORDER BY at, id",
        project_id=item.project_id,
        item_id=item.id,
        most=most,
        **({"before": before} if before is not None else {}),
    )
    comments: list[Comment] = []
    for row in rows:
        with contextlib.suppress(DatabaseDamaged):
            comments.append(table_of(Comment).load(row))
    names = names_of(view, {comment.author_id for comment in comments})
    edited = _edited_among(view, item.project_id, [comment.id for comment in comments if comment.version > 1])
    lines = tuple(
        made_from(
            CommentSummary,
            comment,
            author=said_by(comment, comment.author_id, names),
            imported_by=names.get(comment.imported_by, "") if comment.imported_by else None,
            edited=comment.id in edited,
        )
        for comment in comments
    )
    older = rows[0]["in_all"] - len(rows) if rows else 0
    return CommentPage(comments=lines, older=older, unreadable=len(rows) - len(lines))


def _edited_among(view: Snapshot, project_id: Id, comment_ids: list[Id]) -> set[Id]:
    """Return the comments whose text was changed, by the history; undo of a deletion gives a new version, too."""
    if not comment_ids:
        return set()
    keys, params = placeholders(json.dumps({"project_id": project_id, "id": each}) for each in comment_ids)
    rows = view.tx.tuples(
        f"SELECT DISTINCT key FROM change_record WHERE project_id = :scope AND entity = 'comment' AND key IN {keys}"
        " AND before IS NOT NULL AND after IS NOT NULL",
        scope=project_id,
        **params,
    )
    return {json.loads(key)["id"] for (key,) in rows}
