"""Statuses: their transitions and counts, and the progress that follows from them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as some

from core.domain.model import Status
from core.domain.statuses import TRANSITIONS, ItemCounts, is_done

EMPTY, OPEN, ARCHIVED = ItemCounts(), ItemCounts(to_do=1, completed=2), ItemCounts(archived=1)


def test_progress_counts_open_cards_and_those_that_are_done() -> None:
    assert EMPTY.progress == 0.0
    assert ARCHIVED.progress == 0.0
    assert ItemCounts(to_do=1, in_progress=1, completed=2, archived=5).progress == 0.5
    assert OPEN + ItemCounts(archived=1, in_progress=2) == ItemCounts(1, 2, 2, 1)
    assert (OPEN.total, OPEN.open, OPEN.any, EMPTY.any, ARCHIVED.any) == (3, 1, True, False, True)
    tidied = ItemCounts(to_do=1, archived=3, archived_completed=2)
    assert (tidied.done, tidied.total, tidied.progress) == (2, 3, 2 / 3)


@given(some.lists(some.sampled_from([*Status]), min_size=1, max_size=8), some.data())
def test_completing_a_card_or_archiving_a_completed_one_never_lowers_the_progress(
    statuses: list[Status], data: some.DataObject
) -> None:
    def counted(cards: list[tuple[Status, Status | None]]) -> ItemCounts:
        found = ItemCounts()
        for status, archived_from in cards:
            done = int(is_done(status, archived_from) and status is Status.ARCHIVED)
            found += ItemCounts(**{status.lower(): 1}, archived_completed=done)
        return found

    cards: list[tuple[Status, Status | None]] = [
        (status, data.draw(some.sampled_from([*TRANSITIONS][:3])) if status is Status.ARCHIVED else None)
        for status in statuses
    ]
    for place, (status, _) in enumerate(cards):
        before = counted(cards).progress
        if status is Status.COMPLETED:
            assert counted([*cards[:place], (Status.ARCHIVED, status), *cards[place + 1 :]]).progress == before
        elif status is not Status.ARCHIVED:
            assert counted([*cards[:place], (Status.COMPLETED, None), *cards[place + 1 :]]).progress > before


def test_the_transitions_are_those_of_the_specification() -> None:
    table = {
        "TO_DO": "IN_PROGRESS COMPLETED ARCHIVED",
        "IN_PROGRESS": "TO_DO COMPLETED ARCHIVED",
        "COMPLETED": "IN_PROGRESS TO_DO ARCHIVED",
        "ARCHIVED": "",
    }
    assert {Status(name): {Status(word) for word in words.split()} for name, words in table.items()} == TRANSITIONS
