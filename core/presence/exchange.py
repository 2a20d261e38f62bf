"""Presence across the servers of one database: each puts the entries of its own users as notes, and reads the others'.

A thread does both, so no request waits for it. With one program on the database there is nothing to exchange.
"""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable
from datetime import datetime, timedelta

from core.errors import StorageError
from core.presence.presence import Presence, PresenceEntry, PresenceLocation, Terminal
from core.storage.database import Database, Note, Notes

GATHER_SECONDS = 0.1
"""Seconds between two exchanges at least, so that many steps of a cursor are one note."""


class PresenceExchange:
    """Shares a register of presence with the other servers, between ``start`` and ``stop``."""

    def __init__(self, database: Database, presence: Presence, clock: Callable[[], datetime]) -> None:
        self._presence = presence
        self._clock = clock
        self._notes = database.notes()
        self._woken = threading.Event()
        self._over = threading.Event()
        self._unsent: dict[Terminal, PresenceEntry | None] = {}
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Start the thread once, if the database has notes."""
        if self._notes is not None and self._thread is None:
            self._woken.set()
            self._presence.share(self._woken.set)
            self._thread = threading.Thread(target=self._run, args=[self._notes], name="podium-presence", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Tell the other servers that the users of this one have left, and end the thread."""
        self._over.set()
        self._woken.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self, notes: Notes) -> None:
        end = notes.on_note(self._woken.set)
        try:
            while not self._over.wait(GATHER_SECONDS):
                self._woken.wait(notes.look_seconds)
                self._woken.clear()
                with contextlib.suppress(StorageError):  # the next message reports it, and the next round sends all
                    self._exchange(notes)
            self._presence.leave_all()
            with contextlib.suppress(StorageError):
                self._send(notes)
        finally:
            end()

    def _exchange(self, notes: Notes) -> None:
        self._send(notes)
        for note in notes.read():
            noted_at = self._clock() - timedelta(seconds=note.age)
            self._presence.receive(*_terminal(note), _entry(note, noted_at), note.program, noted_at)

    def _send(self, notes: Notes) -> None:
        self._unsent |= self._presence.take()
        if self._unsent:
            notes.put({json.dumps(terminal): _text(entry) for terminal, entry in self._unsent.items()})
            self._unsent = {}


def _text(entry: PresenceEntry | None) -> str:
    if entry is None:
        return ""
    place = entry.place
    parts = (
        place.project_id,
        place.card_id,
        place.phase_id,
        entry.via,
        entry.since.isoformat(),
        entry.moved.isoformat(),
    )
    return json.dumps(parts)


def _terminal(note: Note) -> Terminal:
    user_id, terminal = json.loads(note.key)
    return user_id, terminal


def _entry(note: Note, noted_at: datetime) -> PresenceEntry | None:
    """The entry in a note; None for one that was taken back. Its age counts, since clocks of servers may differ."""
    if not note.text:
        return None
    project_id, card_id, phase_id, via, since, moved = json.loads(note.text)
    return PresenceEntry(
        user_id=_terminal(note)[0],
        place=PresenceLocation(project_id=project_id, card_id=card_id, phase_id=phase_id),
        via=via,
        since=datetime.fromisoformat(since),
        moved=datetime.fromisoformat(moved),
        heard=noted_at,
        server=note.program,
    )
