"""Any project as a file into another one: once more it changes nothing, and undo takes all of it back."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from core.actions.history.history import Redo, Undo
from core.actions.projects.exports import ExportProject
from core.actions.projects.imports_into import ImportInto
from tests.properties.project_strategies import STEPS, Dice, play
from tests.support.prepared import new_world
from tests.support.workspace import World, content


def without_notices(world: World) -> dict[str, list[dict[str, Any]]]:
    return {name: rows for name, rows in content(world.database, versions=False).items() if name != "notification"}


@given(steps=STEPS, cards=STEPS)
@pytest.mark.sweep
def test_a_file_twice_changes_nothing_and_undo_and_redo_are_whole(steps: list[Dice], cards: list[Dice]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        world = new_world(Path(folder) / "podium.db")
        play(world, steps)
        document = world.ask(ExportProject(project_id=world.project.id))
        other = world.new_project("Target")
        for phase in document.phases[: len(cards) % 3]:
            world.task("There before", phase=world.phase(phase.name, other.id))
        before = without_notices(world)
        message = ImportInto(project_id=other.id, document=document, leave_out_unknown=True, allow_lapse="It has to be")
        if world.do(message).is_empty:
            return
        after = without_notices(world)
        assert world.do(message).is_empty
        assert without_notices(world) == after
        world.do(Undo(project_id=other.id, relock=True))
        assert without_notices(world) == before
        world.do(Redo(project_id=other.id, relock=True))
        assert without_notices(world) == after
