"""Applications as they are shown: in lists, on their own, in the history, on a fresh Canvas and an old one."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

from core.actions.cards.application_lists import GetApplication, ListApplications
from core.actions.cards.applications import (
    AddApplication,
    AssignApplication,
    EditApplication,
    RemoveApplication,
    ReorderApplication,
    SetApplicationDueDate,
)
from core.actions.cards.cards import ReorderCard
from core.actions.cards.details import GetPhase
from core.actions.history.history import ListHistory, Undo
from core.actions.products.launch import LaunchApplication
from core.actions.products.products import AddApplicationRole, EditProduct
from core.actions.projects.members import RemoveMember
from core.actions.workflow.canvas import GetCanvas
from core.actions.workflow.canvas_changes import GetCanvasChanges
from core.actions.workspace.meta_roles import AddMetaRole, SetMetaRoles
from core.domain.canvas import Card
from core.domain.model import Id, ItemKind
from core.engine.unit_of_work import Snapshot
from tests.support.workspace import World

DUE = date(2026, 4, 1)


def test_applications_are_listed_by_phase_with_place_and_people(world: World) -> None:
    assert world.ask(ListApplications(project_id=world.project.id)) == ()
    product, activity = world.product(), world.activity()
    world.add_application(product, world.build, name="second", member_ids=(world.vera.user_id, world.bob.user_id))
    world.add_application(product, name="first", activity_id=activity.id)
    other = world.new_project("Other")
    elsewhere = world.phase("Elsewhere", project_id=other.id)
    world.do(AddApplication(project_id=other.id, product_id=product.id, phase_id=elsewhere.id))
    lines = world.ask(ListApplications(project_id=world.project.id), as_=world.vera)
    assert [
        (line.application.name, line.product.name, line.phase, line.activity, [user.first_name for user in line.people])
        for line in lines
    ] == [
        ("first", "Asset library", "Discover", "Interviews", []),
        ("second", "Asset library", "Build", "", ["Bob", "Vera"]),
    ]
    assert [line.application.name for line in world.ask(GetPhase(phase_id=world.build.id)).applications] == ["second"]


def test_an_application_is_shown_with_place_people_launches_and_my_roles(world: World) -> None:
    lead = world.do(AddMetaRole(name="Keeper of pictures"))
    product = world.product("Asset library", uses_external_authorization=True, permission_codes=("EDIT",))
    world.do(
        AddApplicationRole(product_id=product.id, name="Editor", permission_codes=("EDIT",), meta_role_ids=(lead.id,))
    )
    world.do(SetMetaRoles(project_id=world.project.id, user_id=world.bob.user_id, meta_role_ids=(lead.id,)))
    activity = world.activity()
    held = world.add_application(product, activity_id=activity.id, member_ids=(world.bob.user_id,))
    world.add_application(world.product("Planner"))
    world.do(LaunchApplication(application_id=held.id), as_=world.bob)
    detail = world.ask(GetApplication(application_id=held.id), as_=world.bob)
    assert (detail.application.id, detail.product.name, detail.phase.name) == (held.id, "Asset library", "Discover")
    assert detail.activity is not None
    assert detail.activity.title == "Interviews"
    assert [user.first_name for user in detail.people] == ["Bob"]
    assert [(line.actor, line.summary) for line in detail.history] == [
        ("Bob Lind", "launched “Asset library”"),
        ("Maya Okafor", "added the application “Asset library” to “Interviews”"),
    ]
    assert detail.my_roles == ("Editor",)
    assert world.ask(GetApplication(application_id=held.id), as_=world.vera).my_roles == ()


def test_the_history_points_to_the_application(world: World) -> None:
    held = world.add_application()
    world.do(LaunchApplication(application_id=held.id))
    about = [line.about for line in world.ask(ListHistory(project_id=world.project.id))[:2]]
    assert [(each.kind, each.id) for each in about if each] == [("APPLICATION", held.id)] * 2


def cards(world: World) -> dict[Id, Card]:
    return {card.id: card for card in world.ask(GetCanvas(project_id=world.project.id)).cards}


def test_the_canvas_shows_applications_as_cards_and_on_their_activities(world: World) -> None:
    activity = world.activity()
    free = world.add_application(phase=world.build, due=DUE, member_ids=(world.bob.user_id,), name="Pictures")
    held = world.add_application(world.product("Planner"), activity_id=activity.id, name="Plan B")
    shown = cards(world)
    card = shown[free.id]
    assert (card.kind, card.status, card.title, card.holds) == (
        ItemKind.APPLICATION, None, "Pictures", "Asset library",
    )  # fmt: skip
    assert (card.phase_id, card.due, card.assignee_ids) == (world.build.id, DUE, (world.bob.user_id,))
    assert (shown[held.id].activity_id, shown[held.id].holds) == (activity.id, "Planner")
    assert shown[activity.id].holds == "Plan B"
    canvas = world.ask(GetCanvas(project_id=world.project.id))
    assert canvas.head.tally.total == 1
    assert [each.phase_id for each in canvas.cards] == [world.discover.id] * 2 + [world.build.id]
    world.do(EditProduct(product_id=free.product_id, name="Library of assets"))
    assert cards(world)[free.id].holds == "Library of assets"


def steps(world: World) -> list[Callable[[], Any]]:
    """Changes of applications, to be made one after the other."""
    activity, product = world.activity(), world.product()
    held = world.add_application(product, activity_id=activity.id)
    free = world.add_application(product, world.build)
    return [
        lambda: world.do(EditApplication(application_id=held.id, name="Renamed")),
        lambda: world.do(EditProduct(product_id=product.id, name="Renamed product")),
        lambda: world.do(SetApplicationDueDate(application_id=free.id, due=DUE)),
        lambda: world.do(AssignApplication(application_id=free.id, member_ids=(world.bob.user_id,))),
        lambda: world.do(AssignApplication(application_id=held.id, member_ids=(world.vera.user_id,))),
        lambda: world.do(LaunchApplication(application_id=held.id)),
        lambda: world.do(ReorderCard(card_id=activity.id, phase_id=world.launch.id)),
        lambda: world.do(ReorderApplication(application_id=held.id, phase_id=world.discover.id)),
        lambda: world.do(Undo(project_id=world.project.id)),
        lambda: world.do(RemoveMember(project_id=world.project.id, user_id=world.vera.user_id)),
        lambda: world.do(RemoveApplication(application_id=held.id)),
        lambda: world.do(Undo(project_id=world.project.id)),
        lambda: world.do(RemoveApplication(application_id=free.id)),
    ]


def test_changes_bring_an_old_canvas_up_to_date_after_each_step(world: World) -> None:
    todo = steps(world)
    shown = cards(world)
    seq = world.ask(GetCanvas(project_id=world.project.id)).head.seq
    for step in todo:
        step()
        changes = world.ask(GetCanvasChanges(project_id=world.project.id, since=seq))
        if changes is None:
            assert step is todo[1], "only a product that was renamed is in no history of the project"
            continue
        seq = changes.head.seq
        shown = {card_id: card for card_id, card in shown.items() if card_id not in changes.gone}
        shown |= {card.id: card for card in changes.changed}
        now = cards(world)
        assert shown.keys() == now.keys()
        fresh = [key for key, card in shown.items() if card.holds != "Asset library"]  # not the earlier product name
        assert [shown[key] for key in fresh] == [now[key] for key in fresh]
    assert "Asset library" not in {card.holds for card in shown.values()}


class Counting:
    """A transaction that counts its statements."""

    def __init__(self, tx: Any) -> None:
        self.tx, self.statements = tx, 0

    def __getattr__(self, name: str) -> Any:
        self.statements += 1
        return getattr(self.tx, name)


def test_without_applications_the_canvas_asks_one_question_more_than_it_has_tables(world: World) -> None:
    world.task()

    def count(tx: Any) -> int:
        counting: Any = Counting(tx)
        view = Snapshot(counting, world.maya, world.engine.clock(), world.project.id)
        GetCanvas(project_id=world.project.id).run(view)
        return int(counting.statements)

    assert world.database.read(count) <= 13
