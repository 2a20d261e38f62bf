"""The line to filter by: it appears with ``/``, filters while one types, and stays while it holds text."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widgets import Input


class FilterLine(Input):
    """An input that hides itself when it is empty. Enter goes back to the list, escape clears and closes."""

    DEFAULT_CSS = """
    FilterLine {
        dock: bottom; display: none; height: 1; border: none; padding: 0 1; margin-bottom: 1;
        background: $panel; color: $foreground;
    }
    FilterLine.-open { display: block; }
    FilterLine:focus { border: none; background: $boost; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave(True)", "Clear the filter", show=False),
        Binding("enter,down", "leave(False)", "Back to the list", show=False),
    ]

    def __init__(self) -> None:
        super().__init__(placeholder="Filter: words of the title or of a name; enter keeps it, esc clears it")

    @property
    def text(self) -> str:
        return self.value

    def open(self) -> None:
        """Show the line and type into it."""
        self.add_class("-open")
        self.focus()

    def clear(self) -> None:
        """Empty the filter and hide the line."""
        self.value = ""
        self.remove_class("-open")

    def action_leave(self, clear: bool) -> None:
        if clear or not self.value:
            self.clear()
        target = self.screen.query(self.screen.AUTO_FOCUS or "*").first()
        target.focus()
