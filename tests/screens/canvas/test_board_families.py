"""Families on the board: an activity and its tasks stay together in every order, and fold to the activity."""

from __future__ import annotations

from datetime import timedelta

import pytest
from textual.pilot import Pilot

from core.domain.canvas import Card
from core.domain.model import ItemKind, Status
from core.domain.view_settings import PhaseSection, Sort, ViewSettings
from core.record import replace
from tests.support.board_scene import (
    TODAY,
    BoardApp,
    activity,
    canvas,
    card,
    changes,
    line_with,
    lines,
    only,
    showing,
    targets,
    task_of,
    title,
)
from tui.board.board import Board
from tui.board.messages import CardDropped

FILMS = activity(4, title="Shoot the films", due=TODAY + timedelta(9), tasks=3, tasks_done=1)
FAMILY = [
    task_of(FILMS, 1, title="Book the crew", due=TODAY + timedelta(1)),
    FILMS,
    card(5, title="Brief the agencies", due=TODAY + timedelta(4)),
    task_of(FILMS, 6, title="Shooting day", due=TODAY + timedelta(3)),
    task_of(FILMS, 7, Status.COMPLETED, title="Scout kitchens"),
    card(8, title="Zoom call", due=TODAY),
]
"""The tasks stand before and after their activity in the manual order, and one is completed."""


def titles(board: Board) -> list[str]:
    return [each.title for each in board.model.cards()]


@pytest.mark.parametrize(
    ("sort", "order"),
    [
        (Sort.ORDER, ["Shoot the films", "Book the crew", "Shooting day", "Brief the agencies", "Zoom call"]),
        (Sort.DUE, ["Zoom call", "Brief the agencies", "Shoot the films", "Book the crew", "Shooting day"]),
        (Sort.TITLE, ["Brief the agencies", "Shoot the films", "Book the crew", "Shooting day", "Zoom call"]),
        (Sort.ASSIGNEE, ["Shoot the films", "Book the crew", "Shooting day", "Brief the agencies", "Zoom call"]),
    ],
)
async def test_a_family_stays_together_in_every_order(sort: Sort, order: list[str]) -> None:
    async with showing(canvas(FAMILY)) as (_, board, _app):
        board.apply_settings(ViewSettings(sort=sort))
        assert titles(board) == [*order, "Scout kitchens"]


async def test_a_task_below_its_activity_is_indented_and_one_elsewhere_names_it() -> None:
    async with showing(canvas(FAMILY, phases=1), (60, 40)) as (_, board, _app):
        drawn = lines(board)
        assert "↳ ○ Book the crew" in drawn[line_with(board, "Book the crew")]
        assert "›" not in drawn[line_with(board, "Book the crew") + 1]
        assert drawn[line_with(board, "Scout kitchens")].startswith(" ✓ Scout kitchens")
        assert "Shoot the films ›" in drawn[line_with(board, "Scout kitchens") + 1]
        board.focus_card("card00007")
        assert board.description.startswith("Scout kitchens, task of “Shoot the films”, Completed")


@pytest.mark.parametrize(("width", "named"), [(60, True), (38, True), (37, False), (26, False)])
async def test_a_compact_task_elsewhere_names_its_activity_where_that_takes_nothing_else_away(
    width: int, named: bool
) -> None:
    async with showing(canvas(FAMILY, phases=1), (width, 40)) as (_, board, _app):
        board.viewport.compact = True
        board.renew()
        drawn = lines(board)
        row = drawn[line_with(board, "Scout kitchens")]
        assert row.startswith(" ✓ Scout kitchens ")
        assert ("Shoot the films ›" in row) == named
        assert "›" not in drawn[line_with(board, "Book the crew")]


