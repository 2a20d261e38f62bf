"""Applications on the board: a section of their own above the statuses, and only where there are some."""

from __future__ import annotations

import pytest
from rich.cells import cell_len
from textual.geometry import Offset

from core.domain.canvas import Canvas, Card
from core.domain.model import ItemKind, Status
from core.record import replace
from tests.screens.canvas.test_board_mouse import drag
from tests.support.board_scene import (
    HOSTILE,
    TODAY,
    application,
    canvas,
    card,
    changes,
    line_with,
    lines,
    only,
    showing,
    some_cards,
    targets,
    title,
)
from tui.board.board import Board
from tui.board.messages import CardDropped
from tui.drawing.styles import ASCII, UNICODE


def with_applications(*more: Card) -> Canvas:
    """Two applications in phase 1, above the cards of every board of these tests; one activity there is a card too."""
    activity = card(20, 1, kind=ItemKind.ACTIVITY, title="Interviews", holds="Survey", has_link=True)
    held = application(22, product="Survey studio", title="Survey", activity_id="card00020", assignee_ids=("ann",))
    return canvas([*some_cards(), activity, application(21, due=TODAY), held, *more])


async def test_applications_come_first_in_their_order_and_only_where_there_are_some() -> None:
    async with showing(with_applications()) as (_, board, _app):
        shown = lines(board)
        assert shown[4][:29].rstrip() == " Applications 2"
        assert shown[4][30:59].rstrip() == " To Do 2"
        assert line_with(board, "⊞ Application 21") < line_with(board, "⊞ Survey") < line_with(board, " To Do 4")


async def test_a_card_of_an_application_tells_due_date_product_holder_and_people() -> None:
    async with showing(with_applications()) as (_, board, _app):
        shown = lines(board)
        assert "today · Asset library" in shown[line_with(board, "Application 21") + 1]
        assert "Survey studio · in I… Ann" in shown[line_with(board, "⊞ Survey") + 1]
        assert "⊞  ↗" in shown[line_with(board, "◇ Interviews") + 1]
        renamed = replace(board.model.by_id["card00020"], title="QA", version=2)
        board.apply(changes(board, renamed))
        assert "Survey studio · in QA" in lines(board)[line_with(board, "⊞ Survey") + 1]


async def test_a_product_that_is_called_like_its_application_is_named_once() -> None:
    async with showing(canvas([application(1, title="Asset library")])) as (_, board, _app):
        assert "".join(lines(board)).count("Asset library") == 1
        assert board.description == "Asset library, application, in Phase 1, nobody assigned"


async def test_the_sign_is_one_cell_wide_and_in_ascii_mode_ascii() -> None:
    assert cell_len(UNICODE.application) == cell_len(ASCII.application) == 1
    assert ASCII.application.isascii()
    async with showing(with_applications()) as (_, board, _app):
        board.ascii = True
        board.renew()
        assert "\n".join(lines(board)).isascii()
        assert "# Survey" in lines(board)[line_with(board, "Survey")]


async def test_in_the_compact_density_an_application_takes_one_line() -> None:
    async with showing(with_applications()) as (_, board, _app):
        board.viewport.compact = True
        board.renew()
        assert line_with(board, "⊞ Survey") == line_with(board, "⊞ Application 21") + 1
        assert "Ann" in lines(board)[line_with(board, "⊞ Survey")]


@pytest.mark.parametrize("width", [1, 5, 20, 26, 40, 52, 80, 131])
@pytest.mark.parametrize("compact", [False, True])
async def test_hostile_names_neither_break_a_line_nor_are_more_than_text(width: int, compact: bool) -> None:
    cards = [
        application(n, 1 + n % 3, product=HOSTILE[-n], title=text, due=TODAY, activity_id="card00099")
        for n, text in enumerate(HOSTILE)
    ]
    cards.append(card(99, 2, kind=ItemKind.ACTIVITY, title=HOSTILE[1], holds=HOSTILE[0]))
    async with showing(canvas(cards, phases=3), (width, 30)) as (_, board, _app):
        board.viewport.compact = compact
        board.renew()
        for _ in range(3):
            board.cursor.move(1, 0)
            drawn = board.render_lines(board.size.region)
            assert {cell_len(strip.text) for strip in drawn} == {width}
            assert not any(character < " " for strip in drawn for character in strip.text)


