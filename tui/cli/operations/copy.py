"""``podium copy``."""

from __future__ import annotations

import contextlib
from datetime import UTC, datetime

import click

from core.config import ON_THE_COMMAND_LINE, RULES
from core.errors import Cancelled, DatabaseMoved, InvalidInput
from core.net.database_url import DatabasePlace, DatabaseUrl, database_place
from core.storage.opening import open_database
from tui.cli.output import INTERRUPTED, print_json, print_line
from tui.cli.progress_bar import watched
from tui.cli.session import wants_json


@click.command("copy")
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def copy_(context: click.Context, source: str, target: str, as_json: bool) -> int | None:
    """Move the workspace FROM a file or a database TO a new file or an empty database of PostgreSQL.

    A file is named by its path, a database by postgresql://ROLE@HOST/DATABASE with the role that owns it. The copy is
    compared with the original; then the original is marked as moved, and nobody can change it any more. Stop servers
    and quit every Podium on it first. Ctrl+c stops the copy, and nothing is changed.
    """
    from core.codec.encoding import to_json
    from core.engine.large_projects import sweep
    from core.storage.copying import copy_workspace

    place, new = _place("source", source), _place("target", target)
    try:
        with watched("Copying") as progress:
            with contextlib.suppress(DatabaseMoved), contextlib.closing(open_database(place)) as database:
                sweep(database, progress)
            copied = copy_workspace(place, new, datetime.now(UTC), progress)
    except Cancelled as stopped:
        click.echo(str(stopped), err=True)
        return INTERRUPTED
    if as_json or wants_json(context):
        print_json(to_json(copied))
    else:
        rows = sum(each.rows for each in copied.tables.values())
        print_line(f"Copied {rows:,} rows in {len(copied.tables)} tables. Number and SHA-256 of each table are equal.")
        print_line(f"The workspace is in {copied.target} now. The old one, {copied.source}, is marked as moved.")
    return None


def _place(name: str, text: str) -> DatabasePlace:
    """The path or the URL that an argument names. Raises InvalidInput, also for a URL with a password."""
    try:
        place = database_place(text)
    except ValueError:
        raise InvalidInput(name, f"This is no place of a workspace. Use {RULES['db'].allowed}.") from None
    if isinstance(place, DatabaseUrl) and place.has_password:
        raise InvalidInput(name, ON_THE_COMMAND_LINE)
    return place
