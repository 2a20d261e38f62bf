"""Comments on tasks and activities."""

from __future__ import annotations

from dataclasses import dataclass

from core.actions.items import find_item
from core.actions.noticing import mentioned, notify
from core.attention import NoticeKind
from core.errors import InvalidInput
from core.lengths import COMMENT
from core.messages import Command
from core.model import Comment, Id
from core.rights import Permission
from core.text import many_lines
from core.work import View, Work, new_id


@dataclass(frozen=True, slots=True, kw_only=True)
class AddComment(Command[Comment]):
    """Say something about a task or an activity; ``@login`` tells a member."""

    route = "POST /v1/items/{item_id}/comments"
    permission = Permission.COMMENT_ADD
    creates = True
    item_id: Id
    text: str

    def scope(self, view: View) -> Id:
        return find_item(view, self.item_id, None).project_id

    def run(self, work: Work) -> Comment:
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
        notify(work, NoticeKind.MENTIONED, item.id, mentioned(work, text))
        return comment
