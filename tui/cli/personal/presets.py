"""``podium preset …``: what a project's views show, and how; chosen, saved, shared, handed on as files."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Any

import click

from core.actions.personal.presets import (
    ActivatePreset,
    ListPresets,
    PresetMenu,
    RemovePreset,
    RemoveSharedPreset,
    SavePreset,
    SharePreset,
)
from core.domain.presets import Preset
from core.domain.view_settings import (
    PREDEFINED,
    PREDEFINED_BY_ID,
    CardField,
    Density,
    Layout,
    PhaseSection,
    Sort,
    ViewPreset,
)
from core.errors import InvalidInput
from core.import_export.preset_file import preset_in, preset_text
from core.record import asdict
from core.text.phrases import in_words
from tui.cli import streams
from tui.cli.message_command import MessageGroup
from tui.cli.records import LISTED_PROJECT, PROJECT, RecordParameter, names
from tui.cli.session import Session

AS_SET = "as-set"
"""The density of the person's settings."""

preset_ = MessageGroup("preset", "Viewing presets: list, choose, save, share, remove, export, import.")


def _menu(session: Session) -> PresetMenu:
    return session.query(ListPresets(project_id=session[PROJECT].id))


PRESET = RecordParameter("preset", lambda session, _: _menu(session).presets, names)
ONE_PRESET = PRESET.or_none(click.Argument(["preset"], required=False))


def _choice(kind: type[StrEnum], *more: str) -> click.Choice[str]:
    return click.Choice([*(each.lower() for each in kind), *more], case_sensitive=False)


VIEWING = (
    click.Option(["--like"], default="OVERVIEW", metavar="PRESET", help="The preset to start from."),
    click.Option(["--layout"], type=_choice(Layout), help="The view that it opens."),
    click.Option(
        ["--field", "fields"], multiple=True, type=_choice(CardField), help="A field that cards show (repeatable)."
    ),
    click.Option(
        ["--section", "sections"],
        multiple=True,
        type=_choice(PhaseSection),
        help="A section that is shown (repeatable).",
    ),
    click.Option(["--filter"], metavar="TEXT", help="In the filter language, e.g. “assignee:me”."),
    click.Option(["--sort"], type=_choice(Sort), help="The order of cards."),
    click.Option(["--density"], type=_choice(Density, AS_SET), help="The height of cards."),
)
"""The choices of a preset. Those that are not given are as in the one after --like."""


class _ListedPreset(ViewPreset):
    """A preset as it is listed."""

    chosen: bool
    """True for the active preset of the sender."""


@preset_.runs("list", LISTED_PROJECT, lists=True)
def list_(session: Session) -> None:
    """List the presets for a project. * marks the active one."""
    from core.codec.encoding import to_json

    menu = _menu(session)
    listed = [_ListedPreset(**asdict(each), chosen=each.id == menu.chosen) for each in menu.presets]
    session.list(
        listed,
        ("", "NAME", "WHOSE", "OPENS AS", "FILTER"),
        lambda preset: (
            "*" if preset.chosen else "",
            preset.name,
            "mine" if preset.own else "shared" if preset.shared else "",
            in_words(preset.viewing.layout),
            preset.viewing.filter,
        ),
        "",
        answer={**to_json(menu), "data": to_json(listed)},
    )


@preset_.runs("choose", PROJECT, ONE_PRESET, changes=True)
def choose(session: Session) -> None:
    """Choose the preset with which I see a project; without one, the default of my role."""
    preset = session[ONE_PRESET]
    session.execute(ActivatePreset(project_id=session[PROJECT].id, preset_id=preset.id if preset else ""))
    now = _menu(session)
    chosen = next(each for each in now.presets if each.id == now.chosen)
    session.print_result(chosen, f"“{chosen.name}” is now the active preset.")


