"""How the work of a project flowed: how many items stood where at the end of each day, from its history."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from core.messages import ProjectQuery
from core.rights import Permission


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowDay:
    """How many tasks and activities stood in each status at the end of a day; archived ones count nowhere."""

    day: date
    to_do: int
    in_progress: int
    completed: int

    @property
    def total(self) -> int:
        return self.to_do + self.in_progress + self.completed


@dataclass(frozen=True, slots=True, kw_only=True)
class Flow:
    """One line a day from the first change to today, without a gap; ``due`` is that of the last phase."""

    days: tuple[FlowDay, ...]
    due: date | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowFlow(ProjectQuery[Flow]):
    """How many items were to do, in progress and completed on each day of a project."""

    route = "GET /v1/projects/{project_id}/flow"
    permission = Permission.PROJECT_VIEW
