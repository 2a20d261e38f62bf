"""The preset that somebody looks at a project with: the one they chose, else the default of their role."""

from __future__ import annotations

from core.model import Id, ProjectRole
from core.viewings import DEFAULT_OF_ROLE, PREDEFINED_BY_ID, NamedViewing
from core.work import View


def chosen_preset(view: View, project_id: Id, role: ProjectRole | None) -> NamedViewing:
    """One that is gone, or no longer shared, gives way to the default, and is there again when that is undone."""
    kept = view.rows(
        "SELECT preset_id FROM preset_choice WHERE project_id = :project_id AND user_id = :user_id",
        project_id=project_id,
        user_id=view.actor.user_id,
    )
    chosen = find_preset(view, project_id, kept[0]["preset_id"]) if kept else None
    return chosen or PREDEFINED_BY_ID[DEFAULT_OF_ROLE[role]]


def find_preset(view: View, project_id: Id, preset_id: Id) -> NamedViewing | None:
    """A preset that the person can look at this project with: predefined, their own, or shared here."""
    if preset_id in PREDEFINED_BY_ID:
        return PREDEFINED_BY_ID[preset_id]
    from core.presets import Preset  # on the way to the first picture only for whoever has chosen one

    preset = view.find(Preset, id=preset_id)
    if preset is None:
        return None
    usable = preset.owner_id == view.actor.user_id if preset.owner_id else preset.project_id == project_id
    return preset.named if usable else None