async def test_a_task_follows_its_activity_and_leaves_it_as_they_change() -> None:
    async with showing(canvas(FAMILY, phases=1), (60, 60)) as (_, board, _app):
        board.apply_settings(ViewSettings(sort=Sort.DUE))
        board.focus_card("card00006")
        board.apply(changes(board, replace(FILMS, due=TODAY - timedelta(1), version=2)))
        assert titles(board)[:3] == ["Shoot the films", "Book the crew", "Shooting day"]
        assert title(board) == "Shooting day"
        board.apply(changes(board, replace(FILMS, status=Status.IN_PROGRESS, version=3)))
        assert titles(board)[:4] == ["Zoom call", "Book the crew", "Shooting day", "Brief the agencies"]
        assert "Shoot the films ›" in lines(board)[line_with(board, "Shooting day") + 1]
        board.apply(changes(board, gone=("card00004",)))
        assert "Shoot the films" not in "".join(lines(board))
        assert len(titles(board)) == 5


async def test_a_task_whose_activity_is_filtered_out_stands_by_its_own_order_and_names_it() -> None:
    async with showing(canvas(FAMILY, phases=1), (60, 40)) as (_, board, _app):
        board.apply_settings(ViewSettings(sort=Sort.DUE))
        board.filter_by(only("type:task", board))
        assert titles(board)[:4] == ["Zoom call", "Book the crew", "Shooting day", "Brief the agencies"]
        assert "Shoot the films ›" in lines(board)[line_with(board, "Shooting day") + 1]
        board.filter_by(None)
        board.apply_settings(ViewSettings(sort=Sort.DUE, sections=(PhaseSection.TASKS,)))
        assert titles(board)[:3] == ["Zoom call", "Book the crew", "Shooting day"]
        assert "Shoot the films ›" in lines(board)[line_with(board, "Shooting day") + 1]


async def test_a_folded_family_is_its_activity_and_is_counted() -> None:
    async with showing(canvas(FAMILY, phases=1), (60, 40)) as (_, board, _app):
        board.focus_card("card00006")
        board.folds.toggle_family()
        assert title(board) == "Shoot the films"
        assert titles(board) == ["Shoot the films", "Brief the agencies", "Zoom call"]
        drawn = lines(board)
        assert "▌◇ Shoot the films" in drawn[line_with(board, "Shoot the films")]
        assert "1/3 ▸" in drawn[line_with(board, "Shoot the films") + 1]
        assert " To Do 3 +2 ▸" in drawn[4]
        assert " Completed 0 +1 ▸" in drawn[line_with(board, "Completed")]
        assert ", folded, 3 tasks, due 29 Nov," in board.description
        board.viewport.compact = True
        board.renew()
        assert "1/3 ▸" in lines(board)[line_with(board, "Shoot the films")]
        board.folds.toggle_family()
        assert len(titles(board)) == 6
        assert title(board) == "Shoot the films"


async def test_a_card_that_joins_a_folded_family_is_in_the_fold_and_the_cursor_on_the_activity() -> None:
    async with showing(canvas(FAMILY, phases=1), (60, 40)) as (_, board, _app):
        board.focus_card("card00004")
        board.folds.toggle_family()
        board.focus_card("card00005")
        board.apply(changes(board, replace(board.model.by_id["card00005"], activity_id=FILMS.id, version=2)))
        assert title(board) == "Shoot the films"
        assert "Brief the agencies" not in titles(board)
        assert "+3 ▸" in lines(board)[4]
        board.apply(changes(board, gone=(FILMS.id,)))
        assert "Brief the agencies" in titles(board)


async def test_marks_in_a_folded_family_are_told_and_still_count() -> None:
    async with showing(canvas(FAMILY, phases=1), (60, 40)) as (_, board, _app):
        board.marks.mark({"card00001", "card00007", "card00008"})
        board.focus_card("card00004")
        board.folds.toggle_family()
        assert "1/3 ▸ ■2" in lines(board)[line_with(board, "Shoot the films") + 1]
        assert (board.mark_count, board.marks.in_folds) == (3, 2)
        assert [each.title for each in targets(board)] == ["Book the crew", "Zoom call", "Scout kitchens"]
        board.marks.mark_all()
        assert board.marks.ids == {"card00001", "card00004", "card00005", "card00007", "card00008"}


