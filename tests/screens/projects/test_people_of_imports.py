"""The people of a file in the preview of its import: who is someone here, and who is invited."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.actions.projects.members import InviteMember, RemoveMember
from core.domain.model import ProjectRole
from tests.screens.projects.test_import_screen import change, go_to, preview, preview_here
from tests.support.app_driver import Text, press, seen, shows
from tests.support.workspace import World


@pytest.mark.parametrize(
    "table",
    ["Assignee\nA,Zed Zeller <zed@x.example>\n", "Assignee,Assignee Email\nA,Zed Zeller,zed@x.example\n"],
    ids=["in one cell", "in two"],
)
async def test_a_person_with_an_address_is_said_to_be_someone_here(world: World, tmp_path: Path, table: str) -> None:
    async with preview(world, tmp_path / "plan.csv", f"Title,{table}") as pilot:
        await change(pilot, "Zed Zeller (zed@x.example)", Text("bob"), "enter")
        assert await shows(pilot, "People: 1 of 1")
        await press(pilot, "ctrl+s")
        assert await shows(pilot, "Imported “plan” with 1 card.")
    card = world.row("item", title="A")
    assert card["assignee_id"] == world.bob.user_id
    assert card["description"] == "Assignee: Zed Zeller (zed@x.example)", "the address is not lost"


async def test_space_on_a_person_of_the_workspace_invites_them_to_the_project(world: World, tmp_path: Path) -> None:
    text = "Title,Assigned\nRead,Zed\nWrite,gus\nPlan,Gus Roy\n"
    async with preview_here(world, tmp_path / "plan.csv", text) as pilot:
        assert "People: 0 of 3 are members" in seen(pilot)
        await go_to(pilot, "Zed")
        await press(pilot, "space")
        assert await shows(pilot, "Space is for changes of cards")
        await go_to(pilot, "gus")
        assert "no member, so words: space invites" in seen(pilot)
        await press(pilot, "space")
        assert await shows(pilot, "invited, as contributor")
        assert "Into the project: 3 new cards and 1 new member" in seen(pilot)
        assert (seen(pilot).count("invited, as contributor"), "0 of 3 are members" in seen(pilot)) == (2, True)
        await go_to(pilot, "Gus Roy")
        await press(pilot, "space")
        assert await shows(pilot, "space invites")
        await press(pilot, "u")
        assert await shows(pilot, "invited, as contributor")
        world.do(InviteMember(project_id=world.project.id, user_id=world.gus.user_id, role=ProjectRole.VIEWER))
        await press(pilot, "ctrl+s")
        assert await shows(pilot, "2 of 3 are members"), seen(pilot)
        assert "invited, as contributor" not in seen(pilot)
        world.do(RemoveMember(project_id=world.project.id, user_id=world.gus.user_id))
        await press(pilot, "R")
        assert await shows(pilot, "invited, as contributor")
        await press(pilot, "ctrl+s")
        assert await shows(pilot, "Imported into “Spring launch”: 3 new cards and 1 new member."), seen(pilot)
    assert world.row("member", user_id=world.gus.user_id)["project_id"] == world.project.id
    assert world.row("item", title="Write")["assignee_id"] == world.gus.user_id