@preset_.runs("save", PROJECT, click.Argument(["name"]), *VIEWING, changes=True)
def save(session: Session, name: str, **given: Any) -> None:
    """Save a preset for all my projects; one with the same name is replaced."""
    saved = _save_preset(session, name, _viewing(session, given), shared=False)
    session.print_result(saved, f"Saved the preset “{saved.name}” ({saved.id}).")


@preset_.runs("share", PROJECT, click.Argument(["name"]), *VIEWING, changes=True)
def share(session: Session, name: str, **given: Any) -> None:
    """Share a preset with everyone on a project; one with the same name is replaced."""
    saved = _save_preset(session, name, _viewing(session, given), shared=True)
    session.print_result(saved, f"Everyone on the project has the preset “{saved.name}” now ({saved.id}).")


@preset_.runs("remove", PROJECT, PRESET, changes=True)
def remove(session: Session) -> None:
    """Remove a preset of my own, or a shared one."""
    preset = session[PRESET]
    if preset.id in PREDEFINED_BY_ID:
        raise InvalidInput("preset", f"“{preset.name}” is a preset of Podium, which stays.")
    kind = RemoveSharedPreset if preset.shared else RemovePreset
    session.execute(kind(project_id=session[PROJECT].id, preset_id=preset.id))
    session.print_result(preset, f"Removed the preset “{preset.name}”.")


@preset_.runs("export", PROJECT, PRESET, *streams.OUTPUT)
def export(session: Session, file: str, force: bool) -> None:
    """Write a preset to a small JSON file."""
    preset = session[PRESET]
    if streams.write(preset_text(preset), file, force=force):
        session.print_result({"file": file}, f"Exported “{preset.name}” to {file}.")


@preset_.runs(
    "import",
    PROJECT,
    click.Argument(["file"], metavar="FILE"),
    click.Option(["--name"], help="The name of the preset (default: the name in the file)."),
    click.Option(["--share", "shared"], is_flag=True, help="Share it with everyone on the project."),
    changes=True,
)
def import_(session: Session, file: str, name: str | None, shared: bool) -> None:
    """Save a preset from a file as mine; one with the same name is replaced. “-” is stdin."""
    entry = preset_in(streams.read(file))
    viewing = {field: value for field, value in asdict(entry).items() if field != "name"}
    saved = _save_preset(session, name or _free(entry.name), viewing, shared=shared)
    session.print_result(saved, f"Imported the preset “{saved.name}” ({saved.id}).")


def _free(name: str) -> str:
    """The name in a file; the predefined names stay Podium's, so a copy of one says that it is one."""
    taken = {preset.name.casefold() for preset in PREDEFINED}
    return f"{name} (copy)" if name.casefold() in taken else name


def _viewing(session: Session, given: dict[str, Any]) -> dict[str, Any]:
    """The fields of a preset from the options."""
    viewing = asdict(PRESET.find(session, given["like"]).viewing)
    kinds: dict[str, Callable[[str], Any]] = {"layout": Layout, "sort": Sort, "density": Density}
    for name, kind in kinds.items():
        if word := given[name]:
            viewing[name] = None if word == AS_SET else kind(word.upper())
    if given["fields"]:
        viewing["fields"] = tuple(CardField(word.upper()) for word in given["fields"])
    if given["sections"]:
        viewing["sections"] = tuple(PhaseSection(word.upper()) for word in given["sections"])
    if given["filter"] is not None:
        viewing["filter"] = given["filter"]
    return viewing


def _save_preset(session: Session, name: str, viewing: dict[str, Any], *, shared: bool) -> Preset:
    """The preset, new or in the place of the one of this name."""
    menu = _menu(session)
    same = (each for each in menu.presets if each.shared == shared and each.own != shared)
    before = next((each.id for each in same if each.name.casefold() == name.strip().casefold()), None)
    kind: type[SavePreset | SharePreset] = SharePreset if shared else SavePreset
    seen = menu.versions[before] if before else None
    return session.execute(
        kind(project_id=session[PROJECT].id, name=name, preset_id=before, seen_version=seen, **viewing)
    )
