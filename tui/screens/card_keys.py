"""The keys that act on cards, alike on the Canvas and on the Card screen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from core.canvas import CanvasMember
from core.messages import Command
from core.model import ItemKind, Status
from tui.cards import (
    ARCHIVE,
    DELETE,
    EDIT,
    MOVE,
    RESTORE,
    SCHEDULE,
    Target,
    assign,
    for_all,
    next_status,
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


class CardKeys(PodiumScreen):
    """A screen with cards to act on; a subclass says which, and who could be assigned."""

    def targets(self) -> Sequence[Target]:
        """The cards that an action works on: the marked ones, else the focused one."""
        raise NotImplementedError

    def team(self) -> Sequence[CanvasMember]:
        """The members of the project."""
        raise NotImplementedError

    def after_bulk(self) -> None:
        """Called when a change of several cards was carried out."""

    async def do_next_status(self) -> None:
        await self._step(+1)

    async def do_previous_status(self) -> None:
        await self._step(-1)

    async def _step(self, step: int) -> None:
        cards = [card for card in self.targets() if next_status(card.status, step)]
        if not cards:
            self.podium.tell(self._no_step(step))
            return
        await self._each(lambda card, seen: MOVE.on(card, seen=seen, status=next_status(card.status, step)), cards)

    def _no_step(self, step: int) -> str:
        cards = self.targets()
        if not cards:
            return NO_CARD
        if cards[0].status is Status.ARCHIVED:
            return "It is archived. r restores it."
        return "It is completed. d archives it." if step > 0 else "It is in To Do already."

    async def do_complete(self) -> None:
        """Complete, or reopen to In Progress when all of them are completed."""
        cards = [card for card in self.targets() if card.status is not Status.ARCHIVED]
        if not cards:
            self.podium.tell(self._no_step(+1))
            return
        done = all(card.status is Status.COMPLETED for card in cards)
        status = Status.IN_PROGRESS if done else Status.COMPLETED
        await self._each(
            lambda card, seen: MOVE.on(card, seen=seen, status=status) if card.status is not status else None,
            cards,
            tasks_first=not done,
        )

    @asking
    async def do_status(self) -> None:
        from tui.dialogs.key_menu import Entry, KeyMenu

        cards = self._some()
        if not cards:
            return
        letters = {"t": Status.TO_DO, "i": Status.IN_PROGRESS, "c": Status.COMPLETED}
        entries = [Entry(letter, letter, STATUS_WORDS[status]) for letter, status in letters.items()]
        picked = await self.podium.ask(KeyMenu("Move to", [*entries, Entry("a", "a", "Archived")]))
        if picked == "a":
            await self.do_archive()
        elif picked:
            status = letters[picked]
            await self._each(
                lambda card, seen: MOVE.on(card, seen=seen, status=status),
                cards,
                tasks_first=status is Status.COMPLETED,
            )

    async def do_archive(self) -> None:
        cards = [card for card in self._some() if card.status is not Status.ARCHIVED]
        await self._each(lambda card, seen: ARCHIVE.on(card, seen=seen), without_own_tasks(cards))
        if len(cards) == 1:
            self.podium.tell(f"Archived “{cards[0].title}”. u takes it back, A shows the archive.")

    async def do_restore(self) -> None:
        cards = [card for card in self._some() if card.status is Status.ARCHIVED]
        if not cards:
            self.podium.tell("It is not archived. A shows the archive.")
        await self._each(lambda card, seen: RESTORE.on(card, seen=seen), without_own_tasks(cards))

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
        many = all(card.kind is ItemKind.ACTIVITY for card in cards)
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
        """Take the tasks; join the people of the activities."""
        me = self.podium.me.user.id
        await self._each(
            lambda card, seen: assign(card, (*(getattr(card, "assignee_ids", ())), me), seen), self._some()
        )

    @asking
    async def do_comment(self) -> None:
        from tui.dialogs.fields import Lines
        from tui.dialogs.form import FormDialog

        cards = self._some()[:1]
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
        if cards:
            await self._edit(await self.podium.query(ShowCard(item_id=cards[0].id)))

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
    ) -> None:
        await self._carry_out(for_all(self.project_id, cards, make, tasks_first=tasks_first))

    async def _carry_out(self, command: Command[Any] | None) -> None:
        from core.actions.bulk import BulkResult

        result = await self.podium.perform(command) if command else None
        if isinstance(result, BulkResult):
            self.after_bulk()
            self._tell_bulk(result)

    def _tell_bulk(self, result: BulkResult) -> None:
        words = f"{result.done} changed in one step; u takes them back."
        if result.refused:
            reasons = dict.fromkeys(refusal.reason for refusal in result.refused)
            words = f"{result.done} changed, {len(result.refused)} refused:\n" + "\n".join(list(reasons)[:4])
        self.podium.tell(words, severity="warning" if result.refused else "information")

    async def _form(self, form: Any) -> object:
        """Ask a form that sends its own command, then read again."""
        result = await self.podium.ask(form)
        if result is not None:
            await self.refresh_from_core()
        return result

    def _named(self, cards: Sequence[Target]) -> str:
        return f"“{cards[0].title}”" if len(cards) == 1 else f"{len(cards)} cards"
