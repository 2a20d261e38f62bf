"""Sending commands: keeps the save status up to date, and asks the user about conflicts and for consent."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeVar, cast

from core.engine.messages import Command
from core.errors import StorageError, UndoTooOld, VersionConflict, WouldRelockPhases
from core.record import replace
from core.storage.progress import NO_PROGRESS, Progress
from tui.labels.times import when
from tui.services.conflict_resolver import ConflictResolver

if TYPE_CHECKING:
    from core.actions.history.history import RevertCommand
    from tui.services.host import Host

R = TypeVar("R")

JUST_NOW = timedelta(minutes=10)
"""The time in which users remember their last change, so its time is not shown."""

SAVING_SHOWN_AFTER = 0.15
"""Seconds before "saving" is shown, so that it does not flicker for a quick change."""


class CommandSender:
    """Sends commands to the backend, for the whole app."""

    def __init__(self, app: Host) -> None:
        self._app = app
        self.conflicts = ConflictResolver(app)
        self.undone = 0
        """How many changes in a row the user has undone, which redo brings back one by one."""

    async def send_once(self, command: Command[R], progress: Progress = NO_PROGRESS) -> R:
        """Carry out a command and update the save status. Raises PodiumError."""
        app = self._app
        app.saving.begin()
        slow = asyncio.get_running_loop().call_later(SAVING_SHOWN_AFTER, app.show_titles)
        fault, refused = "", True
        try:
            result = await app.backend.execute(command, progress)
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
            if not await self._accepts(error):
                return None
            return await self.send(_consenting(command, error))

    async def ask_consent(self, command: Command[Any], error: WouldRelockPhases | UndoTooOld) -> None:
        """Perform a refused command with the user's consent: it locks later phases again, or undoes an old change."""
        from core.actions.history.history import Redo, RevertCommand

        if await self._accepts(error, "Redo it" if isinstance(command, Redo) else "Undo it"):
            again = _consenting(command, error)
            await (self.revert(again) if isinstance(again, RevertCommand) else self._app.perform(again))

    async def revert(self, command: RevertCommand) -> None:
        """Undo or redo a change, and show its summary, with its time unless it is recent."""
        from core.actions.history.history import Undo

        undone = self.undone
        change = await self._app.perform(command)
        if change is None:
            return
        self.undone = undone + 1 if isinstance(command, Undo) else max(0, undone - 1)
        self._app.show_titles()
        now = datetime.now(UTC)
        at = f" ({when(change.at, now)})" if now - change.at > JUST_NOW else ""
        if isinstance(command, Undo):
            self._app.toast(f"Undone: {change.summary}{at}. U to redo.")
        else:
            self._app.toast(f"Redone: {change.summary}{at}. u to undo.")

    async def _accepts(self, error: WouldRelockPhases | UndoTooOld, reverting: str = "Undo it") -> bool:
        from tui.dialogs.confirm import ConfirmDialog

        if isinstance(error, WouldRelockPhases):
            return await self._app.ask(ConfirmDialog("Lock later phases again?", str(error), "Continue"))
        return await self._app.ask(ConfirmDialog(error.title, str(error), reverting))


def _consenting(command: Command[Any], error: WouldRelockPhases | UndoTooOld) -> Command[Any]:
    """The same command, with consent to the consequence for which it was refused."""
    accepted: dict[str, Any] = {"seq": error.seq} if isinstance(error, UndoTooOld) else {"relock": True}
    return cast(Command[Any], replace(cast(Any, command), **accepted))
