"""The keys that change the people, the dates and the words of cards."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from core.domain.canvas import CanvasMember
from core.domain.model import Id, Item, ItemKind
from tui.screens.cards.controller import CardController
from tui.screens.framework.controller import Action
from tui.screens.framework.dialogs import asking, member_options, show_form
from tui.screens.framework.global_actions import copy_id
from tui.services.cards import Target, key_of

if TYPE_CHECKING:
    from core.actions.cards.details import CardDetail
    from tui.screens.framework.long_texts import LongTexts

NOT_OF_APPLICATIONS = "An application has no custom fields. Choose a task or an activity."
NO_COMMENTS = "Nobody comments on an application. Comment on its activity or on a task."

FOLLOW, STAY = "follow", "stay"
FOLLOWING = ((FOLLOW, "move along"), (STAY, "stay"))
"""The choices for the due dates of cards that wait for the selected one."""

NO_DESCRIPTION = "An application has no description. Press e to rename it."
ONE_AT_A_TIME = "Edit one card at a time. Press esc to clear the marks."


class CardEditing(CardController):
    """Assign, date, edit and comment on the selected cards."""

    def actions(self) -> Sequence[Action]:
        return (
            self.change("due", self.do_due),
            self.change("assign", self.do_assign),
            self.change("assign_me", self.do_assign_me),
            self.change("comment", self.do_comment, NO_COMMENTS),
            self.change("edit", self.do_edit),
            self.change("fields", self.do_fields, NOT_OF_APPLICATIONS),
            Action("copy", self.do_copy),
        )

    @asking
    async def do_due(self) -> None:
        from tui.dialogs.fields.form_fields import ChoiceField, DateField, Field
        from tui.services.card_commands import set_due_date

        cards = self.changes.some()
        if not cards:
            return

        async def save(values: dict[str, Any]) -> list[Any]:
            due, follow = values["due"], values.get("follow") == FOLLOW
            return await self.changes.send(cards, lambda card, seen: set_due_date(card, due, follow=follow, seen=seen))

        due = getattr(cards[0], "due", None) if len(cards) == 1 else None
        fields: list[Field] = [DateField("due", "Due", due)]
        if any(getattr(card, "blocks", 0) for card in cards):
            fields.append(ChoiceField("follow", "Waiting cards", FOLLOWING, FOLLOW))
        record = cards[0] if len(cards) == 1 else None
        results = await show_form(self.screen, f"Due date of {self.selection.title}", fields, save, record=record)
        self.changes.report(results or [], cards)

    @asking
    async def do_assign(self) -> None:
        cards = self.changes.some()
        if cards:
            chosen = getattr(cards[0], "assignee_ids", ()) if len(cards) == 1 else ()
            await self.ask_people(cards, self.selection.team, chosen)

    async def ask_people(self, cards: Sequence[Target], team: Sequence[CanvasMember], chosen: Sequence[Id]) -> None:
        """Ask for the people of the team to assign these cards to, and assign them; ``chosen`` are assigned now.

        The user is the first of the list, and Nobody the last, so that enter alone takes an unassigned card.
        """
        from tui.dialogs.menus.picker import Option, PickDialog
        from tui.services.card_commands import assign

        many = all(card.kind is not ItemKind.TASK for card in cards)
        me = self.podium.me.user.id
        options = sorted((Option(*member) for member in member_options(team)), key=lambda option: option.id != me)
        if not many:
            options.append(Option("", "Nobody"))
        title = f"Assign “{cards[0].title}”" if len(cards) == 1 else f"Assign {len(cards)} cards"
        picked = await self.podium.ask(PickDialog(title, options, multiple=many, chosen=chosen))
        if picked is not None:
            people = tuple(user_id for user_id in picked if user_id)
            await self.changes.each(lambda card, seen: assign(card, people, seen=seen), cards)

    async def do_assign_me(self) -> None:
        """Take the tasks; join the people of the activities and applications."""
        from tui.services.card_commands import assign

        me = self.podium.me.user.id
        await self.changes.each(
            lambda card, seen: assign(card, (*getattr(card, "assignee_ids", ()), me), seen=seen), self.changes.some()
        )

    @asking
    async def do_comment(self) -> None:
        from core.actions.cards.comments import AddComment
        from tui.dialogs.fields.form_fields import MultilineField

        cards = [card for card in self.changes.some() if card.kind is not ItemKind.APPLICATION]
        if not cards:
            return

        async def save(values: dict[str, Any]) -> list[Any]:
            steps = self.changes.steps(cards, lambda card, _: AddComment(item_id=card.id, text=values["text"]))
            return [await self.podium.send(step) for step in steps]

        me, team = self.podium.me.user.id, self.selection.team
        people = tuple((each.login, each.name) for each in team if each.active and each.user_id != me)
        title = f"“{cards[0].title}”" if len(cards) == 1 else f"{len(cards)} cards"
        fields = [MultilineField("text", "Comment", people=people)]
        about = " ".join(card.id for card in cards)
        results = await show_form(self.screen, f"Comment on {title}", fields, save, about=about)
        self.changes.report(results or [], cards)

    @asking
    async def do_edit(self) -> None:
        from core.actions.cards.details import GetCard

        cards = self.changes.some()
        if len(cards) > 1:
            self.podium.toast("Edit one card at a time. Press esc to clear the marks.", severity="warning")
        elif cards and cards[0].kind is ItemKind.APPLICATION:
            await self._edit_application(cards[0])
        elif cards:
            await self._edit(await self.podium.query(GetCard(item_id=cards[0].id)))

    async def _edit_application(self, application: Target) -> None:
        from tui.dialogs.fields.form_fields import TextField
        from tui.services.card_commands import edit

        async def save(values: dict[str, Any]) -> object:
            return await self.podium.send(edit(application, **values))

        fields = [TextField("name", "Name", application.title)]
        await show_form(self.screen, "Rename the application", fields, save, submit="Rename", record=application)

    async def _edit(self, detail: CardDetail) -> None:
        from tui.dialogs.fields.form_fields import Field, MultilineField, TextField
        from tui.services.card_commands import edit

        item = detail.item
        fields: list[Field] = [
            TextField("title", "Title", item.title),
            MultilineField("description", "Description", item.description),
        ]
        if item.kind is ItemKind.ACTIVITY:
            fields.insert(1, TextField("link", "Link", item.link, "https://…"))

        async def save(values: dict[str, Any]) -> object:
            return await self.podium.send(edit(item, **values))

        await show_form(self.screen, f"Edit the {item.kind.lower()}", fields, save, record=item)

    @asking
    async def do_fields(self) -> None:
        cards = [card for card in self.changes.some() if card.kind is not ItemKind.APPLICATION]
        if cards:
            from tui.screens.cards.custom_fields import ask_fields

            await ask_fields(self.screen, self.changes, cards)

    def do_copy(self) -> None:
        cards = self.changes.some()
        if len(cards) == 1:
            copy_id(self.screen, cards[0].title, self._key_of(cards[0]))
        elif cards:
            self.podium.copy_to_clipboard("\n".join(map(self._key_of, cards)))
            self.podium.toast(f"Copied the keys of {len(cards)} cards, one a line.")

    def _key_of(self, card: Target) -> str:
        return key_of(card, self.screen.selection().project_key)


class CardDescription(CardController):
    """Edit the description of the selected card, and tick the check boxes in it."""

    def actions(self) -> Sequence[Action]:
        return (
            self.change("edit_text", self.do_edit_text, NO_DESCRIPTION),
            self.change("tick", self.do_tick, NO_DESCRIPTION),
        )

    @asking
    async def do_edit_text(self) -> None:
        from tui.screens.framework.long_texts import edit_long_text

        texts = await self._texts()
        if texts is not None:
            await edit_long_text(self.screen, texts)

    @asking
    async def do_tick(self) -> None:
        from tui.screens.framework.long_texts import tick_boxes

        texts = await self._texts()
        if texts is not None:
            await tick_boxes(self.screen, texts)

    async def _texts(self) -> LongTexts | None:
        """The description of the selected card as it is now; None where there is no one card."""
        from core.actions.cards.details import GetCard

        cards = [card for card in self.changes.some() if card.kind is not ItemKind.APPLICATION]
        if len(cards) > 1:
            self.podium.toast(ONE_AT_A_TIME, severity="warning")
        if len(cards) != 1:
            return None
        return texts_of((await self.podium.query(GetCard(item_id=cards[0].id))).item)


def texts_of(item: Item) -> LongTexts:
    """The description of a card, to change it."""
    from tui.dialogs.fields.form_fields import MultilineField
    from tui.screens.framework.long_texts import LongTexts
    from tui.services.card_commands import edit

    field = MultilineField("description", "Description", item.description)
    return LongTexts(item, item.title, (field,), partial(edit, item))
