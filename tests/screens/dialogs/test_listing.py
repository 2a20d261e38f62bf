"""Lists: columns that leave by rank, a cursor that stays on its line, headings, the filter and the mouse."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from rich.cells import cell_len
from textual import on
from textual.app import App, ComposeResult
from textual.pilot import Pilot

from tui.drawing.labels import label_variables
from tui.drawing.theme import person_variables
from tui.widgets.columns import GAP, LOW, Column, Line, cell, widths
from tui.widgets.list_view import ListView

COLUMNS = (Column("Name", 6, 30), Column("City", 6, 12, rank=2), Column("Count", 5, 5, rank=1, right=True))


class Shown(App[None]):
    """One list and nothing else."""

    def __init__(self, lines: Sequence[Line]) -> None:
        super().__init__()
        self.lines = lines
        self.heard: list[str] = []

    def get_theme_variable_defaults(self) -> dict[str, str]:
        dark = self.current_theme.dark
        return person_variables(dark=dark) | label_variables(dark=dark)

    def compose(self) -> ComposeResult:
        yield ListView(COLUMNS)

    def on_mount(self) -> None:
        self.list.empty = "Nothing here\nn makes one."
        self.list.show(self.lines)
        self.list.focus()

    @property
    def list(self) -> ListView:
        return self.query_one(ListView)

    @on(ListView.Opened)
    def hear_opened(self) -> None:
        self.heard.append("opened")

    @on(ListView.MenuRequested)
    def hear_menu(self) -> None:
        self.heard.append("menu")

    @on(ListView.EndReached)
    def hear_end(self) -> None:
        self.heard.append("end")


def line(name: str, city: str = "", count: object = "", section: str = "") -> Line:
    return Line(name, (cell(name), cell(city), cell(count)), section=section)


def list_of(pilot: Pilot[None]) -> ListView:
    return pilot.app.query_one(ListView)


def line_of(pilot: Pilot[None]) -> Line:
    """The line of the cursor."""
    line = list_of(pilot).line
    assert line is not None
    return line


def heard_by(pilot: Pilot[None]) -> list[str]:
    assert isinstance(pilot.app, Shown)
    return pilot.app.heard


def text(pilot: Pilot[None]) -> list[str]:
    strips = pilot.app.screen._compositor.render_strips()
    return ["".join(segment.text for segment in strip).rstrip() for strip in strips]


@pytest.mark.parametrize("room", range(60))
def test_columns_never_take_more_than_there_is_and_leave_by_rank(room: int) -> None:
    given = widths(COLUMNS, (20, 10, 5), room)
    shown = [width for width in given if width]
    assert sum(shown) + GAP * (len(shown) - 1) <= max(room, 0)
    assert not given[1] or given[2], "the city leaves before the count"
    assert room < 1 or given[0]


def test_a_column_has_enough_before_one_of_a_low_rank_comes_in() -> None:
    columns = (Column("Title", 10, 60, enough=30), Column("Due", 5, 5, rank=1), Column("Kind", 5, 5, rank=LOW))
    assert widths(columns, (50, 5, 5), 30) == (23, 5, 0)
    assert widths(columns, (50, 5, 5), 43) == (36, 5, 0)
    assert widths(columns, (50, 5, 5), 44) == (30, 5, 5)
    assert widths(columns, (12, 5, 5), 30) == (12, 5, 5)  # nothing is kept for what nobody wants


async def test_a_narrow_list_says_in_its_description_what_its_columns_do_not() -> None:
    async with Shown([line("Ann", "Lagos", 3)]).run_test(size=(20, 5)) as pilot:
        await pilot.pause()
        assert "Lagos" not in "\n".join(text(pilot))
        assert list_of(pilot).description == "City Lagos"


async def test_the_cursor_stays_on_its_line_when_lines_come_and_go() -> None:
    lines = [line(name) for name in ("Ann", "Ben", "Cid", "Dan")]
    async with Shown(lines).run_test(size=(40, 8)) as pilot:
        listing = list_of(pilot)
        listing.go_to("Cid")
        listing.show([line("Aaa"), *lines])
        assert line_of(pilot).id == "Cid"
        listing.show([lines[0], lines[1], lines[3]])
        assert line_of(pilot).id == "Dan", "the place of a line that is gone is the next one's"


async def test_the_filter_keeps_lines_with_every_word_and_says_when_there_are_none() -> None:
    lines = [line("Ann", "Lagos"), line("Ben", "Lagos"), line("Cid", "Oslo")]
    async with Shown(lines).run_test(size=(40, 8)) as pilot:
        list_of(pilot).filter_by("LAG b")
        assert [each.id for each in list_of(pilot).lines] == ["Ben"]
        list_of(pilot).filter_by("nobody")
        await pilot.pause()
        assert "No matches" in "\n".join(text(pilot))


async def test_headings_scroll_into_view_with_the_first_line_under_them() -> None:
    lines = [line(f"{day}{n}", section=day) for day in ("Mon", "Tue") for n in range(6)]
    async with Shown(lines).run_test(size=(40, 6)) as pilot:
        await pilot.pause()
        assert text(pilot)[1].strip() == "Mon"
        list_of(pilot).bottom()
        await pilot.pause()
        assert "Tue5" in text(pilot)[-1]
        list_of(pilot).top()
        await pilot.pause()
        assert text(pilot)[1].strip() == "Mon"
        assert heard_by(pilot) == ["end"]


async def test_the_mouse_moves_the_cursor_opens_and_asks_for_the_menu() -> None:
    async with Shown([line("Ann"), line("Ben"), line("Cid")]).run_test(size=(40, 8)) as pilot:
        await pilot.pause()
        await pilot.click(ListView, offset=(3, 2))
        assert line_of(pilot).id == "Ben"
        await pilot.click(ListView, offset=(3, 3), times=2)
        assert line_of(pilot).id == "Cid"
        await pilot.click(ListView, offset=(3, 1), button=3)
        assert line_of(pilot).id == "Ann"
        await pilot.click(ListView, offset=(3, 6))
        assert line_of(pilot).id == "Ann"
        assert [each for each in heard_by(pilot) if each != "end"] == ["opened", "menu"]


async def test_an_empty_list_says_what_to_do() -> None:
    async with Shown([]).run_test(size=(40, 6)) as pilot:
        await pilot.pause()
        assert [each.strip() for each in text(pilot)[1:3]] == ["Nothing here", "n makes one."]


@pytest.mark.parametrize("size", [(1, 1), (3, 2), (12, 4), (80, 24)])
async def test_hostile_and_wide_texts_are_drawn_at_every_size(size: tuple[int, int]) -> None:
    names = [
        "\x1b[31mred\x07",
        "[b]bold[/b] [link=x]y[/link]",
        "日本語のとても長い名前" * 9,
        "a\u0301" * 50,
        "\u202eabc",
    ]
    async with Shown([line(name, name, 1, section=name) for name in names]).run_test(size=size) as pilot:
        list_of(pilot).bottom()
        await pilot.pause()
        shown = text(pilot)
        assert all(cell_len(each) <= size[0] for each in shown)
        assert not any("\x1b" in each or "\u202e" in each for each in shown)
        if size == (80, 24):
            assert any("[b]bold[/b]" in each for each in shown)
