"""The base of controllers of cards, which says which keys work, and the changes of several cards in one step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from core.domain.max_lengths import MAX_STEPS
from core.domain.model import Id, ItemKind
from core.domain.permissions import CHANGING_CARDS, Permission
from core.domain.statuses import CLOSED
from core.engine.messages import Command
from core.text.phrases import some
from tui.drawing.cells import fit
from tui.keys.table import Key
from tui.screens.framework.completed_phase import announce_completed
from tui.screens.framework.controller import Action, Controller
from tui.screens.framework.screen import PodiumScreen
from tui.services.cards import Target

if TYPE_CHECKING:
    from core.actions.cards.bulk import BulkResult
    from core.engine.messages import RefusedStep
    from tui.services.card_commands import Change

AFTER_MOVE, FOLLOW, TAKE_NEXT = "after_move", "follow it", "take the next"
"""The setting that says where the cursor is after a card was moved, and its values."""

TOO_MANY_MARKED = (
    f"{{:,}} cards are marked. One step changes at most {MAX_STEPS}: esc drops the marks, then mark fewer."
)


TITLE, NAMED = 30, 2
"""The cells of a title in a message, and the number of cards that it names."""


class CardsInOrder(Protocol):
    """A view of cards with a cursor."""

    def neighbour(self, card_id: Id) -> Id | None:
        """The card to take when this one has moved, if there is one."""

    def go_to(self, card_id: Id) -> None:
        """Put the cursor on a card."""


class CardChanges:
    """The changes of the cards of one screen.

    Example, in the handler of a key::

        await self.changes.each(lambda card, seen: restore(card, seen=seen), self.changes.some())
    """

    def __init__(self, screen: PodiumScreen, cards: CardsInOrder | None = None) -> None:
        """``cards``: the view whose cursor takes the next card after a move, if the user has set that."""
        self._screen = screen
        self._cards = cards

    def some(self) -> Sequence[Target]:
        """The selected cards; a word to the user when there are none."""
        selection = self._screen.selection()
        if not selection.cards:
            self._screen.podium.toast(selection.nothing)
        return selection.cards

    async def each(
        self, make: Change, cards: Sequence[Target], *, tasks_first: bool = False, left_out: str = ""
    ) -> object:
        """Do it to each card in one step; the result, None when nothing was done. ``left_out`` is said with it."""
        results = [await self._screen.podium.perform(step) for step in self.steps(cards, make, tasks_first=tasks_first)]
        self.report(results, cards, left_out)
        return next((result for result in results if result is not None), None)

    async def move(
        self, make: Change, cards: Sequence[Target], *, tasks_first: bool = False, left_out: str = ""
    ) -> object:
        """As ``each``, for a change that moves cards: the cursor follows a single one, or takes the next card."""
        is_one = len(cards) == 1 and not self._screen.selection().marked
        takes_next = is_one and self._screen.podium.me.preferences.get(AFTER_MOVE) == TAKE_NEXT
        after = self._cards.neighbour(cards[0].id) if self._cards and takes_next else None
        result = await self.each(make, cards, tasks_first=tasks_first, left_out=left_out)
        if result is not None and self._cards and after:
            self._cards.go_to(after)
        return result

    async def close(
        self, make: Change, cards: Sequence[Target], *, tasks_first: bool = False, left_out: str = ""
    ) -> object:
        """As ``move``, for a change that can complete phases: the message then says which phase is open now."""
        were_open = [card.phase_id for card in cards if card.status not in CLOSED]
        result = await self.move(make, cards, tasks_first=tasks_first, left_out=left_out)
        if result is not None:
            await self.announce_completed(were_open, left_out)
        return result

    async def announce_completed(self, phase_ids: Sequence[Id], left_out: str = "") -> None:
        """Say which phase is open now, or ready for approval, if one of these, which had open cards, is done."""
        complete = [phase_id for phase_id in phase_ids if self._screen.phase_display.may_be_complete(phase_id)]
        if complete:
            await announce_completed(self._screen, complete, left_out=left_out)

    def steps(self, cards: Sequence[Target], make: Change, *, tasks_first: bool = False) -> Sequence[Command[Any]]:
        """The commands for all cards, one for each project."""
        from tui.services.card_commands import bulk_command

        command = bulk_command(self._screen.project_id, cards, make, tasks_first=tasks_first)
        return [command] if command else []

    async def send(self, cards: Sequence[Target], make: Change) -> list[Any]:
        """The same out of a form, which shows a refusal itself. Raises PodiumError."""
        return [await self._screen.podium.send(step) for step in self.steps(cards, make, tasks_first=True)]

    def report(self, results: Sequence[Any], cards: Sequence[Target], left_out: str = "") -> None:
        """Tell the results for these cards, and drop the marks; one card without a mark shows it itself.

        ``left_out`` is said with it.
        """
        from core.actions.cards.bulk import BulkResult

        bulks = [result for result in results if isinstance(result, BulkResult)]
        if not any(result is not None for result in results):
            return
        is_marked = self._screen.selection().marked
        if bulks or is_marked:
            refused = {refusal.card_id for bulk in bulks for refusal in bulk.refused}
            for controller in self._screen.controllers:
                controller.bulk_done(refused)
        if bulks:
            self._report_bulks(bulks, cards, left_out)
        elif is_marked or left_out:
            self._screen.podium.toast(f"Changed {_titles(cards)}. u to undo. {left_out}".rstrip())

    def _report_bulks(self, bulks: Sequence[BulkResult], cards: Sequence[Target], left_out: str) -> None:
        done, refused = sum(bulk.done for bulk in bulks), [each for bulk in bulks for each in bulk.refused]
        if refused:
            self._list_refused(min(done, len(cards)), refused, left_out)
            return
        what = (
            f"Changed {_titles(cards)}" if done >= len(cards) else f"{done} changed"
        )  # else some had nothing to change
        words = f"{what}. u to undo."
        if len(bulks) > 1:
            words = f"{what} in {len(bulks)} projects. u to undo those of the last one."
        self._screen.podium.toast(f"{words} {left_out}".rstrip())

    def _list_refused(self, done: int, refused: Sequence[RefusedStep], left_out: str) -> None:
        """List the refused cards under the rule for each, to be read and closed."""
        from textual.content import Content

        from tui.dialogs.text import TextDialog, section

        cards: dict[str, list[tuple[str, str]]] = {}
        for refusal in refused:
            cards.setdefault(refusal.rule or refusal.reason, []).append((refusal.title or "a card that is gone", ""))
        parts = [section(f"{rule.removesuffix('.')} ({len(titles)})", titles) for rule, titles in cards.items()]
        kept = "They stay marked." if self._screen.selection().marked else ""
        parts += [Content(words) for words in (kept, left_out) if words]
        words = f"{done} done, {len(refused)} not possible"
        self._screen.podium.push_screen(TextDialog(words, Content("\n\n").join(parts)))


def _titles(cards: Sequence[Target]) -> str:
    """The first cards by their titles, as far as a message has room."""
    return some([f"“{fit(card.title, TITLE)}”" for card in cards], NAMED)


class CardController(Controller):
    """A controller of the selected cards."""

    def __init__(self, screen: PodiumScreen, changes: CardChanges) -> None:
        super().__init__(screen)
        self.changes = changes

    def change(
        self,
        verb: str,
        run: Callable[[], Any],
        not_for_applications: str = "",
        refused: Callable[[Sequence[Target]], str] = lambda _: "",
        offer: Callable[[], str] | None = None,
    ) -> Action:
        """An action that changes the selected cards. Applications refuse it with ``not_for_applications``, if given.

        ``refused`` gives the reason against the cards, or "", and ``offer`` the label of an action that they ask for.
        """

        def why_disabled(_key: Key) -> str:
            selection = self.selection
            if not_for_applications and selection.kind is ItemKind.APPLICATION:
                return not_for_applications
            count = len(selection.cards)
            if not count:
                return selection.nothing
            return TOO_MANY_MARKED.format(count) if count > MAX_STEPS else refused(selection.cards)

        return Action(verb, run, why_disabled, self._permissions, offer)

    def _permissions(self, key: Key) -> Sequence[Permission]:
        """The permission for the kind of the card in place of the one for tasks, which the table of keys names.

        For several cards any of them is enough: the core refuses the cards that it does not cover.
        """
        if key.needs is None:
            return ()
        if key.needs is not Permission.TASK_MANAGE:
            return (key.needs,)
        kind = self.selection.kind
        return [CHANGING_CARDS[kind]] if kind else list(CHANGING_CARDS.values())
