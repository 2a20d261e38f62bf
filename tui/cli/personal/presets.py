"""``podium preset …``: what a project's views show, and how; chosen, saved, shared, handed on as files."""

from __future__ import annotations

import sys
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
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
from core.import_export.files import read_file, read_stream, write_file
from core.import_export.preset_file import preset_in, preset_text
from core.record import asdict
from core.text.phrases import in_words
from tui.cli import resolve
from tui.cli.output import OR_FORCE, say
from tui.cli.session import Session, in_workspace

STREAM = "-"
"""Stands for stdin or stdout where a file is named."""

AS_SET = "as-set"
"""The density of the person's settings."""


def _choice(kind: type[StrEnum], *more: str) -> click.Choice[str]:
    return click.Choice([*(each.lower() for each in kind), *more], case_sensitive=False)


def viewing_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """What a preset chooses; what is not given is as in the one after --like."""
    options: list[Callable[..., Any]] = [
        click.option("--like", default="OVERVIEW", metavar="PRESET", help="Begin with what this one shows."),
        click.option("--layout", type=_choice(Layout), help="The view that it opens."),
        click.option("--field", "fields", multiple=True, type=_choice(CardField), help="A card says this; repeat it."),
        click.option("--section", "sections", multiple=True, type=_choice(PhaseSection), help="Is shown; repeat it."),
        click.option("--filter", "filter_", metavar="TEXT", help="In the filter language, e.g. “assignee:me”."),
        click.option("--sort", type=_choice(Sort), help="The order of cards."),
        click.option("--density", type=_choice(Density, AS_SET), help="How much room a card takes."),
    ]
    for option in reversed(options):
        function = option(function)
    return function


class _ListedPreset(ViewPreset):
    """A preset as it is listed."""

    chosen: bool
    """Whether I look at the project with it."""


@click.group("preset")
def preset_() -> None:
    """Viewing presets: list, choose, save, share, remove, export, import."""


@preset_.command("list")
@click.argument("project")
@in_workspace
def list_(session: Session, project: str) -> None:
    """The presets one can look at a project with; * is the chosen one."""
    from core.codec.encoding import to_json

    menu = _menu(session, resolve.project_id(session, project))
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


@preset_.command("choose")
@click.argument("project")
@click.argument("preset", required=False)
@in_workspace
def choose(session: Session, project: str, preset: str | None) -> None:
    """Look at a project with a preset from now on; without one, with the default of my role."""
    project_id = resolve.project_id(session, project)
    found = _preset(session, project_id, preset) if preset else None
    session.execute(ActivatePreset(project_id=project_id, preset_id=found.id if found else ""))
    now = _menu(session, project_id)
    name = next(each.name for each in now.presets if each.id == now.chosen)
    session.done(None, f"You look at it with “{name}” now.")


@preset_.command("save")
@click.argument("project")
@click.argument("name")
@viewing_options
@in_workspace
def save(session: Session, project: str, name: str, **given: Any) -> None:
    """Save a preset of my own, for all my projects; one of this name is replaced."""
    project_id = resolve.project_id(session, project)
    saved = _saved(session, project_id, name, _viewing(session, project_id, given), shared=False)
    session.done(saved, f"Saved the preset “{saved.name}” ({saved.id}).")


@preset_.command("share")
@click.argument("project")
@click.argument("name")
@viewing_options
@in_workspace
def share(session: Session, project: str, name: str, **given: Any) -> None:
    """Share a preset with everyone on a project; one of this name is replaced."""
    project_id = resolve.project_id(session, project)
    saved = _saved(session, project_id, name, _viewing(session, project_id, given), shared=True)
    session.done(saved, f"Everyone on the project has the preset “{saved.name}” now ({saved.id}).")


