"""The app's interface for dialogs, which must not import ``PodiumApp`` itself."""

from __future__ import annotations

from typing import Protocol, TypeVar

from core.engine.messages import Command
from core.errors import PodiumError
from core.storage.progress import NO_PROGRESS, Progress

R = TypeVar("R")


class DialogHost(Protocol):
    """The interface of ``PodiumApp`` for dialogs."""

    async def send(self, command: Command[R], progress: Progress = NO_PROGRESS) -> R:
        """Carry out a command. Raises PodiumError."""

    def toast(self, words: str, *, severity: str = "information") -> None:
        """Show a toast."""

    def show_error(self, error: PodiumError) -> None:
        """Show the reason for a refusal."""

    def toggle_mouse(self) -> None:
        """Turn the mouse in Podium off, so that the terminal selects text, or on again."""
