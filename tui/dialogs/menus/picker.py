"""One or several options from a list, with a filter."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.geometry import Offset
from textual.message import Message
from textual.widgets import Input

from core.record import Record
from core.text.folding import begins_word, fold
from tui.dialogs.dialog import Dialog, PlainText
from tui.widgets.option_list import Row, Rows, RowsWhenDrawn
from tui.widgets.steady_input import SteadyInput

WORD_ENDS = r"[^\w]+"


class Option(Record, kw_only=False):
    """An option. One with a ``reason`` is disabled, and the reason is shown while the cursor is on it."""

    id: str
    label: str
    hint: str = ""
    reason: str = ""
    about: str = ""
    """A description, shown while the cursor is on it; the filter searches it too."""

    @property
    def searched(self) -> str:
        return fold(f"{self.label} {self.hint} {self.about}")


def rank(option: Option, words: Sequence[str]) -> int:
    """Return how many typed words begin no word of the label: options with fewer come first, else in their order."""
    label = " ".join(re.split(WORD_ENDS, fold(option.label)))
    return sum(not begins_word(word, label) for word in words)


class PickFilter(SteadyInput):
    """The filter of the list. Space marks or chooses in the list.

    With ``types_space`` it separates words after a letter, until the cursor of the list has moved.
    """

    DEFAULT_CSS = """
    PickFilter.-textual-compact {
        dock: top;
        padding: 0 1;
        background: $foreground 7%;
        &:focus { background: $foreground 12%; background-tint: transparent; }
    }
    """

    class Space(Message):
        """Posted when space is meant for the list."""

    def __init__(self, *, types_space: bool) -> None:
        super().__init__(placeholder="Type to filter", compact=True, id="filter")
        self._types_space = types_space
        self.row_is_found = False
        """True after the cursor of the list has moved since the last letter."""
        self._is_in_list = False

    def go_into_list(self) -> None:
        """Keep the terminal's cursor in the list, whose cursor was moved, until the text or its cursor changes."""
        self._is_in_list = True

    def watch_selection(self) -> None:
        self._is_in_list = False

    @property
    def cursor_screen_offset(self) -> Offset:
        """The cell of the terminal where the user works: in the text, or at the beginning of a row of the list."""
        return self.screen.query_one(Rows).cursor_screen_offset if self._is_in_list else super().cursor_screen_offset

    def on_key(self, event: events.Key) -> None:
        if event.key == "space" and not (self._types_space and self.value.strip() and not self.row_is_found):
            event.stop()
            event.prevent_default()
            self.post_message(self.Space())