@preset_.command("remove")
@click.argument("project")
@click.argument("preset")
@in_workspace
def remove(session: Session, project: str, preset: str) -> None:
    """Remove a preset of my own, or a shared one."""
    project_id = resolve.project_id(session, project)
    found = _preset(session, project_id, preset)
    if found.id in PREDEFINED_BY_ID:
        raise InvalidInput("preset", f"“{found.name}” is a preset of Podium, which stays.")
    kind = RemoveSharedPreset if found.shared else RemovePreset
    session.execute(kind(project_id=project_id, preset_id=found.id))
    session.done(None, f"Removed the preset “{found.name}”.")


@preset_.command("export")
@click.argument("project")
@click.argument("preset")
@click.option("-o", "--output", "file", default=STREAM, metavar="FILE", help="Where to; “-”, the default, is stdout.")
@click.option("--force", is_flag=True, help="Replace the file when it is there.")
@in_workspace
def export(session: Session, project: str, preset: str, file: str, force: bool) -> None:
    """A preset as a small JSON file."""
    found = _preset(session, resolve.project_id(session, project), preset)
    if file == STREAM:
        say(preset_text(found).rstrip("\n"))
        return
    write_file(Path(file), preset_text(found), replace=force, way_out=OR_FORCE)
    session.done({"file": file}, f"Exported “{found.name}” to {file}.")


@preset_.command("import")
@click.argument("project")
@click.argument("file", metavar="FILE")
@click.option("--name", help="Under this name instead of the one in the file.")
@click.option("--share", "shared", is_flag=True, help="For everyone on the project instead of for me.")
@in_workspace
def import_(session: Session, project: str, file: str, name: str | None, shared: bool) -> None:
    """A preset from a file as one of my own; one of this name is replaced. “-” is stdin."""
    project_id = resolve.project_id(session, project)
    entry = preset_in(read_stream(sys.stdin.buffer) if file == STREAM else read_file(Path(file)))
    viewing = {field: value for field, value in asdict(entry).items() if field != "name"}
    saved = _saved(session, project_id, name or _free(entry.name), viewing, shared=shared)
    session.done(saved, f"Imported the preset “{saved.name}” ({saved.id}).")


def _free(name: str) -> str:
    """The name in a file; the predefined names stay Podium's, so a copy of one says that it is one."""
    taken = {preset.name.casefold() for preset in PREDEFINED}
    return f"{name} (copy)" if name.casefold() in taken else name


def _menu(session: Session, project_id: str) -> PresetMenu:
    return session.query(ListPresets(project_id=project_id))


def _preset(session: Session, project_id: str, wanted: str) -> ViewPreset:
    """The preset that is meant by an id, a name, or the unique beginning of a name."""
    presets = _menu(session, project_id).presets
    return resolve.one_of("preset", wanted, presets, lambda each: (each.id, each.name))


def _viewing(session: Session, project_id: str, given: dict[str, Any]) -> dict[str, Any]:
    """The fields of a preset from the options."""
    viewing = asdict(_preset(session, project_id, given["like"]).viewing)
    kinds: dict[str, Callable[[str], Any]] = {"layout": Layout, "sort": Sort, "density": Density}
    for name, kind in kinds.items():
        if word := given[name]:
            viewing[name] = None if word == AS_SET else kind(word.upper())
    if given["fields"]:
        viewing["fields"] = tuple(CardField(word.upper()) for word in given["fields"])
    if given["sections"]:
        viewing["sections"] = tuple(PhaseSection(word.upper()) for word in given["sections"])
    if given["filter_"] is not None:
        viewing["filter"] = given["filter_"]
    return viewing


def _saved(session: Session, project_id: str, name: str, viewing: dict[str, Any], *, shared: bool) -> Preset:
    """The preset, new or in the place of the one of this name."""
    menu = _menu(session, project_id)
    same = (each for each in menu.presets if each.shared == shared and each.own != shared)
    before = next((each.id for each in same if each.name.casefold() == name.strip().casefold()), None)
    kind: type[SavePreset | SharePreset] = SharePreset if shared else SavePreset
    seen = menu.versions[before] if before else None
    return session.execute(kind(project_id=project_id, name=name, preset_id=before, seen_version=seen, **viewing))
