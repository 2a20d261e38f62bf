"""The keys that act on cards, alike on the Canvas and on the Card screen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from core.canvas import CanvasMember
from core.messages import Command
from core.model import ItemKind, Status
from core.rights import Permission
from tui.bindings import Key
from tui.cards import (
    DELETE,
    EDIT,
    MOVE,
    REMOVE,
    RESTORE,
    SCHEDULE,
    Target,
    assign,
    for_all,
    next_status,
    put_away,
    without_own_tasks,
)
from tui.screens.asking import asking
from tui.screens.podium_screen import PodiumScreen

if TYPE_CHECKING:
    from core.actions.bulk import BulkResult
    from core.actions.cards import CardDetail

STATUS_WORDS = {
    Status.TO_DO: "To Do",
    Status.IN_PROGRESS: "In Progress",
    Status.COMPLETED: "Completed",
    Status.ARCHIVED: "Archived",
}

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

    # -- status ----------------------------------------------------------------------------------------------

    async def do_next_status(self) -> None:
        await self._step(+1)

    async def do_previous_status(self) -> None:
        await self._step(-1)

    async def _step(self, step: int) -> None:
        cards, left_out = self._with_status()
        moving = [card for card in cards if next_status(card.status, step)]
        if not moving:
            self.podium.tell(self._no_step(step, cards))
            return
        await self._each(
            lambda card, seen: MOVE.on(card, seen=seen, status=next_status(card.status, step)),
            moving,
            left_out=left_out,
        )

    def _no_step(self, step: int, cards: Sequence[Target]) -> str:
        if not cards:
            return NO_STATUS if self.targets() else NO_CARD
        if cards[0].status is Status.ARCHIVED:
            return "It is archived. r restores it."
        return "It is completed. d archives it." if step > 0 else "It is in To Do already."

    def _with_status(self) -> tuple[Sequence[Target], str]:
        """The targets that have a status, and what to say of the others."""
        every = self.targets()
        cards = [card for card in every if card.status is not None]
        missing = len(every) - len(cards)
        if not missing:
            return cards, ""
        words = "1 application was" if missing == 1 else f"{missing} applications were"
        return cards, f"{words} left out: applications have no status."

    async def do_complete(self) -> None:
        """Complete, or reopen to In Progress when all of them are completed."""
        having, left_out = self._with_status()
        cards = [card for card in having if card.status is not Status.ARCHIVED]
        if not cards:
            self.podium.tell(self._no_step(+1, having))
            return
        done = all(card.status is Status.COMPLETED for card in cards)
        status = Status.IN_PROGRESS if done else Status.COMPLETED
        await self._each(
            lambda card, seen: MOVE.on(card, seen=seen, status=status) if card.status is not status else None,
            cards,
            tasks_first=not done,
            left_out=left_out,
        )

    @asking
    async def do_status(self) -> None:
        from tui.dialogs.key_menu import Entry, KeyMenu

        cards, left_out = self._with_status()
        if not cards:
            self.podium.tell(self._no_step(+1, cards))
            return
        letters = {"t": Status.TO_DO, "i": Status.IN_PROGRESS, "c": Status.COMPLETED}
        entries = [Entry(letter, letter, STATUS_WORDS[status]) for letter, status in letters.items()]
        picked = await self.podium.ask(KeyMenu("Move to", [*entries, Entry("a", "a", "Archived")]))
        if picked == "a":
            await self._put_away(cards, left_out)
        elif picked:
            status = letters[picked]
            await self._each(
                lambda card, seen: MOVE.on(card, seen=seen, status=status),
                cards,
                tasks_first=status is Status.COMPLETED,
                left_out=left_out,
            )

    async def do_archive(self) -> None:
        """Archive; an application, for which there is no archive, is removed."""
        await self._put_away(self._some())

    async def _put_away(self, cards: Sequence[Target], left_out: str = "") -> None:
        there = [card for card in cards if card.status is not Status.ARCHIVED]
        if len(there) == 1 and there[0].kind is ItemKind.APPLICATION:
            await self._remove(there[0])
            return
        result = await self._each(put_away, without_own_tasks(there), left_out=left_out)
        if len(there) == 1 and result is not None:
            archived = f"Archived “{there[0].title}”. u takes it back, A shows the archive."
            self.podium.tell(f"{archived} {left_out}".rstrip())

    async def _remove(self, application: Target) -> None:
        await self.podium.send(REMOVE.on(application))
        await self.refresh_from_core()
        self.podium.tell(f"Removed “{application.title}” from the project. u brings it back.")

    async def do_restore(self) -> None:
        having, left_out = self._with_status()
        cards = [card for card in having if card.status is Status.ARCHIVED]
        if not cards:
            self.podium.tell("It is not archived. A shows the archive." if having else self._no_step(+1, having))
        await self._each(lambda card, seen: RESTORE.on(card, seen=seen), without_own_tasks(cards), left_out=left_out)

    @asking
    async def do_delete(self) -> None:
        from tui.dialogs.confirm import ConfirmDialog

        cards = self._some()
        if len(cards) > 1:
            self.podium.tell("Delete for good works on one card at a time.", severity="warning")
        elif cards and cards[0].status is not Status.ARCHIVED:
            self.podium.tell("Only archived cards can be deleted for good. d archives it.", severity="warning")
        elif cards:
            words = f"“{cards[0].title}” and all that belongs to it will be gone. This cannot be undone."
            if await self.podium.ask(ConfirmDialog("Delete for good", words, "Delete", typed="delete")):
                await self.podium.perform(DELETE.on(cards[0]))

    @asking
    async def do_due(self) -> None:
        from tui.dialogs.fields import Day
        from tui.dialogs.form import FormDialog

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
        await self._form(FormDialog(f"Due date of {self._named(cards)}", [Day("due", "Due", due)], save))

    @asking
    async def do_assign(self) -> None:
        from tui.dialogs.pick import Option, PickDialog

        cards = self._some()
        if not cards:
            return
        many = all(card.kind is not ItemKind.TASK for card in cards)
        options = [Option(member.user_id, member.name, member.role.lower()) for member in self.team() if member.active]
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
        from tui.dialogs.fields import Lines
        from tui.dialogs.form import FormDialog

        cards = [card for card in self._some() if card.kind is not ItemKind.APPLICATION][:1]
        if not cards:
            return

        from core.actions.comments import AddComment

        async def save(values: dict[str, Any]) -> object:
            return await self.podium.send(AddComment(item_id=cards[0].id, text=values["comment"]))

        await self._form(FormDialog(f"Comment on “{cards[0].title}”", [Lines("comment", "Comment")], save))

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
        from tui.dialogs.form import FormDialog

        async def save(values: dict[str, Any]) -> object:
            return await self.podium.send(EDIT.on(application, **values))

        await self._form(FormDialog("Rename the application", [Line("name", "Name", application.title)], save))

    async def _edit(self, detail: CardDetail) -> None:
        from tui.dialogs.fields import Field, Line, Lines
        from tui.dialogs.form import FormDialog

        item = detail.item
        fields: list[Field] = [
            Line("title", "Title", item.title),
            Lines("description", "Description", item.description),
        ]
        if item.kind is ItemKind.ACTIVITY:
            fields.insert(1, Line("link", "Link", item.link, "https://…"))

        async def save(values: dict[str, Any]) -> object:
            return await self.podium.send(EDIT.on(item, **values))

        await self._form(FormDialog(f"Edit the {item.kind.lower()}", fields, save))

    def do_copy(self) -> None:
        cards = self._some()[:1]
        if cards:
            self.podium.copy_to_clipboard(cards[0].id)
            self.podium.tell(f"Copied the id of “{cards[0].title}”: {cards[0].id}")

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

    async def _form(self, form: Any) -> object:
        """Ask a form that sends its own command, then read again."""
        result = await self.podium.ask(form)
        if result is not None:
            await self.refresh_from_core()
        return result

    def _named(self, cards: Sequence[Target]) -> str:
        return f"“{cards[0].title}”" if len(cards) == 1 else f"{len(cards)} cards"
