"""The Card screen: what a key does is in the database and on the screen."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta

import pytest

from core.actions.cards.activities import AssignActivity
from core.actions.cards.cards import DeleteCard
from core.actions.cards.comments import AddComment
from core.actions.cards.tasks import EditTask
from core.actions.projects.imports import ImportProject
from core.domain.model import Item, Status
from tests.support.app_driver import Text, on_stage, press, seen, settled, shows
from tests.support.sweeps import sizes
from tests.support.workspace import World
from tests.unit.import_export.test_imported_by import FORGED
from tui.screens.canvas.screen import CanvasScreen
from tui.screens.cards.card import CardScreen
from tui.wording.facts import due_words

HOSTILE = "[red]A[/] [@click=app.bell]b[/"


def card(world: World, item: Item) -> Callable[[], CardScreen]:
    return lambda: CardScreen(world.project.id, item.id)


async def test_a_card_shows_its_fields_comments_and_history(world: World) -> None:
    item = world.activity(
        "Interviews", description="Three in Lagos.", link="https://example.com/plan", due=date.today()
    )
    world.do(AssignActivity(activity_id=item.id, member_ids=(world.bob.user_id,)))
    world.do(AddComment(item_id=item.id, text="Two agreed."), as_=world.bob)
    async with on_stage(world, card(world, item)) as pilot:
        shown = seen(pilot)
        for words in (
            "◇  Interviews",
            "To Do",
            "Discover  ◐ open",
            "Bob Lind",
            "today",
            "https://example.com/plan",
            "Three in Lagos.",
            "Two agreed.",
            "Maya Okafor added the",
            "No tasks in it yet · n to add one",
        ):
            assert words in shown


async def test_empty_rows_are_there_with_their_keys(world: World) -> None:
    async with on_stage(world, card(world, world.task("Bare"))) as pilot:
        for words in (
            "normal · # to change it",
            "none · # to add some",
            "nothing · & to choose",
            "no date · D to set one",
        ):
            assert words in seen(pilot)


async def test_an_imported_comment_says_who_imported_it(world: World) -> None:
    project = world.do(ImportProject(document=FORGED))
    task = world.row("item", project_id=project.id)["id"]
    async with on_stage(world, lambda: CardScreen(project.id, task)) as pilot:
        assert "Maya Okafor, imported by Maya Okafor" in seen(pilot)


async def test_in_the_list_of_tasks_keys_act_on_the_task_and_above_it_on_the_activity(world: World) -> None:
    activity = world.activity()
    first = world.task("First", activity_id=activity.id)
    second = world.task("Second", activity_id=activity.id)
    async with on_stage(world, card(world, activity)) as pilot:
        await press(pilot, "j", "j", "c")
        assert (world.status(first), world.status(second)) == (Status.TO_DO, Status.COMPLETED)
        assert "1/2" in seen(pilot)
        assert "❯ ✓ Second" in seen(pilot)
        await press(pilot, "k", "c", "k", "c")
        assert world.status(first) == Status.COMPLETED
        assert world.status(activity) == Status.COMPLETED


async def test_enter_opens_the_task_and_esc_comes_back(world: World) -> None:
    activity = world.activity("Interviews")
    world.task("Call Ada", activity_id=activity.id)
    async with on_stage(world, card(world, activity)) as pilot:
        await press(pilot, "j", "enter")
        assert "○  Call Ada" in seen(pilot)
        assert "Activity" in seen(pilot)
        await press(pilot, "escape")
        assert "◇  Interviews" in seen(pilot)


async def test_n_adds_a_task_to_the_activity(world: World) -> None:
    activity = world.activity("Interviews")
    async with on_stage(world, card(world, activity)) as pilot:
        await press(pilot, "n", Text("Call Ada"), "enter")
        row = world.row("item", title="Call Ada")
        assert row["activity_id"] == activity.id
        assert "❯ ○ Call Ada" in seen(pilot)


async def test_a_task_holds_no_tasks_and_has_no_link(world: World) -> None:
    async with on_stage(world, card(world, world.task())) as pilot:
        await press(pilot, "n")
        assert "A task holds no tasks; activities do." in seen(pilot)
        await press(pilot, "o")
        assert "There is no application and no link on this card." in seen(pilot)


async def test_e_edits_and_another_hand_in_between_is_not_overwritten(world: World) -> None:
    task = world.task("Brief")
    async with on_stage(world, card(world, task)) as pilot:
        await press(pilot, "e", Text(" v2"), "ctrl+s")
        assert world.row("item", id=task.id)["title"] == "Brief v2"
        await press(pilot, "e")
        world.do(EditTask(task_id=task.id, title="By Bob"), as_=world.bob)
        await press(pilot, Text("!"), "ctrl+s")
        assert world.row("item", id=task.id)["title"] == "By Bob"
        assert await shows(pilot, "Brief v2!")


async def test_i_adds_me_to_the_people_of_an_activity(world: World) -> None:
    activity = world.activity()
    world.do(AssignActivity(activity_id=activity.id, member_ids=(world.bob.user_id,)))
    async with on_stage(world, card(world, activity)) as pilot:
        await press(pilot, "i")
        assert {row["user_id"] for row in world.rows("SELECT * FROM assignment")} == {
            world.bob.user_id,
            world.maya.user_id,
        }


async def test_a_comment_of_several_lines_is_added(world: World) -> None:
    task = world.task()
    async with on_stage(world, card(world, task)) as pilot:
        await press(pilot, "C", Text("One"), "enter", Text("Two"), "ctrl+s")
        assert world.row("comment", item_id=task.id)["text"] == "One\nTwo"
        assert "Two" in seen(pilot)


async def test_what_blocks_a_card_is_said_and_leads_to_it(world: World) -> None:
    world.task("Interview Ada")
    task = world.task("Build the page", world.build)
    async with on_stage(world, card(world, task)) as pilot:
        assert "⊘ “Build the page” cannot start" in seen(pilot)
        await press(pilot, "w")
        assert "Interview Ada" in seen(pilot)
        await press(pilot, "enter")
        assert "○  Interview Ada" in seen(pilot)


async def test_archive_restore_and_delete_for_good(world: World) -> None:
    world.task("Stays")
    task = world.task("Goes")
    async with on_stage(world, lambda: CanvasScreen(world.project.id, task.id)) as pilot:
        await press(pilot, "enter", "d")
        assert world.status(task) == Status.ARCHIVED
        await press(pilot, "r")
        assert world.status(task) == Status.TO_DO
        await press(pilot, "d", "full_stop")
        assert "Delete from the archive for good" in seen(pilot)
        await press(pilot, "escape")
        world.do(DeleteCard(card_id=task.id))
        assert await shows(pilot, "“Goes” is not here any more.")
        assert isinstance(pilot.app.screen, CanvasScreen)


async def test_a_link_under_ssh_is_copied_and_shown(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    activity = world.activity(link="https://example.com/plan")
    async with on_stage(world, card(world, activity)) as pilot:
        opened: list[str] = []
        monkeypatch.setattr(pilot.app, "open_url", opened.append)
        pilot.app.via = "ssh"
        await press(pilot, "o")
        assert "Copied the link: https://example.com/plan" in seen(pilot)
        assert pilot.app.clipboard == "https://example.com/plan"
        pilot.app.via = "browser"
        await press(pilot, "o")
        assert opened == ["https://example.com/plan"]


async def test_a_link_that_is_no_web_address_is_never_opened(world: World) -> None:
    activity = world.activity(link="https://example.com")
    world.database.write(lambda tx: tx.execute("UPDATE item SET link = :link", link="file:///etc/passwd"))
    async with on_stage(world, card(world, activity)) as pilot:
        await press(pilot, "o")
        assert "must start with https://" in seen(pilot)


@sizes((80, 24), (1, 1), swept=[(40, 12), (110, 30), (200, 60)])
async def test_hostile_texts_stand_as_written_at_every_size(world: World, size: tuple[int, int]) -> None:
    item = world.activity(HOSTILE, description=HOSTILE)
    world.task(HOSTILE, activity_id=item.id)
    world.do(AddComment(item_id=item.id, text=HOSTILE))
    async with on_stage(world, card(world, item), size=size) as pilot:
        await press(pilot, "j", "tab", "j", "pagedown", "k", "shift+tab", "k", "k")
        if size[0] >= 80:
            assert f"◇  {HOSTILE}" in seen(pilot)
        strips = pilot.app.screen._compositor.render_strips()
        assert not any(segment.style and segment.style.meta.get("@click") for strip in strips for segment in strip)
        await pilot.resize_terminal(120, 40)
        await settled(pilot)
        assert HOSTILE in seen(pilot)


def test_a_due_date_says_how_near_it_is_only_while_that_matters() -> None:
    today = date(2026, 3, 2)
    assert due_words(date(2026, 3, 3), today, False).plain == "Tue 3 Mar 2026  tomorrow"
    assert due_words(date(2026, 3, 5), today, False).plain == "Thu 5 Mar 2026  3 days away"
    assert due_words(date(2026, 2, 27), today, False).plain == "Fri 27 Feb 2026  3d late"
    assert due_words(date(2025, 2, 27), today, False).plain == "Thu 27 Feb 2025  long past"
    assert due_words(date(2026, 3, 3), today, True).plain == "Tue 3 Mar 2026"
    assert due_words(date(2026, 4, 3), today, False).plain == "Fri 3 Apr 2026"
    assert due_words(None, today, False).plain == ""


async def test_a_completed_task_is_never_late(world: World) -> None:
    activity = world.activity("Films")
    done = world.task("Book the crew", activity_id=activity.id, due=date.today() - timedelta(days=6))
    world.task("Shoot", activity_id=activity.id, due=date.today() - timedelta(days=3))
    world.complete(done.id)
    async with on_stage(world, card(world, activity)) as pilot:
        lines = seen(pilot).splitlines()
        assert "late" not in next(line for line in lines if "✓ Book the crew" in line)
        assert "3d late" in next(line for line in lines if "○ Shoot" in line)


async def test_the_description_stands_under_the_title_and_the_history_is_folded_to_three(world: World) -> None:
    task = world.task("Write", description="Two pages.")
    for number in range(5):
        world.do(EditTask(task_id=task.id, title=f"Write {number}"))
    async with on_stage(world, card(world, task)) as pilot:
        shown = seen(pilot)
        assert shown.index("Write 4") < shown.index("Two pages.") < shown.index("Status ")
        assert shown.count("Maya Okafor") == 3 + shown.splitlines()[0].count("Maya Okafor")
        assert "3 more · tab" in shown
        await press(pilot, "tab")
        assert await shows(pilot, "Maya Okafor added")
        assert "more · tab" not in seen(pilot)
