"""The draft of one open form: offered when the form opens, kept while the person types, removed when they are done."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual.timer import Timer

from core.domain.model import Id
from tui.wording.times import now, when

if TYPE_CHECKING:
    from tui.dialogs.drafts.files import DraftFiles, KeptDraft
    from tui.dialogs.form import FormDialog

WRITTEN_AFTER = 0.4
"""Seconds from the first key to the writing of a draft, and between two writings while the person goes on typing."""

RESTORED = "Restored what you typed {}. ctrl+r discards it."
RESTORED_SHORT = "Restored, ctrl+r discards"
"""The same before a change of the record."""


class FormDraft:
    """The draft of a form; it does nothing for a form about no record, and in a browser.

    A form is known by the record that it is about, the words of its button and the name of its first field, because its
    title can change with the name of the record.
    """

    def __init__(self, form: FormDialog[Any], about: Id) -> None:
        self._form = form
        self._about = about
        self._timer: Timer | None = None
        self._is_kept = False
        self._restored: KeptDraft | None = None
        self._at_first: dict[str, Any] = {}
        self.version: int | None = None
        """The version of the record when the restored text was typed; None if nothing was restored."""
        self._is_offered = False
        """True until the person goes on typing: a key could then discard more than the draft."""

    @property
    def _files(self) -> DraftFiles | None:
        return getattr(self._form.app, "drafts", None) if self._about else None

    @property
    def _name(self) -> str:
        return f"{self._about} {self._form.submit_words} {next((row.field.name for row in self._form.rows), '')}"

    @property
    def words(self) -> str:
        """The line that offers to discard the draft; empty without one, and once the person has gone on typing."""
        return RESTORED.format(when(self._restored.at, now())) if self._restored and self._is_offered else ""

    def restore(self) -> None:
        """Put the draft into the form, if there is one that says something else than the form."""
        files = self._files
        draft = files.read(self._name) if files else None
        if files is None or draft is None:
            return
        self._is_kept = True
        rows = [row for row in self._form.rows if row.field.name in draft.fields]
        for row in rows:
            row.restore(draft.fields[row.field.name])
        if any(row.was_edited for row in rows):
            self._restored, self._is_offered, self.version = draft, True, draft.version
            self._at_first = self._typed()
            self._form.open_more({row.field.name for row in rows if row.was_edited})
        else:
            self.end()

    def discard(self) -> bool:
        """Show the form as it would be without the draft, and remove that. Return False if none was restored."""
        if self._restored is None or not self._is_offered:
            return False
        for row in self._form.rows:
            row.reset()
        self.end()
        return True

    def edited(self) -> None:
        """Called after each key: keep what was typed, soon."""
        if self._is_offered and self._typed() == self._at_first:
            return  # not a key: text areas post their first text too
        self._is_offered = False
        if self._files is not None and self._timer is None:
            self._timer = self._form.set_timer(WRITTEN_AFTER, self._write)

    def keep_now(self) -> None:
        """Called when the form closes by itself: keep what was not written yet."""
        if self._timer is not None:
            self._write()

    def end(self) -> None:
        """Called when the person has saved, cancelled or discarded: remove the draft."""
        if self._timer is not None:
            self._timer.stop()
        if self._files is not None and (self._is_kept or self._timer is not None):
            self._files.remove(self._name)
        self._timer = self._restored = self.version = None
        self._is_kept = self._is_offered = False

    def _typed(self) -> dict[str, Any]:
        return {row.field.name: row.control.draft for row in self._form.rows if row.was_edited}

    def _write(self) -> None:
        typed = self._typed()
        files = self._files
        if self._timer is not None:
            self._timer.stop()
        self._timer = None
        if files is None:
            return
        if typed:
            self._is_kept = True
            files.write(self._name, typed, self.version or self._form.seen_version)
        elif self._is_kept:
            files.remove(self._name)
