"""A frame of the board, and the differences of two frames."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, groupby

from rich.segment import Segment

from core.record import Record
from tui.drawing.styles import Row


class FrameStrip(Record, kw_only=False):
    """A vertical strip of the frame: a column, its rail, or the blank beside the last column."""

    x: int
    width: int
    rows: list[Row]


def differences(old: Sequence[FrameStrip], new: Sequence[FrameStrip]) -> Iterator[tuple[int, int, int, int]]:
    """Rectangles (x, y, width, height) in which two frames of the same slots differ, at most one on each line.

    Textual sends a line from the widget's left edge to the right edge of a rectangle (``ChopsUpdate`` crops only
    there), so a second rectangle on a line would send the first one again.
    """
    spans: dict[int, tuple[int, int]] = {}
    for before, after in zip(old, new, strict=True):
        if before.rows == after.rows:  # decided by identity, line by line, before any segment is compared
            continue
        for y, (one, other) in enumerate(zip(before.rows, after.rows, strict=True)):
            if one is not other:
                spans[y] = spans.get(y, (after.x, 0))[0], after.x + after.width
    y = 0
    for span, lines in groupby(map(spans.get, range(len(new[0].rows) if new else 0))):
        height = len(list(lines))
        if span is not None:
            yield span[0], y, span[1] - span[0], height
        y += height


def same_slots(old: Sequence[FrameStrip], new: Sequence[FrameStrip]) -> bool:
    """True if two frames have the same slots, so that they can be compared line by line."""
    shape = [(slot.x, slot.width, len(slot.rows)) for slot in old]
    return shape == [(slot.x, slot.width, len(slot.rows)) for slot in new]


def line_of(frame: Sequence[FrameStrip], y: int, finished: Callable[[Row], Row]) -> list[Segment]:
    """The segments of one line of a frame; ``finished`` converts each row."""
    return list(chain.from_iterable(finished(slot.rows[y]) for slot in frame))
