"""What the columns of a board are, and what its sections: phases and statuses, or the other way round."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol, TypeAlias

from core.domain.canvas import CanvasHeader, Card, PhaseColumn
from core.domain.model import Id, Status

Section: TypeAlias = str | None
"""A section of a column: a status, or APPLICATIONS; on the status board the id of a phase."""

APPLICATIONS: Section = None
"""The section of what has no status."""

NO_PHASE: Section = ""
"""The section of a column of the status board that has no cards at all."""

SECTIONS: tuple[Status, ...] = (Status.TO_DO, Status.IN_PROGRESS, Status.COMPLETED, Status.ARCHIVED)
"""The statuses, from top to bottom or from left to right."""

TITLES: dict[Section, str] = {
    APPLICATIONS: "Applications",
    Status.TO_DO: "To Do",
    Status.IN_PROGRESS: "In Progress",
    Status.COMPLETED: "Completed",
    Status.ARCHIVED: "Archived",
}
"""The sections as people read them: the statuses of spec, section 1, and what has none."""

Place = tuple[Id, Section]
"""A section of the board: one section of one column."""


class StatusColumn(NamedTuple):
    """A column of the status board."""

    id: Id
    number: int
    name: str


Column = PhaseColumn | StatusColumn


class Grouping(Protocol):
    """Where on a board a card lies."""

    def columns(self, head: CanvasHeader, statuses: tuple[Status, ...]) -> tuple[Column, ...]:
        """The columns, when cards of these statuses are shown."""

    def place(self, card: Card) -> Place:
        """The column and the section of a card."""

    def every(self, head: CanvasHeader, statuses: tuple[Status, ...]) -> tuple[Section, ...]:
        """All sections that a column can have, from top to bottom."""

    def sections(
        self, column_id: Id, head: CanvasHeader, statuses: tuple[Status, ...], has: Callable[[Place], object]
    ) -> tuple[Section, ...]:
        """The sections that a column shows, at least one, when ``has`` says where cards are."""

    def titles(self, head: CanvasHeader) -> dict[Section, str]:
        """What the sections are called."""


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
        """Applications come first, and only where there are some that can be seen: most phases have
        none, and an empty head would take a line of every column.
        """
        return statuses if statuses and not has((column_id, APPLICATIONS)) else (APPLICATIONS, *statuses)

    def titles(self, _head: CanvasHeader) -> dict[Section, str]:
        return TITLES


class ByStatus:
    """The status board: statuses as columns, phases as sections. What has no status is not on it."""

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
        """Only phases with cards: a project has a dozen phases, of which two or three are at work."""
        return tuple(phase.id for phase in head.columns if has((column_id, phase.id))) or (NO_PHASE,)

    def titles(self, head: CanvasHeader) -> dict[Section, str]:
        return {NO_PHASE: "", **{phase.id: f"{phase.number} {phase.name}" for phase in head.columns}}


BY_PHASE: Grouping = ByPhase()
BY_STATUS: Grouping = ByStatus()
