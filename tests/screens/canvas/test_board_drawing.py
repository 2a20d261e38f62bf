"""The drawing of the board: exact widths, hostile text, signs without colour, edges."""

from __future__ import annotations

from datetime import timedelta

import pytest
from rich.cells import cell_len
from textual.widgets import Input

from core.domain.canvas import PhaseColumn
from core.domain.model import GateState, ItemKind, PhaseState
from core.domain.permissions import Permission
from core.domain.readiness import Deciders, GateSummary, ReadinessState
from core.domain.statuses import ItemCounts
from core.record import replace
from core.text.dates import in_short
from tests.support.board_scene import (
    HOSTILE,
    TODAY,
    canvas,
    card,
    changes,
    line_with,
    lines,
    showing,
    some_cards,
    targets,
)


@pytest.mark.parametrize("width", [1, 5, 20, 25, 26, 40, 51, 52, 79, 80, 100, 131, 200])
@pytest.mark.parametrize("compact", [False, True])
async def test_every_line_is_exactly_as_wide_as_the_widget(width: int, compact: bool) -> None:
    cards = [
        card(n, 1 + n % 5, title=text, assignee_ids=("ann",), comments=n, due=TODAY, has_link=True)
        for n, text in enumerate(HOSTILE)
    ]
    cards.append(card(99, 2, kind=ItemKind.ACTIVITY, tasks=5, tasks_done=2, activity_id="card00001"))
    async with showing(canvas(cards, phases=6, name=HOSTILE[4]), (width, 30)) as (_, board, _app):
        board.viewport.compact = compact
        board.renew()
        for _ in range(6):
            board.cursor.move(1, 0)
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
        board.marks.toggle()
        board.cursor.move(0, 3)
        board.ascii = True
        board.renew()
        text = "\n".join(lines(board))
        assert text.isascii()
        assert "* Task 1" in text
        assert ">% Task 4" in text
        assert "x Task 6" in text


async def test_columns_beyond_the_edges_are_counted_and_none_is_clipped() -> None:
    async with showing(canvas(some_cards(), phases=9), (80, 24)) as (_, board, _app):
        assert "6 ›" in lines(board)[3]
        board.cursor.go_to_column(5)
        assert "‹ 2" in lines(board)[3]
        assert "4 ›" in lines(board)[3]
        assert [number for number in range(1, 10) if f"Phase {number}" in lines(board)[0]] == [3, 4, 5]


async def test_a_project_without_phases_says_so() -> None:
    async with showing(canvas([], phases=0)) as (_, board, _app):
        assert "This project has no phases yet" in "".join(lines(board))
        board.cursor.move(1, 1)
        board.cursor.go_to_column(1)
        board.cursor.page(1)
        assert (board.cursor.card, board.cursor.phase, targets(board), board.description) == (None, None, [], "")


async def test_an_override_stays_visible_in_the_narrowest_column() -> None:
    shown = canvas(some_cards())
    columns = tuple(replace(column, overridden=True) for column in shown.head.columns)
    async with showing(replace(shown, head=replace(shown.head, columns=columns)), (80, 24)) as (_, board, _app):
        assert "".join(lines(board)).count("overridden") == 3
        board.viewport.compact = True
        board.renew()
        assert "".join(lines(board)).count("overridden") == 3


READY = GateSummary(state=ReadinessState.READY, at_gate=True)
HELD = GateSummary(state=ReadinessState.READY, at_gate=True, hold="held by Bo")
LACKING = GateSummary(missing=2, first="“Plan” is not done", at_gate=True)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({}, "review"),
        ({"state": PhaseState.OPEN}, "review"),
        ({"state": PhaseState.OPEN, "missing": READY}, "ready for approval"),
        ({"state": PhaseState.OPEN, "missing": replace(READY, hold="held by Bo since 2 Mar: legal")}, "held by Bo"),
        ({"state": PhaseState.OPEN, "missing": LACKING}, "2 points missing"),
        ({"state": PhaseState.OPEN, "tally": ItemCounts(to_do=1, completed=1)}, "review"),
        ({"state": PhaseState.LOCKED, "tally": ItemCounts(completed=2)}, "review"),
        ({"state": PhaseState.COMPLETE, "gate_state": GateState.PASSED}, "approved"),
        ({"state": PhaseState.OPEN, "gate_state": GateState.SENT_BACK}, "sent back"),
    ],
)
async def test_the_head_of_a_phase_with_a_review_gate_has_the_state_of_the_gate(
    change: dict[str, object], words: str
) -> None:
    shown = canvas(some_cards(), phases=2)

    def changed(column: PhaseColumn) -> PhaseColumn:
        return replace(column, **change) if column.number == 2 else column

    columns = tuple(changed(column) for column in shown.head.columns)
    head = replace(shown.head, columns=columns, held=frozenset({Permission.GATE_DECIDE}))
    async with showing(replace(shown, head=head)) as (_, board, _app):
        if change.get("state") is PhaseState.COMPLETE:
            board.cursor.go_to_column(2)
            board.folds.toggle_phase()
        drawn = "\n".join(lines(board)[:4])
        assert "Phase 2" in drawn, drawn
        known = ("review", "ready for approval", "held by Bo", "points missing", "approved", "sent back")
        assert [each for each in known if each in drawn] == [words.removeprefix("2 ")]


