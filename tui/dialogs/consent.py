"""Consent to the end of an approval: the reason of someone who can give it, and the request of anyone else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import Button, Input

from core.text.phrases import names, some
from tui.dialogs.confirm import ConfirmDialog
from tui.dialogs.dialog import Body, Dialog, InlineButton, PlainText
from tui.dialogs.fields.inputs import LineControl

NO_REASON = "Say why: the reason stands in the gate record."

NAMED = 2
"""The most people whose names stand on the button to ask them; all of them are asked."""


class ReasonDialog(Dialog[str | None]):
    """Asks why an approval may end. Dismissed with the reason, or with None."""

    DEFAULT_CSS = """
    ReasonDialog {
        #panel { border: round $warning; }
        .label { margin-top: 1; }
        .note { color: $text-muted; }
        #acts { height: 1; margin-top: 1; }
    }
    """

    def __init__(self, title: str, words: str, who_can: Sequence[str]) -> None:
        super().__init__(title, "enter end the approval · esc cancel")
        self._words = words
        self._who_can = who_can

    def questions(self) -> ComposeResult:
        with Body():
            yield PlainText(self._words)
            yield PlainText("Why? The reason stands in the gate record.", classes="label")
            yield LineControl("")
            yield PlainText(who_can(self._who_can), classes="note")
            with Horizontal(id="acts"):
                yield InlineButton("End the approval", id="yes")
                yield InlineButton("Cancel", id="no")

    def on_mount(self) -> None:
        self.query_one(LineControl).focus(scroll_visible=False)

    @on(Input.Changed)
    def go_on(self) -> None:
        self.say("")

    @on(Input.Submitted)
    @on(Button.Pressed, "#yes")
    def accept(self) -> None:
        if reason := self.query_one(LineControl).value.strip():
            self.dismiss(reason)
        else:
            self.say(NO_REASON, bad=True)

    @on(Button.Pressed, "#no")
    def action_leave(self) -> None:
        self.dismiss(None)


class AskDialog(ConfirmDialog):
    """Offers to ask those who can agree. Dismissed with True to ask them."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("C", "answer(True)", show=False)]

    def __init__(self, title: str, words: str, people: Sequence[str]) -> None:
        super().__init__(title, f"{words}\n\n{who_can(people)}", f"Ask {some(people, NAMED)}")
        self._hints = "C ask · esc cancel"


def who_can(people: Sequence[str]) -> str:
    """The people who can agree, in a sentence; "" without any."""
    return f"{names(people)} can agree to it." if people else ""
