"""The runs: the steps in one start of the program, and their measurements.

Every run leaves the database unchanged, except for the history. Cards are found by their titles, the focused one by
the bar before its sign.
"""

from __future__ import annotations

import os
import random
import re
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from tests.benchmarks import process, workspace
from tests.benchmarks.commits import CommitWatch
from tests.benchmarks.core import Colleague
from tests.benchmarks.notes import Notes
from tests.benchmarks.stopwatch import Expectation, Lap, NoPicture, Stopwatch, shows
from tests.support.terminal.keys import encode

HELLO = [sys.executable, str(Path(__file__).with_name("hello.py"))]
PODIUM = str(Path(sys.executable).with_name("podium"))

NOTHING_MORE: Mapping[str, str] = {}

LONG_QUIET = 0.03
"""The pause after each of 400 keys: a key that is held repeats about as often."""

IDLE_SECONDS = 5.0

FOCUSED = re.compile(r"▌[^▌│\n]{0,6}([A-F]\d{5}) ")

ON_PHASE = re.compile(r"▌.*?(\d+) Step ")
"""The phase of the cursor on the Timeline."""


@dataclass(frozen=True, slots=True)
class Place:
    """The place of the runs: a database of their own, and an empty home folder."""

    database: Path
    home: Path

    def env(self) -> dict[str, str]:
        return {"HOME": str(self.home), "PYTHONPATH": os.environ.get("PYTHONPATH", "")}

    def hello(self) -> Stopwatch:
        return Stopwatch(HELLO, env=self.env())

    def podium(self, cards: int, env: Mapping[str, str] = NOTHING_MORE) -> Stopwatch:
        """The Canvas with that many cards; ``env`` adds to the environment."""
        return self._started(["open", workspace.project_name(cards)], env)

    def linked(self) -> Stopwatch:
        """The Canvas with 10,000 cards that have labels and wait for each other."""
        return self._started(["open", workspace.LINKED], NOTHING_MORE)

    def timeline(self) -> Stopwatch:
        """The Canvas of the project with 200 phases, from which ``g t`` leads to its Timeline."""
        return self._started(["open", workspace.TIMELINE], NOTHING_MORE)

    def projects(self, env: Mapping[str, str] = NOTHING_MORE) -> Stopwatch:
        """The Projects widget."""
        return self._started([], env)

    def _started(self, arguments: list[str], env: Mapping[str, str]) -> Stopwatch:
        argv = [PODIUM, *arguments, "--db", str(self.database), "--as", workspace.LOGIN]
        return Stopwatch(argv, env={**self.env(), **env})


def focused(phase: str, number: int | None = None, sign: str = "") -> Expectation:
    """The cursor is on a card of a phase."""
    digits = r"\d{5}" if number is None else f"{number:05d}"
    return shows(rf"▌[^▌│\n]{{0,4}}{sign}[^▌│\n]{{0,2}}{phase}{digits} ")


def whole_canvas(cards: int) -> Expectation:
    """The Canvas is complete: title, heads, the first and the last cards in view, the cursor, and the line of keys."""
    return shows(
        rf"{workspace.project_name(cards)} .*saved",
        "1 Discover .*2 Define .*3 Design .*4 Build ",
        "▌. A00001 .*B00001 .*C00001 .*D00001 ",
        "B00009 .*C00009 .*D00009 ",
        r"A00001 .*in Discover",
        r"\? help",
    )


def start_hello(place: Place, notes: Notes) -> None:
    with place.hello() as app:
        notes.add("hello start", app.start(shows("^presses 0$")).ms)


def press_hello(place: Place, notes: Notes) -> None:
    with place.hello() as app:
        app.start(shows("^presses 0$"))
        app.settle(0.3)
        unique, resident = process.memory(app.pid)
        notes.add("hello unique", unique)
        notes.add("hello resident", resident)
        for number in range(1, 21):
            notes.add("hello key", app.press(" ", shows(f"^presses {number}$")).ms)


def start_small(place: Place, notes: Notes) -> None:
    with place.podium(100) as app:
        notes.add("100 start", app.start(whole_canvas(100)).ms)


def work_small(place: Place, notes: Notes) -> None:
    """The everyday keys on 100 cards."""
    with place.podium(100) as app:
        app.start(whole_canvas(100))
        app.settle(0.3)
        _press_keys(place, notes, app, 100)


def work_medium(place: Place, notes: Notes) -> None:
    """The same on 1,000 cards."""
    with place.podium(1_000) as app:
        notes.add("1000 start", app.start(whole_canvas(1_000)).ms)
        app.settle(0.3)
        notes.add("1000 unique", process.memory(app.pid)[0])
        _press_keys(place, notes, app, 1_000)


