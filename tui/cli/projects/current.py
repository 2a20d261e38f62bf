"""``podium use``: the current project."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

import click

from core.actions.projects.lists import GetProject
from core.errors import InvalidInput, NotFound
from tui.cli import current_project
from tui.cli.message_command import flag, runs
from tui.cli.session import Session


@runs(
    "use",
    click.Argument(["project"], required=False),
    flag("--here", "Only in this folder and those below it."),
    flag("--clear", "Choose none."),
    ids=True,
)
def use_(session: Session, project: str | None, here: bool, clear: bool) -> None:
    """Choose the current project, for commands that name none; without PROJECT, show it."""
    folder = _this_folder() if here else current_project.EVERYWHERE
    where = f" in {folder} and below" if here else ""
    if project is not None and clear:
        raise InvalidInput("project", "Name a project or --clear, not both.")
    if project is not None:
        project_id = current_project.project_named(session, project).id
        chosen = session.query(GetProject(project_id=project_id)).project
        current_project.choose(session.config, folder, chosen.id)
        session.print_result(chosen, f"“{chosen.name}” is the current project{where}.")
    elif clear:
        current_project.choose(session.config, folder, None)
        sentences = [f"No project is chosen{where} any more.", *_describe_others(session)]
        session.print_result(None, *sentences)
    elif found := current_project.find_stored(session.config):
        chosen_for = "" if found[0] == current_project.EVERYWHERE else f" in {found[0]} and below"
        current = current_project.current_project(session)
        session.print_result(current, f"“{current.name}” is the current project{chosen_for}.")
    else:
        try:
            current = current_project.current_project(session)
        except InvalidInput:
            raise NotFound("No project is chosen. Choose one with “podium use PROJECT”.") from None
        session.print_result(current, f"“{current.name}” is your only project, so it is the current one.")


def _describe_others(session: Session) -> Iterator[str]:
    """The current project here now, if another choice remains."""
    found = current_project.find_stored(session.config)
    with contextlib.suppress(NotFound, InvalidInput):
        name = current_project.current_project(session).name
        if found is None:
            yield f"“{name}” is your only project, so it is still the current one."
        elif found[0] == current_project.EVERYWHERE:
            yield f"“{name}” is still chosen everywhere else, and so here."
        else:
            yield f"“{name}” is still chosen for {found[0]} and below: “podium use --here --clear” there ends that."


def _this_folder() -> str:
    try:
        return os.getcwd()
    except OSError as error:
        raise InvalidInput("here", f"This folder cannot be read: {error.strerror}.") from error
