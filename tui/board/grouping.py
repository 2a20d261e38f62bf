"""The two groupings of a board: phases as columns and statuses as sections, or the other way round."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeAlias

from core.domain.canvas import CanvasHeader, Card, PhaseColumn
from core.domain.model import Id, Status
from core.domain.statuses import STATUS_WORDS
from core.record import Record

Section: TypeAlias = str | None
"""A section of a column: a status, or APPLICATIONS; on the status board the id of a phase."""

APPLICATIONS: Section = None
"""The section of applications, which have no status."""

NO_PHASE: Section = ""
"""The only section of a status board's column without cards."""

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


BY_PHASE: Grouping = ByPhase()
BY_STATUS: Grouping = ByStatus()
