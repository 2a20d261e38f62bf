"""The number of unread notifications for the title line, and the signal when there are more."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from textual.timer import Timer

from core.errors import PodiumError

if TYPE_CHECKING:
    from tui.services.host import Host

OFF, BELL, DESKTOP = "off", "bell", "desktop"
"""The values of the preference "notify"."""

SOON = (0.4, 0.8)
"""Seconds from a change to the count: what changes meanwhile is in it, and of many who hear of it not all ask at once,
and none while the others' pictures of the change are made."""


class UnreadBadge:
    """Counts again after changes, by whomever; the count as it is at the start signals nothing."""

    def __init__(self, app: Host) -> None:
        self._app = app
        self._known = False
        self._timer: Timer | None = None
        self.unread = 0

    async def hear(self) -> None:
        """Something changed. The first count is made now, others soon."""
        if not self._known:
            await self.count()
        elif self._timer is None:
            self._timer = self._app.set_timer(random.uniform(*SOON), self._count_now)  # noqa: S311 (a waiting time)

    def _count_now(self) -> None:
        self._timer = None
        self._app.run_worker(self.count, group="inbox")

    async def count(self) -> None:
        """Ask, and show and signal what is new. Never raises: what cannot be read shows where it is looked at."""
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
    """OSC 9, which terminals show as a notification of the desktop; a number alone, since titles are people's text."""
    return f"\x1b]9;Podium: {unread} unread in the inbox\x07"
