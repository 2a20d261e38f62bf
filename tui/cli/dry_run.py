"""The answer of --dry-run: the records that a command would change, before and after."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from core.codec.encoding import to_json
from core.domain.readiness import NAMED
from core.record import replace
from core.text.phrases import count, names, some
from tui.cli.output import line, print_json, print_line, say, table

if TYPE_CHECKING:
    from core.engine.dry_run import DryRun


def join_dry_runs(found: Sequence[DryRun]) -> DryRun:
    """The dry runs of several commands as one."""
    return replace(
        found[0],
        summary=names([each.summary for each in found if each.summary]),
        changes=tuple(change for each in found for change in each.changes),
        values=tuple(value for each in found for value in each.values),
        more_values=sum(each.more_values for each in found),
        more_changes=sum(each.more_changes for each in found),
        refused=tuple(step for each in found for step in each.refused),
    )


def show(
    found: DryRun,
    *,
    as_json: bool,
    ids_only: bool,
    preview: Callable[[], object] | None = None,
    document: Callable[[], object] | None = None,
) -> None:
    """Print a dry run: as JSON, as ids, or for people as a table.

    The ``preview`` of a command is printed for people instead, and its ``document`` for programs.
    """
    if as_json:
        print_json(to_json(found) if document is None else document())
    elif ids_only:
        for each in found.changes:
            if isinstance(name := (each.after or each.before or {}).get("id"), str):
                print_line(name)
    else:
        if preview is None:
            _print_table(found)
        else:
            preview()
        if found.more_changes:
            say(f"… and {found.more_changes:,} more {'record' if found.more_changes == 1 else 'records'}.")
        print("Nothing was changed.", file=sys.stderr)
    if not as_json:
        for refused in found.refused:
            can_help = f" {some(refused.who_can, NAMED)} can help." if refused.who_can else ""
            print(line(f"“{refused.title}”: {refused.reason}{can_help}"), file=sys.stderr)


def _print_table(found: DryRun) -> None:
    if found.summary:
        say(f"In the history: {found.summary}")
    rows = [(each.what, each.field, each.before or "none", each.after or "none") for each in found.values]
    nothing = "No value would change." if found.changes else "Nothing would change."
    table(("RECORD", "FIELD", "BEFORE", "AFTER"), rows, nothing)
    if found.more_values:
        which = "the first" if found.more_changes else "all"
        say(f"… and {count(found.more_values, 'row')} more; --json prints {which} records.")
