"""A form: it stays open, with everything that was typed, until its answer is accepted or given up."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Horizontal
from textual.widget import Widget
from textual.widgets import Button, Input, TextArea

from core.errors import InvalidInput, PodiumError, VersionConflict
from tui.dialogs.conflict_choice import ConflictChoice, ConflictResolved, Versions
from tui.dialogs.dialog import Body, Dialog, InlineButton, Words
from tui.dialogs.form_fields import Choice, Field, Line, Lines, PickerField
from tui.dialogs.inputs import Control, Edited, LineControl, LinesControl, PickControl, control_of

if TYPE_CHECKING:
    from tui.terminal.terminal_app import TerminalApp

R = TypeVar("R")

Follow = Callable[[str, dict[str, Any]], Mapping[str, tuple[tuple[str, ...], str]]]
"""Takes the edited field and the chosen answers, returns the ``PickerField``s that change, each with its new value
and a sentence that says why."""

UNSAVED = "Not saved – esc again to discard."
POINTED_AT = "The cursor stands right after it."
NOT_YET = "Not saved yet. Fields that you do not touch stay as the others have written them."


class FieldRow(Container):
    """A label, its control, and under it what is understood or what is wrong."""

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

    def __init__(self, field: Field) -> None:
        super().__init__()
        self.field = field
        self.widget = control_of(field)
        self.control = cast(Control, self.widget)
        self._at_first = self.control.typed

    def compose(self) -> ComposeResult:
        yield Words(self.field.label, classes="label")
        with Container(classes="answer"):
            yield self.widget
            yield Words(classes="under")

    def on_mount(self) -> None:
        self.follow()

    def on_descendant_focus(self) -> None:
        """Show where the person is, and bring the label into view too."""
        self.add_class("-here")
        self.call_after_refresh(self.scroll_visible, animate=False)

    def on_descendant_blur(self) -> None:
        self.remove_class("-here")

    @property
    def was_edited(self) -> bool:
        return self.control.typed != self._at_first

    @on(Input.Changed)
    @on(TextArea.Changed)
    @on(Edited)
    def follow(self) -> None:
        """Say what is understood now; an earlier complaint is over."""
        self._say(self.control.meaning, bad=False)

    def put(self, value: tuple[str, ...], why: str) -> None:
        """Choose for the person, and say why."""
        cast(PickControl, self.widget).put(value)
        self._say(why, bad=False)

    def say(self, words: str) -> None:
        """Show words under the field until it is edited."""
        self._say(words, bad=False)

    def complain(self, words: str) -> None:
        """Say what is wrong, and bring the person here; to the very place where nobody can see what is meant."""
        is_pointed_at = isinstance(self.widget, LineControl | LinesControl) and self.widget.go_to_unsafe()
        self._say(f"{words} {POINTED_AT}" if is_pointed_at else words, bad=True)
        self.widget.focus()
        self.call_after_refresh(self.scroll_visible, animate=False)

    def _say(self, words: str, *, bad: bool) -> None:
        under = self.query_one(".under", Words)
        under.put(words)
        under.set_class(bad, "-bad")


class FormDialog(Dialog[R | None]):
    """Asks for fields and hands them to ``save``; dismissed with its result, or None when the person gave up.

    ``save`` takes the answers by field name. ``InvalidInput`` from it is shown under the field it names, any other
    ``PodiumError`` at the bottom; the dialog stays open for another try. It also does when ``save`` gives None.
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
        &.-wide .note, &.-wide #acts { padding-left: 14; }
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
    ) -> None:
        super().__init__(title, f"ctrl+s {submit.lower()} · esc cancel")
        self._fields = tuple(fields)
        self._rows: list[FieldRow] = []
        self._save = save
        self._submit = submit
        self._note = note
        self._follow = follow
        self._is_saving = False
        self._was_warned = False
        self.conflicts: list[VersionConflict] = []
        """What others wrote while the form was open, and the person has been shown."""

    def questions(self) -> ComposeResult:
        self._rows = [FieldRow(field) for field in self._fields]
        with Body():
            if self._note:
                yield Words(self._note, classes="note")
            yield from self._rows
            with Horizontal(id="acts"):
                yield InlineButton(self._submit, id="submit")
                yield InlineButton("Cancel", id="cancel")

    def on_mount(self) -> None:
        """Begin in the first field, unscrolled, which Textual's own choice of a first focus would not be."""
        self._show_asked()
        first: Widget = self._rows[0].widget if self._rows else self.query_one("#submit")
        first.focus(scroll_visible=False)

    @on(Edited)
    def follow_up(self, edited: Edited) -> None:
        """What was chosen may decide what else is asked, and what else is chosen."""
        self._show_asked()
        if self._follow is None:
            return
        name = next(row.field.name for row in self._rows if row.widget is edited.widget)
        changes = self._follow(name, self._chosen())
        for row in self._rows:
            if row.field.name in changes:
                row.put(*changes[row.field.name])

    def _show_asked(self) -> None:
        chosen = self._chosen()
        for row in self._rows:
            only = row.field.only if isinstance(row.field, Line | Lines) else None
            row.display = only is None or chosen[only[0]] == only[1]

    def _chosen(self) -> dict[str, Any]:
        return {row.field.name: row.control.take() for row in self._rows if isinstance(row.field, Choice | PickerField)}

    def on_resize(self) -> None:
        """What is being filled in stays in view."""
        for row in self._rows:
            if row.has_focus_within:
                row.call_after_refresh(row.scroll_visible, animate=False)

    @on(Button.Pressed, "#cancel")
    def action_leave(self) -> None:
        """Leave, but not over what was typed: that takes a second time."""
        if self._is_saving:
            return
        if self._was_warned or not any(row.was_edited for row in self._rows):
            self.dismiss(None)
            return
        self._was_warned = True
        self.say(UNSAVED)

    @on(Input.Changed)
    @on(TextArea.Changed)
    @on(Edited)
    def go_on(self) -> None:
        """Whoever types on has not left."""
        if self._was_warned:
            self._was_warned = False
            self.say("")

    @on(Input.Submitted)
    @on(Button.Pressed, "#submit")
    def action_submit(self) -> None:
        if not self._is_saving:
            self._is_saving = True
            cast("TerminalApp[Any]", self.app).begin(self._try_to_save)

    async def _try_to_save(self) -> None:
        """Take the answers and have them saved; in a worker, because saving may ask something itself."""
        self._was_warned = False
        self.say("Saving…")
        try:
            result = await self._save({row.field.name: row.control.take() for row in self._rows if row.display})
        except InvalidInput as refused:
            self._complain(refused)
        except ConflictResolved as settled:
            self._take(settled)
        except PodiumError as refused:
            self.say(str(refused), bad=True)
        else:
            self.say("")
            if result is not None:
                self.dismiss(result)
        finally:
            self._is_saving = False

    def compare(self, error: VersionConflict, shown: Sequence[Versions]) -> None:
        """Go on beside what others have written meanwhile: it is said under each field, and saved over from here."""
        self.conflicts.append(error)
        theirs = {each.name: each.theirs for each in shown if each.theirs_is_new}
        for row in self._rows:
            if row.field.name in theirs:
                row.say(f"theirs now: {theirs[row.field.name]}")

    def _take(self, settled: ConflictResolved) -> None:
        if settled.settlement is ConflictChoice.AGAIN:
            self.say(NOT_YET)
        else:
            self.dismiss(None)

    def _complain(self, refused: InvalidInput) -> None:
        if not self.is_open:
            return
        row = next((row for row in self._rows if row.field.name == refused.field and row.display), None)
        if row is None:
            self.say(str(refused), bad=True)
        else:
            self.say("")
            row.complain(str(refused))
