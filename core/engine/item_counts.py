"""The number of items of each phase in each status, kept with the project, so that no list and no lock counts items.

The row of the project in ``feed`` has them as JSON: by the id of the phase, a number for each status. It is one row for
all phases, because PostgreSQL takes a transaction that reads several rows of a page for one that reads the whole page:
writers of different projects on one page would then conflict. ``UnitOfWork`` keeps them with every item that it writes;
``recount`` is for items that were written otherwise.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from core.domain.model import Id, Status
from core.domain.statuses import NO_ITEMS, ItemCounts
from core.errors import DatabaseDamaged
from core.storage.database import Statement, Tx

Counts = Mapping[Id, ItemCounts]
"""Item counts by the id of the phase; phases without items are absent."""

ITEM_COUNTS = "SELECT item_counts FROM feed WHERE id = :project_id"
KEEP_COUNTS = "UPDATE feed SET item_counts = :counts WHERE id = :project_id"
COUNT_ITEMS = "SELECT project_id, phase_id, status, count(*) FROM item"

ONE: Mapping[str, ItemCounts] = {status: ItemCounts(**{status.lower(): 1}) for status in Status}
ONE_LESS: Mapping[str, ItemCounts] = {status: ItemCounts(**{status.lower(): -1}) for status in Status}


class WrittenItems:
    """The items that a unit of work adds to the item counts of projects, and takes from them."""

    def __init__(self, read: Callable[[Id], Counts]) -> None:
        """``read`` returns the counts of a project as they are in the database."""
        self._read = read
        self._stored: dict[Id, Counts] = {}
        self._more: dict[Id, dict[Id, ItemCounts]] = {}

    def count(self, row: Mapping[str, Any], by: Mapping[str, ItemCounts]) -> None:
        """Add an item to the counts, or take it from them; ``by`` is ONE or ONE_LESS."""
        more = self._more.setdefault(row["project_id"], {})
        more[row["phase_id"]] = more.get(row["phase_id"], NO_ITEMS) + by[row["status"]]

    def counts(self, project_id: Id) -> Counts:
        """The counts of a project with the items written by now."""
        if project_id not in self._stored:
            self._stored[project_id] = self._read(project_id)
        return added(self._stored[project_id], self._more.get(project_id, {}))

    def stored(self, project_id: Id, text: str) -> None:
        """Take the counts of a project that were read with its row, which saves a statement."""
        if project_id in self._more:
            self._stored.setdefault(project_id, loaded(text))

    def saved(self) -> dict[Id, dict[Id, ItemCounts]]:
        """The items written by now, for ``restore``."""
        return {project_id: {**counts} for project_id, counts in self._more.items()}

    def restore(self, saved: dict[Id, dict[Id, ItemCounts]]) -> None:
        """Forget what was written after ``saved``, since it was rolled back."""
        self._more = saved

    def statements(self) -> list[Statement]:
        """The statements that keep the counts of projects whose items were written."""
        return [
            (KEEP_COUNTS, {"project_id": project_id, "counts": dumped(self.counts(project_id))})
            for project_id, more in self._more.items()
            if any(tally != NO_ITEMS for tally in more.values())
        ]


def loaded(text: str) -> dict[Id, ItemCounts]:
    """The counts that are stored as this text. Raises DatabaseDamaged."""
    try:
        return {phase_id: ItemCounts(*numbers) for phase_id, numbers in json.loads(text).items()}
    except (ValueError, TypeError, AttributeError) as error:
        raise DatabaseDamaged(
            f"The numbers of items “{text[:60]}” in the table feed cannot be read. “podium restore” restores a backup; "
            "the file is kept."
        ) from error


def dumped(counts: Counts) -> str:
    """The text as which counts are stored."""
    numbers = {
        phase_id: (tally.to_do, tally.in_progress, tally.completed, tally.archived)
        for phase_id, tally in sorted(counts.items())
    }
    return json.dumps(numbers, separators=(",", ":"))


def added(counts: Counts, more: Counts) -> dict[Id, ItemCounts]:
    """The sums of two counts, where ``more`` can have numbers below zero."""
    sums = {phase_id: counts.get(phase_id, NO_ITEMS) + more.get(phase_id, NO_ITEMS) for phase_id in {**counts, **more}}
    return {phase_id: tally for phase_id, tally in sums.items() if tally != NO_ITEMS}


def recount(tx: Tx, project_id: Id) -> None:
    """Count the items of a project and keep the numbers."""
    rows = tx.tuples(
        f"{COUNT_ITEMS} WHERE project_id = :project_id GROUP BY project_id, phase_id, status", project_id=project_id
    )
    tx.execute(KEEP_COUNTS, project_id=project_id, counts=dumped(_by_project(rows).get(project_id, {})))


def miscounted(tx: Tx) -> list[Id]:
    """The projects whose kept numbers are not those of their items."""
    kept = {project_id: loaded(text) for project_id, text in tx.tuples("SELECT id, item_counts FROM feed")}
    counted = _by_project(tx.tuples(f"{COUNT_ITEMS} GROUP BY project_id, phase_id, status"))
    return sorted(project_id for project_id in kept if kept[project_id] != counted.get(project_id, {}))


def _by_project(rows: Iterable[tuple[Id, Id, str, int]]) -> dict[Id, dict[Id, ItemCounts]]:
    found: dict[Id, dict[Id, dict[str, int]]] = {}
    for project_id, phase_id, status, number in rows:
        found.setdefault(project_id, {}).setdefault(phase_id, {})[status.lower()] = number
    return {
        project_id: {phase_id: ItemCounts(**numbers) for phase_id, numbers in phases.items()}
        for project_id, phases in found.items()
    }
