"""Short commands from their start to their end, in turn with the imports that they are held against."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from core.demo import make_demo
from tests.benchmarks.notes import Notes
from tests.support.paths import ROOT

PODIUM = (sys.executable, "-c", "from tui.__main__ import main; main()")
"""As the script ``podium`` starts it."""

LINES = {
    "import of click": (sys.executable, "-c", "import click, sqlite3"),
    "import of sqlite3": (sys.executable, "-c", "import sqlite3"),
    "podium add": (*PODIUM, "add", "Write the brief", "-p", "Slow"),
    "completed command": (*PODIUM, "complete", "zsh", "task", "mo"),
    "completed option": (*PODIUM, "complete", "zsh", "task", "list", "--"),
    "completed project": (*PODIUM, "complete", "zsh", "task", "list", "Sl"),
    "completed phase": (*PODIUM, "complete", "zsh", "phase", "show", "Slow", ""),
    "completed person": (*PODIUM, "complete", "zsh", "task", "assign", "Slow", "x", ""),
    "completed task": (*PODIUM, "complete", "zsh", "task", "move", "Slow", ""),
    "completed card": (*PODIUM, "complete", "zsh", "comment", "add", "-p", "Slow", ""),
}


def measure(notes: Notes, times: int) -> None:
    """Note the milliseconds of each line, one line after the other in each round."""
    with tempfile.TemporaryDirectory(prefix="podium-benchmark-") as folder:
        database = Path(folder, "demo.db")
        make_demo(database, login="bench")
        environment = os.environ | {"PODIUM_DB": str(database), "PODIUM_AS": "bench", "HOME": folder}
        environment |= {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": ""}
        for round_ in range(times + 1):
            for name, line in LINES.items():
                start = time.perf_counter()
                done = subprocess.run(line, env=environment, capture_output=True, check=True, cwd=folder)
                assert done.stdout or name.startswith("import"), name
                if round_:  # the first one writes the compiled modules
                    notes.add(name, (time.perf_counter() - start) * 1000)
