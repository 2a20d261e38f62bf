"""The layout of the board: columns fill the width, are readable, and drawing and mouse agree on every cell and line."""

from __future__ import annotations

import pytest

from tui.board.layout import MAX_COLUMN, MIN_COLUMN, ColumnLayout, Grid, LineKind
from tui.board.paint import thumb

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


@pytest.mark.parametrize("lines", [1, 3], ids=["compact", "comfortable"])
@pytest.mark.parametrize("counts", [(2, 0, 3), (0, 0, 0), (0, 1, 0), (4,), (1, 1, 1)])
def test_every_line_of_a_column_is_a_title_a_card_or_blank(counts: tuple[int, ...], lines: int) -> None:
    layout = ColumnLayout(counts, lines)
    expected = {layout.top(section): (LineKind.SECTION, section, 0) for section in range(len(counts))}
    for section, count in enumerate(counts):
        for index in range(count):
            first = layout.line(section, index)
            expected |= {first + more: (LineKind.CARD, section, index) for more in range(lines)}
    assert len(expected) == len(counts) + sum(counts) * lines
    found = {line: layout.at(line) for line in range(layout.height)}
    assert {line: at for line, at in found.items() if at[0] is not LineKind.SPACE} == expected
    for line, at in found.items():
        nearest = layout.nearest_card(line)
        assert (nearest is None) == layout.empty
        if at[0] is LineKind.CARD:
            assert nearest == at[1:]
