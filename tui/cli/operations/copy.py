"""``podium copy`` moves a workspace to another database, and ``podium migrate`` brings a database forward."""

from __future__ import annotations

import contextlib
from datetime import UTC, datetime
from pathlib import Path

import click

from core.config import ON_THE_COMMAND_LINE, RULES
from core.errors import Cancelled, DatabaseMoved, InvalidInput
from core.net.database_url import DatabasePlace, DatabaseUrl, database_place
from core.storage.opening import open_database
from tui.cli.options import workspace_options
from tui.cli.output import INTERRUPTED, print_json, print_line, show_progress
from tui.cli.session import require_database, wants_json


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
        with show_progress("Copying") as progress:
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


@click.command("migrate")
@workspace_options("--db", "--json")
@click.pass_context
def migrate_(context: click.Context) -> None:
    """Bring the tables of a database of PostgreSQL to the form of this Podium, or make those of an empty one.

    Only the role that owns the tables can do it. Servers never do: after an upgrade, run this before they start. A file
    is brought forward by the first program that opens it, so this only opens it.
    """
    from core.storage.opening import driver_of_postgres, open_database
    from core.storage.schema.migrations import SCHEMA_VERSION

    place = require_database(context).db
    if isinstance(place, Path):
        number = 0
        open_database(place).close()
    else:
        with driver_of_postgres():
            from core.storage.postgres.migrating import migrate_database
        number = migrate_database(place.secret)
    if wants_json(context):
        print_json({"db": str(place), "migrations": number, "schema": SCHEMA_VERSION})
    else:
        print_line(f"{place} has the form of this Podium, schema {SCHEMA_VERSION}. Migrations run: {number}.")