async def test_a_filter_shows_what_it_finds_in_folds_and_they_close_behind_it() -> None:
    async with showing(canvas(FAMILY, phases=1), (60, 40)) as (_, board, _app):
        board.focus_card("card00004")
        board.folds.toggle_family()
        board.filter_by(only("scout", board))
        assert titles(board) == ["Scout kitchens"]
        board.filter_by(only("type:task", board), is_search=False)
        assert "Scout kitchens" in titles(board), "its activity is filtered out and hides nothing"
        board.filter_by(None)
        assert titles(board) == ["Shoot the films", "Brief the agencies", "Zoom call"]


async def test_a_jump_to_a_card_in_a_fold_opens_it() -> None:
    async with showing(canvas(FAMILY, phases=1), (60, 40)) as (_, board, _app):
        board.focus_card("card00004")
        board.folds.toggle_family()
        assert board.focus_card("card00007")
        assert title(board) == "Scout kitchens"
        assert len(titles(board)) == 6


async def test_an_activity_that_is_not_shown_hides_no_tasks() -> None:
    async with showing(canvas(FAMILY, phases=1), (60, 40)) as (_, board, _app):
        board.focus_card("card00004")
        board.folds.toggle_family()
        board.apply(changes(board, replace(FILMS, status=Status.ARCHIVED, version=2)))
        assert "Scout kitchens" in titles(board)
        board.show_archived = True
        assert titles(board) == ["Brief the agencies", "Zoom call", "Shoot the films"]
        board.show_archived = False
        assert len(titles(board)) == 5


async def test_a_card_without_a_family_does_not_fold() -> None:
    async with showing(canvas([*FAMILY, activity(9)], phases=1), (60, 40)) as (_, board, _app):
        for card_id in ("card00005", "card00009"):
            board.focus_card(card_id)
            assert board.folds.family is None
            assert board.folds.toggle_family() is None


async def drop(pilot: Pilot[None], board: Board, card_title: str, target: str, *, below: bool = False) -> CardDropped:
    app = pilot.app
    assert isinstance(app, BoardApp)
    await pilot.mouse_down(Board, offset=(5, line_with(board, card_title)))
    where = (5, line_with(board, target) + below)
    await pilot.hover(Board, offset=where)
    await pilot.mouse_up(Board, offset=where)
    await pilot.pause()
    dropped = app.last(CardDropped)
    assert isinstance(dropped, CardDropped)
    return dropped


async def test_a_card_dropped_inside_a_family_is_put_below_it() -> None:
    async with showing(canvas(FAMILY, phases=1), (60, 40)) as (pilot, board, _app):
        assert (await drop(pilot, board, "Zoom call", "Book the crew")).before_id == "card00005"
        assert (await drop(pilot, board, "Zoom call", "Shoot the films")).before_id == "card00004"


async def test_a_task_stays_among_the_tasks_of_its_activity() -> None:
    async with showing(canvas(FAMILY, phases=1), (60, 40)) as (pilot, board, _app):
        assert (await drop(pilot, board, "Shooting day", "Shoot the films")).before_id == "card00001"
        assert (await drop(pilot, board, "Book the crew", "Zoom call", below=True)).before_id is None


def test_families_of_the_status_board_stay_together_too() -> None:
    from tui.board.grouping import BY_STATUS
    from tui.board.model import BoardModel

    shown: list[Card] = list(BoardModel(canvas(FAMILY, phases=1), BY_STATUS).cards())
    assert [each.title for each in shown][:3] == ["Shoot the films", "Book the crew", "Shooting day"]
    assert shown[0].kind is ItemKind.ACTIVITY
