"""A Canvas that may no longer be looked at forgets its cards, and reads them again as soon as it may."""

from __future__ import annotations

from tests.screens.people.test_authority import decided_by, until
from tests.support.app_driver import Text, canvas, press, seen
from tests.support.authorization_service.server import Service
from tests.support.workspace import World


async def test_nothing_of_a_canvas_stays_that_may_not_be_looked_at_and_one_goes_on_where_one_was(
    world: World, service: Service
) -> None:
    world.task("Write the brief")
    second = world.task("Call the venue")
    world.add_application()
    service.copy(world.database)
    async with decided_by(service, world, canvas(world, second.id)) as pilot:
        await until(pilot, "Call the venue", "permissions remote")
        await press(pilot, "slash", Text("ca"), "enter")
        board = pilot.board
        assert pilot.card.id == second.id
        service.revoke(world.maya.user_id, world.project.auth_id)
        await until(pilot, "The permission service does not let you", without="Spring launch")
        assert board.model.by_id == {}
        assert board.description == ""
        await press(pilot, "full_stop")
        await until(pilot, "does not let you")
        assert "Call the venue" not in seen(pilot)
        await press(pilot, "escape", "j", "enter", "d", "V")
        await until(pilot, "does not let you")
        assert "Call the venue" not in seen(pilot)
        service.copy(world.database)
        await until(pilot, "Call the venue", without="does not let you")
        assert pilot.card.id == second.id
        assert "Write the brief" not in seen(pilot)
        await press(pilot, "escape")
        assert "Write the brief" in seen(pilot)
        assert len(world.rows("SELECT id FROM item WHERE status <> 'ARCHIVED'")) == 2
