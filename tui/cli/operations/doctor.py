"""``podium doctor``."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

from core.config import Config
from core.diagnostics.local import diagnose_local
from core.diagnostics.postgres import diagnose_database
from core.diagnostics.sign_in_paths import socket_of
from core.domain.finding import Finding, Verdict
from tui.cli.options import workspace_options
from tui.cli.output import GREEN, RED, YELLOW, colour_text, line, print_json
from tui.cli.session import config_of, wants_json

MARKS = {Verdict.GOOD: ("ok  ", GREEN), Verdict.NOTE: ("note", YELLOW), Verdict.BAD: ("BAD ", RED)}

DAMAGED = 5
"""The exit status when something must be done."""


@click.command("doctor")
@click.option(
    "--socket",
    type=click.Path(path_type=Path, readable=False),
    help="Check the socket of the server on this machine too.",
)
@workspace_options("--db", "--server", "--json")
@click.pass_context
def doctor_(context: click.Context, socket: Path | None) -> int:
    """Check the workspace or its server, and this terminal.

    Items are counted again where the kept numbers are wrong. Exit status 5 when something must be done.
    """
    findings = (*_findings(config_of(context)), *(socket_of(socket) if socket else ()))
    if wants_json(context):
        from core.codec.encoding import collection

        print_json(collection(findings))
    else:
        width = max(len(finding.what) for finding in findings)
        for finding in findings:
            mark, colour = MARKS[finding.verdict]
            print(f"{colour_text(mark, colour)}  {line(finding.what):{width}}  {line(finding.found)}")
    return DAMAGED if any(finding.verdict is Verdict.BAD for finding in findings) else 0


def _findings(config: Config) -> tuple[Finding, ...]:
    if not config.server:
        return diagnose_local(config.db) if isinstance(config.db, Path) else diagnose_database(config.db)
    from core.diagnostics.server import diagnose_server
    from core.net.bearer_tokens import server_token
    from core.net.server_address import server_address

    server = server_address(config.server)
    token = server_token(server, config.token_file)
    return asyncio.run(diagnose_server(server, token.secret if token else None))
