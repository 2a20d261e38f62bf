"""The layout of the board: columns fill the width, are readable, and drawing and mouse agree on every cell and line."""

from __future__ import annotations

from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.board.layout import MAX_COLUMN, MIN_COLUMN, ColumnLayout, Grid, LineKind, lines_of
from tui.board.paint import thumb
from tui.drawing.rows import one_line, wrap_text

WIDTHS = range(1, 420)


@pytest.mark.parametrize("total", [1, 2, 3, 7])
def test_columns_lie_side_by_side_and_the_mouse_finds_each_of_their_cells(total: int) -> None:
    for width in WIDTHS:
        grid = Grid(width, 40, total, 0, False)
        spans = [grid.span(column) for column in range(grid.first, grid.last)]
        assert [left for left, _ in spans] == [sum(wide for _, wide in spans[:n]) for n in range(len(spans))]
        assert [grid.column_at(x) for left, wide in spans for x in range(left, left + wide)] == [
            column for column, (_, wide) in enumerate(spans) for _ in range(wide)
        ]
        assert grid.column_at(sum(wide for _, wide in spans)) is None
        assert grid.column_at(-1) is None
        assert grid.least == min(wide for _, wide in spans) - 1


@pytest.mark.parametrize(
    ("width", "total", "widths"),
    [
        (80, 3, [27, 27, 26]),
        (80, 9, [27, 27, 26]),
        (52, 3, [26, 26]),
        (51, 3, [51]),
        (200, 3, [66, 66, 66]),
        (200, 1, [66]),
        (20, 2, [20]),
    ],
)
def test_as_many_columns_as_are_readable_share_the_width(width: int, total: int, widths: list[int]) -> None:
    grid = Grid(width, 40, total, 0, False)
    assert [grid.span(column)[1] for column in range(grid.last)] == widths
    assert (MIN_COLUMN, MAX_COLUMN) == (26, 66)


def test_the_columns_scroll_no_further_than_needed_and_never_past_the_last_one() -> None:
    grid = Grid(80, 40, 9, 3, False)
    assert [grid.scrolled_to(column) for column in range(9)] == [0, 1, 2, 3, 3, 3, 4, 5, 6]
    assert Grid(80, 40, 9, 8, False).scrolled_to(8) == 6
    assert Grid(80, 40, 2, 1, False).scrolled_to(1) == 0


@pytest.mark.parametrize(("seen", "total"), [(10, 11), (10, 25), (10, 1000), (2, 3), (1, 50), (30, 31)])
def test_the_thumb_of_a_scroll_bar_touches_an_end_exactly_where_that_end_is_in_view(seen: int, total: int) -> None:
    tops = range(total - seen + 1)
    found = [thumb(top, seen, total) for top in tops]
    assert all(start >= 0 and start + length <= seen and length >= 1 for start, length in found)
    assert [start for start, _ in found] == sorted(start for start, _ in found)
    first, *between, last = found
    assert first[0] == 0
    assert sum(last) == seen
    if seen - first[1] > 1:
        assert all(start > 0 and start + length < seen for start, length in between)


COUNTS = [(2, 0, 3), (0, 0, 0), (0, 1, 0), (4,), (1, 1, 1)]


def column(counts: tuple[int, ...], *, compact: bool) -> ColumnLayout:
    """A column whose cards take three, four and five lines in turn, or one line each."""
    heights = [1 if compact else 3 + number % 3 for number in range(9)]
    return ColumnLayout(tuple(list(accumulate(heights[:count], initial=0)) for count in counts), compact)


@pytest.mark.parametrize("compact", [True, False], ids=["compact", "roomy"])
@pytest.mark.parametrize("counts", COUNTS)
def test_every_line_of_a_column_is_a_title_a_card_or_blank(counts: tuple[int, ...], compact: bool) -> None:
    layout = column(counts, compact=compact)
    expected = {layout.top(section): (LineKind.SECTION, section, 0) for section in range(len(counts))}
    for section, count in enumerate(counts):
        for index in range(count):
            first, blank = layout.line(section, index), 0 if compact else 1
            lines = range(first, first + layout.lines(section, index) + blank)
            expected |= dict.fromkeys(lines, (LineKind.CARD, section, index))
    assert len(expected) == len(counts) + sum(lines[-1] for lines in layout.sections)
    assert layout.counts == counts
    found = {line: layout.at(line) for line in range(layout.height)}
    assert {line: at for line, at in found.items() if at[0] is not LineKind.SPACE} == expected
    for line, at in found.items():
        nearest = layout.nearest_card(line)
        assert (nearest is None) == layout.empty
        if at[0] is LineKind.CARD:
            assert nearest == at[1:]


@pytest.mark.parametrize("held", [True, False])
@pytest.mark.parametrize("compact", [True, False], ids=["compact", "roomy"])
@pytest.mark.parametrize("counts", COUNTS)
def test_a_column_is_scrolled_only_to_where_its_first_card_in_view_is_whole(
    counts: tuple[int, ...], compact: bool, held: bool
) -> None:
    layout = column(counts, compact=compact)
    titles = {layout.top(section) for section in range(len(counts))}
    cards = {layout.line(section, index) for section, count in enumerate(counts) for index in range(count)}
    places = sorted(titles | {line - 1 for line in cards} if held else titles | cards)
    for line in range(-2, layout.height + 3):
        above = max((place for place in places if place <= line), default=places[0])
        below = min((place for place in places if place >= line), default=places[-1])
        assert layout.rest(line, held=held) == above
        assert layout.rest(line, held=held, down=True) == below


@given(
    st.lists(st.one_of(st.text("ab", min_size=1, max_size=9), st.sampled_from(["", "着陸", "\t", "👩🏽\u200d💻"]))),
    st.integers(1, 30),
    st.integers(1, 3),
)
def test_the_lines_of_a_title_are_counted_as_it_is_wrapped(words: list[str], room: int, most: int) -> None:
    title = " ".join(words)
    assert lines_of(title, room, most) == len(wrap_text(one_line(title), room, most, "…"))
