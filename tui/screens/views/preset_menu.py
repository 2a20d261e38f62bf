"""Choosing a viewing preset, with a live preview behind the menu; saving, sharing and removing them, and their form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.actions.personal.presets import (
    ActivatePreset,
    ListPresets,
    PresetCommand,
    PresetMenu,
    RemovePreset,
    RemoveSharedPreset,
    SavePreset,
    SharePreset,
)
from core.domain.model import Id
from core.domain.permissions import Permission
from core.domain.presets import Preset
from core.domain.view_settings import PREDEFINED_BY_ID, CardField, Density, Layout, PhaseSection, Sort, ViewPreset
from core.errors import PodiumError
from core.record import replace
from tui.dialogs.fields.form_fields import ChoiceField, Field, PickerField, TextField
from tui.dialogs.form import FormDialog
from tui.dialogs.menus.preset_dialog import PresetDialog, PresetMenuResult, PresetOption
from tui.keys.table import Key
from tui.screens.framework.controller import OwnerScreen
from tui.screens.views.presenter import ViewScreen
from tui.services.destinations import VIEWS, view_of
from tui.wording.presets import DENSITY_WORDS, FIELD_WORDS, LAYOUT_WORDS, SECTION_WORDS, SORT_WORDS, in_short


async def activate_preset(screen: ViewScreen, preset: ViewPreset) -> None:
    """Use a preset in all views of the project, and open the view of its layout. Raises PodiumError."""
    podium, project_id = screen.podium, screen.project_id
    await podium.send(ActivatePreset(project_id=project_id, preset_id=preset.id))
    podium.view_as.show_preset(project_id, preset)
    if _opens_view(screen, preset):
        await podium.visit(view_of(preset.viewing.layout).to(project_id, screen.location.card_id))


def _opens_view(screen: ViewScreen, preset: ViewPreset) -> bool:
    """Return True if the layout of the preset is another view. A view that no layout names shows any preset."""
    here = next(view for view in VIEWS if view.name == screen.name_in_table)
    return here.layout is not None and here.layout is not preset.viewing.layout


class PresetChooser:
    """One use of the menu of presets. The app runs it, because the choice can open another screen."""

    def __init__(self, screen: ViewScreen) -> None:
        self._screen = screen
        self._podium = screen.podium
        self._project_id = screen.project_id
        self._before = screen.preset
        self._card = screen.presenter.card

    async def run(self) -> None:
        """Offer the menu until a preset is chosen; esc restores the preset from before."""
        focused = self._before.id
        try:
            while (picked := await self._offer(focused)) is not None:
                kept = await self._act(picked)
                if kept is None:
                    return
                focused = kept
            self._restore()
        except PodiumError as error:
            self._screen.apply_preset(self._before)
            self._podium.show_error(error)

    def _restore(self) -> None:
        """With the cursor on its card again, which a preview may have hidden."""
        self._screen.apply_preset(self._before)
        if self._card:
            self._screen.presenter.go_to(self._card.id)

    async def _offer(self, focused: Id) -> PresetMenuResult | None:
        menu = await self._podium.query(ListPresets(project_id=self._project_id))
        self._versions = menu.versions
        self._before = next(preset for preset in menu.presets if preset.id == menu.chosen)
        lines = [self._line(menu, preset) for preset in menu.presets]
        try:
            return await self._podium.ask(PresetDialog(lines, menu.chosen, focused, self._preview))
        finally:
            self._screen.preview = None

    def _preview(self, preset: ViewPreset) -> None:
        self._screen.preview = preset
        self._screen.apply_preset(preset)

    def _line(self, menu: PresetMenu, preset: ViewPreset) -> PresetOption:
        whose = "mine" if preset.own else "shared" if preset.shared else ""
        default = "default of my role" if preset.id == menu.default else ""
        opens = f"Layout: {LAYOUT_WORDS[preset.viewing.layout]}. " if _opens_view(self._screen, preset) else ""
        return PresetOption(preset, whose or default, f"{opens}{in_short(preset.viewing)}", self._refusals(preset))

    def _refusals(self, preset: ViewPreset) -> dict[str, str]:
        refusals = {}
        if preset.id in PREDEFINED_BY_ID:
            refusals = dict.fromkeys(("edit", "remove"), "This preset comes with Podium. Press n to copy it.")
        may_not = self._screen.keys.why_not(Key("presets.share", "s", "Share", needs=Permission.PRESET_SHARE))
        if may_not:
            refusals["share"] = may_not
        if preset.shared and may_not:
            refusals |= dict.fromkeys(("edit", "remove"), may_not)
        if preset.shared:
            refusals["share"] = "Everyone on the project has it already."
        return refusals

    # -- what is picked --------------------------------------------------------------------------------------

    async def _act(self, picked: PresetMenuResult) -> Id | None:
        """Do it; the preset on which the menu goes on, None when it does not."""
        preset = picked.preset
        match picked.act:
            case "choose":
                await activate_preset(self._screen, preset)
                return None
            case "as_viewer":
                self._podium.view_as.begin(self._project_id, preset, self._before)
                return None
            case "reset":
                return await self._reset()
            case "new":
                return await self._make(preset)
            case "remove":
                return await self._remove(preset)
        version = self._versions[preset.id] if picked.act == "edit" else None
        shared = preset.shared or picked.act == "share"
        return await ask_preset(self._screen, preset, shared=shared, version=version) or preset.id

    async def _reset(self) -> Id | None:
        await self._podium.send(ActivatePreset(project_id=self._project_id, preset_id=""))
        menu = await self._podium.query(ListPresets(project_id=self._project_id))
        return menu.chosen

    async def _make(self, preset: ViewPreset) -> Id | None:
        """Save a preset of the user, made from this one and from the typed filter, and activate it."""
        viewing = preset.viewing
        text = f"{viewing.filter} {self._screen.filter.text}".strip()
        archive = (PhaseSection.ARCHIVED,) if self._screen.show_archived else ()
        draft = replace(preset, name="", viewing=replace(viewing, filter=text, sections=(*viewing.sections, *archive)))
        made = await ask_preset(self._screen, draft, shared=False, version=None)
        if made is None:
            return preset.id
        menu = await self._podium.query(ListPresets(project_id=self._project_id))
        await activate_preset(self._screen, next(each for each in menu.presets if each.id == made))
        return None

    async def _remove(self, preset: ViewPreset) -> Id:
        """Undo restores a shared preset, but not one of the user's own, so a question comes first."""
        from tui.dialogs.confirm import ConfirmDialog

        if preset.shared:
            version = self._versions.get(preset.id)
            await self._podium.send(
                RemoveSharedPreset(project_id=self._project_id, preset_id=preset.id, seen_version=version)
            )
            self._podium.toast(f"Removed the shared preset “{preset.name}”. u to undo.")
        elif await self._podium.ask(
            ConfirmDialog("Remove this preset", f"“{preset.name}” will be gone from all your projects.", "Remove")
        ):
            await self._podium.send(RemovePreset(project_id=self._project_id, preset_id=preset.id))
        else:
            return preset.id
        return self._before.id


