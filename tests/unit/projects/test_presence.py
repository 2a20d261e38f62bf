"""Presence: the register of users, and the query that also reports the sender's location."""

from __future__ import annotations

import threading
from collections.abc import Collection
from datetime import timedelta
from typing import Any

import pytest

from core.actions.cards.applications import AddApplication
from core.actions.projects.members import RemoveMember
from core.actions.projects.presence import ListOnlineUsers, OnlineUser, ReportPresence
from core.actions.workspace.users import DeactivateUser
from core.authorization.local_source import LocalPermissions
from core.domain.grants import CacheControl, Grant, PermissionQuery
from core.domain.model import Id
from core.engine.unit_of_work import Actor
from core.errors import InvalidInput, NotFound
from core.presence.presence import FORGOTTEN_AFTER, MAX_TERMINALS, Presence, PresenceLocation
from core.record import replace
from tests.support.workspace import Clock, World


def come(world: World, actor: Actor, **fields: Any) -> tuple[OnlineUser, ...]:
    """A user says where they are on the project of the world."""
    return world.ask(ReportPresence(**{"project_id": world.project.id, "terminal": "a"} | fields), actor)


def names(found: tuple[OnlineUser, ...]) -> list[str]:
    return [each.name for each in found]


def test_a_user_who_reports_where_they_are_sees_the_others_and_their_cards(world: World, clock: Clock) -> None:
    card = world.task()
    assert come(world, world.bob, card_id=card.id, via="ssh") == ()
    came = clock.now
    clock.forward(seconds=10)
    (bob,) = come(world, world.maya)
    assert bob == OnlineUser(
        user_id=world.bob.user_id, name="Bob Lind", card_id=card.id, phase_id=None, via="ssh", since=came
    )
    assert names(come(world, world.vera)) == ["Bob Lind", "Maya Okafor"]


def test_a_user_who_is_not_heard_of_for_a_while_is_gone(world: World, clock: Clock) -> None:
    come(world, world.bob)
    clock.now += FORGOTTEN_AFTER - timedelta(seconds=1)
    assert names(come(world, world.maya)) == ["Bob Lind"]
    clock.forward(seconds=1)
    assert come(world, world.maya) == ()
    come(world, world.bob)
    assert come(world, world.maya)[0].since == clock.now, "a user who was gone came again"


def test_leaving_takes_out_one_terminal_and_another_project_moves_it(world: World) -> None:
    other = world.new_project("Autumn").id
    come(world, world.maya, terminal="left")
    come(world, world.maya, terminal="right")
    come(world, world.maya, terminal="left", leaving=True)
    assert names(come(world, world.bob)) == ["Maya Okafor"]
    come(world, world.maya, terminal="right", project_id=other)
    assert come(world, world.bob) == ()


def test_one_person_in_two_terminals_counts_once_where_they_moved_last(world: World, clock: Clock) -> None:
    first, second = world.task("One"), world.task("Two")
    come(world, world.bob, terminal="left", card_id=first.id)
    clock.forward(seconds=1)
    come(world, world.bob, terminal="right", card_id=second.id)
    clock.forward(seconds=1)
    come(world, world.bob, terminal="left", card_id=first.id)  # it only says that it is still there
    (bob,) = come(world, world.maya)
    assert bob.card_id == second.id
    assert come(world, world.bob) != (), "Maya"
    assert all(each.user_id != world.bob.user_id for each in come(world, world.bob))


def test_a_member_who_is_removed_is_gone_at_once_and_sees_nothing(world: World) -> None:
    come(world, world.bob)
    come(world, world.vera)
    member = world.row("member", project_id=world.project.id, user_id=world.bob.user_id)
    world.do(RemoveMember(project_id=world.project.id, user_id=world.bob.user_id, seen_version=member["version"]))
    assert names(come(world, world.maya)) == ["Vera Sato"]
    with pytest.raises(NotFound):
        come(world, world.bob)
    world.do(DeactivateUser(user_id=world.vera.user_id))
    assert come(world, world.maya) == ()


def test_strangers_neither_see_nor_are_seen(world: World) -> None:
    with pytest.raises(NotFound):
        come(world, world.gus)
    assert come(world, world.maya) == ()


