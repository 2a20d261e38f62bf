"""The progress of a long command, with a way to stop it."""

from __future__ import annotations

import asyncio
from typing import Any, cast

from textual import work
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from core.engine.messages import Command
from core.errors import Cancelled, PodiumError
from core.storage.progress import Progress
from tui.dialogs.dialog import Dialog
from tui.dialogs.host import DialogHost
from tui.drawing.styles import ASCII, UNICODE
from tui.widgets.styled_widget import is_ascii


class Bar(Static):
    """A progress bar with the numbers at its end."""

    DEFAULT_CSS = """
    Bar { width: 1fr; height: 1; }
    """
    ALLOW_SELECT = False

    def show(self, done: int, total: int) -> None:
        signs = ASCII if is_ascii(self) else UNICODE
        count = "  working" if not total else "  saving" if done == total else f"  {done:,} of {total:,}"
        cells = max(4, self.size.width - len(count))
        full = cells * done // total if total else 0
        self.update(
            Content.assemble((signs.full * full, "$primary"), (signs.rest * (cells - full), "$foreground 30%"), count)
        )


class ProgressDialog(Dialog[Any]):
    """Carries out a command. Dismissed with its result, or None if it was stopped or refused, which is shown."""

    DEFAULT_CSS = """
    ProgressDialog #panel { width: 60; }
    """

    def __init__(self, title: str, command: Command[Any]) -> None:
        super().__init__(title, "esc stop")
        self._command = command
        self._loop = asyncio.get_running_loop()
        self._progress = Progress(self._report)

    def questions(self) -> ComposeResult:
        yield Bar()

    def on_mount(self) -> None:
        self.call_after_refresh(self._show, 0, 0)
        self._carry_out()

    @work
    async def _carry_out(self) -> None:
        podium = cast(DialogHost, self.app)
        result = None
        try:
            result = await podium.send_or_ask(self._command, self._progress)
        except Cancelled as stopped:
            podium.toast(str(stopped))
        except PodiumError as error:
            podium.show_error(error)
        self.dismiss(result)

    def _report(self, done: int, total: int) -> None:
        """Called in the thread of the command."""
        self._loop.call_soon_threadsafe(self._show, done, total)

    def _show(self, done: int, total: int) -> None:
        if self.is_attached:
            self.query_one(Bar).show(done, total)

    def action_leave(self) -> None:
        """Stop the command. The dialog closes when it has stopped or finished."""
        self._progress.cancel()
        self.say("Stopping…")
