"""Long texts of a form: in the editor of the person, or in the whole window where no editor may run."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from tui.dialogs.fields.form_fields import MultilineField
from tui.dialogs.form import FormDialog

R = TypeVar("R")


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
