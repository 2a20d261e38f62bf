"""The keys of projects. No two projects have the same key, and a former key goes on leading to its project.

A key that is not free says that some project has it, also one that the sender cannot see. So such answers are counted
(``core.engine.quotas``); when they are used up, the only key to be had does not depend on those that were wanted.
"""

from __future__ import annotations

from datetime import UTC
from hashlib import blake2b
from itertools import count, islice
from string import ascii_uppercase

from core.domain.model import Project, ProjectKey
from core.engine.quotas import MAX_REFUSED_KEYS, are_keys_used_up
from core.engine.unit_of_work import Snapshot, UnitOfWork
from core.errors import InvalidInput, RuleViolation
from core.storage.database import placeholders
from core.text import short_keys


def free_key(work: UnitOfWork, name: str, wanted: str = "") -> str:
    """Return the wanted key if no project has or had it, else the first free one for a project of this name.

    A name can be tried out in dry runs as a key can, so there its best key counts as wanted.
    """
    if are_keys_used_up(work):
        return _any_free_key(work, name)
    if wanted and not _find_taken(work, [wanted]):
        return wanted
    keys, size = short_keys.keys_for(name), 32
    tried = wanted or (next(short_keys.keys_for(name)) if work.is_dry_run else "")
    while batch := list(islice(keys, size)):
        taken = _find_taken(work, batch)
        if free := next((key for key in batch if key not in taken), None):
            if tried and tried != free:
                work.refused_keys.add(tried)
            return free
        size *= 4
    raise RuleViolation("The keys that begin like the name are taken. Choose a key for the project.")


def chosen_key(work: UnitOfWork, text: str, name: str, project: Project | None = None) -> str:
    """Return the key that a user chose for a project of this name, or for a new one. Raises InvalidInput."""
    key = short_keys.project_key(text)
    found = work.find(ProjectKey, key=key)
    if found and project and found.project_id == project.id:
        return key
    if are_keys_used_up(work):
        if key != (free := _any_free_key(work, name)):
            raise InvalidInput(
                "key",
                f"You chose {MAX_REFUSED_KEYS} keys today that were not free. Choose {free}, which is free, or wait "
                "until after midnight UTC.",
            )
    elif found:
        work.refused_keys.add(key)
        raise InvalidInput("key", f"Another project has or had the key {key}. Choose another one.")
    return key


def keep_key(work: UnitOfWork, project: Project) -> None:
    """Make the key of a project lead to it, as its former keys go on doing."""
    if work.find(ProjectKey, key=project.key) is None:
        work.insert(ProjectKey(key=project.key, project_id=project.id))


def _any_free_key(work: UnitOfWork, name: str) -> str:
    """Return a free key, the same for the sender and this name all day, which tells nothing of other keys."""
    for number in count():
        text = f"{work.actor.user_id} {work.now.astimezone(UTC):%F} {number} {name}"
        key = "".join(
            ascii_uppercase[each % 26] for each in blake2b(text.encode(), digest_size=short_keys.LONGEST).digest()
        )
        if not _find_taken(work, [key]):
            break
    return key


def _find_taken(view: Snapshot, keys: list[str]) -> set[str]:
    chosen, params = placeholders(keys)
    return {key for (key,) in view.tx.tuples(f"SELECT key FROM project_key WHERE key IN {chosen}", **params)}
