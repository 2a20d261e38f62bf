"""Users of two servers see each other, on which card each is, and that one has left."""

from __future__ import annotations

from typing import Any

from core.actions.projects.presence import ListOnlineUsers, OnlineUser, ReportPresence
from core.engine.unit_of_work import Actor
from core.presence.presence import FORGOTTEN_AFTER
from tests.api.two_servers.conftest import ROUNDS, MakeServers, Stream, each_notice, printed, waited
from tests.support.api.server import ServerOfTests, token_for
from tests.support.waiting import wait_until


def come(server: ServerOfTests, actor: Actor, **fields: Any) -> tuple[OnlineUser, ...]:
    """A user reports where they are on the project of the world. Returns the others."""
    asked = {"project_id": server.world.project.id, "terminal": "a"} | fields
    return server.world.ask(ReportPresence(**asked), actor)


def seen(server: ServerOfTests) -> dict[str, str | None]:
    """The users on the project at a server, with their cards."""
    found = server.world.ask(ListOnlineUsers(project_id=server.world.project.id))
    return {each.name: each.place for each in found}


@each_notice
def test_users_of_two_servers_see_each_other_and_their_cards(servers: MakeServers, without: frozenset[str]) -> None:
    two = servers(without)
    seconds: list[float] = []
    cards = [two.world.task(f"Task {number}") for number in range(ROUNDS)]
    stream = Stream(two.second, token_for(two.world, two.world.maya))
    come(two.second, two.world.maya)
    for card in cards:
        told = stream.heard.count("event: presence")
        come(two.first, two.world.bob, card_id=card.id)
        seconds.append(waited(lambda card=card: seen(two.second).get("Bob Lind") == card.title))
        wait_until(lambda told=told: stream.heard.count("event: presence") > told)
    printed("The card of a user is seen at the other server", without, seconds)
    wait_until(lambda: [each.name for each in come(two.first, two.world.bob)] == ["Maya Okafor"])


@each_notice
def test_a_user_who_leaves_is_gone_at_the_other_server(servers: MakeServers, without: frozenset[str]) -> None:
    two = servers(without)
    come(two.first, two.world.bob)
    come(two.first, two.world.vera)
    wait_until(lambda: seen(two.second).keys() == {"Bob Lind", "Vera Sato"})
    come(two.first, two.world.bob, leaving=True)
    wait_until(lambda: seen(two.second).keys() == {"Vera Sato"})
    two.world.engine.presence.leave(two.world.vera.user_id)
    wait_until(lambda: seen(two.second) == {})


def test_the_users_of_a_server_that_stops_are_gone_at_once_and_those_of_a_killed_one_after_a_while(
    servers: MakeServers,
) -> None:
    two = servers()
    come(two.first, two.world.bob)
    wait_until(lambda: "Bob Lind" in seen(two.second))
    two.second.world.clock.now += FORGOTTEN_AFTER
    assert seen(two.second) == {}, "the first server does not renew what is not reported to it"
    come(two.first, two.world.vera)
    wait_until(lambda: "Vera Sato" in seen(two.second))
    two.first.serving.stop()
    wait_until(lambda: seen(two.second) == {})


def test_a_terminal_that_a_proxy_sends_to_another_server_is_at_one_place(servers: MakeServers) -> None:
    two = servers()
    card = two.world.task("Elsewhere")
    autumn = two.world.new_project("Autumn")
    come(two.first, two.world.bob)
    wait_until(lambda: "Bob Lind" in seen(two.second))
    for server in two:
        server.world.clock.forward(seconds=20)  # more than a note takes on a busy machine
    come(two.second, two.world.bob, card_id=card.id)
    wait_until(lambda: seen(two.first) == {"Bob Lind": "Elsewhere"})
    assert seen(two.second) == {"Bob Lind": "Elsewhere"}
    two.world.engine.presence.leave(two.world.bob.user_id)  # his stream at the first server ends
    come(two.second, two.world.maya, project_id=autumn.id)
    wait_until(lambda: len(two.world.ask(ListOnlineUsers())) == 2)
    assert seen(two.second) == seen(two.first) == {"Bob Lind": "Elsewhere"}


def test_presence_is_no_commit(servers: MakeServers) -> None:
    two = servers()
    commits = two.second.world.database.data_version()
    come(two.first, two.world.bob)
    wait_until(lambda: "Bob Lind" in seen(two.second))
    assert two.second.world.database.data_version() == two.world.database.data_version() == commits


def test_an_entry_that_stays_is_told_again_before_it_expires(servers: MakeServers) -> None:
    two = servers()
    clocks = [server.world.clock for server in two]
    come(two.first, two.world.bob)
    wait_until(lambda: "Bob Lind" in seen(two.second))
    for _ in range(5):
        for clock in clocks:
            clock.forward(seconds=10)
        come(two.first, two.world.bob)
        wait_until(lambda: "Bob Lind" in seen(two.second))
