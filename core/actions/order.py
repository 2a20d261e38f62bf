"""The user-set order of phases, cards and deliverables: fractional keys, made inside the write transaction."""

from __future__ import annotations

from typing import TypeVar

from core.errors import NotFound
from core.model import Deliverable, Id, Item, Phase
from core.products import Application
from core.work import Work

Ordered = TypeVar("Ordered", Phase, Item, Deliverable, Application)


def rank_at(work: Work, record: type[Ordered], before_id: Id | None, **among: Id) -> str:
    """The key that puts a record before another one, or last for None.

    ``among`` are the columns that tell which records are ordered together. Raises NotFound when ``before_id`` is
    not one of them. When two neighbours hold the same key (or one that has no room), all are given new keys.
    """
    from fractional_indexing import FIError, generate_key_between

    where = " AND ".join(f"{column} = :{column}" for column in among)
    if before_id is None:
        last = work.all(record, f"{where} ORDER BY rank DESC, id DESC LIMIT 1", **among)
        return str(generate_key_between(last[0].rank if last else None, None))
    following = work.find(record, **among, id=before_id)
    if following is None:
        raise NotFound("The card or phase to put this before is not here any more.")
    previous = work.all(
        record,
        f"{where} AND (rank < :rank OR (rank = :rank AND id < :before)) ORDER BY rank DESC, id DESC LIMIT 1",
        **among,
        rank=following.rank,
        before=before_id,
    )
    try:
        return str(generate_key_between(previous[0].rank if previous else None, following.rank))
    except FIError:
        _renew(work, record, where, among)
        return rank_at(work, record, before_id, **among)


def _renew(work: Work, record: type[Ordered], where: str, among: dict[str, Id]) -> None:
    from fractional_indexing import generate_n_keys_between

    records = work.all(record, f"{where} ORDER BY rank, id", **among)
    for each, rank in zip(records, generate_n_keys_between(None, None, n=len(records)), strict=True):
        work.update(each, rank=rank)
