"""Boards under random wrapping, folding, marking, sorting and filtering: every card is visible once, or in a fold that
counts it; each one in view is painted with its title, and the cursor is on the screen.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from functools import lru_cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len, split_graphemes

from core.domain.canvas import Canvas, CanvasChanges, Card
from core.domain.model import ItemKind, PhaseState, Status
from core.domain.view_settings import WORK, PhaseSection, Sort, ViewSettings
from core.record import replace
from tests.support.board_scene import HOSTILE, TODAY, activity, as_changes, canvas, card, complete, lines, only, showing
from tests.support.sweeps import sweep
from tui.board.board import Board
from tui.drawing.rows import one_line

PHASES = 4
SIGNS = "↳○◐✓–◇◈◆⊞■"
"""The signs before a title."""
WORDS = st.sampled_from(["film", "posters", "着陸ページ", "👩🏽\u200d💻", "e\u0301te\u0301", "Donaudampfschifffahrt"])
TITLES = st.one_of(
    st.sampled_from([*(text[:300] for text in HOSTILE), "Write the brief", "Call Ana"]),
    st.lists(WORDS, max_size=14).map(" ".join),
)
VIEWS = (WORK, (PhaseSection.TASKS,), (PhaseSection.TASKS, PhaseSection.ACTIVITIES, PhaseSection.ARCHIVED))
STATUSES = st.sampled_from(list(Status))
NUMBERS = st.integers(0, 39)

FILTERS = st.sampled_from(["", "film", "brief", "type:task", "status:completed", "nothing"])
PLAIN = ["top", "bottom", "fold phase", "mark", "mark all", "compact", "archive"]

STEPS = st.one_of(
    st.tuples(st.just("move"), st.integers(-2, 2), st.integers(-4, 4)),
    st.tuples(st.just("page"), st.sampled_from([-1, 1])),
    *[st.tuples(st.just(step)) for step in PLAIN],
    st.tuples(st.just("go to"), NUMBERS),
    st.tuples(st.just("fold family"), NUMBERS),
    st.tuples(st.just("wheel"), st.integers(0, PHASES - 1), st.integers(-9, 9)),
    st.tuples(st.just("filter"), FILTERS, st.booleans()),
    st.tuples(st.just("sort"), st.sampled_from(list(Sort)), st.sampled_from(VIEWS)),
    st.tuples(st.just("change"), NUMBERS, TITLES, STATUSES, st.integers(1, PHASES)),
    st.tuples(st.just("delete"), NUMBERS),
    st.tuples(st.just("complete"), st.sets(st.integers(1, PHASES))),
)


@st.composite
def boards(draw: st.DrawFn) -> Canvas:
    """Cards in four phases, most of them in the first, some of them activities with tasks in the same phase."""
    cards: list[Card] = []
    activities: list[Card] = []
    for number in range(draw(st.integers(12, 40))):
        title, status, phase = draw(TITLES), draw(STATUSES), draw(st.sampled_from([1, 1, 1, 1, 1, 2, 3, 4]))
        if draw(st.integers(0, 3)) == 0:
            activities.append(activity(number, phase, status, title=title))
            cards.append(activities[-1])
        elif activities and draw(st.integers(0, 3)) > 0:
            parent = draw(st.sampled_from(activities))
            cards.append(card(number, 1, status, title=title, phase_id=parent.phase_id, activity_id=parent.id))
        else:
            due = TODAY if draw(st.booleans()) else None
            cards.append(card(number, phase, status, title=title, due=due, assignee_ids=("ann",)))
    return canvas(cards, PHASES)


SIZES = st.sampled_from([(40, 12), (57, 9), (80, 24), (120, 40), (200, 60)])


def check_after_each_step(shown: Canvas, size: tuple[int, int], steps: list[tuple[Any, ...]]) -> None:
    async def play() -> None:
        async with showing(shown, size) as (_, board, _app):
            check(board)
            for step in steps:
                take(board, *step)
                check(board)

    asyncio.run(play())


@pytest.mark.parametrize("examples", sweep([25, 80], lambda examples: examples == 25))
def test_no_wrapping_or_folding_ever_hides_the_cursor_or_a_card(examples: int) -> None:
    played = given(boards(), SIZES, st.lists(STEPS, min_size=20, max_size=40))(check_after_each_step)
    settings(max_examples=examples)(played)()


def take(board: Board, step: str, *how: Any) -> None:
    """Carry out one step."""
    match step, *how:
        case "move", dx, dy:
            board.cursor.move(dx, dy)
        case "page", direction:
            board.cursor.page(direction)
        case ("top",):
            board.cursor.top()
        case ("bottom",):
            board.cursor.bottom()
        case ("fold phase",):
            board.folds.toggle_phase()
        case "fold family", number:
            activities = [each.id for each in board.model.by_id.values() if each.kind is ItemKind.ACTIVITY]
            if activities and board.focus_card(activities[number % len(activities)]):
                board.folds.toggle_family()
        case ("mark",):
            board.marks.toggle()
        case ("mark all",):
            board.marks.mark_all()
        case ("compact",):
            board.viewport.compact = not board.viewport.compact
            board.renew()
        case ("archive",):
            board.show_archived = not board.show_archived
        case "go to", number:
            board.focus_card(f"card{number:05}")
        case "wheel", column, by:
            board.viewport.scroll_column(column, board.viewport.top(column) + by)
            board.sync()
            board.cursor.move(0, 0)  # the next key brings the cursor back into view
        case "filter", text, is_search:
            board.filter_by(only(text, board), is_search=is_search)
        case "sort", sort, sections:
            board.apply_settings(ViewSettings(sort=sort, sections=sections))
        case "change", number, title, status, phase:
            before = board.model.by_id.get(f"card{number:05}", card(number))
            is_alone = not before.activity_id and not board.model.families.tasks(before.id)
            phase_id = f"phase{phase}" if is_alone and before.kind is ItemKind.TASK else before.phase_id
            changed = replace(before, title=title, status=status, phase_id=phase_id, version=before.version + 1)
            change(board, changed)
        case "delete", number:
            change(board, gone=(f"card{number:05}",))
        case "complete", numbers:
            change(board, done=numbers)
        case _:
            raise AssertionError(step)


def change(board: Board, *changed: Card, gone: tuple[str, ...] = (), done: set[int] | None = None) -> None:
    """Apply changes; the phases that were complete stay so unless others are given."""
    if done is None:
        done = {column.number for column in board.model.head.columns if column.state is PhaseState.COMPLETE}
    after = {**board.model.by_id, **{each.id: each for each in changed}}
    cards = [each for each in after.values() if each.id not in gone]
    now = complete(canvas(cards, PHASES), *done).head
    board.apply(CanvasChanges(head=as_changes(now), changed=changed, gone=gone))


def check(board: Board) -> None:
    """Compare everything that always holds."""
    drawn = lines(board)
    assert {cell_len(line) for line in drawn} == {board.size.width}
    every_card_is_visible_or_counted(board)
    families_are_together(board)
    what_is_in_view_is_painted(board, drawn)
    the_cursor_is_seen(board, drawn)
    on_board = [each for each in board.model.by_id.values() if board.model.is_on_board(each)]
    assert {each.id for each in board.marks.cards} == {each.id for each in on_board} & board.marks.ids


def every_card_is_visible_or_counted(board: Board) -> None:
    model = board.model
    on_board = {each.id for each in model.by_id.values() if model.is_on_board(each)}
    visible = [each.id for each in model.cards()]
    assert len(visible) == len(set(visible))
    folds = {each: model.fold_of(model.by_id[each]) for each in on_board}
    assert set(visible) == {each for each, fold in folds.items() if fold is None}
    inside = Counter(model.by_id[each].phase_id for each, fold in folds.items() if fold in model.folded)
    assert all(model.count_in(each) == inside[each] for each in model.folded)
    assert not (board.folds.is_searched and set(visible) != on_board), "a filter finds what is in a fold"
    hidden = [each for each in on_board if model.families.hides(model.by_id[each])]
    assert {model.by_id[each].activity_id for each in hidden} <= on_board, "an activity out of sight hides tasks"
    assert sum(model.families.hidden.values()) == len(hidden)


def families_are_together(board: Board) -> None:
    for column in board.model.columns:
        for section in board.model.sections(column.id):
            leaders = [
                each.id if each.kind is ItemKind.ACTIVITY else leader.id if leader else each.id
                for each in board.model.cards_of(column.id, section).cards
                for leader in [board.model.families.leader(each)]
            ]
            runs = [each for at, each in enumerate(leaders) if at == 0 or leaders[at - 1] != each]
            assert len(runs) == len(set(runs)), leaders


def what_is_in_view_is_painted(board: Board, drawn: list[str]) -> None:
    """Read the title of each card that is in view off the screen, and the number of cards off each folded phase."""
    grid, model = board.viewport.grid, board.model
    for number in range(grid.first, grid.last):
        column, (left, cells) = model.columns[number], grid.span(number)
        if column.id in model.folded:
            marked = sum(each.phase_id == column.id for each in board.marks.cards)
            if grid.head > 3 or not marked:  # a short head has the number of marks in its place
                assert part(drawn[1], left, cells)[1:].split()[0] == str(model.count_in(column.id))
            continue
        stack, top = board.viewport.stack(number), board.viewport.top(number)
        for section, name in enumerate(model.sections(column.id)):
            for index, each in enumerate(model.cards_of(column.id, name).cards):
                first, high = grid.head + stack.line(section, index) - top, stack.lines(section, index)
                if first >= grid.head + grid.held and first + high <= grid.height:
                    rows = [part(line, left, cells - 1) for line in drawn[first : first + high]]
                    if board.viewport.compact:
                        the_title_is_read(each, rows, most=1, share=0.6 * (cells - 1) - 1)
                    else:
                        the_title_is_read(each, rows[:-1], most=grid.title_lines)


def the_title_is_read(shown: Card, rows: list[str], most: int, share: float = 0.0) -> None:
    """Compare the lines of a title on the screen with it. One that is cut takes all of its ``most`` lines; in the
    compact density, where people and date are in the same line, its ``share`` of the cells.
    """
    title = "".join(one_line(shown.title).split())
    read = "".join("".join(row.lstrip(f" ▌{SIGNS}").split()) for row in rows)
    if share:
        if not read.startswith(title):
            kept, cut, _ = read.partition("…")
            assert cut, (title, rows)
            assert title.startswith(kept), (title, rows)
            assert cell_len(rows[0].partition("…")[0]) >= share - 1  # a wide letter has two cells
    elif read != title:
        assert read.endswith("…"), (title, rows)
        assert title.startswith(read[:-1]), (title, rows)
        assert len(rows) == most, (title, rows)


def the_cursor_is_seen(board: Board, drawn: list[str]) -> None:
    grid, number = board.viewport.grid, board.cursor.number
    assert grid.first <= number < grid.last
    left, cells = grid.span(number)
    place = board.cursor.place
    if place is None:
        column = board.model.columns[number]
        assert column.id in board.model.folded or not any(board.model.counts(column.id))
        bars = [line for line in drawn if part(line, left, cells).startswith("▌")]
        assert bars
        return
    assert board.cursor.card is not None
    stack, top = board.viewport.stack(number), board.viewport.top(number)
    first = grid.head + stack.line(*place) - top
    end = first + stack.lines(*place)
    assert first >= grid.head + grid.held, "the held title covers it"
    assert end <= grid.height or first == grid.head + grid.held, "it is cut although there is room"
    for y in range(first, min(end, grid.height)):
        assert part(drawn[y], left, cells).startswith("▌")
    words = one_line(board.cursor.card.title).split()
    if words and words[0].isascii() and len(words[0]) < cells - 8:
        assert words[0] in part(drawn[first], left, cells)


@lru_cache(maxsize=4096)
def part(line: str, left: int, cells: int) -> str:
    """The part of a drawn line that a column takes."""
    at, found = 0, ""
    for start, end, wide in graphemes(line):
        if left <= at < left + cells:
            found += line[start:end]
        at += wide
    return found


@lru_cache(maxsize=1024)
def graphemes(line: str) -> list[tuple[int, int, int]]:
    return split_graphemes(line)[0]
