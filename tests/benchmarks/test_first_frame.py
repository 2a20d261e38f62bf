"""The work of Podium until its first frame is complete, with a local file and local permissions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.benchmarks.first_frame import REPORT, Report
from tests.benchmarks.instructions import hello, picture
from tests.support.terminal.screen import Screen
from tests.support.workspace import World

pytestmark = pytest.mark.sqlite

NOT_YET = (
    "click",
    "core.actions.catalog",
    "core.actions.history",
    "gettext",
    "hmac",
    "httpx",
    "platformdirs",
    "pydantic",
    "pydantic_core",
    "secrets",
    "sqlite_utils",
    "tui.cli.program",
    "tui.dialogs.dialog",
    "tui.dialogs.fields.form_fields",
    "tui.services.conflict_resolver",
    "tui.widgets.filter_line",
    "tui.widgets.preview",
)
"""Modules that nothing needs before the first frame. Some are those of the bare app too, which imports all widgets."""

MOST_OWN = 262
"""Modules of Podium."""

MOST_OTHERS = 35
"""Modules of others, beyond those of the bare app."""

MOST_BYTES = 22_000


def reported(arguments: list[str], folder: Path) -> tuple[Report, Screen]:
    """The work of a program until its first frame, and that frame."""
    path = folder / "report.json"
    frame = picture(arguments, folder, env={REPORT: str(path)})
    report: Report = json.loads(path.read_text())
    return report, frame


def test_the_first_frame_is_the_whole_canvas_and_came_with_few_modules_and_bytes(world: World, tmp_path: Path) -> None:
    world.task("Write the brief")
    place = ["--db", str(world.database.path), "--as", "maya"]
    report, frame = reported(["Write the brief", "podium", "open", "Spring launch", *place], tmp_path)
    for words in ("Spring launch", "✓ saved", "1 Discover", "2 Build", "Write the brief", "? help"):
        assert words in frame.text
    bare, _ = reported(hello(), tmp_path)
    more = {*report["modules"]} - {*bare["modules"]}
    own = {name for name in more if name.partition(".")[0] in ("core", "tui")}
    assert sorted(more.intersection(NOT_YET)) == []
    assert len(own) <= MOST_OWN
    assert len(more - own) <= MOST_OTHERS, sorted(more - own)
    assert report["bytes"] <= MOST_BYTES
