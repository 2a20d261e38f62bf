"""The Application screen, and applications on the Card and the Phase screen."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import date, timedelta

import pytest
from textual.pilot import Pilot

from core.actions.cards.applications import AssignApplication, EditApplication, RemoveApplication
from core.actions.products.launch import LaunchApplication
from core.actions.products.products import AddApplicationRole, RetireProduct
from core.actions.projects.projects import LinkProject
from core.actions.workspace.hierarchy import AddNode
from core.actions.workspace.meta_roles import ListMetaRoles
from core.domain.model import NodeKind
from core.domain.products.products import Application, LaunchKind
from tests.support.app_driver import Text, comes, hides, on_stage, press, seen, settled, shows
from tests.support.sweeps import sizes
from tests.support.workspace import World
from tui.dialogs.form import FormDialog
from tui.screens.canvas.screen import CanvasScreen
from tui.screens.cards.card import CardScreen
from tui.screens.phases.contents import ApplicationRows
from tui.screens.phases.phase import PhaseScreen
from tui.screens.products.application import ApplicationScreen
from tui.screens.projects.history import HistoryScreen, ProjectHistory

HOSTILE = "[red]A[/] [@click=app.bell]b[/"


def on(world: World, application: Application) -> Callable[[], ApplicationScreen]:
    return lambda: ApplicationScreen(world.project.id, application.id)


def phase(world: World) -> Callable[[], PhaseScreen]:
    return lambda: PhaseScreen(world.project.id, world.discover.id)


async def test_it_shows_product_place_people_requirements_roles_and_launches(world: World) -> None:
    client = world.do(AddNode(kind=NodeKind.CLIENT, name="Halden"))
    world.do(LinkProject(project_id=world.project.id, client_id=client.id))
    product = world.product(
        required_context=(NodeKind.CLIENT,),
        uses_external_authorization=True,
        permission_codes=("SEE",),
        description="Films and photographs.",
    )
    lead = next(line.meta_role.id for line in world.ask(ListMetaRoles()) if line.meta_role.name == "Lead")
    world.do(AddApplicationRole(product_id=product.id, name="Editor", permission_codes=("SEE",), meta_role_ids=(lead,)))
    held = world.add_application(product, activity_id=world.activity().id, due=date.today())
    world.do(AssignApplication(application_id=held.id, member_ids=(world.bob.user_id,)))
    world.do(LaunchApplication(application_id=held.id), as_=world.bob)
    async with on_stage(world, on(world, held)) as pilot:
        shown = seen(pilot)
        for words in (
            "⊞  Asset library",
            "Asset library  web product",
            "https://assets.example/",
            "Discover",
            "Interviews",
            "Bob Lind",
            "today",
            "a client",
            "granted by Podium",
            "Editor",
            "Films and photographs.",
            "Bob Lind launched",
            "Maya Okafor added",
        ):
            assert words in shown
    async with on_stage(world, on(world, held), as_=world.vera) as pilot:
        assert "none follows from your meta roles" in seen(pilot)


async def test_it_is_renamed_dated_assigned_moved_and_removed(world: World) -> None:
    held = world.add_application()
    async with on_stage(world, on(world, held)) as pilot:
        await press(pilot, "e", Text(" plan"), "enter", "D", Text("tomorrow"), "enter", "i", "a", Text("bob"))
        await press(pilot, "space", "enter", "m", Text("build"), "enter")
        row = world.row("application", id=held.id)
        assert (row["name"], row["due"]) == ("Asset library plan", (date.today() + timedelta(days=1)).isoformat())
        assert row["phase_id"] == world.build.id
        people = {row["user_id"] for row in world.rows("SELECT * FROM assignment WHERE target_id = :id", id=held.id)}
        assert people == {world.bob.user_id, world.maya.user_id}
        assert "⊞  Asset library plan" in seen(pilot)
        assert "Bob Lind" in seen(pilot)
        assert "tomorrow" in seen(pilot)
        await press(pilot, "d")
        assert not world.rows("SELECT * FROM application")
        assert "Removed the application “Asset library plan”." in seen(pilot)


async def test_another_hand_in_between_is_not_overwritten(world: World) -> None:
    held = world.add_application()
    async with on_stage(world, on(world, held)) as pilot:
        await press(pilot, "e")
        world.do(EditApplication(application_id=held.id, name="By another hand"))
        await press(pilot, Text("!"), "enter")
        assert world.row("application")["name"] == "By another hand"
        assert await shows(pilot, "Asset library!")


async def open_application(pilot: Pilot[int]) -> None:
    """Open the page of an application from the palette, on the page of a phase."""
    await press(pilot, "colon", Text("page of an application"))
    assert await hides(pilot, "Previous phase")
    await press(pilot, "enter")
    assert await hides(pilot, "Find anything")


async def test_it_closes_when_another_user_removes_it(world: World) -> None:
    held = world.add_application()
    async with on_stage(world, phase(world)) as pilot:
        await open_application(pilot)
        assert isinstance(pilot.app.screen, ApplicationScreen)
        world.do(RemoveApplication(application_id=held.id))
        assert await shows(pilot, "“Asset library” is not here any more.")
        assert isinstance(pilot.app.screen, PhaseScreen)


async def test_removed_under_an_open_form_it_closes_only_after_the_form(world: World) -> None:
    """Keys that are typed on must not reach the screen below."""
    application = world.add_application()
    async with on_stage(world, lambda: CanvasScreen(world.project.id)) as pilot:
        await press(pilot, "enter", "D")
        world.do(RemoveApplication(application_id=application.id))
        screen = pilot.app.visible_screen
        assert screen is not None
        await screen.refresh_from_core()
        assert isinstance(pilot.app.screen, FormDialog)
        assert await shows(pilot, "This was deleted while the form was open.")  # later it would end the warning of esc
        await press(pilot, Text("fri"), "enter")
        assert await shows(pilot, "not here any more")
        form = pilot.app.screen
        assert isinstance(form, FormDialog)
        assert await comes(pilot, lambda: not form.is_saving)  # esc does nothing meanwhile
        await press(pilot, "escape", "escape")
        assert isinstance(pilot.app.screen, CanvasScreen)
        assert world.rows("SELECT * FROM application") == []


async def test_the_keys_lead_to_its_activity_and_its_phase(world: World) -> None:
    held = world.add_application(activity_id=world.activity().id)
    loose = world.add_application(world.product("Planner"))
    async with on_stage(world, on(world, held)) as pilot:
        await press(pilot, "enter")
        assert "◇  Interviews" in seen(pilot)
        await press(pilot, "escape", "p")
        assert "1  Discover" in seen(pilot)
    async with on_stage(world, on(world, loose)) as pilot:
        await press(pilot, "enter")
        assert "No activity holds it" in seen(pilot)
        assert isinstance(pilot.app.screen, ApplicationScreen)


async def test_the_history_leads_to_an_application(world: World) -> None:
    world.add_application()
    async with on_stage(world, lambda: HistoryScreen(ProjectHistory(world.project.id))) as pilot:
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, ApplicationScreen)
        assert "⊞  Asset library" in seen(pilot)


async def test_the_context_is_seen_copied_and_launched_from_there(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = world.add_application()
    async with on_stage(world, on(world, held)) as pilot:
        opened: list[str] = []
        monkeypatch.setattr(pilot.app, "open_url", opened.append)
        pilot.app.via = "browser"
        await press(pilot, "O")
        shown = seen(pilot)
        for words in ('"project": {', f'"id": "{held.id}"', '"brand": null', "https://assets.example/", "#context=…"):
            assert words in shown
        await press(pilot, "Y")
        assert not world.rows("SELECT * FROM launch")
        copied = pilot.app.clipboard
        await press(pilot, "enter")
        assert json.loads(copied) == json.loads(world.row("launch")["context"])
        assert copied == world.row("launch")["context"]
        assert opened[0].startswith("https://assets.example/#context=")
        assert "Launched “Asset library” in the browser." in seen(pilot)
        await press(pilot, "Y")
        assert "Copied the context." in seen(pilot)
        assert "Maya Okafor launched" in seen(pilot)


async def test_a_terminal_product_is_refused_in_a_browser_before_anything_is_recorded(world: World) -> None:
    product = world.product("Sketchbook", kind=LaunchKind.TERMINAL, url="", command=("true",))
    held = world.add_application(product)
    async with on_stage(world, on(world, held)) as pilot:
        pilot.app.via = "browser"
        await press(pilot, "O")
        assert "PODIUM_LAUNCH_CONTEXT" in seen(pilot)
        await press(pilot, "o")
        assert "runs in a terminal" in seen(pilot)
        assert "none here" not in seen(pilot), "which is what is said without a terminal, as in this test"
        await press(pilot, "o")
        assert not world.rows("SELECT * FROM launch")


async def test_a_viewer_looks_and_is_told_why_not_more(world: World) -> None:
    held = world.add_application()
    async with on_stage(world, on(world, held), as_=world.vera) as pilot:
        for key in ("o", "e", "d", "D"):
            await press(pilot, key)
            assert "viewer" in seen(pilot).lower()
        await press(pilot, "O")
        assert "Launch context of" in seen(pilot)
        await press(pilot, "o")
        assert "viewer" in seen(pilot).lower()
        assert not world.rows("SELECT * FROM launch")
        assert world.row("application", id=held.id)["version"] == held.version


async def test_a_phase_lists_its_applications_and_adds_one_that_fits(world: World) -> None:
    fits = world.product()
    world.product("Insight board", required_context=(NodeKind.CLIENT,))
    async with on_stage(world, phase(world)) as pilot:
        assert "None yet · + to add one" in seen(pilot)
        await press(pilot, "o")
        assert "No application here." in seen(pilot)
        await press(pilot, "plus")
        assert "Insight board" in seen(pilot)
        await press(pilot, Text("insight"), "enter")
        assert "does not fit this project: it is for projects" in seen(pilot)
        assert "linked to a client. Link a client, or choose another product." in seen(pilot)
        await press(pilot, *["backspace"] * 7, "enter", Text(" one"), "ctrl+s")
        row = world.row("application")
        assert (row["name"], row["product_id"], row["phase_id"]) == ("Asset library one", fits.id, world.discover.id)
        assert re.search("⊞ Asset library one +Asset library", seen(pilot))
        rows = pilot.app.screen.query_one(ApplicationRows)
        await pilot.click(rows, offset=(4, 0), times=2)
        await settled(pilot)
        assert "⊞  Asset library one" in seen(pilot)


async def test_of_several_applications_one_is_picked(world: World) -> None:
    world.add_application()
    world.add_application(world.product("Planner"), name="Plan")
    async with on_stage(world, phase(world)) as pilot:
        await open_application(pilot)
        await press(pilot, Text("plan"), "enter")
        assert await shows(pilot, "⊞  Plan")


async def test_what_fails_in_between_is_said_in_the_form(world: World) -> None:
    product = world.product()
    async with on_stage(world, phase(world)) as pilot:
        await press(pilot, "plus", "enter")
        world.do(RetireProduct(product_id=product.id))
        await press(pilot, "ctrl+s")
        assert await shows(pilot, "is retired")
        assert not world.rows("SELECT * FROM application")


async def test_a_card_adds_an_application_shows_it_and_launches_it(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    activity = world.activity(link="https://example.com/plan")
    world.product()
    async with on_stage(world, lambda: CardScreen(world.project.id, activity.id)) as pilot:
        opened: list[str] = []
        monkeypatch.setattr(pilot.app, "open_url", opened.append)
        pilot.app.via = "browser"
        await press(pilot, "O")
        assert "There is no application on this card." in seen(pilot)
        await press(pilot, "o")
        assert opened == ["https://example.com/plan"]
        await press(pilot, "plus", "enter", "ctrl+s")
        assert world.row("application")["activity_id"] == activity.id
        assert "⊞ Asset library  o to launch it" in seen(pilot)
        await press(pilot, "plus")
        assert "It holds an application already." in seen(pilot)
        await press(pilot, "o", "a")
        assert world.row("launch")["application_id"] == world.row("application")["id"]
        assert opened[1].startswith("https://assets.example/#context=")
        await press(pilot, "O")
        assert "Launch context of “Asset library”" in seen(pilot)
        await press(pilot, "escape", "Y")
        assert json.loads(pilot.app.clipboard)["project"]["items"][0]["activityId"] == activity.id


async def test_a_task_holds_no_application(world: World) -> None:
    task = world.task()
    async with on_stage(world, lambda: CardScreen(world.project.id, task.id)) as pilot:
        await press(pilot, "plus")
        assert "A task holds no application" in seen(pilot)


@sizes((80, 24), (1, 1), swept=[(40, 12), (200, 60)])
async def test_hostile_texts_stand_as_written_at_every_size(world: World, size: tuple[int, int]) -> None:
    held = world.add_application(world.product(HOSTILE, description=HOSTILE), name=HOSTILE)
    async with on_stage(world, on(world, held), size=size) as pilot:
        await press(pilot, "j", "tab", "j", "pagedown", "k", "O", "j", "escape", "full_stop", "escape")
        if size[0] >= 80:
            assert f"⊞  {HOSTILE}" in seen(pilot)
        strips = pilot.app.screen._compositor.render_strips()
        assert not any(segment.style and segment.style.meta.get("@click") for strip in strips for segment in strip)
        await pilot.resize_terminal(120, 40)
        await settled(pilot)
        assert HOSTILE in seen(pilot)
