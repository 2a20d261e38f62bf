"""Asking an authorization service again and again what may be done on the visible screen, and telling the screen."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING

from core.domain.model import WORKSPACE
from core.errors import PodiumError
from tui.labels.permissions import is_certain, refused

if TYPE_CHECKING:
    from tui.services.host import Host, OpenScreen

RIGHTS_SECONDS = 5
"""How long the visible screen goes without asking the authorization service: as long as a grant is kept."""

UNCERTAIN_SECONDS = 2
"""The same, while the service has given no answer that counts."""


class PermissionRefresher:
    """One question at a time for each account, however long an answer takes; the local source is never asked."""

    def __init__(self, app: Host) -> None:
        self._app = app
        self._wanted = asyncio.Event()

    def ask_soon(self) -> None:
        """Ask for the visible screen now rather than at the next turn."""
        self._wanted.set()

    async def run(self) -> None:
        """Until the app ends."""
        while True:
            pause = RIGHTS_SECONDS if await self._ask() else UNCERTAIN_SECONDS
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._wanted.wait(), pause)
            self._wanted.clear()

    async def ask_for(self, screen: OpenScreen) -> None:
        """Ask now for the rights that the keys of a screen take."""
        asked = [screen.ask_rights()]
        if screen.project_id != WORKSPACE:
            asked.append(self._ask_own_rights())
        await asyncio.gather(*asked)

    async def _ask(self) -> bool:
        """Whether all is certain now."""
        screen = self._app.visible_screen
        if screen is None:
            return is_certain(self._app.me.authority)
        asked = [screen.ask_rights()]
        if screen.project_id != WORKSPACE and not is_certain(self._app.me.authority):
            asked.append(self._ask_own_rights())
        await asyncio.gather(*asked)
        return is_certain(screen.authority) and is_certain(self._app.me.authority)

    async def _ask_own_rights(self) -> None:
        """The rights on the workspace, while the visible screen is about a project."""
        from core.actions.permissions.permissions import GetMyPermissions

        try:
            rights = await self._app.aside(GetMyPermissions())
        except PodiumError as error:
            self._app.take_rights(frozenset(), refused(self._app.me.authority, error))
        else:
            self._app.take_rights(rights.held, rights.authority)
