"""The same board for Podium and its peers: three columns, over which cards from T00001 on are dealt in turn."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

from core.actions import load_catalog
from core.actions.projects.imports import ImportProject
from core.actions.workspace.create import FirstUser, found_workspace
from core.engine.engine import Engine
from core.import_export.files import read_document
from core.storage.sqlite.database import SqliteDatabase

COLUMNS = ("Ready", "Doing", "Done")
LOGIN = "bench"
BOARD = "Bench"
IN_KANBAN_TUI = Path(".local", "share", "kanban_tui", "kanban_tui.db")
"""The database of kanban-tui, in the home folder."""
IN_PYKANTUI = Path(".pykantui", "board.json")
"""The cards of pykantui, in the home folder."""


def title(number: int) -> str:
    return f"T{number:05d} Approve the brief"


def make_for_podium(path: Path, cards: int) -> None:
    """A database of Podium's with one project, by an import. The columns are phases."""
    numbers = range(1, cards + 1)
    phases = [
        {
            "name": column,
            "items": [{"id": str(n), "kind": "TASK", "title": title(n)} for n in numbers[place :: len(COLUMNS)]],
        }
        for place, column in enumerate(COLUMNS)
    ]
    person = {"login": LOGIN, "email": "bench@example.com", "name": "Bench Mark", "role": "OWNER"}
    document = {"format": "podium-project", "version": 1, "name": BOARD, "people": [person], "phases": phases}
    with closing(Engine(SqliteDatabase(path, create=True), load_catalog)) as engine:
        founder = FirstUser(login=LOGIN, first_name="Bench", last_name="Mark", email="bench@example.com")
        actor = found_workspace(engine, "Bench", founder)
        engine.execute(ImportProject(document=read_document(json.dumps(document)).document), actor)


def make_for_kanban_tui(program: Path, home: Path, cards: int) -> None:
    """A home folder of kanban-tui's: its own commands make the board and the first card, of which the others are
    copies in its database."""
    for line in (["board", "create", BOARD], ["task", "create", title(1)]):
        environment = os.environ | {"HOME": str(home), "XDG_CONFIG_HOME": "", "XDG_DATA_HOME": ""}
        subprocess.run([program, *line], env=environment, check=True, capture_output=True)
    with closing(sqlite3.connect(home / IN_KANBAN_TUI)) as database, database:
        columns = [row[0] for row in database.execute("SELECT column_id FROM columns WHERE name IN (?, ?, ?)", COLUMNS)]
        own = {"task_id", "title", "column", "position"}
        others = ", ".join(row[1] for row in database.execute("PRAGMA table_info(tasks)") if row[1] not in own)
        copy = f'INSERT INTO tasks (title, "column", position, {others}) SELECT ?, ?, ?, {others} FROM tasks'
        for number in range(2, cards + 1):
            position, place = divmod(number - 1, len(columns))
            database.execute(f"{copy} WHERE title = ?", (title(number), columns[place], position, title(1)))


def column_in_kanban_tui(home: Path, number: int) -> str:
    """The column in which kanban-tui has saved a card."""
    with closing(sqlite3.connect(home / IN_KANBAN_TUI)) as database:
        joined = 'SELECT name FROM columns JOIN tasks ON column_id = "column" WHERE title = ?'
        return str(database.execute(joined, (title(number),)).fetchone()[0])


def make_for_pykantui(program: Path, home: Path, cards: int) -> None:
    """A home folder of pykantui's: its own commands make three columns and the first card, of which the others are
    copies in its file."""
    for line in (["columns", "count", str(len(COLUMNS))], ["task", "add", title(1)]):
        environment = os.environ | {"HOME": str(home), "PYKANTUI_HOME": ""}
        subprocess.run([program, *line], env=environment, check=True, capture_output=True)
    board = json.loads((home / IN_PYKANTUI).read_text())
    first = board["tasks"][0]
    board["tasks"] = [
        {
            **first,
            "task_id": number,
            "title": title(number),
            "column_id": 1 + (number - 1) % len(COLUMNS),
            "position": (number - 1) // len(COLUMNS),
        }
        for number in range(1, cards + 1)
    ]
    (home / IN_PYKANTUI).write_text(json.dumps(board))


def column_in_pykantui(home: Path, number: int) -> str:
    """The column in which pykantui has saved a card."""
    tasks = json.loads((home / IN_PYKANTUI).read_text())["tasks"]
    return COLUMNS[next(task["column_id"] for task in tasks if task["title"] == title(number)) - 1]
