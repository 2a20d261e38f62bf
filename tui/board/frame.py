"""A frame of the board, and where two frames differ."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from rich.segment import Segment

from tui.board.look import Row


class Slot(NamedTuple):
    """A vertical strip of the frame: a column, its rail, or the blank beside the last one."""

    x: int
    width: int
    rows: list[Row]


def differences(old: Sequence[Slot], new: Sequence[Slot]) -> Iterator[tuple[int, int, int, int]]:
    """Rectangles (x, y, width, height) in which two frames of the same slots differ."""
    for before, after in zip(old, new, strict=True):
        start = None
        for y, (one, other) in enumerate(zip(before.rows, after.rows, strict=True)):
            if one is not other and start is None:
                start = y
            elif one is other and start is not None:
                yield after.x, start, after.width, y - start
                start = None
        if start is not None:
            yield after.x, start, after.width, len(after.rows) - start


def same_slots(old: Sequence[Slot], new: Sequence[Slot]) -> bool:
    """Whether two frames can be compared line by line."""
    shape = [(slot.x, slot.width, len(slot.rows)) for slot in old]
    return shape == [(slot.x, slot.width, len(slot.rows)) for slot in new]


def line_of(frame: Sequence[Slot], y: int, finished: Callable[[Row], Row]) -> list[Segment]:
    """The segments of one line of a frame, each row as ``finished`` makes it."""
    return list(chain.from_iterable(finished(slot.rows[y]) for slot in frame))
