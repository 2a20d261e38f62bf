"""What is mine: my open items over all projects, late first."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from core.messages import Query
from core.model import Item
from core.rights import Permission


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkLine:
    """One of my open items, with the project and the phase it is in."""

    item: Item
    project: str
    phase: str
    phase_number: int
    locked: bool
    """Whether its phase is locked, so that it cannot start yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MyWork:
    """My open items, by due date, those without one last. ``more`` counts those that are not listed."""

    lines: tuple[WorkLine, ...]
    today: date
    more: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowMyWork(Query[MyWork]):
    """My open tasks and activities over all my projects, the most urgent first."""

    route = "GET /v1/me/work"
    permission = Permission.WORKSPACE_VIEW
