"""The keys that move cards from status to status, into the archive and out of it."""

from __future__ import annotations

from collections.abc import Sequence

from core.domain.model import ItemKind, Status
from core.domain.permissions import Permission
from core.domain.statuses import CLOSED, STATUS_WORDS
from core.record import replace
from tui.keys.table import Key
from tui.screens.cards.controller import CardChanges, CardController
from tui.screens.framework.controller import Action
from tui.screens.framework.dialogs import asking
from tui.screens.framework.screen import PodiumScreen
from tui.services.cards import Target, next_status, without_own_tasks

NO_STATUS = "An application has no status. d removes it from the project."
DELETE = "Delete from the archive for good"
ARCHIVED = "This card is archived. Press r to restore it, d to delete it for good."


class CardStatus(CardController):
    """Change the status of the selected cards. Applications among them have none and are left out."""

    def __init__(self, screen: PodiumScreen, changes: CardChanges) -> None:
        super().__init__(screen, changes)
        screen.keys.renamed.append(self._rename)

    def _rename(self, keys: Sequence[Key]) -> Sequence[Key]:
        """The key that archives, named after what it does while all selected cards are archived: it deletes."""
        cards = self.selection.cards
        if not cards or not all(card.status is Status.ARCHIVED for card in cards):
            return keys
        label = "delete" if Permission.PROJECT_DELETE in self.selection.permissions else ""
        return [
            replace(key, words=DELETE, label=label) if key.verb == "archive" else key
            for key in keys
            if key.verb != "delete"
        ]

    def actions(self) -> Sequence[Action]:
        return (
            self.change("next_status", lambda: self._step(+1), NO_STATUS, _archived_already),
            self.change("previous_status", lambda: self._step(-1), NO_STATUS, _archived_already),
            self.change("complete", self.do_complete, NO_STATUS, _archived_already),
            self.change("status", self.do_status, NO_STATUS),
            self.change("archive", self.do_archive),
            self.change("restore", self.do_restore, NO_STATUS, _not_archived, self._if_archived),
            self.change("delete", self.do_delete, NO_STATUS, _not_deletable),
        )

    def _if_archived(self) -> str:
        return "" if not self.selection.cards or _not_archived(self.selection.cards) else "restore"

    async def _step(self, step: int) -> None:
        from tui.services.card_commands import to_status

        cards, left_out = self._with_status()
        moving = [card for card in cards if next_status(card.status, step)]
        if not moving:
            self.podium.toast(self._no_step(step, cards))
            return
        await self.changes.close(
            lambda card, seen: to_status(card, next_status(card.status, step), seen=seen), moving, left_out=left_out
        )

    def _no_step(self, step: int, cards: Sequence[Target]) -> str:
        if not cards:
            return NO_STATUS if self.selection.cards else self.selection.nothing
        if cards[0].status is Status.ARCHIVED:
            return ARCHIVED
        return "Already completed. Press d to archive it." if step > 0 else "Already in To Do."

    def _with_status(self) -> tuple[Sequence[Target], str]:
        """The selected cards that have a status, and a sentence about the others."""
        every = self.selection.cards
        cards = [card for card in every if card.status is not None]
        missing = len(every) - len(cards)
        if not missing:
            return cards, ""
        words = "1 application was" if missing == 1 else f"{missing} applications were"
        return cards, f"{words} left out: applications have no status."

    async def do_complete(self) -> None:
        """Complete, or reopen to In Progress when all of them are completed."""
        from tui.services.card_commands import to_status

        having, left_out = self._with_status()
        cards = [card for card in having if card.status is not Status.ARCHIVED]
        if not cards:
            self.podium.toast(self._no_step(+1, having))
            return
        done = all(card.status is Status.COMPLETED for card in cards)
        status = Status.IN_PROGRESS if done else Status.COMPLETED
        await self.changes.close(
            lambda card, seen: to_status(card, status, seen=seen), cards, tasks_first=not done, left_out=left_out
        )

    @asking
    async def do_status(self) -> None:
        from tui.dialogs.menus.key_menu import KeyMenu, MenuEntry
        from tui.services.card_commands import move

        cards, left_out = self._with_status()
        if not cards:
            self.podium.toast(self._no_step(+1, cards))
            return
        letters = {"t": Status.TO_DO, "i": Status.IN_PROGRESS, "c": Status.COMPLETED}
        entries = [MenuEntry(letter, letter, STATUS_WORDS[status]) for letter, status in letters.items()]
        picked = await self.podium.ask(KeyMenu("Move to", [*entries, MenuEntry("a", "a", "Archived")]))
        if picked == "a":
            await self._archive(cards, left_out)
        elif picked:
            status = letters[picked]
            await self.changes.close(
                lambda card, seen: move(card, status, seen=seen),
                cards,
                tasks_first=status is Status.COMPLETED,
                left_out=left_out,
            )

    async def do_archive(self) -> None:
        """Archive; what is archived already is deleted for good, and an application, which has no archive, removed."""
        cards = self.changes.some()
        if not cards or not all(card.status is Status.ARCHIVED for card in cards):
            await self._archive(cards)
        elif Permission.PROJECT_DELETE in self.selection.permissions:
            self.do_delete()
        else:
            self.podium.toast(f"{ARCHIVED.partition(',')[0]}. Only an owner can delete it for good.")

    async def _archive(self, cards: Sequence[Target], left_out: str = "") -> None:
        from tui.services.card_commands import archive

        there = [card for card in cards if card.status is not Status.ARCHIVED]
        if len(there) == 1 and there[0].kind is ItemKind.APPLICATION:
            await self.podium.send(archive(there[0]))
            await self.screen.refresh_from_core()
            words = f"Removed “{there[0].title}” from the project"
            await self.podium.undoing.report_removed(words, self.screen.undo_scope)
            return
        result = await self.changes.move(
            lambda card, seen: archive(card, seen=seen), without_own_tasks(there), left_out=left_out
        )
        if len(there) == 1 and result is not None:
            words = f"Archived “{there[0].title}”"
            await self.podium.undoing.report_removed(words, self.screen.undo_scope, "A to show the archive", left_out)
        if result is not None:
            were_open = [card.phase_id for card in there if card.status not in CLOSED]
            await self.changes.announce_completed(were_open, left_out)

    async def do_restore(self) -> None:
        from tui.services.card_commands import restore

        having, left_out = self._with_status()
        cards = [card for card in having if card.status is Status.ARCHIVED]
        await self.changes.move(
            lambda card, seen: restore(card, seen=seen), without_own_tasks(cards), left_out=left_out
        )

    @asking
    async def do_delete(self) -> None:
        from core.actions.cards.cards import DeleteCard
        from tui.dialogs.confirm import ConfirmDialog

        cards = self.changes.some()
        words = f"{self.selection.title} and all that belongs to them will be gone. This cannot be undone."
        if await self.podium.ask(ConfirmDialog("Delete for good", words, "Delete", typed="delete")):
            try:
                for card in without_own_tasks(cards):  # not as steps of a bulk change, which undo takes back
                    await self.podium.send_or_ask(DeleteCard(card_id=card.id, seen_version=card.version))
            finally:
                await self.screen.refresh_from_core()


def _archived_already(cards: Sequence[Target]) -> str:
    return ARCHIVED if all(card.status is Status.ARCHIVED for card in cards) else ""


def _not_archived(cards: Sequence[Target]) -> str:
    archived = any(card.status is Status.ARCHIVED for card in cards)
    return "" if archived else "Not archived. Press A to show archived ones."


def _not_deletable(cards: Sequence[Target]) -> str:
    archived = all(card.status is Status.ARCHIVED for card in cards)
    return "" if archived else "Only archived cards can be deleted for good. Press d to archive them."
