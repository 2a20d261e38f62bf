"""The base of controllers of cards: which keys work for the kind of the selected card, and for how many cards."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from core.domain.max_lengths import MAX_STEPS
from core.domain.model import ItemKind
from core.domain.permissions import CHANGING_CARDS, Permission
from tui.keys.table import Key
from tui.screens.cards.changes import CardChanges
from tui.screens.framework.controller import Action, Controller
from tui.screens.framework.screen import PodiumScreen
from tui.services.cards import Target

TOO_MANY_MARKED = (
    f"{{:,}} cards are marked. One step changes at most {MAX_STEPS}: esc drops the marks, then mark fewer."
)


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
