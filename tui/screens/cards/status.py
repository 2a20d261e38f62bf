"""The keys that take cards from status to status, and into the archive and out of it."""

from __future__ import annotations

from collections.abc import Sequence

from core.domain.model import ItemKind, Status
from core.domain.workflow import STATUS_WORDS
from tui.screens.cards.editing import NO_CARD, NO_STATUS, CardEditing
from tui.screens.framework.dialogs import asking
from tui.services.card_commands import (
    DELETE,
    MOVE,
    REMOVE,
    RESTORE,
    Target,
    archive_or_remove,
    next_status,
    without_own_tasks,
)


class CardStatus(CardEditing):
    """A screen with cards that have a status; an application among them has none."""

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
        result = await self._each(archive_or_remove, without_own_tasks(there), left_out=left_out)
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
        if any(card.status is not Status.ARCHIVED for card in cards):
            self.podium.tell("Only archived cards can be deleted for good. d archives them.", severity="warning")
        elif cards:
            words = f"{self._named(cards)} and all that belongs to them will be gone. This cannot be undone."
            if await self.podium.ask(ConfirmDialog("Delete for good", words, "Delete", typed="delete")):
                for card in without_own_tasks(cards):  # not as steps of a bulk change, which undo takes back
                    await self.podium.perform(DELETE.on(card))
