"""The title of a new card: shows the meaning of its shorthand while the user types, and takes pasted lists."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from textual import events
from textual.message import Message

from core.domain.canvas import CanvasMember
from core.text.typed_titles import TypedTitle, listed_titles, read_title
from tui.dialogs.fields.form_fields import TitleField
from tui.dialogs.fields.inputs import LineControl
from tui.terminal.pastes import LinesJoined, TakesLines, in_one_line
from tui.wording.typed_titles import describe_typed

HINT = "@bob, fri, #label and !high at the end are read"


class ListPasted(Message):
    """Posted instead of a paste that has several titles."""

    def __init__(self, titles: Sequence[TypedTitle[CanvasMember]], text: str) -> None:
        super().__init__()
        self.titles = titles
        self.text = text
        """All of it in one line."""


class TitleControl(TakesLines, LineControl):
    """A line of text that is read as a ``TypedTitle``."""

    def __init__(self, field: TitleField) -> None:
        super().__init__("", field.placeholder)
        self._team, self._labels = field.team, field.labels
        self._me = next((member for member in field.team if member.user_id == field.me), None)

    def take(self) -> TypedTitle[CanvasMember]:
        return self._read(self.value)

    @property
    def meaning(self) -> str:
        typed = self.take()
        meaning = describe_typed(typed, date.today())
        return "\n".join(([f"→ {meaning}"] if meaning else []) + [*typed.notes]) or HINT

    def _read(self, text: str) -> TypedTitle[CanvasMember]:
        return read_title(text, date.today(), self._team, self._me, self._labels)

    def _on_paste(self, event: events.Paste) -> None:
        titles = listed_titles(event.text)
        if len(titles) > 1 and not self.value.strip():
            event.stop()
            event.prevent_default()
            self.post_message(ListPasted([self._read(title) for title in titles], in_one_line(event.text)))
        else:
            if len(titles) > 1:
                self.post_message(LinesJoined(len(titles)))
            event.text = in_one_line(event.text)  # for the handler of Input, which Textual calls next
