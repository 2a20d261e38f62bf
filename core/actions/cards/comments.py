"""Comments on tasks and activities."""

from __future__ import annotations

from core.domain.max_lengths import COMMENT
from core.domain.model import Comment, Id
from core.domain.notifications import NotificationKind
from core.domain.permissions import Permission
from core.engine.messages import Command
from core.engine.unit_of_work import Snapshot, UnitOfWork, new_id
from core.errors import InvalidInput
from core.rules.items import find_item
from core.rules.notifications import mentioned_members, notify
from core.text.sanitize import many_lines


class AddComment(Command[Comment]):
    """Comment on a task or an activity; ``@login`` notifies a member."""

    route = "POST /v1/items/{item_id}/comments"
    permission = Permission.COMMENT_ADD
    creates = True
    item_id: Id
    text: str

    def scope(self, view: Snapshot) -> Id:
        return find_item(view, self.item_id, None).project_id

    def run(self, work: UnitOfWork) -> Comment:
        text = many_lines(self.text, "text", most=COMMENT)
        if not text.strip():
            raise InvalidInput("text", "The comment is empty. Write something, or leave it.")
        item = find_item(work, self.item_id, None)
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
