"""A version conflict: both versions of each field, and the choice between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widget import Widget
from textual.widgets import Button

from tui.dialogs.conflict_choice import ConflictChoice, Versions
from tui.dialogs.dialog import Body, InlineButton, PlainText, ScrollingDialog

UNTOUCHED = "unchanged"


class ConflictDialog(ScrollingDialog[ConflictChoice]):
    """Asks which version to keep. Dismissed with the choice; esc returns to the form or, without one, keeps theirs."""

    DEFAULT_CSS = """
    ConflictDialog {
        #panel { width: 76; border: round $warning; }
        .happened { color: $text-muted; }
        .field { text-style: bold; margin-top: 1; }
        .version { layout: horizontal; height: auto; }
        .whose { width: 14; color: $text-muted; }
        .mine { color: $text-primary; }
        .theirs { color: $text-warning; }
        #acts { height: 1; margin-top: 1; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("t", "choose('THEIRS')", show=False),
        Binding("m", "choose('MINE')", show=False),
        Binding("e", "choose('AGAIN')", show=False),
        Binding("left", "app.focus_previous", show=False),
        Binding("right", "app.focus_next", show=False),
    ]

    def __init__(self, happened: Sequence[str], shown: Sequence[Versions], *, fit: bool, from_form: bool) -> None:
        hints = "t theirs · m mine · e edit again" if from_form else "t theirs · m mine · esc theirs"
        super().__init__("Someone else changed this", hints)
        self._happened = tuple(happened)
        self._shown = tuple(shown)
        self._fit = fit
        self._from_form = from_form

    def questions(self) -> ComposeResult:
        with Body():
            yield PlainText(self._sentence)
            for line in self._happened:
                yield PlainText(line, classes="happened")
            for each in self._shown:
                yield from _field(each)
        with Horizontal(id="acts"):
            yield InlineButton("Keep theirs", id="THEIRS")
            yield InlineButton("Keep both" if self._fit else "Use mine", id="MINE")
            if self._from_form:
                yield InlineButton("Edit again", id="AGAIN")

    @property
    def _sentence(self) -> str:
        if self._fit:
            return "This changed while you were editing, in other fields than yours. Your version isn't saved yet."
        return "This changed while you were editing. Your version isn't saved yet."

    def on_mount(self) -> None:
        first = ConflictChoice.MINE if self._fit else ConflictChoice.AGAIN if self._from_form else ConflictChoice.THEIRS
        self.query_one(f"#{first.name}", InlineButton).focus()

    def action_choose(self, name: str) -> None:
        if name != ConflictChoice.AGAIN.name or self._from_form:
            self.dismiss(ConflictChoice[name])

    def action_leave(self) -> None:
        self.dismiss(ConflictChoice.AGAIN if self._from_form else ConflictChoice.THEIRS)

    @on(Button.Pressed)
    def _on_button(self, event: Button.Pressed) -> None:
        self.action_choose(event.button.id or "")


def _field(shown: Versions) -> Iterator[Widget]:
    yield PlainText(shown.label, classes="field")
    yield _version("yours", shown.mine or UNTOUCHED, "mine")
    yield _version("theirs now", shown.theirs if shown.theirs_is_new else f"{shown.theirs} ({UNTOUCHED})", "theirs")


def _version(whose: str, value: str, kind: str) -> Widget:
    return Horizontal(PlainText(whose, classes="whose"), PlainText(value, classes=kind), classes="version")
