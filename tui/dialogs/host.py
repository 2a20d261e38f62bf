"""The application as a dialog knows it."""

from __future__ import annotations

from typing import Protocol, TypeVar

from core.engine.messages import Command
from core.errors import PodiumError
from core.storage.progress import NO_PROGRESS, Progress

R = TypeVar("R")


class DialogHost(Protocol):
    """The application under a dialog: ``PodiumApp``, which a dialog must not import."""

    async def send(self, command: Command[R], progress: Progress = NO_PROGRESS) -> R:
        """Carry out a command. Raises PodiumError."""

    def tell(self, words: str, *, severity: str = "information") -> None:
        """Show a toast."""

    def show_error(self, error: PodiumError) -> None:
        """Show why something was refused."""

    def toggle_mouse(self) -> None:
        """Release the mouse to the terminal, or take it back."""
