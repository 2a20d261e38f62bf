"""A link to open elsewhere, or a token, in full, to select or copy."""

from __future__ import annotations

from typing import ClassVar, cast

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from core.domain.products.launch_context import CODE_SECONDS
from tui.dialogs.dialog import Body, PlainText, ScrollingDialog
from tui.dialogs.host import DialogHost

WITH_CODE = f"Paste it into your browser within {CODE_SECONDS} seconds. It works once."
WITH_CONTEXT = "Paste it into your browser. It contains the launch context."


class LinkDialog(ScrollingDialog[None]):
    """Shows a text over the whole width, without side borders, so that the terminal's selection has only the text."""

    DEFAULT_CSS = """
    LinkDialog {
        &.-tight #panel, &.-roomy #panel {
            width: 100%;
            padding: 1 0;
            border: none;
            border-top: solid $border;
            border-bottom: solid $border;
        }
        &.-ascii #panel { border-top: ascii $border; border-bottom: ascii $border; }
        .said { color: $text-muted; padding: 0 1; margin-bottom: 1; }
        #message { padding: 0 1; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y,Y", "copy", show=False),
        Binding("percent_sign", "mouse", show=False),
        Binding("enter", "leave", show=False),
    ]

    def __init__(self, title: str, said: str, text: str) -> None:
        super().__init__(title, "y copy · % select text with the mouse · esc close")
        self._said = said
        self._text = text

    def questions(self) -> ComposeResult:
        yield PlainText(self._said, classes="said")
        with Body():
            yield PlainText(self._text, id="url")

    def action_copy(self) -> None:
        self.app.copy_to_clipboard(self._text)
        self.say("Copied.")

    def action_mouse(self) -> None:
        cast(DialogHost, self.app).toggle_mouse()
