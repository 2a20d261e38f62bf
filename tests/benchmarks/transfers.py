"""A large project brought in: from the text of the file to the commit, on a database of its own."""

from __future__ import annotations

import json
import tempfile
import time
from pathlib import Path

from core.actions import load_catalog
from core.actions.projects.imports import ImportProject
from core.actions.workspace.create import FirstUser, found_workspace
from core.engine.engine import Engine
from core.import_export.files import read_document
from core.storage.progress import Progress
from core.storage.sqlite.database import SqliteDatabase
from tests.benchmarks.notes import Notes

TASKS = 10_000
PHASES = 10


def text() -> str:
    """An export with that many tasks, each with what tasks have, and a comment on every fifth."""
    people = [{"login": "bench", "email": "bench@example.com", "name": "Bench Mark", "role": "OWNER"}]
    said = [{"author": "bench", "at": "2026-03-02T12:00:00+00:00", "text": "Looks good to me."}]
    items = [
        {
            "id": str(number),
            "kind": "TASK",
            "title": f"Task {number} of the project",
            "due": "2026-06-01",
            "description": "What it takes, in a sentence or two, as people write it.",
            "assigned": ["bench"],
            "comments": said if number % 5 == 0 else [],
        }
        for number in range(TASKS)
    ]
    phases = [{"name": f"Phase {place + 1}", "items": items[place::PHASES]} for place in range(PHASES)]
    document = {"format": "podium-project", "version": 1, "name": "Large", "people": people, "phases": phases}
    return json.dumps(document, indent=2)


def _noted_in(steps: list[float]) -> Progress:
    """A progress that notes the time of each step."""
    return Progress(lambda _done, _total: steps.append(time.perf_counter()))


def measure(notes: Notes, times: int) -> None:
    """Note "import", and "import silence": the longest time in it without a word of how far it is."""
    written = text()
    with tempfile.TemporaryDirectory(prefix="podium-import-") as folder:
        engine = Engine(SqliteDatabase(Path(folder, "podium.db"), create=True), load_catalog)
        founder = FirstUser(login="bench", first_name="Bench", last_name="Mark", email="bench@example.com")
        actor = found_workspace(engine, "Bench", founder)
        for _ in range(times):
            steps: list[float] = []
            begin = time.perf_counter()
            document = read_document(written).document
            progress = _noted_in(steps)
            engine.execute(ImportProject(document=document), actor, progress)
            end = time.perf_counter()
            notes.add("import", (end - begin) * 1000)
            waits = zip([begin, *steps], [*steps, end], strict=True)
            notes.add("import silence", max(after - before for before, after in waits) * 1000)
        engine.close()