async def test_the_cursor_goes_through_applications_into_to_do_and_back() -> None:
    async with showing(with_applications()) as (_, board, _app):
        seen = []
        for _ in range(4):
            seen.append(title(board))
            board.cursor.move(0, 1)
        assert seen == ["Application 21", "Survey", "Task 1", "Task 2"]
        board.cursor.top()
        assert title(board) == "Application 21"
        assert board.cursor.line == 1
        board.cursor.move(1, 0)
        assert title(board) == "Write the brief"
        board.cursor.move(-1, 0)
        assert title(board) == "Application 21"
        board.cursor.bottom()
        assert title(board) == "Task 6"
        assert board.focus_card("card00022")
        assert board.description == (
            "Survey, application of Survey studio, held by “Interviews”, in Phase 1, Ann Kovács"
        )
        board.focus_card("card00020")
        assert board.description.startswith("Interviews, activity with the application “Survey”, To Do")


@pytest.mark.parametrize(
    ("others", "then"),
    [([], "Application 1"), ([card(3, title="Draft")], "Draft"), ([card(3, 2, title="Draft")], "Application 1")],
)
def test_the_cursor_begins_at_the_first_work_of_a_column_or_else_at_its_first_application(
    others: list[Card], then: str
) -> None:
    board = Board()
    board.model.load(canvas([application(1), application(2), *others]))
    cursor = board.cursor
    cursor.begin_at_column(1)
    assert cursor.card is not None
    assert cursor.card.title == then


async def test_filter_and_marks_work_for_applications_too() -> None:
    async with showing(with_applications()) as (_, board, _app):
        board.filter_by(only("studio kov", board))
        assert [one.title for one in board.model.cards()] == ["Survey"]
        board.filter_by(only("task", board))
        assert "Applications" not in "".join(lines(board))
        board.filter_by(only("", board))
        board.focus_card("card00021")
        board.marks.toggle()
        board.cursor.move(0, 2)
        board.marks.mark_range()
        assert [one.title for one in targets(board)] == ["Application 21", "Survey", "Task 1"]
        assert "■ Application 21" in lines(board)[line_with(board, "Application 21")]


@pytest.mark.parametrize(("gone", "then"), [(("card00021",), "Survey"), (("card00021", "card00022"), "Task 1")])
async def test_when_the_focused_application_goes_the_nearest_takes_over(gone: tuple[str, ...], then: str) -> None:
    async with showing(with_applications()) as (_, board, _app):
        board.apply(changes(board, gone=gone))
        assert title(board) == then
        assert ("Applications" in lines(board)[4]) == (then == "Survey")


async def test_the_first_application_of_a_phase_leaves_the_focused_card_on_its_line() -> None:
    async with showing(canvas([*some_cards(), *(card(n) for n in range(30, 50))])) as (_, board, _app):
        board.cursor.bottom()
        line = line_with(board, "▌")
        board.apply(changes(board, application(60)))
        assert (title(board), line_with(board, "▌")) == ("Task 6", line)
        board.cursor.top()
        assert title(board) == "Application 60"


async def dropped(
    shown: Canvas, start: str, end: Offset | str, x: int = 5
) -> tuple[str, str | None, str | None] | None:
    """Drag the card with one title onto a point, or onto the line of another card; what the board asks for then."""
    async with showing(shown) as (pilot, board, app):
        point = Offset(x, line_with(board, end)) if isinstance(end, str) else end
        await drag(pilot, Offset(5, line_with(board, start)), point)
        await pilot.mouse_up(Board, offset=point)
        await pilot.pause()
        if not app.count(CardDropped):
            return None
        asked = app.last(CardDropped)
        assert isinstance(asked, CardDropped)
        return asked.phase_id, asked.section, asked.before_id


async def test_an_application_is_dragged_within_its_section_and_to_other_phases_but_never_to_a_status() -> None:
    shown = with_applications(application(30, 2))
    assert await dropped(shown, "⊞ Survey", "⊞ Application 21") == ("phase1", None, "card00021")
    assert await dropped(shown, "⊞ Survey", "⊞ Application 30", x=40) == ("phase2", None, "card00030")
    assert await dropped(shown, "⊞ Survey", "Task 9", x=40) == ("phase2", None, None)
    assert await dropped(shown, "⊞ Application 21", "Task 6") == ("phase1", None, None)
    assert await dropped(shown, "⊞ Survey", "Task 6") is None
    assert await dropped(shown, "⊞ Survey", Offset(70, 12)) == ("phase3", None, None)


async def test_a_task_dragged_onto_applications_comes_first_in_to_do() -> None:
    assert await dropped(with_applications(), "Task 3", "⊞ Application 21") == ("phase1", Status.TO_DO, "card00001")


async def test_the_drop_line_shows_where_an_application_would_go() -> None:
    async with showing(with_applications()) as (pilot, board, _app):
        await drag(pilot, Offset(5, line_with(board, "⊞ Survey")), Offset(70, 20))
        assert lines(board)[4][60:90].startswith(" To Do 0 ━━━")
        await pilot.hover(Board, offset=Offset(5, line_with(board, "⊞ Application 21")))
        assert lines(board)[4].startswith(" Applications 2 ━━━")
