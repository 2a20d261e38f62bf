"""A Canvas to look at, an app around a board, and ways to read what is drawn; shared by the tests of the board."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from datetime import date, timedelta
from typing import ClassVar

from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.message import Message
from textual.pilot import Pilot
from textual.widgets import Input

from core.domain.canvas import Canvas, CanvasChanges, CanvasHeader, CanvasMember, Card, HeaderChanges, PhaseColumn
from core.domain.grants import LOCAL
from core.domain.model import Gate, GateState, Health, Id, ItemKind, PhaseState, ProjectRole, Status
from core.domain.statuses import ItemCounts
from core.filters.context import FilterContext
from core.filters.filter import Filter
from core.record import made_from, replace
from tui.board.board import Board
from tui.drawing.labels import label_variables
from tui.drawing.theme import person_variables

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
        holds="",
        comments=0,
        tasks_done=0,
        tasks=0,
        version=1,
    )
    return replace(plain, **more)


def application(number: int, phase: int = 1, product: str = "Asset library", **more: object) -> Card:
    kind = {"kind": ItemKind.APPLICATION, "status": None, "title": f"Application {number}", "holds": product}
    return replace(card(number, phase), **{**kind, **more})


def phase(number: int, cards: Iterable[Card], name: str = "") -> PhaseColumn:
    mine = [one.status for one in cards if one.phase_id == f"phase{number}"]
    return PhaseColumn(
        id=f"phase{number}",
        number=number,
        name=name or f"Phase {number}",
        state=PhaseState.OPEN if number == 1 else PhaseState.LOCKED,
        gate=Gate.REVIEW if number == 2 else Gate.AUTOMATIC,
        gate_state=GateState.NONE,
        overridden=False,
        due=TODAY + timedelta(days=number),
        tally=ItemCounts(*(mine.count(status) for status in Status)),
        member_ids=("ann",),
        objectives="",
        outcomes="",
        deliverables_done=0,
        deliverables=0,
        version=1,
    )


def head(cards: Iterable[Card], phases: int = 4, name: str = "") -> CanvasHeader:
    columns = tuple(phase(number, list(cards), name) for number in range(1, phases + 1))
    return CanvasHeader(
        project_id="project",
        name="Spring launch",
        key="",
        description="",
        archived=False,
        version=1,
        links=(),
        my_role=ProjectRole.OWNER,
        held=frozenset(),
        authority=LOCAL,
        health=Health.NONE,
        start=None,
        tally=sum((column.tally for column in columns), ItemCounts()),
        columns=columns,
        members=(CanvasMember(user_id="ann", name="Ann Kovács", login="ann", role=ProjectRole.OWNER, active=True),),
        today=TODAY,
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


def only(text: str, board: Board) -> Filter | None:
    """A filter of what the board shows, as Ann types it."""
    head = board.model.head
    return (
        Filter(text, FilterContext("ann", head.today, head.columns, head.members, head.labels, head.fields))
        if text
        else None
    )


class BoardApp(App[None]):
    """A board that fills the screen; what it posts is kept."""

    ALLOW_SELECT = False
    BINDINGS: ClassVar[list[BindingType]] = [("escape", "back", "Back")]
    CSS = "Board { height: 1fr; } Input { display: none; }"

    def __init__(self) -> None:
        super().__init__()
        self.posted: list[Message] = []
        self.went_back = False

    def get_theme_variable_defaults(self) -> dict[str, str]:
        dark = self.current_theme.dark
        return person_variables(dark=dark) | label_variables(dark=dark)

    def compose(self) -> ComposeResult:
        yield Board(no_cards="No cards yet · n adds one")
        yield Input()

    async def action_back(self) -> None:
        self.went_back = True

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


def activity(number: int, phase: int = 1, status: Status = Status.TO_DO, **more: object) -> Card:
    return card(number, phase, status, **{"kind": ItemKind.ACTIVITY, "title": f"Activity {number}", **more})


def task_of(activity: Card, number: int, status: Status | None = None, **more: object) -> Card:
    """A task of an activity, by default of the same status."""
    phase_number = int(activity.phase_id.removeprefix("phase"))
    return card(number, phase_number, status or activity.status or Status.TO_DO, activity_id=activity.id, **more)


def complete(shown: Canvas, *numbers: int) -> Canvas:
    """The same Canvas with these phases complete."""
    columns = tuple(
        replace(column, state=PhaseState.COMPLETE) if column.number in numbers else column
        for column in shown.head.columns
    )
    return replace(shown, head=replace(shown.head, columns=columns))


def as_changes(now: CanvasHeader) -> HeaderChanges:
    """All of a header as changed."""
    return made_from(HeaderChanges, now)


def changes(board: Board, *changed: Card, gone: tuple[Id, ...] = ()) -> CanvasChanges:
    after = {**board.model.by_id, **{one.id: one for one in changed}}
    left = [one for one in after.values() if one.id not in gone]
    return CanvasChanges(head=as_changes(head(left, len(board.model.columns))), changed=changed, gone=gone)


def title(board: Board) -> str:
    return board.cursor.card.title if board.cursor.card else ""


def targets(board: Board) -> list[Card]:
    """The cards that a key acts on: the marked ones, in order, else the focused one."""
    return list(board.marks.cards) or ([board.cursor.card] if board.cursor.card else [])
