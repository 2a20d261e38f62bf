"""Folding on the board: phases to narrow columns, and activities over their tasks."""

from __future__ import annotations

from core.domain.canvas import NO_FOLDS, Card, Folds, folded_phases, with_fold
from core.domain.model import Id, ItemKind
from tui.board.cursor import Cursor, Moved
from tui.board.model import BoardModel


class BoardFolds:
    """The phases and activities of a board that are folded. The screen keeps the user's choices."""

    def __init__(self, model: BoardModel, cursor: Cursor, moved: Moved) -> None:
        self._model = model
        self._cursor = cursor
        self._moved = moved
        self.is_searched = False
        """True while a filter is typed: what it finds is never in a fold."""
        self._left: dict[Id, Id] = {}
        """The card that the cursor was on in each phase when it was folded."""
        self.begin(NO_FOLDS)

    def begin(self, chosen: Folds) -> None:
        """Begin with what the user has chosen to fold and to unfold in a project."""
        self.chosen = chosen
        self._revealed: frozenset[Id] = frozenset()
        """Folds that are open because the cursor went to a card in them, until the user folds them again."""
        self._finished: Id | None = None
        """The phase that became complete with the cursor in it: it is not folded before the cursor leaves it."""

    def refold(self) -> None:
        """Fold what is to be folded now. The cursor has to be settled afterwards."""
        model, chosen = self._model, frozenset(self.chosen.folded)
        if not model.by_phase:
            return
        phases = folded_phases(model.head.columns, self.chosen) - self._revealed
        if self._finished is not None and self._finished not in chosen:
            phases -= {self._finished}
        if self.is_searched:
            phases = frozenset(each for each in phases if not model.count_in(each))
        model.fold(phases, frozenset() if self.is_searched else chosen - self._revealed)

    def note_finished(self, open_before: Id | None) -> None:
        """Remember the phase of the cursor if it was open and would be folded now, because it is complete."""
        if open_before in folded_phases(self._model.head.columns, self.chosen):
            self._finished = open_before

    def leave_finished(self) -> bool:
        """Fold the phase that became complete with the cursor in it, if the cursor has left it. Return whether."""
        if self._finished in (None, self._cursor.column_id):
            return False
        self._finished = None
        self.refold()
        return True

    def reveal(self, card: Card) -> None:
        """Open the folds that hide a card."""
        while (fold := self._model.fold_of(card)) is not None:
            self._revealed |= {fold}
            self.refold()

    def toggle_phase(self) -> bool | None:
        """Fold or unfold the phase of the cursor. Return whether it is folded; None if it cannot be."""
        column_id, card = self._cursor.column_id, self._cursor.card
        if column_id is None or not self._model.by_phase:
            return None
        was_folded = column_id in self._model.folded
        if not was_folded and card is not None:
            self._left[column_id] = card.id
        self._choose(column_id, folded=not was_folded)
        if was_folded and (card := self._model.find(self._left.get(column_id))) is not None:
            self._cursor.put(card)
        self._after_change()
        return column_id in self._model.folded

    @property
    def family(self) -> Card | None:
        """The activity that the cursor is on or in, if it has tasks on the board."""
        card = self._cursor.card
        if card is not None and card.kind is ItemKind.TASK:
            card = self._model.find(card.activity_id)
        return card if card is not None and self._model.families.tasks(card.id) else None

    def toggle_family(self) -> bool | None:
        """Fold or unfold the activity that the cursor is on or in. Return whether it is folded; None without one."""
        activity = self.family
        if activity is None:
            return None
        self._choose(activity.id, folded=activity.id not in self._model.families.hiding)
        self._after_change()
        return activity.id in self._model.families.hiding

    def _choose(self, target_id: Id, *, folded: bool) -> None:
        self.chosen = with_fold(self.chosen, target_id, folded=folded)
        self._revealed -= {target_id}
        self._finished = None if self._finished == target_id else self._finished
        self.refold()
        self._cursor.settle()

    def _after_change(self) -> None:
        self._cursor.row = None
        self._moved()
