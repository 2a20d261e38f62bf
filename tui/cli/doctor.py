"""``podium doctor``."""

from __future__ import annotations

import click

from core.diagnosis import Verdict, examine
from tui.cli.output import GREEN, RED, YELLOW, coloured, line, print_json
from tui.cli.session import config_of, place_options, wants_json

MARKS = {Verdict.GOOD: ("ok  ", GREEN), Verdict.NOTE: ("note", YELLOW), Verdict.BAD: ("BAD ", RED)}

DAMAGED = 5
"""The exit status when something must be done."""


@click.command("doctor")
@place_options
@click.pass_context
def doctor_(context: click.Context) -> int:
    """Check SQLite, the workspace's file and this terminal; exit status 5 when something must be done."""
    findings = examine(config_of(context).db)
    if wants_json(context):
        from core.wire import collection

        print_json(collection(findings))
    else:
        width = max(len(finding.what) for finding in findings)
        for finding in findings:
            mark, colour = MARKS[finding.verdict]
            print(f"{coloured(mark, colour)}  {line(finding.what):{width}}  {line(finding.found)}")
    return DAMAGED if any(finding.verdict is Verdict.BAD for finding in findings) else 0
