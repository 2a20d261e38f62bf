"""The box above the filter line, with completions or an error."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from rich.cells import cell_len
from textual.content import Content
from textual.geometry import Offset
from textual.widget import Widget
from textual.widgets import Static

from tui.drawing.cells import fit, plain
from tui.drawing.theme import QUIET

MAX_COUNT = 6
"""Most completions in view; others appear as the cursor moves."""


class FilterHelp(Static):
    """A box over the cards, as high as its text, so that nothing moves while the user types."""

    DEFAULT_CSS = """
    FilterHelp {
        dock: bottom; layer: filter-help; display: none; width: 100%; height: auto; max-height: 7; margin-bottom: 2;
        padding: 0 1; background: $panel; color: $foreground;
    }
    FilterHelp.-wrong { color: $text-error; }
    """
    ALLOW_SELECT = False

    _row = 0
    """The row of the choice."""

    @property
    def cursor_screen_offset(self) -> Offset:
        """The cell of the terminal where the row of the choice begins."""
        return self.content_region.offset + Offset(0, self._row)

    def offer(self, completions: Sequence[tuple[str, str]], choice: int) -> None:
        """Show words with their meanings, and a sign at the ``choice``-th one; hide the box without words."""
        first = min(max(0, choice - MAX_COUNT + 1), max(0, len(completions) - MAX_COUNT))
        shown = completions[first : first + MAX_COUNT]
        self._row = choice - first
        width = max((cell_len(plain(word).plain) for word, _ in shown), default=0)
        lines = [self._line(word, meaning, width, first + at == choice) for at, (word, meaning) in enumerate(shown)]
        more = len(completions) - len(shown)
        if more:
            lines.append(Content.styled(f"  {len(completions)} matches, ↓ for more", QUIET))
        self._put(Content("\n").join(lines), wrong=False)

    def complain(self, words: str) -> None:
        """Show an error."""
        self._put(plain(words), wrong=True)

    def _line(self, word: str, meaning: str, width: int, chosen: bool) -> Content:
        room = max(0, cast(Widget, self.parent).size.width - 2)
        sign = (">" if getattr(self.app, "ascii", False) else "›") if chosen else " "
        word = fit(plain(word).plain, min(width, room - 2))
        gap = " " * (min(width, room) - cell_len(word) + 2)
        rest = fit(plain(meaning).plain, max(0, room - cell_len(word) - len(gap) - 2))
        return Content.assemble((f"{sign} {word}", "bold $text-accent" if chosen else ""), gap, (rest, QUIET))

    def _put(self, content: Content, *, wrong: bool) -> None:
        self.set_class(wrong, "-wrong")
        self.display = bool(content.plain)
        self.update(content)
