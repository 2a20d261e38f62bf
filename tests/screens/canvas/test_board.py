"""Moving about the board, changes from outside, the filter and marks."""

from __future__ import annotations

import pytest
from textual.geometry import Offset

from core.domain.canvas import Canvas, CanvasChanges
from core.domain.model import Id, Status
from core.record import replace
from tests.support.board_scene import (
    TODAY,
    as_changes,
    canvas,
    changes,
    head,
    line_with,
    lines,
    many_cards,
    only,
    showing,
    some_cards,
    targets,
    title,
)
from tests.support.waiting import until
from tui.board.model import BoardModel
from tui.widgets.change_highlight import ChangeHighlight


async def test_down_and_up_pass_over_the_heads_of_sections_and_stop_at_the_ends() -> None:
    async with showing() as (_, board, _app):
        seen = []
        for _ in range(8):
            seen.append(title(board))
            board.cursor.move(0, 1)
        assert seen == ["Task 1", "Task 2", "Task 3", "Task 4", "Task 5", "Task 6", "Task 6", "Task 6"]
        board.cursor.move(0, -20)
        assert title(board) == "Task 1"


async def test_sideways_keeps_to_the_line_and_comes_back_to_it_through_shorter_columns() -> None:
    async with showing() as (_, board, _app):
        board.cursor.move(0, 4)
        board.cursor.move(1, 0)
        assert title(board) == "Task 9"
        board.cursor.move(1, 0)
        assert board.cursor.card is None
        assert board.cursor.phase is not None
        assert board.cursor.phase.id == "phase3"
        board.cursor.move(1, 0)
        assert title(board) == "Task 10"
        board.cursor.move(-3, 0)
        assert title(board) == "Task 5"


async def test_an_empty_column_holds_the_cursor_and_says_what_to_do() -> None:
    async with showing() as (_, board, _app):
        board.cursor.go_to_column(3)
        assert board.cursor.card is None
        assert "▌No cards yet · n adds one" in lines(board)[line_with(board, "No cards yet")]
        board.cursor.move(0, 1)
        assert board.cursor.card is None
        assert board.description == "Phase 3, locked, no cards"


async def test_top_bottom_and_pages() -> None:
    async with showing(canvas(many_cards(600))) as (_, board, _app):
        board.cursor.bottom()
        assert board.cursor.card == board.model.column_cards("phase1")[-1]
        board.cursor.top()
        assert board.cursor.card == board.model.column_cards("phase1")[0]
        board.cursor.page(1)
        assert board.model.column_cards("phase1").index(board.cursor.card) == 6
        board.cursor.page(-1)
        assert board.cursor.card == board.model.column_cards("phase1")[0]


async def test_a_column_that_does_not_exist_is_ignored() -> None:
    async with showing() as (_, board, _app):
        board.cursor.go_to_column(9)
        board.cursor.go_to_column(0)
        assert title(board) == "Task 1"
        board.cursor.go_to_column(2)
        assert title(board) == "Write the brief"


@pytest.mark.parametrize("size", [(40, 12), (80, 24), (120, 40), (200, 60), (10, 5), (1, 1)])
async def test_the_cursor_can_be_seen_wherever_it_goes(size: tuple[int, int]) -> None:
    async with showing(canvas(many_cards(300), phases=9), size) as (_, board, _app):
        for dx, dy in [(0, 1)] * 20 + [(1, 0)] * 9 + [(0, 7)] * 9 + [(-1, 0)] * 9 + [(0, -5)] * 9:
            board.cursor.move(dx, dy)
            if size[0] >= 40:
                focused = [line for line in lines(board) if "▌" in line]
                assert focused, (dx, dy, title(board))
                assert title(board) in "".join(focused) or board.cursor.card is None


async def test_the_hardware_cursor_follows_the_focused_card() -> None:
    async with showing() as (_, board, _app):
        board.cursor.move(0, 3)
        y = line_with(board, "Task 4")
        assert board.cursor_screen_offset == Offset(0, y)
        board.cursor.move(1, 0)
        assert board.cursor_screen_offset == Offset(30, line_with(board, "Task 9"))


