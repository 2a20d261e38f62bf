"""Events of a change reach at once those whom it concerns, and the others rarely and without telling of what."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Any, cast

import pytest

from core.actions.cards.details import GetPhase
from core.actions.personal.saved_filters import SaveFilter
from core.actions.projects.lists import GetProject
from core.actions.projects.members import InviteMember, RemoveMember
from core.actions.workspace.credentials import CreateToken
from core.actions.workspace.profile import SetPreference
from core.actions.workspace.workspace import RenameWorkspace
from core.domain.model import Phase
from core.server.endpoints import event_stream
from core.storage.database import Tx
from tests.support.api.listener import Listener
from tests.support.api.server import ServerOfTests
from tests.support.waiting import until
from tests.support.workspace import World

PEOPLE = ("maya", "bob", "vera", "gus")


def design(world: World) -> Phase:
    """The phase of the project that is Maya's alone."""
    return world.ask(GetPhase(phase_id=world.row("phase", name="Design")["id"])).phase


CHANGES: dict[str, tuple[Callable[[World], Any], str]] = {
    "a card": (lambda world: world.task(), "maya bob vera"),
    "a card of a hidden project": (lambda world: world.task(phase=design(world)), "maya"),
    "a setting": (lambda world: world.do(SetPreference(name="theme", value="x"), world.bob), "bob"),
    "a filter": (lambda world: world.do(SaveFilter(name="Mine", text="status:todo"), world.gus), "gus"),
    "the workspace": (lambda world: world.do(RenameWorkspace(name="Studio South")), "maya vera"),
    "a new member": (
        lambda world: world.do(InviteMember(project_id=world.project.id, user_id=world.gus.user_id)),
        "maya bob vera gus",
    ),
    "a former member": (
        lambda world: world.do(RemoveMember(project_id=world.project.id, user_id=world.bob.user_id)),
        "maya bob vera",
    ),
}


@pytest.fixture
def vault(world: World) -> World:
    """With a project of Maya's alone; Vera is no guest."""
    world.internal(world.vera)
    world.phase("Design", world.new_project("Vault").id)
    return world


async def listen(world: World, server: ServerOfTests) -> dict[str, Listener]:
    """Everybody, after the event with which each stream begins."""
    found = {name: Listener(server.client(getattr(world, name))) for name in PEOPLE}
    await until(lambda: all(each.changes() for each in found.values()))
    return found


@pytest.mark.parametrize("kind", CHANGES)
async def test_those_whom_a_change_concerns_hear_of_it_at_once_and_nobody_else(
    vault: World, server: ServerOfTests, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    change, concerned = CHANGES[kind]
    monkeypatch.setattr(event_stream, "OTHERS_SECONDS", 1e9)  # before a stream can wait for the usual time
    listeners = await listen(vault, server)
    before = {name: each.changes() for name, each in listeners.items()}
    change(vault)
    await until(lambda: all(listeners[name].changes() > before[name] for name in concerned.split()))
    vault.do(RenameWorkspace(name="Last"))  # of which Maya and Vera hear after all events of the change
    await until(lambda: listeners["maya"].changes() > before["maya"] + ("maya" in concerned))
    others = set(PEOPLE) - set(concerned.split()) - {"maya", "vera"}
    assert {name for name in others if listeners[name].changes() > before[name]} == set()


async def test_a_guest_hears_nothing_when_others_make_tokens(
    vault: World, server: ServerOfTests, monkeypatch: pytest.MonkeyPatch
) -> None:
    listeners = await listen(vault, server)
    monkeypatch.setattr(event_stream, "OTHERS_SECONDS", 1e9)
    vault.do(SaveFilter(name="One", text="status:todo"), vault.gus)
    await until(lambda: listeners["gus"].changes() > 1)
    before = list(listeners["gus"].heard)
    for number in range(3):
        heard = listeners["maya"].changes()
        vault.do(CreateToken(label=f"Number {number}"))
        await until(lambda heard=heard: listeners["maya"].changes() > heard)
    vault.do(SaveFilter(name="Two", text="status:todo"), vault.gus)
    await until(lambda: listeners["gus"].heard.count("event: change") > before.count("event: change"))
    assert [each for each in listeners["gus"].heard[len(before) :] if each.startswith(":")] == []


async def test_others_hear_of_many_changes_by_few_events(
    vault: World, server: ServerOfTests, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_stream, "OTHERS_SECONDS", 0.5)
    listeners = await listen(vault, server)
    before, began = listeners["gus"].changes(), monotonic()
    for number in range(12):
        vault.task(f"Secret {number}", phase=design(vault))
        heard = listeners["maya"].changes()
        await until(lambda heard=heard: listeners["maya"].changes() >= heard)
    await until(lambda: listeners["gus"].changes() > before)
    assert listeners["gus"].changes() - before <= (monotonic() - began) / 0.5 + 1


async def test_a_new_member_sees_the_project_when_the_event_arrives(vault: World, server: ServerOfTests) -> None:
    listeners = await listen(vault, server)
    before = listeners["gus"].changes()
    vault.do(InviteMember(project_id=vault.project.id, user_id=vault.gus.user_id))
    await until(lambda: listeners["gus"].changes() > before)
    assert vault.ask(GetProject(project_id=vault.project.id), vault.gus).project.name == "Spring launch"
    assert server.client(vault.gus).get(f"/v1/projects/{vault.project.id}").status_code == 200


def test_the_statements_of_a_commit_do_not_grow_with_the_number_of_streams(vault: World) -> None:
    class Counting:
        def __init__(self, tx: Any) -> None:
            self.tx, self.sent = tx, 0

        def tuples(self, sql: str, **params: object) -> Any:
            self.sent += 1
            return self.tx.tuples(sql, **params)

    def sent(tx: Any, people: set[str]) -> int:
        counting = Counting(tx)
        event_stream._marks(cast(Tx, counting), people)
        return counting.sent

    many = {vault.maya.user_id, *(f"nobody {number}" for number in range(100))}
    assert vault.database.read(lambda tx: [sent(tx, {vault.maya.user_id}), sent(tx, many)]) == [1, 1]