def test_the_list_names_everybody_on_my_projects_and_their_cards_and_asking_is_no_coming(
    world: World, clock: Clock
) -> None:
    autumn, card = world.new_project("Autumn").id, world.task("Print the flyers")
    app: dict[str, Any] = {
        "project_id": world.project.id,
        "phase_id": world.discover.id,
        "product_id": world.product().id,
    }
    films = world.do(AddApplication(**app, name="Films"))
    come(world, world.bob, card_id=card.id, via="ssh")
    clock.forward(seconds=1)
    come(world, world.bob, terminal="b", project_id=world.project.id, card_id=films.id)
    come(world, world.vera, phase_id=world.discover.id)
    come(world, world.maya, project_id=autumn, card_id="no card of ours")
    found = world.ask(ListOnlineUsers())
    assert [(each.name, each.project, each.place, each.via) for each in found] == [
        ("Maya Okafor", "Autumn", "", "local"),
        ("Bob Lind", "Spring launch", "Films", "local"),
        ("Vera Sato", "Spring launch", "Discover", "local"),
    ]
    assert {each.user_id for each in world.ask(ListOnlineUsers(project_id=autumn))} == {world.maya.user_id}
    assert [each.project for each in world.ask(ListOnlineUsers(), world.vera)] == ["Spring launch"] * 2
    clock.now += FORGOTTEN_AFTER
    assert world.ask(ListOnlineUsers()) == ()


def test_the_list_tells_strangers_nothing_and_nothing_of_those_who_may_not_look_any_more(world: World) -> None:
    come(world, world.bob)
    come(world, world.vera)
    assert world.ask(ListOnlineUsers(), world.gus) == ()
    world.refuses(ListOnlineUsers(project_id=world.project.id), NotFound, as_=world.gus)
    world.do(DeactivateUser(user_id=world.vera.user_id))
    assert [each.name for each in world.ask(ListOnlineUsers())] == ["Bob Lind"]


def test_the_list_tells_a_member_nothing_of_a_project_that_the_service_hides_from_them(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    grants = LocalPermissions.grants

    def hidden(
        source: LocalPermissions, questions: Collection[PermissionQuery], cache_control: CacheControl
    ) -> dict[PermissionQuery, Grant]:
        found = grants(source, questions, cache_control)
        theirs = {asked: grant for asked, grant in found.items() if asked.user_id == world.vera.user_id}
        return found | {asked: replace(grant, held=frozenset()) for asked, grant in theirs.items()}

    come(world, world.bob)
    assert names_listed(world, world.vera) == ["Bob Lind"]
    monkeypatch.setattr(LocalPermissions, "grants", hidden)
    assert names_listed(world, world.vera) == []
    assert names_listed(world, world.maya) == ["Bob Lind"]


def names_listed(world: World, actor: Actor) -> list[str]:
    return [each.name for each in world.ask(ListOnlineUsers(), actor)]


@pytest.mark.parametrize("fields", [{"terminal": "x" * 65}, {"card_id": "y" * 65}, {"via": "\x1b[2J"}])
def test_nonsense_is_refused_and_moves_no_user(world: World, fields: dict[str, str]) -> None:
    with pytest.raises(InvalidInput):
        come(world, world.bob, **fields)
    assert come(world, world.maya) == ()


def test_nothing_of_it_is_written(world: World) -> None:
    before = world.database.data_version()
    come(world, world.bob)
    assert world.database.data_version() == before


HERE = PresenceLocation(project_id="p")


def test_those_are_told_for_whom_something_changed_and_only_then(clock: Clock) -> None:
    register = Presence()
    told: list[frozenset[Id]] = []
    end = register.listen(told.append)
    register.report("maya", "a", HERE, "local", clock.now)
    assert told == []
    register.report("bob", "a", HERE, "local", clock.now)
    register.report("bob", "a", HERE, "local", clock.now)  # the same again is no news
    register.report("eve", "a", PresenceLocation(project_id="q"), "local", clock.now)
    assert told == [{"maya"}]
    register.report("bob", "a", PresenceLocation(project_id="q"), "local", clock.now)
    register.leave("eve")
    register.leave("eve")
    assert told[1:] == [{"maya", "eve"}, {"bob"}]
    end()
    register.leave("bob")
    register.report("bob", "a", HERE, "local", clock.now)
    assert len(told) == 3


def test_the_memory_of_one_person_has_a_bound(clock: Clock) -> None:
    register = Presence()
    for number in range(MAX_TERMINALS * 3):
        register.report("bob", str(number), HERE, "local", clock.now)
    assert len(register._entries["bob"]) == MAX_TERMINALS
    register.leave("bob")
    assert register._entries == {}


def test_many_threads_come_and_go_and_none_is_left(clock: Clock) -> None:
    register = Presence()

    def walk(name: str) -> None:
        for step in range(200):
            register.report(name, "a", PresenceLocation(project_id="p", card_id=str(step)), "local", clock.now)
            register.others(name, "p", clock.now)
        register.leave(name)

    threads = [threading.Thread(target=walk, args=(f"person {number}",)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert register.others("", "p", clock.now) == ()