def work_large(place: Place, notes: Notes) -> None:
    """The same on 10,000 cards, and the mouse."""
    with place.podium(10_000) as app:
        notes.add("10000 start", app.start(whole_canvas(10_000)).ms)
        app.settle(0.5)
        unique, resident = process.memory(app.pid)
        notes.add("10000 unique", unique)
        notes.add("10000 resident", resident)
        _press_keys(place, notes, app, 10_000)
        _turn_wheel(notes, app)
        _point(notes, app)


def _press_keys(place: Place, notes: Notes, app: Stopwatch, cards: int) -> None:
    move_cursor(notes, app, f"{cards} cursor")
    _scroll(notes, app, cards)
    to_first_card(app)
    move_cards(place, notes, app, f"{cards} move")


def linked_canvas() -> Expectation:
    """As ``whole_canvas``; the cards are higher by a line of labels."""
    return shows(
        rf"{workspace.LINKED} .*saved",
        "1 Discover .*2 Define .*3 Design .*4 Build ",
        "▌. A00001 .*B00001 .*C00001 .*D00001 ",
        "B00006 .*C00006 .*D00006 ",
        r"A00001 .*in Discover",
        r"\? help",
    )


def work_linked(place: Place, notes: Notes) -> None:
    """The cursor and moves, on 10,000 cards with 50,000 labels and 20,000 dependencies."""
    with place.linked() as app:
        notes.add("linked start", app.start(linked_canvas()).ms)
        app.settle(0.5)
        notes.add("linked unique", process.memory(app.pid)[0])
        move_cursor(notes, app, "linked cursor")
        move_cards(place, notes, app, "linked move")


def cell(app: Stopwatch, text: str) -> tuple[int, int]:
    """Column and row at which a text is shown. Raises NoPicture."""
    place = app.screen.find(text)
    if place is None:
        raise NoPicture(f"“{text}” is not shown:\n{app.screen.text}")
    return place


def _note(notes: Notes, name: str, lap: Lap) -> None:
    notes.add(name, lap.ms)
    notes.add(f"{name} bytes", lap.bytes)


def move_cursor(notes: Notes, app: Stopwatch, name: str) -> None:
    """Down and up within the lines in view, right and left within the columns in view."""
    for key, number in zip("jjjjjkkkkk", (2, 3, 4, 5, 6, 5, 4, 3, 2, 1), strict=True):
        _note(notes, name, app.press(key, focused("A", number)))
    for key, phase in zip("llhh", "BCBA", strict=True):
        _note(notes, name, app.press(key, focused(phase)))


def _scroll(notes: Notes, app: Stopwatch, cards: int) -> None:
    """To the last column and back, noting the steps that scroll; half pages."""
    for key, phase in zip("lllllhhhhh", "BCDEFEDCBA", strict=True):
        before = columns_in_view(app)
        lap = app.press(key, focused(phase))
        if columns_in_view(app) != before:
            _note(notes, f"{cards} columns", lap)
    for key in ("<pagedown>", "<pagedown>", "<pagedown>", "<pageup>", "<pageup>", "<pageup>"):
        _note(notes, f"{cards} page", app.press(key, focused_elsewhere(app)))


def _turn_wheel(notes: Notes, app: Stopwatch) -> None:
    x, y = cell(app, "A00003")
    for turn in ("wheeldown", "wheeldown", "wheelup", "wheelup"):
        _note(notes, "wheel", app.press_until_still(f"<{turn}:{x},{y}>"))


def focused_elsewhere(app: Stopwatch) -> Expectation:
    """The cursor is on another card than now. The line that describes it may follow a moment later."""
    app.settle()
    now = FOCUSED.findall(app.screen.text)
    return lambda screen: FOCUSED.findall(screen.text) not in ([], now)


def to_first_card(app: Stopwatch) -> None:
    if not focused("A", 1)(app.screen):
        app.press("<home>", focused("A", 1))


def columns_in_view(app: Stopwatch) -> list[str]:
    return [phase for phase in workspace.PHASES if phase in app.screen.text]


def _point(notes: Notes, app: Stopwatch) -> None:
    """Hover over cards, then drag one over others, and let go of it without dropping."""
    cells = [cell(app, f"{phase}0000{number}") for number in (2, 3, 4, 5) for phase in "BC"]
    for x, y in cells:
        _note(notes, "hover", app.press_until_still(f"<move:{x},{y}>"))
    x, y = cell(app, "A00002")
    app.press(f"<press:{x},{y}>", focused("A", 2))
    for x, y in cells:
        _note(notes, "drag", app.press_until_still(f"<drag:{x},{y}>"))
    app.press_until_still("<esc>")
    app.process.write(encode(f"<release:{x},{y}>"))
    app.settle(0.3)
    to_first_card(app)


