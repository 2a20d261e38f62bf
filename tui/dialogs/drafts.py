"""Drafts: what a person typed into a form that closed without them, offered again in the same form.

Each is a private file in the state folder of their account, and belongs to a person of a workspace: its name begins
with a hash of both, so that a session as another person neither reads nor removes it. The name ends with the number of
the process that writes it: while that runs, no other terminal offers or removes the draft. It is written in a thread,
because a disk can be slow, and a disk that cannot be written only means that there is no draft.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual.timer import Timer

from core.domain.model import Id
from core.files.state_files import read_state, state_file, write_state
from core.record import Record
from tui.wording.times import now, when

if TYPE_CHECKING:
    from tui.dialogs.fields.row import FormRows

MAX_AGE = 7 * 24 * 3600.0
"""Seconds for which a draft is kept."""

MAX_COUNT = 40
"""Most drafts of an account; older ones are removed."""

MAX_SIZE = 200_000
"""Most characters of a draft; of a longer text the last shorter draft stays."""


NAME = re.compile(r"\.?[0-9a-f]{24}-[0-9a-f]{24}-[0-9]{1,10}\.json[.a-z0-9_]*")
"""The names of drafts: the person, the form and the process, and the ending of one that is being written."""

WRITTEN_AFTER = 0.4
"""Seconds from the first key to the writing of a draft, and between two writings while the person goes on typing."""

RESTORED = "Restored what you typed {}. ctrl+r discards it."
RESTORED_SHORT = "Restored, ctrl+r discards"
"""The same before a change of the record."""


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
        self._ids = (place, workspace_id, user_id)
        self._removed: set[str] = set()
        """The forms whose drafts were removed and not written again."""
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="podium-drafts")

    def read(self, form: str) -> KeptDraft | None:
        """Return the newest draft of a form whose process has ended; None without one that is whole and young."""
        if form in self._removed:  # which a disk that cannot be written may have kept
            return None
        return next(filter(None, map(_read, self._paths(form))), None)

    def write(self, form: str, fields: dict[str, Any], version: int | None) -> None:
        """Keep a draft, soon and in another thread. Never raises."""
        kept = {"at": datetime.now(UTC).isoformat(), "version": version, "fields": fields}
        self._removed.discard(form)
        if len(json.dumps(fields)) <= MAX_SIZE:
            own = f"{self._person}-{_hash(form)}-{os.getpid()}.json"
            self._later(lambda: write_state(self._folder / own, kept))

    def remove(self, form: str) -> None:
        """Remove the drafts of a form whose processes have ended, and its own. Never raises."""
        self._removed.add(form)
        self._later(lambda: _unlink(self._paths(form)))

    def remove_all(self) -> None:
        """Remove all drafts of the person, who was signed out. Never raises."""
        self._later(lambda: _unlink(self._drafts_of(f"{self._person}-")))

    def prune(self) -> None:
        """Remove the old drafts of everyone on this account, and those beyond ``MAX_COUNT``. Never raises."""
        self._later(self._prune)

    def close(self) -> None:
        """Wait until all is written."""
        self._thread.shutdown()

    @property
    def _person(self) -> str:
        """The first part of the names of the person's drafts."""
        return _hash(*self._ids)

    def _paths(self, form: str) -> list[Path]:
        """The drafts of a form, the newest first, without those of other processes that run."""
        found = [(at, path) for at, path in self._with_times(f"{self._person}-{_hash(form)}-") if _is_free(path)]
        return [path for _, path in sorted(found, reverse=True)]

    def _later(self, work: Callable[[], object]) -> None:
        def run() -> None:
            with contextlib.suppress(OSError):
                work()

        with contextlib.suppress(RuntimeError):  # the program ends, or no thread can be started
            self._thread.submit(run)

    def _prune(self) -> None:
        kept = sorted(self._with_times(""), reverse=True)
        for place, (written, path) in enumerate(kept):
            if place >= MAX_COUNT or time.time() - written > MAX_AGE:
                path.unlink(missing_ok=True)

    def _drafts_of(self, beginning: str) -> Iterator[Path]:
        """The drafts whose names begin so, unfinished ones of a process that was killed included; no other files."""
        try:
            found = [] if self._folder.is_symlink() else [*self._folder.iterdir()]
        except OSError:
            return
        yield from (path for path in found if NAME.fullmatch(path.name) and path.name.startswith(beginning))

    def _with_times(self, beginning: str) -> Iterator[tuple[float, Path]]:
        for path in self._drafts_of(beginning):
            with contextlib.suppress(OSError):  # another Podium has just removed it
                yield path.stat().st_mtime, path


