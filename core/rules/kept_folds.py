"""The folds of a user in a project, in a setting of the user."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.domain.canvas import NO_FOLDS, Folds
from core.domain.folds import folds_in
from core.domain.model import Id
from core.engine.unit_of_work import Snapshot
from core.storage.database import Statement


def name_of_setting(project_id: Id) -> str:
    return f"folds:{project_id}"


def choice_of_folds(view: Snapshot, project_id: Id) -> Statement:
    """The statement that reads what the sender has folded, for ``chosen_folds``."""
    sql = "SELECT value FROM preference WHERE user_id = :user_id AND name = :name"
    return sql, {"user_id": view.actor.user_id, "name": name_of_setting(project_id)}


def chosen_folds(rows: Sequence[Sequence[Any]]) -> Folds:
    """Return the folds from the rows of ``choice_of_folds``."""
    return folds_in(rows[0][0]) if rows else NO_FOLDS