def move_cards(place: Place, notes: Notes, app: Stopwatch, name: str) -> None:
    """The first card to In Progress and back; durable when the picture is there and the log is written."""
    with CommitWatch(place.database) as commits:
        for _ in range(8):
            app.settle(0.1)
            lap = app.press("L", focused("A", 1, "◐"))
            if commits.last < lap.moment - lap.ms / 1000:
                raise NoPicture(f"The card was shown as moved, but nothing was written:\n{app.screen.text}")
            late = max(0.0, commits.last - lap.moment) * 1000
            _note(notes, name, replace(lap, ms=lap.ms + late))
            app.settle(0.1)
            app.press("H", focused("A", 1, "○"))


def hold_keys(place: Place, notes: Notes) -> None:
    """Down, 400 times in a row, on 10,000 cards; as many keys of the bare program, before or after."""
    for measured in random.sample((_hold_podium, _hold_hello), 2):
        measured(place, notes)


def _hold_podium(place: Place, notes: Notes) -> None:
    with place.podium(10_000) as app:
        app.start(whole_canvas(10_000))
        app.settle(0.5)
        app.quiet = LONG_QUIET
        laps = [app.press("j", focused("A", number)).ms for number in range(2, 402)]
        _note_slowest(notes, "10000 slowest", laps)
        notes.add("10000 held", *laps)


def _hold_hello(place: Place, notes: Notes) -> None:
    with place.hello() as app:
        app.start(shows("^presses 0$"))
        app.settle(0.5)
        app.quiet = LONG_QUIET
        laps = [app.press(" ", shows(f"^presses {number}$")).ms for number in range(1, 401)]
        _note_slowest(notes, "hello slowest", laps)


def _note_slowest(notes: Notes, name: str, laps: list[float]) -> None:
    """Note the slowest of some keys, and which of them it was."""
    slowest = max(laps)
    notes.add_named(name, slowest, f"key {laps.index(slowest) + 1}")


def scroll_timeline(place: Place, notes: Notes) -> None:
    """The Timeline of 200 phases: half pages down and up, and weeks to the right and back."""
    with place.timeline() as app:
        app.start(shows(rf"{workspace.TIMELINE} .*saved", "1 Step 1 "))
        app.settle(0.5)
        app.press("g", shows("Go to"))
        app.press("t", shows("Timeline · ", "▌.* 1 Step 1 "))
        for key in ("<pagedown>",) * 6 + ("<pageup>",) * 6:
            _note(notes, "timeline page", app.press(key, elsewhere_on_timeline(app)))
        for key in "llllhhhh":
            _note(notes, "timeline time", app.press_until_still(key))


def elsewhere_on_timeline(app: Stopwatch) -> Expectation:
    """The cursor is on another phase than now."""
    app.settle()
    now = ON_PHASE.findall(app.screen.text)
    return lambda screen: ON_PHASE.findall(screen.text) not in ([], now)


def rest(place: Place, notes: Notes) -> None:
    """Nothing is done on 10,000 cards, and in the bare program."""
    with place.podium(10_000) as app, place.hello() as hello:
        app.start(whole_canvas(10_000))
        hello.start(shows("^presses 0$"))
        app.settle(2.0)
        begin = time.perf_counter()
        before, of_hello = process.processor(app.pid), process.processor(hello.pid)
        notes.add("idle bytes", app.listen(IDLE_SECONDS))
        seconds = time.perf_counter() - begin
        used = process.processor(app.pid) - before
        notes.add("idle percent", 100 * used / seconds)
        notes.add("idle ms", 1000 * used / seconds)
        notes.add("hello idle ms", 1000 * (process.processor(hello.pid) - of_hello) / seconds)


def watch_colleague(place: Place, notes: Notes) -> None:
    """Another process renames a card in view, at moments that owe nothing to when the program looks."""
    colleague = Colleague(place.database)
    with place.podium(1_000) as app:
        app.start(whole_canvas(1_000))
        app.settle(0.5)
        for number in range(20):
            time.sleep(random.uniform(0.0, 0.2))
            app.settle()
            title = f"Renamed {random.randrange(10**6):06d}"
            begin = time.perf_counter()
            colleague.rename(1_000, 3 + number % 3, title)
            notes.add("news", app.since(begin, shows(title)).ms)
        for number in range(3):
            colleague.rename(1_000, 3 + number, workspace.title(0, 3 + number))
    colleague.database.close()


@dataclass(frozen=True, slots=True)
class Run:
    """One kind of run. ``every`` tells in which repetitions it takes part; 1 is in all."""

    name: str
    measure: Callable[[Place, Notes], None]
    every: int = 1


RUNS = (
    Run("hello-start", start_hello),
    Run("hello", press_hello, 2),
    Run("start", start_small),
    Run("small", work_small, 2),
    Run("medium", work_medium, 2),
    Run("large", work_large, 2),
    Run("linked", work_linked, 2),
    Run("hold", hold_keys, 5),
    Run("timeline", scroll_timeline, 4),
    Run("rest", rest, 5),
    Run("news", watch_colleague, 4),
)
