"""A chart of Podium beside other boards, from the table of the page of the benchmark: an SVG, dark or light.

Times are on a logarithmic scale, because they span four powers of ten.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path

from textual.theme import Theme

from tests.benchmarks.peers.page import NAMES, PODIUM, times_on_page
from tests.support.paths import ROOT
from tui.drawing.theme import DARK, LIGHT

PAGE = ROOT / "tests" / "benchmarks" / "README.md"

CHARTS = {"peers": DARK, "peers-light": LIGHT}
"""The charts by the names of their files."""

CARDS = 1_000
WIDTH = 960
LEFT, RIGHT = 270, 110
"""The room for words on both sides of the bars."""
TOP, BAR, BETWEEN = 64, 16, 18
FONT = "DejaVu Sans Mono, Menlo, Consolas, monospace"


def draw_charts(folder: Path, names: list[str]) -> list[Path]:
    """Write the charts of these names into a folder. Return their files."""
    times = times_on_page(PAGE.read_text(), CARDS)
    written = []
    for name in names:
        path = folder / f"{name}.svg"
        path.write_text(chart(times, CHARTS[name]))
        written.append(path)
    return written


def chart(times: Mapping[str, Mapping[str, float]], theme: Theme) -> str:
    """The chart of some milliseconds, by what is done and by program."""
    height = TOP + sum(len(bars) * BAR + BETWEEN for bars in times.values()) + 24
    colours = dict(zip((PODIUM, *NAMES), (theme.primary, str(theme.foreground), str(theme.secondary)), strict=True))
    longest = max(ms for bars in times.values() for ms in bars.values())
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}">',
        f'<rect width="{WIDTH}" height="{height}" fill="{theme.background}"/>',
        f'<g font-family="{FONT}" font-size="13" fill="{theme.foreground}">',
        f'<text x="16" y="26" font-size="15">Milliseconds at {CARDS:,} cards, on a logarithmic scale</text>',
        *_legend(colours),
        *_bars(times, colours, longest),
        "</g>",
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _legend(colours: Mapping[str, str]) -> Iterator[str]:
    x = 16
    for name, colour in colours.items():
        yield f'<rect x="{x}" y="38" width="12" height="12" fill="{colour}"/>'
        yield f'<text x="{x + 18}" y="49">{escape(name)}</text>'
        x += 40 + 9 * len(name)


def _bars(times: Mapping[str, Mapping[str, float]], colours: Mapping[str, str], longest: float) -> Iterator[str]:
    y = TOP + BETWEEN // 2
    for what, bars in times.items():
        yield f'<text x="{LEFT - 12}" y="{y + len(bars) * BAR / 2 + 5:g}" text-anchor="end">{escape(what)}</text>'
        for name, ms in bars.items():
            width = (WIDTH - LEFT - RIGHT) * math.log10(max(ms, 1.0)) / math.log10(longest)
            yield f'<rect x="{LEFT}" y="{y}" width="{width:.1f}" height="{BAR - 2}" fill="{colours[name]}"/>'
            yield f'<text x="{LEFT + width + 8:.1f}" y="{y + 12}">{_short(ms)}</text>'
            y += BAR
        y += BETWEEN


def _short(ms: float) -> str:
    return f"{ms / 1000:.1f} s" if ms >= 1_000 else f"{ms:.3g} ms"
