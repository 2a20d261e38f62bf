"""The portfolio: the user's projects over time, each with its phases, page by page."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date

from core.actions.portfolio.my_projects import PortfolioQuery
from core.actions.projects.lists import MAX_PAGE, ProjectRows, ProjectSummary, read_projects, summary_of
from core.domain.grants import PermissionQuery
from core.domain.model import Gate, Id, PhaseState
from core.domain.statuses import ItemCounts
from core.engine.unit_of_work import Snapshot
from core.errors import InvalidInput
from core.record import COLLECTION, Record, field
from core.rules.visibility import by_answers
from core.storage.database import placeholders


class PortfolioPhase(Record, kw_only=False):
    """A phase of a project of the portfolio. Its ``number`` counts from 1."""

    id: Id
    number: int
    name: str
    state: PhaseState
    gate: Gate
    due: date | None
    tally: ItemCounts


class PortfolioProject(Record):
    """A project of the portfolio with its phases in order."""

    id: Id
    summary: ProjectSummary
    phases: tuple[PortfolioPhase, ...]


class Portfolio(Record):
    """A page of the portfolio, by name."""

    lines: tuple[PortfolioProject, ...] = field(name=COLLECTION)
    today: date
    next_offset: int | None
    """The ``offset`` of the next page; None if this is the last one."""


class GetPortfolio(PortfolioQuery[Portfolio]):
    """List my projects with their phases and dates, for a timeline over projects.

    Archived projects are left out, and projects that I cannot see. ``most`` (1 to 200) is the size of a page, and
    ``offset`` the number of projects before it.
    """

    route = "GET /v1/portfolio"
    most: int = MAX_PAGE
    offset: int = 0

    def asks(self, view: Snapshot) -> tuple[PermissionQuery, ...]:
        return tuple(self._page(view).values())

    def run(self, view: Snapshot) -> Portfolio:
        if not 1 <= self.most <= MAX_PAGE:
            raise InvalidInput("most", f"A page has 1 to {MAX_PAGE} projects.")
        if self.offset < 0:
            raise InvalidInput("offset", "The number of projects before the page is 0 or more.")
        page = self._page(view)
        has_more = len(page) > self.most
        asked = dict(list(page.items())[: self.most])
        shown = by_answers(view, asked).visible
        chosen, params = placeholders(shown)
        found = {each.project.id: each for each in read_projects(view, chosen.strip("()"), **params)[0]}
        return Portfolio(
            lines=tuple(
                _line(view, found[project_id], view.answers[asked[project_id]].held)
                for project_id in shown
                if project_id in found
            ),
            today=view.today,
            next_offset=self.offset + self.most if has_more else None,
        )

    def _page(self, view: Snapshot) -> dict[Id, PermissionQuery]:
        """The projects of the page and, if there are more, the first one after it."""
        most, offset = max(1, min(self.most, MAX_PAGE)) + 1, max(0, self.offset)
        return self.questions(view, most, offset)


def _line(view: Snapshot, found: ProjectRows, held: Collection[str]) -> PortfolioProject:
    return PortfolioProject(
        id=found.project.id,
        summary=summary_of(view, found, held),
        phases=tuple(
            PortfolioPhase(
                each.phase.id, each.number, each.phase.name, each.state, each.phase.gate, each.phase.due, each.tally
            )
            for each in found.phases
        ),
    )
