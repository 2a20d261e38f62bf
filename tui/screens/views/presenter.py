"""Presenters: each shows the cards of a view in its widgets, and moves the cursor over them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence, Set
from datetime import date
from functools import cached_property, partial
from operator import is_not
from typing import Any, Protocol

from core.domain.canvas import CanvasChanges, CanvasHeader, Card, PhaseColumn
from core.domain.model import Id
from core.domain.permissions import Permission
from core.domain.readiness import ReadinessState
from core.domain.statuses import STATUS_WORDS
from core.domain.view_settings import ViewPreset
from tui.board.board import Board
from tui.drawing.card_facts import card_facts
from tui.drawing.cells import fit
from tui.drawing.rows import one_line
from tui.screens.framework.controller import PhaseRef, Selection
from tui.screens.framework.marking import CardMarks, MarkActions
from tui.screens.framework.previewer import Previewer
from tui.screens.views.filtering import CardFilter, FilteredView
from tui.widgets.bars import KeyBar


class ViewScreen(FilteredView, Protocol):
    """A view of a project as its parts know it: ``ProjectView``."""

    preview: ViewPreset | None

    @property
    def name_in_table(self) -> str: ...
    @property
    def presenter(self) -> ViewPresenter: ...
    @property
    def filter(self) -> CardFilter: ...
    @property
    def marks(self) -> MarkActions: ...
    @property
    def previewer(self) -> Previewer | None: ...
    @property
    def key_line(self) -> KeyBar: ...
    def query_one(self, selector: type[Any]) -> Any: ...


class ViewPresenter(ABC):
    """Shows the cards of one view. A subclass knows the widgets of the view."""

    screen: ViewScreen
    """The view that owns it. A presenter of one kind of view names that kind."""

    def __init__(self, screen: ViewScreen) -> None:
        self.screen = screen
        self._phase: tuple[tuple[object, ...], PhaseRef] | None = None
        self.moved: list[Callable[[], None]] = []
        """Called when the cursor is on another card, or its card, its phase or the marks have changed."""

    # -- drawing ---------------------------------------------------------------------------------------------

    @abstractmethod
    def draw(self) -> None:
        """Draw the cards that the filter leaves, the cursor staying on its card."""

    @abstractmethod
    def show_marks(self) -> None:
        """Draw the marks, which have changed."""

    @abstractmethod
    def show_highlight(self, highlighted: Set[Id]) -> None:
        """Draw the cards that others have just changed as lit, and nothing else of them."""

    @abstractmethod
    def show_online(self) -> None:
        """Draw the initials of other users beside the cards that they are on."""

    def redraw(self) -> None:
        """Draw the cards and the line of the cursor."""
        self.draw()
        self.cursor_moved()

    def redraw_changed(self, changes: CanvasChanges) -> None:
        """Draw what has changed, under the same preset and filter. The canvas of the screen has the changes already."""
        self.redraw()

    # -- the cards -------------------------------------------------------------------------------------------

    @property
    def marked_ids(self) -> Set[Id]:
        """The ids of the marked cards."""
        return self.screen.marks.ids

    def list_marked(self, ids: Set[Id]) -> Sequence[Card]:
        """The marked cards that a key acts on, in the order of the cursor."""
        return [card for card in self.list_shown() if card.id in ids]

    @property
    def marked_in_folds(self) -> int:
        """The number of marked cards that cannot be seen because they are in folds."""
        return 0

    @abstractmethod
    def list_shown(self) -> Sequence[Card]:
        """The cards that can be seen, in the order in which the cursor meets them."""

    def counts(self) -> tuple[int, int]:
        """The number of cards that the filter leaves, and the number without it."""
        filtering = self.screen.filter
        return len(filtering.cards()), len(filtering.cards(without_filter=True))

    def every_card(self) -> Sequence[Card]:
        """All cards of the project, in the order of a Canvas."""
        return self.screen.canvas.cards

    def find(self, card_id: Id) -> Card | None:
        """A card of the project by its id."""
        return next((card for card in self.screen.canvas.cards if card.id == card_id), None)

    def neighbour(self, card_id: Id) -> Id | None:
        """The card after or else before this one among those of its phase and status."""
        shown = self.list_shown()
        at = next((number for number, card in enumerate(shown) if card.id == card_id), None)
        if at is None:
            return None
        beside = [*shown[at + 1 : at + 2], *shown[max(0, at - 1) : at]]
        alike = (card.id for card in beside if (card.phase_id, card.status) == (shown[at].phase_id, shown[at].status))
        return next(alike, None)

    def make_marks(self) -> MarkActions:
        """The marks of the view."""
        return CardMarks(self.screen, shown=self.list_shown, changed=self._marks_changed, go_on=self.go_on)

    def _marks_changed(self) -> None:
        self.show_marks()
        self.cursor_moved()
        self.screen.show_titles()

    # -- the cursor ------------------------------------------------------------------------------------------

    @property
    @abstractmethod
    def card(self) -> Card | None:
        """The card of the cursor."""

    @property
    def column(self) -> PhaseColumn | None:
        """The phase of the cursor."""
        card = self.card
        return next((column for column in self.screen.head.columns if card and column.id == card.phase_id), None)

    @property
    def due_of_new_card(self) -> date | None:
        """The due date that is suggested for a new card, where the cursor is on a day."""
        return None

    def selection(self) -> Selection:
        """The cards, phase and project that a key acts on now."""
        screen, head, marked = self.screen, self.screen.canvas.head, self.marked_ids
        card, column, held = self.card, self.column, screen.access.held
        cards = self.list_marked(marked) if marked else ()
        return Selection(
            screen.project_id,
            card,
            cards or ((card,) if card else ()),
            bool(marked),
            self._phase_of(column) if column else None,
            head.members,
            held,
            head.key,
            nothing_words(bool(head.columns), held),
        )

    def key_facts(self) -> object:
        """All but the selection that the line of keys can depend on, as plain data."""
        return self.screen.show_archived, bool(self.screen.head.columns), self.screen.filter.offer()

    def _phase_of(self, column: PhaseColumn) -> PhaseRef:
        """The phase, kept until the project is read again, for each key asks for it.

        What is missing at its gate takes at most half of a line of keys.
        """
        head, podium, missing = self.screen.canvas.head, self.screen.podium, column.missing
        facts = (column, head, podium.me, podium.size)
        if self._phase is None or any(map(is_not, facts, self._phase[0])):
            words = ""
            if missing.state is ReadinessState.NOT_READY and missing.at_gate:
                width, mark = max(16, podium.size.width // 2 - 4), "~" if podium.ascii else "…"
                words = fit(missing.words(head.deciders), width, mark=mark)
            is_ready, takes_votes = missing.is_ready(head.deciders), missing.votes is not None
            phase = PhaseRef(column.id, column.name, column.state, is_ready, takes_votes, missing.on_hold, words)
            self._phase = facts, phase
        return self._phase[1]

    def cursor_moved(self) -> None:
        """Describe the card of the cursor, which another part of the view may have changed."""
        for heard in self.moved:
            heard()

    @property
    def description(self) -> str:
        """The card of the cursor in a sentence."""
        return card_sentence(self.card, self.column, self.screen.head)

    @abstractmethod
    def go_to(self, card_id: Id) -> None:
        """Put the cursor on a card, if it can be seen."""

    def go_to_match(self, card_id: Id) -> None:
        """Put the cursor on a card that the filter leaves, without opening what a filter opens by itself."""
        self.go_to(card_id)

    def remember(self) -> Callable[[], None]:
        """Return what puts the cursor back to where it is now."""
        card = self.card
        return partial(self.go_to, card.id) if card else _stay

    def go_to_phase(self, number: int) -> None:  # noqa: B027 (a hook)
        """Put the cursor on a phase, where the view has it on phases too."""

    @abstractmethod
    def go_on(self) -> None:
        """Put the cursor on the next card, after one was marked."""


def _stay() -> None:
    """Leave the cursor where it is."""


def nothing_words(has_phases: bool, held: Set[Permission]) -> str:
    """The reason against the keys of cards where there is no card, with the key that adds what is missing."""
    if has_phases:
        return "There is no card here." + (" Press n to add one." if Permission.TASK_MANAGE in held else "")
    add = " Press N to add the first one." if Permission.WORKFLOW_MANAGE in held else ""
    return f"This project has no phases yet.{add}"


class BoardPresenter(ViewPresenter):
    """Shows the cards on a board."""

    @cached_property
    def board(self) -> Board:
        """The widget, which is looked up once: each key asks for it some fifty times."""
        board: Board = self.screen.query_one(Board)
        return board

    def show_marks(self) -> None:
        self.board.marks.mark(self.screen.marks.ids)

    def show_highlight(self, highlighted: Set[Id]) -> None:
        self.board.show_highlight(highlighted)

    def show_online(self) -> None:
        self.board.show_online(self.screen.podium.presence.initials())

    @property
    def marked_ids(self) -> Set[Id]:
        return self.board.marks.ids

    def list_shown(self) -> Sequence[Card]:
        return list(self.board.model.cards())

    @property
    def card(self) -> Card | None:
        return self.board.cursor.card

    @property
    def column(self) -> PhaseColumn | None:
        return self.board.cursor.phase

    @property
    def description(self) -> str:
        return self.board.description

    def go_to(self, card_id: Id) -> None:
        self.board.focus_card(card_id)

    def remember(self) -> Callable[[], None]:
        cursor = self.board.cursor
        return super().remember() if cursor.card else partial(cursor.go_to_column, cursor.number + 1)

    def go_on(self) -> None:
        self.board.cursor.move(0, 1)


def card_sentence(card: Card | None, column: PhaseColumn | None, head: CanvasHeader) -> str:
    """A card in a sentence, such as "Write the brief, task, To Do, in Discover, due tomorrow, Ann Lee"."""
    if card is None:
        return ""
    facts = [one_line(card.title), card.kind.lower(), STATUS_WORDS[card.status] if card.status else ""]
    facts.append(f"in {one_line(column.name)}" if column else "")
    of_card = set(card.assignee_ids)
    assigned = {each.user_id: each for each in head.members if each.user_id in of_card} if of_card else {}
    people = [assigned[user_id] for user_id in card.assignee_ids if user_id in assigned]
    return ", ".join(filter(None, [*facts, *card_facts(card, head.labels, people, head.today)]))


class CursorReturn:
    """Remembers the cards that went from under the cursor, as when they are archived one after the other.

    They are forgotten once the user moves the cursor. A card that another user or a filter brings back does not move
    it, since a key that is pressed at that moment is about the card that it is on.
    """

    def __init__(self, presenter: ViewPresenter) -> None:
        self._presenter = presenter
        self._gone: list[Id] = []
        """The last one last."""
        self._at: tuple[Id | None, str] = (None, "")
        """The place of the cursor after the last one had gone."""
        self._changed = frozenset[Id]()
        """The cards that the user has changed since the undo began."""

    def note_changes(self, before: Card | None, changes: CanvasChanges) -> None:
        """Note that changes were drawn, before which the cursor was on this card."""
        self._changed |= {card.id for card in changes.changed} - changes.by_others
        now = self._place
        if before is None or before.id == now[0]:
            return
        if before.id != self._at[0]:
            self._gone.clear()
        self._gone.append(before.id)
        self._at = now

    def before_undo(self) -> None:
        """Note that an undo begins."""
        self._changed = frozenset()
        if self._place != self._at:
            self._gone.clear()

    def after_undo(self) -> None:
        """Go back to the cards that the undo has brought back."""
        while self._gone and self._gone[-1] in self._changed:
            self._presenter.go_to(self._gone[-1])
            if self._place[0] != self._gone[-1]:
                return
            self._gone.pop()
            self._at = self._place

    @property
    def _place(self) -> tuple[Id | None, str]:
        """The card of the cursor, and its words: on a day, a phase or a column without cards, these say which it is."""
        card = self._presenter.card
        return card.id if card else None, self._presenter.description
