"""The board draws a Canvas and lets people move about in it; it asks the screen for every change."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import date, timedelta

import pytest
from rich.cells import cell_len
from textual import events
from textual.app import App, ComposeResult
from textual.geometry import Offset
from textual.message import Message
from textual.pilot import Pilot
from textual.widgets import Input

from core.actions.canvas import Canvas, CanvasChanges, CanvasHead, CanvasMember, Card, PhaseColumn
from core.model import Gate, Health, Id, ItemKind, PhaseState, ProjectRole, Status, Verdict
from core.rules import Tally
from tui.board.board import Board
from tui.board.layout import Grid, Part, Stack
from tui.board.model import BoardModel

TODAY = date(2026, 11, 20)
HOSTILE = [
    "[red]not markup[/red] [@click=app.quit]press[/]",
    "escape \x1b]52;c;ZXZpbA==\x07 and \x9b31m",
    "two\nlines\tand a tab",
    "right \u202eto left\u202c and \u200bnothing",
    "着陸ページを翻訳する必要があります" * 3,
    "family 👨‍👩‍👧‍👦 and flag 🇩🇪 and é and z̸̢̛",
    "unbalanced [/] [",
    "x" * 5000,
]


def card(number: int, phase: int = 1, status: Status = Status.TO_DO, **more: object) -> Card:
    plain = Card(
        id=f"card{number:05}",
        kind=ItemKind.TASK,
        phase_id=f"phase{phase}",
        rank=f"a{number:05}",
        title=f"Task {number}",
        status=status,
        due=None,
        activity_id=None,
        assignee_ids=(),
        has_link=False,
        comments=0,
        tasks_done=0,
        tasks=0,
        version=1,
    )
    return replace(plain, **more)  # type: ignore[arg-type]


def phase(number: int, cards: Iterable[Card], name: str = "") -> PhaseColumn:
    mine = [one.status for one in cards if one.phase_id == f"phase{number}"]
    return PhaseColumn(
        id=f"phase{number}",
        number=number,
        name=name or f"Phase {number}",
        state=PhaseState.OPEN if number == 1 else PhaseState.LOCKED,
        gate=Gate.REVIEW if number == 2 else Gate.AUTOMATIC,
        verdict=Verdict.NONE,
        overridden=False,
        due=TODAY + timedelta(days=number),
        tally=Tally(*(mine.count(status) for status in Status)),
        member_ids=("ann",),
        objectives="",
        outcomes="",
        deliverables_done=0,
        deliverables=0,
        version=1,
    )


def head(cards: Iterable[Card], phases: int = 4, name: str = "") -> CanvasHead:
    columns = tuple(phase(number, list(cards), name) for number in range(1, phases + 1))
    return CanvasHead(
        project_id="project",
        name="Spring launch",
        description="",
        archived=False,
        version=1,
        links=(),
        my_role=ProjectRole.OWNER,
        held=frozenset(),
        health=Health.NONE,
        tally=sum((column.tally for column in columns), Tally()),
        columns=columns,
        members=(CanvasMember(user_id="ann", name="Ann Kovács", login="ann", role=ProjectRole.OWNER, active=True),),
        seq=1,
    )


def canvas(cards: Iterable[Card], phases: int = 4, name: str = "") -> Canvas:
    ordered = tuple(sorted(cards, key=lambda one: (one.phase_id, one.rank, one.id)))
    return Canvas(head=head(ordered, phases, name), cards=ordered)


def some_cards() -> list[Card]:
    """Phase 1: three to do, two in progress, one completed, one archived. Phase 2: two to do. 3: none. 4: one."""
    statuses = [Status.TO_DO] * 3 + [Status.IN_PROGRESS] * 2 + [Status.COMPLETED, Status.ARCHIVED]
    cards = [card(number, 1, status) for number, status in enumerate(statuses, 1)]
    return [*cards, card(8, 2, title="Write the brief", assignee_ids=("ann",)), card(9, 2), card(10, 4)]


def many_cards(count: int) -> list[Card]:
    statuses = [Status.TO_DO, Status.IN_PROGRESS, Status.COMPLETED]
    return [card(number, 1 + number % 6, statuses[number % 3]) for number in range(count)]


class BoardApp(App[None]):
    """A board that fills the screen; what it posts is kept."""

    ALLOW_SELECT = False
    CSS = "Board { height: 1fr; } Input { display: none; }"

    def __init__(self) -> None:
        super().__init__()
        self.posted: list[Message] = []

    def compose(self) -> ComposeResult:
        yield Board(no_cards="No cards yet · n adds one")
        yield Input()

    def on_mount(self) -> None:
        self.query_one(Board).focus()

    def keep(self, message: Message) -> None:
        self.posted.append(message)

    on_board_card_opened = keep
    on_board_cursor_moved = keep
    on_board_card_dropped = keep
    on_board_phase_dropped = keep
    on_board_phase_opened = keep
    on_board_menu_requested = keep

    def last(self, kind: type[Message]) -> Message:
        return next(message for message in reversed(self.posted) if isinstance(message, kind))

    def count(self, kind: type[Message]) -> int:
        return sum(isinstance(message, kind) for message in self.posted)


@asynccontextmanager
async def showing(
    shown: Canvas | None = None, size: tuple[int, int] = (120, 40)
) -> AsyncIterator[tuple[Pilot[None], Board, BoardApp]]:
    app = BoardApp()
    async with app.run_test(size=size) as pilot:
        board = app.query_one(Board)
        board.show(shown or canvas(some_cards()), TODAY)
        await pilot.pause()
        yield pilot, board, app


def lines(board: Board) -> list[str]:
    return [strip.text for strip in board.render_lines(board.size.region)]


def line_with(board: Board, text: str) -> int:
    return next(y for y, line in enumerate(lines(board)) if text in line)


def changes(board: Board, *changed: Card, gone: tuple[Id, ...] = ()) -> CanvasChanges:
    after = {**board.model.by_id, **{one.id: one for one in changed}}
    left = [one for one in after.values() if one.id not in gone]
    return CanvasChanges(head=head(left, len(board.model.columns)), changed=changed, gone=gone, by_others=frozenset())


def title(board: Board) -> str:
    return board.card.title if board.card else ""


# -- moving --------------------------------------------------------------------------------------------------


async def test_down_and_up_pass_over_the_heads_of_sections_and_stop_at_the_ends() -> None:
    async with showing() as (_, board, _app):
        seen = []
        for _ in range(8):
            seen.append(title(board))
            board.move_cursor(0, 1)
        assert seen == ["Task 1", "Task 2", "Task 3", "Task 4", "Task 5", "Task 6", "Task 6", "Task 6"]
        board.move_cursor(0, -20)
        assert title(board) == "Task 1"


async def test_sideways_keeps_to_the_line_and_comes_back_to_it_through_shorter_columns() -> None:
    async with showing() as (_, board, _app):
        board.move_cursor(0, 4)
        board.move_cursor(1, 0)
        assert title(board) == "Task 9"
        board.move_cursor(1, 0)
        assert board.card is None
        assert board.column is not None
        assert board.column.id == "phase3"
        board.move_cursor(1, 0)
        assert title(board) == "Task 10"
        board.move_cursor(-3, 0)
        assert title(board) == "Task 5"


async def test_an_empty_column_holds_the_cursor_and_says_what_to_do() -> None:
    async with showing() as (_, board, app):
        board.go_to_column(3)
        assert board.card is None
        assert "▌ No cards yet · n adds one" in lines(board)[line_with(board, "No cards yet")]
        moved = app.last(Board.CursorMoved) if app.count(Board.CursorMoved) else None
        assert moved is not None
        board.move_cursor(0, 1)
        assert board.card is None
        assert board.description == "Phase 3, locked, no cards"


async def test_top_bottom_and_pages() -> None:
    async with showing(canvas(many_cards(600))) as (_, board, _app):
        board.go_bottom()
        assert board.card == board.model.column_cards("phase1")[-1]
        board.go_top()
        assert board.card == board.model.column_cards("phase1")[0]
        board.page(1)
        assert board.model.column_cards("phase1").index(board.card) == 6
        board.page(-1)
        assert board.card == board.model.column_cards("phase1")[0]


async def test_a_column_that_does_not_exist_is_ignored() -> None:
    async with showing() as (_, board, _app):
        board.go_to_column(9)
        board.go_to_column(0)
        assert title(board) == "Task 1"
        board.go_to_column(2)
        assert title(board) == "Write the brief"


@pytest.mark.parametrize("size", [(40, 12), (80, 24), (120, 40), (200, 60), (10, 5), (1, 1)])
async def test_the_cursor_can_be_seen_wherever_it_goes(size: tuple[int, int]) -> None:
    async with showing(canvas(many_cards(300), phases=9), size) as (_, board, _app):
        for dx, dy in [(0, 1)] * 20 + [(1, 0)] * 9 + [(0, 7)] * 9 + [(-1, 0)] * 9 + [(0, -5)] * 9:
            board.move_cursor(dx, dy)
            if size[0] >= 40:
                focused = [line for line in lines(board) if "▌" in line]
                assert focused, (dx, dy, title(board))
                assert title(board) in "".join(focused) or board.card is None


async def test_the_hardware_cursor_follows_the_focused_card() -> None:
    async with showing() as (_, board, app):
        board.move_cursor(0, 3)
        y = line_with(board, "Task 4")
        assert app.cursor_position == Offset(0, y)
        board.move_cursor(1, 0)
        assert app.cursor_position == Offset(30, line_with(board, "Task 9"))


async def test_each_move_is_told_once() -> None:
    async with showing() as (pilot, board, app):
        before = app.count(Board.CursorMoved)
        board.move_cursor(0, 1)
        board.move_cursor(-1, 0)
        await pilot.pause()
        assert app.count(Board.CursorMoved) == before + 1


# -- changes -------------------------------------------------------------------------------------------------


async def test_the_cursor_stays_on_its_card_when_the_card_is_moved() -> None:
    async with showing() as (_, board, _app):
        board.move_cursor(0, 1)
        moved = replace(board.model.by_id["card00002"], status=Status.COMPLETED, version=2)
        board.apply(changes(board, moved))
        assert board.card == moved
        assert line_with(board, "Completed 2") < line_with(board, "Task 2") < line_with(board, "Task 6")
        to_other_phase = replace(moved, phase_id="phase3")
        board.apply(changes(board, to_other_phase))
        assert board.column is not None
        assert (board.card, board.column.id) == (to_other_phase, "phase3")


async def test_a_card_that_comes_in_above_leaves_the_focused_card_on_its_line() -> None:
    async with showing(canvas(many_cards(600))) as (_, board, _app):
        board.move_cursor(0, 20)
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
        column = board.column
        board.apply(changes(board, gone=gone))
        assert title(board) == then
        assert board.column is not None
        assert column is not None
        assert board.column.id == column.id


async def test_when_the_focused_phase_goes_the_one_in_its_place_takes_over() -> None:
    async with showing() as (_, board, _app):
        board.go_to_column(4)
        after = head([one for one in board.model.by_id.values() if one.phase_id != "phase4"], phases=3)
        board.apply(CanvasChanges(head=after, changed=(), gone=("card00010",), by_others=frozenset()))
        assert board.column is not None
        assert board.column.id == "phase3"


async def test_showing_the_same_project_again_keeps_cursor_marks_and_filter() -> None:
    async with showing() as (_, board, _app):
        board.filter_by("task")
        board.focus_card("card00005")
        board.toggle_mark()
        board.show(canvas(some_cards()), TODAY)
        assert (title(board), board.marked, board.model.words) == ("Task 5", {"card00005"}, ("task",))


async def test_a_change_repaints_only_the_cards_that_differ() -> None:
    async with showing() as (_, board, _app):
        before = list(board._lines)
        board.apply(changes(board, replace(board.model.by_id["card00009"], comments=3, version=2)))
        differ = [y for y, strip in enumerate(board._lines) if strip is not before[y]]
        y = line_with(board, "Task 9")
        assert differ == [y, y + 1]
        assert "❝3" in lines(board)[y + 1]


async def test_ten_thousand_cards_stay_in_order_through_changes() -> None:
    shown = canvas(many_cards(10_000))
    model = BoardModel(shown)
    for number in range(0, 3_000, 7):
        old = model.by_id[f"card{number:05}"]
        new = replace(old, status=Status.IN_PROGRESS, rank=f"a{(number * 31) % 10_000:05}", version=2)
        model.apply(CanvasChanges(head=shown.head, changed=(new,), gone=(), by_others=frozenset()))
    again = BoardModel(Canvas(head=shown.head, cards=tuple(model.by_id.values())))
    assert [one.id for one in model.cards()] == [one.id for one in again.cards()]


# -- sections, filter, marks ---------------------------------------------------------------------------------


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
        board.filter_by("BRIEF kov")
        assert [one.title for one in board.model.cards()] == ["Write the brief"]
        assert "Nothing here matches" in "".join(lines(board))
        board.filter_by("brief task")
        assert list(board.model.cards()) == []
        assert board.targets == []
        board.filter_by("")
        assert len(list(board.model.cards())) == 9


async def test_a_changed_card_comes_and_goes_with_the_filter() -> None:
    async with showing() as (_, board, _app):
        board.filter_by("brief")
        board.apply(changes(board, replace(board.model.by_id["card00001"], title="Another brief")))
        assert [one.id for one in board.model.cards()] == ["card00001", "card00008"]
        board.apply(changes(board, replace(board.model.by_id["card00008"], title="Done")))
        assert [one.id for one in board.model.cards()] == ["card00001"]


async def test_marks_are_the_targets_in_the_order_of_the_board() -> None:
    async with showing() as (_, board, _app):
        assert [one.title for one in board.targets] == ["Task 1"]
        board.focus_card("card00009")
        board.toggle_mark()
        board.focus_card("card00004")
        board.toggle_mark()
        assert [one.title for one in board.targets] == ["Task 4", "Task 9"]
        assert "■ Task 4" in "".join(lines(board))
        board.toggle_mark()
        assert [one.title for one in board.targets] == ["Task 9"]
        board.clear_marks()
        assert [one.title for one in board.targets] == ["Task 4"]


async def test_a_range_runs_from_the_last_mark_to_the_cursor_within_a_column() -> None:
    async with showing() as (_, board, _app):
        board.focus_card("card00005")
        board.toggle_mark()
        board.focus_card("card00002")
        board.mark_range()
        assert [one.title for one in board.targets] == ["Task 2", "Task 3", "Task 4", "Task 5"]
        board.focus_card("card00009")
        board.mark_range()
        assert [one.title for one in board.targets][-1] == "Task 9"
        assert "card00008" not in board.marked


async def test_marking_all_marks_what_the_filter_leaves_and_gone_cards_lose_their_mark() -> None:
    async with showing() as (_, board, _app):
        board.filter_by("task")
        board.mark_all()
        assert "card00008" not in board.marked
        assert len(board.marked) == 8
        board.apply(changes(board, gone=("card00001",)))
        assert len(board.marked) == 7


async def test_a_lit_card_fades_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tui.board.board.GLOW_SECONDS", 0.05)
    async with showing() as (pilot, board, _app):
        before = list(board._lines)
        board.highlight({"card00009"})
        assert board._lines[line_with(board, "Task 9")] is not before[line_with(board, "Task 9")]
        await pilot.pause(0.15)
        assert board._glowing == frozenset()


# -- what is drawn -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [1, 5, 20, 25, 26, 40, 51, 52, 79, 80, 100, 131, 200])
@pytest.mark.parametrize("compact", [False, True])
async def test_every_line_is_exactly_as_wide_as_the_widget(width: int, compact: bool) -> None:
    cards = [
        card(n, 1 + n % 5, title=text, assignee_ids=("ann",), comments=n, due=TODAY, has_link=True)
        for n, text in enumerate(HOSTILE)
    ]
    cards.append(card(99, 2, kind=ItemKind.ACTIVITY, tasks=5, tasks_done=2, activity_id="card00001"))
    async with showing(canvas(cards, phases=6, name=HOSTILE[4]), (width, 30)) as (_, board, _app):
        board.compact = compact
        for _ in range(6):
            board.move_cursor(1, 0)
            drawn = board.render_lines(board.size.region)
            assert len(drawn) == 30
            assert {strip.cell_length for strip in drawn} == {width}
            assert {cell_len(strip.text) for strip in drawn} == {width}


async def test_hostile_text_is_shown_as_text() -> None:
    cards = [card(number, 1 + number % 3, title=text) for number, text in enumerate(HOSTILE)]
    async with showing(canvas(cards, name=HOSTILE[1])) as (_, board, _app):
        text = "".join(lines(board))
        assert not any(character < " " or "\x7f" <= character <= "\x9f" for character in text)
        assert "\u202e" not in text
        assert "[red]not markup" in text
        for strip in board.render_lines(board.size.region):
            assert not any(segment.control or (segment.style and segment.style.meta) for segment in strip)


async def test_ascii_mode_and_no_colour_keep_every_meaning() -> None:
    async with showing() as (_, board, _app):
        board.toggle_mark()
        board.move_cursor(0, 3)
        board.ascii = True
        text = "\n".join(lines(board))
        assert text.isascii()
        assert "* Task 1" in text
        assert ">% Task 4" in text
        assert "x Task 6" in text


async def test_columns_beyond_the_edges_are_counted_and_none_is_clipped() -> None:
    async with showing(canvas(some_cards(), phases=9), (80, 24)) as (_, board, _app):
        assert "6 ›" in lines(board)[3]
        board.go_to_column(5)
        assert "‹ 2" in lines(board)[3]
        assert "4 ›" in lines(board)[3]
        assert [number for number in range(1, 10) if f"Phase {number}" in lines(board)[0]] == [3, 4, 5]


async def test_a_project_without_phases_says_so() -> None:
    async with showing(canvas([], phases=0)) as (_, board, _app):
        assert "This project has no phases yet" in "".join(lines(board))
        board.move_cursor(1, 1)
        board.go_to_column(1)
        board.page(1)
        assert (board.card, board.column, board.targets, board.description) == (None, None, [], "")


async def test_an_override_stays_visible_in_the_narrowest_column() -> None:
    shown = canvas(some_cards())
    columns = tuple(replace(column, overridden=True) for column in shown.head.columns)
    async with showing(replace(shown, head=replace(shown.head, columns=columns)), (80, 24)) as (_, board, _app):
        assert "".join(lines(board)).count("override") == 3


async def test_the_focused_card_is_one_sentence() -> None:
    async with showing() as (_, board, _app):
        board.focus_card("card00008")
        assert board.description == "Write the brief, task, To Do, in Phase 2, Ann Kovács"
        board.apply(changes(board, replace(board.model.by_id["card00008"], due=TODAY, assignee_ids=())))
        assert board.description == "Write the brief, task, To Do, in Phase 2, due today, nobody assigned"


async def test_the_picture_follows_theme_size_and_focus() -> None:
    async with showing() as (pilot, board, app):
        dark = board._lines[0]
        app.theme = "textual-light"
        await pilot.pause()
        board.render_lines(board.size.region)
        assert [segment.style for segment in board._lines[0]] != [segment.style for segment in dark]
        await pilot.resize_terminal(60, 20)
        await pilot.pause()
        assert {strip.cell_length for strip in board.render_lines(board.size.region)} == {60}
        focused = board._lines[line_with(board, "Task 1")]
        field = app.query_one(Input)
        field.display = True
        field.focus()
        await pilot.pause()
        assert board._lines[line_with(board, "Task 1")] is not focused


# -- the mouse -----------------------------------------------------------------------------------------------


def test_every_point_of_a_column_is_what_is_drawn_there() -> None:
    for counts in [(0, 0, 0), (3, 0, 2), (0, 1, 0, 4)]:
        for high in (1, 3):
            stack = Stack(counts, high)
            drawn = [
                part
                for section, count in enumerate(counts)
                for part in [
                    (Part.SECTION, section, 0),
                    *((Part.CARD, section, line // high) for line in range(count * high)),
                    *[(Part.SPACE, section, 0)] * (0 if count else stack.body(section)),
                ]
            ]
            assert [stack.at(line) for line in range(stack.height)] == drawn


@pytest.mark.parametrize("width", range(1, 230, 7))
def test_every_cell_belongs_to_the_column_drawn_there(width: int) -> None:
    for total in (1, 2, 5, 9):
        grid = Grid(width, 40, total, 0, False)
        owners = [grid.column_at(x) for x in range(width)]
        for number in range(grid.first, grid.last):
            x, wide = grid.span(number)
            assert owners[x : x + wide] == [number] * wide
            assert owners.count(number) == wide


async def test_a_click_focuses_a_double_click_opens_and_the_right_button_asks_for_the_menu() -> None:
    async with showing() as (pilot, board, app):
        place = Offset(40, line_with(board, "Task 9"))
        await pilot.click(Board, offset=place)
        assert title(board) == "Task 9"
        assert app.count(Board.CardOpened) == 0
        await pilot.click(Board, offset=place, times=2)
        await pilot.pause()
        opened = app.last(Board.CardOpened)
        assert isinstance(opened, Board.CardOpened)
        assert opened.card.title == "Task 9"
        await pilot.click(Board, offset=Offset(3, line_with(board, "Task 2")), button=3)
        menu = app.last(Board.MenuRequested)
        assert isinstance(menu, Board.MenuRequested)
        assert (menu.card.title, title(board)) == ("Task 2", "Task 2")


async def test_a_double_click_on_a_head_opens_the_phase() -> None:
    async with showing() as (pilot, board, app):
        await pilot.click(Board, offset=Offset(65, 0), times=2)
        await pilot.pause()
        opened = app.last(Board.PhaseOpened)
        assert isinstance(opened, Board.PhaseOpened)
        assert opened.phase_id == "phase3"
        assert board.column is not None
        assert board.column.id == "phase3"


async def drag(pilot: Pilot[None], start: Offset, end: Offset) -> None:
    await pilot.mouse_down(Board, offset=start)
    await pilot.hover(Board, offset=end)


async def test_dragging_draws_a_line_and_asks_for_the_move_when_dropped() -> None:
    async with showing() as (pilot, board, app):
        await drag(pilot, Offset(5, line_with(board, "Task 1")), Offset(40, line_with(board, "Task 9")))
        assert "━━━" in lines(board)[line_with(board, "Task 9") - 1]
        assert board.model.by_id["card00001"].phase_id == "phase1"
        await pilot.mouse_up(Board, offset=Offset(40, line_with(board, "Task 9")))
        await pilot.pause()
        dropped = app.last(Board.CardDropped)
        assert isinstance(dropped, Board.CardDropped)
        assert dropped.card.title == "Task 1"
        assert (dropped.phase_id, dropped.status, dropped.before_id) == ("phase2", Status.TO_DO, "card00009")
        assert board._drop is None


async def test_a_card_can_be_dropped_into_an_empty_section() -> None:
    async with showing() as (pilot, board, app):
        start = Offset(5, line_with(board, "Task 1"))
        row = lines(board).index(next(line for line in lines(board) if line[60:].startswith(" In Progress")))
        await drag(pilot, start, Offset(70, row))
        await pilot.mouse_up(Board, offset=Offset(70, row))
        await pilot.pause()
        dropped = app.last(Board.CardDropped)
        assert isinstance(dropped, Board.CardDropped)
        assert (dropped.phase_id, dropped.status, dropped.before_id) == ("phase3", Status.IN_PROGRESS, None)


async def test_escape_lets_go_and_a_drop_on_the_same_place_asks_for_nothing() -> None:
    async with showing() as (pilot, board, app):
        start = Offset(5, line_with(board, "Task 1"))
        await drag(pilot, start, Offset(40, 10))
        await pilot.press("escape")
        assert board._dragged is None
        await pilot.mouse_up(Board, offset=Offset(40, 10))
        await drag(pilot, start, start + Offset(3, 1))
        await pilot.mouse_up(Board, offset=start + Offset(3, 1))
        await pilot.pause()
        assert app.count(Board.CardDropped) == 0


async def test_a_phase_is_dragged_by_its_head() -> None:
    async with showing() as (pilot, _board, app):
        await drag(pilot, Offset(5, 0), Offset(88, 0))
        await pilot.mouse_up(Board, offset=Offset(88, 0))
        await pilot.pause()
        dropped = app.last(Board.PhaseDropped)
        assert isinstance(dropped, Board.PhaseDropped)
        assert (dropped.phase_id, dropped.before_id) == ("phase1", "phase4")
        await drag(pilot, Offset(5, 0), Offset(118, 0))
        await pilot.mouse_up(Board, offset=Offset(118, 0))
        await pilot.pause()
        last = app.last(Board.PhaseDropped)
        assert isinstance(last, Board.PhaseDropped)
        assert last.before_id is None


def wheel(board: Board, kind: type[events.MouseEvent], x: int, shift: bool = False) -> None:
    board.post_message(kind(board, x, 20, 0, 0, 0, shift, False, False, x, 20))


async def test_the_wheel_scrolls_the_column_under_the_mouse_and_shift_scrolls_columns() -> None:
    async with showing(canvas(many_cards(600), phases=6)) as (pilot, board, _app):
        focused = title(board)
        wheel(board, events.MouseScrollDown, 40)
        await pilot.pause()
        assert (board.top(0), board.top(1), title(board)) == (0, 3, focused)
        wheel(board, events.MouseScrollUp, 40)
        wheel(board, events.MouseScrollUp, 40)
        await pilot.pause()
        assert board.top(1) == 0
        wheel(board, events.MouseScrollDown, 40, shift=True)
        await pilot.pause()
        assert board.grid.first == 1
        for _ in range(9):
            wheel(board, events.MouseScrollRight, 40)
        await pilot.pause()
        assert board.grid.first == 2
        wheel(board, events.MouseScrollLeft, 40)
        await pilot.pause()
        assert board.grid.first == 1


async def test_the_card_under_the_mouse_is_tinted() -> None:
    async with showing() as (pilot, board, _app):
        y = line_with(board, "Task 9")
        before = board._lines[y]
        await pilot.hover(Board, offset=Offset(40, y))
        assert board._lines[y] is not before
        await pilot.hover(Board, offset=Offset(70, 35))
        assert board._lines[y].text == before.text
        assert board._hovered is None
