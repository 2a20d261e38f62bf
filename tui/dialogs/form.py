"""A form, which stays open with its input until the answer is accepted or the user cancels."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Horizontal
from textual.widget import Widget
from textual.widgets import Button, Input, TextArea

from core.errors import InvalidInput, PodiumError, VersionConflict
from tui.dialogs.conflict_choice import ConflictChoice, ConflictResolved, Versions
from tui.dialogs.dialog import Body, Dialog, InlineButton, PlainText
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
from tui.dialogs.fields.inputs import ChoiceControl, Control, DayControl, Edited, LineControl, LinesControl, PickControl
from tui.dialogs.fields.mention_input import MentionsControl
from tui.dialogs.fields.more import MoreControl
from tui.dialogs.fields.title_input import TitleControl

if TYPE_CHECKING:
    from tui.terminal.terminal_app import TerminalApp

R = TypeVar("R")

Follow = Callable[[str, dict[str, Any]], Mapping[str, tuple[tuple[str, ...], str]]]
"""Takes the name of the edited field and the answers so far. Returns the ``PickerField``s to change: for each its new
value, and a sentence with the reason."""

UNSAVED = "Not saved. Press Esc again to discard your changes."
SHOWN_AFTER = 0.15
"""Seconds before "Saving…" is shown, so that the form does not grow and shrink for a quick change."""
POINTED_AT = "The cursor is right after it."
NOT_YET = "Not saved yet. Fields that you do not change keep their values."


def control_of(field: Field) -> Widget:
    """A new control with the field's first value."""
    match field:
        case TextField():
            return LineControl(field.value, field.placeholder, replaced=field.replaced)
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
        .label { color: $foreground 60%; height: 1; }
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
        self.call_after_refresh(self.scroll_visible, animate=False)

    def on_descendant_blur(self) -> None:
        self.remove_class("-here")

    @property
    def was_edited(self) -> bool:
        return self.control.typed != self._at_first

    def settle(self) -> None:
        """Take the value so far as the first one, because it was saved."""
        self._at_first = self.control.typed

    @on(Input.Changed)
    @on(TextArea.Changed)
    @on(Edited)
    def follow(self) -> None:
        """Show the meaning of the input, instead of an earlier error."""
        self._say(self.control.meaning, bad=False)

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
        self.call_after_refresh(self.scroll_visible, animate=False)

    def _say(self, words: str, *, bad: bool) -> None:
        self._under.put(words)
        self._under.set_class(bad, "-bad")


