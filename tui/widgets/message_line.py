"""The line of the message to the user: above the line of keys, over the lowest rows of the screen."""

from __future__ import annotations

from typing import Any

from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from tui.drawing.cells import plain

SIGNS = {"information": "▌ ", "warning": "! ", "error": "✗ "}
"""The sign of each severity, so that no colour is needed to tell them apart."""


class MessageLine(Static):
    """Covers the line above the keys while there is a message, and more lines for a long one, so that nothing moves.

    A screen gets it with its first message.
    """

    DEFAULT_CSS = """
    MessageLine {
        dock: bottom; layer: message; display: none; width: 100%; height: auto; max-height: 60%; margin-bottom: 1;
        padding: 0 1; background: $boost; color: $foreground; text-style: bold;
    }
    MessageLine.-warning { color: $text-warning; }
    MessageLine.-error { color: $text-error; }
    """
    ALLOW_SELECT = False

    def say(self, words: str, severity: str) -> None:
        """Show a message; an empty one hides the line."""
        for each in SIGNS:
            self.set_class(each == severity, f"-{each}")
        sign = (SIGNS.get(severity, ""), "$accent" if severity == "information" else "")
        self.update(Content.assemble(sign, plain(words)))
        self.display = bool(words)

    @classmethod
    def put(cls, screen: Any, words: str, severity: str) -> None:
        """Show a message on a screen; an empty one hides the line."""
        assert isinstance(screen, Screen)
        for line in screen.query(cls):
            if words or line.display:
                line.say(words, severity)
            return
        if words:
            line = cls()
            screen.mount(line)
            line.say(words, severity)
