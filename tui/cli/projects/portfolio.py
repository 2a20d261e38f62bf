"""``podium portfolio`` and ``podium workload``, over all my projects; and ``podium burn-up`` of one."""

from __future__ import annotations

from datetime import timedelta

import click

from core.actions.portfolio.timeline import GetPortfolio, PortfolioProject
from core.actions.portfolio.workload import NOBODY, WEEKS, GetWorkload
from core.actions.workflow.burn_up import GetBurnUp
from core.domain.project_health import HEALTH_WORDS
from core.text.amounts import write_amount
from core.text.dates import in_short
from tui.cli.choices import Number
from tui.cli.message_command import runs
from tui.cli.output import day, say, table
from tui.cli.records import BRAND, CLIENT, LISTED_PROJECT, MARKET, PROJECT
from tui.cli.sentences import Columns
from tui.cli.session import Session

LINKS = tuple(
    record.option(f"--{record.noun}", f"Only projects of this {record.noun}, by name or id.")
    for record in (CLIENT, MARKET, BRAND)
)


@runs("portfolio", *LINKS, ids=True, lists=True)
def portfolio_(session: Session) -> None:
    """List my projects with the phase that each is in, and its dates; --json has all phases."""
    linked = {each.field: each.sent(session[each]) for each in LINKS}
    lines: list[PortfolioProject] = []
    offset: int | None = 0
    while offset is not None:
        page = session.query(GetPortfolio(offset=offset, **linked))
        lines += page.lines
        offset = page.next_offset
    heads = ("PROJECT", "HEALTH", "DONE", "PHASE NOW", "NEXT DUE", "LAST PHASE", "LINKS", "KEY")
    session.list(lines, heads, _project_row, "No projects here.")


def _project_row(line: PortfolioProject) -> tuple[object, ...]:
    summary = line.summary
    return (
        summary.project.name,
        HEALTH_WORDS[summary.health],
        f"{summary.tally.done}/{summary.tally.total}",
        summary.now_in,
        day(summary.next_due),
        day(max((phase.due for phase in line.phases if phase.due), default=None)),
        " / ".join(summary.links),
        summary.project.key,
    )


@runs(
    "workload",
    *LINKS,
    click.Option(["--sum"], metavar="FIELD", default="", help="Add up a custom field by its key, instead of cards."),
    click.Option(["--weeks"], type=Number(), default=WEEKS, help=f"The number of weeks, 1 to 26 (default: {WEEKS})."),
)
def workload_(session: Session, sum: str, weeks: int) -> None:
    """Count the open cards of each person in my projects, by the week in which they are due."""
    linked = {each.field: each.sent(session[each]) for each in LINKS}
    workload = session.query(GetWorkload(weeks=weeks, sum=sum, **linked))
    if session.as_json:
        session.print_result(workload)
        return
    mondays = [workload.monday + timedelta(weeks=number) for number in range(weeks)]
    heads = ("WHO", "LATE", *(in_short(each, workload.today).upper() for each in mondays), "BEYOND", "NO DATE", "ALL")
    rows = [
        (
            line.name if line.user_id != NOBODY else "nobody assigned",
            _write(line.late),
            *(f"!{many}" if not sum and workload.is_over_limit(line, many) else _write(many) for many in line.weeks),
            *map(_write, (line.later, line.undated)),
            write_amount(line.total),
        )
        for line in workload.lines
    ]
    table(heads, rows, "No open cards.")
    if workload.lines and not sum:
        say(f"\n! {workload.describe_limit()}")


def _write(many: int | float) -> str:
    return write_amount(many) if many else ""


@runs(
    "burn-up",
    LISTED_PROJECT,
    click.Option(["--sum"], metavar="FIELD", default="", help="Add up a custom field, by key."),
    lists=True,
)
def burn_up_(session: Session, sum: str) -> None:
    """Show how many cards were to do, in progress and completed at the end of each day, and the forecast."""
    flow = session.query(GetBurnUp(project_id=session[PROJECT].id, sum=sum))
    numbers = ("to_do", "in_progress", "completed", "total")
    columns = Columns("day", *(lambda each, name=name: write_amount(getattr(each, name)) for name in numbers))
    session.list(flow.days, ("DAY", "TO DO", "IN PROGRESS", "COMPLETED", "ALL"), columns, "No cards yet.", answer=flow)
    if flow.outlook and not session.as_json:
        say(f"\n{flow.outlook}")
