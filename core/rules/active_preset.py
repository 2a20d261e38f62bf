"""The preset that somebody looks at a project with: the one they chose, else the default of their role."""

from __future__ import annotations

from core.domain.model import Id, ProjectRole
from core.domain.view_settings import (
    DEFAULT_OF_ROLE,
    PREDEFINED_BY_ID,
    ViewPreset,
)
from core.engine.unit_of_work import Snapshot


def active_preset(view: Snapshot, project_id: Id, role: ProjectRole | None) -> ViewPreset:
    """One that is gone, or no longer shared, gives way to the default, and is there again when that is undone."""
    kept = view.rows(
        "SELECT preset_id FROM active_preset WHERE project_id = :project_id AND user_id = :user_id",
        project_id=project_id,
        user_id=view.actor.user_id,
    )
    chosen = find_preset(view, project_id, kept[0]["preset_id"]) if kept else None
    return chosen or PREDEFINED_BY_ID[DEFAULT_OF_ROLE[role]]


def find_preset(view: Snapshot, project_id: Id, preset_id: Id) -> ViewPreset | None:
    """A preset that the person can look at this project with: predefined, their own, or shared here."""
    if preset_id in PREDEFINED_BY_ID:
        return PREDEFINED_BY_ID[preset_id]
    from core.domain.presets import Preset  # on the way to the first picture only for whoever has chosen one

    preset = view.find(Preset, id=preset_id)
    if preset is None:
        return None
    usable = preset.owner_id == view.actor.user_id if preset.owner_id else preset.project_id == project_id
    return preset.named if usable else None
