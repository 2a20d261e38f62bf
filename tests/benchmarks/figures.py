"""The table: each line says what was measured, how it follows from the notes, and what it should reach."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tests.benchmarks.notes import Notes, NotMeasured

MISSED = "NO"


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the table; it is reached when ``figure`` is at most ``limit``, or with ``least`` at least that."""

    what: str
    limit: float
    unit: str
    figure: Callable[[Notes], float]
    samples: str
    """The notes to show beside it as they are: median and count."""
    goal: float | None = None
    """The figure to come to, where the limit only holds the present one."""
    least: bool = False

    def row(self, notes: Notes) -> tuple[str, str, str, str, str, str]:
        """The cells of the line: name, figure, limit, whether it is met, goal, and a note on the samples."""
        to_reach, goal = self._bound(self.limit), "" if self.goal is None else self._bound(self.goal)
        try:
            figure = self.figure(notes)
        except NotMeasured:
            return self.what, "–", to_reach, "not measured", goal, ""
        met = figure >= self.limit if self.least else figure <= self.limit
        count = len(notes.of(self.samples))
        return (
            self.what,
            f"{_short(figure)} {self.unit}".rstrip(),
            to_reach,
            "" if math.isinf(self.limit) else "yes" if met else MISSED,
            goal,
            ", ".join(filter(None, [f"{notes.median(self.samples):.4g}, n={count}", notes.largest(self.samples)])),
        )

    def row_of_page(self, notes: Notes) -> str:
        """The line in the table of a page; the figure is bold where it misses its target."""
        target = f"{self.limit:g}" + ("" if self.goal is None else f", goal {self.goal:g}")
        _, figure, _, met, _, _ = self.row(notes)
        figure = figure.removesuffix(self.unit).strip()
        figure = f"**{figure}**" if met == MISSED else figure
        return f"| {' | '.join([self.what, figure, self.unit, target])} |"

    def _bound(self, bound: float) -> str:
        """A limit in words; infinity is none."""
        return "" if math.isinf(bound) else f"{'≥' if self.least else '≤'} {bound:g} {self.unit}".rstrip()

    def is_measured(self, notes: Notes) -> bool:
        return self.row(notes)[3] != "not measured"


def _short(figure: float) -> str:
    return f"{figure:,.0f}" if figure >= 100 else f"{figure:.2f}"


def ratio(name: str, to: str = "hello key") -> tuple[Callable[[Notes], float], str]:
    return lambda notes: notes.ratio(name, to), name


def beyond(name: str, of: str) -> tuple[Callable[[Notes], float], str]:
    return lambda notes: notes.median(name) - notes.median(of), name


def median(name: str) -> tuple[Callable[[Notes], float], str]:
    return lambda notes: notes.median(name), name


def p95(name: str) -> tuple[Callable[[Notes], float], str]:
    return lambda notes: notes.p95(name), name


def worst(name: str) -> tuple[Callable[[Notes], float], str]:
    return lambda notes: notes.of(name)[-1], name


HELLO = "× hello"

PLAIN = "× 10,000 plain cards"

BEHIND = {"behind": ("Unix socket", 4), "behind TLS": ("TLS on the loopback", 5)}
"""The ways to a server, by the runs that take them, each with the goal of a move."""

START = ratio("100 start", "hello start")

