"""Lists of which each line is made when it is drawn, and the rows of all lists."""

from __future__ import annotations

from textual.pilot import Pilot

from tests.screens.dialogs.test_listing import Shown, line_of, list_of, text
from tui.widgets.columns import Line, LinesInView, cell
from tui.widgets.list_view import FEW, ListRows

LONG = "A name of many letters"
MANY = 5 * FEW


class Made:
    """Lines with a long name far below, and the numbers of those that were made."""

    def __init__(self, count: int) -> None:
        self.numbers: set[int] = set()
        ids = [f"id {number}" for number in range(count)]
        sections = ["Open" if number < count // 2 else "Done" for number in range(count)]
        self.lines = LinesInView(ids, sections, self._make)

    def _make(self, number: int) -> Line:
        self.numbers.add(number)
        name = LONG if number == MANY - 3 else f"Name {number}"
        return Line(f"id {number}", (cell(name), cell("Oslo"), cell(number)))


def where(pilot: Pilot[None], word: str) -> int:
    """The column of cells at which the header has a word."""
    return text(pilot)[0].index(word)


async def test_only_the_lines_that_come_into_view_are_made_and_columns_widen_for_them() -> None:
    made = Made(MANY)
    async with Shown(made.lines).run_test(size=(60, 12)) as pilot:
        await pilot.pause()
        assert "Name 0" in text(pilot)[2]
        assert len(made.numbers) <= 12
        city = where(pilot, "City")
        list_of(pilot).bottom()
        await pilot.pause()
        assert any(LONG in row for row in text(pilot))
        assert where(pilot, "City") > city
        assert len(made.numbers) <= 24
        wide = where(pilot, "City")
        list_of(pilot).top()
        await pilot.pause()
        assert where(pilot, "City") == wide  # it does not jump back


async def test_all_of_a_few_lines_are_measured() -> None:
    made = Made(FEW)
    async with Shown(made.lines).run_test(size=(60, 12)) as pilot:
        await pilot.pause()
        assert len(made.numbers) == FEW


async def test_the_cursor_of_a_long_list_stays_on_its_line_when_others_come_before_it() -> None:
    made, later = Made(MANY), Made(MANY)
    async with Shown(made.lines).run_test(size=(60, 12)) as pilot:
        list_of(pilot).go_to("id 700")
        more = LinesInView(
            ["new", *later.lines.ids], ["Open", *later.lines.sections], lambda number: made.lines[number - 1]
        )
        list_of(pilot).show(more)
        await pilot.pause()
        assert list_of(pilot).number == 701
        assert line_of(pilot).id == "id 700"
        assert any("Name 700" in row and "▌" in row for row in text(pilot))


def test_rows_have_a_heading_above_each_section_and_a_blank_row_between_them() -> None:
    for sections, expected in (
        ([], []),
        (["", ""], [0, 1]),
        (["Open", "Open", "Done"], ["Open", 0, 1, "", "Done", 2]),
        (["", "Done", "", "Done"], [0, "", "Done", 1, "", "", 2, "", "Done", 3]),
    ):
        rows = ListRows(sections)
        assert [rows.at(row) for row in range(len(rows))] == expected
        assert rows.at(len(rows)) is None
        assert [expected[rows.row_of(number)] for number in range(len(sections))] == list(range(len(sections)))
