"""A row of a form: the label of a field, its control, and a line under it; a long text has its own editor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, cast

from textual import on
from textual.app import ComposeResult
from textual.containers import Container
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Input, TextArea

from tui.dialogs.dialog import PlainText
from tui.dialogs.fields.form_fields import (
    ChoiceField,
    DateField,
    Field,
    MoreField,
    MultilineField,
    PickerField,
    TextField,
    TitleField,
)
from tui.dialogs.fields.inputs import (
    ChoiceControl,
    CompletedControl,
    Control,
    DayControl,
    Edited,
    LineControl,
    LinesControl,
    MoreControl,
    PickControl,
)
from tui.dialogs.fields.mention_input import MentionsControl
from tui.dialogs.fields.title_input import TitleControl
from tui.dialogs.host import DialogHost
from tui.terminal.pastes import LinesJoined

POINTED_AT = "The cursor is right after it."

WHOLE = "-whole"
"""The class of a form that shows one text in the whole window, and of the row of that text."""


def control_of(field: Field) -> Widget:
    """A new control with the field's first value."""
    match field:
        case TextField() if field.complete:
            return CompletedControl(field)
        case TextField():
            return LineControl(field.value, field.placeholder, replaced=field.replaced, meaning=field.meaning)
        case TitleField():
            return TitleControl(field)
        case MultilineField() if field.people:
            return MentionsControl(field)
        case MultilineField():
            return LinesControl(field.value, field.note)
        case DateField():
            return DayControl(field)
        case ChoiceField():
            return ChoiceControl(field)
        case MoreField():
            return MoreControl(field)
        case PickerField():
            return PickControl(field)


class FieldRow(Container):
    """A label, its control, and a line under it for the meaning of the input or an error."""

    DEFAULT_CSS = """
    FieldRow {
        height: auto;
        layout: vertical;
        .label { color: $text-muted; height: 1; }
        &.-here .label { color: $text-primary; text-style: bold; }
        .answer { height: auto; width: 1fr; }
        .under { display: none; padding: 0 1; color: $text-muted; }
        .under.-bad { color: $text-error; }
    }
    """

    def __init__(self, field: Field, number: int) -> None:
        """``number`` is the place of the field in its form."""
        super().__init__()
        self.field = field
        self._number = number
        self.widget = control_of(field)
        self.control = cast(Control, self.widget)
        self._at_first = self.control.typed
        self._as_opened = self.control.draft
        self._joined = ""
        """The words about a paste that is about to be put in."""
        self._under = PlainText(classes="under")

    @property
    def _focus_sort_key(self) -> tuple[int, int]:
        """The order for tab. Textual's own is the place on the screen, which a row has only once it is drawn."""
        return self._number, 0

    def compose(self) -> ComposeResult:
        yield PlainText(self.field.label, classes="label")
        with Container(classes="answer"):
            yield self.widget
            yield self._under

    def on_mount(self) -> None:
        self.follow()

    def on_descendant_focus(self) -> None:
        """Highlight the label, and scroll it into view too."""
        self.add_class("-here")
        self.scroll_into_view()

    def on_descendant_blur(self) -> None:
        self.remove_class("-here")

    @property
    def was_edited(self) -> bool:
        return self.control.typed != self._at_first

    def settle(self) -> None:
        """Take the value so far as the first one, because it was saved."""
        self._at_first = self.control.typed

    def restore(self, draft: Any) -> None:
        """Put in what was typed before, unless the field has become another one."""
        with self.prevent(Input.Changed, TextArea.Changed):
            self.control.put_draft(draft)
        self.follow()

    def reset(self) -> None:
        """Put back the value with which the form was opened."""
        self.restore(self._as_opened)

    @on(LinesJoined)
    def note_joined(self, joined: LinesJoined) -> None:
        """Say it when the paste is in the field."""
        joined.stop()
        self._joined = joined.words

    @on(Input.Changed)
    @on(TextArea.Changed)
    @on(Edited)
    def follow(self) -> None:
        """Show the meaning of the input, instead of an earlier error."""
        joined, self._joined = self._joined, ""
        self._say(joined or self.control.meaning, bad=False)

    def put(self, value: tuple[str, ...], why: str) -> None:
        """Set the value for the user, and show the reason."""
        cast(PickControl, self.widget).put(value)
        self._say(why, bad=False)

    def say(self, words: str) -> None:
        """Show a message under the field until it is edited."""
        self._say(words, bad=False)

    def complain(self, words: str) -> None:
        """Show an error, with the cursor after the first character that cannot be shown, if any."""
        is_pointed_at = isinstance(self.widget, LineControl | LinesControl) and self.widget.go_to_unsafe()
        self._say(f"{words} {POINTED_AT}" if is_pointed_at else words, bad=True)

    def go_to(self) -> None:
        """Focus the field, and scroll it into view."""
        self.widget.focus()
        self.scroll_into_view()

    def scroll_into_view(self) -> None:
        """Scroll the row to the middle once it is drawn, so that the next field shows too; not if all of it shows."""
        self.call_after_refresh(self._scroll_to_center)

    def _scroll_to_center(self) -> None:
        if self.is_attached and not self.screen.can_view_entire(self):
            self.screen.scroll_to_center(self, animate=False)

    def _say(self, words: str, *, bad: bool) -> None:
        self._under.put(words)
        self._under.set_class(bad, "-bad")


