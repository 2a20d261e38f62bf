"""``podium backup`` and ``podium restore``."""

from __future__ import annotations

import os
from pathlib import Path

import click

from core.errors import InvalidInput
from tui.cli.output import print_json, print_line
from tui.cli.session import require_local_file, wants_json, workspace_options


@click.command("backup")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Replace an existing file.")
@workspace_options
@click.pass_context
def backup_(context: click.Context, file: Path, force: bool) -> None:
    """Copy the whole workspace to FILE while others go on working, and check the copy."""
    from core.storage.backups import backup
    from core.storage.sqlite import SqliteDatabase

    database = SqliteDatabase(require_local_file(context))
    try:
        made = backup(database, file, replace=force)
    finally:
        database.close()
    if wants_json(context):
        print_json({"file": str(made), "bytes": made.stat().st_size})
    else:
        print_line(f"The backup is in {made} ({made.stat().st_size:,} bytes), checked.")


@click.command("restore")
@click.argument("file", type=click.Path(path_type=Path))
@workspace_options
@click.pass_context
def restore_(context: click.Context, file: Path) -> None:
    """Replace the workspace by the backup FILE; the old workspace is kept beside it."""
    from core.storage.restoring import restore

    target = require_local_file(context)
    if os.path.exists(file) and os.path.exists(target) and file.samefile(target):
        raise InvalidInput("file", f"{file} is the workspace itself. Name a backup of it.")
    kept = restore(file, target)
    if wants_json(context):
        print_json({"db": str(target), "kept": str(kept) if kept else None})
    else:
        print_line(f"Restored {target}." + (f" What stood there is in {kept}." if kept else ""))
