"""``podium burn-up``."""

from __future__ import annotations

import click

from core.actions.workflow.burn_up import BurnUpDay, GetBurnUp
from tui.cli import resolve
from tui.cli.output import day
from tui.cli.session import Session, in_workspace


@click.command("burn-up")
@click.argument("project")
@in_workspace
def burn_up_(session: Session, project: str) -> None:
    """How many cards were to do, in progress and completed at the end of each day: what the charts draw."""
    flow = session.query(GetBurnUp(project_id=resolve.project_id(session, project)))
    session.list(flow.days, ("DAY", "TO DO", "IN PROGRESS", "COMPLETED", "ALL"), _row, "No cards yet.", answer=flow)


def _row(line: BurnUpDay) -> tuple[object, ...]:
    return day(line.day), line.to_do, line.in_progress, line.completed, line.total
