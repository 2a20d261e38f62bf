"""Two more groupings of the status board: by label and by priority, as the order of the preset says."""

from __future__ import annotations

from collections.abc import Callable

from core.domain.canvas import CanvasHeader, Card
from core.domain.model import Id, Priority, Status
from core.domain.view_settings import Sort
from tui.board.grouping import BY_STATUS, NO_PHASE, ByStatus, Grouping, Place, Section

NO_LABEL: Section = "none"
"""The section of cards without a label."""


class ByLabel(ByStatus):
    """Labels as sections. A card with several labels stands under the first of them."""

    def place(self, card: Card) -> Place:
        return card.status or "", card.labels[0] if card.labels else NO_LABEL

    def every(self, head: CanvasHeader, _statuses: tuple[Status, ...]) -> tuple[Section, ...]:
        return (*(label.id for label in head.labels), NO_LABEL, NO_PHASE)

    def sections(
        self, column_id: Id, head: CanvasHeader, statuses: tuple[Status, ...], has: Callable[[Place], object]
    ) -> tuple[Section, ...]:
        return tuple(each for each in self.every(head, statuses) if has((column_id, each))) or (NO_PHASE,)

    def titles(self, head: CanvasHeader) -> dict[Section, str]:
        return {NO_PHASE: "", NO_LABEL: "No label", **{label.id: f"#{label.name}" for label in head.labels}}


class ByPriority(ByStatus):
    """Priorities as sections, the highest first."""

    def place(self, card: Card) -> Place:
        return card.status or "", card.priority

    def every(self, _head: CanvasHeader, _statuses: tuple[Status, ...]) -> tuple[Section, ...]:
        return (*reversed(Priority), NO_PHASE)

    def sections(
        self, column_id: Id, _head: CanvasHeader, _statuses: tuple[Status, ...], has: Callable[[Place], object]
    ) -> tuple[Section, ...]:
        return tuple(each for each in reversed(Priority) if has((column_id, each))) or (NO_PHASE,)

    def titles(self, _head: CanvasHeader) -> dict[Section, str]:
        return {NO_PHASE: "", **{priority: priority.capitalize() for priority in Priority}}


GROUPINGS: dict[Sort, Grouping] = {Sort.LABEL: ByLabel(), Sort.PRIORITY: ByPriority()}


def grouping_for(sort: Sort) -> Grouping:
    """The grouping of the status board for the order of a preset: by phase, unless it is by label or priority."""
    return GROUPINGS.get(sort, BY_STATUS)
