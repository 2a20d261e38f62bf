"""Edit and delete one's own comments, on the page of a card."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from core.actions.cards.comments import CommentSummary
from core.actions.cards.details import CardDetail
from core.domain.model import Comment, Id
from tui.screens.framework.controller import Action, Controller, OwnerScreen
from tui.screens.framework.dialogs import asking, show_form
from tui.wording.times import when

if TYPE_CHECKING:
    from tui.dialogs.menus.picker import Option

NONE_OF_MINE = "There is no comment of yours on this card. Press C to write one."


class OwnComments(Controller):
    """Edit or delete a comment; of several one is chosen first, the newest of them first."""

    def __init__(self, screen: OwnerScreen, detail: Callable[[], CardDetail | None]) -> None:
        """``detail`` gives the card of the page; None while nothing is read."""
        super().__init__(screen)
        self._detail = detail

    def actions(self) -> Sequence[Action]:
        return (Action("edit_comment", self.do_edit_comment), Action("delete_comment", self.do_delete_comment))

    def _list_mine(self) -> list[CommentSummary]:
        detail, me = self._detail(), self.podium.me.user.id
        every = detail.comments if detail else ()
        return [each for each in reversed(every) if each.author_id == me and each.imported_by is None]

    async def _choose(self, title: str) -> tuple[Id, CommentSummary] | None:
        """The card and the comment; None without one."""
        from tui.dialogs.menus.picker import PickDialog

        detail, mine = self._detail(), self._list_mine()
        if detail is None or not mine:
            self.podium.toast(NONE_OF_MINE)
            return None
        picked = (mine[0].id,) if len(mine) == 1 else await self.podium.ask(PickDialog(title, _options(mine)))
        found = next((each for each in mine if picked and each.id == picked[0]), None)
        return None if found is None else (detail.item.id, found)

    @asking
    async def do_edit_comment(self) -> None:
        from core.actions.cards.comments import EditComment
        from tui.dialogs.fields.form_fields import MultilineField

        chosen = await self._choose("Which comment?")
        if chosen is None:
            return
        item_id, comment = chosen

        async def save(values: dict[str, Any]) -> Comment:
            return await self.podium.send(EditComment(item_id=item_id, comment_id=comment.id, text=values["text"]))

        people = [(each.login, each.name) for each in self.selection.team if each.active]
        fields = [MultilineField("text", "Comment", comment.text, people=tuple(people))]
        await show_form(self.screen, "Edit a comment", fields, save, about=comment.id)

    @asking
    async def do_delete_comment(self) -> None:
        from core.actions.cards.comments import DeleteComment

        chosen = await self._choose("Delete which comment?")
        if chosen is not None:
            item_id, comment = chosen
            await self.podium.perform(DeleteComment(item_id=item_id, comment_id=comment.id))
            self.podium.toast("The comment is deleted. u to undo.")


def _options(comments: Sequence[CommentSummary]) -> list[Option]:
    from tui.dialogs.menus.picker import Option

    now = datetime.now(UTC)
    return [Option(each.id, " ".join(each.text.split()), when(each.at, now)) for each in comments]
