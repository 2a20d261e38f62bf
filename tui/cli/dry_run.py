"""The answer of --dry-run: the records that a command would change, before and after."""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from core.codec.encoding import to_json
from core.errors import PodiumError
from core.record import replace
from core.text.phrases import count, in_words, names
from tui.cli.output import line, print_json, print_line, say, table

if TYPE_CHECKING:
    from core.engine.dry_run import DryRun, RecordDifference

Ask = Callable[[Any], Any]
"""Answers a query."""

MAX_ROWS = 200
"""The most rows that are printed for people; --json prints all records."""

MAX_CELL = 60
"""The most characters of a value in a row."""

NOUNS = {"app_user": "person", "hierarchy_node": "", "item": ""}
"""Names of kinds of records, where the name of the table is not the word; "" where the record has its own kind."""

UNSEEN = frozenset({"version", "rank"})
"""Fields without a meaning for people. Where only the rank differs, the row says that the order does."""


def joined(found: Sequence[DryRun]) -> DryRun:
    """The dry runs of several commands as one."""
    first, *others = found
    return replace(
        first,
        summary=names([each.summary for each in found if each.summary]),
        changes=first.changes + tuple(change for each in others for change in each.changes),
        refused=first.refused + tuple(step for each in others for step in each.refused),
    )


def show(
    found: DryRun, query: Ask, *, as_json: bool, ids_only: bool, preview: Callable[[], object] | None = None
) -> None:
    """Print a dry run: as JSON, as ids, or for people as a table, or by the ``preview`` of a command."""
    if as_json:
        print_json(to_json(found))
    elif ids_only:
        for each in found.changes:
            if isinstance(name := _fields(each).get("id"), str):
                print_line(name)
    else:
        if preview is None:
            _print_table(found, _names_of_ids(query, found.changes))
        else:
            preview()
        print("Nothing was changed.", file=sys.stderr)
    if not as_json:
        for refused in found.refused:
            can_help = f" {names(refused.who_can)} can help." if refused.who_can else ""
            print(line(f"“{refused.title}”: {refused.reason}{can_help}"), file=sys.stderr)


def _names_of_ids(query: Ask, changes: Sequence[RecordDifference]) -> dict[str, str]:
    """The names of the people and phases that changed records name by their ids, as far as the user can see them."""
    from core.actions.workflow.phases import ListPhases
    from core.actions.workspace.users import ListUsers

    records = [each for change in changes for each in (change.before, change.after) if each]
    known: dict[str, str] = {}
    if any(name in record for record in records for name in ("assigneeId", "userId")):
        with contextlib.suppress(PodiumError):
            known |= {summary.user.id: summary.user.name for summary in query(ListUsers())}
    for project_id in {record["projectId"] for record in records if "phaseId" in record}:
        with contextlib.suppress(PodiumError):
            known |= {each.phase.id: each.phase.name for each in query(ListPhases(project_id=project_id))}
    return known


def _print_table(found: DryRun, known: Mapping[str, str]) -> None:
    if found.summary:
        say(f"In the history: {found.summary}")
    rows = [row for change in found.changes for row in _rows(change, known)]
    table(("RECORD", "FIELD", "BEFORE", "AFTER"), rows[:MAX_ROWS], "Nothing would change.")
    if len(rows) > MAX_ROWS:
        say(f"… and {count(len(rows) - MAX_ROWS, 'row')} more; --json prints all.")


def _rows(change: RecordDifference, known: Mapping[str, str]) -> Iterator[Sequence[str]]:
    record = f"{_noun(change)} {_title(change, known)}"
    if change.before is None:
        yield f"new {record}", "", "", ""
    elif change.after is None:
        yield f"deleted {record}", "", "", ""
    else:
        before, after = change.before, change.after
        differing = [name for name in after if before[name] != after[name] and name not in UNSEEN]
        order = [name for name in ("rank",) if not differing and before.get(name) != after.get(name)]
        for name in differing:
            yield record, _words(name), _shown(before[name], known), _shown(after[name], known)
        if order:
            yield record, "order", "", ""


def _fields(change: RecordDifference) -> dict[str, Any]:
    return change.after or change.before or {}


def _noun(change: RecordDifference) -> str:
    return NOUNS.get(change.entity, in_words(change.entity)) or in_words(str(_fields(change)["kind"]))


def _title(change: RecordDifference, known: Mapping[str, str]) -> str:
    """The name of the record for people, or of its person; else its id."""
    fields = change.before or change.after or {}
    if change.entity == "app_user":
        return f"“{fields['firstName']} {fields['lastName']}”"
    named = next((str(fields[name]) for name in ("title", "name", "label", "text") if fields.get(name)), "")
    return f"“{_cut(named)}”" if named else known.get(str(fields.get("userId")), str(fields.get("id", "")))


def _words(name: str) -> str:
    """``assigneeId`` as "assignee"."""
    return re.sub(r"[A-Z]", lambda letter: f" {letter[0].lower()}", name.removesuffix("Id"))


def _shown(value: Any, known: Mapping[str, str]) -> str:
    if value is None or value in ("", []):
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return _cut(", ".join(_shown(each, known) for each in value))
    text = known.get(str(value), str(value))
    return in_words(text) if re.fullmatch(r"[A-Z]{2,}(_[A-Z]+)*", text) else _cut(text)


def _cut(text: str) -> str:
    text = line(text)
    return text if len(text) <= MAX_CELL else f"{text[: MAX_CELL - 1]}…"
