"""The inbox, its count in the title line, the signal for more, and what is news on a Canvas."""

from __future__ import annotations

import asyncio
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from core.actions.cards.comments import AddComment
from core.actions.cards.tasks import EditTask
from core.actions.projects.last_visit import SetLastSeen
from core.actions.projects.projects import ArchiveProject, EditProject
from core.actions.workflow.phases import AssignPhase, EditPhase
from core.actions.workspace.credentials import CreateUserToken
from core.actions.workspace.profile import SetPreference
from core.actions.workspace.users import AddUser
from core.domain.model import Gate, PlatformRole
from core.engine.unit_of_work import Actor
from core.text.dates import in_full
from tests.support.app_driver import canvas, hides, on_stage, press, seen, settled, shows, told
from tests.support.waiting import until
from tests.support.workspace import Clock, World
from tui.screens.canvas.screen import CanvasScreen
from tui.screens.canvas.since_last_visit import SinceLastVisitActions
from tui.screens.cards.card import CardScreen
from tui.screens.personal.inbox import InboxScreen
from tui.screens.personal.settings import SettingsScreen
from tui.screens.phases.phase import PhaseScreen
from tui.screens.projects.history import HistoryScreen
from tui.services.unread_badge import UnreadBadge, desktop

WORKSPACE_ADMIN = PlatformRole.WORKSPACE_ADMIN


@pytest.fixture(autouse=True)
def today(clock: Clock) -> None:
    clock.now = datetime.now(UTC)


async def counted_at_the_start(app: Any) -> None:
    """Unread notifications at the start are counted without a signal."""
    async with asyncio.timeout(30):
        while not app.inbox._known:
            await asyncio.sleep(0.02)


def unread(world: World) -> int:
    return len(world.rows("SELECT * FROM notification WHERE read_at IS NULL"))


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_gates_and_dates_come_first_then_what_others_did(world: World, size: tuple[int, int]) -> None:
    world.do(EditPhase(phase_id=world.discover.id, gate=Gate.REVIEW))
    world.complete(world.task().id)
    late = world.task("Late", world.build, due=date.today() - timedelta(days=2), assignee_id=world.maya.user_id)
    world.do(AddComment(item_id=late.id, text="@maya [b]soon[/b]?"), as_=world.bob)
    async with on_stage(world, InboxScreen, size=size) as pilot:
        shown = seen(pilot)
        order = ["Waits for my decision", "1 Discover", "Late or due today", "2d late", "What others did", "Bob Lind"]
        places = [shown.index(words) for words in order]
        assert places == sorted(places)
        assert "Inbox · 1 unread" in shown


async def test_a_token_made_for_me_by_another_person_is_told_and_leads_to_access(world: World) -> None:
    world.do(AddUser(first_name="Ann", last_name="Berg", email="ann@example.com", platform_roles=(WORKSPACE_ADMIN,)))
    ann = Actor(world.row("app_user", login="ann")["id"])
    world.do(CreateUserToken(label="CI", user_id=world.maya.user_id), ann)
    async with on_stage(world, InboxScreen, size=(120, 40)) as pilot:
        assert "Who can act as you" in seen(pilot)
        assert "Ann Berg created it for you: anyone with it can act as you" in seen(pilot)
        await press(pilot, "enter")
        assert "Maya Okafor, made by Ann Berg" in seen(pilot)
    assert unread(world) == 0


async def test_a_date_takes_its_year_only_where_that_differs_and_leaves_the_room_to_the_project(
    world: World, clock: Clock
) -> None:
    world.do(EditProject(project_id=world.project.id, name="Spring launch of the new range"))
    now, seven = clock.now, timedelta(days=7)
    for at in (now - seven, now - timedelta(days=400)):
        clock.now = at
        task = world.task("Write", assignee_id=world.bob.user_id)
        world.do(AddComment(item_id=task.id, text="@maya?"), as_=world.bob)
    async with on_stage(world, InboxScreen, size=(120, 40)) as pilot:
        for at in (now - seven, now - timedelta(days=400)):
            day, year = in_full(at.astimezone().date()), f" {now.astimezone().year}"
            said = f"{day.removesuffix(year)} {at.astimezone():%H:%M}" if day.endswith(year) else day
            assert said in seen(pilot)
        assert "Spring launch of the new range" in seen(pilot)