NOTES = {False: "Yours alone, on all your projects.", True: "For everyone on this project."}


async def ask_preset(screen: OwnerScreen, draft: ViewPreset, *, shared: bool, version: int | None) -> Id | None:
    """Ask for a preset, beginning with this one; its id, or None when the person gave up.

    With ``version`` the draft replaces the preset, else it becomes a new one.
    """

    async def save(values: dict[str, Any]) -> Preset:
        kind: type[PresetCommand[Preset]] = SharePreset if shared else SavePreset
        return await screen.podium.send(
            kind(
                project_id=screen.project_id,
                preset_id=None if version is None else draft.id,
                seen_version=version,
                **_choices(values),
            )
        )

    title = "Share a preset" if shared else "Save a preset"
    heading = f"Edit “{draft.name}”" if version is not None else title
    about = f"preset of {screen.project_id}" if version is None else draft.id
    saved = await screen.podium.ask(FormDialog(heading, _fields(draft), save, note=NOTES[shared], about=about))
    return saved.id if saved is not None else None


def _fields(draft: ViewPreset) -> list[Field]:
    viewing = draft.viewing
    return [
        TextField("name", "Name", draft.name),
        ChoiceField("layout", "Layout", _options(LAYOUT_WORDS), viewing.layout),
        PickerField("sections", "Shows", _options(SECTION_WORDS), viewing.sections, multiple=True),
        PickerField("fields", "On cards", _options(FIELD_WORDS), viewing.fields, multiple=True, none="titles only"),
        TextField("filter", "Filter", viewing.filter, "assignee:me due:<friday …"),
        ChoiceField("sort", "Sort", _options(SORT_WORDS), viewing.sort),
        ChoiceField("density", "Cards", _options(DENSITY_WORDS), viewing.density or ""),
    ]


def _options(words: Mapping[Any, str]) -> tuple[tuple[str, str], ...]:
    return tuple((value or "", text) for value, text in words.items())


def _choices(values: dict[str, Any]) -> dict[str, Any]:
    return values | {
        "layout": Layout(values["layout"]),
        "sections": tuple(map(PhaseSection, values["sections"])),
        "fields": tuple(map(CardField, values["fields"])),
        "sort": Sort(values["sort"]),
        "density": Density(values["density"]) if values["density"] else None,
    }