async def test_each_move_is_told_once() -> None:
    async with showing() as (pilot, board, app):
        told: list[str] = []
        app.watch(board, "description", lambda words: told.append(words), init=False)
        board.cursor.move(0, 1)
        board.cursor.move(-1, 0)
        await pilot.pause()
        assert told == [board.description]


async def test_the_cursor_stays_on_its_card_when_the_card_is_moved() -> None:
    async with showing() as (_, board, _app):
        board.cursor.move(0, 1)
        moved = replace(board.model.by_id["card00002"], status=Status.COMPLETED, version=2)
        board.apply(changes(board, moved))
        assert board.cursor.card == moved
        assert line_with(board, "Completed 2") < line_with(board, "Task 2") < line_with(board, "Task 6")
        to_other_phase = replace(moved, phase_id="phase3")
        board.apply(changes(board, to_other_phase))
        assert board.cursor.phase is not None
        assert (board.cursor.card, board.cursor.phase.id) == (to_other_phase, "phase3")


async def test_a_card_that_comes_in_above_leaves_the_focused_card_on_its_line() -> None:
    async with showing(canvas(many_cards(600))) as (_, board, _app):
        board.cursor.move(0, 20)
        y = line_with(board, "▌")
        focused = title(board)
        first = board.model.column_cards("phase1")[0]
        board.apply(changes(board, replace(first, id="card99999", rank="a0", title="New on top")))
        assert title(board) == focused
        assert line_with(board, "▌") == y


@pytest.mark.parametrize(
    ("focus", "gone", "then"),
    [
        ("card00002", ("card00002",), "Task 3"),
        ("card00003", ("card00003",), "Task 2"),
        ("card00006", ("card00006",), "Task 5"),
        ("card00001", ("card00001", "card00002", "card00003"), "Task 4"),
        ("card00010", ("card00010",), ""),
    ],
)
async def test_when_the_focused_card_goes_the_nearest_takes_over(focus: Id, gone: tuple[Id, ...], then: str) -> None:
    async with showing() as (_, board, _app):
        board.focus_card(focus)
        column = board.cursor.phase
        board.apply(changes(board, gone=gone))
        assert title(board) == then
        assert board.cursor.phase is not None
        assert column is not None
        assert board.cursor.phase.id == column.id


async def test_when_the_focused_phase_goes_the_one_in_its_place_takes_over() -> None:
    async with showing() as (_, board, _app):
        board.cursor.go_to_column(4)
        after = head([one for one in board.model.by_id.values() if one.phase_id != "phase4"], phases=3)
        board.apply(CanvasChanges(head=replace(as_changes(after), gone_columns=("phase4",)), gone=("card00010",)))
        assert board.cursor.phase is not None
        assert board.cursor.phase.id == "phase3"


async def test_showing_the_same_project_again_keeps_cursor_marks_and_filter() -> None:
    async with showing() as (_, board, _app):
        board.filter_by(only("task", board))
        board.focus_card("card00005")
        board.marks.toggle()
        board.show(canvas(some_cards()), TODAY)
        assert board.model.filter is not None
        assert (title(board), board.marks.ids, board.model.filter.words) == ("Task 5", {"card00005"}, ("task",))


async def test_a_change_repaints_only_the_cards_that_differ() -> None:
    async with showing() as (_, board, _app):
        before = list(board.renderer._lines)
        board.apply(changes(board, replace(board.model.by_id["card00009"], comments=3, version=2)))
        differ = [y for y, strip in enumerate(board.renderer._lines) if strip is not before[y]]
        y = line_with(board, "Task 9")
        assert differ == [y, y + 1]
        assert "❝3" in lines(board)[y + 1]


