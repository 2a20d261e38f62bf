"""The filter line: opened by ``/``, it filters while the user types, and stays as long as it has text."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.geometry import Offset

from core.errors import InvalidFilter
from tui.widgets.bars import OwnKey, focus_moved
from tui.widgets.filter_completions import FilterHelp
from tui.widgets.steady_input import SteadyInput

if TYPE_CHECKING:
    from core.filters.completion import Completion

WORDS = "Filter: words of a title or a name – Enter keeps it, Esc clears it"
LANGUAGE = "Filter: words, @me, #label, !high, due:late – Tab completes, Esc clears"

KEPT = (("enter", "keep", "keep"), ("esc", "clear", "leave(True)"))
WORDS_KEYS = (*KEPT, ("↓", "to the list", "leave(False)"))
LANGUAGE_KEYS = (*KEPT, ("tab", "complete", "complete"), ("↑↓", "choose", "step(1)"))


class FilterLine(SteadyInput):
    """An input that is hidden when empty. Enter returns to the list, unless the filter is wrong; escape clears it.

    With the filter language it has completions: tab, or right at the end, accepts one, up and down move. An error
    is underlined, and explained above the line.
    """

    DEFAULT_CSS = """
    FilterLine {
        dock: bottom; display: none; height: 1; border: none; padding: 0 1; margin-bottom: 1;
        background: $panel; color: $foreground;
    }
    FilterLine:focus { border: none; background: $boost; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave(True)", "Clear the filter", show=False),
        Binding("enter", "keep", "Back to the list", show=False),
        Binding("down,ctrl+n", "step(1)", "Next completion, or back to the list", show=False),
        Binding("up,ctrl+p", "step(-1)", "Previous completion", show=False),
        Binding("tab", "complete", "Complete", show=False),
    ]

    def __init__(self, completions: Callable[[str, int], tuple[Completion, ...]] | None = None) -> None:
        """``completions`` gives those of a text at a character index; without it a filter is only words."""
        super().__init__(placeholder=LANGUAGE if completions else WORDS)
        self._completions = completions
        self._help: FilterHelp | None = None
        self._offered: tuple[Completion, ...] = ()
        self._choice = 0
        self._was_moved = False
        self._refused: InvalidFilter | None = None
        self._wrong = range(0)

    def on_mount(self) -> None:
        if self._completions:
            self.watch(self, "selection", self._offer, init=False)

    @property
    def text(self) -> str:
        return self.value

    @property
    def own_keys(self) -> tuple[OwnKey, ...]:
        """Its keys, for the key line."""
        return LANGUAGE_KEYS if self._completions else WORDS_KEYS

    def open(self) -> None:
        """Show and focus the line at once, without waiting for a frame."""
        self.display = True
        self.screen.set_focus(self)

    def put(self, text: str) -> None:
        """Replace the filter."""
        self.value = text
        self.cursor_position = len(text)
        self.display = bool(text)

    def clear(self) -> None:
        """Empty the filter and hide the line."""
        self.put("")

    def action_leave(self, clear: bool) -> None:
        if clear or not self.value:
            self.clear()
        target = self.screen.query(self.screen.AUTO_FOCUS or "*").first()
        target.focus()

    def on_focus(self) -> None:
        focus_moved(self)

    def on_blur(self) -> None:
        self._offered = ()
        self._show()
        focus_moved(self)

    # -- errors ----------------------------------------------------------------------------------------------

    def refuse(self, refused: InvalidFilter, before: int) -> None:
        """Show an error. The line's text begins ``before`` characters after the start of the filter."""
        self._refused = refused
        start = refused.at - before
        self._wrong = range(max(0, start), max(0, start + refused.length))
        self._show()

    def accept(self) -> None:
        """Remove the error: the filter is valid."""
        self._refused, self._wrong = None, range(0)
        self._show()

    @property
    def _is_being_typed(self) -> bool:
        """True while the user types the wrong part and there are completions for it, so that no error is shown."""
        at_cursor = self._wrong and self._wrong.start < self.cursor_position <= self._wrong.stop
        return bool(at_cursor and self._offered)

    @property
    def _value(self) -> Text:
        """The text, with its wrong part underlined."""
        text = super()._value
        if self._wrong and not self._is_being_typed:
            text.stylize("underline bold", self._wrong.start, self._wrong.stop)
        return text

    @property
    def cursor_screen_offset(self) -> Offset:
        """The cell of the terminal where the user works: in the text, or on a completion that was moved to."""
        if self._help is not None and self._offered and self._was_moved:
            return self._help.cursor_screen_offset
        return super().cursor_screen_offset

    # -- completion ------------------------------------------------------------------------------------------

    def _offer(self, *_: object, asked: bool = False) -> None:
        """Find completions at the cursor. At the beginning of a term there are many, so only if ``asked`` for."""
        at = self.cursor_position
        wanted = self.has_focus and (asked or self.value[at - 1 : at].strip())
        self._offered = self._completions(self.value, at) if wanted and self._completions else ()
        self._choice, self._was_moved = 0, False
        self._show()

    def _show(self) -> None:
        """Show completions or an error above the line."""
        if self._help is None and (self._offered or self._refused):
            self._help = FilterHelp()
            self.screen.mount(self._help)
        if self._help is None:
            return
        if self._refused and not self._is_being_typed:
            self._help.complain(str(self._refused))
        else:
            self._help.offer([(each.word, each.meaning) for each in self._offered], self._choice)
        self.refresh()

    def action_complete(self) -> None:
        """Accept the completion; without one, show those at the cursor."""
        if self._offered:
            self._take()
        elif self._completions:
            self._offer(asked=True)
        else:
            self.screen.focus_next()

    def action_cursor_right(self, select: bool = False) -> None:
        if self._offered and self.cursor_at_end and not select:
            self._take()
        else:
            super().action_cursor_right(select)

    def action_step(self, steps: int) -> None:
        if self._offered:
            self._choice = (self._choice + steps) % len(self._offered)
            self._was_moved = True
            self._show()
        elif steps > 0:
            self.action_leave(False)

    def action_keep(self) -> None:
        """Return to the list, or accept the completion that the cursor was moved to; stay at an error, and show it."""
        if self._offered and self._was_moved:
            self._take()
        elif self._wrong:
            self._offered = ()
            self._show()
        else:
            self.action_leave(False)

    def _take(self) -> None:
        chosen = self._offered[self._choice]
        self.value = chosen.text
        self.cursor_position = chosen.at
        self._offer()
