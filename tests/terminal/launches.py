"""A terminal product in a workspace, and what it notes when it is launched."""

from __future__ import annotations

import contextlib
import json
import sys
import time
from pathlib import Path
from typing import Any

from core.products import LaunchKind, Product
from tests import products
from tests.world import World

FOLDER = Path(products.__file__).parent


def read(path: Path, key: str | None = None) -> dict[str, Any]:
    """What was noted, as soon as it is there."""
    deadline = time.monotonic() + 40
    while time.monotonic() < deadline:
        with contextlib.suppress(FileNotFoundError):
            noted: dict[str, Any] = json.loads(path.read_text())
            if key is None or key in noted:
                return noted
        time.sleep(0.02)
    raise AssertionError(f"Nothing was noted in {path.name}.")


def sketchbook(world: World, seen: Path, *deeds: str, **fields: Any) -> Product:
    """A terminal product that does these deeds, and notes in ``seen`` what it sees."""
    command = (sys.executable, str(FOLDER / "terminal.py"), str(seen), *deeds)
    return world.product("Sketchbook", kind=LaunchKind.TERMINAL, url="", command=command, **fields)


def terminal_product(world: World, seen: Path, *deeds: str) -> None:
    """An application “Sketch” of a terminal product, alone on the phase Discover."""
    world.add_application(sketchbook(world, seen, *deeds), name="Sketch")