class FormDialog(Dialog[R | None]):
    """Asks for fields and passes the answers to ``save``. Dismissed with its result, or None if the user cancels.

    ``save`` takes the answers by field name. If it raises ``InvalidInput``, the error is shown under the field that it
    names; any other ``PodiumError`` is shown at the bottom. The dialog then stays open, as it does after None.
    """

    DEFAULT_CSS = """
    FormDialog {
        .note { color: $text-muted; margin-bottom: 1; }
        #acts { height: 1; margin-top: 1; }
        &.-roomy FieldRow { margin-bottom: 1; }
        &.-roomy #acts { margin-top: 0; }
        &.-tight LinesControl { height: 3; }
        &.-wide FieldRow { layout: horizontal; }
        &.-wide FieldRow .label { width: 14; }
        &.-wide #acts { padding-left: 14; }
    }
    """
    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,ctrl+s", "submit", show=False),
    ]

    def __init__(
        self,
        title: str,
        fields: Sequence[Field],
        save: Callable[[dict[str, Any]], Awaitable[R | None]],
        *,
        submit: str = "Save",
        note: str = "",
        follow: Follow | None = None,
        hints: str = "",
    ) -> None:
        self._submit, self._other_hints = submit, hints
        super().__init__(title, self._hints_at(fields[0] if fields else None))
        self._fields = tuple(fields)
        self._rows: list[FieldRow] = []
        self._save = save
        self._note = note
        self._follow = follow
        self._is_saving = False
        self._was_warned = False
        self.so_far: R | None = None
        """The result for esc: of what was saved while the form stayed open."""
        self.conflicts: list[VersionConflict] = []
        """Conflicts with changes by others while the form was open, which the user has seen."""

    def questions(self) -> ComposeResult:
        self._rows = [FieldRow(field, number) for number, field in enumerate(self._fields)]
        with Body():
            if self._note:
                yield PlainText(self._note, classes="note")
            yield from self._rows
            with Horizontal(id="acts"):
                yield from self.buttons()

    def buttons(self) -> Iterable[InlineButton]:
        """The buttons under the fields, the primary one first."""
        return (InlineButton(self._submit, id="submit", is_primary=True), InlineButton("Cancel", id="cancel"))

    def on_mount(self) -> None:
        """Focus the first field without scrolling; Textual's own first focus would scroll."""
        self.show_dependent()
        first: Widget = self._rows[0].widget if self._rows else self.query_one("#submit")
        first.focus(scroll_visible=False)

    def _hints_at(self, field: Field | None) -> str:
        """The hints while a field has the focus: enter saves, except where it adds a line or opens a list."""
        key = "ctrl+s" if isinstance(field, MultilineField | PickerField) else "enter"
        return f"{key} {self._submit.lower()} · {self._other_hints}esc cancel"

    def on_descendant_focus(self) -> None:
        row = next((row for row in self._rows if row.has_focus_within), None)
        self.show_hints(self._hints_at(row.field if row else None))

    @on(Edited)
    def follow_up(self, edited: Edited) -> None:
        """Update fields that depend on the edited one: their visibility and their values."""
        self.show_dependent()
        if self._follow is None:
            return
        name = next(row.field.name for row in self._rows if row.widget is edited.widget)
        changes = self._follow(name, self._chosen())
        for row in self._rows:
            if row.field.name in changes:
                row.put(*changes[row.field.name])

    def show_dependent(self) -> None:
        """Show the fields for the values that are chosen now, and hide the others."""
        chosen = self._chosen()
        for row in self._rows:
            only = row.field.only if isinstance(row.field, TextField | MultilineField | ChoiceField) else None
            row.display = only is None or chosen[only[0]] == only[1]

    def _chosen(self) -> dict[str, Any]:
        return {
            row.field.name: row.control.take()
            for row in self._rows
            if isinstance(row.field, ChoiceField | MoreField | PickerField)
        }

    def on_resize(self) -> None:
        """Keep the focused field in view."""
        for row in self._rows:
            if row.has_focus_within:
                row.call_after_refresh(row.scroll_visible, animate=False)

    @on(Button.Pressed, "#cancel")
    def action_leave(self) -> None:
        """Close the form; with unsaved input, only at the second esc."""
        if self._is_saving:
            return
        if self._was_warned or not any(row.was_edited for row in self._rows):
            self.dismiss(self.so_far)
            return
        self._was_warned = True
        self.say(UNSAVED)

    @on(Input.Changed)
    @on(TextArea.Changed)
    @on(Edited)
    def go_on(self) -> None:
        """Remove the warning when the user goes on typing."""
        if self._was_warned:
            self._was_warned = False
            self.say("")

    @on(Input.Submitted)
    @on(Button.Pressed, "#submit")
    def action_submit(self) -> None:
        self.save_with(self._save)

    def save_with(self, save: Callable[[dict[str, Any]], Awaitable[R | None]]) -> None:
        """Pass the answers to ``save``, unless the form is being saved already."""
        if not self._is_saving:
            self._is_saving = True
            self.podium.begin(partial(self._try_to_save, save))

    async def _try_to_save(self, save: Callable[[dict[str, Any]], Awaitable[R | None]]) -> None:
        """Pass the answers to ``save``, in a worker, because saving can ask a question."""
        self._was_warned = False
        slow = self.set_timer(SHOWN_AFTER, partial(self.say, "Saving…"))
        try:
            if (answers := self._answers()) is None:
                return
            result = await save(answers)
        except InvalidInput as refused:
            self._complain(refused)
        except ConflictResolved as settled:
            self._take(settled)
        except PodiumError as refused:
            self.say(str(refused), bad=True)
        else:
            self.say("")
            if result is not None:
                await self.finish(result)
        finally:
            slow.stop()
            self._is_saving = False

    def _answers(self) -> dict[str, Any] | None:
        """The answers of the visible fields; None if some cannot be accepted, which their lines then say."""
        answers: dict[str, Any] = {}
        faults: list[InvalidInput] = []
        for row in self._rows:
            if row.display:
                try:
                    answers[row.field.name] = row.control.take()
                except InvalidInput as refused:
                    faults.append(refused)
        faults = faults or [*self.faults_of(answers)]
        if faults:
            self._complain(*faults)
        return None if faults else answers

    def faults_of(self, answers: dict[str, Any]) -> Iterable[InvalidInput]:
        """All faults of the answers that are known before they are saved; a form can name some."""
        return ()

    async def finish(self, result: R) -> None:
        """Called with the result of ``save``: close the form."""
        self.dismiss(result)

    @property
    def podium(self) -> TerminalApp[Any]:
        """The app, which opens other dialogs."""
        return cast("TerminalApp[Any]", self.app)

    def compare(self, error: VersionConflict, shown: Sequence[Versions]) -> None:
        """Go on editing after a conflict: show their values under the fields; saving then replaces them."""
        self.conflicts.append(error)
        theirs = {each.name: each.theirs for each in shown if each.theirs_is_new}
        for row in self._rows:
            if row.field.name in theirs:
                row.say(f"theirs now: {theirs[row.field.name]}")

    def _take(self, settled: ConflictResolved) -> None:
        if settled.settlement is ConflictChoice.AGAIN:
            self.say(NOT_YET)
        else:
            self.dismiss(self.so_far)

    def _complain(self, *faults: InvalidInput) -> None:
        """Show each fault under its field, and go to the first one. One without a field is shown at the bottom."""
        if not self.is_open:
            return
        self._open_more({fault.field for fault in faults})
        rows = {row.field.name: row for row in self._rows if row.display}
        self.say("")
        for fault in faults:
            if fault.field in rows:
                rows[fault.field].complain(str(fault))
            else:
                self.say(str(fault), bad=True)
        first = next((row for name, row in rows.items() if name in {fault.field for fault in faults}), None)
        if first is not None:
            first.go_to()

    def _open_more(self, names: set[str]) -> None:
        """Open the ``MoreField`` that hides one of these fields."""
        for row in self._rows:
            only = row.field.only if isinstance(row.field, TextField | MultilineField) else None
            if only and row.field.name in names:
                for more in self.query(MoreControl):
                    more.action_show_fields(True)
        self.show_dependent()