LINES = (
    Line("open 100 cards out of 1,000,000: exec to full first paint", 1.35, HELLO, *START, goal=1.15),
    Line(
        "open 100 cards out of 1,000,000: instructions to full first paint",
        1.2,
        HELLO,
        *ratio("100 instructions", "hello instructions"),
    ),
    *(
        line
        for cards in (100, 1_000, 10_000)
        for line in (
            Line(f"cursor down or right, {cards:,} cards", 1.3, HELLO, *ratio(f"{cards} cursor"), goal=1.2),
            Line(f"scroll by a column, {cards:,} cards", 2, HELLO, *ratio(f"{cards} columns"), goal=1.7),
            Line(f"scroll by half a page, {cards:,} cards", 2, HELLO, *ratio(f"{cards} page"), goal=1.2),
            Line(
                f"move a card to the next status, durable, {cards:,} cards",
                3,
                HELLO,
                *ratio(f"{cards} move"),
                goal=2.6,
            ),
        )
    ),
    Line("turn the wheel, 10,000 cards", 2, HELLO, *ratio("wheel")),
    Line("hover, 10,000 cards", 2, HELLO, *ratio("hover")),
    Line("drag, 10,000 cards", 2, HELLO, *ratio("drag")),
    Line("scroll by half a page, Timeline of 200 phases", 2, HELLO, *ratio("timeline page"), goal=1.5),
    Line("scroll in time, Timeline of 200 phases", 2, HELLO, *ratio("timeline time"), goal=1.5),
    Line("type in the search box, 1,000,000 cards", 2, HELLO, *ratio("search key")),
    Line("slowest of 400 keys, 10,000 cards", 12, HELLO, *ratio("10000 slowest")),
    Line("the same to its slowest of 400", 3, HELLO, *ratio("10000 slowest", "hello slowest"), goal=1.5),
    Line("bytes of a cursor move, 120×40", 1_000, "B", *median("10000 cursor bytes")),
    Line("bytes of a move of a card, 120×40", 16_000, "B", *median("10000 move bytes")),
    Line("memory of its own (USS), 10,000 cards", 2, HELLO, *ratio("10000 unique", "hello unique"), goal=1.7),
    Line("memory of its own (USS), 1,000 cards", 2, HELLO, *ratio("1000 unique", "hello unique"), goal=1.3),
    Line("memory in all (RSS), 10,000 cards", 2, HELLO, *ratio("10000 resident", "hello resident")),
    Line("open 10,000 cards with labels and dependencies", 1.05, PLAIN, *ratio("linked start", "10000 start")),
    Line("cursor move among them", 1.05, PLAIN, *ratio("linked cursor", "10000 cursor")),
    Line("move one of them to the next status, durable", 1.05, PLAIN, *ratio("linked move", "10000 move")),
    Line("memory of its own (USS) with them", 1.05, PLAIN, *ratio("linked unique", "10000 unique")),
    Line("idle, of a core", 1, "%", *median("idle percent")),
    Line("idle, processor time in a second beyond hello's", 10, "ms", *beyond("idle ms", "hello idle ms"), goal=2),
    Line("idle, to the terminal", 0, "B", *worst("idle bytes")),
    Line("another process's change on screen, p95", 300, "ms", *p95("news")),
    Line("core: Canvas of 1,000 out of 1,000,000, p50", 8, "ms", *median("core canvas")),
    Line("core: one move, durable, p50", 1, "ms", *median("core move")),
    Line("core: search of 1,000,000 as a member of 54 projects, p50", 15, "ms", *median("core search")),
    Line("core: search of 1,000,000 as a member of 54 projects, p95", 70, "ms", *p95("core search")),
    *(
        Line(f"open a card with 300 long comments, {name}, processor time, p95", 0.3, "s", *p95(f"long card, {name}"))
        for name in ("plain", "signs")
    ),
    Line("filter on a custom field over 10,000 cards, p95", 15, "ms", *p95("filter on a field")),
    Line("My work, 300 items in 50 of 10,000 projects, p95", 5, "ms", *p95("my work")),
    Line("those of them that can start, p95", 5, "ms", *p95("ready")),
    Line("Inbox, the same, p95", 5, "ms", *p95("inbox")),
    Line("count of the inbox, the same, p95", 2, "ms", *p95("inbox count")),
    Line("Portfolio, a page of a member of 10,000 projects, p95", 15, "ms", *p95("portfolio page")),
    Line("Portfolio, the last page of the same, p95", 10, "ms", *p95("last portfolio page")),
    Line("Workload, 60,000 open cards in 10,000 projects, p95", 500, "ms", *p95("workload")),
    Line("core: template of 12 phases, 200 tasks to project, p50", 100, "ms", *median("template used")),
    Line("import of 10,000 tasks and 2,000 comments, slowest", 5_000, "ms", *worst("import")),
    Line("import: longest time without a word of progress", 1_500, "ms", *worst("import silence")),
    Line("permission query, 10,000 accounts, admin, p95", 5, "ms", *p95("query of admin")),
    Line("permission query, 10,000 accounts, member, p95", 5, "ms", *p95("query of member")),
    Line("podium add", 1.5, "× import click, sqlite3", *ratio("podium add", "import of click")),
    *(
        Line(f"completion of a {kind}", 4, "× import sqlite3", *ratio(f"completed {kind}", "import of sqlite3"))
        for kind in ("command", "option", "project", "phase", "person", "task", "card")
    ),
    Line("50 ms service: exec to first paint", 1.05, "× local", *ratio("remote start", "local start")),
    Line("50 ms service: exec to the Canvas with all rights", 1.4, "× local", *ratio("remote rights", "local start")),
    Line("50 ms service: round trips of opening a project", 1, "", *worst("remote start trips")),
    Line("50 ms service: calls of opening a project", 2, "", *worst("remote start calls")),
    Line("50 ms service: calls of opening one from Projects", 1, "", *worst("opened project calls")),
    Line("50 ms service: a move with a warm grant", 1.1, "× local", *ratio("warm move", "local move")),
    Line("50 ms service: calls of such moves", 0, "", *worst("warm move calls")),
    Line("50 ms service: 1,000 ask the same at once", 250, "ms", *median("many questions")),
    Line("50 ms service: calls of these 1,000", 1, "", *worst("many questions calls")),
    Line(
        "server: one command over the socket, durable",
        2.5,
        "× in process",
        *ratio("socket command", "own command"),
        goal=2.2,
    ),
    Line("server: a Canvas of 100 cards, p50", 5, "ms", *median("served canvas")),
    Line("server: a Canvas of 1,000 cards, p50", 20, "ms", *median("served canvas of 1000"), goal=7),
    *(
        line
        for name, (way, of_a_move) in BEHIND.items()
        for line in (
            Line(f"behind a server, {way}: cursor move, 1,000 cards", 1.5, HELLO, *ratio(f"{name} cursor"), goal=1.1),
            Line(
                f"behind a server, {way}: move, durable, 1,000 cards", 12, HELLO, *ratio(f"{name} move"), goal=of_a_move
            ),
            Line(
                f"behind a server, {way}: memory of its own (USS)",
                2.5,
                HELLO,
                *ratio(f"{name} unique", "hello unique"),
                goal=1.5,
            ),
        )
    ),
)


def table(notes: Notes, lines: Sequence[Line] = LINES) -> str:
    """The lines in columns, for a terminal."""
    rows = [("what", "measured", "to reach", "reached", "goal", "median"), *(line.row(notes) for line in lines)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    drawn = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join([drawn[0], "─" * max(map(len, drawn)), *drawn[1:]])


def with_table(page: str, notes: Notes) -> str:
    """The text of the page with the table of a run."""
    start, end = "<!-- figures -->\n", "<!-- /figures -->"
    before, after = page.partition(start)[0], page.partition(end)[2]
    head = "| What | Measured | Unit | Target |\n|---|---|---|---|"
    return "\n".join([f"{before}{start}{head}", *(line.row_of_page(notes) for line in LINES), f"{end}{after}"])


def missed(notes: Notes, lines: Sequence[Line] = LINES) -> int:
    """The number of measured lines above their limit."""
    return sum(line.row(notes)[3] == MISSED for line in lines)
