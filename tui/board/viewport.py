"""The part of a board that is in view: its columns, and the line that each of them is scrolled to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import is_

from textual.geometry import Size
from textual.widget import Widget

from core.domain.model import Id
from tui.board.layout import MAX_HEAD, STATUS_HEAD, ColumnLayout, Grid, Heights, compact_height
from tui.board.model import BoardModel
from tui.board.sections import Measure


class Viewport:
    """Scroll positions. Columns and cards are laid out when they are asked for, from what is measured already."""

    def __init__(self, model: BoardModel, widget: Widget) -> None:
        self._model = model
        self._widget = widget
        self.compact = False
        """True when a card takes one line; ``Board.renew`` draws them after a change."""
        self.first = 0
        """The first column in view."""
        self.tops: dict[Id, int] = {}
        """The line that each column is scrolled to."""
        self._rested: dict[Id, tuple[int, int, tuple[Sequence[int], ...]]] = {}
        """Where each column was last found to rest: its top, and what that follows from.

        The lines of its sections are compared as objects: they are others after a change, and can be very many.
        """
        self._measure: Measure = compact_height
        self._grid_key: object = None
        self._grid: Grid

    @property
    def size(self) -> Size:
        """The size from the layout, because a resize event comes only after the first frame of the new size."""
        return self._widget.region.size

    @property
    def grid(self) -> Grid:
        """The columns in view, made again only for another size, scroll position or fold."""
        size, model = self.size, self._model
        lines = MAX_HEAD if model.by_phase else STATUS_HEAD
        key = (*size, len(model.columns), self.first, self.compact, lines, 0, model.folded_numbers)
        made_of = (key, model.columns, model.viewing) if model.shows_texts else key
        if self._grid_key != made_of:
            self._grid_key, self._grid = made_of, Grid(*key)
            if model.shows_texts:
                texts = model.texts(self._grid.least)
                self._grid = Grid(*key[:-2], max(map(sum, texts.values()), default=0), model.folded_numbers)
        return self._grid

    def stack(self, number: int, grid: Grid | None = None) -> ColumnLayout:
        """The lines of a column, of which only the heights of new and changed cards are measured."""
        measure = self._measure_for(grid or self.grid)
        return ColumnLayout(self._model.lines(self._model.columns[number].id, measure), self.compact)

    def _measure_for(self, grid: Grid) -> Measure:
        """The heights of cards at the present width; they are measured again at another one."""
        wanted = None if self.compact else (grid.least, grid.title_lines)
        now = self._measure
        has = (now.width, now.title_lines) if isinstance(now, Heights) else None
        if wanted != has:
            self._measure = Heights(*wanted) if wanted else compact_height
        return self._measure

    def top(self, number: int) -> int:
        """The line a column is scrolled to."""
        return self.tops.get(self._model.columns[number].id, 0)

    def line_of(self, number: int, place: tuple[int, int]) -> int:
        """The line of a card in the body, by its section and index in a column; it can be out of view."""
        return self.stack(number).line(*place) - self.top(number)

    # -- scrolling -------------------------------------------------------------------------------------------

    def reset(self) -> None:
        """Scroll to the first column, and to the first line of each."""
        self.tops.clear()
        self.first = 0

    def scroll_column(self, number: int, top: int) -> None:
        """Scroll a column to a line, or to the next one at which its first card in view is whole."""
        grid = self.grid
        self._rest_at(number, self.stack(number, grid), top, grid, down=top > self.top(number))

    def _rest_at(self, number: int, stack: ColumnLayout, top: int, grid: Grid, *, down: bool) -> None:
        column_id = self._model.columns[number].id
        last_top, body, sections = self._rested.get(column_id, (None, 0, ()))
        is_same = len(sections) == len(stack.sections) and all(map(is_, sections, stack.sections))
        if not is_same or (last_top, body) != (top, grid.body) or top != self.tops.get(column_id):
            most = stack.rest(max(0, stack.height - grid.body), held=grid.held, down=True)
            self.tops[column_id] = top = min(most, stack.rest(top, held=grid.held, down=down))
            self._rested[column_id] = (top, grid.body, stack.sections)

    def reveal(self, number: int, place: tuple[int, int] | None) -> None:
        """Scroll a column into view, and its card at a place (section and index) with the title of its section.

        A card out of view is scrolled a third of the way in: text that does not move for several keys is easier to
        read than a column that scrolls with every key, and takes a tenth of the bytes. Does nothing before the board
        has a size; ``Board.renew`` calls it again.
        """
        if not self.size:
            return
        self.first = self.grid.scrolled_to(number)
        if place is None:
            if self._model.columns:  # the note of an empty column is below its first title
                self.scroll_column(number, 0)
            return
        grid = self.grid
        stack = self.stack(number, grid)
        self._rest_at(number, stack, self.top(number), grid, down=False)
        top, body = self.top(number), grid.body
        end = stack.line(*place) + stack.lines(*place)
        start = stack.line(*place) - (grid.held or place[1] == 0)
        if start < top or end > top + body:
            away = start - body // 3 if start < top else end - body + body // 3
            self._rest_at(number, stack, min(start, max(away, end - body)), grid, down=True)

    def hold_line(self, number: int, now: int | None, line: int) -> None:
        """Scroll a column so that the card on line ``now`` gets to ``line``, or as near as whole cards allow."""
        if now is None or now == line:
            return
        stack, held, wanted = self.stack(number), self.grid.held, self.top(number) + now - line
        above, below = stack.rest(wanted, held=held), stack.rest(wanted, held=held, down=True)
        self.scroll_column(number, above if wanted - above <= below - wanted else below)

    def fill(self) -> Grid:
        """Scroll so that no place is blank behind the last column. Return the columns that are in view then."""
        self.first = self.grid.fill(self.first)
        return self.grid

    def stacks(self, numbers: Iterable[int], grid: Grid) -> dict[int, ColumnLayout]:
        """The lines of some columns, scrolled to where they can rest."""
        found = {number: self.stack(number, grid) for number in numbers}
        for number, stack in found.items():
            self._rest_at(number, stack, self.top(number), grid, down=False)
        return found
