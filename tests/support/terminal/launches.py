"""A terminal product in a workspace, and what it notes when it is launched."""

from __future__ import annotations

import contextlib
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from core.domain.products.products import LaunchKind, Product
from tests.support import sample_products
from tests.support.terminal.podium import opened
from tests.support.terminal.session import TerminalSession
from tests.support.workspace import World

FOLDER = Path(sample_products.__file__).parent


def read(path: Path, key: str | None = None) -> dict[str, Any]:
    """Wait for the file that a product writes, and return its content."""
    deadline = time.monotonic() + 40
    while time.monotonic() < deadline:
        with contextlib.suppress(FileNotFoundError):
            noted: dict[str, Any] = json.loads(path.read_text())
            if key is None or key in noted:
                return noted
        time.sleep(0.02)
    raise AssertionError(f"Nothing was noted in {path.name}.")


QUESTION = "with all your permissions"
"""Of what the person is asked before a command is run that they have not agreed to."""


def run(session: TerminalSession) -> None:
    """Launch a terminal product with its key for the first time."""
    session.send("o")
    agree(session)


def agree(session: TerminalSession) -> None:
    """Agree to the command that is shown."""
    session.wait_for(QUESTION)
    session.send("y")


def sketchbook(world: World, seen: Path, *steps: str, **fields: Any) -> Product:
    """A terminal product that does these steps, and notes in ``seen`` what it sees."""
    command = (sys.executable, str(FOLDER / "terminal.py"), str(seen), *steps)
    return world.product("Sketchbook", kind=LaunchKind.TERMINAL, url="", command=command, **fields)


def terminal_product(world: World, seen: Path, *steps: str) -> None:
    """An application “Sketch” of a terminal product, alone on the phase Discover."""
    world.add_application(sketchbook(world, seen, *steps), name="Sketch")


@contextlib.contextmanager
def on_application(world: World, **options: Any) -> Iterator[TerminalSession]:
    """The screen of the one application of Discover, on a real terminal."""
    with opened(Path(world.database.path), **options) as session:
        session.wait_for("Discover")
        session.send("<enter>")
        session.wait_for("Launches and changes")
        yield session


def assert_at_work(session: TerminalSession) -> None:
    """The screen is whole again, and keys work."""
    session.wait_for("Launches and changes")
    session.send("D")
    session.wait_for("Due date of")
    session.send("<esc>")
    session.wait_until_gone("Due date of")
