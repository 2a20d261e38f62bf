"""The widget below Board: holds model, cursor and scroll positions, and repaints only lines that differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence, Set
from datetime import date
from operator import is_

from textual import events
from textual.color import Color
from textual.geometry import Offset, Region, Size
from textual.strip import Strip
from textual.widget import Widget

from core.domain.canvas import Card
from core.domain.model import Id
from tui.board.cards import DrawingSettings
from tui.board.cursor import Cursor
from tui.board.frame import FrameStrip, differences, line_of, same_slots
from tui.board.grouping import BY_PHASE, Grouping
from tui.board.heights import Heights, compact_height
from tui.board.layout import MAX_HEAD, STATUS_HEAD, ColumnLayout, Grid
from tui.board.model import NOTHING, BoardModel, Gap
from tui.board.paint import MAX_PIECES, Painter, Scene
from tui.board.sections import Measure
from tui.drawing.styles import CardState, Row
from tui.widgets.styled_widget import styles_of


class BoardRenderer(Widget, can_focus=True):
    """Draws the model through Textual's line API. Borders and padding are not supported.

    ``render_lines`` returns finished lines, so the cost of a frame depends on the lines that differ, not on the size
    of the screen. This class therefore applies the app's line filters, instead of Textual's ``StylesCache``.
    """

    DEFAULT_CSS = "BoardRenderer { background: $background; color: $foreground; }"
    ALLOW_SELECT = False

    def __init__(
        self, *, no_cards: str, no_phases: str, axes: Grouping = BY_PHASE, me: Id = "", id: str | None = None
    ) -> None:
        super().__init__(id=id)
        self._no_cards = no_cards
        self._no_phases = no_phases
        self.model = BoardModel(NOTHING, axes)
        self.cursor = Cursor(self.model)
        self.today = date.min
        self.me = me
        self._measure: Measure = compact_height
        self._rested: dict[Id, tuple[int, int, tuple[Sequence[int], ...]]] = {}
        """Where each column was last found to rest: its top, and what that follows from.

        The lines of its sections are compared as objects: they are others after a change, and can be very many.
        """
        self._grid_key: object = None
        self._grid: Grid
        self._grid_drawn: Grid | None = None
        """The grid of the last frame."""
        self._number_drawn = 0
        """The column of the cursor in the last frame."""
        self.marked: set[Id] = set()
        self.marked_cards: Sequence[Card] = ()
        """The marked cards that the filter leaves, those in folds too, in the order of the board."""
        self._marked_inside: Counter[Id] = Counter()
        """The number of marked cards in each folded phase and activity."""
        self._compact = False
        self._ascii = False
        self._first = 0
        self._tops: dict[Id, int] = {}
        self._hovered: Id | None = None
        self._dragged: Id | None = None
        self._highlighted: Set[Id] = frozenset()
        self._online: Mapping[Id, str] = {}
        self._drop: Gap | None = None
        self._phase_drop: int | None = None
        self._styles_are_stale = True
        self._painter: Painter | None = None
        self._frame: list[FrameStrip] = []
        self._lines: list[Strip] = []
        self._filtered_rows: dict[int, tuple[Row, Row]] = {}
        self._background = Color(0, 0, 0)
        self._size_drawn = Size(0, 0)

    # -- positions -------------------------------------------------------------------------------------------

    @property
    def grid(self) -> Grid:
        """The columns in view, made again only for another size, scroll position or fold."""
        size, model = self._region_size, self.model
        lines = MAX_HEAD if model.axes is BY_PHASE else STATUS_HEAD
        key = (*size, len(model.columns), self._first, self._compact, lines, 0, model.folded_numbers)
        made_of = (key, model.columns, model.viewing) if model.shows_texts else key
        if self._grid_key != made_of:
            self._grid_key, self._grid = made_of, Grid(*key)
            if model.shows_texts:
                texts = model.texts(self._grid.least)
                self._grid = Grid(*key[:-2], max(map(sum, texts.values()), default=0), model.folded_numbers)
        return self._grid

    @property
    def _region_size(self) -> Size:
        """The size from the layout, because a resize event comes only after the first frame of the new size."""
        return self.region.size

    def stack(self, number: int, grid: Grid | None = None) -> ColumnLayout:
        """The lines of a column, of which only the heights of new and changed cards are measured."""
        measure = self._measured(grid or self.grid)
        return ColumnLayout(self.model.lines(self.model.columns[number].id, measure), self._compact)

    def _measured(self, grid: Grid) -> Measure:
        """The heights of cards at the present width; they are measured again at another one."""
        wanted = None if self._compact else (grid.least, grid.title_lines)
        now = self._measure
        has = (now.width, now.title_lines) if isinstance(now, Heights) else None
        if wanted != has:
            self._measure = Heights(*wanted) if wanted else compact_height
        return self._measure

    def top(self, number: int) -> int:
        """The line a column is scrolled to."""
        return self._tops.get(self.model.columns[number].id, 0)

    def scroll_column(self, number: int, top: int) -> None:
        """Scroll a column to a line, or to the next one at which its first card in view is whole."""
        grid = self.grid
        self._rest_at(number, self.stack(number, grid), top, grid, down=top > self.top(number))

    def _rest_at(self, number: int, stack: ColumnLayout, top: int, grid: Grid, *, down: bool) -> None:
        column_id = self.model.columns[number].id
        last_top, body, sections = self._rested.get(column_id, (None, 0, ()))
        is_same = len(sections) == len(stack.sections) and all(map(is_, sections, stack.sections))
        if not is_same or (last_top, body) != (top, grid.body) or top != self._tops.get(column_id):
            most = stack.rest(max(0, stack.height - grid.body), held=grid.held, down=True)
            self._tops[column_id] = top = min(most, stack.rest(top, held=grid.held, down=down))
            self._rested[column_id] = (top, grid.body, stack.sections)

    def reveal(self) -> None:
        """Scroll the cursor into view, with the title of its section.

        A cursor out of view is scrolled a third of the way in: text that does not move for several keys is easier to
        read than a column that scrolls with every key, and takes a tenth of the bytes. Does nothing before the board
        has a size; ``renew`` calls it again.
        """
        if not self._region_size:
            return
        self._first = self.grid.scrolled_to(self.cursor.number)
        place = self.cursor.place
        if place is None:
            if self.model.columns:  # the note of an empty column is below its first title
                self.scroll_column(self.cursor.number, 0)
            return
        number, grid = self.cursor.number, self.grid
        stack = self.stack(number, grid)
        self._rest_at(number, stack, self.top(number), grid, down=False)
        top, body = self.top(number), grid.body
        end = stack.line(*place) + stack.lines(*place)
        start = stack.line(*place) - (grid.held or place[1] == 0)
        if start < top or end > top + body:
            away = start - body // 3 if start < top else end - body + body // 3
            self._rest_at(number, stack, min(start, max(away, end - body)), grid, down=True)

    @property
    def cursor_line(self) -> int | None:
        """The line of the focused card in the body, None without a card; it can be out of view."""
        place = self.cursor.place
        number = self.cursor.number
        return self.stack(number).line(*place) - self.top(number) if place else None

    # -- drawing ---------------------------------------------------------------------------------------------

    def card_state_of(self, thing: Id) -> CardState:
        """The state of a card or a phase."""
        card = self.cursor.card
        card_state = CardState.NONE
        if (card.id if card else self.cursor.column_id) == thing:
            card_state |= CardState.FOCUSED | CardState.ACTIVE if self.has_focus else CardState.FOCUSED
        if thing in self.marked:
            card_state |= CardState.MARKED
        if thing == self._hovered:
            card_state |= CardState.HOVERED
        if thing in self._highlighted:
            card_state |= CardState.HIGHLIGHTED
        if thing == self._dragged:
            card_state |= CardState.DRAGGED
        if thing in self.model.families.hiding or thing in self.model.folded:
            card_state |= CardState.FOLDED
        return card_state

    def count_marks(self) -> None:
        """Find the marked cards, after a change of marks, cards, filter or folds."""
        self.marked_cards = self.model.chosen(self.marked)
        folds = map(self.model.fold_of, self.marked_cards)
        self._marked_inside = Counter(fold for fold in folds if fold is not None)

    def sync(self, *, cursor_only: bool = False) -> None:
        """Repaint the lines that differ. Every change of the state ends with this call.

        ``cursor_only``: nothing but the cursor and the line to which its column is scrolled has changed.
        """
        size = self._region_size
        if not size or self._painter is None:
            return
        self._first = self.grid.filled(self._first)
        grid = self.grid
        columns: Collection[int] = range(grid.first, grid.last)
        if cursor_only and (grid, self._size_drawn) == (self._grid_drawn, size):
            columns = {self._number_drawn, self.cursor.number} & {*columns}
        stacks = {number: self.stack(number, grid) for number in columns}
        for number, stack in stacks.items():
            self._rest_at(number, stack, self.top(number), grid, down=False)
        frame = self._draw(self._painter, grid, stacks)
        self._grid_drawn, self._number_drawn = grid, self.cursor.number
        self._take(frame, size)
        self._place_terminal_cursor()

    def _draw(self, painter: Painter, grid: Grid, stacks: Mapping[int, ColumnLayout]) -> list[FrameStrip]:
        state = (self.card_state_of, self.cursor.number, self._drop, self._phase_drop, self._online)
        return painter.frame(self.model, Scene(grid, self._tops, *state, stacks, self._marked_inside), self._frame)

    def _take(self, frame: list[FrameStrip], size: Size) -> None:
        """Render the lines that differ, and have Textual send only those."""
        old, self._frame = self._frame, frame
        if size != self._size_drawn or not same_slots(old, frame):
            self._lines = [self._line(y, size.width) for y in range(size.height)]
            if size == self._size_drawn:  # the layout paints the whole widget after a new size
                self.refresh()
            self._size_drawn = size
            return
        regions = [Region(*area) for area in differences(old, frame)]
        for y in {y for region in regions for y in region.line_range}:
            self._lines[y] = self._line(y, size.width)
        if regions:
            self.refresh(*regions)

    def _line(self, y: int, width: int) -> Strip:
        return Strip(line_of(self._frame, y, self._filtered), width)

    def _filtered(self, row: Row) -> Row:
        """Apply the app's line filters to a row. Cached, because a row is in many lines and frames."""
        kept = self._filtered_rows.get(id(row))
        if kept is not None and kept[0] is row:
            return kept[1]
        if len(self._filtered_rows) > MAX_PIECES:
            self._filtered_rows.clear()
        segments = list(row)
        for line_filter in self.get_line_filters():
            segments = line_filter.apply(segments, self._background)
        filtered = tuple(segments)
        self._filtered_rows[id(row)] = (row, filtered)
        return filtered

    def render_lines(self, crop: Region) -> list[Strip]:
        if self._styles_are_stale or self._region_size != self._size_drawn:
            self.renew()
        lines = self._lines[crop.y : crop.bottom]
        if crop.width == self._size_drawn.width:
            return lines
        return [line.crop(crop.x, crop.right) for line in lines]

    def renew(self) -> None:
        """Draw with the current styles and settings; cached pieces are kept if these are unchanged."""
        if not self._region_size:
            return
        look = styles_of(self, ascii_only=self._ascii)
        self._styles_are_stale = False
        self._filtered_rows.clear()
        self._background = self.background_colors[1]
        model, fields = self.model, frozenset(self.model.viewing.fields)
        setting = DrawingSettings(
            look,
            self.today,
            model.team(self.me),
            self._compact,
            self._no_cards,
            self._no_phases,
            fields,
            model.head.key,
            {label.id: label for label in model.head.labels},
            model.head.deciders,
        )
        if self._painter is None or self._painter.setting != setting:
            self._painter = Painter(setting)
        self.reveal()
        self.sync()

    def say_empty(self, no_cards: str, no_phases: str) -> None:
        """Change the texts of an empty column and of a project without phases."""
        if (no_cards, no_phases) != (self._no_cards, self._no_phases):
            self._no_cards, self._no_phases = no_cards, no_phases
            self.renew()

    def notify_style_update(self) -> None:
        """Mark styles as stale after a change of theme, style sheet or focus; they are read at the next drawing."""
        super().notify_style_update()
        self._styles_are_stale = True

    def _place_terminal_cursor(self) -> None:
        """Put the terminal's cursor on the focused card, for screen readers and magnifiers."""
        if not self.has_focus:
            return
        self.app.cursor_position = self.region.offset + self._cursor_offset()

    def _cursor_offset(self) -> Offset:
        if not self.model.columns:
            return Offset(0, 0)
        grid, place = self.grid, self.cursor.place
        number = max(grid.first, min(self.cursor.number, grid.last - 1))
        line = self.stack(number).line(*place) - self.top(number) if place else -grid.head
        return Offset(grid.span(number)[0], max(0, min(grid.head + line, grid.height - 1)))

    def watch_has_focus(self, has_focus: bool) -> None:
        super().watch_has_focus(has_focus)
        self.sync()

    def on_resize(self, _event: events.Resize) -> None:
        self.renew()
