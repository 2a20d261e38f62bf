"""What others have just changed is lit for a moment: which cards are, and until when."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Set
from time import monotonic

from textual.message_pump import MessagePump
from textual.timer import Timer

from core.domain.model import Id

GLOW_SECONDS = 1.6
"""How long something is lit."""

STEP_SECONDS = 0.4
"""How far apart lights go out at the least: what came in a burst goes together, and one timer does for all."""


class ChangeHighlight:
    """Lights of a widget or a screen. ``show`` is called with all that are lit whenever that differs."""

    def __init__(self, owner: MessagePump, show: Callable[[Set[Id]], None]) -> None:
        self._owner = owner
        self._show = show
        self._until: dict[Id, float] = {}
        self._timer: Timer | None = None

    def light(self, ids: Iterable[Id]) -> None:
        """Light some more; what is lit already stays so for longer."""
        self._until |= dict.fromkeys(ids, monotonic() + GLOW_SECONDS)
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
