"""How many unread notices there are, for the title line, and the signal that a person wants when there are more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.errors import PodiumError

if TYPE_CHECKING:
    from tui.app import PodiumApp

OFF, BELL, DESKTOP = "off", "bell", "desktop"
"""The values of the preference "notify"."""


class InboxWatch:
    """Counts again after every change, by whomever; the count as it is at the start signals nothing."""

    def __init__(self, app: PodiumApp) -> None:
        self._app = app
        self._known = False
        self.unread = 0

    async def count(self) -> None:
        """Ask, and show and signal what is new. Never raises: what cannot be read shows where it is looked at."""
        from core.actions.inbox import CountInbox

        try:
            unread = await self._app.aside(CountInbox())
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
