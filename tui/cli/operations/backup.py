"""``podium backup`` and ``podium restore``."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import click

from core.errors import InvalidInput
from core.net.database_url import DatabasePlace
from core.storage.opening import driver_of_postgres, open_database
from core.text.phrases import names
from tui.cli.options import workspace_options
from tui.cli.output import agree, print_json, print_line
from tui.cli.session import require_database, wants_json


@click.command("backup")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Replace an existing file.")
@workspace_options("--db", "--json")
@click.pass_context
def backup_(context: click.Context, file: Path, force: bool) -> None:
    """Copy the whole workspace to FILE while others go on working, and check the copy."""
    made = _backup(require_database(context).db, file, force)
    if wants_json(context):
        print_json({"file": str(made), "bytes": made.stat().st_size})
    else:
        print_line(f"The backup is in {made} ({made.stat().st_size:,} bytes), checked.")


def _backup(db: DatabasePlace, file: Path, force: bool) -> Path:
    from core.engine.large_projects import sweep

    if not isinstance(db, Path):
        with driver_of_postgres():
            from core.storage.postgres.dumps import dump

        with contextlib.closing(open_database(db)) as server:
            sweep(server)
        return dump(db.secret, file, replace=force)
    from core.storage.backups import backup
    from core.storage.sqlite.database import SqliteDatabase

    database = SqliteDatabase(db)
    try:
        sweep(database)
        return backup(database, file, replace=force)
    finally:
        database.close()


@click.command("restore")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--yes", is_flag=True, help="Do not ask where the workspace was moved away.")
@workspace_options("--db", "--json")
@click.pass_context
def restore_(context: click.Context, file: Path, yes: bool) -> None:
    """Replace the workspace by the backup FILE; the old workspace is kept beside it.

    In PostgreSQL, the backup is put into an empty database. Where the workspace was moved away with “podium copy”, it
    asks first, because there are two of the workspace then.
    """
    target = require_database(context).db
    kept = _restore(file, target, yes)
    if wants_json(context):
        print_json({"db": str(target), "kept": [str(each) for each in kept]})
    else:
        there = names([str(each) for each in kept])
        print_line(f"Restored {target}." + (f" What was there is kept as {there}." if kept else ""))


def _restore(file: Path, target: DatabasePlace, yes: bool) -> list[Path]:
    """Restore a backup. Returns the paths under which it keeps what was there.

    Before there are two workspaces, the file and the one that was moved away from there, it asks; with ``yes``, it
    only says where the other one is.
    """
    if not isinstance(target, Path):
        with driver_of_postgres():
            from core.storage.postgres.dumps import restore_dump

        restore_dump(file, target.secret)
        return []
    from core.storage.restoring import mark_at, restore

    if os.path.exists(file) and os.path.exists(target) and file.samefile(target):
        raise InvalidInput("file", f"{file} is the workspace itself. Name a backup of it.")
    if mark := mark_at(target):
        two = f"{mark.sentence} Restored here, there would be two of it, with different changes."
        try:
            if yes:
                click.echo(two, err=True)
            else:
                agree(f"{two} Restore it?")
        except InvalidInput:
            raise InvalidInput("yes", f"{two} Without a terminal, add --yes if you mean it.") from None
    return restore(file, target)
