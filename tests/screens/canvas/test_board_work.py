"""The work of keys and the mouse on a board grows with nothing but what is visible: instructions at two sizes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest
from textual.geometry import Offset
from textual.pilot import Pilot

from core.domain.canvas import Canvas, CanvasChanges, Card
from core.domain.model import Status
from core.filters.context import FilterContext
from core.filters.filter import CardTexts, Filter
from core.record import replace
from tests.support.board_scene import activity, as_changes, canvas, card, line_with, showing, task_of
from tests.support.counting_work import Work, counted_work
from tui.board.board import Board
from tui.board.grouping import BY_PHASE, BY_STATUS, Grouping
from tui.board.model import BoardModel

FEW, MANY = 10, 400
"""Cards of each section."""

Step = Callable[[Pilot[None], Board], Awaitable[object]]


def sections(size: int) -> list[Card]:
    """Four phases with three sections of so many cards each. The first cards of each are a family."""
    cards: list[Card] = []
    for phase in range(1, 5):
        for status in (Status.TO_DO, Status.IN_PROGRESS, Status.COMPLETED):
            first = len(cards) + 1
            family = activity(first, phase, status)
            cards += [family, task_of(family, first + 1), task_of(family, first + 2)]
            cards += [card(number, phase, status) for number in range(first + 3, first + size)]
    return cards


async def work_of(size: int, prepare: Step | None, step: Step) -> Work:
    return await work_on(canvas(sections(size)), prepare, step)


async def work_on(shown: Canvas, prepare: Step | None, step: Step) -> Work:
    async with showing(shown) as (pilot, board, _app):
        if prepare is not None:
            await prepare(pilot, board)
        with counted_work() as work:
            await step(pilot, board)
        return work


async def press_card(pilot: Pilot[None], board: Board) -> None:
    await pilot.mouse_down(Board, offset=Offset(5, line_with(board, "Task 2 ")))


async def drag(pilot: Pilot[None], _board: Board) -> None:
    for y in (6, 9, 12):
        await pilot.hover(Board, offset=Offset(40, y))


async def down(_pilot: Pilot[None], board: Board) -> None:
    board.cursor.move(0, 1)


async def right(_pilot: Pilot[None], board: Board) -> None:
    board.cursor.move(1, 0)


async def half_page(_pilot: Pilot[None], board: Board) -> None:
    board.cursor.page(1)


async def mark_all(_pilot: Pilot[None], board: Board) -> None:
    board.marks.mark_all()


async def mark_one(_pilot: Pilot[None], board: Board) -> None:
    board.marks.toggle()


async def fold_a_phase(_pilot: Pilot[None], board: Board) -> None:
    board.cursor.go_to_column(4)
    board.folds.toggle_phase()
    board.cursor.go_to_column(1)


async def mark_all_and_fold(pilot: Pilot[None], board: Board) -> None:
    await fold_a_phase(pilot, board)
    board.marks.mark_all()


@pytest.mark.parametrize(
    ("prepare", "step"),
    [
        (None, down),
        (None, right),
        (None, half_page),
        (None, mark_one),
        (mark_all, down),
        (mark_all_and_fold, down),
        (press_card, drag),
    ],
)
async def test_the_work_is_the_same_at_any_size(prepare: Step | None, step: Step) -> None:
    few, many = [await work_of(size, prepare, step) for size in (FEW, MANY)]
    assert many.instructions < few.instructions * 1.05, many.beyond(few)


def test_a_board_makes_the_key_of_each_card_once_when_it_is_filled() -> None:
    shown = canvas(sections(MANY))
    with counted_work() as work:
        BoardModel(shown)
    assert work.calls["Families.key"] == len(shown.cards)


@pytest.mark.parametrize("axes", [BY_PHASE, BY_STATUS], ids=["by phase", "by status"])
def test_a_change_looks_at_the_keys_of_a_few_cards(axes: Grouping) -> None:
    shown = canvas(sections(MANY))
    model = BoardModel(shown, axes)
    with counted_work() as work:
        model.apply(CanvasChanges(head=as_changes(shown.head), changed=(replace(shown.cards[MANY // 2], rank="a9"),)))
    assert work.calls["Families.key"] < 40


async def lose_the_focus(pilot: Pilot[None], board: Board) -> None:
    board.screen.set_focus(None)
    await pilot.pause()


@pytest.mark.parametrize("step", [down, right, half_page, mark_one, lose_the_focus])
async def test_the_work_is_the_same_with_any_number_of_members(step: Step) -> None:
    few = canvas(sections(FEW))
    ann = few.head.members[0]
    others = [replace(ann, user_id=f"user{number}", name=f"Ida {number}") for number in range(500)]
    many = replace(few, head=replace(few.head, members=(ann, *others)))
    works = [await work_on(shown, None, step) for shown in (few, many)]
    assert works[1].instructions < works[0].instructions * 1.05, works[1].beyond(works[0])


@pytest.mark.parametrize("step", [down, half_page, mark_one])
async def test_the_work_is_the_same_with_any_number_of_phases(step: Step) -> None:
    few, many = [await work_on(canvas(sections(FEW), phases=phases), None, step) for phases in (5, 100)]
    assert many.instructions < few.instructions * 1.05, many.beyond(few)


@pytest.mark.parametrize(("step", "drawn"), [(down, 1), (half_page, 1), (right, 2)])
async def test_a_step_of_the_cursor_draws_only_the_columns_that_it_leaves_and_enters(step: Step, drawn: int) -> None:
    work = await work_of(FEW, None, step)
    assert work.calls["Painter._column"] == drawn


async def test_a_frame_asks_for_the_size_of_the_board_as_often_at_any_height() -> None:
    asked = []
    for height in (30, 60):
        async with showing(canvas(sections(MANY)), (110, height)) as (_, board, _app):
            with counted_work() as work:
                board.cursor.bottom()
        assert work.calls["BoardRenderer._line"] > height // 2
        asked.append(work.calls["Viewport.size"])
    assert asked[0] == asked[1] < 10


async def test_a_step_of_the_cursor_lays_its_column_out_to_scroll_and_to_draw() -> None:
    work = await work_of(FEW, None, down)
    assert work.calls["Viewport.stack"] == 2


async def test_a_frame_after_a_step_is_the_one_that_is_drawn_whole() -> None:
    async with showing(canvas(sections(FEW)), (110, 20)) as (_, board, _app):
        for dx, dy in ((0, 1), (0, 9), (1, 0), (0, 3), (1, 0), (1, 0), (-1, 0), (0, -2), (-1, 0)):
            board.cursor.move(dx, dy)
            stepped = list(board.renderer._lines)
            board.sync()
            board.renderer._grid_drawn = None
            board.renderer._frame = []
            board.sync()
            assert [list(line) for line in stepped] == [list(line) for line in board.renderer._lines]


FAMILY = [
    activity(1, title="Plan the launch"),
    task_of(activity(1), 2, title="Plan posters"),
    task_of(activity(1), 3, title="Launch party"),
    card(4, title="Plan the posters"),
    activity(5, title="Print"),
    task_of(activity(5), 6, title="Posters, plan B"),
]
TYPED = ("p", "pl", "plan", "plan p", "plan po", "plan", "launch", "launch -plan", "", "post", "poster -plan", "poster")


def filters(shown: Canvas) -> Callable[[str], Filter | None]:
    """The filters of texts that are typed one after the other: they share the texts of the cards."""
    head, texts = shown.head, CardTexts(shown.head.members)
    context = FilterContext("ann", head.today, head.columns, head.members, head.labels, head.fields)
    return lambda text: Filter(text, context, texts) if text else None


def visible(model: BoardModel) -> dict[object, list[str]]:
    return {place: [card.id for card in section.cards] for place, section in model.seen.items() if section.cards}


@pytest.mark.parametrize("folded", [frozenset(), frozenset({"card00001"})], ids=["open", "folded"])
def test_typing_a_filter_letter_by_letter_shows_what_the_whole_text_shows_at_once(folded: frozenset[str]) -> None:
    shown = canvas(FAMILY)
    found, typed = filters(shown), BoardModel(shown)
    typed.fold(frozenset(), folded)
    for text in TYPED:
        typed.filter_by(found(text))
        at_once = BoardModel(shown)
        at_once.fold(frozenset(), folded)
        at_once.filter_by(found(text))
        assert visible(typed) == visible(at_once), text
    assert visible(typed)


def test_a_letter_that_narrows_the_filter_asks_only_the_cards_that_matched() -> None:
    shown = canvas(sections(MANY))
    found, model = filters(shown), BoardModel(shown)
    model.filter_by(found("1"))
    left = sum(len(section) for section in model.seen.values())
    assert 0 < left < len(shown.cards) // 2
    with counted_work() as work:
        model.filter_by(found("10"))
    assert work.calls["Filter.matches"] == left
    with counted_work() as work:
        model.filter_by(found("activity"))
    assert work.calls["Filter.matches"] == len(shown.cards)


def test_a_filter_that_leaves_all_cards_looks_for_no_task_that_has_lost_its_activity() -> None:
    shown = canvas([*FAMILY, *sections(FEW)[30:]])
    model = BoardModel(shown)
    with counted_work() as work:
        model.filter_by(filters(shown)("a"))
    assert sum(map(len, model.seen.values())) == len(shown.cards) - 1  # “Print”
    assert work.calls["Families.is_parted"] <= len(FAMILY)


async def test_a_fold_asks_no_card_whether_it_matches_the_filter() -> None:
    async with showing(canvas(sections(FEW))) as (_, board, _app):
        board.filter_by(filters(canvas(sections(FEW)))("t"), is_search=False)
        with counted_work() as work:
            board.folds.toggle_family()
            board.folds.toggle_phase()
        assert board.model.families.hiding == {"card00001"}
        assert board.model.folded == {"phase1"}
        assert not work.calls["Filter.matches"]
