"""Starts, keys, moves, views and lists in a program on a terminal, at each size.

A start is the time to the whole first picture. The others are processor time of the program until it is at rest, which
the load of the machine disturbs least.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from core.actions import load_catalog
from core.actions.cards.tasks import EditTask
from core.engine.engine import Engine
from core.sign_in.local import sign_on
from core.storage.sqlite.database import SqliteDatabase
from tests.benchmarks import process
from tests.benchmarks.growth.sizes import BUSY, Size
from tests.benchmarks.notes import Notes
from tests.benchmarks.runs import PODIUM, focused
from tests.benchmarks.search import typed
from tests.benchmarks.stopwatch import Expectation, Stopwatch, shows
from tests.benchmarks.workspace import LOGIN, title

QUIET = 0.15
WITHIN = 120.0
"""Seconds for one picture."""

VIEWS = {"b": "Status board", "t": "Timeline", "l": "Table", "C": "Calendar"}
"""By the key that follows ``g``."""

NOTICED = 0.5
"""Seconds in which a program has looked for changes of others, on a loaded machine too."""

LISTS = {"m": "My work", "i": "Inbox"}

NEEDLE = "needle"


def work_in_project(database: Path, home: Path, size: Size, name: str, notes: Notes) -> None:
    """Open a project, use the keys of its Canvas, and open each view, in which another person's change appears."""
    with _program(database, home, LOGIN, "open", size.project) as app:
        whole = shows(
            rf"{re.escape(size.project)} .*saved",
            r"▌. A00001 .*B00001 .*C00001 .*D00001 ",
            "B00009 .*C00009 .*D00009 ",
            r"\? help",
        )
        notes.add(f"start, {name}", app.start(whole).ms)
        _rest(app)
        for key in "jjkk":
            notes.add(f"cursor, {name}", _used(app, key))
        for key, sign in zip("LHLH", "◐○◐○", strict=True):
            notes.add(f"move, {name}", _used(app, key, _saved(sign)))
        for key, view in VIEWS.items():
            app.press("g", shows("Go to"))
            notes.add(f"{view}, {name}", _used(app, key, shows(rf"◆ {view} · {re.escape(size.project)} ")))
            changed = _while(app, lambda: _rename(database, size))
            notes.add(f"change of another in the {view}, {name}", changed)


def work_in_lists(database: Path, home: Path, name: str, notes: Notes) -> None:
    """Open the Projects of the person with many, and from them My work, the Inbox and the search."""
    with _program(database, home, BUSY) as app:
        notes.add(f"Projects, {name}", app.start(shows("◆ Projects", "▌.*Other 00000 ", r"\? help")).ms)
        _rest(app)
        for key in "jjkk":
            notes.add(f"cursor in Projects, {name}", _used(app, key))
        for key, page in LISTS.items():
            app.press("g", shows("Go to"))
            notes.add(f"{page}, {name}", _used(app, key, shows(f"◆ {page} ")))
        app.press("\\", shows("Search everything that you can see"))
        for letters in range(1, len(NEEDLE) + 1):
            used = _used(app, NEEDLE[letters - 1], typed(NEEDLE[:letters]))
            notes.add(f"letter in the search box, {name}", used)


def _program(database: Path, home: Path, login: str, *arguments: str) -> Stopwatch:
    app = Stopwatch([PODIUM, *arguments, "--db", str(database), "--as", login], env={"HOME": str(home)})
    app.timeout = WITHIN
    return app


def _rest(app: Stopwatch) -> None:
    """Wait until the program is at rest, which it is from then on between two keys."""
    app.quiet, app.until_idle = QUIET, True
    app.settle(1.0)


def _saved(sign: str) -> Expectation:
    """The cursor is on the first card, whose status has this sign, and that is saved."""
    on_card, saved = focused("A", 1, sign), shows("✓ saved")
    return lambda screen: on_card(screen) and saved(screen)


def _used(app: Stopwatch, keys: str, expected: Expectation | None = None) -> float:
    """Milliseconds of processor time for some keys, until the program shows what is expected and is at rest."""
    app.settle()
    return _while(app, lambda: app.press(keys, expected) if expected else app.press_until_still(keys))


def _while(app: Stopwatch, work: Callable[[], object]) -> float:
    """Milliseconds of processor time for some work, until the program is at rest."""
    before = process.processor(app.pid)
    work()
    app.settle()
    return (process.processor(app.pid) - before) * 1000


def _rename(database: Path, size: Size) -> None:
    """Give a card another title, as another program does, and wait until this one can have noticed."""
    with closing(Engine(SqliteDatabase(database), load_catalog)) as engine:
        actor = sign_on(engine, "user1")
        for text in (f"Renamed {time.monotonic_ns()}", title(0, 3)):
            engine.execute(EditTask(task_id=size.card_id(3), title=text), actor)
    time.sleep(NOTICED)
