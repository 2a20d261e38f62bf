"""Folds of a Canvas: phases as narrow columns and activities without their tasks, as one user looks at a project."""

from __future__ import annotations

from collections.abc import Iterable

from core.domain.canvas import Folds, PhaseColumn
from core.domain.model import Id, PhaseState

MAX_FOLDS = 200
"""The most choices of each kind that are kept for a user and a project; the oldest ones are dropped."""


def with_fold(folds: Folds, target_id: Id, *, folded: bool) -> Folds:
    """Return folds with another choice for one phase or activity."""
    chosen = dict.fromkeys(folds.folded, True) | dict.fromkeys(folds.unfolded, False)
    chosen.pop(target_id, None)
    chosen[target_id] = folded
    kept = [
        tuple(each for each, is_folded in chosen.items() if is_folded is want)[-MAX_FOLDS:] for want in (True, False)
    ]
    return Folds(*kept)


def folded_phases(columns: Iterable[PhaseColumn], folds: Folds) -> frozenset[Id]:
    """Return the ids of the phases that are narrow columns: those that the user folded.

    Where they have not chosen, complete phases are, as long as there is another phase to give the width to.
    """
    columns = tuple(columns)
    has_work = any(column.state is not PhaseState.COMPLETE for column in columns)
    return frozenset(
        column.id
        for column in columns
        if column.id in folds.folded
        or (has_work and column.state is PhaseState.COMPLETE and column.id not in folds.unfolded)
    )


def folds_in(text: str) -> Folds:
    """Read folds from the setting of a user, in which each id follows ``+`` if it is folded, else ``-``."""
    chosen = text.split()
    return Folds(
        tuple(each[1:] for each in chosen if each.startswith("+")),
        tuple(each[1:] for each in chosen if each.startswith("-")),
    )


def text_of(folds: Folds) -> str:
    """Write folds as ``folds_in`` reads them."""
    return " ".join([*(f"+{each}" for each in folds.folded), *(f"-{each}" for each in folds.unfolded)])