def _unlink(paths: Iterable[Path]) -> None:
    for path in paths:
        path.unlink(missing_ok=True)


def _read(path: Path) -> KeptDraft | None:
    kept = read_state(path)
    try:
        at = datetime.fromisoformat(kept["at"])
        fields, version = kept["fields"], kept["version"]
        is_old = (datetime.now(UTC) - at).total_seconds() > MAX_AGE
    except (KeyError, TypeError, ValueError):
        return None
    if is_old or not isinstance(fields, dict) or not isinstance(version, int | None):
        return None
    return KeptDraft(at=at, fields=fields, version=version)


def _is_free(path: Path) -> bool:
    """True unless another process that runs writes this draft."""
    pid = int(path.name.split("-")[2].partition(".")[0])
    if pid == os.getpid():
        return True
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return True
    except OSError:
        return False
    return False


def _hash(*words: str) -> str:
    import hashlib

    return hashlib.sha256(json.dumps(words).encode()).hexdigest()[:24]


class FormDraft:
    """The draft of a form; it does nothing for a form about no record, and in a browser.

    A form is known by the record that it is about, the words of its button and the name of its first field, because its
    title can change with the name of the record.
    """

    def __init__(self, form: FormRows, about: Id) -> None:
        self._form = form
        self._about = about
        self._timer: Timer | None = None
        self._is_kept = False
        self._restored: KeptDraft | None = None
        self._at_first: dict[str, Any] = {}
        self.version: int | None = None
        """The version of the record when the restored text was typed; None if nothing was restored."""
        self._is_offered = False
        """True until the person goes on typing: a key could then discard more than the draft."""

    @property
    def _files(self) -> DraftFiles | None:
        return getattr(self._form.app, "drafts", None) if self._about else None

    @property
    def _name(self) -> str:
        return f"{self._about} {self._form.submit_words} {next((row.field.name for row in self._form.rows), '')}"

    @property
    def words(self) -> str:
        """The line that offers to discard the draft; empty without one, and once the person has gone on typing."""
        return RESTORED.format(when(self._restored.at, now())) if self._restored and self._is_offered else ""

    def restore(self) -> None:
        """Put the draft into the form, if there is one that says something else than the form."""
        files = self._files
        draft = files.read(self._name) if files else None
        if files is None or draft is None:
            return
        self._is_kept = True
        rows = [row for row in self._form.rows if row.field.name in draft.fields]
        for row in rows:
            row.restore(draft.fields[row.field.name])
        if any(row.was_edited for row in rows):
            self._restored, self._is_offered, self.version = draft, True, draft.version
            self._at_first = self._read_values()
            self._form.open_more({row.field.name for row in rows if row.was_edited})
        else:
            self.end()

    def discard(self) -> bool:
        """Show the form as it would be without the draft, and remove that. Return False if none was restored."""
        if self._restored is None or not self._is_offered:
            return False
        for row in self._form.rows:
            row.reset()
        self.end()
        return True

    def keep_soon(self) -> None:
        """Called after each key: keep what was typed, soon."""
        if self._is_offered and self._read_values() == self._at_first:
            return  # not a key: text areas post their first text too
        self._is_offered = False
        if self._files is not None and self._timer is None:
            self._timer = self._form.set_timer(WRITTEN_AFTER, self._write)

    def keep_now(self) -> None:
        """Called when the form closes by itself: keep what was not written yet."""
        if self._timer is not None:
            self._write()

    def end(self) -> None:
        """Called when the person has saved, cancelled or discarded: remove the draft."""
        if self._timer is not None:
            self._timer.stop()
        if self._files is not None and (self._is_kept or self._timer is not None):
            self._files.remove(self._name)
        self._timer = self._restored = self.version = None
        self._is_kept = self._is_offered = False

    def _read_values(self) -> dict[str, Any]:
        return {row.field.name: row.control.draft for row in self._form.rows if row.was_edited}

    def _write(self) -> None:
        typed = self._read_values()
        files = self._files
        if self._timer is not None:
            self._timer.stop()
        self._timer = None
        if files is None:
            return
        if typed:
            self._is_kept = True
            files.write(self._name, typed, self.version or self._form.seen_version)
        elif self._is_kept:
            files.remove(self._name)
