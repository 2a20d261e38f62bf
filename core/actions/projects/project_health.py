"""Explaining the health of a project: the reasons as sentences, each with the cards and phases behind it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any

from core.domain.model import Health, Id, Phase, PhaseState, Status
from core.domain.permissions import Permission
from core.domain.phase_states import Workflow
from core.domain.project_health import (
    AT_RISK_WITHIN,
    RISKS,
    Forecast,
    ProjectDates,
    Risk,
    forecast,
    forecast_sentence,
    health,
    health_sentence,
    is_overdue,
    is_soon,
)
from core.engine.messages import ProjectQuery
from core.engine.unit_of_work import Snapshot
from core.errors import OBSTACLES_LISTED
from core.reads.project_state import read_dates
from core.record import COLLECTION, Record, field
from core.text.phrases import count, some


class ItemAtRisk(Record):
    """A card or a phase behind the health of a project."""

    id: Id
    kind: str
    """TASK, ACTIVITY or PHASE."""
    title: str
    phase: str
    due: date | None
    open_cards: int = 0
    """The cards of a phase that are neither completed nor archived; 0 for a card."""
    status: Status | None = None
    """The status of a card."""


class HealthReason(Record):
    """A reason why a project is overdue or at risk, as a sentence, with the cards and phases behind it."""

    risk: Risk
    sentence: str
    items: tuple[ItemAtRisk, ...]
    """The first 20, the earliest due date first; the sentence has their number."""


class HealthExplanation(Record):
    """The health of a project as a sentence, its reasons, the most urgent first, and its forecast."""

    project: str
    health: Health
    summary: str
    reasons: tuple[HealthReason, ...] = field(name=COLLECTION)
    forecast: Forecast
    outlook: str
    """The forecast as a sentence; empty for a project that is archived or complete, or has no open card."""


class ExplainHealth(ProjectQuery[HealthExplanation]):
    """Explain the health of a project: each reason as a sentence, with the cards and phases behind it."""

    route = "GET /v1/projects/{project_id}/health"
    permission = Permission.PROJECT_VIEW

    def run(self, view: Snapshot) -> HealthExplanation:
        project, workflow, dates = read_dates(view, self.project_id)
        reasons = [] if dates.finished else [*_of_cards(view, self.project_id, dates), *_of_phases(workflow, dates)]
        return HealthExplanation(
            project=project.name,
            health=health(dates),
            summary=health_sentence(project.name, project.archived, dates),
            reasons=tuple(sorted(reasons, key=lambda reason: RISKS.index(reason.risk))),
            forecast=forecast(dates),
            outlook=forecast_sentence(dates),
        )


def _of_cards(view: Snapshot, project_id: Id, dates: ProjectDates) -> Iterator[HealthReason]:
    """The reasons that are due dates of cards."""
    given = {"project_id": project_id, "today": dates.today.isoformat(), "most": OBSTACLES_LISTED}
    soon = {**given, "soon": (dates.today + AT_RISK_WITHIN).isoformat()}
    late, near = view.tx.tuples_all([(_CARDS.format(which=_LATE), given), (_CARDS.format(which=_NEAR), soon)])
    if late:
        one = late[0][-1] == 1
        sentence = f"{count(late[0][-1], 'open card')} {'is past its due date' if one else 'are past their due dates'}."
        yield HealthReason(risk=Risk.CARDS_OVERDUE, sentence=sentence, items=_cards(late))
    if near and dates.first_day_over:
        verb = "is" if near[0][-1] == 1 else "are"
        sentence = f"{count(near[0][-1], 'card')} {verb} due within three days and not started."
        yield HealthReason(risk=Risk.CARDS_SOON, sentence=sentence, items=_cards(near))


def _cards(rows: Sequence[tuple[Any, ...]]) -> tuple[ItemAtRisk, ...]:
    return tuple(
        ItemAtRisk(id=item_id, kind=kind, title=title, phase=phase, due=date.fromisoformat(due), status=Status(status))
        for item_id, kind, title, phase, due, status, _ in rows
    )


_CARDS = (
    "SELECT item.id, item.kind, item.title, phase.name, item.due, item.status, count(*) OVER () FROM item"
    " JOIN phase ON phase.project_id = item.project_id AND phase.id = item.phase_id"
    " WHERE item.project_id = :project_id AND {which} ORDER BY item.due, item.rank, item.id LIMIT :most"
)
_LATE = "item.status IN ('TO_DO', 'IN_PROGRESS') AND item.due < :today"
_NEAR = "item.status = 'TO_DO' AND item.due BETWEEN :today AND :soon"


def _of_phases(workflow: Workflow, dates: ProjectDates) -> Iterator[HealthReason]:
    """The reasons that are due dates of phases, and the forecast."""
    incomplete = [phase for phase in workflow.phases if workflow.state(phase.id) is not PhaseState.COMPLETE]
    late = [phase for phase in incomplete if is_overdue(phase.due, dates.today)]
    near = [phase for phase in incomplete if is_soon(phase.due, dates) and workflow.tally(phase.id).to_do]
    for risk, phases, sentence in (
        (
            Risk.PHASES_OVERDUE,
            late,
            f"{_phases_as_subject(late)} past {'its due date' if len(late) == 1 else 'their due dates'}.",
        ),
        (
            Risk.PHASES_SOON,
            near,
            f"{_phases_as_subject(near)} due within three days, with {_describe_unstarted(near, workflow)}.",
        ),
        (Risk.LATE_FORECAST, incomplete if forecast(dates).is_late else [], forecast_sentence(dates)),
    ):
        if phases:
            items = tuple(
                ItemAtRisk(
                    id=phase.id,
                    kind="PHASE",
                    title=phase.name,
                    phase=phase.name,
                    due=phase.due,
                    open_cards=workflow.tally(phase.id).open,
                )
                for phase in phases[:OBSTACLES_LISTED]
            )
            yield HealthReason(risk=risk, sentence=sentence, items=items)


def _phases_as_subject(phases: Sequence[Phase]) -> str:
    """The phases as the subject of a sentence, with its verb."""
    return f"{some([f'“{phase.name}”' for phase in phases], 3)} {'is' if len(phases) == 1 else 'are'}"


def _describe_unstarted(phases: Sequence[Phase], workflow: Workflow) -> str:
    number = sum(workflow.tally(phase.id).to_do for phase in phases)
    return f"{count(number, 'card')} that {'is' if number == 1 else 'are'} not started"