async def test_ten_thousand_cards_stay_in_order_through_changes() -> None:
    shown = canvas(many_cards(10_000))
    model = BoardModel(shown)
    for number in range(0, 3_000, 7):
        old = model.by_id[f"card{number:05}"]
        new = replace(old, status=Status.IN_PROGRESS, rank=f"a{(number * 31) % 10_000:05}", version=2)
        model.apply(CanvasChanges(head=as_changes(shown.head), changed=(new,)))
    again = BoardModel(Canvas(head=shown.head, cards=tuple(model.by_id.values())))
    assert [one.id for one in model.cards()] == [one.id for one in again.cards()]


async def test_the_archive_is_shown_on_demand_only() -> None:
    async with showing() as (_, board, _app):
        assert not board.focus_card("card00007")
        assert "Archived" not in "".join(lines(board))
        board.show_archived = True
        assert board.focus_card("card00007")
        assert "– Task 7" in lines(board)[line_with(board, "Archived 1") + 1]
        board.show_archived = False
        assert title(board) == "Task 6"


async def test_the_filter_asks_for_every_word_in_title_or_assignee() -> None:
    async with showing() as (_, board, _app):
        board.filter_by(only("BRIEF kov", board))
        assert [one.title for one in board.model.cards()] == ["Write the brief"]
        assert "No matches" in "".join(lines(board))
        board.filter_by(only("brief task", board))
        assert list(board.model.cards()) == []
        assert targets(board) == []
        board.filter_by(only("", board))
        assert len(list(board.model.cards())) == 9


async def test_a_changed_card_comes_and_goes_with_the_filter() -> None:
    async with showing() as (_, board, _app):
        board.filter_by(only("brief", board))
        board.apply(changes(board, replace(board.model.by_id["card00001"], title="Another brief")))
        assert [one.id for one in board.model.cards()] == ["card00001", "card00008"]
        board.apply(changes(board, replace(board.model.by_id["card00008"], title="Done")))
        assert [one.id for one in board.model.cards()] == ["card00001"]


async def test_marks_are_the_targets_in_the_order_of_the_board() -> None:
    async with showing() as (_, board, _app):
        assert [one.title for one in targets(board)] == ["Task 1"]
        board.focus_card("card00009")
        board.marks.toggle()
        board.focus_card("card00004")
        board.marks.toggle()
        assert [one.title for one in targets(board)] == ["Task 4", "Task 9"]
        assert "■ Task 4" in "".join(lines(board))
        board.marks.toggle()
        assert [one.title for one in targets(board)] == ["Task 9"]
        board.marks.clear()
        assert [one.title for one in targets(board)] == ["Task 4"]


async def test_a_range_runs_from_the_last_mark_to_the_cursor_within_a_column() -> None:
    async with showing() as (_, board, _app):
        board.focus_card("card00005")
        board.marks.toggle()
        board.focus_card("card00002")
        board.marks.mark_range()
        assert [one.title for one in targets(board)] == ["Task 2", "Task 3", "Task 4", "Task 5"]
        board.focus_card("card00009")
        board.marks.mark_range()
        assert [one.title for one in targets(board)][-1] == "Task 9"
        assert "card00008" not in board.marks.ids


async def test_marking_all_marks_what_the_filter_leaves_and_gone_cards_lose_their_mark() -> None:
    async with showing() as (_, board, _app):
        board.filter_by(only("task", board))
        board.marks.mark_all()
        assert "card00008" not in board.marks.ids
        assert len(board.marks.ids) == 8
        board.apply(changes(board, gone=("card00001",)))
        assert len(board.marks.ids) == 7


async def test_a_lit_card_fades_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tui.widgets.change_highlight.HIGHLIGHT_SECONDS", 0.05)
    monkeypatch.setattr("tui.widgets.change_highlight.STEP_SECONDS", 0.05)
    async with showing() as (_, board, _app):
        before = list(board.renderer._lines)
        ChangeHighlight(board, board.show_highlight).light({"card00009"})
        assert board.renderer._lines[line_with(board, "Task 9")] is not before[line_with(board, "Task 9")]
        await until(lambda: board._highlighted == frozenset())
