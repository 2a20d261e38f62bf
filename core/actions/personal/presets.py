"""View presets: activate one, save one for oneself, share one with a project."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from core.domain.model import Id, Member
from core.domain.permissions import Permission
from core.domain.presets import ActivePreset, Preset
from core.domain.view_settings import (
    ALL_FIELDS,
    DEFAULT_OF_ROLE,
    PREDEFINED,
    WORK,
    CardField,
    Density,
    Layout,
    PhaseSection,
    Sort,
    ViewPreset,
    ViewSettings,
)
from core.engine.messages import PersonalProjectCommand, ProjectCommand, ProjectQuery
from core.engine.unit_of_work import Snapshot, UnitOfWork, check_version, new_id
from core.errors import NotFound, RuleViolation
from core.record import COLLECTION, Record, field, made_from
from core.rules.active_preset import active_preset, find_preset
from core.rules.card_fields import my_field_keys
from core.rules.preset_fields import MAX_PRESETS, validated_view_settings
from core.text.phrases import no_such

R = TypeVar("R")


class PresetMenu(Record):
    """The presets that the sender can use in a project: predefined, their own, and shared ones."""

    presets: tuple[ViewPreset, ...] = field(name=COLLECTION)
    chosen: Id
    default: Id
    """The default of the sender's role, used until another one is chosen."""
    versions: dict[Id, int]
    """The versions of saved presets."""


class ListPresets(ProjectQuery[PresetMenu]):
    """List the view presets of a project, and the one that I use."""

    route = "GET /v1/projects/{project_id}/presets"
    permission = Permission.PROJECT_VIEW

    def run(self, view: Snapshot) -> PresetMenu:
        me = view.find(Member, project_id=self.project_id, user_id=view.actor.user_id)
        role = me.role if me else None
        saved = sorted(own_presets(view), key=_by_name) + sorted(shared_presets(view, self.project_id), key=_by_name)
        return PresetMenu(
            presets=(*PREDEFINED, *(preset.named for preset in saved)),
            chosen=active_preset(view, self.project_id, role).id,
            default=DEFAULT_OF_ROLE[role],
            versions={preset.id: preset.version for preset in saved},
        )


class ActivatePreset(PersonalProjectCommand[None]):
    """Use a preset for a project from now on; an empty id returns to the default of my role."""

    route = "PUT /v1/projects/{project_id}/active-preset"
    preset_id: Id

    def run(self, work: UnitOfWork) -> None:
        me = work.actor.user_id
        if self.preset_id and find_preset(work, self.project_id, self.preset_id) is None:
            raise NotFound("This preset is not there any more. P shows those that are.")
        kept = work.find(ActivePreset, project_id=self.project_id, user_id=me)
        if kept and self.preset_id:
            work.update(kept, preset_id=self.preset_id)
        elif kept:
            work.delete(kept)
        elif self.preset_id:
            work.insert(ActivePreset(project_id=self.project_id, user_id=me, preset_id=self.preset_id))


class PresetCommand(ProjectCommand[R]):
    """The base of commands that save view settings under a name, as a new preset or in place of ``preset_id``."""

    name: str
    preset_id: Id | None = None
    layout: Layout = Layout.PHASE_COLUMNS
    fields: tuple[CardField, ...] = ALL_FIELDS
    sections: tuple[PhaseSection, ...] = WORK
    filter: str = ""
    sort: Sort = Sort.ORDER
    density: Density | None = None
    seen_version: int | None = None

    def save_preset(self, work: UnitOfWork, among: Sequence[Preset], **place: Any) -> Preset:
        """Save the preset and return it. Raises InvalidInput, RuleViolation or VersionConflict."""
        before = _find_unchanged(work, among, self.preset_id, self.seen_version) if self.preset_id else None
        others = (each.name for each in among if each is not before)
        fields = validated_view_settings(self.name, made_from(ViewSettings, self), others, my_field_keys(work))
        if before is not None:
            return work.update(before, **fields)
        if len(among) >= MAX_PRESETS:
            raise RuleViolation(f"There can be at most {MAX_PRESETS} presets. Remove one first.")
        return work.insert(Preset(id=new_id(), **place, **fields))


class SavePreset(PresetCommand[Preset]):
    """Save a preset of my own, for all my projects."""

    route = "POST /v1/projects/{project_id}/presets/own"
    permission = Permission.PROJECT_VIEW
    creates = True
    undoable = False
    personal = True
    in_archive = True

    def run(self, work: UnitOfWork) -> Preset:
        return self.save_preset(work, own_presets(work), owner_id=work.actor.user_id)


class SharePreset(PresetCommand[Preset]):
    """Save a preset for everyone on a project."""

    route = "POST /v1/projects/{project_id}/presets"
    permission = Permission.PRESET_SHARE
    creates = True

    def run(self, work: UnitOfWork) -> Preset:
        preset = self.save_preset(work, shared_presets(work, self.project_id), project_id=self.project_id)
        work.say(f"{'changed the shared preset' if self.preset_id else 'shared the preset'} “{preset.name}”")
        return preset


class RemovePreset(PersonalProjectCommand[None]):
    """Remove a preset of my own."""

    route = "DELETE /v1/projects/{project_id}/presets/own/{preset_id}"
    preset_id: Id

    def run(self, work: UnitOfWork) -> None:
        work.delete(_find_unchanged(work, own_presets(work), self.preset_id))


class RemoveSharedPreset(ProjectCommand[None]):
    """Remove a shared preset of a project; those who use it get the default of their role."""

    route = "DELETE /v1/projects/{project_id}/presets/{preset_id}"
    permission = Permission.PRESET_SHARE
    preset_id: Id
    seen_version: int | None = None

    def run(self, work: UnitOfWork) -> None:
        preset = _find_unchanged(work, shared_presets(work, self.project_id), self.preset_id, self.seen_version)
        work.delete(preset)
        work.say(f"removed the shared preset “{preset.name}”")


def own_presets(view: Snapshot) -> list[Preset]:
    """Return the sender's own presets."""
    return view.all(Preset, "owner_id = :me", me=view.actor.user_id)


def shared_presets(view: Snapshot, project_id: Id) -> list[Preset]:
    """Return the shared presets of a project."""
    return view.all(Preset, "project_id = :project_id AND owner_id IS NULL", project_id=project_id)


def check_unique_preset_name(view: Snapshot, project_id: Id) -> None:
    """Check that the shared presets of a project have different names. Raises RuleViolation."""
    names = [preset.name.casefold() for preset in shared_presets(view, project_id)]
    if len(set(names)) < len(names):
        raise RuleViolation("Two shared presets would have the same name.")


def _by_name(preset: Preset) -> str:
    return preset.name.casefold()


def _find_unchanged(view: Snapshot, among: Sequence[Preset], preset_id: Id, seen_version: int | None = None) -> Preset:
    """Return the preset with this id. Raises NotFound, or VersionConflict when it changed since it was seen."""
    found = next((preset for preset in among if preset.id == preset_id), None)
    if found is None:
        raise NotFound(no_such("preset", preset_id))
    return check_version(view, found, seen_version)
