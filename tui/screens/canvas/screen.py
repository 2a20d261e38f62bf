"""The Canvas of a project: its phases as columns, its work as cards."""

from __future__ import annotations

from datetime import date

from textual import on
from textual.app import ComposeResult

from core.actions.workflow.canvas import GetCanvas, GetCanvasChanges
from core.domain.canvas import Canvas
from core.domain.model import Id, PhaseState
from core.domain.workflow import HEALTH_WORDS
from core.errors import Blocker, PodiumError
from tui.board.board import Board
from tui.board.model import NOTHING
from tui.keys.bindings import bindings
from tui.screens.canvas.presets import CanvasPresets
from tui.screens.canvas.since_last_visit import CanvasNews
from tui.screens.canvas.templates import CanvasTemplates
from tui.screens.views.live_updates import NewsOrDetail
from tui.widgets.filter_line import FilterLine


class CanvasScreen(CanvasTemplates, CanvasPresets, CanvasNews):
    """One project: read whole once, then only what changed."""

    name_in_table = "canvas"
    is_level = True
    BINDINGS = bindings("canvas")
    AUTO_FOCUS = "Board"

    def __init__(self, project_id: Id, focus_id: Id | None = None, *, in_layout: bool = False) -> None:
        """``in_layout``: on opening the project, the view that its preset asks for opens on top."""
        super().__init__()
        self.project_id = project_id
        self._focus_id = focus_id
        self._in_layout = in_layout

    def again(self) -> CanvasScreen:
        card = self.board.card
        return CanvasScreen(self.project_id, card.id if card else None)

    def body(self) -> ComposeResult:
        yield Board()
        yield NewsOrDetail()
        yield FilterLine()

    def on_mount(self) -> None:
        self.watch(self.board, "description", self.show_cursor)
        self.watch(self.board, "mark_count", self.query_one(NewsOrDetail).show)

    @property
    def detail(self) -> str:
        marked = self.board.mark_count
        return f"{marked} marked · {super().detail}" if marked else super().detail

    @property
    def description(self) -> str:
        return self.board.description

    @property
    def card_id(self) -> Id | None:
        return self.board.card.id if self.stands and self.board.card else None

    def show_people(self) -> None:
        super().show_people()
        self.board.show_guests(self.podium.presence.initials())

    def place(self) -> str:
        if self._head is None:
            return "…"
        facts = [
            " / ".join(self._head.links),
            HEALTH_WORDS[self._head.health],
            "archived" if self._head.archived else "",
        ]
        progress = f"{self._head.tally.completed}/{self._head.tally.total}"
        return " · ".join([self._head.name, *self.preset_words, *[fact for fact in facts if fact], progress])

    async def reload(self) -> None:
        self.dress(self.board)
        if self._head is None:
            await self._read_whole()
            return
        changes = await self.podium.query(GetCanvasChanges(project_id=self.project_id, since=self._head.seq))
        if changes is None or self._head is None:  # forgotten meanwhile: then all is read by whoever forgot it
            return
        if changes.read_again or changes.head.today != self.head.today:  # on a new day every date reads differently
            await self._read_whole()
            return
        self.take_head(changes.head)
        self.board.apply(changes)
        if changes.preset is not None:
            self.take_preset(changes.preset)
        self.filter_cards()
        if changes.by_others:
            self.board.highlight(changes.by_others)
        self.say_doings(changes.others)

    async def _read_whole(self) -> None:
        canvas: Canvas = await self.podium.query(GetCanvas(project_id=self.project_id))
        self.take_head(canvas.head)
        self.take_preset(canvas.preset)
        self.board.show(canvas, canvas.head.today)
        self.read_filter()
        self.leave_cards()
        if self._focus_id:
            self.board.focus_card(self._focus_id)
        else:
            now = (column.number for column in canvas.head.columns if column.state is PhaseState.OPEN)
            self.board.begin_at_column(next(now, 1))
        if self._in_layout:
            self._in_layout = False
            self.open_layout()

    def lose_sight(self, error: PodiumError) -> None:
        """Forget the cards too: nothing of them is drawn, read out or offered, until they are read whole again."""
        card = self.board.card
        self._head, self._focus_id = None, card.id if card else self._focus_id
        self.board.show(NOTHING, date.min)
        super().lose_sight(error)

    async def do_refresh(self) -> None:
        card = self.board.card
        self._head, self._focus_id = None, card.id if card else None
        await super().do_refresh()

    async def jump_to(self, blocker: Blocker) -> None:
        """Put the cursor on what stands in the way."""
        if blocker.kind == "PHASE":
            numbers = {column.id: column.number for column in self.head.columns}
            self.board.go_to_column(numbers.get(blocker.id, 0))
            return
        if not self.board.focus_card(blocker.id):
            self.query_one(FilterLine).clear()
            self.board.focus_card(blocker.id)

    # -- moving the cursor -----------------------------------------------------------------------------------

    def do_go_to_phase(self, number: str) -> None:
        self.board.go_to_column(int(number))

    def do_mark(self) -> None:
        self.board.toggle_mark()
        self.board.move_cursor(0, 1)

    def do_mark_range(self) -> None:
        self.board.mark_range()

    def do_mark_all(self) -> None:
        self.board.mark_all()

    def do_back(self) -> None:
        """First the marks go, then the filter, then looking as a Viewer, then one level up."""
        if self.board.marked:
            self.board.clear_marks()
        elif self.query_one(FilterLine).text:
            self.query_one(FilterLine).clear()
        else:
            super().do_back()

    def do_toggle_archived(self) -> None:
        self.board.show_archived = not self.board.show_archived
        if self.board.card is None:
            self.board.go_top()
        self.podium.tell("The archive is shown." if self.board.show_archived else "The archive is hidden.")

    # -- opening and adding ----------------------------------------------------------------------------------

    async def do_open(self) -> None:
        if self.card is None:
            await self.do_phase()
        else:
            await self.open_card(self.card)

    @on(Board.CardOpened)
    async def _open_card(self) -> None:
        await self.do_open()

    @on(Board.PhaseOpened)
    async def _open_phase(self) -> None:
        await self.do_phase()

    @on(Board.MenuRequested)
    def _open_menu(self) -> None:
        self.do_menu()
