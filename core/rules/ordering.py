"""The order of phases, cards, deliverables, criteria and custom fields: fractional ranks, made in the transaction.

A rank between two others gets longer with every few records that are put at the same place. Where ranks get too long,
the records around that place are renumbered (``make_room``). Their other fields and their versions stay, so that no
change of another user is refused. The history stores the old and new ranks in a record of its own, which undo reads
(``Renumberings``).
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from core.domain.fields import CustomField
from core.domain.gate_policy import GateCriterion
from core.domain.gates import Deliverable
from core.domain.model import Id, Item, Phase
from core.domain.products.products import Application
from core.engine.change_records import RecordChange
from core.engine.unit_of_work import Snapshot, UnitOfWork
from core.errors import NotFound
from core.storage.row_mapper import ORDER, table_of

Ordered = TypeVar("Ordered", Phase, Item, Deliverable, GateCriterion, Application, CustomField)

MAX_LENGTH = 50
"""The most characters of a rank. A longer one causes the records around it to be renumbered."""

FRESH = 25
"""The most characters of a rank after a renumbering, so that the next renumbering is far off."""

NEIGHBOURS = 32
"""Records on each side that are renumbered at first; twice as many as long as their ranks would still be long."""


def rank_before(work: UnitOfWork, record: type[Ordered], before_id: Id | None, **among: Id) -> str:
    """Return the rank that puts a record before the one with id ``before_id``, or last for None.

    ``among`` are the columns that records with a common order share. Raises NotFound when ``before_id`` is not one of
    them.
    """
    return ranks_before(work, record, before_id, 1, **among)[0]


def ranks_before(work: UnitOfWork, record: type[Ordered], before_id: Id | None, count: int, **among: Id) -> list[str]:
    """Return ``count`` ranks in order, as ``rank_before`` returns one."""
    following = work.find(record, **among, id=before_id) if before_id else None
    if before_id and following is None:
        raise NotFound("The card or phase to put this before is not here any more.")
    previous = _beside(work, record, among, following, 1)
    found = keys_between(previous[0].rank if previous else None, following.rank if following else None, count)
    if found is None:
        make_room(work, record, following, **among)
        return ranks_before(work, record, before_id, count, **among)
    return found


def first_ranks(count: int) -> list[str]:
    """Return ``count`` ranks in order, for the first records of a list."""
    return keys_between(None, None, count) or []


def keys_between(before: str | None, behind: str | None, count: int, longest: int = MAX_LENGTH) -> list[str] | None:
    """Return ``count`` ranks between two others; None if there are none or they would be longer than ``longest``.

    None for ``before`` or ``behind`` is the beginning or the end.
    """
    from fractional_indexing import FIError, generate_n_keys_between

    try:
        found = [str(key) for key in generate_n_keys_between(before, behind, n=count)]
    except (FIError, RecursionError, LookupError, TypeError, ValueError):  # an imported file may have any text as rank
        return None
    return found if all(len(key) <= longest for key in found) else None


def make_room(work: UnitOfWork, record: type[Ordered], following: Ordered | None, **among: Id) -> dict[Id, str]:
    """Renumber the records around the place before ``following``, or around the end. Returns the new ranks by id.

    It renumbers as few records as give short ranks.
    """
    count = NEIGHBOURS
    while True:
        earlier: list[Ordered] = _beside(work, record, among, following, count + 1)
        later: list[Ordered] = _from(work, record, among, following, count + 1) if following else []
        first: Ordered | None = earlier.pop() if len(earlier) > count else None
        last: Ordered | None = later.pop() if len(later) > count else None
        between: list[Ordered] = earlier[::-1] + later
        found = keys_between(first.rank if first else None, last.rank if last else None, len(between), FRESH)
        if found is not None or (first is None and last is None):
            break
        count *= 2
    fixed = ([first] if first else []) + ([last] if last else [])
    return _renumber(work, record, among, between, found or [], fixed)


def _renumber(
    work: UnitOfWork,
    record: type[Ordered],
    among: dict[str, Id],
    records: Sequence[Ordered],
    keys: Sequence[str],
    fixed: Sequence[Ordered],
) -> dict[Id, str]:
    """Give records new ranks without a new version. ``fixed`` are their neighbours, which keep theirs."""
    new = dict(zip((each.id for each in records), keys, strict=True))
    name = table_of(record).name
    for each, key in new.items():
        work.tx.execute(f"UPDATE {name} SET rank = :rank WHERE id = :id", rank=key, id=each)
    before: dict[str, Any] = {each.id: each.rank for each in (*fixed, *records)}
    after = {each.id: new.get(each.id, each.rank) for each in (*fixed, *records)}
    work.changes.append(RecordChange(ORDER, _key(name, among), before, after))
    return new


class Renumberings:
    """The renumberings since a change, including its own. Those of each list are read once."""

    def __init__(self, view: Snapshot, seq: int) -> None:
        self._view = view
        self._seq = seq
        self._read: dict[str, list[tuple[tuple[int, int], dict[Id, str], dict[Id, str]]]] = {}

    def carry(self, name: str, row: Mapping[str, Any], rank: str, position: int) -> str:
        """Return an earlier rank of a record as it is after the renumberings since.

        ``name`` is the table and ``row`` the columns of the record; ``position`` is the position of the RecordChange
        after which it had the rank. A rank that no record has any more stays between the same two neighbours.
        """
        among = {column: row[column] for column in ("project_id", "phase_id") if column in row}
        for at, before, after in self._of(json.dumps(_key(name, among))):
            if at > (self._seq, position):
                rank = renumbered_rank(row["id"], rank, before, after)
        return rank

    def _of(self, key: str) -> list[tuple[tuple[int, int], dict[Id, str], dict[Id, str]]]:
        if key not in self._read:
            rows = self._view.rows(
                "SELECT seq, position, before, after FROM change_record"
                " WHERE project_id = :scope AND key = :key AND entity = :entity AND seq >= :seq ORDER BY seq, position",
                scope=self._view.scope,
                key=key,
                entity=ORDER,
                seq=self._seq,
            )
            self._read[key] = [
                ((row["seq"], row["position"]), json.loads(row["before"]), json.loads(row["after"])) for row in rows
            ]
        return self._read[key]


def renumbered_rank(record_id: Id, rank: str, before: Mapping[Id, str], after: Mapping[Id, str]) -> str:
    """Return a rank after one renumbering."""
    if before.get(record_id) == rank:
        return after[record_id]
    pairs = sorted((old, after[each]) for each, old in before.items())
    at = bisect_left(pairs, rank, key=lambda pair: pair[0])
    if at < len(pairs) and pairs[at][0] == rank:
        return pairs[at][1]
    left, right = pairs[at - 1] if at else None, pairs[at] if at < len(pairs) else None
    ends = [each for each in (left, right) if each]
    if len(ends) == 1 and ends[0][0] == ends[0][1]:  # outside of the renumbered records
        return rank
    found = keys_between(left[1] if left else None, right[1] if right else None, 1)
    return found[0] if found else ends[0][1]


def _key(name: str, among: Mapping[str, Id]) -> dict[str, Any]:
    return {"table": name, "project_id": among["project_id"], "phase_id": among.get("phase_id", "")}


def _beside(
    work: UnitOfWork, record: type[Ordered], among: dict[str, Id], following: Ordered | None, count: int
) -> list[Ordered]:
    """Return up to ``count`` records before a place, the nearest first; before the end for None."""
    if following is None:
        return work.all(record, f"{_where(among)} ORDER BY rank DESC, id DESC LIMIT {count}", **among)
    return work.all(
        record,
        f"{_where(among)} AND rank <= :rank AND (rank < :rank OR id < :before)"
        f" ORDER BY rank DESC, id DESC LIMIT {count}",
        **among,
        rank=following.rank,
        before=following.id,
    )


def _from(
    work: UnitOfWork, record: type[Ordered], among: dict[str, Id], following: Ordered, count: int
) -> list[Ordered]:
    """Return up to ``count`` records from ``following`` on, in their order."""
    return work.all(
        record,
        f"{_where(among)} AND rank >= :rank AND (rank > :rank OR id >= :before) ORDER BY rank, id LIMIT {count}",
        **among,
        rank=following.rank,
        before=following.id,
    )


def _where(among: dict[str, Id]) -> str:
    return " AND ".join(f"{column} = :{column}" for column in among)
