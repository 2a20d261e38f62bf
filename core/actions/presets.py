"""Viewing presets: chosen, saved for oneself, shared with a project."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from core.messages import ProjectCommand, ProjectQuery
from core.model import Id
from core.presets import (
    ALL_FIELDS,
    WORK,
    CardField,
    Density,
    Layout,
    NamedViewing,
    PhasePart,
    Preset,
    Sort,
)
from core.rights import Permission

R = TypeVar("R")


@dataclass(frozen=True, slots=True, kw_only=True)
class PresetMenu:
    """The presets one can look at a project with: the predefined ones, one's own, and the shared ones."""

    presets: tuple[NamedViewing, ...]
    chosen: Id
    default: Id
    """The one of the person's role, in force until another is chosen."""
    versions: dict[Id, int]
    """The versions of the saved ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListPresets(ProjectQuery[PresetMenu]):
    """The viewing presets of a project, and the one that I look with."""

    route = "GET /v1/projects/{project_id}/presets"
    permission = Permission.PROJECT_VIEW


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoosePreset(ProjectCommand[None]):
    """Viewing at a project with a preset from now on; an empty id goes back to the default of my role."""

    route = "PUT /v1/projects/{project_id}/preset"
    permission = Permission.PROJECT_VIEW
    undoable = False
    personal = True
    in_archive = True
    preset_id: Id


@dataclass(frozen=True, slots=True, kw_only=True)
class PresetCommand(ProjectCommand[R]):
    """Saves a look under a name: a new preset, or ``preset_id`` anew."""

    name: str
    preset_id: Id | None = None
    layout: Layout = Layout.PHASE_COLUMNS
    fields: tuple[CardField, ...] = ALL_FIELDS
    sections: tuple[PhasePart, ...] = WORK
    filter: str = ""
    sort: Sort = Sort.ORDER
    density: Density | None = None
    seen_version: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SavePreset(PresetCommand[Preset]):
    """Save a preset of my own, for all my projects."""

    route = "POST /v1/projects/{project_id}/presets/own"
    permission = Permission.PROJECT_VIEW
    undoable = False
    personal = True
    in_archive = True


@dataclass(frozen=True, slots=True, kw_only=True)
class SharePreset(PresetCommand[Preset]):
    """Save a preset for everyone on a project."""

    route = "POST /v1/projects/{project_id}/presets"
    permission = Permission.PRESET_SHARE


@dataclass(frozen=True, slots=True, kw_only=True)
class RemovePreset(ProjectCommand[None]):
    """Remove a preset of my own."""

    route = "DELETE /v1/projects/{project_id}/presets/own/{preset_id}"
    permission = Permission.PROJECT_VIEW
    undoable = False
    personal = True
    in_archive = True
    preset_id: Id


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveSharedPreset(ProjectCommand[None]):
    """Remove a preset that everyone on a project has; whoever looks with it sees the default of their role."""

    route = "DELETE /v1/projects/{project_id}/presets/{preset_id}"
    permission = Permission.PRESET_SHARE
    preset_id: Id
    seen_version: int | None = None
