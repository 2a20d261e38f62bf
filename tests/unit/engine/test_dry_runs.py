"""A dry run of every command: it answers what the command then does, and does nothing itself."""

from __future__ import annotations

from typing import Any, cast

from core.engine.messages import Command
from tests.support.message_examples import messages
from tests.support.predictions import difference, equal_new_ids, every_row, in_order, records
from tests.support.sweeps import every_message
from tests.support.workspace import World


@every_message(messages.COMMANDS)
def test_a_dry_run_answers_what_the_command_then_changes_and_changes_nothing(
    world: World, kind: type[Command[Any]]
) -> None:
    command = cast(Command[Any], messages.COMMANDS[kind](world))
    path = world.database.path
    before, rows = records(world.database), every_row(path)
    with equal_new_ids():
        foreseen = world.engine.dry_run(command, world.maya)
    assert every_row(path) == rows
    with equal_new_ids():
        world.engine.execute(command, world.maya)
    differs = difference(before, records(world.database), world.maya.user_id)
    assert in_order(foreseen.changes) == differs
    assert differs, "the sample changes something, or the test shows nothing"
