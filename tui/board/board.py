"""Board: the Canvas as one focusable widget, with the methods that a screen calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from datetime import date
from typing import TYPE_CHECKING

from textual import events, on
from textual.geometry import Offset, Region
from textual.reactive import Reactive
from textual.strip import Strip
from textual.widget import Widget

from core.domain.canvas import Canvas, CanvasChanges, Card, PhaseColumn
from core.domain.model import Id, ItemKind
from core.domain.view_settings import ViewSettings
from core.text.phrases import count
from tui.board.cards import DrawingSettings
from tui.board.cursor import Cursor
from tui.board.folds import BoardFolds
from tui.board.grouping import BY_PHASE, TITLES, Grouping
from tui.board.layout import ColumnLayout, Grid
from tui.board.marks import Marks
from tui.board.model import NOTHING, BoardModel
from tui.board.mouse import BoardMouse
from tui.board.paint import Scene
from tui.board.renderer import BoardRenderer
from tui.board.viewport import Viewport
from tui.drawing.card_facts import card_facts
from tui.drawing.rows import one_line
from tui.drawing.styles import CardState
from tui.widgets.styled_widget import styles_of

if TYPE_CHECKING:
    from core.filters.filter import Filter


class Board(Widget, can_focus=True):
    """Phases as columns, cards in sections, one cursor.

    The screen binds its keys to its methods and to those of its parts, and carries out the messages.
    """

    DEFAULT_CSS = "Board { background: $background; color: $foreground; }"
    ALLOW_SELECT = False

    description = Reactive("", repaint=False)
    """The focused card or empty column as one sentence, which screens watch and show in the same frame."""
    mark_count = Reactive(0, repaint=False)
    """The number of visible cards that are marked."""

    def __init__(
        self,
        *,
        no_cards: str = "No cards yet",
        no_phases: str = "This project has no phases yet",
        axes: Grouping = BY_PHASE,
        me: Id = "",
        id: str | None = None,
    ) -> None:
        """``me`` is the user in front of the screen, whose own name stands out."""
        super().__init__(id=id)
        self._no_cards = no_cards
        self._no_phases = no_phases
        self.today = date.min
        self.me = me
        self.ascii = False
        """True when symbols are drawn in ASCII; ``renew`` draws them after a change."""
        self._highlighted: Set[Id] = frozenset()
        self._online: Mapping[Id, str] = {}
        self._styles_are_stale = True
        self.model = BoardModel(NOTHING, axes)
        self.viewport = Viewport(self.model, self)
        self.cursor = Cursor(self.model, self.viewport, self._after_move)
        self.folds = BoardFolds(self.model, self.cursor, self._after_move)
        self.marks = Marks(self.model, self.cursor, self._show_marks)
        self.mouse = BoardMouse(self, self.model, self.viewport, self.cursor)
        self.renderer = BoardRenderer(self, self.model, self.viewport, self.cursor, self._scene)
        self.sync = self.renderer.sync

    # -- display ---------------------------------------------------------------------------------------------

    def show(self, canvas: Canvas, today: date) -> None:
        """Show a whole Canvas. Cursor, marks, filter and scroll positions are kept when it is the same project."""
        is_same = self.model.head.project_id == canvas.head.project_id
        if not is_same:
            self.folds.begin(canvas.folds)
            self.model.filter_by(None)
        self.today = today
        self.model.load(canvas)
        self.folds.refold()
        if is_same:
            self.cursor.settle()
        else:
            self.viewport.reset()
            self.cursor.to_column(0)
            self.marks.clear()
        self._after_move()
        self.renew()

    def apply(self, changes: CanvasChanges) -> None:
        """Update the board by these changes. The cursor stays on its card, and that card on its line."""
        held, line = self.cursor.card, self.cursor.line
        members, column_id = self.model.members, self.cursor.column_id
        drawn_with = (self.model.head.key, self.model.head.labels)
        open_before = column_id if column_id not in self.model.folded else None
        self.model.apply(changes)
        self.folds.note_finished(open_before)
        self.folds.refold()
        self.cursor.settle()
        card, place = self.cursor.card, self.model.axes.place
        if held and card and line is not None and place(card) == place(held):
            self.viewport.hold_line(self.cursor.number, self.cursor.line, line)
        self._after_move()
        if self.model.members is not members or (self.model.head.key, self.model.head.labels) != drawn_with:
            self.renew()

    def filter_by(self, only: Filter | None, *, is_search: bool = True) -> None:
        """Show only the cards that match a filter, or all cards without one; a search also opens the folds of them."""
        self.folds.is_searched = only is not None and is_search
        self.model.filter_by(only)
        self.folds.refold()
        self.cursor.settle()
        self._after_move()

    def apply_settings(self, viewing: ViewSettings) -> None:
        """Apply view settings to sections, order and fields. Layout, filter and density are applied by the screen."""
        self.model.apply_settings(viewing)
        self.cursor.settle()
        self._after_move()
        self.renew()

    @property
    def show_archived(self) -> bool:
        """True when archived cards are shown."""
        return self.model.show_archived

    @show_archived.setter
    def show_archived(self, show: bool) -> None:
        self.model.show_archived = show
        self.cursor.settle()
        self._after_move()

    def show_highlight(self, highlighted: Set[Id]) -> None:
        """Draw exactly these cards as highlighted."""
        self._highlighted = highlighted
        self.sync()

    def show_online(self, online: Mapping[Id, str]) -> None:
        """Show the initials of other people who are on a card, by the card's id."""
        self._online = online
        self.sync()

    def say_empty(self, no_cards: str, no_phases: str) -> None:
        """Change the texts of an empty column and of a project without phases."""
        if (no_cards, no_phases) != (self._no_cards, self._no_phases):
            self._no_cards, self._no_phases = no_cards, no_phases
            self.renew()

    def focus_card(self, card_id: Id) -> bool:
        """Put the cursor on a card, and open the folds that hide it. Return False if it is not on the board."""
        card = self.model.find(card_id)
        if card is not None:
            self.folds.reveal(card)
            self.cursor.put(card)
            self.cursor.row = None
            self._after_move()
        return card is not None

    # -- after changes ---------------------------------------------------------------------------------------

    def _after_move(self, *, cursor_only: bool = False) -> None:
        """Scroll the cursor into view, draw and describe it; with ``cursor_only`` nothing else has changed."""
        if self.folds.leave_finished() or not cursor_only:
            cursor_only = False
            self.marks.leave_present()
            self.mark_count = len(self.marks.cards)
        self.viewport.reveal(self.cursor.number, self.cursor.place)
        self.sync(cursor_only=cursor_only)
        self.description = self._sentence()

    def _show_marks(self) -> None:
        self.mark_count = len(self.marks.cards)
        self.sync()

    def _sentence(self) -> str:
        card, phase = self.cursor.card, self.cursor.phase
        if card is None:
            return self._column_sentence()
        facts = [one_line(card.title), *self._kind_of(card), f"in {one_line(phase.name)}" if phase else ""]
        if card.id in self.model.families.hiding:
            facts.append(f"folded, {count(len(self.model.families.tasks(card.id)), 'task')}")
        members = self.model.members
        people = [members[user_id] for user_id in card.assignee_ids if user_id in members]
        facts += card_facts(card, self.model.head.labels, people, self.today)
        return ", ".join(facts)

    def _column_sentence(self) -> str:
        column = self.cursor.column
        if column is None:
            return ""
        state = f", {column.state.value.lower()}" if isinstance(column, PhaseColumn) else ""
        inside = self.model.count_in(column.id) if column.id in self.model.folded else 0
        cards = f"folded, {count(inside, 'card')}" if inside else "no cards"
        return f"{one_line(column.name)}{state}, {cards}"

    def _kind_of(self, card: Card) -> list[str]:
        """The kind of a card, with its status, or for an application its product and activity."""
        if card.kind is ItemKind.TASK:
            activity = self.model.by_id.get(card.activity_id or "")
            return [f"task of “{one_line(activity.title)}”" if activity else "task", TITLES[card.status]]
        if card.kind is ItemKind.ACTIVITY:
            held = f" with the application “{one_line(card.holds)}”" if card.holds else ""
            return [f"activity{held}", TITLES[card.status]]
        activity = self.model.by_id.get(card.activity_id or "")
        holder = [f"held by “{one_line(activity.title)}”"] if activity else []
        product = f" of {one_line(card.holds)}" if card.holds != card.title else ""
        return [f"application{product}", *holder]

    # -- drawing ---------------------------------------------------------------------------------------------

    def renew(self) -> None:
        """Draw with the current styles and settings; cached pieces are kept if these are unchanged."""
        if not self.viewport.size:
            return
        look = styles_of(self, ascii_only=self.ascii)
        self._styles_are_stale = False
        model, fields = self.model, frozenset(self.model.viewing.fields)
        setting = DrawingSettings(
            look,
            self.today,
            model.team(self.me),
            self.viewport.compact,
            self._no_cards,
            self._no_phases,
            fields,
            model.head.key,
            {label.id: label for label in model.head.labels},
            model.head.deciders,
        )
        self.renderer.use(setting)
        self.viewport.reveal(self.cursor.number, self.cursor.place)
        self.sync()

    def _scene(self, grid: Grid, stacks: Mapping[int, ColumnLayout]) -> Scene:
        drops = (self.mouse.drop, self.mouse.phase_drop)
        state = (self._card_states(), self.cursor.number, *drops, self._online)
        return Scene(grid, self.viewport.tops, *state, stacks, self.marks.inside)

    def _card_states(self) -> Callable[[Id], CardState]:
        """The function that returns the state of a card or a phase in a frame, which asks for every one in view."""
        card, mouse, model = self.cursor.card, self.mouse, self.model
        focused = card.id if card else self.cursor.column_id
        of_focus = CardState.FOCUSED | CardState.ACTIVE if self.has_focus else CardState.FOCUSED
        marked, highlighted, hiding, folded = self.marks.ids, self._highlighted, model.families.hiding, model.folded

        def card_state_of(thing: Id) -> CardState:
            card_state = of_focus if thing == focused else CardState.NONE
            if thing in marked:
                card_state |= CardState.MARKED
            if thing == mouse.hovered:
                card_state |= CardState.HOVERED
            if thing in highlighted:
                card_state |= CardState.HIGHLIGHTED
            if thing == mouse.dragged:
                card_state |= CardState.DRAGGED
            if thing in hiding or thing in folded:
                card_state |= CardState.FOLDED
            return card_state

        return card_state_of

    def render_lines(self, crop: Region) -> list[Strip]:
        if self._styles_are_stale or self.viewport.size != self.renderer.size_drawn:
            self.renew()
        return self.renderer.lines(crop)

    def notify_style_update(self) -> None:
        """Mark styles as stale after a change of theme, style sheet or focus; they are read at the next drawing."""
        super().notify_style_update()
        self._styles_are_stale = True

    @property
    def cursor_screen_offset(self) -> Offset:
        """The cell of the terminal where the focused card begins."""
        return self.region.offset + self.renderer.cursor_offset()

    def watch_has_focus(self, has_focus: bool) -> None:
        super().watch_has_focus(has_focus)
        self.sync()

    # -- the mouse -------------------------------------------------------------------------------------------

    def on_mouse_down(self, event: events.MouseDown) -> None:
        self.mouse.press(event)

    def on_mouse_up(self, event: events.MouseUp) -> None:
        self.mouse.release(event)

    def on_click(self, event: events.Click) -> None:
        self.mouse.click(event)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        self.mouse.move(event)

    def on_leave(self) -> None:
        self.mouse.hover(None)

    @on(events.MouseScrollDown)
    @on(events.MouseScrollUp)
    @on(events.MouseScrollRight)
    @on(events.MouseScrollLeft)
    def _turn_wheel(self, event: events.MouseEvent) -> None:
        self.mouse.wheel(event)

    def on_blur(self) -> None:
        self.mouse.cancel_drag()

    def on_key(self, event: events.Key) -> None:
        if event.key == "escape" and self.mouse.cancel_drag():
            event.stop()
            event.prevent_default()
