"""A Canvas that stays open follows links, also those with other projects."""

from __future__ import annotations

from core.actions.dependencies.links import LinkCards, UnlinkCards
from core.actions.projects.projects import ArchiveProject, DeleteProject
from core.actions.workflow.canvas import GetCanvas
from core.actions.workflow.canvas_changes import GetCanvasChanges
from core.domain.canvas import Canvas
from tests.support.workspace import World


def brought_up_to_date(world: World, before: Canvas) -> dict[str, tuple[int, int]]:
    """The numbers of each card, waiting and blocking, on a Canvas that was read before, after the changes since."""
    cards = {card.id: card for card in before.cards}
    seen = GetCanvasChanges(project_id=world.project.id, since=before.head.seq, elsewhere=before.head.elsewhere)
    changes = world.ask(seen)
    if changes is not None and changes.read_again:
        cards = {card.id: card for card in world.ask(GetCanvas(project_id=world.project.id)).cards}
    elif changes is not None:
        cards |= {card.id: card for card in changes.changed}
    return {card.id: (card.waits_for, card.blocks) for card in cards.values()}


def test_a_link_with_another_project_that_is_gone_leaves_no_mark_on_an_open_canvas(world: World) -> None:
    mine, other = world.task("Mine"), world.new_project("Other")
    theirs = world.task("Theirs", phase=world.phase("Plan", other.id))
    world.do(LinkCards(waiting_id=theirs.id, blocker_id=mine.id))
    before = world.ask(GetCanvas(project_id=world.project.id))
    world.do(UnlinkCards(waiting_id=theirs.id, blocker_id=mine.id))
    assert brought_up_to_date(world, before) == {mine.id: (0, 0)}
    world.do(LinkCards(waiting_id=mine.id, blocker_id=theirs.id))
    before = world.ask(GetCanvas(project_id=world.project.id))
    assert before.cards[0].waits_for == 1
    world.do(ArchiveProject(project_id=other.id))
    world.do(DeleteProject(project_id=other.id))
    assert brought_up_to_date(world, before) == {mine.id: (0, 0)}


def test_in_an_archived_project_no_card_waits_for_another_one_of_it(world: World) -> None:
    printing, proof = world.task("Print"), world.task("Proof")
    world.do(LinkCards(waiting_id=printing.id, blocker_id=proof.id))
    world.do(ArchiveProject(project_id=world.project.id))
    cards = world.ask(GetCanvas(project_id=world.project.id)).cards
    assert [(card.waits_for, card.blocks) for card in cards] == [(0, 0), (0, 0)]


def test_a_change_in_another_project_reaches_the_canvas_of_the_waiting_card(world: World) -> None:
    printing, other = world.task("Print"), world.new_project("Other")
    logo = world.task("Logo", phase=world.phase("Plan", other.id))
    world.do(LinkCards(waiting_id=printing.id, blocker_id=logo.id))
    head = world.ask(GetCanvas(project_id=world.project.id)).head
    asked = GetCanvasChanges(project_id=world.project.id, since=head.seq, elsewhere=head.elsewhere)
    assert world.ask(asked) is None
    world.complete(logo.id)
    changes = world.ask(asked)
    assert changes is not None
    assert {each.title: each.waits_for for each in changes.changed} == {"Print": 0}
    assert changes.by_others == frozenset()
    assert changes.head.elsewhere > head.elsewhere