async def test_enter_goes_to_the_card_on_its_canvas_and_marks_it_read(world: World) -> None:
    world.task("Other")
    task = world.task("Write", assignee_id=world.bob.user_id)
    world.do(AddComment(item_id=task.id, text="@bob?"))
    async with on_stage(world, InboxScreen, world.bob) as pilot:
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, CanvasScreen)
        assert pilot.card.id == task.id
        assert unread(world) == 0  # both are about the same card
        await press(pilot, "escape")
        assert "Your inbox is empty" in seen(pilot)


async def test_enter_on_a_phase_opens_it(world: World) -> None:
    world.do(AssignPhase(phase_id=world.build.id, member_ids=(world.bob.user_id,)))
    async with on_stage(world, InboxScreen, world.bob) as pilot:
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, PhaseScreen)


async def test_notifications_are_marked_read_and_unread_and_all_at_once(world: World) -> None:
    for title in ("One", "Two"):
        world.task(title, assignee_id=world.bob.user_id)
    async with on_stage(world, InboxScreen, world.bob) as pilot:
        await press(pilot, "x")
        assert unread(world) == 1
        assert await hides(pilot, "Two")
        await press(pilot, "A")
        assert "Two" in seen(pilot)
        await press(pilot, "home", "space")
        assert unread(world) == 2
        await press(pilot, "V")
        assert unread(world) == 0
        await press(pilot, "V")
        assert "Nothing is unread" in seen(pilot)


async def test_what_is_due_goes_by_itself(world: World) -> None:
    world.task("Late", due=date.today() - timedelta(days=1), assignee_id=world.maya.user_id)
    async with on_stage(world, InboxScreen) as pilot:
        await press(pilot, "x")
        assert "disappears automatically" in seen(pilot)


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_the_title_of_any_screen_counts_what_is_unread(world: World, size: tuple[int, int]) -> None:
    task = world.task()
    async with on_stage(world, SettingsScreen, world.bob, size) as pilot:
        assert "Settings" in seen(pilot).splitlines()[0]
        assert "inbox" not in seen(pilot).splitlines()[0]
        world.do(AddComment(item_id=task.id, text="@bob"))
        assert await shows(pilot, "inbox 1 ")
        await press(pilot, "g", "i", "V")
        assert await shows(pilot, "Your inbox is empty")
        assert await hides(pilot, "inbox 1")


@pytest.mark.parametrize(
    ("wanted", "via", "sent"),
    [
        ("", "local", []),
        ("bell", "local", ["bell"]),
        ("desktop", "ssh", [desktop(1), "bell"]),
        ("desktop", "browser", ["bell"]),
    ],
)
async def test_more_in_the_inbox_is_signalled_as_the_person_wants(
    world: World, monkeypatch: pytest.MonkeyPatch, wanted: str, via: str, sent: list[str]
) -> None:
    task = world.task()
    world.do(SetPreference(name="notify", value=wanted), as_=world.bob)
    heard: list[str] = []
    async with on_stage(world, SettingsScreen, world.bob) as pilot:
        app: Any = pilot.app
        app.via = via
        monkeypatch.setattr(app, "bell", lambda: heard.append("bell"))
        monkeypatch.setattr(app, "write_to_terminal", heard.append)
        await counted_at_the_start(app)
        assert heard == []
        world.do(AddComment(item_id=task.id, text="@bob"))
        assert await shows(pilot, "inbox 1 ")
        await until(lambda: len(heard) >= len(sent))
        assert heard == sent


