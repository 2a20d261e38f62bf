"""New ids: unique, and in the order in which they were made."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from core.storage import ulids
from core.storage.ulids import LENGTH, LETTERS, new_ulid


@pytest.fixture(autouse=True)
def _nothing_made_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ulids, "_newest", 0)


def test_ids_of_one_millisecond_sort_in_the_order_in_which_they_were_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two notifications of one moment stand in this order in the inbox."""
    monkeypatch.setattr(ulids, "time_ns", lambda: 4_000_000_000_000_000_000)
    made = [new_ulid() for _ in range(1_000)]
    assert made == sorted(set(made))
    assert all(len(each) == LENGTH and set(each) <= {*LETTERS} for each in made)


def test_ids_go_on_from_the_newest_where_the_clock_is_set_back(monkeypatch: pytest.MonkeyPatch) -> None:
    before = new_ulid()
    monkeypatch.setattr(ulids, "time_ns", lambda: 1_000_000_000_000_000_000)
    assert new_ulid() > before


def test_ids_of_threads_differ() -> None:
    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(lambda _: new_ulid(), range(4_000)))
    assert len(set(made)) == len(made)
