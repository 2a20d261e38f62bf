"""Presets on the board: the cards, their fields and their order, and the summary of a phase."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from core.domain.canvas import Canvas, CanvasChanges, PromisedDeliverable
from core.domain.model import ItemKind, Status
from core.domain.view_settings import PREDEFINED_BY_ID, CardField, PhaseSection, Sort, ViewSettings
from core.record import replace
from tests.support.board_scene import (
    TODAY,
    application,
    as_changes,
    canvas,
    card,
    changes,
    lines,
    showing,
    some_cards,
    title,
)
from tui.board.board import Board
from tui.board.grouping import BY_STATUS
from tui.board.heads import SummaryLines
from tui.board.messages import CardDropped
from tui.board.model import BoardModel
from tui.drawing.rows import wrap_text

APPLICATIONS_ONLY = ViewSettings(sections=(PhaseSection.APPLICATIONS,))
REVIEW = PREDEFINED_BY_ID["REVIEW"].viewing
SORTED = [
    card(1, title="pears", due=TODAY + timedelta(3), assignee_ids=("ann",)),
    card(2, title="Apples"),
    card(3, title="plums", due=TODAY - timedelta(1)),
    card(4, title="Zest", due=TODAY + timedelta(3), assignee_ids=("ann",)),
]


def titles(model: BoardModel) -> list[str]:
    return [one.title for one in model.cards()]


def about(objectives: str = "", outcomes: str = "", promised: tuple[PromisedDeliverable, ...] = ()) -> Canvas:
    """The Canvas of some cards, of which the first phase has these texts."""
    shown = canvas(some_cards())
    first, *others = shown.head.columns
    done = sum(each.done for each in promised)
    first = replace(
        first,
        objectives=objectives,
        outcomes=outcomes,
        promised=promised,
        deliverables=len(promised),
        deliverables_done=done,
    )
    return replace(shown, head=replace(shown.head, columns=(first, *others)))


@pytest.mark.parametrize(
    ("sort", "wanted"),
    [
        (Sort.ORDER, ["pears", "Apples", "plums", "Zest"]),
        (Sort.DUE, ["plums", "pears", "Zest", "Apples"]),
        (Sort.TITLE, ["Apples", "pears", "plums", "Zest"]),
        (Sort.ASSIGNEE, ["pears", "Zest", "Apples", "plums"]),
    ],
)
def test_cards_are_sorted_within_their_section_those_without_the_field_last(sort: Sort, wanted: list[str]) -> None:
    model = BoardModel(canvas(SORTED), viewing=ViewSettings(sort=sort))
    assert titles(model) == wanted
    model.apply_settings(ViewSettings())
    model.apply_settings(ViewSettings(sort=sort))
    assert titles(model) == wanted


@pytest.mark.parametrize("sort", Sort)
async def test_a_change_finds_its_place_in_the_order(sort: Sort) -> None:
    async with showing(canvas(SORTED)) as (_, board, _app):
        board.apply_settings(ViewSettings(sort=sort))
        changed = replace(SORTED[0], title="Zwieback", due=None, assignee_ids=())
        answer = changes(board, changed)
        board.apply(answer)
        after = tuple(board.model.by_id.values())
        again = BoardModel(Canvas(head=board.model.head, cards=after), viewing=ViewSettings(sort=sort))
        assert titles(board.model) == titles(again)


async def test_a_member_who_is_renamed_is_sorted_again() -> None:
    cards = [card(1, assignee_ids=("ann",)), card(2, assignee_ids=("bob",))]
    shown = canvas(cards)
    ann = shown.head.members[0]
    both = (ann, replace(ann, user_id="bob", name="Bob Lind"))
    shown = replace(shown, head=replace(shown.head, members=both))
    async with showing(shown) as (_, board, _app):
        board.apply_settings(ViewSettings(sort=Sort.ASSIGNEE))
        assert titles(board.model) == ["Task 1", "Task 2"]
        renamed = (replace(ann, name="Zoe Kovács"), both[1])
        board.apply(replace(changes(board), head=replace(as_changes(shown.head), members=renamed)))
        assert titles(board.model) == ["Task 2", "Task 1"]


async def test_kinds_that_are_not_chosen_are_not_there_and_come_back() -> None:
    cards = [*some_cards(), card(20, kind=ItemKind.ACTIVITY, title="Talks"), application(30)]
    async with showing(canvas(cards)) as (_, board, _app):
        board.apply_settings(ViewSettings(sections=(PhaseSection.TASKS,)))
        assert "Talks" not in titles(board.model)
        assert not board.focus_card("card00030")
        assert "Applications" not in "\n".join(lines(board))
        board.apply(changes(board, card(20, kind=ItemKind.ACTIVITY, title="Talks", comments=1)))
        assert "Talks" not in titles(board.model)
        board.apply_settings(APPLICATIONS_ONLY)
        assert titles(board.model) == ["Application 30"]
        assert "To Do" not in "\n".join(lines(board))
        board.apply_settings(ViewSettings())
        assert len(titles(board.model)) == len(cards) - 1  # one is archived


async def test_the_cursor_stays_on_its_card_or_goes_to_the_next_one() -> None:
    cards = [card(1), card(2, kind=ItemKind.ACTIVITY), card(3)]
    async with showing(canvas(cards)) as (_, board, _app):
        board.focus_card("card00003")
        board.apply_settings(ViewSettings(sort=Sort.TITLE))
        assert title(board) == "Task 3"
        board.focus_card("card00002")
        board.apply_settings(ViewSettings(sections=(PhaseSection.TASKS,)))
        assert title(board) == "Task 3"


async def test_a_card_says_only_the_fields_that_are_chosen() -> None:
    full: dict[str, Any] = {
        "due": TODAY,
        "comments": 3,
        "has_link": True,
        "tasks": 2,
        "tasks_done": 1,
        "holds": "Films",
    }
    cards = [card(1, kind=ItemKind.ACTIVITY, assignee_ids=("ann",), **full), application(2, assignee_ids=("ann",))]
    said = {
        CardField.DUE: "today",
        CardField.COMMENTS: "❝3",
        CardField.LINK: "↗",
        CardField.TASKS: "1/2 tasks",
        CardField.ASSIGNEES: "Ann\n",
        CardField.PRODUCT: "Asset library",
    }
    async with showing(canvas(cards, phases=1), size=(44, 24)) as (_, board, _app):
        for chosen in said:
            board.apply_settings(ViewSettings(fields=(chosen,)))
            cards_drawn = "\n".join(line.rstrip(" │") for line in lines(board)[4:])
            assert [field for field, words in said.items() if words in cards_drawn] == [chosen]


@pytest.mark.parametrize(("size", "compact"), [((120, 40), False), ((80, 24), False), ((30, 12), True)])
async def test_what_a_phase_is_about_stands_in_its_head_and_points_stay_right(
    size: tuple[int, int], compact: bool
) -> None:
    shown = about(
        "Win the north " * 9,
        "A million cups",
        (PromisedDeliverable("Media plan", True), PromisedDeliverable("Film\x1b[31m", False)),
    )
    async with showing(shown, size) as (_, board, _app):
        board.viewport.compact = compact
        board.renew()
        plain = board.viewport.grid.head
        board.apply_settings(REVIEW)
        drawn = lines(board)
        assert len(drawn) == size[1]
        assert plain < board.viewport.grid.head <= size[1] // 2
        head = "\n".join(line[: board.viewport.grid.span(0)[1]] for line in drawn[: board.viewport.grid.head])
        assert "Objectives Win the north" in head
        assert "■ Media plan" in head or "2 deliverables" in head
        assert "1/2" in head
        assert "\x1b" not in head
        if size[1] >= 24:
            assert "□ Film" in head
            assert "Outcomes A million" in head
        row = next(y for y, line in enumerate(drawn) if "Task 1" in line)
        found = board.mouse.card_at(3, row)
        assert found is not None
        assert found.title == "Task 1"
        board.apply_settings(ViewSettings())
        assert board.viewport.grid.head == plain


async def test_a_project_that_says_nothing_of_its_phases_has_the_heads_of_before() -> None:
    async with showing() as (_, board, _app):
        before = lines(board)
        board.apply_settings(REVIEW)
        assert lines(board) == before


async def test_deliverables_beyond_the_room_are_counted_and_ascii_has_signs() -> None:
    async with showing(about(promised=tuple(PromisedDeliverable(f"Part {n}", n < 3) for n in range(9)))) as (
        _,
        board,
        _app,
    ):
        board.ascii = True
        board.renew()
        board.apply_settings(REVIEW)
        head = "\n".join(lines(board)[:9])
        assert "* Part 0" in head
        assert "3/9" in head
        assert "- 6 more" in head


def test_the_longest_text_gives_way_first() -> None:
    assert SummaryLines(3, 4, 3).within(20) == SummaryLines(3, 4, 3)
    assert SummaryLines(3, 4, 3).within(6) == SummaryLines(2, 2, 2)
    assert SummaryLines(0, 4, 3).within(1) == SummaryLines(0, 0, 1)
    assert SummaryLines(3, 4, 3).within(0) == SummaryLines()


def test_text_is_wrapped_at_words_and_cut_in_the_last_line() -> None:
    assert wrap_text("Brief 着陸ページ 👨‍👩‍👧‍👦👩🏽‍💻 e\u0301", 9, 3, "…") == [
        "Brief 着",
        "陸ページ",
        "👨‍👩‍👧‍👦👩🏽‍💻 e\u0301",
    ]
    assert wrap_text("one two three four", 9, 2, "…") == ["one two", "three fo…"]
    assert wrap_text("one two", 9, 3, "…") == ["one two"]
    assert wrap_text("着陸ページを翻訳 する", 8, 2, "…") == ["着陸ペー", "ジを翻…"]
    assert wrap_text("abcdefghijkl mn", 5, 2, "~") == ["abcde", "fghi~"]
    assert wrap_text("abcdefghijkl mn", 5, 1, "~") == ["abcd~"]


async def test_a_card_dropped_where_cards_are_sorted_is_not_placed_among_them() -> None:
    async with showing(canvas([*SORTED, card(9, 2)])) as (pilot, board, app):
        board.apply_settings(ViewSettings(sort=Sort.TITLE))
        x, _ = board.viewport.grid.span(1)
        row = next(y for y, line in enumerate(lines(board)) if "Apples" in line)
        await pilot.mouse_down(Board, offset=(4, row))
        await pilot.hover(Board, offset=(x + 4, row))
        await pilot.mouse_up(Board, offset=(x + 4, row))
        await pilot.pause()
        dropped = app.last(CardDropped)
        assert isinstance(dropped, CardDropped)
        assert (dropped.phase_id, dropped.before_id, dropped.is_placed) == ("phase2", None, False)


# -- statuses as columns -----------------------------------------------------------------------------------------


def test_on_the_status_board_cards_lie_by_status_and_in_it_by_phase() -> None:
    model = BoardModel(canvas(some_cards()), BY_STATUS)
    assert [column.name for column in model.columns] == ["To Do", "In Progress", "Completed"]
    assert model.sections(Status.TO_DO) == ("phase1", "phase2", "phase4")
    assert model.counts(Status.TO_DO) == (3, 2, 1)
    assert model.sections(Status.COMPLETED) == ("phase1",)
    model.show_archived = True
    assert [column.name for column in model.columns][3] == "Archived"
    assert model.counts(Status.ARCHIVED) == (1,)


def test_a_card_changes_its_column_with_its_status_and_its_section_with_its_phase() -> None:
    cards = some_cards()
    model = BoardModel(canvas(cards), BY_STATUS)
    shown = canvas(cards)
    moved = replace(cards[0], status=Status.COMPLETED, phase_id="phase3")
    model.apply(CanvasChanges(head=as_changes(shown.head), changed=(moved,)))
    assert model.counts(Status.TO_DO) == (2, 2, 1)
    assert model.sections(Status.COMPLETED) == ("phase1", "phase3")


def test_a_status_without_cards_is_a_column_without_a_phase() -> None:
    model = BoardModel(canvas([card(1)]), BY_STATUS)
    assert model.counts(Status.COMPLETED) == (0,)
    assert model.titles[model.sections(Status.COMPLETED)[0]] == ""