async def test_a_burst_of_changes_is_counted_once_and_with_the_last_of_them(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = world.task()
    counts: list[int] = []
    count = UnreadBadge.count

    async def counted(watch: UnreadBadge) -> None:
        await count(watch)
        counts.append(watch.unread)

    monkeypatch.setattr(UnreadBadge, "count", counted)
    async with on_stage(world, SettingsScreen, world.bob) as pilot:
        app: Any = pilot.app
        await counted_at_the_start(app)
        counts.clear()
        for number in range(4):
            world.do(AddComment(item_id=task.id, text=f"@bob {number}"))
            await app.inbox.hear()
        assert await shows(pilot, "inbox 4 ")
        assert len(counts) <= 3, "each change was counted"


# -- news on a canvas ------------------------------------------------------------------------------------------


def seen_seq(world: World) -> int | None:
    rows = world.rows("SELECT seq FROM last_seen WHERE user_id = :bob", bob=world.bob.user_id)
    return rows[0]["seq"] if rows else None


def last_seq(world: World) -> int:
    return int(world.row("feed", id=world.project.id)["seq"])


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The projects of which a Canvas has asked what is new, and has the answer."""
    asked: list[str] = []
    ask = SinceLastVisitActions._ask

    async def noted(keys: SinceLastVisitActions) -> None:
        await ask(keys)
        asked.append(keys.screen.project_id)

    monkeypatch.setattr(SinceLastVisitActions, "_ask", noted)
    return asked


async def test_a_first_visit_says_nothing_and_is_remembered(world: World, asked: list[str]) -> None:
    world.task("First")
    async with on_stage(world, canvas(world), world.bob) as pilot:
        await until(lambda: asked)
        await settled(pilot)
        assert "First" in seen(pilot)
        assert "since your last visit" not in seen(pilot)
        assert seen_seq(world) is None
        await press(pilot, "W")
        assert "Nothing new" in seen(pilot)
    assert seen_seq(world) == last_seq(world)


async def test_what_others_did_meanwhile_is_said_and_shown(world: World, asked: list[str]) -> None:
    world.do(SetLastSeen(project_id=world.project.id, seq=last_seq(world)), as_=world.bob)
    task = world.task("New")
    world.do(EditTask(task_id=task.id, title="Own"), as_=world.bob)
    world.do(EditTask(task_id=task.id, title="Newest"))
    async with on_stage(world, canvas(world), world.bob) as pilot:
        assert await shows(pilot, "W shows 2 changes by Maya Okafor since your last visit")
        await press(pilot, "W")
        assert isinstance(pilot.app.screen, HistoryScreen)
        shown = seen(pilot)
        assert "renamed “Own” to “Newest”" in shown
        assert not any("renamed “new”" in line.searched for line in pilot.app.screen.listing.lines)
        assert await shows(pilot, "Maya Okafor can undo it with u")
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, CardScreen)
        await press(pilot, "escape", "escape", "W")
        assert "Newest" in seen(pilot)  # the same news during the whole stay
    assert seen_seq(world) == last_seq(world)
    asked.clear()
    async with on_stage(world, canvas(world), world.bob) as pilot:
        await until(lambda: asked)
        await settled(pilot)
        assert "Newest" in seen(pilot)
        assert "since your last visit" not in seen(pilot)


async def test_what_is_new_is_said_where_it_covers_nothing_until_a_key_is_pressed(world: World) -> None:
    world.do(SetLastSeen(project_id=world.project.id, seq=last_seq(world)), as_=world.bob)
    world.task("New")
    async with on_stage(world, canvas(world), world.bob, size=(80, 24)) as pilot:
        assert await shows(pilot, "W shows 1 change by Maya Okafor since your last visit")
        assert seen(pilot).splitlines()[-2].startswith(" W shows")
        assert not told(pilot)
        await press(pilot, "j")
        assert "W shows" not in seen(pilot)
        assert seen(pilot).splitlines()[-2].startswith(" New, ")


async def test_changes_during_a_visit_are_not_listed_at_the_next(world: World) -> None:
    async with on_stage(world, canvas(world), world.bob) as pilot:
        world.task("Meanwhile")
        assert await shows(pilot, "Meanwhile")
    assert seen_seq(world) == last_seq(world)


async def test_an_archived_project_is_not_marked_and_a_failure_is_quiet(world: World, monkeypatch: Any) -> None:
    world.do(ArchiveProject(project_id=world.project.id))
    async with on_stage(world, canvas(world), world.bob):
        pass
    assert seen_seq(world) is None
