"""Saved presets and filters; the predefined presets are in ``core.domain.view_settings``."""

from __future__ import annotations

from core.domain.model import WORKSPACE, Id
from core.domain.view_settings import (
    ALL_FIELDS,
    WORK,
    CardField,
    Density,
    Layout,
    PhaseSection,
    Sort,
    ViewPreset,
    ViewSettings,
)
from core.record import Record, made_from


class Preset(Record, table="preset"):
    """A saved preset: of one user, for all their projects, or shared with all members of one project."""

    id: Id
    name: str
    project_id: Id = WORKSPACE
    owner_id: Id | None = None
    """None for a shared preset."""
    layout: Layout = Layout.PHASE_COLUMNS
    fields: tuple[CardField, ...] = ALL_FIELDS
    sections: tuple[PhaseSection, ...] = WORK
    filter: str = ""
    sort: Sort = Sort.ORDER
    density: Density | None = None
    version: int = 1

    @property
    def viewing(self) -> ViewSettings:
        return made_from(ViewSettings, self)

    @property
    def named(self) -> ViewPreset:
        """The preset as users choose it."""
        shared = self.owner_id is None
        return ViewPreset(self.id, self.name, self.viewing, shared=shared, own=not shared)


class ActivePreset(Record, table="active_preset", key=("project_id", "user_id")):
    """The preset with which a user looks at a project."""

    project_id: Id
    user_id: Id
    preset_id: Id
    version: int = 1


class SavedFilter(Record, table="saved_filter", key=("user_id", "name")):
    """A filter that a user saved under a name."""

    user_id: Id
    name: str
    text: str
    version: int = 1
