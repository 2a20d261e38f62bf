"""The numbers that are kept with a project, so that no list and no lock counts items and none reads the history: its
items by phase and status, the last number of a card, and the items completed on each day.

They are JSON in the row of the project in ``feed``. It is one row for all phases, because PostgreSQL takes a
transaction that reads several rows of a page for one that reads the whole page: writers of different projects on one
page would then conflict. ``UnitOfWork`` keeps them with every item that it writes; ``recount`` is for items that were
written otherwise.

Items completed, less those reopened, are the pace of the work, by the date in UTC. An item created or imported as
completed does not count, because it was not completed on that day.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime, timedelta
from typing import Any

from core.domain.model import ChangeKind, Id, Item, Status
from core.domain.project_health import PACE_DAYS
from core.domain.statuses import NO_ITEMS, ItemCounts, is_done
from core.errors import DatabaseDamaged
from core.storage.database import Row, Statement, Tx

Counts = Mapping[Id, ItemCounts]
"""Item counts by the id of the phase; phases without items are absent."""

ITEM_COUNTS = "SELECT item_counts FROM feed WHERE id = :project_id"
KEEP_COUNTS = "UPDATE feed SET item_counts = :counts WHERE id = :project_id"
LAST_NUMBER = "SELECT last_number FROM feed WHERE id = :project_id"
KEEP_NUMBER = "UPDATE feed SET last_number = :number WHERE id = :project_id AND last_number < :number"
COUNT_ITEMS = "SELECT project_id, phase_id, status, archived_from, count(*) FROM item"
BY_STATUS = "GROUP BY project_id, phase_id, status, archived_from"


class WrittenItems:
    """The items that a unit of work adds to the item counts of projects, and takes from them; and their numbers."""

    def __init__(self, read: Callable[[str, Id], Any]) -> None:
        """``read`` returns the value that a statement finds in the row of a project; None without a row."""
        self._read = read
        self._stored: dict[Id, Counts] = {}
        self._stored_completions: dict[Id, str] = {}
        self._stored_numbers: dict[Id, int] = {}
        self._more: dict[Id, dict[Id, ItemCounts]] = {}
        self._completed: dict[Id, int] = {}
        self._numbers: dict[Id, int] = {}
        self._written: set[Id] = set()
        """The projects whose counts were written together with the seq."""

    def next_number(self, project_id: Id) -> int:
        """The number of the next card of a project."""
        if project_id not in self._stored_numbers:
            self._stored_numbers[project_id] = self._read(LAST_NUMBER, project_id) or 0
        return max(self._stored_numbers[project_id], self._numbers.get(project_id, 0)) + 1

    def write(self, before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> None:
        """Count an item whose row was written; None stands for no row."""
        for row, sign in ((before, -1), (after, 1)):
            if row is not None:
                more = self._more.setdefault(row["project_id"], {})
                more[row["phase_id"]] = more.get(row["phase_id"], NO_ITEMS) + _of(row, sign)
        if before is None and after is not None and after["number"]:
            self._numbers[after["project_id"]] = max(self._numbers.get(after["project_id"], 0), after["number"])
        if before is not None and after is not None and (more_done := _is_done(after) - _is_done(before)):
            project_id = after["project_id"]
            self._completed[project_id] = self._completed.get(project_id, 0) + more_done

    def counts(self, project_id: Id) -> Counts:
        """The counts of a project with the items written by now."""
        if project_id not in self._stored:
            self._stored[project_id] = counts_in(self._read(ITEM_COUNTS, project_id) or "{}")
        return sum_counts(self._stored[project_id], self._more.get(project_id, {}))

    def with_seq(self, project_id: Id) -> dict[str, str]:
        """The counts of a project as its column, where they can be written together with the seq of the change.

        That saves a statement wherever they were read before, as by a rule of phases.
        """
        if project_id not in self._stored or not self._differ(project_id):
            return {}
        self._written.add(project_id)
        return {"item_counts": counts_text(self.counts(project_id))}

    def remember(self, project_id: Id, rows: Iterable[Row]) -> Row:
        """Take the numbers of the one row of a project in ``feed``, which saves a statement. Returns the row.

        Raises DatabaseDamaged if it is missing.
        """
        row = next(iter(rows), None)
        if row is None:
            raise DatabaseDamaged(
                f"The row of “{project_id}” in the table feed is missing. “podium restore” restores a backup."
            )
        if project_id in self._more:
            if project_id not in self._stored:
                self._stored[project_id] = counts_in(row["item_counts"])
            self._stored_completions[project_id] = row["completions"]
        return row

    def copy(self) -> tuple[dict[Id, dict[Id, ItemCounts]], dict[Id, int], dict[Id, int]]:
        """The items written by now, for ``restore``."""
        counts = {project_id: {**counts} for project_id, counts in self._more.items()}
        return counts, {**self._completed}, {**self._numbers}

    def restore(self, saved: tuple[dict[Id, dict[Id, ItemCounts]], dict[Id, int], dict[Id, int]]) -> None:
        """Forget what was written after ``copy``, since it was rolled back."""
        self._more, self._completed, self._numbers = saved

    def statements(self, today: date) -> list[Statement]:
        """The statements that keep the numbers of projects whose items were written; ``today`` is the date in UTC."""
        return [
            *(
                (KEEP_COUNTS, {"project_id": project_id, "counts": counts_text(self.counts(project_id))})
                for project_id in self._more
                if project_id not in self._written and self._differ(project_id)
            ),
            *(
                (KEEP_COMPLETIONS, {"project_id": project_id, "completions": self._completions(project_id, today)})
                for project_id, number in self._completed.items()
                if number
            ),
            *(
                (KEEP_NUMBER, {"project_id": project_id, "number": number})
                for project_id, number in self._numbers.items()
            ),
        ]

    def _differ(self, project_id: Id) -> bool:
        return any(tally != NO_ITEMS for tally in self._more.get(project_id, {}).values())

    def _completions(self, project_id: Id, today: date) -> str:
        stored = self._stored_completions.get(project_id) or self._read(COMPLETIONS, project_id)
        return with_completed(stored, today, self._completed[project_id])


def _of(row: Mapping[str, Any], number: int) -> ItemCounts:
    """The counts of ``number`` items with the status of this one."""
    return ItemCounts(
        **{row["status"].lower(): number},
        **({"archived_completed": number} if row["status"] == Status.ARCHIVED and _is_done(row) else {}),
    )


def _is_done(row: Mapping[str, Any]) -> bool:
    return is_done(row["status"], row["archived_from"])


def counts_in(text: str) -> dict[Id, ItemCounts]:
    """The counts that are stored as this text. Raises DatabaseDamaged."""
    try:
        return {phase_id: ItemCounts(*numbers) for phase_id, numbers in json.loads(text).items()}
    except (ValueError, TypeError, AttributeError) as error:
        raise DatabaseDamaged(
            f"The numbers of items “{text[:60]}” in the table feed cannot be read. “podium restore” restores a backup; "
            "the file is kept."
        ) from error


def counts_text(counts: Counts) -> str:
    """The text as which counts are stored."""
    numbers = {
        phase_id: (tally.to_do, tally.in_progress, tally.completed, tally.archived, tally.archived_completed)
        for phase_id, tally in sorted(counts.items())
    }
    return json.dumps(numbers, separators=(",", ":"))


def sum_counts(counts: Counts, more: Counts) -> dict[Id, ItemCounts]:
    """The sums of two counts, where ``more`` can have numbers below zero."""
    sums = {phase_id: counts.get(phase_id, NO_ITEMS) + more.get(phase_id, NO_ITEMS) for phase_id in {**counts, **more}}
    return {phase_id: tally for phase_id, tally in sums.items() if tally != NO_ITEMS}


HIGHEST_NUMBER = "SELECT max(number + 0) FROM item WHERE project_id = :project_id"
"""The highest number of a card in a project. Without + 0, SQLite would walk over the numbers of all other projects."""

GIVEN_AGAIN = (
    "SELECT feed.id FROM feed JOIN (SELECT project_id, max(number) AS number FROM item GROUP BY project_id) AS last"
    " ON last.project_id = feed.id WHERE feed.last_number < last.number"
)
"""The projects that would give a number of a card again."""


def recount(tx: Tx, project_id: Id) -> None:
    """Count the items of a project and keep the numbers, and that of the last card."""
    rows = tx.tuples(f"{COUNT_ITEMS} WHERE project_id = :project_id {BY_STATUS}", project_id=project_id)
    tx.execute(KEEP_COUNTS, project_id=project_id, counts=counts_text(_by_project(rows).get(project_id, {})))
    [(highest,)] = tx.tuples(HIGHEST_NUMBER, project_id=project_id)
    tx.execute(KEEP_NUMBER, project_id=project_id, number=highest or 0)


def recount_wrong(tx: Tx) -> None:
    """Count the items of each project again whose kept numbers are wrong."""
    for project_id in list_miscounted(tx):
        recount(tx, project_id)


def list_miscounted(tx: Tx) -> list[Id]:
    """The projects whose kept numbers are not those of their items, or that would give a number of a card again."""
    kept = {project_id: counts_in(text) for project_id, text in tx.tuples("SELECT id, item_counts FROM feed")}
    counted = _by_project(tx.tuples(f"{COUNT_ITEMS} {BY_STATUS}"))
    return sorted(
        {project_id for (project_id,) in tx.tuples(GIVEN_AGAIN)}
        | {project_id for project_id in kept if kept[project_id] != counted.get(project_id, {})}
    )


def _by_project(rows: Iterable[tuple[Id, Id, str, str | None, int]]) -> dict[Id, dict[Id, ItemCounts]]:
    """The counts in the rows of COUNT_ITEMS, by project and phase."""
    found: dict[Id, dict[Id, ItemCounts]] = {}
    for project_id, phase_id, status, archived_from, number in rows:
        phases = found.setdefault(project_id, {})
        of_rows = _of({"status": status, "archived_from": archived_from}, number)
        phases[phase_id] = phases.get(phase_id, NO_ITEMS) + of_rows
    return found


KEPT_DAYS = PACE_DAYS + 2
"""The days that are kept: those of the pace, and one more at each end for people in other time zones."""

COMPLETIONS = "SELECT completions FROM feed WHERE id = :project_id"
KEEP_COMPLETIONS = "UPDATE feed SET completions = :completions WHERE id = :project_id"
NONE_YET = "{}"
"""The text of a project in which nothing was completed lately."""


def completed_since(text: str, day: date) -> int:
    """The items completed after ``day``, by the text that is stored. Raises DatabaseDamaged."""
    return (
        0 if text == NONE_YET else sum(number for at, number in _completions_in(text).items() if at > day.isoformat())
    )


def with_completed(text: str, day: date, number: int) -> str:
    """The text with ``number`` more items completed on a day, and without the days that no pace needs any more."""
    numbers = _completions_in(text)
    numbers[day.isoformat()] = numbers.get(day.isoformat(), 0) + number
    return completions_text(numbers.items(), day)


def completion_by(item: object, changes: Mapping[str, Any], by: Id, now: datetime, kind: ChangeKind) -> dict[str, Any]:
    """Return who completes an item with these changes, and when.

    Both are empty for an open item, and after an undo for which the history does not have them.
    """
    if not isinstance(item, Item) or "status" not in changes or "completed_at" in changes:
        return {}
    is_now = is_done(changes["status"], changes.get("archived_from", item.archived_from))
    if is_now and is_done(item.status, item.archived_from):
        return {}
    known = is_now and kind is ChangeKind.DO
    return {"completed_by": by if known else None, "completed_at": now if known else None}


def completions_text(numbers: Iterable[tuple[str, int]], today: date) -> str:
    """The text as which the numbers of completed items are stored, by day."""
    first = (today - timedelta(days=KEPT_DAYS)).isoformat()
    return json.dumps({day: number for day, number in sorted(numbers) if number and day > first}, separators=(",", ":"))


def _completions_in(text: str) -> dict[str, int]:
    try:
        return {day: int(number) for day, number in json.loads(text).items()}
    except (ValueError, TypeError, AttributeError) as error:
        raise DatabaseDamaged(
            f"The completed items “{text[:60]}” in the table feed cannot be read. “podium restore” restores a backup; "
            "the file is kept."
        ) from error
