"""Health, forecast and progress: all answers agree on them after any steps, and archived work stays done."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as some

from core.actions.cards.cards import ArchiveCard, MoveCard, RestoreCard, SetCardDueDate
from core.actions.history.history import Redo, Undo
from core.actions.projects.digest import GetProjectDigest
from core.actions.projects.exports import GetStatusReport
from core.actions.projects.lists import GetProject, ListProjects, ProjectSummary
from core.actions.projects.project_health import ExplainHealth
from core.actions.workflow.burn_up import GetBurnUp
from core.actions.workflow.canvas import GetCanvas
from core.actions.workflow.phases import SetPhaseDueDate
from core.domain.model import Health, Item, Phase, Status
from core.domain.project_health import Risk
from core.domain.statuses import ItemCounts
from core.engine.messages import Command
from core.errors import PodiumError
from core.reports.status_report import to_markdown
from tests.support.prepared import new_world
from tests.support.workspace import Clock, World

Step = tuple[str, int, int]
"""A verb, the number of a task or phase, and days from today."""


class Played:
    """A project of three phases and six tasks, and what has been done in it."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.phases: tuple[Phase, ...] = (world.discover, world.build, world.launch)
        self.tasks: list[Item] = [world.task(f"Card {number}", self.phases[number % 3]) for number in range(6)]
        self.verbs: dict[str, Callable[[int, int], Command[Any]]] = {
            "due": lambda task, days: SetCardDueDate(card_id=self.tasks[task].id, due=self.day(days)),
            "phase due": lambda phase, days: SetPhaseDueDate(phase_id=self.phases[phase % 3].id, due=self.day(days)),
            "start": lambda task, _: MoveCard(card_id=self.tasks[task].id, status=Status.IN_PROGRESS),
            "complete": lambda task, _: MoveCard(card_id=self.tasks[task].id, status=Status.COMPLETED),
            "archive": lambda task, _: ArchiveCard(card_id=self.tasks[task].id),
            "restore": lambda task, _: RestoreCard(card_id=self.tasks[task].id),
            "undo": lambda *_: Undo(project_id=world.project.id),
            "redo": lambda *_: Redo(project_id=world.project.id),
        }

    def day(self, days: int) -> date:
        return self.world.engine.clock().date() + timedelta(days=days)

    def do(self, step: Step) -> None:
        verb, number, days = step
        if verb == "wait":
            clock = self.world.engine.clock
            assert isinstance(clock, Clock)
            clock.forward(days=max(0, days))
            return
        done_before = self.counts().done
        status = self.world.status(self.tasks[number])
        with suppress(PodiumError):
            self.world.do(self.verbs[verb](number, days))
        if verb == "archive" and status == Status.COMPLETED:
            assert self.counts().done == done_before

    def counts(self) -> ItemCounts:
        return self.world.ask(GetProject(project_id=self.world.project.id)).tally

    def assert_agreed(self) -> None:
        """The list, the project, its preview, the Canvas, the charts, the report and the reasons say the same."""
        ask, project_id = self.world.ask, self.world.project.id
        why = ask(ExplainHealth(project_id=project_id))
        report = ask(GetStatusReport(project_id=project_id))
        digest = ask(GetProjectDigest(project_id=project_id))
        canvas = ask(GetCanvas(project_id=project_id)).head
        charts = ask(GetBurnUp(project_id=project_id))
        lines: list[ProjectSummary] = [
            *(line for line in ask(ListProjects()).lines if line.project.id == project_id),
            ask(GetProject(project_id=project_id)),
            digest.summary,
            report.line,
        ]
        assert {why.health, canvas.health, *(line.health for line in lines)} == {why.health}
        tallies = [canvas.tally, *(line.tally for line in lines)]
        assert len({(tally.done, tally.total) for tally in tallies}) == 1
        assert charts.forecast == why.forecast == report.explanation.forecast
        assert charts.outlook == why.outlook
        assert all(reason.sentence in to_markdown(report) for reason in why.reasons)
        assert bool(why.reasons) == (why.health in (Health.AT_RISK, Health.OVERDUE))
        assert (Risk.LATE_FORECAST in {reason.risk for reason in why.reasons}) == why.forecast.is_late
        if charts.days:
            assert (charts.days[-1].completed, charts.days[-1].total) == (canvas.tally.done, canvas.tally.total)
        created = self.world.row("project", id=project_id)["created_at"][:10]
        if self.world.engine.clock().date().isoformat() <= created:
            assert why.health is not Health.AT_RISK


VERBS = (
    "wait",
    "wait",
    "due",
    "phase due",
    "complete",
    "complete",
    "start",
    "archive",
    "archive",
    "restore",
    "undo",
    "redo",
)
STEPS = some.lists(
    some.tuples(some.sampled_from(VERBS), some.integers(0, 5), some.integers(-3, 12)), min_size=6, max_size=14
)


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck), database=None)
@example([("phase due", 2, 12), ("wait", 0, 8), ("complete", 0, 0), ("archive", 0, 0), ("wait", 0, 12)])
@example([("due", 0, 2), ("phase due", 0, 1), ("start", 1, 0), ("wait", 0, 1), ("undo", 0, 0), ("redo", 0, 0)])
@given(STEPS)
def test_all_answers_agree_on_health_forecast_and_progress(steps: list[Step]) -> None:
    folder = Path(tempfile.mkdtemp())
    world = new_world(folder / "podium.db")
    try:
        played = Played(world)
        played.assert_agreed()
        for step in steps:
            played.do(step)
            played.assert_agreed()
    finally:
        world.database.close()
        shutil.rmtree(folder)
