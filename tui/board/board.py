"""Board: the Canvas as one focusable widget, with the methods that a screen calls."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from datetime import date
from typing import TYPE_CHECKING

from textual.reactive import Reactive

from core.domain.canvas import Canvas, CanvasChanges, Card, PhaseColumn
from core.domain.model import Id, ItemKind
from core.domain.view_settings import ViewSettings
from core.text.phrases import count
from tui.board.cursor import Cursor
from tui.board.grouping import BY_PHASE, TITLES, Grouping
from tui.board.messages import CardDropped, CardOpened, MenuRequested, PhaseDropped, PhaseOpened
from tui.board.model import BoardModel
from tui.board.mouse import MouseMixin
from tui.drawing.card_facts import card_facts
from tui.drawing.rows import one_line

if TYPE_CHECKING:
    from core.filters.filter import Filter


class Board(MouseMixin):
    """Phases as columns, cards in sections, one cursor.

    The screen binds its keys to these methods, and carries out the messages.
    """

    CardOpened = CardOpened
    CardDropped = CardDropped
    PhaseDropped = PhaseDropped
    PhaseOpened = PhaseOpened
    MenuRequested = MenuRequested

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
        super().__init__(no_cards=no_cards, no_phases=no_phases, axes=axes, me=me, id=id)
        self._anchor: Id | None = None

    # -- display ---------------------------------------------------------------------------------------------

    def show(self, canvas: Canvas, today: date) -> None:
        """Show a whole Canvas. Cursor, marks, filter and scroll positions are kept when it is the same project."""
        old, held = self.model, self.cursor
        self.model, self.today = BoardModel(canvas, old.axes, old.viewing), today
        self.model.show_archived = old.show_archived
        is_same = old.head.project_id == canvas.head.project_id
        if not is_same:
            self.folds, self._revealed, self._finished = canvas.folds, frozenset(), None
        self.model.filter_by(old.filter if is_same else None)
        self.refold()
        self.cursor = Cursor(self.model)
        if is_same:
            self.cursor.resume(held)
        else:
            self._tops.clear()
            self._first = 0
            self.clear_marks()
        self._changed()
        self.renew()

    def apply(self, changes: CanvasChanges) -> None:
        """Update the board by these changes. The cursor stays on its card, and that card on its line."""
        held, line = self.cursor.card, self.cursor_line
        members, column_id = self.model.members, self.cursor.column_id
        drawn_with = (self.model.head.key, self.model.head.labels)
        open_before = column_id if column_id not in self.model.folded else None
        self.model.apply(changes)
        self.note_finished(open_before)
        self.refold()
        self.cursor.settle()
        card = self.cursor.card
        place = self.model.axes.place
        if held and card and line is not None and place(card) == place(held):
            self._hold_line(line)
        self._changed()
        if self.model.members is not members or (self.model.head.key, self.model.head.labels) != drawn_with:
            self.renew()

    def filter_by(self, only: Filter | None, *, is_search: bool = True) -> None:
        """Show only the cards that match a filter, or all cards without one; a search also opens the folds of them."""
        self.is_searched = only is not None and is_search
        self.model.filter_by(only)
        self.refold()
        self.cursor.settle()
        self._changed()

    def apply_settings(self, viewing: ViewSettings) -> None:
        """Apply view settings to sections, order and fields. Layout, filter and density are applied by the screen."""
        self.model.apply_settings(viewing)
        self.cursor.settle()
        self._changed()
        self.renew()

    @property
    def compact(self) -> bool:
        """True when a card takes one line."""
        return self._compact

    @compact.setter
    def compact(self, compact: bool) -> None:
        self._compact = compact
        self.renew()

    @property
    def ascii(self) -> bool:
        """True when symbols are drawn in ASCII."""
        return self._ascii

    @ascii.setter
    def ascii(self, ascii_only: bool) -> None:
        self._ascii = ascii_only
        self.renew()

    @property
    def show_archived(self) -> bool:
        """True when archived cards are shown."""
        return self.model.show_archived

    @show_archived.setter
    def show_archived(self, show: bool) -> None:
        self.model.show_archived = show
        self.cursor.settle()
        self._changed()

    def _changed(self) -> None:
        """Update marks, scroll position and picture after cards appeared or disappeared."""
        self.marked &= self.model.by_id.keys()
        self.count_marks()
        self._moved()

    def show_highlight(self, highlighted: Set[Id]) -> None:
        """Draw exactly these cards as highlighted."""
        self._highlighted = highlighted
        self.sync()

    def show_online(self, online: Mapping[Id, str]) -> None:
        """Show the initials of other people who are on a card, by the card's id."""
        self._online = online
        self.sync()

    def _moved(self, *, cursor_only: bool = False) -> None:
        super()._moved(cursor_only=cursor_only)
        self.description = self._described()

    def _described(self) -> str:
        card, phase = self.card, self.column
        if card is None:
            return self._described_column()
        facts = [one_line(card.title), *self._kind_of(card), f"in {one_line(phase.name)}" if phase else ""]
        if card.id in self.model.families.hiding:
            facts.append(f"folded, {count(len(self.model.families.tasks(card.id)), 'task')}")
        members = self.model.members
        people = [members[user_id] for user_id in card.assignee_ids if user_id in members]
        facts += card_facts(card, self.model.head.labels, people, self.today)
        return ", ".join(facts)

    def _described_column(self) -> str:
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

    # -- marks -----------------------------------------------------------------------------------------------

    @property
    def targets(self) -> list[Card]:
        """The cards that an action applies to: the marked ones, in order, else the focused one.

        Marked cards in folds are among them, those that the filter leaves out are not.
        """
        return list(self.marked_cards) or ([self.card] if self.card else [])

    @property
    def marked_in_folds(self) -> int:
        """The number of marked cards in folded phases and activities."""
        return self._marked_inside.total()

    def mark(self, ids: Iterable[Id]) -> None:
        """Mark exactly these cards."""
        self.marked = set(ids)
        self._take_marks()

    def toggle_mark(self) -> None:
        """Mark the focused card, or remove its mark."""
        if self.card:
            self.marked ^= {self.card.id}
            self._anchor = self.card.id
            self._take_marks()

    def mark_range(self) -> None:
        """Mark the cards from the last marked one to the focused one; only the focused one across columns."""
        start = self.model.find(self._anchor)
        if self.card is None:
            return
        self.marked.add(self.card.id)
        column_id = self.model.axes.place(self.card)[0]
        if start is not None and self.model.axes.place(start)[0] == column_id:
            cards = self.model.column_cards(column_id)
            ends = sorted((cards.index(start), cards.index(self.card)))
            self.marked.update(card.id for card in cards[ends[0] : ends[1] + 1])
        self._anchor = self.card.id
        self._take_marks()

    def mark_all(self) -> None:
        """Mark every visible card; if all are marked already, remove all marks."""
        shown = {card.id for card in self.model.cards()}
        inside = {card.id for card in self.marked_cards if self.model.fold_of(card)}
        self.marked = set() if shown <= self.marked else shown | inside
        self._take_marks()

    def clear_marks(self, but: Set[Id] = frozenset()) -> None:
        self.marked &= but
        self._anchor = None
        self._take_marks()

    def _take_marks(self) -> None:
        """Count and draw the marks after a change."""
        self.count_marks()
        self.sync()

    def count_marks(self) -> None:
        super().count_marks()
        self.mark_count = len(self.marked_cards)
