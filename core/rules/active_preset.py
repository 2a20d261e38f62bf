"""The choices of a user how to look at a project: the folds, and the active preset, which is the chosen one or the
default of their role."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.domain.canvas import NO_FOLDS, Folds, folds_in
from core.domain.model import Id, ProjectRole
from core.domain.view_settings import DEFAULT_OF_ROLE, PREDEFINED_BY_ID, ViewPreset
from core.engine.unit_of_work import Snapshot
from core.storage.database import Statement


def active_preset(view: Snapshot, project_id: Id, role: ProjectRole | None) -> ViewPreset:
    """Return the active preset of the sender.

    A chosen preset that was deleted or is no longer shared is replaced by the default; undo brings it back.
    """
    sql, params = choice_of_preset(view, project_id)
    return chosen_preset(view, project_id, view.tx.tuples(sql, **params), role)


def choice_of_preset(view: Snapshot, project_id: Id) -> Statement:
    """The statement that reads which preset the sender chose, for ``chosen_preset``."""
    sql = "SELECT preset_id FROM active_preset WHERE project_id = :project_id AND user_id = :user_id"
    return sql, {"project_id": project_id, "user_id": view.actor.user_id}


def chosen_preset(
    view: Snapshot, project_id: Id, rows: Sequence[Sequence[Any]], role: ProjectRole | None
) -> ViewPreset:
    """Return the active preset as ``active_preset`` does, from the rows of ``choice_of_preset``."""
    chosen = find_preset(view, project_id, rows[0][0]) if rows else None
    return chosen or PREDEFINED_BY_ID[DEFAULT_OF_ROLE[role]]


def find_preset(view: Snapshot, project_id: Id, preset_id: Id) -> ViewPreset | None:
    """Return a preset if the sender can use it in this project: it is predefined, their own, or shared here."""
    if preset_id in PREDEFINED_BY_ID:
        return PREDEFINED_BY_ID[preset_id]
    from core.domain.presets import Preset  # imported late: the first screen needs it only for a chosen preset

    preset = view.find(Preset, id=preset_id)
    if preset is None:
        return None
    usable = preset.owner_id == view.actor.user_id if preset.owner_id else preset.project_id == project_id
    return preset.named if usable else None


def name_of_folds(project_id: Id) -> str:
    """Return the name of the preference that keeps the folds of a project."""
    return f"folds:{project_id}"


def choice_of_folds(view: Snapshot, project_id: Id) -> Statement:
    """The statement that reads what the sender has folded, for ``chosen_folds``."""
    sql = "SELECT value FROM preference WHERE user_id = :user_id AND name = :name"
    return sql, {"user_id": view.actor.user_id, "name": name_of_folds(project_id)}


def chosen_folds(rows: Sequence[Sequence[Any]]) -> Folds:
    """Return the folds from the rows of ``choice_of_folds``."""
    return folds_in(rows[0][0]) if rows else NO_FOLDS
