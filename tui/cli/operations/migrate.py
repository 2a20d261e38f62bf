"""``podium migrate``."""

from __future__ import annotations

from pathlib import Path

import click

from tui.cli.options import workspace_options
from tui.cli.output import print_json, print_line
from tui.cli.session import require_database, wants_json


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
