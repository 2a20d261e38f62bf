"""Sending commands: keeps the save status up to date, and asks the user about conflicts and for consent."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar, cast

from core.engine.messages import Answered, Command, Query
from core.errors import StorageError, VersionConflict, WouldBlockCards, WouldRelockPhases
from core.record import replace
from core.storage.progress import NO_PROGRESS, Progress

if TYPE_CHECKING:
    from tui.services.conflict_resolver import ConflictResolver
    from tui.services.host import Host

R = TypeVar("R")

SAVING_SHOWN_AFTER = 0.15
"""Seconds before "saving" is shown, so that it does not flicker for a quick change."""


class CommandSender:
    """Sends commands to the backend, for the whole app."""

    def __init__(self, app: Host) -> None:
        self._app = app
        self.undone = 0
        """The number of changes that the user has undone in a row, which redo brings back."""

    @cached_property
    def conflicts(self) -> ConflictResolver:
        """Resolves a version conflict with the user."""
        from tui.services.conflict_resolver import ConflictResolver

        return ConflictResolver(self._app)

    async def send_once(self, command: Command[R], progress: Progress = NO_PROGRESS) -> R:
        """Carry out a command and update the save status. Raises PodiumError."""
        return await self._saving(command, self._app.backend.execute(command, progress))

    async def send_and_ask(self, command: Command[R], query: Query[Any]) -> tuple[R, Answered | None]:
        """Carry out a command as ``send_once`` does, and answer a query as of its commit. Raises PodiumError."""
        answered: Answered | None = None

        async def execute() -> R:
            nonlocal answered
            result, answered = await self._app.backend.execute_and_ask(command, query)
            return result

        return await self._saving(command, execute()), answered

    async def _saving(self, command: Command[R], execution: Awaitable[R]) -> R:
        app = self._app
        app.saving.begin()
        slow = asyncio.get_running_loop().call_later(SAVING_SHOWN_AFTER, app.show_titles)
        fault, refused = "", True
        try:
            result = await execution
            refused, self.undone = False, 0
            app.tour.carried_out(command, result)
            return result
        except StorageError as error:
            fault = str(error)
            raise
        finally:
            slow.cancel()
            changed = refused or app.saving.fault != fault  # after a refusal, a question can be shown next
            app.saving.end(fault)
            if changed:
                app.show_titles()

    async def send(self, command: Command[R], progress: Progress = NO_PROGRESS) -> R:
        """Carry out a command; at a version conflict, ask the user to choose a version. Raises PodiumError."""
        command = self.conflicts.prepared(command)
        try:
            return await self.send_once(command, progress)
        except VersionConflict as error:
            return await self.conflicts.settle(command, error)

    async def send_or_ask(self, command: Command[Any]) -> Any:
        """Carry out a command; ask the user if it needs consent, return None if they decline. Raises PodiumError."""
        try:
            return await self.send(command)
        except WouldRelockPhases as error:
            if not await self.accepts_relock(error):
                return None
            return await self.send(_consenting(command))

    async def ask_consent(self, command: Command[Any], error: WouldRelockPhases) -> None:
        """Perform a refused command with the user's consent that later phases lock again."""
        if await self.accepts_relock(error):
            await self._app.perform(_consenting(command))

    async def accepts_relock(self, error: WouldRelockPhases) -> bool:
        """Ask whether later phases may lock again, or cards be blocked again."""
        from tui.dialogs.confirm import ConfirmDialog

        title = "Block cards again?" if isinstance(error, WouldBlockCards) else "Lock later phases again?"
        return await self._app.ask(ConfirmDialog(title, str(error), "Continue"))


def _consenting(command: Command[Any]) -> Command[Any]:
    """The same command, which may lock later phases again."""
    return cast(Command[Any], replace(cast(Any, command), relock=True))
