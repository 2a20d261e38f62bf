"""Yes or no, for actions that cannot be undone. Other actions need no question, because undo reverts them."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import Button, Input

from tui.dialogs.dialog import Body, Dialog, InlineButton, PlainText
from tui.dialogs.fields.inputs import LineControl


class ConfirmDialog(Dialog[bool]):
    """Asks for consent. Dismissed with True or False. With ``typed``, the user must type this word first."""

    DEFAULT_CSS = """
    ConfirmDialog {
        #panel { width: 60; border: round $warning; }
        .typed { color: $text-muted; margin-top: 1; }
        #acts { height: 1; margin-top: 1; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer(True)", show=False),
        Binding("n", "answer(False)", show=False),
        Binding("left,up", "app.focus_previous", show=False),
        Binding("right,down", "app.focus_next", show=False),
        Binding("pagedown", "scroll_by(8)", show=False),
        Binding("pageup", "scroll_by(-8)", show=False),
    ]

    def __init__(self, title: str, words: str, yes: str, *, typed: str | None = None) -> None:
        super().__init__(title, "esc cancel" if typed else "y yes · n no · esc cancel")
        self._words = words
        self._yes = yes
        self._typed = typed

    def questions(self) -> ComposeResult:
        with Body():
            yield PlainText(self._words)
            if self._typed:
                yield PlainText(f"Type “{self._typed}” to continue:", classes="typed")
                yield LineControl("")
            with Horizontal(id="acts"):
                yield InlineButton(self._yes, id="yes", disabled=bool(self._typed))
                yield InlineButton("Cancel", id="no")

    def on_mount(self) -> None:
        """Focus the first control without scrolling, so that a long question shows its beginning."""
        self.query_one(LineControl if self._typed else "#no").focus(scroll_visible=False)

    @property
    def _may_go_on(self) -> bool:
        return not self._typed or self.query_one(LineControl).value.strip() == self._typed

    @on(Input.Changed)
    def follow(self) -> None:
        self.query_one("#yes", InlineButton).disabled = not self._may_go_on

    @on(Input.Submitted)
    def accept(self) -> None:
        if self._may_go_on:
            self.dismiss(True)
        else:
            self.say(f"That is not “{self._typed}”.", bad=True)

    @on(Button.Pressed, "#yes")
    def _yes_pressed(self) -> None:
        self.dismiss(True)

    @on(Button.Pressed, "#no")
    def action_leave(self) -> None:
        self.dismiss(False)

    def action_answer(self, yes: bool) -> None:
        """Answer by the letters y and n, unless a word must be typed."""
        if not self._typed:
            self.dismiss(yes)
