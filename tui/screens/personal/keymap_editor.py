"""The table of keys as text to edit."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import TextArea

from core.errors import PodiumError
from tui.dialogs.dialog import Dialog, PlainText
from tui.dialogs.fields.inputs import LinesControl
from tui.dialogs.form import UNSAVED
from tui.keys.keymap import written_out

NOTE = "One action per line: name = keys. Write keys as they are shown: n, ?, esc, PgUp, ctrl+e."


class KeymapDialog(Dialog[bool | None]):
    """Dismissed with True when ``save`` took the text; a PodiumError from it is shown, and the text stays."""

    DEFAULT_CSS = """
    KeymapDialog {
        #panel { height: 90%; }
        #note { dock: top; color: $text-muted; margin-bottom: 1; }
        #panel LinesControl { height: 1fr; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+s", "save", show=False)]

    def __init__(self, keymap: Mapping[str, str], save: Callable[[str], Awaitable[bool]]) -> None:
        super().__init__("Keys", "ctrl+s save · esc cancel")
        self._text = written_out(keymap)
        self._save = save
        self._was_warned = False

    def questions(self) -> ComposeResult:
        yield PlainText(NOTE, id="note")
        yield LinesControl(self._text)

    def on_mount(self) -> None:
        self.query_one(LinesControl).focus()

    def action_leave(self) -> None:
        """Leave, but not over what was typed: that takes a second time."""
        if self._was_warned or self.query_one(LinesControl).text == self._text:
            self.dismiss(None)
        else:
            self._was_warned = True
            self.say(UNSAVED)

    @on(TextArea.Changed)
    def _go_on(self) -> None:
        self._was_warned = False
        self.say("")

    @work(exclusive=True)
    async def action_save(self) -> None:
        try:
            await self._save(self.query_one(LinesControl).text)
        except PodiumError as refused:
            self.say(str(refused), bad=True)
        else:
            self.dismiss(True)
