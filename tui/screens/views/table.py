"""The Table of a project: every card in a line, sorted by any column, or in the order of the phases."""

from __future__ import annotations

from collections.abc import Sequence, Set

from textual import on
from textual.app import ComposeResult

from core.domain.canvas import Card
from core.domain.model import Id
from core.domain.view_settings import Sort
from core.record import replace
from tui.keys.bindings import bindings
from tui.screens.framework.cursor_keys import ListCursorKeys
from tui.screens.views.live_updates import NewsOrDetail
from tui.screens.views.project_view import VIEW, ProjectView
from tui.screens.views.table_rows import PARTS, PHASE, SORTABLE, TITLE, Around, Part, line_of
from tui.services.presence import PresenceTracker
from tui.widgets.columns import Column
from tui.widgets.filter_line import FilterLine
from tui.widgets.list_view import NOTHING_FITS, ListView

NO_PHASES = "This project has no phases yet.\nN on the Canvas adds the first."
NO_CARDS = "No cards yet.\nn adds one."
NONE_SHOWN = (
    "No card is shown.\nThe preset leaves none, or they are archived. P chooses another preset, A shows the archive."
)


class TableScreen(ListCursorKeys, ProjectView):
    """Columns follow the fields of the preset, and so does the order until another one is chosen here."""

    name_in_table = "table"
    view_words = "Table"
    BINDINGS = bindings("table", VIEW)
    AUTO_FOCUS = "ListView"

    def __init__(self, project_id: Id, focus_id: Id | None = None) -> None:
        super().__init__(project_id, focus_id)
        self._sort: Part | None = None
        """The column that is sorted by; None for the order of the phases."""
        self._backwards = False
        self._preset_sort: tuple[Id, Sort] | None = None
        self._cards: list[Card] = []

    def body(self) -> ComposeResult:
        yield ListView([TITLE.column])
        yield NewsOrDetail()
        yield FilterLine()

    def place(self) -> str:
        order = f"by {self._sort.column.title.lower()}" if self._sort else "by phase"
        return f"{super().place()} · {order}{', backwards' if self._backwards else ''}"

    @property
    def listing(self) -> ListView:
        return self.query_one(ListView)

    # -- what a view gives -----------------------------------------------------------------------------------

    def draw(self) -> None:
        self._follow_preset()
        listing, head = self.listing, self.canvas.head
        around = Around.of(head, {card.id: card.title for card in self.canvas.cards}, listing.look)
        self._cards = self._sorted(self.cards(), around)
        parts = self._parts()
        listing.columns = tuple(self._titled(part) for part in parts)
        listing.empty = self._why_empty()
        listing.show([line_of(card, parts, around, in_sections=self._sort is None) for card in self._cards])
        listing.show_marks(self.marks)

    def _why_empty(self) -> str:
        if not self.canvas.head.columns:
            return NO_PHASES
        if not self.canvas.cards:
            return NO_CARDS
        return NOTHING_FITS if self.filter_text else NONE_SHOWN

    def _follow_preset(self) -> None:
        """Sort as the preset does, as soon as there is another one."""
        preset = self.canvas.preset
        if self._preset_sort != (preset.id, preset.viewing.sort):
            self._preset_sort = (preset.id, preset.viewing.sort)
            self._sort = next((part for part in SORTABLE if part.sort is preset.viewing.sort), None)
            self._backwards = False

    def _sorted(self, cards: list[Card], around: Around) -> list[Card]:
        """Cards that are alike in the column stay in the order of the phases."""
        key = self._sort.key if self._sort else None
        if key is None:
            return cards[::-1] if self._backwards else cards
        return sorted(cards, key=lambda card: key(card, around), reverse=self._backwards)

    def _parts(self) -> tuple[Part, ...]:
        fields = self.canvas.preset.viewing.fields
        shown = (part for part in PARTS if part.field is None or part.field in fields)
        return tuple(part for part in shown if part is not PHASE or self._sort is not None)

    def _titled(self, part: Part) -> Column:
        """The column that is sorted by has a sign, and stays however narrow it gets."""
        if part is not self._sort:
            return part.column
        ascii_only = self.podium.ascii
        sign = ("v" if ascii_only else "▼") if self._backwards else ("^" if ascii_only else "▲")
        return replace(part.column, title=f"{part.column.title} {sign}", rank=min(part.column.rank, 1))

    def shown(self) -> Sequence[Card]:
        return self._cards

    @property
    def card(self) -> Card | None:
        line = self.listing.line if self.stands else None
        return next((card for card in self._cards if line and card.id == line.id), None)

    def go_to(self, card_id: Id) -> None:
        self.listing.go_to(card_id)

    def show_glow(self, glowing: Set[Id]) -> None:
        self.listing.show_glow(glowing)

    def show_guests(self, presence: PresenceTracker) -> None:
        self.listing.show_guests(presence.initials())

    def show_marks(self) -> None:
        self.listing.show_marks(self.marks)

    # -- moving and sorting ----------------------------------------------------------------------------------

    def do_left(self) -> None:
        """To the last card of another phase above."""
        self._leave_phase(range(self._place() - 1, -1, -1))

    def do_right(self) -> None:
        """To the next card of another phase below."""
        self._leave_phase(range(self._place() + 1, len(self._cards)))

    def _place(self) -> int:
        return self._cards.index(self.card) if self.card else 0

    def _leave_phase(self, places: range) -> None:
        for place in places:
            if self._cards[place].phase_id != self.phase_id:
                self.listing.go(place)
                return

    def do_sort(self) -> None:
        """By the next column, and after the last one by phase again."""
        shown = [None, *(part for part in self._parts() if part.key)]
        self._sort_by(shown[(shown.index(self._sort) + 1) % len(shown) if self._sort in shown else 0])

    def do_reverse(self) -> None:
        self._backwards = not self._backwards
        self._draw()
        self.show_titles()

    def _sort_by(self, part: Part | None) -> None:
        self._sort, self._backwards = part, False
        self._draw()
        self.show_titles()

    @on(ListView.TitlePressed)
    def _press_title(self, event: ListView.TitlePressed) -> None:
        """Sort by the column, or turn it around; a column that nobody sorts by does nothing."""
        part = self._parts()[event.number]
        if part is self._sort:
            self.do_reverse()
        elif part.key:
            self._sort_by(part)

    @on(ListView.CursorMoved)
    def _follow_cursor(self) -> None:
        self.show_cursor()

    @on(ListView.Opened)
    async def _open_line(self) -> None:
        await self.do_open()

    @on(ListView.MenuRequested)
    def _open_menu(self) -> None:
        self.do_menu()
