"""The keys that act on cards, alike on the Canvas and on the Card screen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from core.canvas import CanvasMember
from core.messages import Command
from core.model import ItemKind
from core.rights import Permission
from tui.bindings import Key
from tui.cards import EDIT, SCHEDULE, Target, assign, for_all
from tui.screens.asking import ask_form, asking, member_options
from tui.screens.podium_screen import PodiumScreen

if TYPE_CHECKING:
    from core.actions.bulk import BulkResult
    from core.actions.cards import CardDetail

NO_CARD = "There is no card here. n adds one."
NO_STATUS = "An application has no status. d removes it from the project."
NO_COMMENTS = "Nobody comments on an application. Comment on its activity or on a task."

CHANGING = {
    ItemKind.TASK: Permission.TASK_MANAGE,
    ItemKind.ACTIVITY: Permission.ACTIVITY_MANAGE,
    ItemKind.APPLICATION: Permission.APPLICATION_MANAGE,
}
"""What it takes to change a card of each kind. The table of keys names one permission for a key, that of tasks, and
``CardKeys.why_not`` puts the one of the focused card in its place."""

ADDING = ("new_card",)
"""Verbs that are about no card that is there already."""

NOT_FOR_APPLICATIONS = {
    "next_status": NO_STATUS,
    "previous_status": NO_STATUS,
    "complete": NO_STATUS,
    "status": NO_STATUS,
    "restore": NO_STATUS,
    "delete": NO_STATUS,
    "comment": NO_COMMENTS,
}
"""Verbs that do nothing to an application, and what to say then."""


class CardKeys(PodiumScreen):
    """A screen with cards to act on; a subclass says which, and who could be assigned."""

    def targets(self) -> Sequence[Target]:
        """The cards that an action works on: the marked ones, else the focused one."""
        raise NotImplementedError

    def team(self) -> Sequence[CanvasMember]:
        """The members of the project."""
        raise NotImplementedError

    def kind_in_focus(self) -> ItemKind | None:
        """The kind of the one card that the keys are for now; None when it is none, or several."""
        cards = self.targets()
        return cards[0].kind if len(cards) == 1 else None

    def after_bulk(self) -> None:
        """Called when a change of several cards was carried out."""

    # -- what a key may do -----------------------------------------------------------------------------------

    def why_not(self, key: Key) -> str:
        """For the kind of the focused card. For several, a key works when it does for any kind (decided here): what is
        not allowed for one of them the core refuses, and the others are done.
        """
        kind = self.kind_in_focus()
        if kind is ItemKind.APPLICATION and key.verb in NOT_FOR_APPLICATIONS:
            return NOT_FOR_APPLICATIONS[key.verb]
        if key.needs is not Permission.TASK_MANAGE or key.verb in ADDING:
            return super().why_not(key)
        needed = [CHANGING[kind]] if kind else CHANGING.values()
        ask = super().why_not
        reasons = [ask(key._replace(needs=permission)) for permission in needed]
        return "" if "" in reasons else reasons[0]

    # -- people, dates and words ----------------------------------------------------------------------------

    @asking
    async def do_due(self) -> None:
        from tui.dialogs.fields import Day

        cards = self._some()
        if not cards:
            return

        async def save(values: dict[str, Any]) -> object:
            command = for_all(
                self.project_id,
                cards,
                lambda card, seen: SCHEDULE.on(card, seen=seen, due=values["due"]),
                tasks_first=True,
            )
            return await self.podium.send(command) if command else True

        due = getattr(cards[0], "due", None) if len(cards) == 1 else None
        await ask_form(self, f"Due date of {self._named(cards)}", [Day("due", "Due", due)], save)

    @asking
    async def do_assign(self) -> None:
        from tui.dialogs.pick import Option, PickDialog

        cards = self._some()
        if not cards:
            return
        many = all(card.kind is not ItemKind.TASK for card in cards)
        options = [Option(*member) for member in member_options(self.team())]
        if not many:
            options.insert(0, Option("", "Nobody"))
        chosen = getattr(cards[0], "assignee_ids", ()) if len(cards) == 1 else ()
        picked = await self.podium.ask(
            PickDialog(f"Assign {self._named(cards)}", options, multiple=many, chosen=chosen)
        )
        if picked is not None:
            people = tuple(user_id for user_id in picked if user_id)
            await self._each(lambda card, seen: assign(card, people, seen), cards)

    async def do_assign_me(self) -> None:
        """Take the tasks; join the people of the activities and applications."""
        me = self.podium.me.user.id
        await self._each(
            lambda card, seen: assign(card, (*(getattr(card, "assignee_ids", ())), me), seen), self._some()
        )

    @asking
    async def do_comment(self) -> None:
        from core.actions.comments import AddComment
        from tui.dialogs.fields import Lines

        cards = [card for card in self._some() if card.kind is not ItemKind.APPLICATION][:1]
        if not cards:
            return

        async def save(values: dict[str, Any]) -> object:
            return await self.podium.send(AddComment(item_id=cards[0].id, text=values["comment"]))

        await ask_form(self, f"Comment on “{cards[0].title}”", [Lines("comment", "Comment")], save)

    @asking
    async def do_edit(self) -> None:
        from core.actions.cards import ShowCard

        cards = self._some()[:1]
        if cards and cards[0].kind is ItemKind.APPLICATION:
            await self._edit_application(cards[0])
        elif cards:
            await self._edit(await self.podium.query(ShowCard(item_id=cards[0].id)))

    async def _edit_application(self, application: Target) -> None:
        from tui.dialogs.fields import Line

        async def save(values: dict[str, Any]) -> object:
            return await self.podium.send(EDIT.on(application, **values))

        fields = [Line("name", "Name", application.title)]
        await ask_form(self, "Rename the application", fields, save, submit="Rename")

    async def _edit(self, detail: CardDetail) -> None:
        from tui.dialogs.fields import Field, Line, Lines

        item = detail.item
        fields: list[Field] = [
            Line("title", "Title", item.title),
            Lines("description", "Description", item.description),
        ]
        if item.kind is ItemKind.ACTIVITY:
            fields.insert(1, Line("link", "Link", item.link, "https://…"))

        async def save(values: dict[str, Any]) -> object:
            return await self.podium.send(EDIT.on(item, **values))

        await ask_form(self, f"Edit the {item.kind.lower()}", fields, save)

    def do_copy(self) -> None:
        cards = self._some()[:1]
        if cards:
            self.copy_id(cards[0].title, cards[0].id)

    # -- carrying it out -------------------------------------------------------------------------------------

    def _some(self) -> Sequence[Target]:
        """The targets; a word to the person when there are none."""
        cards = self.targets()
        if not cards:
            self.podium.tell(NO_CARD)
        return cards

    async def _each(
        self,
        make: Callable[[Target, bool], Command[Any] | None],
        cards: Sequence[Target],
        *,
        tasks_first: bool = False,
        left_out: str = "",
    ) -> object:
        """Do it to each card in one step; the result, None when nothing was done. ``left_out`` is said with it."""
        return await self._carry_out(for_all(self.project_id, cards, make, tasks_first=tasks_first), left_out)

    async def _carry_out(self, command: Command[Any] | None, left_out: str = "") -> object:
        from core.actions.bulk import BulkResult

        result = await self.podium.perform(command) if command else None
        if isinstance(result, BulkResult):
            self.after_bulk()
            self._tell_bulk(result, left_out)
        elif left_out and result is not None:
            self.podium.tell(f"1 changed. {left_out}")
        return result

    def _tell_bulk(self, result: BulkResult, left_out: str) -> None:
        words = [f"{result.done} changed in one step; u takes them back."]
        if result.refused:
            reasons = dict.fromkeys(refusal.reason for refusal in result.refused)
            words = [f"{result.done} changed, {len(result.refused)} refused:", *list(reasons)[:4]]
        words += [left_out] if left_out else []
        self.podium.tell("\n".join(words), severity="warning" if result.refused else "information")

    def _named(self, cards: Sequence[Target]) -> str:
        return f"“{cards[0].title}”" if len(cards) == 1 else f"{len(cards)} cards"
