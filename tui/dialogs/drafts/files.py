"""The drafts of one person, each in a private file of the state folder of their account.

A draft belongs to a person of a workspace: the name of its file begins with a hash of both, so that a session as
another person neither reads nor removes it. It is written in a thread, because a disk can be slow, and a disk that
cannot be written only means that there is no draft.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from core.domain.model import Id
from core.files.state_files import read_state, state_file, write_state
from core.record import Record

MAX_AGE = 7 * 24 * 3600.0
"""Seconds for which a draft is kept."""

MAX_COUNT = 40
"""Most drafts of an account; older ones are removed."""

MAX_SIZE = 200_000
"""Most characters of a draft; of a longer text the last shorter draft stays."""


class KeptDraft(Record):
    """The input of a form: the texts and choices of the edited fields by name."""

    at: datetime
    fields: dict[str, Any]
    version: int | None
    """The version of the edited record as the person saw it; None for a form that adds something."""


class DraftFiles:
    """The drafts of one person of one workspace, ``place`` being its server or database."""

    def __init__(self, place: str, workspace_id: Id, user_id: Id) -> None:
        self._folder = state_file("drafts")
        self._person = _hash(place, workspace_id, user_id)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="podium-drafts")

    def read(self, form: str) -> KeptDraft | None:
        """Return the draft of a form; None if there is none, or if it is too old or damaged."""
        kept = read_state(self._path(form))
        try:
            at = datetime.fromisoformat(kept["at"])
            fields, version = kept["fields"], kept["version"]
            is_old = (datetime.now(UTC) - at).total_seconds() > MAX_AGE
        except (KeyError, TypeError, ValueError):
            return None
        if is_old or not isinstance(fields, dict) or not isinstance(version, int | None):
            return None
        return KeptDraft(at=at, fields=fields, version=version)

    def write(self, form: str, fields: dict[str, Any], version: int | None) -> None:
        """Keep a draft, soon and in another thread. Never raises."""
        kept = {"at": datetime.now(UTC).isoformat(), "version": version, "fields": fields}
        if len(json.dumps(fields)) <= MAX_SIZE:
            self._later(lambda: write_state(self._path(form), kept))

    def remove(self, form: str) -> None:
        """Remove the draft of a form, after what was written before. Never raises."""
        self._later(lambda: self._path(form).unlink(missing_ok=True))

    def remove_all(self) -> None:
        """Remove all drafts of the person, who was signed out. Never raises."""
        self._later(lambda: self._remove(f"{self._person}-*"))

    def prune(self) -> None:
        """Remove the old drafts of everyone on this account, and those beyond ``MAX_COUNT``. Never raises."""
        self._later(self._prune)

    def close(self) -> None:
        """Wait until all is written."""
        self._thread.shutdown()

    def _path(self, form: str) -> Path:
        return self._folder / f"{self._person}-{_hash(form)}.json"

    def _later(self, work: Callable[[], object]) -> None:
        def run() -> None:
            with contextlib.suppress(OSError):
                work()

        with contextlib.suppress(RuntimeError):  # the program ends, or no thread can be started
            self._thread.submit(run)

    def _remove(self, pattern: str) -> None:
        for path in self._folder.glob(pattern):
            path.unlink(missing_ok=True)

    def _prune(self) -> None:
        kept = sorted(self._dated(), reverse=True)
        for place, (written, path) in enumerate(kept):
            if place >= MAX_COUNT or time.time() - written > MAX_AGE:
                path.unlink(missing_ok=True)

    def _dated(self) -> Iterator[tuple[float, Path]]:
        """All files of the folder, unfinished ones of a process that was killed included."""
        for path in self._folder.iterdir() if self._folder.is_dir() else ():
            with contextlib.suppress(FileNotFoundError):  # another Podium has just removed it
                yield path.stat().st_mtime, path


def _hash(*words: str) -> str:
    return hashlib.sha256(json.dumps(words).encode()).hexdigest()[:24]
