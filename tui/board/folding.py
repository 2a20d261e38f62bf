"""Folding on the board: phases to narrow columns, and activities over their tasks."""

from __future__ import annotations

from core.domain.canvas import NO_FOLDS, Card, Folds, folded_phases, with_fold
from core.domain.model import Id, ItemKind
from tui.board.navigation import BoardNavigation


class BoardFolding(BoardNavigation):
    """A board whose phases and activities can be folded. The screen keeps the user's choices."""

    folds: Folds = NO_FOLDS
    """What the user has chosen to fold and to unfold."""
    is_searched: bool = False
    """True while a filter is typed: what it finds is never in a fold."""
    _revealed: frozenset[Id] = frozenset()
    """Folds that are open because the cursor went to a card in them, until the user folds them again."""
    _finished: Id | None = None
    """The phase that became complete while the cursor was in it: it is not folded before the cursor leaves it."""
    _left: dict[Id, Id] = {}  # noqa: RUF012 - replaced, never changed
    """The card that the cursor was on in each phase when it was folded."""

    def refold(self) -> None:
        """Fold what is to be folded now. The cursor has to be settled afterwards."""
        if not self.by_phase:
            return
        model, chosen = self.model, frozenset(self.folds.folded)
        phases = folded_phases(model.head.columns, self.folds) - self._revealed
        if self._finished is not None and self._finished not in chosen:
            phases -= {self._finished}
        if self.is_searched:
            phases = frozenset(each for each in phases if not model.count_in(each))
        model.fold(phases, frozenset() if self.is_searched else chosen - self._revealed)
        self.count_marks()

    def note_finished(self, open_before: Id | None) -> None:
        """Remember the phase of the cursor if it was open and would be folded now, because it is complete."""
        if open_before in folded_phases(self.model.head.columns, self.folds):
            self._finished = open_before

    def toggle_phase(self) -> bool | None:
        """Fold or unfold the phase of the cursor. Return whether it is folded; None if it cannot be."""
        column_id = self.cursor.column_id
        if column_id is None or not self.by_phase:
            return None
        was_folded = column_id in self.model.folded
        if not was_folded and self.card is not None:
            self._left = {**self._left, column_id: self.card.id}
        self._choose(column_id, folded=not was_folded)
        if was_folded and (card := self.model.find(self._left.get(column_id))) is not None:
            self.cursor.put(card)
        self._folds_changed()
        return column_id in self.model.folded

    @property
    def family(self) -> Card | None:
        """The activity that the cursor is on or in, if it has tasks on the board."""
        card = self.card
        if card is not None and card.kind is ItemKind.TASK:
            card = self.model.find(card.activity_id)
        return card if card is not None and self.model.families.tasks(card.id) else None

    def toggle_family(self) -> bool | None:
        """Fold or unfold the activity that the cursor is on or in. Return whether it is folded; None without one."""
        activity = self.family
        if activity is None:
            return None
        self._choose(activity.id, folded=activity.id not in self.model.families.hiding)
        self._folds_changed()
        return activity.id in self.model.families.hiding

    def _choose(self, target_id: Id, *, folded: bool) -> None:
        self.folds = with_fold(self.folds, target_id, folded=folded)
        self._revealed -= {target_id}
        self._finished = None if self._finished == target_id else self._finished
        self.refold()
        self.cursor.settle()

    def _folds_changed(self) -> None:
        """Draw everything after a change of folds."""
        self._row = None
        self._moved()

    def focus_card(self, card_id: Id) -> bool:
        """Put the cursor on a card, and open the folds that hide it."""
        card = self.model.find(card_id)
        while card is not None and (fold := self.model.fold_of(card)) is not None:
            self._revealed |= {fold}
            self.refold()
        return super().focus_card(card_id)

    def _moved(self, *, cursor_only: bool = False) -> None:
        if self._finished not in (None, self.cursor.column_id):
            self._finished, cursor_only = None, False
            self.refold()
        super()._moved(cursor_only=cursor_only)
