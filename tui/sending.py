"""Sending commands: the saved state is kept true, and the person is asked where only they can say how to go on."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

from core.errors import StorageError, VersionConflict, WouldRelock
from core.messages import Command
from core.progress import UNWATCHED, Progress
from tui.conflicts import Conflicts

if TYPE_CHECKING:
    from tui.app import PodiumApp

R = TypeVar("R")

SAVING_SHOWN_AFTER = 0.15
"""Seconds before "saving" is shown: a change that is on disk sooner would only flicker."""


class Sending:
    """Hands commands to the backend, for the whole app."""

    def __init__(self, app: PodiumApp) -> None:
        self._app = app
        self.conflicts = Conflicts(app)

    async def send_once(self, command: Command[R], progress: Progress = UNWATCHED) -> R:
        """Carry out a command and keep the saved state true. Raises PodiumError."""
        app = self._app
        app.saving.begin()
        slow = asyncio.get_running_loop().call_later(SAVING_SHOWN_AFTER, app.show_titles)
        fault = ""
        try:
            return await app.backend.execute(command, progress)
        except StorageError as error:
            fault = str(error)
            raise
        finally:
            slow.cancel()
            changed = app.saving.fault != fault
            app.saving.end(fault)
            if changed:
                app.show_titles()

    async def send(self, command: Command[R], progress: Progress = UNWATCHED) -> R:
        """The same; when it comes too late, both versions are put to the person. Raises PodiumError."""
        command = self.conflicts.prepared(command)
        try:
            return await self.send_once(command, progress)
        except VersionConflict as error:
            return await self.conflicts.settle(command, error)

    async def send_or_ask(self, command: Command[Any]) -> Any:
        """The same; a refusal that asks for consent is put to the person, and None when they decline."""
        try:
            return await self.send(command)
        except WouldRelock as error:
            if not await self._accepts_relock(error):
                return None
            return await self.send(replace(cast(Any, command), relock=True))

    async def ask_relock(self, command: Command[Any], error: WouldRelock) -> None:
        """Perform a command all the same, if the person accepts what it does to later phases."""
        if await self._accepts_relock(error):
            await self._app.perform(replace(cast(Any, command), relock=True))

    async def _accepts_relock(self, error: WouldRelock) -> bool:
        from tui.dialogs.confirm import ConfirmDialog

        return await self._app.ask(ConfirmDialog("Later phases lock again", str(error), "Do it"))
