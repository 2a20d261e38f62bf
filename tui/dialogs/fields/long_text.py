"""The long text of a form that has the focus: in the editor of the person, or in the whole window."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from tui.dialogs.fields.form_fields import MultilineField
from tui.dialogs.fields.inputs import LinesControl
from tui.dialogs.fields.row import FieldRow
from tui.dialogs.host import DialogHost

if TYPE_CHECKING:
    from tui.dialogs.form import FormDialog

WHOLE = "-whole"
"""The class of a form that shows one text in the whole window, and of the row of that text."""


class LongTextEditing:
    """Edits the texts of one form."""

    def __init__(self, form: FormDialog[Any]) -> None:
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
            self._form.draft.edited()
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
