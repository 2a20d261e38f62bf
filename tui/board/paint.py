"""Frames of the board, made of cached pieces.

Pieces are rows of segments that are made once: the same card in the same state is the same object. So ``new is not
old`` for each visible line finds the lines to repaint, without any other record of changes.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any

from rich.segment import Segment
from rich.style import Style

from core.domain.canvas import Card, PhaseColumn
from core.domain.model import Id
from core.record import Record
from tui.board.cards import CardFacts, DrawingSettings, card_rows
from tui.board.grouping import Column, Section, StatusColumn
from tui.board.heads import (
    NO_TEXTS,
    FoldedGeometry,
    HeaderGeometry,
    folded_rows,
    head_rows,
    note_row,
    section_row,
    status_rows,
)
from tui.board.layout import ColumnLayout, Grid
from tui.board.model import BoardModel, Gap
from tui.drawing.rows import underline_row
from tui.drawing.styles import CardState, Row, TextRole

MAX_PIECES = 4096
"""Most pieces in the cache, enough for several screens. Above that, the cache is cleared."""

ALONE = ("", 0)
"""No activity that holds a card, and no marked tasks inside it."""

Rows = tuple[Row, ...]


class FrameStrip(Record, kw_only=False):
    """A vertical strip of the frame: a column, its rail, or the blank beside the last column."""

    x: int
    width: int
    rows: list[Row]


class Scene(Record, kw_only=False):
    """The state of the board that a frame shows, besides the cards themselves."""

    grid: Grid
    tops: dict[Id, int]
    """The line that each column is scrolled to."""
    card_state_of: Callable[[Id], CardState]
    """Returns the state of a card or a column."""
    current: int
    drop: Gap | None
    """The gap at which a dragged card would be inserted."""
    phase_drop: int | None
    """The column before which a dragged phase would be inserted."""
    online: Mapping[Id, str]
    """Initials of other people by the card that they are on."""
    stacks: Mapping[int, ColumnLayout]
    """The layouts of the columns that are drawn; the others are the same as in the frame before."""
    marked_inside: Mapping[Id, int]
    """The number of marked cards in each folded phase and activity."""


class Painter:
    """Makes frames, and caches their pieces."""

    def __init__(self, setting: DrawingSettings, model: BoardModel) -> None:
        self.setting = setting
        self._model = model
        self._pieces: dict[Hashable, tuple[Any, Rows, object]] = {}

    def frame(self, scene: Scene, before: Sequence[FrameStrip]) -> list[FrameStrip]:
        """Columns and rails from left to right, together exactly as wide and high as the grid.

        Columns without a layout in the scene are those of the frame ``before``, which has the same grid.
        """
        if len(self._pieces) > MAX_PIECES:
            self._pieces.clear()
        if not self._model.columns:
            return [self._nothing(scene.grid)]
        grid, x = scene.grid, 0
        slots: list[FrameStrip] = []
        for number in range(grid.first, grid.last):
            x, width = grid.span(number)
            if (stack := scene.stacks.get(number)) is None:
                slots += before[len(slots) : len(slots) + 2]
                x += width
                continue
            slots.append(FrameStrip(x, width - 1, self._column(scene, number, stack, width - 1)))
            slots.append(FrameStrip(x + width - 1, 1, self._rail(scene, self._model.columns[number].id, number, stack)))
            x += width
        if x < grid.width:
            slots.append(FrameStrip(x, grid.width - x, [self.setting.look.blank(grid.width - x)] * grid.height))
        return slots

    def _nothing(self, grid: Grid) -> FrameStrip:
        """The board of a project without phases, or before any project is shown."""
        rows = [self.setting.look.blank(grid.width)] * grid.height
        if grid.height > 1 and self._model.head.project_id:
            rows[1] = note_row(self.setting, self.setting.no_phases, grid.width, CardState.NONE)
        return FrameStrip(0, grid.width, rows)

    def _piece(self, key: Hashable, what: object, make: Callable[[], Rows]) -> Rows:
        """The cached rows under a key; made again when ``what``, the value that they show, has changed."""
        found = self._pieces.get(key)
        if found is not None and (found[0] is what or found[0] == what):
            return found[1]
        rows = make()
        self._pieces[key] = (what, rows, None)
        return rows

    # -- a column --------------------------------------------------------------------------------------------

    def _column(self, scene: Scene, number: int, stack: ColumnLayout, width: int) -> list[Row]:
        grid, column = scene.grid, self._model.columns[number]
        if column.id in self._model.folded and isinstance(column, PhaseColumn):
            return list(self._folded_column(scene, number, column, width))
        rows = list(self._head(scene, number, width))
        top = scene.tops.get(column.id, 0)
        at = 0
        for section in range(len(stack.sections)):
            high = 1 + stack.body(section)
            if at + high > top and at < top + grid.body:
                rows += self._section(scene, column, stack, section, width, top - at)
            at += high
        blank = self.setting.look.blank(width)
        rows += [blank] * (grid.height - len(rows))
        del rows[grid.height :]
        self._show_drop(scene, column, stack, rows, width)
        return rows

    def _folded_column(self, scene: Scene, number: int, phase: PhaseColumn, width: int) -> Rows:
        grid, facts = scene.grid, (self._model.count_in(phase.id), scene.marked_inside.get(phase.id, 0))
        left = grid.first if number == grid.first else 0
        right = grid.total - grid.last if number == grid.last - 1 else 0
        is_target = scene.drop is not None and scene.drop.column_id == phase.id
        state, is_current = scene.card_state_of(phase.id), number == scene.current
        place = FoldedGeometry(width, grid.height, grid.head, is_current, is_target, left, right, state)
        make = lambda: folded_rows(self.setting, phase, *facts, place)  # noqa: E731
        return self._piece(("folded", phase.id, place), (phase, facts), make)

    def _head(self, scene: Scene, number: int, width: int) -> Rows:
        grid, column = scene.grid, self._model.columns[number]
        place = HeaderGeometry(
            width,
            grid.head,
            number == scene.current,
            grid.first if number == grid.first else 0,
            grid.total - grid.last if number == grid.last - 1 else 0,
            scene.card_state_of(column.id) & ~(CardState.FOCUSED | CardState.ACTIVE),
            grid.text,
            self._model.texts(grid.least)[column.id].within(grid.text) if self._model.shows_texts else NO_TEXTS,
            self._model.ready_in(column),
        )
        if isinstance(column, StatusColumn):
            count = sum(self._model.counts(column.id))
            make = lambda: status_rows(self.setting, column, count, place)  # noqa: E731
            return self._piece(("head", column.id, place), (column, count), make)
        return self._piece(("head", column.id, place), column, lambda: head_rows(self.setting, column, place))

    def _section(
        self, scene: Scene, column: Column, stack: ColumnLayout, section: int, width: int, skip: int
    ) -> Iterator[Row]:
        """The visible lines of a section, without the first ``skip`` ones (a negative number skips none).

        A title that is scrolled away is held in the first line, which the cards leave blank for it.
        """
        name, lines = self._model.sections(column.id)[section], stack.sections[section]
        cards = self._model.cards_of(column.id, name)
        if skip <= 0 or scene.grid.held:
            hidden = self._model.families.hidden[column.id, name]
            yield self._title(scene, column, name, len(cards) + cards.unread, hidden, width)
            skip += skip > 0
        if len(lines) == 1:
            yield from self._air(scene, column, section, width, max(0, skip - 1))
            return
        index = bisect_right(lines, max(0, skip - 1)) - 1
        offset = max(0, skip - 1) - lines[index]
        last = bisect_right(lines, max(0, skip) + scene.grid.body)
        for card in cards.cards[index:last]:
            rows = self._card(scene, card, width)
            yield from rows[offset:] if offset else rows
            offset = 0
        if cards.unread:
            yield from [self.setting.look.blank(width)] * scene.grid.body

    def _title(self, scene: Scene, column: Column, name: Section, count: int, hidden: int, width: int) -> Row:
        title, dropping = self._model.titles[name], scene.drop == (column.id, name, 0)
        make = lambda: (section_row(self.setting, title, count, hidden, width, dropping),)  # noqa: E731
        return self._piece(("section", title, count, hidden, width, dropping), None, make)[0]

    def _card(self, scene: Scene, card: Card, width: int) -> Rows:
        """The rows of a card, made again when it or the title of its activity, which they can show, has changed."""
        card_state, online, grid = scene.card_state_of(card.id), scene.online.get(card.id, ""), scene.grid
        key = (card.id, width, grid.least, grid.title_lines, card_state, online)
        around = ALONE
        if card.activity_id or scene.marked_inside:
            around = (self._model.families.holder(card), scene.marked_inside.get(card.id, 0))
        found = self._pieces.get(key)
        if found is not None and found[2] == around and (found[0] is card or found[0] == card):
            return found[1]
        rows = card_rows(self.setting, card, CardFacts(*key[1:], *around))
        self._pieces[key] = (card, rows, around)
        return rows

    def _air(self, scene: Scene, column: Column, section: int, width: int, skip: int) -> list[Row]:
        """The lines under the title of a section without cards: a blank, and in an empty column the text."""
        blank = self.setting.look.blank(width)
        rows = [] if self.setting.compact else [blank]
        if section == 0 and not any(self._model.counts(column.id)):
            card_state = scene.card_state_of(column.id)
            text = "No matches" if self._model.filter else self.setting.no_cards
            note = self._piece(
                ("note", text, width, card_state), None, lambda: (note_row(self.setting, text, width, card_state),)
            )
            rows.insert(0, note[0])
        return rows[skip:]

    def _show_drop(self, scene: Scene, column: Column, stack: ColumnLayout, rows: list[Row], width: int) -> None:
        """Draw the drop line before the gap; the title of a section draws its own."""
        drop = scene.drop
        if drop is None or drop.column_id != column.id or not drop.at:
            return
        grid, sections = scene.grid, self._model.sections(column.id)
        if drop.section not in sections:
            return
        y = grid.head + stack.line(sections.index(drop.section), drop.at) - scene.tops.get(column.id, 0) - 1
        if not grid.head <= y < grid.height:
            return
        accent = self.setting.look.style(TextRole.ACCENT)
        if not self.setting.compact:
            sign = self.setting.look.signs.full
            rows[y] = self._piece(("drop", width), None, lambda: ((Segment(sign * width, accent),),))[0]
        else:
            rows[y] = underline_row(rows[y], Style(color=accent.color, underline=True))

    # -- a rail ----------------------------------------------------------------------------------------------

    def _rail(self, scene: Scene, column_id: Id, number: int, stack: ColumnLayout) -> list[Row]:
        """The line right of a column: a border that is also its scroll bar."""
        grid, signs = scene.grid, self.setting.look.signs
        dropping = scene.phase_drop == number + 1
        rail = self._sign(signs.thumb, TextRole.ACCENT) if dropping else self._sign(signs.rail, TextRole.FAINT)
        corner = rail if dropping else self._sign(signs.rest, TextRole.FAINT)
        head = [rail if dropping else self._sign(" ", TextRole.FAINT)] * (grid.head - 1)
        body = [rail] * grid.body
        if 0 < grid.body < stack.height:
            start, high = thumb(scene.tops.get(column_id, 0), grid.body, stack.height)
            body[start : start + high] = [self._sign(signs.thumb, TextRole.QUIET)] * high
        return [*head, corner, *body][: grid.height]

    def _sign(self, sign: str, text_role: TextRole) -> Row:
        make = lambda: ((Segment(sign, self.setting.look.style(text_role)),),)  # noqa: E731
        return self._piece(("sign", sign, text_role), None, make)[0]


def thumb(top: int, seen: int, total: int) -> tuple[int, int]:
    """First line and length of a scroll bar's thumb; it touches an end only if that end is in view."""
    high = max(1, seen * seen // total)
    most = total - seen
    start = round(top * (seen - high) / most)
    if 0 < top < most and seen - high > 1:
        start = max(1, min(start, seen - high - 1))
    return start, high
