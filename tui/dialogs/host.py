"""The app's interface for dialogs, which must not import ``PodiumApp`` itself."""

from __future__ import annotations

from typing import Any, Protocol

from core.engine.messages import Command
from core.errors import PodiumError
from core.record import Record
from core.storage.progress import NO_PROGRESS, Progress


class EditedText(Record, kw_only=False):
    """A text after the person had it in their editor."""

    text: str
    words: str = ""
    """The reason why it is not to be saved yet; "" if the editor has saved it."""


class DialogHost(Protocol):
    """The interface of ``PodiumApp`` for dialogs."""

    def why_no_editor(self) -> str:
        """Return the reason why there is no editor but Podium's own; "" if there is one."""

    def edit_text(self, name: str, text: str) -> EditedText:
        """Let the person edit a text in their editor. ``name`` is a name of ours for its file."""

    async def send_or_ask(self, command: Command[Any], progress: Progress = NO_PROGRESS) -> Any:
        """Carry out a command; None if the user declines what it needs their consent for. Raises PodiumError."""

    def toast(self, words: str, *, severity: str = "information") -> None:
        """Show a toast."""

    def show_error(self, error: PodiumError) -> None:
        """Show the reason for a refusal."""

    def toggle_mouse(self) -> None:
        """Turn the mouse in Podium off, so that the terminal selects text, or on again."""