class FormRows(Protocol):
    """A form, as its drafts and its long texts know it."""

    rows: list[FieldRow]
    submit_words: str

    @property
    def app(self) -> object: ...

    @property
    def seen_version(self) -> int | None: ...

    def say(self, words: str) -> None: ...
    def go_on(self) -> None: ...
    def show_keys(self) -> None: ...
    def open_more(self, names: set[str]) -> None: ...
    def set_timer(self, delay: float, callback: Callable[[], object]) -> Timer: ...
    def has_class(self, *names: str) -> bool: ...
    def add_class(self, *names: str) -> object: ...
    def remove_class(self, *names: str) -> object: ...


class LongTextEditing:
    """Edits the texts of one form."""

    def __init__(self, form: FormRows) -> None:
        self._form = form

    @property
    def row(self) -> FieldRow | None:
        """The row of the long text that has the focus."""
        return next((row for row in self._form.rows if row.has_focus_within and is_long(row)), None)

    @property
    def is_whole(self) -> bool:
        """True while one text has the whole window."""
        return self._form.has_class(WHOLE)

    @property
    def hint(self) -> str:
        """The key in words."""
        if self._why_not:
            return "ctrl+g smaller · " if self.is_whole else "ctrl+g larger · "
        return "ctrl+g editor · "

    def toggle(self) -> None:
        """Open the editor with the text that has the focus; where there is none, give it the whole window, or less."""
        row = self.row
        if row is None:
            return
        if not self._why_not:
            self.edit(row)
        elif self.is_whole:
            self.shrink()
        else:
            self.grow(row)

    def edit(self, row: FieldRow) -> bool:
        """Edit the text of a row in the editor. Return True if the editor has saved it; the reason is shown if not."""
        control = cast(LinesControl, row.widget)
        edited = cast(DialogHost, self._form.app).edit_text(row.field.name, control.text)
        if edited.text != control.text.rstrip("\n"):
            control.text = edited.text
            control.move_cursor(control.document.end)
            self._form.go_on()
        self._form.say(edited.words)
        return not edited.words

    def grow(self, row: FieldRow) -> None:
        """Give the text of a row the whole window."""
        self._form.add_class(WHOLE)
        row.add_class(WHOLE)
        self._form.show_keys()

    def shrink(self) -> None:
        """Show the whole form again."""
        self._form.remove_class(WHOLE)
        for row in self._form.rows:
            row.remove_class(WHOLE)
        self._form.show_keys()

    @property
    def _why_not(self) -> str:
        ask = getattr(self._form.app, "why_no_editor", None)
        return ask() if ask is not None else "The first run has no editor."


def is_long(row: FieldRow) -> bool:
    """True for the row of a text of several lines."""
    return isinstance(row.field, MultilineField)
