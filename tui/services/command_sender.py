"""Sending commands: keeps the save status up to date, and asks the user about conflicts and for consent."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar, cast

from core.engine.messages import Answered, Command, Query
from core.errors import (
    DatabaseAway,
    LapsesApproval,
    PodiumError,
    StorageError,
    VersionConflict,
    WouldBlockCards,
    WouldRelockPhases,
)
from core.record import fields, replace
from core.storage.progress import NO_PROGRESS, Progress
from core.text.phrases import names
from tui.services.host import Host
from tui.services.save_status import SaveStatus
from tui.services.tour import Tour

if TYPE_CHECKING:
    from tui.services.conflict_resolver import ConflictResolver

R = TypeVar("R")

SAVING_SHOWN_AFTER = 0.15
"""Seconds before "saving" is shown, so that it does not flicker for a quick change."""


class CommandSender:
    """Sends commands to the backend, for the whole app."""

    def __init__(self, app: Host, saving: SaveStatus, tour: Tour) -> None:
        self._app, self._saving, self._tour = app, saving, tour
        self.undone = 0
        """The number of changes that the user has undone in a row, which redo brings back."""

    @cached_property
    def conflicts(self) -> ConflictResolver:
        """Resolves a version conflict with the user."""
        from tui.services.conflict_resolver import ConflictResolver

        return ConflictResolver(self._app)

    async def send_once(self, command: Command[R], progress: Progress = NO_PROGRESS) -> R:
        """Carry out a command and update the save status. Raises PodiumError."""
        return await self._send_and_show(command, self._app.backend.execute(command, progress))

    async def send_and_ask(self, command: Command[R], query: Query[Any]) -> tuple[R, Answered | None]:
        """Carry out a command as ``send_once`` does, and answer a query as of its commit. Raises PodiumError."""
        answered: Answered | None = None

        async def execute() -> R:
            nonlocal answered
            result, answered = await self._app.backend.execute_and_ask(command, query)
            return result

        return await self._send_and_show(command, execute()), answered

    async def _send_and_show(self, command: Command[R], execution: Awaitable[R]) -> R:
        saving, show_titles = self._saving, self._app.show_titles
        saving.begin()
        slow = asyncio.get_running_loop().call_later(SAVING_SHOWN_AFTER, show_titles)
        fault, passes, refused = "", False, True
        try:
            result = await execution
            refused, self.undone = False, 0
            if self._tour.is_on:
                self._tour.carried_out(command, result)
            return result
        except StorageError as error:
            fault, passes = str(error), isinstance(error, DatabaseAway)
            raise
        finally:
            slow.cancel()
            changed = refused or saving.fault != fault  # after a refusal, a question can be shown next
            saving.end(fault, passes=passes)
            if changed:
                show_titles()

    async def send(self, command: Command[R], progress: Progress = NO_PROGRESS) -> R:
        """Carry out a command; at a version conflict, ask the user to choose a version. Raises PodiumError."""
        command = self.conflicts.merge_seen(command)
        try:
            return await self.send_once(command, progress)
        except VersionConflict as error:
            return await self.conflicts.settle(command, error)

    async def send_or_ask(self, command: Command[Any], progress: Progress = NO_PROGRESS) -> Any:
        """Carry out a command; ask the user if it needs consent, return None if they decline. Raises PodiumError."""
        try:
            return await self.send(command, progress)
        except WouldRelockPhases as error:
            again = await self.obtain_consent(command, error)
            return None if again is None else await self.send(again, progress)

    async def ask_consent(self, command: Command[Any], error: WouldRelockPhases) -> None:
        """Perform a refused command with the user's consent."""
        again = await self.obtain_consent(command, error)
        if again is not None:
            await self._app.perform(again)

    async def obtain_consent(self, command: Command[R], error: WouldRelockPhases) -> Command[R] | None:
        """Ask for consent to what a command was refused for. Return the command with it; None if there is none.

        A user who cannot agree to the end of an approval can ask those who can.
        """
        from tui.dialogs.confirm import ConfirmDialog
        from tui.dialogs.consent import ReasonDialog

        if isinstance(error, LapsesApproval) and not error.can_allow:
            await self._ask_deciders(command, error)
            return None
        if isinstance(error, LapsesApproval):
            reason = await self._app.ask(ReasonDialog(error.title, str(error), error.who_can))
            return _with(command, allow_lapse=reason) if reason else None
        blocks = isinstance(error, WouldBlockCards)
        title = "Block cards again?" if blocks else "Lock later phases again?"
        button = "Reopen and block" if blocks else "Reopen and lock"
        if not await self._app.ask(ConfirmDialog(title, str(error), button)):
            return None
        return _relocking(command)

    async def _ask_deciders(self, command: Command[Any], error: LapsesApproval) -> None:
        """Offer to ask those who can decide at the gate."""
        from core.actions.cards.ask import AskForConsent
        from tui.dialogs.consent import AskDialog

        if not error.who_can or not await self._app.ask(AskDialog(error.title, str(error), error.who_can)):
            return
        try:
            await self.send_once(AskForConsent(commands=getattr(command, "commands", (command,))))
        except PodiumError as refused:
            self._app.show_error(refused)
        else:
            self._app.toast(f"Asked {names(error.who_can)}, who will find it in the inbox. u to take it back.")


def _with(command: Command[R], **consent: Any) -> Command[R]:
    return cast("Command[R]", replace(cast(Any, command), **consent))


def _relocking(command: Command[R]) -> Command[R]:
    """The same command, which may lock later phases again; of a bulk change each step that can."""
    if steps := getattr(command, "commands", ()):
        can = [_relocking(step) if "relock" in fields(type(step)) else step for step in steps]
        return _with(command, commands=tuple(can))
    return _with(command, relock=True)
