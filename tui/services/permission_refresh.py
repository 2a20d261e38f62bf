"""Asking the authorization service again and again for the permissions on the visible screen."""

from __future__ import annotations

import asyncio
import contextlib

from core.domain.model import WORKSPACE
from core.errors import PodiumError
from tui.services.host import Host, OpenScreen
from tui.wording.permissions import is_certain, state_after_refusal

RIGHTS_SECONDS = 5
"""Seconds between two questions, as long as a grant is cached."""

UNCERTAIN_SECONDS = 2
"""Seconds between two questions while the service does not answer."""


class PermissionRefresher:
    """Asks one question at a time per account. The local source is never asked."""

    def __init__(self, app: Host) -> None:
        self._app = app
        self._wanted = asyncio.Event()

    def ask_soon(self) -> None:
        """Ask for the visible screen's permissions without waiting for the next turn."""
        self._wanted.set()

    async def run(self) -> None:
        """Ask again and again until the app ends."""
        while True:
            pause = RIGHTS_SECONDS if await self._ask() else UNCERTAIN_SECONDS
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._wanted.wait(), pause)
            self._wanted.clear()

    async def ask_for(self, screen: OpenScreen) -> None:
        """Ask for the permissions that the keys of a screen need."""
        asked = [screen.access.ask()]
        if screen.project_id != WORKSPACE:
            asked.append(self._ask_own_rights())
        await asyncio.gather(*asked)

    async def _ask(self) -> bool:
        """Ask for the visible screen's permissions. Return True if the source has answered and can be reached."""
        screen = self._app.visible_screen
        if screen is None:
            return is_certain(self._app.me.authority)
        asked = [screen.access.ask()]
        if screen.project_id != WORKSPACE and not is_certain(self._app.me.authority):
            asked.append(self._ask_own_rights())
        await asyncio.gather(*asked)
        return is_certain(screen.access.authority) and is_certain(self._app.me.authority)

    async def _ask_own_rights(self) -> None:
        """Ask for the user's permissions on the workspace."""
        from core.actions.permissions.permissions import GetMyPermissions

        try:
            rights = await self._app.aside(GetMyPermissions())
        except PodiumError as error:
            self._app.take_rights(frozenset(), state_after_refusal(self._app.me.authority, error))
        else:
            self._app.take_rights(rights.held, rights.authority)
