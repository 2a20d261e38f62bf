"""Projects by id, name or the beginning of a name, as a user types them and as printed commands name them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from core.domain.model import WORKSPACE, Id
from core.engine.unit_of_work import Snapshot
from core.record import Record
from core.text.sanitize import sanitized

T = TypeVar("T")

Names = Callable[[T], tuple[str, ...]]
"""Returns the id of a candidate first, then its names."""


class ProjectRef(Record):
    """The id and the name of a project."""

    id: Id
    name: str


def names_of_project(project: ProjectRef) -> tuple[str, ...]:
    return project.id, project.name


def my_project_names(view: Snapshot) -> list[ProjectRef]:
    rows = view.rows(
        "SELECT id, name FROM project WHERE id IN (SELECT project_id FROM member WHERE user_id = :me)"
        " ORDER BY name, id",
        me=view.actor.user_id,
    )
    return [ProjectRef(id=row["id"], name=row["name"]) for row in rows]


def meant(wanted: str, candidates: Iterable[T], names: Names[T]) -> list[T]:
    """Return the candidates that ``wanted`` names. The first of these ways that finds any is the only one used.

    An id; an exact name; an id or a name in any case; the beginning of a name in any case.
    """
    every = [(each, names(each)) for each in candidates]
    word = wanted.strip()
    folded = word.casefold()
    ways: tuple[Callable[[tuple[str, ...]], bool], ...] = (
        lambda called: called[0] == word,
        lambda called: word in called[1:],
        lambda called: any(name.casefold() == folded for name in called),
        lambda called: bool(folded) and any(name.casefold().startswith(folded) for name in called[1:]),
    )
    for fits in ways:
        if found := [each for each, called in every if fits(called)]:
            return found
    return []


def argument_for(chosen: T, candidates: Iterable[T], names: Names[T]) -> str:
    """Return the argument for ``chosen`` in a command that Podium prints, not yet quoted for a shell.

    It is the first name that does not look like an option, can be printed between “ and ”, and by which ``meant`` finds
    only ``chosen``; else the id.
    """
    every = list(candidates)
    called = names(chosen)
    for name in called[1:]:
        is_plain = name and name[0] != "-" and name == sanitized(name).strip() and not set(name) & set("“”\n")
        if is_plain and [names(each)[0] for each in meant(name, every, names)] == [called[0]]:
            return name
    return called[0]


def argument_for_project(view: Snapshot, project_id: Id) -> str:
    """Return the argument for one of my projects in a command that Podium prints; for the workspace its option."""
    if project_id == WORKSPACE:
        return "--workspace"
    mine = my_project_names(view)
    chosen = next((each for each in mine if each.id == project_id), None)
    return argument_for(chosen, mine, names_of_project) if chosen else project_id
