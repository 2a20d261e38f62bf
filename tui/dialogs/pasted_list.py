"""A pasted list of titles: one card for each, or all of it as one title."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from enum import StrEnum
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import Button

from core.domain.max_lengths import MAX_STEPS
from core.text.typed_titles import TypedTitle
from tui.dialogs.dialog import Body, InlineButton, PlainText, ScrollingDialog
from tui.wording.typed_titles import understood


class PastedListUse(StrEnum):
    """The answer to the question about a pasted list."""

    EACH_LINE = "EACH_LINE"
    ONE_TITLE = "ONE_TITLE"


class PastedListDialog(ScrollingDialog[PastedListUse | None]):
    """Shows the cards that a list would add. Dismissed with the answer, or None if the user cancels."""

    DEFAULT_CSS = """
    PastedListDialog {
        Body { max-height: 14; }
        .note { color: $text-muted; margin-top: 1; }
        #acts { height: 1; margin-top: 1; }
    }
    PastedListDialog.-tight Body { max-height: 4; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y,ctrl+s", "choose('EACH_LINE')", show=False),
        Binding("n", "leave", show=False),
        Binding("left", "app.focus_previous", show=False),
        Binding("right", "app.focus_next", show=False),
    ]

    def __init__(self, titles: Sequence[TypedTitle[Any]], noun: str, warning: str, *, can_be_title: bool) -> None:
        self.titles = titles[:MAX_STEPS]
        """The titles that can be added in one change."""
        self._left_out = len(titles) - len(self.titles)
        question = f"Add the first {len(self.titles):,}" if self._left_out else f"Add {len(self.titles)}"
        super().__init__(f"{question} {noun}?", "y add · esc cancel")
        self._yes = f"Add {len(self.titles)} {noun}"
        self._warning = warning
        self._can_be_title = can_be_title

    def questions(self) -> ComposeResult:
        with Body():
            yield PlainText("\n".join(map(_line, self.titles)))
        for note in self._notes():
            yield PlainText(note, classes="note")
        with Horizontal(id="acts"):
            yield InlineButton(self._yes, id=PastedListUse.EACH_LINE, is_primary=True)
            if self._can_be_title:
                yield InlineButton("Use as one title", id=PastedListUse.ONE_TITLE)
            yield InlineButton("Cancel", id="cancel")

    def _notes(self) -> list[str]:
        notes = [self._warning] if self._warning else []
        if self._left_out:
            notes.append(f"One step adds at most {MAX_STEPS}; the last {self._left_out:,} lines are left out.")
        literal = dict.fromkeys(note for title in self.titles for note in title.notes)
        return [*notes, *list(literal)[:3]]

    def on_mount(self) -> None:
        self.query_one(f"#{PastedListUse.EACH_LINE}").focus(scroll_visible=False)

    def action_choose(self, use: str) -> None:
        self.dismiss(PastedListUse(use))

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        self.dismiss(PastedListUse(event.button.id) if event.button.id in list(PastedListUse) else None)


def _line(title: TypedTitle[Any]) -> str:
    meaning = understood(title, date.today())
    return f"{title.title} · {meaning}" if meaning else title.title
