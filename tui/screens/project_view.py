"""What the views of a project beside the Canvas have in common: the same query, the same filter, the same keys.

A view draws the cards that its preset and its filter leave, has a cursor on one of them, and marks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from textual import on
from textual.content import Content
from textual.widgets import Input

from core.actions.canvas import ShowCanvas
from core.canvas import Canvas, CanvasMember, Card
from core.errors import FilterRefused, Obstacle, PodiumError
from core.filtering.filter import Around, Filter
from core.model import Id, ItemKind, Status
from core.presets import PhasePart
from tui.bindings import EVERYWHERE
from tui.board.model import NOTHING
from tui.screens.card_status import CardStatus
from tui.text import fit
from tui.widgets.filter_line import FilterLine
from tui.widgets.lines import DetailLine

VIEW = "view"
"""The part of the table of keys that works on every view but the Canvas, which has its own."""

PART_OF = {
    ItemKind.TASK: PhasePart.TASKS,
    ItemKind.ACTIVITY: PhasePart.ACTIVITIES,
    ItemKind.APPLICATION: PhasePart.APPLICATIONS,
}


class ViewDetail(DetailLine):
    """What the cursor of a view is on, in a sentence."""

    def line(self, width: int) -> Content:
        owner = self.screen
        assert isinstance(owner, ProjectView)
        return Content(fit(f" {owner.description}", width))


class ProjectView(CardStatus):
    """One view of a project. A subclass gives ``body``, ``draw``, ``shown``, ``card``, ``go_to`` and ``show_marks``."""

    view_words: ClassVar[str]
    """What the view is called in the title line."""

    def __init__(self, project_id: Id, focus_id: Id | None = None) -> None:
        super().__init__()
        self.project_id = project_id
        self._focus_id = focus_id
        self._filter: Filter | None = None
        self.canvas: Canvas = NOTHING
        self.show_archived = False
        self.marks: set[Id] = set()
        self._last_mark: Id | None = None

    def again(self) -> ProjectView:
        return type(self)(self.project_id, self.card.id if self.card else None)

    def tables(self) -> tuple[str, ...]:
        return (self.name_in_table, VIEW, EVERYWHERE)

    def place(self) -> str:
        name = self.canvas.head.name
        return f"{self.view_words} · {name}" if name else "…"

    # -- what a subclass gives -------------------------------------------------------------------------------

    def draw(self) -> None:
        """Draw ``cards()`` as they are now, the cursor staying on its card."""
        raise NotImplementedError

    def shown(self) -> Sequence[Card]:
        """The cards that can be seen, in the order in which the cursor meets them."""
        raise NotImplementedError

    @property
    def card(self) -> Card | None:
        """The card of the cursor."""
        raise NotImplementedError

    def go_to(self, card_id: Id) -> None:
        """Put the cursor on a card, if it can be seen."""
        raise NotImplementedError

    def show_marks(self) -> None:
        """Draw ``marks``, which have changed."""
        raise NotImplementedError

    @property
    def description(self) -> str:
        """What the cursor is on, in a sentence."""
        return self.card.title if self.card else ""

    # -- reading ---------------------------------------------------------------------------------------------

    async def reload(self) -> None:
        self.canvas = await self.podium.query(ShowCanvas(project_id=self.project_id))
        head = self.canvas.head
        self.held, self.authority = head.held, head.authority
        self.role_words = head.my_role.lower() if head.my_role else ""
        self._understand()
        here = {card.id for card in self.canvas.cards}
        self.marks &= here
        self._draw()
        if self._focus_id:
            self.go_to(self._focus_id)
            self._focus_id = None

    def lose_sight(self, error: PodiumError) -> None:
        self._focus_id = self.card.id if self.card else self._focus_id
        self.canvas = NOTHING
        self._draw()
        super().lose_sight(error)

    def _draw(self) -> None:
        self.draw()
        self.show_cursor()

    def show_cursor(self) -> None:
        """Say what the cursor is on; called whenever it has moved."""
        for detail in self.query(ViewDetail):
            detail.show()

    def around(self) -> Around:
        """What the words of a filter refer to here."""
        head = self.canvas.head
        return Around(self.podium.me.user.id, head.today, head.columns, head.members)

    def cards(self) -> list[Card]:
        """The cards that the preset, the filter and the archive leave, in the order of the Canvas."""
        return [card for card in self.canvas.cards if self._is_left(card)]

    def _is_left(self, card: Card) -> bool:
        if PART_OF[card.kind] not in self.canvas.preset.viewing.sections:
            return False
        if card.status is Status.ARCHIVED and not self.show_archived:
            return False
        return self._filter is None or self._filter.matches(card)

    # -- what the keys act on --------------------------------------------------------------------------------

    def targets(self) -> Sequence[Card]:
        if self.marks:
            return [card for card in self.shown() if card.id in self.marks]
        return [self.card] if self.card else []

    def team(self) -> Sequence[CanvasMember]:
        return self.canvas.head.members

    def menu_title(self) -> str:
        return self._named(self.targets()) if self.targets() else self.place()

    def after_bulk(self) -> None:
        self._mark(())

    # -- marks -----------------------------------------------------------------------------------------------

    def _mark(self, ids: Iterable[Id]) -> None:
        self.marks = set(ids)
        self.show_marks()
        self.show_titles()

    def do_mark(self) -> None:
        if self.card:
            self._last_mark = self.card.id
            self._mark(self.marks ^ {self.card.id})
            self.do_down()

    def do_mark_range(self) -> None:
        ids = [card.id for card in self.shown()]
        if self.card is None or self.card.id not in ids:
            return
        here = ids.index(self.card.id)
        start = ids.index(self._last_mark) if self._last_mark in ids else here
        self._mark(self.marks | set(ids[min(start, here) : max(start, here) + 1]))

    def do_mark_all(self) -> None:
        self._mark(() if self.marks else (card.id for card in self.shown()))

    def do_down(self) -> None:
        raise NotImplementedError

    # -- filter and archive ----------------------------------------------------------------------------------

    def do_filter(self) -> None:
        self.query_one(FilterLine).open()

    def do_clear_filter(self) -> None:
        self.query_one(FilterLine).clear()

    @on(Input.Changed, "FilterLine")
    def _filter_as_typed(self) -> None:
        self._understand()
        self._draw()

    def _understand(self) -> None:
        """Read the filter line; while it cannot be understood the last filter that could stays."""
        text = " ".join([self.canvas.preset.viewing.filter, self.query_one(FilterLine).text]).strip()
        try:
            self._filter = Filter(text, self.around()) if text else None
        except FilterRefused:
            return

    def do_toggle_archived(self) -> None:
        self.show_archived = not self.show_archived
        self._draw()
        self.podium.tell("The archive is shown." if self.show_archived else "The archive is hidden.")

    def do_back(self) -> None:
        """First the marks go, then the filter, then one level up."""
        if self.marks:
            self._mark(())
        elif self.query_one(FilterLine).text:
            self.query_one(FilterLine).clear()
        else:
            super().do_back()

    # -- going on --------------------------------------------------------------------------------------------

    async def do_open(self) -> None:
        card = self.card
        if card is None:
            self.podium.tell("There is no card here.")
        elif card.kind is ItemKind.APPLICATION:
            from tui.screens.application import ApplicationScreen

            await self.podium.push_screen(ApplicationScreen(self.project_id, card.id))
        else:
            from tui.screens.card import CardScreen

            await self.podium.push_screen(CardScreen(self.project_id, card.id))

    async def do_phase(self) -> None:
        from tui.screens.phase import PhaseScreen

        if self.card:
            await self.podium.push_screen(PhaseScreen(self.project_id, self.card.phase_id))

    async def jump_to(self, obstacle: Obstacle) -> None:
        """Put the cursor on what stands in the way, or open it where it is not shown."""
        if any(card.id == obstacle.id for card in self.shown()):
            self.go_to(obstacle.id)
        else:
            await super().jump_to(obstacle)

    async def do_next_view(self) -> None:
        from tui.screens.views import step_view

        await step_view(self, +1)

    async def do_previous_view(self) -> None:
        from tui.screens.views import step_view

        await step_view(self, -1)

    async def do_presets(self) -> None:
        from tui.screens.presets import choose_preset

        await choose_preset(self)

    async def do_filters(self) -> None:
        from tui.screens.filters import choose_filter

        await choose_filter(self)
