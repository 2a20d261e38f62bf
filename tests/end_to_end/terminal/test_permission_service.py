"""``podium`` pointed at an authorization service: it obeys, degrades and recovers while one watches."""

from __future__ import annotations

from pathlib import Path

from core.domain.model import Status
from tests.support.authorization_service.server import Service
from tests.support.terminal.podium import opened
from tests.support.waiting import wait_until
from tests.support.workspace import World


def test_it_looks_only_while_the_service_is_away_and_goes_on_when_it_is_back(world: World, service: Service) -> None:
    world.task("Write the brief")
    service.copy(world.database)
    with opened(Path(world.database.path), env=service.environment) as podium:
        podium.wait_for("Write the brief")
        podium.wait_for("permissions remote")
        podium.send("L")
        podium.wait_for("In Progress 1")
        with service.misbehaving("refused"):
            podium.wait_for("read only since")
            podium.send("L")
            podium.wait_for("Nothing can be changed")
            podium.send("p")
            podium.wait_for("Gate record")
            podium.send("<esc>")  # a key that follows at once would be alt and that key, as terminals send it
            podium.wait_until_gone("Gate record")
            podium.wait_for("Write the brief")
            assert world.row("item", title="Write the brief")["status"] == Status.IN_PROGRESS
        podium.wait_until_gone("read only since")
        podium.send("L")
        podium.wait_for("Completed 1")
        assert world.row("item", title="Write the brief")["status"] == Status.COMPLETED
        podium.send("qq")
        assert podium.exit_status() == 0


def test_nothing_of_a_project_is_shown_before_a_slow_service_has_answered(world: World, service: Service) -> None:
    world.task("Write the brief")
    service.copy(world.database)
    service.hold()
    with opened(Path(world.database.path), env=service.environment | {"PODIUM_AUTH_TIMEOUT": "60"}) as podium:
        podium.wait_for("is asking the permission service")
        podium.wait_for("permissions: asking…")
        assert "Write the brief" not in podium.text
        assert "Discover" not in podium.text
        service.go_on()
        podium.wait_for("Write the brief")
        podium.wait_for("permissions remote")
        podium.send("L")
        podium.wait_for("In Progress 1")


def test_a_service_that_is_down_at_the_start_is_said_with_the_way_out(world: World, service: Service) -> None:
    world.task("Write the brief")
    service.copy(world.database)
    with service.misbehaving("refused"), opened(Path(world.database.path), env=service.environment) as podium:
        podium.wait_for("as soon as you may look")
        podium.wait_for("no answer since")
        podium.wait_for("q quits")
        assert "Write the brief" not in podium.text


def test_what_the_service_does_not_let_one_see_leaves_the_screen(world: World, service: Service) -> None:
    world.task("Write the brief")
    service.copy(world.database)
    with opened(Path(world.database.path), env=service.environment) as podium:
        podium.wait_for("permissions remote")
        service.revoke(world.maya.user_id, world.project.auth_id)
        podium.wait_until_gone("Write the brief")
        podium.wait_for("does not let you see this project")
        service.copy(world.database)
        podium.wait_for("Write the brief")


UNTIL_IT_IS_ASKED = """
import os, sys, time
import tui.start
run = tui.start._run
def wait(*arguments):
    assert "textual" not in sys.modules
    while not os.path.exists(os.environ["WAITS_FOR"]):
        time.sleep(0.01)
    return run(*arguments)
tui.start._run = wait
"""
"""Code by which the screens do not begin, nor is Textual imported, before there is a file."""


def test_the_service_is_asked_before_textual_is_imported_and_not_again_for_the_first_screen(
    world: World, service: Service, tmp_path: Path
) -> None:
    world.task("Write the brief")
    service.copy(world.database)
    go_on = tmp_path / "go on"
    env = service.environment | {"WAITS_FOR": str(go_on)}
    with opened(Path(world.database.path), env=env, code=UNTIL_IT_IS_ASKED) as podium:
        wait_until(lambda: len(service.requests) == 2)
        asked = {each.filters["account_id"] for each in service.requests}
        go_on.touch()
        podium.wait_for("Write the brief")
        podium.wait_for("permissions remote")
    assert asked == {world.project.auth_id, world.row("workspace")["auth_id"]}