class PickDialog(Dialog[tuple[str, ...] | None]):
    """Asks for options. Dismissed with the chosen ids, in the order of the list, or None.

    With ``multiple``, space marks, and enter accepts the marked options. If no mark was changed or set, enter accepts
    the row of the cursor, unless ``only_marked``, which is for permissions: looking must not grant one. If a name was
    typed since the last mark, the first enter marks its row and the next one accepts.
    """

    DEFAULT_CSS = """
    PickDialog #empty { color: $text-muted; padding: 0 1; }
    PickDialog.-roomy PickFilter { margin-bottom: 1; }
    PickDialog.-roomy.-explains #message { min-height: 3; }
    PickDialog.-roomy.-tells #message { height: 4; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,ctrl+p", "step(-1)", show=False),
        Binding("down,ctrl+n", "step(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
        Binding("pagedown", "page(1)", show=False),
    ]

    types_space: ClassVar[bool] = False
    """True where options have several words, which the filter takes with ``multiple`` too."""

    def __init__(
        self,
        title: str,
        options: Sequence[Option],
        *,
        multiple: bool = False,
        only_marked: bool = False,
        chosen: Collection[str] = (),
        empty: str = "Nothing to choose from.",
    ) -> None:
        super().__init__(title, "space mark · enter done · esc cancel" if multiple else "enter choose · esc cancel")
        self._options = tuple(options)
        self._multiple = multiple
        self._only_marked = only_marked
        self._marked = {option.id for option in options if option.id in chosen}
        self._was_touched = False
        self._was_typed = False
        """True if the filter has words that were typed after the last mark."""
        self._empty = empty
        self._found = self._options
        self._start = next((at for at, option in enumerate(options) if option.id in chosen), 0)

    def questions(self) -> ComposeResult:
        yield PickFilter(types_space=self.types_space or not self._multiple)
        yield Rows(id="rows", takes_focus=False)
        yield PlainText(self._empty, id="empty")

    def on_mount(self) -> None:
        self.set_class(any(option.reason for option in self._options), "-explains")
        self.set_class(any(option.about for option in self._options), "-tells")
        self._show(self._start)

    @on(Input.Changed)
    def narrow(self, changed: Input.Changed) -> None:
        """Show only the options with every typed word."""
        words = fold(changed.value).split()
        self.query_one(PickFilter).row_is_found = False
        self._was_typed = bool(words)
        found = (option for option in self._options if all(word in option.searched for word in words))
        self._found = tuple(sorted(found, key=lambda option: rank(option, words)))
        self._show(0)

    @on(Input.Submitted)
    def accept(self) -> None:
        """Handle enter: accept the marked options, or the row of the cursor."""
        if self._multiple and self._was_typed and (self._only_marked or self._was_touched or self._marked):
            self._mark_typed()
        elif self._multiple and (self._only_marked or self._was_touched or self._marked):
            self.dismiss(tuple(option.id for option in self._options if option.id in self._marked))
        else:
            self._take()

    @on(Rows.Chosen)
    @on(PickFilter.Space)
    def mark_or_take(self) -> None:
        """Handle space, or a click on a row."""
        if self._multiple:
            self._toggle()
        else:
            self._take()

    def action_step(self, rows: int) -> None:
        self.query_one(Rows).action_step(rows)
        self._row_found()

    def action_page(self, pages: int) -> None:
        self.query_one(Rows).action_page(pages)
        self._row_found()

    def _row_found(self) -> None:
        words = self.query_one(PickFilter)
        words.row_is_found = self._multiple
        words.go_into_list()
        self._explain()

    def _toggle(self) -> None:
        option = self._focused_option()
        if option is not None:
            self._was_touched, self._was_typed = True, False
            self._marked ^= {option.id}
            self._show(self.query_one(Rows).cursor)
            self.query_one(PickFilter).go_into_list()

    def _mark_typed(self) -> None:
        """Mark the row of the cursor and clear the filter. Without a row, the list says that nothing matches."""
        option = self._focused_option()
        if option is not None:
            self._was_touched, self._was_typed = True, False
            self._marked |= {option.id}
            with self.prevent(Input.Changed):
                self.query_one(PickFilter).value = ""
                self.query_one(PickFilter).go_into_list()
            self._found = self._options
            self._show(self._options.index(option))

    def _take(self) -> None:
        option = self._focused_option()
        if option is not None:
            self.dismiss((option.id,))

    def _focused_option(self) -> Option | None:
        """The option of the cursor. If it is disabled, show the reason in red and return None."""
        option = self._at_cursor()
        self._explain(bad=True)
        return None if option is None or option.reason else option

    def _at_cursor(self) -> Option | None:
        return self._found[self.query_one(Rows).cursor] if self._found else None

    def _explain(self, *, bad: bool = False) -> None:
        """Show reason or description of the option at the cursor. The line stays even if empty, so that the list does
        not jump.
        """
        option = self._at_cursor()
        self.say((option.reason or option.about) if option else "", bad=bad and bool(option and option.reason))
        self.query_one("#message").display |= self.has_class("-explains") or self.has_class("-tells")

    def _show(self, cursor: int) -> None:
        found = self._found
        rows = RowsWhenDrawn(len(found), lambda number: self._row(found[number]))
        self.query_one(Rows).show(rows, cursor)
        self.query_one(Rows).display = bool(self._found)
        self.query_one("#empty", PlainText).put("" if self._found else self._nothing)
        self._explain()

    @property
    def _nothing(self) -> str:
        return "No matches." if self._options else self._empty

    def _row(self, option: Option) -> Row:
        mark = option.id in self._marked if self._multiple else None
        return Row(option.label, option.hint, mark=mark, dim=bool(option.reason))
