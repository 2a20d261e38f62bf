"""The keys of projects. No two projects have the same key, and a former key goes on leading to its project."""

from __future__ import annotations

from itertools import islice

from core.domain.model import Project, ProjectKey
from core.engine.unit_of_work import Snapshot, UnitOfWork
from core.errors import InvalidInput, RuleViolation
from core.storage.database import placeholders
from core.text import short_keys


def free_key(view: Snapshot, name: str, wanted: str = "") -> str:
    """Return the wanted key if no project has or had it, else the first free one for a project of this name."""
    if wanted and not _taken(view, [wanted]):
        return wanted
    keys, size = short_keys.keys_for(name), 32
    while batch := list(islice(keys, size)):
        taken = _taken(view, batch)
        if free := next((key for key in batch if key not in taken), None):
            return free
        size *= 4
    raise RuleViolation("The keys that begin like the name are taken. Choose a key for the project.")


def chosen_key(view: Snapshot, text: str, project: Project | None = None) -> str:
    """Return the key that a user chose for a project, or for a new one. Raises InvalidInput."""
    key = short_keys.project_key(text)
    found = view.find(ProjectKey, key=key)
    if found and (project is None or found.project_id != project.id):
        raise InvalidInput("key", f"Another project has or had the key {key}. Choose another one.")
    return key


def keep_key(work: UnitOfWork, project: Project) -> None:
    """Make the key of a project lead to it, as its former keys go on doing."""
    if work.find(ProjectKey, key=project.key) is None:
        work.insert(ProjectKey(key=project.key, project_id=project.id))


def _taken(view: Snapshot, keys: list[str]) -> set[str]:
    chosen, params = placeholders(keys)
    return {key for (key,) in view.tx.tuples(f"SELECT key FROM project_key WHERE key IN {chosen}", **params)}
