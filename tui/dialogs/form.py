"""A form, which stays open with its input until the answer is accepted or the user cancels, also of one long text."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widget import Widget
from textual.widgets import Button, Input, TextArea

from core.domain.model import Id
from core.errors import InvalidInput, PodiumError, VersionConflict
from core.text.amounts import TwoMeanings, has_two_meanings, spell_both
from tui.dialogs.conflict_choice import ConflictChoice, ConflictResolved, Versions
from tui.dialogs.dialog import Body, Dialog, InlineButton, PlainText
from tui.dialogs.drafts import RESTORED_SHORT, FormDraft
from tui.dialogs.fields.form_fields import (
    ChoiceField,
    Field,
    MoreField,
    MultilineField,
    PickerField,
    TextField,
)
from tui.dialogs.fields.inputs import Edited, LineControl, MoreControl
from tui.dialogs.fields.row import FieldRow, LongTextEditing, is_long
from tui.drawing.cells import plain
from tui.terminal.workers import start_worker

if TYPE_CHECKING:
    from tui.terminal.terminal_app import TerminalApp

R = TypeVar("R")

Follow = Callable[[str, dict[str, Any]], Mapping[str, tuple[tuple[str, ...], str]]]
"""Takes the name of the edited field and the answers so far. Returns the ``PickerField``s to change: for each its new
value, and a sentence with the reason."""

UNSAVED = "Not saved. Press Esc again to discard your changes."
SHOWN_AFTER = 0.15
"""Seconds before "Saving…" is shown, so that the form does not grow and shrink for a quick change."""
LATEST_FOCUS = 0.1
"""Seconds after which the form is painted, though no field has the focus."""
NOT_YET = "Not saved yet. Fields that you do not change keep their values."


class FormDialog(Dialog[R | None]):
    """Asks for fields and passes the answers to ``save``. Dismissed with its result, or None if the user cancels.

    Enter goes to the next field, and saves on the last one; ctrl+s saves on each.

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
        &.-wide FieldRow .label { width: auto; min-width: 14; padding-right: 1; }
        &.-wide #acts { padding-left: 14; }
        &.-roomy #panel #message { margin-top: 0; }
        #message { display: block; text-wrap: nowrap; text-overflow: ellipsis; }
        #message.-said { text-wrap: wrap; text-overflow: fold; }
        #message.-changed { color: $text-warning; }
        &.-tight #message.-empty { display: none; }
        &.-whole {
            #panel { width: 100%; height: 100%; padding: 0 1; }
            Body { height: 1fr; }
            #acts, .note { display: none; }
            FieldRow { height: 0; margin: 0; }
            FieldRow.-whole { height: 1fr; layout: vertical; }
            FieldRow.-whole .answer { height: 1fr; }
            FieldRow.-whole .label { display: none; }
            LinesControl { height: 1fr; }
        }
    }
    """
    AUTO_FOCUS = ""
    enter_saves: ClassVar[bool] = False
    """True for a quick entry: enter saves on each field."""
    warns_of_loss: ClassVar[bool] = True
    """False for a form whose answers are quickly typed again: the first esc closes it."""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "go_on_or_submit", show=False),
        Binding("ctrl+s", "submit", show=False),
        Binding("ctrl+r", "discard_draft", show=False),
        Binding("ctrl+g", "edit_long_text", show=False, priority=True),
        Binding("down", "app.focus_next", show=False),
        Binding("up", "app.focus_previous", show=False),
        Binding("pagedown", "scroll_by(6)", show=False),
        Binding("pageup", "scroll_by(-6)", show=False),
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
        about: Id = "",
        record: Any = None,
    ) -> None:
        """``record`` is the record that the form edits: the form then says when others change it. Any other form that
        keeps drafts names in ``about`` the record to which it adds something."""
        self.submit_words, self._other_hints = submit, hints
        self.long_text = LongTextEditing(self)
        self._is_painted = False
        super().__init__(title, "")
        self._fields = tuple(fields)
        self.rows: list[FieldRow] = []
        self.record = record
        self.draft = FormDraft(self, getattr(record, "id", about))
        self._change = self._said = ""
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
        self.rows = [FieldRow(field, number) for number, field in enumerate(self._fields)]
        with Body():
            if self._note:
                yield PlainText(self._note, classes="note")
            yield from self.rows
            with Horizontal(id="acts"):
                yield from self.buttons()

    def buttons(self) -> Iterable[InlineButton]:
        """The buttons under the fields, the primary one first."""
        return (InlineButton(self.submit_words, id="submit", is_primary=True), InlineButton("Cancel", id="cancel"))

    def on_mount(self) -> None:
        """Restore a draft, and focus the first field."""
        self.draft.restore()
        self.show_dependent()
        self._show_message()
        listener = getattr(self.app, "following", None)
        if listener is not None and self.draft.version not in (None, getattr(self.record, "version", None)):
            start_worker(self, listener.check_form, group="watcher")  # the draft was typed on an older version
        first: Widget = self.rows[0].widget if self.rows else self.query_one("#submit")
        first.focus()
        self.set_timer(LATEST_FOCUS, self._begin_to_paint)

    def set_focus(self, widget: Widget | None, scroll_visible: bool = True, from_app_focus: bool = False) -> None:
        """Focus a widget. Fields scroll by their row: Textual's own scroll could come before that or after it."""
        is_field = widget is not None and any(isinstance(each, FieldRow) for each in widget.ancestors)
        super().set_focus(widget, scroll_visible and not is_field, from_app_focus)

    def compose(self) -> ComposeResult:
        is_last = len(self._fields) < 2
        self._hints = self._hints_at(self._fields[0] if self._fields else None, is_last=is_last)
        yield from super().compose()

    def _hints_at(self, field: Field | None, *, is_last: bool) -> str:
        """The hints while a field has the focus: enter goes on or saves, or it adds a line or opens a list."""
        submit = self.submit_words.lower()
        editor = self.long_text.hint if isinstance(field, MultilineField) else ""
        if isinstance(field, MultilineField | PickerField | MoreField):
            keys = f"ctrl+s {submit}"
        elif is_last or self.enter_saves:
            keys = f"enter {submit}"
        else:
            keys = f"enter next · ctrl+s {submit}"
        completes = "tab complete · " if getattr(field, "complete", None) else ""
        return f"{keys} · {completes}{editor}{self._other_hints}esc cancel"

    def _compositor_refresh(self) -> None:
        """Paint, but not before the first field shows that it has the focus: that would be two pictures."""
        if self._is_painted:
            super()._compositor_refresh()

    def _begin_to_paint(self) -> None:
        if not self._is_painted:
            self._is_painted = True
            self._compositor_refresh()

    def on_descendant_focus(self) -> None:
        row = next((row for row in self.rows if row.has_focus_within), None)
        if self.long_text.is_whole and row is not None and not is_long(row):
            self.long_text.shrink()
        self.show_keys()
        self._begin_to_paint()

    def show_keys(self) -> None:
        """Show the hints for the field that has the focus."""
        row = next((row for row in self.rows if row.has_focus_within), None)
        self.show_hints(self._hints_at(row.field if row else None, is_last=self._next_row() is None))

    def action_edit_long_text(self) -> None:
        self.long_text.toggle()

    @on(Edited)
    def follow_up(self, edited: Edited) -> None:
        """Update fields that depend on the edited one: their visibility and their values."""
        self.show_dependent()
        self.show_keys()  # the field after this one may be there only now
        if self._follow is None:
            return
        name = next(row.field.name for row in self.rows if row.widget is edited.widget)
        changes = self._follow(name, self._read_values())
        for row in self.rows:
            if row.field.name in changes:
                row.put(*changes[row.field.name])

    def show_dependent(self) -> None:
        """Show the fields for the values that are chosen now, and hide the others."""
        chosen = self._read_values()
        for row in self.rows:
            only = getattr(row.field, "only", ())
            row.display = not only or chosen[only[0]] in only[1:]

    def _read_values(self) -> dict[str, Any]:
        return {
            row.field.name: row.control.take()
            for row in self.rows
            if isinstance(row.field, ChoiceField | MoreField | PickerField)
        }

    def on_resize(self) -> None:
        """Keep the focused field in view."""
        for row in self.rows:
            if row.has_focus_within:
                row.scroll_into_view()

    @on(Button.Pressed, "#cancel")
    def action_leave(self) -> None:
        """Close the form; with unsaved input, only at the second esc."""
        if self._is_saving:
            return
        if self.long_text.is_whole and len(self.rows) > 1:
            self.long_text.shrink()
            return
        if self._was_warned or not self.warns_of_loss or not any(row.was_edited for row in self.rows):
            self.draft.end()
            self.dismiss(self.so_far)
            return
        self._was_warned = True
        self.say(UNSAVED)

    @on(Input.Changed)
    @on(TextArea.Changed)
    @on(Edited)
    def go_on(self) -> None:
        """Remove the warning and the offer of the draft when the user goes on typing, and keep what they type."""
        is_offered = bool(self.draft.words)
        self.draft.keep_soon()
        if self._was_warned or is_offered or (self._said and self._change):
            self._was_warned = False
            self.say("")

    def action_discard_draft(self) -> None:
        """Go back to the form without the draft that it has restored."""
        if self.draft.discard():
            self.conflicts.clear()
            self._change = ""
            self.show_dependent()
            self.say("")

    def on_unmount(self) -> None:
        self.draft.keep_now()

    # -- the message line ------------------------------------------------------------------------------------

    def say(self, words: str, *, bad: bool = False) -> None:
        """Show a message at the bottom of the panel; instead of an empty one, a change or the offer of the draft."""
        if self.is_open:
            self._show_message(words, bad=bad)

    def show_change(self, words: str) -> None:
        """Show in the message line that others have just changed the record; an empty text takes that away."""
        if self._change != words:
            self._change = words
            if self._was_warned or not self._said:
                self._was_warned = False
                self.say("")

    def _show_message(self, words: str = "", *, bad: bool = False) -> None:
        """Its line is there from the beginning, so that the form keeps its layout."""
        self._said = words
        offer = f"{RESTORED_SHORT} · " if self.draft.words else ""
        shown = words or (offer + self._change if self._change else self.draft.words)
        message = next(iter(self.query("#message").results(PlainText)), None)
        if message is None:  # the terminal was closed while the form opened
            return
        message.update(plain(shown))
        for name, is_so in (("-bad", bad), ("-said", bool(words)), ("-changed", not words and bool(self._change))):
            message.set_class(is_so, name)
        message.set_class(not shown, "-empty")

    def saved_so_far(self, record: Any) -> None:
        """Called when a part of the answers was saved, with the record as it is since."""
        self.record, self.draft.version = record, None

    @property
    def seen_version(self) -> int | None:
        """The version of the edited record as the user knows it: a restored draft keeps its own."""
        return self.draft.version or getattr(self.record, "version", None)

    @on(Input.Submitted)
    def action_go_on_or_submit(self) -> None:
        """Go to the next field, or save on the last one."""
        row = None if self.enter_saves else self._next_row()
        if row is None:
            self.action_submit()
        else:
            row.widget.focus()

    def _next_row(self) -> FieldRow | None:
        """The row after that of the focus; None for the last one, and where no row has the focus."""
        return next(iter(self.rows_below()), None)

    def rows_below(self) -> list[FieldRow]:
        """The rows after that of the focus that are shown; none where no row has the focus."""
        rows = [row for row in self.rows if row.display]
        here = next((number for number, row in enumerate(rows) if row.has_focus_within), len(rows))
        return rows[here + 1 :]

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
        if not await self._settle_amounts():
            self._is_saving = False
            return
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
            slow.stop()  # finishing can take longer than saving, and it is saved
            self.say("")
            if result is not None:
                self.draft.end()
                await self.finish(result)
        finally:
            slow.stop()
            self._is_saving = False

    async def _settle_amounts(self) -> bool:
        """Ask which number is meant by one with two meanings, such as “12.500”; False if the person does not say."""
        from tui.dialogs.menus.picker import Option, PickDialog

        for row in self.rows:
            line = row.widget
            is_unsure = row.display and isinstance(row.field, TextField) and row.field.is_amount
            if not is_unsure or not isinstance(line, LineControl) or not has_two_meanings(line.value):
                continue
            refused = TwoMeanings(line.value.strip())
            options = [Option(each, each) for each in spell_both(line.value)]
            meant = await self.podium.ask(PickDialog(f"“{line.value.strip()}” can mean two numbers", options))
            if meant is None:
                self._complain(InvalidInput(row.field.name, str(refused)))
                return False
            line.value = meant[0]
        return True

    def _answers(self) -> dict[str, Any] | None:
        """The answers of the visible fields; None if some cannot be accepted, which their lines then say."""
        answers: dict[str, Any] = {}
        faults: list[InvalidInput] = []
        for row in self.rows:
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
    def is_saving(self) -> bool:
        """True while the answers are being saved."""
        return self._is_saving

    @property
    def podium(self) -> TerminalApp[Any]:
        """The app, which opens other dialogs."""
        return cast("TerminalApp[Any]", self.app)

    def compare(self, error: VersionConflict, shown: Sequence[Versions]) -> None:
        """Go on editing after a conflict: show their values under the fields; saving then replaces them."""
        self.conflicts.append(error)
        theirs = {each.name: each.theirs for each in shown if each.theirs_is_new}
        for row in self.rows:
            if row.field.name in theirs:
                row.say(f"theirs now: {theirs[row.field.name]}")

    def _take(self, settled: ConflictResolved) -> None:
        if settled.settlement is ConflictChoice.AGAIN:
            self.say(NOT_YET)
        else:
            self.draft.end()
            self.dismiss(self.so_far)

    def _complain(self, *faults: InvalidInput) -> None:
        """Show each fault under its field, and go to the first one. One without a field is shown at the bottom."""
        if not self.is_open:
            return
        self.open_more({fault.field for fault in faults})
        rows = {row.field.name: row for row in self.rows if row.display}
        self.say("")
        for fault in faults:
            if fault.field in rows:
                rows[fault.field].complain(str(fault))
            else:
                self.say(str(fault), bad=True)
        first = next((row for name, row in rows.items() if name in {fault.field for fault in faults}), None)
        if first is not None:
            first.go_to()

    def open_more(self, names: set[str]) -> None:
        """Open the ``MoreField`` that hides one of these fields."""
        for row in self.rows:
            if getattr(row.field, "only", ()) and row.field.name in names:
                for more in self.query(MoreControl):
                    more.action_show_fields(True)
        self.show_dependent()


class LongTextDialog(FormDialog[R]):
    """Asks for one long text in the whole window, and opens the editor of the person at once.

    What the editor saves is saved, like the text of any other form. All else, such as an editor that failed, leaves the
    form open with the text.
    """

    def __init__(
        self, title: str, field: MultilineField, save: Callable[[dict[str, Any]], Awaitable[R | None]], record: Any
    ) -> None:
        super().__init__(title, [field], save, record=record)

    def on_mount(self) -> None:
        super().on_mount()
        self.long_text.grow(self.rows[0])
        if not self.draft.words:  # which is offered first
            self.call_after_refresh(self._open_editor)

    def _open_editor(self) -> None:
        row = self.rows[0]
        if not self.is_open:
            return
        if self.long_text.edit(row) and self.is_open:
            if row.was_edited:
                self.action_submit()
            else:
                self.action_leave()
