"""The form of a viewing preset: its name, and all that it chooses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.actions.personal.presets import PresetCommand, SavePreset, SharePreset
from core.domain.model import Id
from core.domain.presets import Preset
from core.domain.view_settings import CardField, Density, Layout, PhaseSection, Sort, ViewPreset
from tui.dialogs.fields.form_fields import ChoiceField, Field, PickerField, TextField
from tui.dialogs.form import FormDialog
from tui.screens.framework.controller import OwnerScreen
from tui.wording.presets import DENSITY_WORDS, FIELD_WORDS, LAYOUT_WORDS, SECTION_WORDS, SORT_WORDS

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
                **_typed(values),
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


def _typed(values: dict[str, Any]) -> dict[str, Any]:
    return values | {
        "layout": Layout(values["layout"]),
        "sections": tuple(map(PhaseSection, values["sections"])),
        "fields": tuple(map(CardField, values["fields"])),
        "sort": Sort(values["sort"]),
        "density": Density(values["density"]) if values["density"] else None,
    }
