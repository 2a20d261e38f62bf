"""A text area with mentions: suggests people while the user types ``@login``."""

from __future__ import annotations

import re
from typing import Any, cast

from textual import events
from textual.geometry import Offset
from textual.widget import Widget

from core.record import Record
from core.text.folding import begins_word, fold
from tui.dialogs.fields.form_fields import MultilineField
from tui.dialogs.fields.inputs import LinesControl
from tui.widgets.filter_completions import FilterHelp

BEGUN = re.compile(r"(?<![\w.@/-])@([A-Za-z0-9._-]*)$")
"""An ``@login`` in progress at the end of a line, but not in an e-mail address or a path (as in the core)."""


class MentionSuggestions(Record, kw_only=False):
    """The suggested people as (login, name), and line and column of the ``@``."""

    people: tuple[tuple[str, str], ...] = ()
    place: tuple[int, int] = (-1, -1)


class MentionsHelp(FilterHelp):
    """The list of suggestions, under the text."""

    DEFAULT_CSS = "MentionsHelp { dock: none; layer: default; margin: 0; }"


class MentionsControl(LinesControl):
    """Text with mentions. In the suggestions, up and down move, tab accepts, and enter accepts after a move.

    Esc closes the suggestions, not the dialog.
    """

    def __init__(self, field: MultilineField) -> None:
        super().__init__(field.value, field.note)
        self._people = field.people
        self._help: MentionsHelp | None = None
        self._offer = MentionSuggestions()
        self._choice = 0
        self._was_moved = False
        self._declined = (-1, -1)
        """Line and column of an ``@`` whose suggestions the user closed."""

    def on_mount(self) -> None:
        self.move_cursor(self.document.end)  # after a mention that it begins with
        self.watch(self, "selection", self._update_suggestions, init=False)

    def on_blur(self) -> None:
        self._put(MentionSuggestions())

    @property
    def cursor_screen_offset(self) -> Offset:
        """The cell of the terminal where the user works: in the text, or on a suggestion that was moved to."""
        if self._help is not None and self._offer.people and self._was_moved:
            return self._help.cursor_screen_offset
        return super().cursor_screen_offset

    def _update_suggestions(self, *_: object) -> None:
        """Find suggestions for the text at the cursor."""
        row, column = self.cursor_location
        begun = BEGUN.search(self.document.get_line(row)[:column]) if self.has_focus else None
        place = (row, begun.start()) if begun else (-1, -1)
        if begun is None or place == self._declined:
            self._put(MentionSuggestions())
            return
        self._declined = (-1, -1)
        typed = fold(begun[1])
        found = tuple(each for each in self._people if _fits(each, typed))
        self._put(
            MentionSuggestions(() if typed in (login for login, _ in found) and len(found) == 1 else found, place)
        )

    def _put(self, offer: MentionSuggestions) -> None:
        self._offer, self._choice, self._was_moved = offer, 0, False
        self._show()

    def _show(self) -> None:
        if self._help is None and self._offer.people:
            self._help = MentionsHelp()
            cast(Widget, self.parent).mount(self._help, after=self)
        if self._help is not None:
            self._help.offer([(f"@{login}", name) for login, name in self._offer.people], self._choice)

    async def _on_key(self, event: events.Key) -> None:
        """Let open suggestions handle their keys first."""
        if self._offer.people and self._answer(event.key):
            event.stop()
            event.prevent_default()
            return
        await super()._on_key(event)

    def _answer(self, key: str) -> bool:
        """Handle a key of the suggestions. Return True if it was one."""
        if key in ("up", "down"):
            self._choice = (self._choice + (1 if key == "down" else -1)) % len(self._offer.people)
            self._was_moved = True
            self._show()
        elif key == "escape":
            self._declined = self._offer.place
            self._put(MentionSuggestions())
        elif key == "tab" or (key == "enter" and self._was_moved):
            self._take()
        else:
            return False
        return True

    def _take(self) -> None:
        """Write the chosen login and a space."""
        login, place = self._offer.people[self._choice][0], self._offer.place
        written: Any = self.replace(f"@{login} ", place, self.cursor_location, maintain_selection_offset=False)
        self.move_cursor(written.end_location)


def _fits(person: tuple[str, str], typed: str) -> bool:
    """True if the login or a part of the name begins with the text."""
    login, name = person
    return begins_word(typed, f"{login} {fold(name)}")