@pytest.mark.parametrize(
    ("found", "deciders", "forms"),
    [
        (GateSummary(state=ReadinessState.COMPLETE), Deciders(me=True), ()),
        (READY, Deciders(me=True, names=("Bo",)), ("ready for approval",)),
        (READY, Deciders(names=("Bo", "Cy")), ("ready for approval by Bo or Cy", "waits for approval")),
        (READY, Deciders(), ("waits for approval",)),
        (LACKING, Deciders(me=True), ("2 points missing: “Plan” is not done", "2 points missing")),
        (HELD, Deciders(me=True), ("held by Bo · you can approve it", "held by Bo", "on hold")),
        (HELD, Deciders(), ("held by Bo", "on hold")),
    ],
)
def test_nobody_reads_ready_whose_approval_is_not_taken_without_the_name_of_who_could(
    found: GateSummary, deciders: Deciders, forms: tuple[str, ...]
) -> None:
    assert found.forms(deciders) == forms
    if found.hold or not (deciders.me or deciders.names):
        assert not any("ready" in form for form in forms)


async def test_the_due_date_of_a_phase_stays_once_it_is_complete() -> None:
    shown = canvas(some_cards(), phases=2)
    columns = tuple(
        replace(column, due=TODAY - timedelta(days=3), state=PhaseState.COMPLETE, gate_state=GateState.PASSED)
        for column in shown.head.columns
    )
    async with showing(replace(shown, head=replace(shown.head, columns=columns))) as (_, board, _app):
        head = "\n".join(lines(board)[:4])
        assert head.count(f"due {in_short(TODAY - timedelta(days=3), TODAY)}") == 2
        assert "late" not in head


async def test_the_focused_card_is_one_sentence() -> None:
    async with showing() as (_, board, _app):
        board.focus_card("card00008")
        assert board.description == "Write the brief, task, To Do, in Phase 2, Ann Kovács"
        board.apply(changes(board, replace(board.model.by_id["card00008"], due=TODAY, assignee_ids=())))
        assert board.description == "Write the brief, task, To Do, in Phase 2, due today, nobody assigned"


async def test_a_sign_is_never_drawn_in_the_colour_that_is_behind_it() -> None:
    async with showing() as (pilot, board, app):
        for theme in ("ansi-dark", "ansi-light", "textual-dark"):
            app.theme = theme
            board.marks.mark_all()
            await pilot.pause()
            board.render_lines(board.size.region)
            signs = [segment.style for strip in board.renderer._lines for segment in strip if "■" in segment.text]
            assert signs
            assert all(style and style.color != style.bgcolor for style in signs)
            board.marks.clear()


async def test_the_picture_follows_theme_size_and_focus() -> None:
    async with showing() as (pilot, board, app):
        dark = board.renderer._lines[0]
        app.theme = "textual-light"
        await pilot.pause()
        board.render_lines(board.size.region)
        assert [segment.style for segment in board.renderer._lines[0]] != [segment.style for segment in dark]
        await pilot.resize_terminal(60, 20)
        await pilot.pause()
        assert {strip.cell_length for strip in board.render_lines(board.size.region)} == {60}
        focused = board.renderer._lines[line_with(board, "Task 1")]
        field = app.query_one(Input)
        field.display = True
        field.focus()
        await pilot.pause()
        assert board.renderer._lines[line_with(board, "Task 1")] is not focused
