"""The current project: the one that a command is about where none is named, for the user or in a folder.

Only ids are stored, in a private file of the state folder, so it tells nobody a name, and a project that was deleted or
left is simply not found any more.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Any

from core.actions.projects.find import FindProjects
from core.config import Config, place_of
from core.errors import InvalidInput, NotFound
from core.files.state_files import read_state, state_file, write_state
from core.rules.project_names import ProjectRef, names_of_project
from core.text.naming import the_one
from core.text.phrases import ULID_FORM
from tui.cli.session import Session

EVERYWHERE = "/"
"""The folder of the user's current project: every other folder is below it."""

MAX_FOLDERS = 1_000
"""Folders in the file; the oldest are dropped."""


def project_named(session: Session, name: str | None) -> ProjectRef:
    """One of my projects by its name, else the current one, else my only one. Raises NotFound and InvalidInput."""
    if name is None:
        return current_project(session)
    found = session.query(FindProjects(name=name)) or session.query(FindProjects())
    try:
        return the_one("project", name, found, names_of_project)
    except NotFound:
        if ULID_FORM.fullmatch(name):  # the id of a project of others is passed on, for the core to refuse
            return ProjectRef(id=name, name="")
        raise


def current_project(session: Session) -> ProjectRef:
    """The project of this folder or of the nearest one above it, else my only one. Raises NotFound, InvalidInput."""
    if chosen := find_stored(session.config):
        if found := session.query(FindProjects(name=chosen[1])):
            return found[0]
        raise NotFound(
            "The current project was deleted, or you are not on it any more. Choose another one with “podium use "
            "PROJECT”."
        )
    mine = session.query(FindProjects())
    if len(mine) == 1:
        return mine[0]
    raise InvalidInput(
        "project", "No project is named. Name it with -p PROJECT, or once and for all: “podium use PROJECT”."
    )


def find_stored(config: Config) -> tuple[str, str] | None:
    """The nearest folder, from this one upwards, for which a project is stored, and the id of the project."""
    folders = _folders(read_state(_file()), place_of(config))
    here = Path(EVERYWHERE)
    with contextlib.suppress(OSError):  # a folder that was deleted
        here = Path(os.getcwd())
    return next(((str(each), folders[str(each)]) for each in (here, *here.parents) if str(each) in folders), None)


def choose(config: Config, folder: str, project_id: str | None) -> None:
    """Store the current project of a folder and those below it, or with None remove it. Raises InvalidInput."""
    kept, place = read_state(_file()), place_of(config)
    folders = _folders(kept, place)
    folders.pop(folder, None)
    if project_id is not None:
        folders[folder] = project_id
    kept.pop(place, None)
    try:
        write_state(_file(), {**kept, place: dict([*folders.items()][-MAX_FOLDERS:])})
    except OSError as error:
        raise InvalidInput("project", f"{_file()} cannot be written: {error.strerror}.") from error


def _folders(kept: dict[str, Any], place: str) -> dict[str, str]:
    found = kept.get(place)
    if not isinstance(found, dict):
        return {}
    return {
        folder: chosen for folder, chosen in found.items() if isinstance(chosen, str) and ULID_FORM.fullmatch(chosen)
    }


def _file() -> Path:
    return state_file("current_projects.json")
