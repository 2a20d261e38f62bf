"""Waits for cards of projects that one cannot see: they can be removed, and no answer has an id of such a card."""

from __future__ import annotations

import json
from typing import Any

import pytest

from core.actions.cards.bulk import BulkUpdate
from core.actions.cards.cards import ArchiveCard, DeleteCard
from core.actions.cards.details import GetCard
from core.actions.dependencies.links import LinkCards, OverrideBlockers, UnlinkCards
from core.actions.dependencies.lists import ListDependencies
from core.actions.history.history import ListHistory, Undo
from core.actions.history.undo_steps import ListUndoSteps
from core.actions.projects.exports import ExportProject
from core.actions.projects.members import SetProjectRole
from core.actions.workflow.canvas import GetCanvas
from core.actions.workflow.canvas_changes import GetCanvasChanges
from core.codec.encoding import to_json
from core.domain.model import Item, ProjectRole
from core.engine.engine import Engine
from core.engine.messages import Command, Message
from core.errors import InvalidInput, PodiumError, RuleViolation
from core.record import replace
from core.wire.error_bodies import to_error_body
from tests.support.expected_rights import Rehearsal
from tests.support.message_examples import messages
from tests.support.sweeps import every_message
from tests.support.workspace import World, send


@pytest.fixture
def hidden(world: World) -> Item:
    """A card of a project that only Maya sees. Bob owns the other project."""
    owner = SetProjectRole(project_id=world.project.id, user_id=world.bob.user_id, role=ProjectRole.OWNER)
    world.do(owner)
    return world.task("Secret", phase=world.phase("Design", world.new_project("Vault").id))


def let_wait(world: World, *blockers: Item, title: str = "Print") -> Item:
    card = world.task(title)
    for blocker in blockers:
        world.do(LinkCards(waiting_id=card.id, blocker_id=blocker.id))
    return card


def links(world: World) -> int:
    return len(world.rows("SELECT 1 FROM dependency"))


def test_the_waits_for_cards_that_one_cannot_see_are_removed_together_and_undone(world: World, hidden: Item) -> None:
    other = world.task("More", phase=world.phase("Build", hidden.project_id))
    card = let_wait(world, world.task("Proof"), hidden, other)
    before = world.ask(GetCard(item_id=card.id), world.bob).linked
    assert (len(before.waits_for), before.waits_for_unseen, before.removable_unseen) == (1, 2, 2)
    assert world.do(UnlinkCards(waiting_id=card.id, unseen=True), world.bob).removed == 2
    assert world.last_change()["summary"] == "made “Print” no longer wait for 2 cards of other projects"
    after = world.ask(GetCard(item_id=card.id), world.bob).linked
    assert ([each.title for each in after.waits_for], after.removable_unseen) == (["Proof"], 0)
    world.do(Undo(project_id=world.project.id), world.bob)
    assert links(world) == 3


def test_in_a_bulk_each_card_loses_its_own(world: World, hidden: Item) -> None:
    cards = [let_wait(world, hidden, title=title) for title in ("Print", "Pack")]
    steps = tuple(UnlinkCards(waiting_id=card.id, unseen=True) for card in cards)
    done = world.do(BulkUpdate(project_id=world.project.id, commands=steps), world.bob)
    assert (done.done, links(world)) == (2, 0)


def test_who_sees_the_card_names_it_and_one_of_both_is_given(world: World, hidden: Item) -> None:
    card = let_wait(world, hidden)
    with pytest.raises(RuleViolation, match=r"^“Print” does not wait for a card that you cannot see\.$"):
        world.do(UnlinkCards(waiting_id=card.id, unseen=True))
    wrongs: tuple[dict[str, Any], ...] = ({}, {"blocker_id": hidden.id, "unseen": True})
    for wrong in wrongs:
        world.refuses(UnlinkCards(waiting_id=card.id, **wrong), InvalidInput, "blocker_id", as_=world.bob)
    assert links(world) == 1


def answer(world: World, message: Message[Any], *, dry: bool = False, engine: Engine | None = None) -> str:
    """Bob's answer as JSON, of a command that stays, or of its dry run."""
    engine = engine or world.engine
    try:
        if dry and isinstance(message, Command):
            result: Any = engine.dry_run(message, world.bob)
        else:
            result = send(engine, message, world.bob)
    except PodiumError as error:
        return json.dumps(to_error_body(error, ""))
    return json.dumps(to_json(result))


def test_no_answer_about_a_link_has_an_id_of_the_hidden_card_or_its_project(world: World, hidden: Item) -> None:
    def commands(card: Item) -> list[Command[Any]]:
        return [
            OverrideBlockers(waiting_id=card.id, reason="Go on"),
            UnlinkCards(waiting_id=card.id, unseen=True),
            Undo(project_id=world.project.id),
            ArchiveCard(card_id=card.id),
            DeleteCard(card_id=card.id),
            Undo(project_id=world.project.id),
        ]

    said: list[str] = []
    card = let_wait(world, hidden)
    blocker = let_wait(world, title="Proof")
    world.do(LinkCards(waiting_id=hidden.id, blocker_id=blocker.id))
    for command in [*commands(card), ArchiveCard(card_id=blocker.id), DeleteCard(card_id=blocker.id)]:
        said += [answer(world, command, dry=True), answer(world, command)]
        reads = (ListHistory, ListUndoSteps, GetCanvas, ListDependencies, ExportProject)
        said += [answer(world, each(project_id=world.project.id)) for each in reads]
        said.append(answer(world, GetCard(item_id=card.id)))
        said.append(answer(world, GetCanvasChanges(project_id=world.project.id, since=0)))
    assert any('"overrideReason": "Go on"' in each for each in said), "links are told of"
    assert [each for each in said if hidden.id in each or hidden.project_id in each] == []


@every_message(messages.ALL)
def test_no_answer_of_a_message_has_an_id_of_a_card_that_is_or_was_linked_unseen(
    world: World, hidden: Item, kind: type[Message[Any]]
) -> None:
    message = messages.ALL[kind](world)
    if isinstance(message, GetCanvasChanges):
        message = replace(message, elsewhere=None)  # else it only says that the Canvas is to be read again
    open_cards = (
        "SELECT item.id FROM item JOIN project ON project.id = project_id"
        " WHERE project_id = :id AND status <> 'ARCHIVED' AND project.archived = 0"
    )
    cards = [row["id"] for row in world.rows(open_cards, id=world.project.id)]
    for card_id in cards:
        for waiting_id, blocker_id in ((card_id, hidden.id), (hidden.id, card_id)):
            world.do(LinkCards(waiting_id=waiting_id, blocker_id=blocker_id))
            world.do(UnlinkCards(waiting_id=waiting_id, blocker_id=blocker_id))
    for card_id in cards:
        world.do(LinkCards(waiting_id=card_id, blocker_id=hidden.id))
    rehearsed = Rehearsal(world.database).engine(world.engine.clock)
    said = [answer(world, message, engine=rehearsed)]
    if isinstance(message, Command):
        said.append(answer(world, message, dry=True))
    assert [each for each in said if hidden.id in each or hidden.project_id in each] == []
