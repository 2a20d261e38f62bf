"""The pages of a PDF that Chromium printed: where each piece of text is, and whether the edge of a page cuts it."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from typing import NamedTuple

ASCENT, DESCENT = 0.72, 0.2
"""The height of letters above and below their baseline, as parts of the size of a font."""

Matrix = tuple[float, float, float, float, float, float]


class PrintedText(NamedTuple):
    """A piece of text; all in points from the lower left corner of its page."""

    x: float
    baseline: float
    size: float

    def is_cut_at(self, edge: float) -> bool:
        """Return whether a horizontal edge goes through the letters."""
        return self.baseline - DESCENT * self.size < edge < self.baseline + ASCENT * self.size


class PrintedPage(NamedTuple):
    """A page, its size in points, and its texts."""

    width: float
    height: float
    texts: list[PrintedText]


def pages_of(pdf: bytes) -> list[PrintedPage]:
    """Return the pages of a PDF in the form in which Chromium writes it."""
    found = []
    for page in re.findall(rb"/Type /Page\n.*?endobj", pdf, re.DOTALL):
        ((width, height),) = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", page)
        (number,) = re.findall(rb"/Contents (\d+) 0 R", page)
        (stream,) = re.findall(rb"\n%s 0 obj\n.*?stream\r?\n(.*?)endstream" % number, pdf, re.DOTALL)
        content = zlib.decompressobj().decompress(stream).decode("latin-1")  # that of an empty page is empty
        found.append(PrintedPage(float(width), float(height), [*_texts(content)]))
    return found


def _texts(content: str) -> Iterator[PrintedText]:
    at: Matrix = (1, 0, 0, 1, 0, 0)
    stack: list[Matrix] = []
    size = 0.0
    for line in content.splitlines():
        *values, operator = line.split() or [""]
        if operator == "q":
            stack.append(at)
        elif operator == "Q":
            at = stack.pop()
        elif operator == "cm":
            at = _multiply(tuple(map(float, values)), at)
        elif operator == "Tf":
            size = float(values[-1])
        elif operator == "Tm":
            _, _, _, scale, x, y = _multiply(tuple(map(float, values)), at)
            yield PrintedText(x, y, size * abs(scale))


def _multiply(first: tuple[float, ...], second: Matrix) -> Matrix:
    a, b, c, d, e, f = first
    g, h, i, j, k, m = second
    return (a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + m)
