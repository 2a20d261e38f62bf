"""Reading a screen's query: one read at a time, its errors shown, and one more try where the database failed."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from functools import partial

from core.domain.model import WORKSPACE
from core.errors import (
    AuthorizationUnavailable,
    Forbidden,
    NotFound,
    PodiumError,
    ServerUnavailable,
    StorageError,
    Unauthenticated,
)
from tui.screens.framework.access import Access
from tui.screens.framework.controller import OwnerScreen, while_open
from tui.terminal.workers import start_worker
from tui.wording.permissions import ASKING

SOON = (1.0, 2.0)
"""Seconds from news whose read failed to one more try, spread because many screens hear the same news."""


class Reading:
    """The reads of one screen."""

    def __init__(self, screen: OwnerScreen, access: Access) -> None:
        self._screen, self._access = screen, access
        self.done: list[Callable[[], None]] = []
        """Called when the screen was read."""
        self._turn = asyncio.Lock()
        """Held while the screen is read: an older answer that came last would be drawn over a newer one."""
        self._begun = 0
        """Number of reads that have begun."""
        self._drawn = 0
        """Number of the read that was drawn last."""
        self.has_data = False
        """Whether there is something to show, however old."""
        self.is_partial = False
        """True while the screen shows the first part of what it reads; the rest is read right after."""

    async def read(self, *, unasked: bool = False, last: bool = False) -> bool:
        """Call the screen's ``reload`` with its errors shown; whether it was read.

        ``unasked``: not wanted by the user, so that an absent server is left to the title line, and a read that the
        database failed is tried once more. ``last``: that second try.
        """
        screen = self._screen
        if not screen.is_mounted:  # it has no widgets yet, and reads when it appears
            return False
        if self._access.authority.pending and screen.shows_data:
            self._access.hide(AuthorizationUnavailable(ASKING, correlation_id=""))
            screen.show_titles()
            return False
        wanted_after = self._begun
        async with self._turn:
            if self._drawn > wanted_after:  # by a read that began while this one waited for its turn
                return True
            read = await self._read_and_show(unasked, last)
        screen.show_titles()
        return read

    async def read_rest(self) -> bool:
        """Read all where only the first part is shown; whether all is shown."""
        async with self._turn:
            if self.is_partial and await self._read_and_show(unasked=False, last=False):
                self._screen.show_titles()
        return not self.is_partial

    async def read_again(self) -> None:
        """Read because the user asks for it, and say so."""
        if await self.read():
            self._screen.podium.toast("Refreshed.")

    async def _read_and_show(self, unasked: bool, last: bool) -> bool:
        screen = self._screen
        self._begun += 1
        number = self._begun
        try:
            with while_open(screen):
                await screen.reload()
        except (AuthorizationUnavailable, Forbidden, Unauthenticated) as error:
            if isinstance(error, Unauthenticated):
                screen.podium.forget_drafts()
            self._access.hide(error)
        except PodiumError as error:
            await self._show_error(error, unasked, last)
        else:
            self._access.show()
            self._drawn = number
            self.has_data = screen.is_alive
            for heard in self.done:
                heard()
            return screen.is_alive
        return False

    async def _show_error(self, error: PodiumError, unasked: bool, last: bool) -> None:
        screen = self._screen
        tries_again = unasked and not last and isinstance(error, StorageError)
        if tries_again:
            screen.set_timer(random.uniform(*SOON), self._once_more)  # noqa: S311 (a waiting time)
        if isinstance(error, NotFound) and await self.project_is_gone():
            self._access.hide(self._of_deleted_project())
        elif isinstance(error, StorageError) and not self.has_data:
            self._access.hide(error)
        elif not tries_again and not (unasked and isinstance(error, ServerUnavailable)):
            screen.podium.show_error(error)

    def _once_more(self) -> None:
        if self._screen.podium.visible_screen is self._screen:  # any other reads when it is seen again
            again = partial(self.read, unasked=True, last=True)
            start_worker(self._screen, again, group="news")

    async def project_is_gone(self) -> bool:
        """True if the project of this screen is not there for the user any more, rather than one record of it."""
        from core.actions.permissions.permissions import GetMyPermissions

        try:
            if self._screen.project_id != WORKSPACE:
                await self._screen.podium.query(GetMyPermissions(project_id=self._screen.project_id))
        except NotFound:
            return True
        except PodiumError:
            pass
        return False

    def _of_deleted_project(self) -> NotFound:
        name = self.project_name()
        what = f"“{name}”" if name else "This project"
        return NotFound(f"{what} was deleted for good, or you are not a member of it any more.")

    def project_name(self) -> str:
        """The name of the project as this or another open screen read it; empty where none did."""
        screen = self._screen
        same = (other for other in (screen, *screen.podium.open_screens) if other.project_id == screen.project_id)
        return next(filter(None, (other.project_name for other in same)), "")
