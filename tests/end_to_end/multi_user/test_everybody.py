"""On one machine: a server, two OS users over real SSH, one in a browser, a program with a token; one project."""

from __future__ import annotations

import asyncio
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.actions.projects.members import InviteMember, RemoveMember
from core.actions.workspace.users import DeactivateUser, ReactivateUser
from core.domain.model import Item, ProjectRole, Status
from core.engine.unit_of_work import Actor
from tests.end_to_end.web.conftest import Visit
from tests.support.api.server import token_for
from tests.support.ssh.accounts import end_all
from tests.support.ssh.shared_host import SharedHost
from tests.support.system_programs import needs
from tests.support.terminal.session import TerminalSession
from tests.support.web.gateway import GatewayProgram

pytestmark = pytest.mark.asyncio(loop_scope="session")


DAYS = 10_000
"""Of a token: the clock of the world that makes it stands still in a spring long ago."""


class Curl:
    """The program ``curl`` with a user's token, over the socket; its own account is not linked."""

    def __init__(self, host: SharedHost, actor: Actor) -> None:
        token = token_for(host.world, actor, days=DAYS)
        self._command = [needs("curl"), "-sS", "--unix-socket", str(host.socket)]
        self._headers = ["-H", f"Authorization: Bearer {token}", "-H", "Content-Type: application/json"]

    def __call__(self, method: str, path: str, **body: Any) -> tuple[int, Any]:
        """The status and the JSON of an answer."""
        sent = ["-d", json.dumps(body)] if body else []
        argv = [*self._command, *self._headers, "-X", method, *sent, "-w", "\n%{http_code}", f"http://podium{path}"]
        text, _, status = subprocess.run(argv, capture_output=True, text=True, check=True).stdout.rpartition("\n")
        return int(status), json.loads(text) if text else None

    def stream(self, target: Path) -> subprocess.Popen[bytes]:
        """Listen to the changes and write them into a file."""
        with target.open("wb") as output:
            return subprocess.Popen([*self._command, "-N", *self._headers, "http://podium/v1/changes"], stdout=output)


@pytest.fixture
def card(host: SharedHost) -> Iterator[Item]:
    """A card, and Bob and Gus, who may move it."""
    world = host.world
    gus: dict[str, Any] = {"project_id": world.project.id, "user_id": world.gus.user_id}
    world.do(InviteMember(**gus, role=ProjectRole.CONTRIBUTOR))
    card = world.task("Write the brief", relock=True)
    yield card
    world.do(RemoveMember(**gus))
    world.delete(card.id, relock=True)
    for person in (host.maya, host.vera):
        end_all(person.pw_name)


async def shown(session: TerminalSession, pattern: str) -> None:
    """Wait, while the browser goes on, until a terminal shows something."""
    await asyncio.to_thread(session.wait_for, pattern)


async def test_all_see_what_each_does_and_each_is_held_to_their_role(
    host: SharedHost, gateway: GatewayProgram, visit: Visit, card: Item, tmp_path: Path
) -> None:
    world = host.world
    gus, vera_with_curl = Curl(host, world.gus), Curl(host, world.vera)
    move = f"/v1/items/{card.id}/move"

    def seen_by_program() -> tuple[str, int]:
        status, detail = gus("GET", f"/v1/items/{card.id}")
        assert status == 200
        return detail["item"]["status"], detail["item"]["version"]

    stream = gus.stream(tmp_path / "heard")
    try:
        with host.opened(host.maya) as maya, host.opened(host.vera) as vera:
            bob = await visit()
            await bob.sign_in(gateway.url, token_for(world, world.bob, days=DAYS))
            await bob.shows("Bob Lind")
            await bob.press("Enter")
            await bob.shows("Write the brief")
            await shown(maya, "Maya Okafor · owner · ssh")
            await shown(vera, "Vera Sato · viewer · ssh")
            await bob.shows("Bob Lind · contributor · browser")

            maya.send("L")  # the owner, over SSH
            await shown(vera, "In Progress 1")
            await bob.shows("In Progress 1")
            assert seen_by_program()[0] == Status.IN_PROGRESS

            await bob.press("Shift+L")  # the contributor, in the browser
            await shown(maya, "Completed 1")
            await shown(vera, "Completed 1")
            status, version = seen_by_program()
            assert status == Status.COMPLETED

            assert gus("POST", move, status="TO_DO", seenVersion=version, relock=True)[0] == 200  # the program
            for session in (maya, vera):
                await shown(session, "To Do 1")
            await bob.shows("To Do 1")
            assert world.status(card) == Status.TO_DO

            vera.send("L")  # the viewer, by key, by command and by curl
            await shown(vera, "you are a viewer")
            told = host.podium(host.vera, "task", "move", "Spring launch", card.title, "in_progress")
            assert (told.returncode, "you are a viewer" in told.stderr) == (3, True)
            refused, body = vera_with_curl("POST", move, status="IN_PROGRESS")
            assert (refused, body["errors"][0]["errorCode"]) == (403, "FORBIDDEN")
            assert "you are a viewer" in body["errors"][0]["errorMessage"]

            refused, body = gus("POST", f"/v1/projects/{world.project.id}/archive")  # what only an owner may
            assert (refused, body["errors"][0]["errorCode"]) == (403, "FORBIDDEN")
            await bob.press("m")
            await bob.shows("Vera Sato")
            assert world.status(card) == Status.TO_DO
            assert world.row("project", id=world.project.id)["archived"] == 0
    finally:
        stream.terminate()
        stream.wait(30)
    assert (tmp_path / "heard").read_text().count("event: change") >= 3
    moves = world.rows("SELECT actor_id FROM change WHERE message = 'MoveCard' ORDER BY seq")
    assert [each["actor_id"] for each in moves] == [each.user_id for each in (world.maya, world.bob, world.gus)]


async def test_who_is_deactivated_is_out_at_once_by_every_way(
    host: SharedHost, gateway: GatewayProgram, visit: Visit, card: Item
) -> None:
    world = host.world
    bob, token = await visit(), token_for(world, world.bob, days=DAYS)
    await bob.sign_in(gateway.url, token)
    await bob.shows("Bob Lind")
    curl = Curl(host, world.bob)
    assert curl("GET", "/v1/me")[0] == 200
    world.do(DeactivateUser(user_id=world.bob.user_id))
    try:
        status, body = curl("GET", f"/v1/items/{card.id}")
        assert (status, body["errors"][0]["errorCode"]) == (401, "UNAUTHENTICATED")
        await bob.press("Enter")
        await bob.shows("This token is not valid")
        again = await visit()
        await again.sign_in(gateway.url, token)
        assert "not valid" in await again.page.get_by_role("alert").inner_text()
    finally:
        world.do(ReactivateUser(user_id=world.bob.user_id, with_tokens=True))
    assert curl("GET", "/v1/me")[0] == 200
