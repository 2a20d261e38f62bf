"""Groupings of a board: phases as columns and statuses as sections, or statuses as columns.

These have phases as sections, or labels or priorities, as the order of the preset says.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeAlias

from core.domain.canvas import CanvasHeader, Card, PhaseColumn
from core.domain.model import Id, Priority, Status
from core.domain.statuses import STATUS_WORDS
from core.domain.view_settings import Sort
from core.record import Record

Section: TypeAlias = str | None
"""A section of a column: a status, or APPLICATIONS; on the status board the id of a phase."""

APPLICATIONS: Section = None
"""The section of applications, which have no status."""

NO_PHASE: Section = ""
"""The only section of a status board's column without cards."""

NO_LABEL: Section = "none"
"""The section of cards without a label."""

SECTIONS: tuple[Status, ...] = (Status.TO_DO, Status.IN_PROGRESS, Status.COMPLETED, Status.ARCHIVED)
"""The statuses, from top to bottom or from left to right."""

TITLES: dict[Section, str] = {APPLICATIONS: "Applications", **{status: STATUS_WORDS[status] for status in SECTIONS}}
"""Titles of sections by status, and of the section of applications."""

Place = tuple[Id, Section]
"""A section of the board: one section of one column."""


class StatusColumn(Record, kw_only=False):
    """A column of the status board."""

    id: Id
    number: int
    name: str


Column = PhaseColumn | StatusColumn


class Grouping(Protocol):
    """A way to place cards in columns and sections."""

    def columns(self, head: CanvasHeader, statuses: tuple[Status, ...]) -> tuple[Column, ...]:
        """The columns, if cards with these statuses are shown."""

    def place(self, card: Card) -> Place:
        """The column and the section of a card."""

    def every(self, head: CanvasHeader, statuses: tuple[Status, ...]) -> tuple[Section, ...]:
        """All sections that a column can have, from top to bottom."""

    def sections(
        self, column_id: Id, head: CanvasHeader, statuses: tuple[Status, ...], has: Callable[[Place], object]
    ) -> tuple[Section, ...]:
        """The sections that a column shows, at least one.

        ``has`` answers with a true value for a place with cards.
        """

    def titles(self, head: CanvasHeader) -> dict[Section, str]:
        """Titles of the sections."""


class ByPhase:
    """The Canvas: phases as columns, statuses as sections."""

    def columns(self, head: CanvasHeader, _statuses: tuple[Status, ...]) -> tuple[Column, ...]:
        return head.columns

    def place(self, card: Card) -> Place:
        return card.phase_id, card.status

    def every(self, _head: CanvasHeader, statuses: tuple[Status, ...]) -> tuple[Section, ...]:
        return (APPLICATIONS, *statuses)

    def sections(
        self, column_id: Id, _head: CanvasHeader, statuses: tuple[Status, ...], has: Callable[[Place], object]
    ) -> tuple[Section, ...]:
        """Applications come first, and only if one is visible: most phases have none, and an empty section would take
        a line of every column.
        """
        return statuses if statuses and not has((column_id, APPLICATIONS)) else (APPLICATIONS, *statuses)

    def titles(self, _head: CanvasHeader) -> dict[Section, str]:
        return TITLES


class ByStatus:
    """The status board: statuses as columns, phases as sections. Applications have no status and are not on it."""

    def columns(self, head: CanvasHeader, statuses: tuple[Status, ...]) -> tuple[Column, ...]:
        if not head.columns:
            return ()
        return tuple(StatusColumn(status, number, TITLES[status]) for number, status in enumerate(statuses, 1))

    def place(self, card: Card) -> Place:
        return card.status or "", card.phase_id

    def every(self, head: CanvasHeader, _statuses: tuple[Status, ...]) -> tuple[Section, ...]:
        return (NO_PHASE, *(phase.id for phase in head.columns))

    def sections(
        self, column_id: Id, head: CanvasHeader, _statuses: tuple[Status, ...], has: Callable[[Place], object]
    ) -> tuple[Section, ...]:
        """Only phases with cards: of a dozen phases, two or three are usually in progress."""
        return tuple(phase.id for phase in head.columns if has((column_id, phase.id))) or (NO_PHASE,)

    def titles(self, head: CanvasHeader) -> dict[Section, str]:
        return {NO_PHASE: "", **{phase.id: f"{phase.number} {phase.name}" for phase in head.columns}}


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


BY_PHASE: Grouping = ByPhase()
BY_STATUS: Grouping = ByStatus()
GROUPINGS: dict[Sort, Grouping] = {Sort.LABEL: ByLabel(), Sort.PRIORITY: ByPriority()}


def grouping_for(sort: Sort) -> Grouping:
    """The grouping of the status board for the order of a preset: by phase, unless it is by label or priority."""
    return GROUPINGS.get(sort, BY_STATUS)
