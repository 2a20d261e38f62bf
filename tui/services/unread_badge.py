"""The number of unread notifications in the title line, and a signal when it rises."""

from __future__ import annotations

import random

from textual.timer import Timer

from core.errors import PodiumError
from tui.services.host import Host
from tui.terminal.workers import start_worker

OFF, BELL, DESKTOP = "off", "bell", "desktop"
"""The values of the preference "notify"."""

SOON = (0.4, 0.8)
"""Range of the random delay in seconds from a change to the count, so that it includes later changes, and many
terminals do not ask at once, or while they read the change itself."""


class UnreadBadge:
    """Counts unread notifications, again after each change. The first count gives no signal."""

    def __init__(self, app: Host) -> None:
        self._app = app
        self._known = False
        self._timer: Timer | None = None
        self.unread = 0

    async def hear(self) -> None:
        """Handle a change: count at once the first time, later after a delay."""
        if not self._known:
            await self.count()
        elif self._timer is None:
            self._timer = self._app.set_timer(random.uniform(*SOON), self._count_now)  # noqa: S311 (a waiting time)

    def _count_now(self) -> None:
        self._timer = None
        start_worker(self._app, self.count, group="inbox")

    async def count(self) -> None:
        """Read the number, show it, and signal a rise. Never raises: without an answer the number stays."""
        from core.actions.personal.inbox import CountUnread

        try:
            unread = await self._app.aside(CountUnread())
        except PodiumError:
            return
        more, self.unread = unread > self.unread and self._known, unread
        if unread or self._known:
            self._app.show_titles()
        self._known = True
        if more:
            self._signal(unread)

    def _signal(self, unread: int) -> None:
        wanted = self._app.me.preferences.get("notify", OFF)
        if wanted == OFF:
            return
        if wanted == DESKTOP and self._app.via != "browser":
            self._app.write_to_terminal(desktop(unread))
        self._app.bell()


def desktop(unread: int) -> str:
    """The escape sequence OSC 9 for a desktop notification; only with the number, because titles are user text."""
    return f"\x1b]9;Podium: {unread} unread in the inbox\x07"
