"""``podium burn-up``."""

from __future__ import annotations

import click

from core.actions.workflow.burn_up import GetBurnUp
from tui.cli.message_command import runs
from tui.cli.output import say
from tui.cli.records import LISTED_PROJECT, PROJECT
from tui.cli.sentences import Columns
from tui.cli.session import Session


@runs(
    "burn-up", LISTED_PROJECT, click.Option(["--sum"], metavar="FIELD", default="", help="Add up an own field, by key.")
)
def burn_up_(session: Session, sum: str) -> None:
    """Show how many cards were to do, in progress and completed at the end of each day, and the forecast."""
    flow = session.query(GetBurnUp(project_id=session[PROJECT].id, sum=sum))
    columns = Columns("day to_do in_progress completed total")
    session.list(flow.days, ("DAY", "TO DO", "IN PROGRESS", "COMPLETED", "ALL"), columns, "No cards yet.", answer=flow)
    if flow.outlook and not session.as_json:
        say(f"\n{flow.outlook}")
