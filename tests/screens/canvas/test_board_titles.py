"""Titles on cards: whole on two or three lines, short in one, and people by their names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from rich.cells import cell_len

from core.domain.canvas import Canvas, CanvasMember, Card
from core.domain.model import ItemKind, ProjectRole, Status
from core.record import replace
from tests.support.board_scene import (
    TODAY,
    activity,
    canvas,
    card,
    changes,
    line_with,
    lines,
    many_cards,
    showing,
    title,
)
from tui.board import cards, layout
from tui.board.layout import Heights
from tui.drawing.rows import wrap_text

LONG = "Photograph the twelve posters in the harbour of Bergen before the film crew comes"
CROWD = {"ann": "Ann Kovács", "bob": "Bob Lind", "mei": "Mei 陳", "eve": "Eve Stone"}


def with_people(shown: Canvas) -> Canvas:
    members = tuple(
        CanvasMember(user_id=user_id, name=name, login=user_id, role=ProjectRole.OWNER, active=True)
        for user_id, name in CROWD.items()
    )
    return replace(shown, head=replace(shown.head, members=members))


def column(drawn: list[str], width: int = 29) -> list[str]:
    """The lines of the first column below its head, without the blank ones at the end."""
    return "\n".join(line[:width].rstrip() for line in drawn[4:]).rstrip().split("\n")


async def test_a_long_title_takes_two_lines_and_a_short_one_one_with_the_facts_below() -> None:
    cards = [card(1, title=LONG, due=TODAY, assignee_ids=("ann",)), card(2, assignee_ids=("ann",)), card(3)]
    async with showing(canvas(cards), (120, 40)) as (_, board, _app):
        assert column(lines(board)) == [
            " To Do 3",
            "▌○ Photograph the twelve",
            "▌  posters in the harbour o…",
            "▌  today                 Ann",
            "",
            " ○ Task 2",
            "                         Ann",
            "",
            " ○ Task 3",
            "",
            "",
            " In Progress 0",
            "",
            " Completed 0",
        ]


@pytest.mark.parametrize(("height", "most"), [(20, 2), (44, 2), (45, 3), (60, 3)])
async def test_a_tall_board_has_a_third_line(height: int, most: int) -> None:
    async with showing(canvas([card(1, title=LONG)]), (120, height)) as (_, board, _app):
        drawn = lines(board)
        first = line_with(board, "Photograph")
        assert [line[1:29].strip() for line in drawn[first + 1 : first + most]][-1].endswith("…")
        assert drawn[first + most][1:29].strip() == ""


async def test_titles_in_wide_letters_break_between_letters_and_emoji_stay_whole() -> None:
    wide = "着陸ページを翻訳してからデザインチームに送る必要があります"
    joined = "👩🏽‍💻" * 20
    async with showing(canvas([card(1, title=wide), card(2, title=joined)])) as (_, board, _app):
        drawn = lines(board)
        first = line_with(board, "着陸")
        assert "してから" in drawn[first]
        assert "デザインチームに送る必要…" in drawn[first + 1]
        assert {cell_len(line) for line in drawn} == {120}
        emoji = line_with(board, "👩🏽‍💻")
        assert drawn[emoji].count("👩🏽‍💻") == 12
        assert drawn[emoji + 1].count("👩🏽‍💻") == 8


async def test_people_are_named_where_they_fit_and_have_a_colour_of_their_own() -> None:
    cards = [
        card(1, assignee_ids=("bob",)),
        activity(2, assignee_ids=("bob", "mei")),
        activity(3, assignee_ids=("bob", "mei", "eve", "ann")),
        activity(4, due=TODAY, tasks=12, tasks_done=3, comments=7, assignee_ids=("bob", "eve")),
    ]
    async with showing(with_people(canvas(cards))) as (_, board, _app):
        drawn = lines(board)
        assert drawn[line_with(board, "○ Task 1") + 1][:29].endswith(" Bob ")
        assert "Bob, Mei 陳" in drawn[line_with(board, "Activity 2") + 1]
        assert "Bob +3" in drawn[line_with(board, "Activity 3") + 1]
        assert "3/12 tasks BL ES" in " ".join(drawn[line_with(board, "Activity 4") + 1][:29].split())
        styles = {
            segment.text.strip(): segment.style.color
            for strip in board.render_lines(board.size.region)
            for segment in strip
            if segment.style
        }
        assert len({str(styles[name]) for name in ("Bob", "Mei 陳")}) == 2


async def test_my_own_name_comes_first_in_the_accent() -> None:
    cards = [activity(1, assignee_ids=("bob", "mei")), card(2)]
    async with showing(with_people(canvas(cards))) as (_, board, _app):
        board.me = "mei"
        board.renew()
        y = line_with(board, "Mei 陳, Bob")
        mine = next(segment for segment in board.renderer._lines[y] if "Mei" in segment.text)
        assert mine.style is not None
        assert mine.style.bold


async def test_in_the_compact_density_the_title_gets_its_share_and_people_yield_first() -> None:
    due = TODAY + timedelta(40)
    cards = [
        card(1, title=LONG, due=due, assignee_ids=("bob",)),
        card(2, title="Cast", due=due, assignee_ids=("bob",)),
        card(3, title=LONG, assignee_ids=("bob",)),
        card(4, title="Book television and cin", due=due, assignee_ids=("bob",)),
    ]
    for width in (26, 29, 40, 60):
        async with showing(with_people(canvas(cards, phases=1)), (width, 24)) as (_, board, _app):
            board.viewport.compact = True
            board.renew()
            text = lines(board)
            first = text[line_with(board, "Photograph")]
            shown = first[3 : first.index("…") + 1]
            assert len(shown) >= 0.6 * (width - 1) - 2, (width, first)
            assert ("30Dec" in first, "30 Dec" in first) == (width == 26, width > 26)
            assert ("BL" in first) == (width >= 40)
            short = text[line_with(board, "Cast")]
            assert "30 Dec" in short
            assert "Bob" in short


async def test_a_changed_title_takes_other_lines_and_the_cursor_stays_on_its_line() -> None:
    async with showing(canvas(many_cards(600))) as (_, board, _app):
        board.cursor.move(0, 20)
        y, focused = line_with(board, "▌"), title(board)
        above = board.model.column_cards("phase1")[19]
        board.apply(changes(board, replace(above, title=LONG, version=2)))
        assert title(board) == focused
        assert abs(line_with(board, "▌") - y) <= 2  # the first card in view is whole
        assert "Photograph" in "".join(lines(board)[:y])


async def test_heights_are_measured_once_for_each_card_and_width(monkeypatch: pytest.MonkeyPatch) -> None:
    measured: list[str] = []
    real = Heights.__call__

    def measure(self: Heights, card: Card) -> int:
        measured.append(card.id)
        return real(self, card)

    monkeypatch.setattr(Heights, "__call__", measure)
    async with showing(canvas([card(number, title=f"{LONG} {number}") for number in range(500)])) as (_, board, _app):
        assert len(measured) == 500
        measured.clear()
        for _ in range(30):
            board.cursor.move(0, 3)
            board.cursor.move(1, 0)
            board.cursor.move(-1, 0)
        assert measured == []
        board.apply(changes(board, replace(board.model.by_id["card00007"], status=Status.COMPLETED, version=2)))
        assert measured == ["card00007"]


def noting(texts: list[str]) -> Callable[..., list[str]]:
    """``wrap_text``, which notes each text."""

    def wrap(text: str, width: int, most: int, mark: str) -> list[str]:
        texts.append(text)
        return wrap_text(text, width, most, mark)

    return wrap


async def test_a_held_key_wraps_only_the_cards_that_come_into_view(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[str] = []
    monkeypatch.setattr(cards, "wrap_text", noting(drawn))
    measured: list[str] = []
    monkeypatch.setattr(layout, "wrap_text", noting(measured))
    shown = [card(number, 1 + number % 4, title=f"{number} 着陸 {LONG}") for number in range(2_000)]
    async with showing(canvas(shown), (120, 40)) as (_, board, _app):
        assert len(measured) == 2_000
        measured.clear()
        drawn.clear()
        for _ in range(200):
            board.cursor.move(0, 1)
        assert measured == []
        assert set(Counter(drawn).values()) <= {1, 2}, "without and with the cursor"
        in_view = 40 // 3
        assert len(drawn) <= 2 * 200 + in_view
        drawn.clear()
        moved = board.cursor.card
        assert moved is not None
        board.apply(changes(board, replace(moved, status=Status.IN_PROGRESS, version=2)))
        assert len(measured) <= 1
        assert len(drawn) <= 2 * in_view, "the card that moved, and those that come into view"


@pytest.mark.parametrize("width", [78, 79, 80])
async def test_titles_of_every_length_take_the_lines_that_were_measured_in_columns_of_two_widths(width: int) -> None:
    words = [" ".join("x" * (1 + (n + at) % 7) for at in range(2 + n % 11)) for n in range(120)]
    cards = [card(n, phase=1 + n % 3, title=each) for n, each in enumerate(words)]
    async with showing(canvas(cards, phases=3), (width, 40)) as (_, board, _app):
        for number in range(3):
            for each in board.model.column_cards(f"phase{number + 1}"):
                board.focus_card(each.id)
                left, cells = board.viewport.grid.span(number)
                first = board.viewport.grid.head + (board.cursor.line or 0)
                section, index = board.cursor.place or (0, 0)
                high = board.viewport.stack(number).lines(section, index)
                rows = [line[left : left + cells] for line in lines(board)[first : first + high + 1]]
                assert [row.startswith("▌") for row in rows] == ([True] * high + [False])[: len(rows)], each.title


async def test_the_first_card_in_view_is_whole_and_its_section_is_named() -> None:
    cards = [card(number, status=Status.TO_DO, title=LONG if number % 3 else "Short") for number in range(60)]
    async with showing(canvas(cards, phases=1), (60, 24)) as (_, board, _app):
        for move in [3] * 15 + [-2] * 15:
            board.cursor.move(0, move)
            drawn = lines(board)
            assert drawn[4].startswith(" To Do 60")
            assert drawn[5].lstrip("▌ ").startswith("○")


async def test_a_click_on_the_held_title_is_on_no_card() -> None:
    async with showing(canvas(many_cards(600), phases=1), (60, 24)) as (pilot, board, _app):
        board.cursor.move(0, 30)
        assert board.viewport.top(0) > 0
        focused = title(board)
        await pilot.click("Board", offset=(5, 4))
        assert title(board) == focused
        assert board.mouse.card_at(5, 4) is None
        await pilot.click("Board", offset=(5, 5))
        assert title(board) in lines(board)[5]


async def test_an_application_wraps_too() -> None:
    kind: dict[str, Any] = {"kind": ItemKind.APPLICATION, "status": None, "holds": "Asset library"}
    async with showing(canvas([card(1, title=LONG, due=TODAY, **kind)])) as (_, board, _app):
        y = line_with(board, "Photograph")
        assert "posters" in lines(board)[y + 1]
        assert "today · Asset library" in lines(board)[y + 2]
