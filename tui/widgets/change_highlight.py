"""Highlights of records that others have just changed, for a moment."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Set
from time import monotonic

from textual.message_pump import MessagePump
from textual.timer import Timer

from core.domain.model import Id

HIGHLIGHT_SECONDS = 1.6
"""Seconds of a highlight."""

STEP_SECONDS = 0.4
"""Fewest seconds between two steps in which highlights end, so that a burst ends together and needs one timer."""


class ChangeHighlight:
    """The highlights of a widget or a screen. Calls ``show`` with all highlighted ids after each change."""

    def __init__(self, owner: MessagePump, show: Callable[[Set[Id]], None]) -> None:
        self._owner = owner
        self._show = show
        self._until: dict[Id, float] = {}
        self._timer: Timer | None = None

    def light(self, ids: Iterable[Id]) -> None:
        """Highlight more ids; the time of those that are highlighted already starts again."""
        self._until |= dict.fromkeys(ids, monotonic() + HIGHLIGHT_SECONDS)
        self._wait()
        self._show(frozenset(self._until))

    def _wait(self) -> None:
        if self._until and self._timer is None:
            least = min(self._until.values()) - monotonic()
            self._timer = self._owner.set_timer(max(STEP_SECONDS, least), self._fade)

    def _fade(self) -> None:
        self._timer = None
        now = monotonic()
        self._until = {each: until for each, until in self._until.items() if until > now}
        self._wait()
        self._show(frozenset(self._until))
