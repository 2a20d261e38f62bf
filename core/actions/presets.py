"""Viewing presets: chosen, saved for oneself, shared with a project."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from core.chosen_preset import chosen_preset, find_preset
from core.errors import InvalidInput, NotFound, RuleRefused
from core.filtering.filter import check
from core.messages import ProjectCommand, ProjectQuery
from core.model import Id, Member
from core.presets import Preset, PresetChoice
from core.rights import Permission
from core.text import one_line
from core.viewings import (
    ALL_FIELDS,
    DEFAULT_OF_ROLE,
    PREDEFINED,
    WORK,
    CardField,
    Density,
    Layout,
    NamedViewing,
    PhasePart,
    Sort,
)
from core.wording import no_such
from core.work import View, Work, as_seen, new_id

if TYPE_CHECKING:
    from core.transfer.document import PresetEntry

R = TypeVar("R")

MOST_PRESETS = 30
"""Of one person, and of one project (decided here): what can still be walked through in a menu."""

MOST_FILTER = 500
"""Characters of a filter that is kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PresetMenu:
    """The presets one can look at a project with: the predefined ones, one's own, and the shared ones."""

    collection: ClassVar[str] = "presets"

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

    def run(self, view: View) -> PresetMenu:
        me = view.find(Member, project_id=self.project_id, user_id=view.actor.user_id)
        role = me.role if me else None
        saved = sorted(own_presets(view), key=_by_name) + sorted(shared_presets(view, self.project_id), key=_by_name)
        return PresetMenu(
            presets=(*PREDEFINED, *(preset.named for preset in saved)),
            chosen=chosen_preset(view, self.project_id, role).id,
            default=DEFAULT_OF_ROLE[role],
            versions={preset.id: preset.version for preset in saved},
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoosePreset(ProjectCommand[None]):
    """Look at a project with a preset from now on; an empty id goes back to the default of my role."""

    route = "PUT /v1/projects/{project_id}/preset"
    permission = Permission.PROJECT_VIEW
    undoable = False
    personal = True
    in_archive = True
    preset_id: Id

    def run(self, work: Work) -> None:
        me = work.actor.user_id
        if self.preset_id and find_preset(work, self.project_id, self.preset_id) is None:
            raise NotFound("This preset is not there any more. P shows those that are.")
        kept = work.find(PresetChoice, project_id=self.project_id, user_id=me)
        if kept and self.preset_id:
            work.update(kept, preset_id=self.preset_id)
        elif kept:
            work.delete(kept)
        elif self.preset_id:
            work.insert(PresetChoice(project_id=self.project_id, user_id=me, preset_id=self.preset_id))


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

    def kept(self, work: Work, among: Sequence[Preset], **place: Any) -> Preset:
        """The preset as it is now written, new or anew. Raises InvalidInput, RuleRefused or VersionConflict."""
        before = _seen(work, among, self.preset_id, self.seen_version) if self.preset_id else None
        fields = accepted_look(self, (each.name for each in among if each is not before))
        if before is not None:
            return work.update(before, **fields)
        if len(among) >= MOST_PRESETS:
            raise RuleRefused(f"{MOST_PRESETS} presets are the most. Remove one of them first.")
        return work.insert(Preset(id=new_id(), **place, **fields))


@dataclass(frozen=True, slots=True, kw_only=True)
class SavePreset(PresetCommand[Preset]):
    """Save a preset of my own, for all my projects."""

    route = "POST /v1/projects/{project_id}/presets/own"
    permission = Permission.PROJECT_VIEW
    creates = True
    undoable = False
    personal = True
    in_archive = True

    def run(self, work: Work) -> Preset:
        return self.kept(work, own_presets(work), owner_id=work.actor.user_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class SharePreset(PresetCommand[Preset]):
    """Save a preset for everyone on a project."""

    route = "POST /v1/projects/{project_id}/presets"
    permission = Permission.PRESET_SHARE
    creates = True

    def run(self, work: Work) -> Preset:
        preset = self.kept(work, shared_presets(work, self.project_id), project_id=self.project_id)
        work.say(f"{'changed the shared preset' if self.preset_id else 'shared the preset'} “{preset.name}”")
        return preset


@dataclass(frozen=True, slots=True, kw_only=True)
class RemovePreset(ProjectCommand[None]):
    """Remove a preset of my own."""

    route = "DELETE /v1/projects/{project_id}/presets/own/{preset_id}"
    permission = Permission.PROJECT_VIEW
    undoable = False
    personal = True
    in_archive = True
    preset_id: Id

    def run(self, work: Work) -> None:
        work.delete(_seen(work, own_presets(work), self.preset_id))


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveSharedPreset(ProjectCommand[None]):
    """Remove a preset that everyone on a project has; whoever looks with it sees the default of their role."""

    route = "DELETE /v1/projects/{project_id}/presets/{preset_id}"
    permission = Permission.PRESET_SHARE
    preset_id: Id
    seen_version: int | None = None

    def run(self, work: Work) -> None:
        preset = _seen(work, shared_presets(work, self.project_id), self.preset_id, self.seen_version)
        work.delete(preset)
        work.say(f"removed the shared preset “{preset.name}”")


def accepted_look(look: PresetCommand[Any] | PresetEntry, others: Iterable[str]) -> dict[str, Any]:
    """The fields of a preset as they are kept, typed or imported; ``others`` are the names of those beside it.

    Raises InvalidInput, which names the field.
    """
    name = one_line(look.name, "name", most=40)
    if name.casefold() in map(str.casefold, (*(each.name for each in PREDEFINED), *others)):
        raise InvalidInput("name", f"There is a preset “{name}” already. Choose another name.")
    sections = tuple(part for part in PhasePart if part in look.sections)
    if not set(sections) & set(WORK):
        raise InvalidInput(
            "sections", "No cards would be left. Choose at least one of applications, activities and tasks."
        )
    return {
        "name": name,
        "layout": look.layout,
        "fields": tuple(field for field in CardField if field in look.fields),
        "sections": sections,
        "filter": _accepted_filter(look.filter),
        "sort": look.sort,
        "density": look.density,
    }


def own_presets(view: View) -> list[Preset]:
    """The person's own presets."""
    return view.all(Preset, "owner_id = :me", me=view.actor.user_id)


def shared_presets(view: View, project_id: Id) -> list[Preset]:
    """The presets that everyone on a project has."""
    return view.all(Preset, "project_id = :project_id AND owner_id IS NULL", project_id=project_id)


def refuse_preset_twice(view: View, project_id: Id) -> None:
    """No two shared presets of a project have one name. Raises RuleRefused."""
    names = [preset.name.casefold() for preset in shared_presets(view, project_id)]
    if len(set(names)) < len(names):
        raise RuleRefused("Two shared presets would have the same name.")


def _by_name(preset: Preset) -> str:
    return preset.name.casefold()


def _seen(view: View, among: Sequence[Preset], preset_id: Id, seen_version: int | None = None) -> Preset:
    """The one of these presets with this id. Raises NotFound, or VersionConflict when it is not as it was seen."""
    found = next((preset for preset in among if preset.id == preset_id), None)
    if found is None:
        raise NotFound(no_such("preset", preset_id))
    return as_seen(view, found, seen_version)


def _accepted_filter(text: str) -> str:
    """Whom and which phases it names is not asked, as that differs from project to project. Raises FilterRefused."""
    accepted = one_line(text, "filter", most=MOST_FILTER, empty=True)
    check(accepted)
    return accepted
