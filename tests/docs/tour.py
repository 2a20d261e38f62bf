"""The moving picture of the README: a few stills of one session in one animated SVG, ``screenshots/tour.svg``.

Rows that several stills share are written once, so the file is little larger than one still.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from xml.etree import ElementTree

SVG = "{http://www.w3.org/2000/svg}"
LINE = 24.4
"""Height of one row of cells in the SVG of Rich."""
CELL = 12.2
SECONDS = 2.8
"""For which each still is shown."""
FONT = "DejaVu Sans Mono, Menlo, Consolas, monospace"
SPACES = " \xa0\n"


@dataclass(frozen=True)
class Step:
    """The keys before one still, and the caption below it."""

    keys: str
    shown: str
    """The keys as people write them."""
    caption: str
    appears: str
    """What is then on the screen, as a regular expression."""


STEPS = (
    Step("j", "podium", "Your projects, with their progress and next dates", r"▌ ★ Torq T4 drill launch"),
    Step("enter", "enter", "Open one: phases side by side, each with its cards", r"4 Follow-through"),
    Step("l L", "L", "Move a card: not yet. Podium says why, and who can help", r"can unlock it"),
    Step("enter greater_than_sign", ">", "Jump to what blocks it: its gate waits for one more vote", r"Your vote"),
    Step(
        "ctrl+s",
        "ctrl+s",
        "Vote go, the second of three: the next phase opens",
        r"3 Launch week +◐ open",
    ),
    Step("l L", "L", "Now the card moves to In Progress", r"To Do 4"),
    Step("u", "u", "Undo your last change, today or tomorrow", r"To Do 5"),
)
"""One session on the demo's workspace, as its owner Robin; the second project has a gate that waits for a vote."""

STILL = 4
"""The step that is shown where pictures do not move."""


@dataclass
class Frame:
    """The rows of one still, each as SVG elements."""

    rows: dict[float, str] = field(default_factory=dict)
    width: float = 0.0
    height: float = 0.0


def animated(stills: Sequence[str], steps: Sequence[Step] = STEPS) -> str:
    """One SVG that shows the stills, SVGs of Rich of one size, one after the other."""
    styles: dict[str, str] = {}
    frames = [_frame(still, styles) for still in stills]
    width, height = frames[0].width, frames[0].height
    for frame, step in zip(frames, steps, strict=True):
        frame.rows[height] = _caption(step, height)
    groups: dict[tuple[int, ...], list[str]] = {}
    for row in sorted({row for frame in frames for row in frame.rows}):
        for drawn in dict.fromkeys(frame.rows.get(row, "") for frame in frames):
            when = tuple(number for number, frame in enumerate(frames) if frame.rows.get(row, "") == drawn)
            groups.setdefault(when, []).append(drawn)
    body = "\n".join(
        f'<g class="t{n}">' + "\n".join(drawn) + "</g>" for n, drawn in enumerate(groups.values()) if any(drawn)
    )
    rules = "\n".join(_rules(n, when, len(frames)) for n, when in enumerate(groups))
    colours = "\n".join(f".{name} {{ {style} }}" for style, name in styles.items())
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-10 -10 {width + 20:g} {height + 2 * LINE + 16:g}">\n'
        f"<style>\ntext {{ font: 20.26px {FONT}; }}\n{colours}\n{rules}\n"
        f"@media (prefers-reduced-motion: reduce) {{ g {{ animation: none !important; }} }}\n</style>\n"
        f'<rect x="-10" y="-10" width="{width + 20:g}" height="{height + 2 * LINE + 16:g}" rx="8" fill="#14171f"/>\n'
        f"{body}\n</svg>\n"
    )


def _frame(svg: str, styles: dict[str, str]) -> Frame:
    """The rows of one still. Adds its text styles to ``styles``: CSS to the name of a class."""
    css = dict(re.findall(r"\.terminal-\d+-(r\d+) { (.*?) }", svg))
    matrix = next(each for each in ElementTree.fromstring(svg) if "clip-path" in each.attrib)
    frame, rows = Frame(), dict[float, list[str]]()
    for x, y, length, fill in _backgrounds(matrix):
        rows.setdefault(y, []).append(
            f'<rect x="{x:g}" y="{y * LINE:g}" width="{length:g}" height="{LINE + 0.3:g}" fill="{fill}"/>'
        )
        frame.width = max(frame.width, x + length)
        frame.height = max(frame.height, (y + 1) * LINE)
    for text in matrix.iter(f"{SVG}text"):
        words = text.text or ""
        kept = words.strip(SPACES)
        if not kept:
            continue
        style = css[text.attrib["class"].rpartition("-")[2]]
        name = styles.setdefault(style, f"s{len(styles)}")
        before = words.index(kept)
        length = float(text.attrib["textLength"]) - CELL * (len(words) - len(kept))
        x, y = float(text.attrib["x"]) + CELL * before, round((float(text.attrib["y"]) - 20) / LINE)
        rows.setdefault(y, []).append(
            f'<text class="{name}" x="{x:g}" y="{y * LINE + 18.5:g}" textLength="{length:g}">{escape(kept)}</text>'
        )
    frame.rows = {row: "".join(drawn) for row, drawn in rows.items()}
    return frame


def _backgrounds(matrix: ElementTree.Element) -> Iterator[tuple[float, int, float, str]]:
    """Left, row, width and colour of each run of cells with one background."""
    run: tuple[float, int, float, str] | None = None
    for rect in matrix.iter(f"{SVG}rect"):
        x, width, fill = float(rect.attrib["x"]), float(rect.attrib["width"]), rect.attrib["fill"]
        row = round((float(rect.attrib["y"]) - 1.5) / LINE)
        if run and run[1] == row and run[3] == fill and abs(run[0] + run[2] - x) < 1:
            run = (run[0], row, x + width - run[0], fill)
            continue
        if run:
            yield run
        run = (x, row, width, fill)
    if run:
        yield run


def _caption(step: Step, height: float) -> str:
    """The keys in a frame, and the caption beside them."""
    y, width = height + LINE, CELL * len(step.shown) + 20
    return (
        f'<rect x="8" y="{y - 18:g}" width="{width:g}" height="28" rx="5" fill="none" stroke="#7aa2f7"/>'
        f'<text x="18" y="{y + 3:g}" fill="#7aa2f7" textLength="{CELL * len(step.shown):g}">{escape(step.shown)}</text>'
        f'<text x="{width + 26:g}" y="{y + 3:g}" fill="#c8cfdd">{escape(step.caption)}</text>'
    )


def _rules(number: int, when: Sequence[int], count: int) -> str:
    """The CSS of what the stills ``when`` share, of ``count`` stills."""
    if len(when) == count:
        return ""
    seen = [each in when for each in range(count)]
    steps = "".join(
        f"{100 * each / count:.4g}%{{visibility:{'visible' if is_seen else 'hidden'}}}"
        for each, is_seen in enumerate(seen)
        if each == 0 or is_seen != seen[each - 1]
    )
    still = "visible" if STILL in when else "hidden"
    return (
        f".t{number}{{visibility:{still};animation:k{number} {count * SECONDS:g}s step-end infinite}}"
        f"@keyframes k{number}{{{steps}}}"
    )
