"""The calendar of a project: a month by keys, the cards of a day, and every key of a card there too."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from core.actions.cards.tasks import AssignTask
from core.actions.workflow.phases import SetPhaseDueDate
from core.actions.workspace.profile import SetPreference
from core.domain.model import Id
from core.text.dates import in_full
from tests.support.app_driver import Text, on_stage, press, screen_of, seen, settled, shows
from tests.support.workspace import Clock, World
from tui.drawing.styles import BackgroundRole, TextRole
from tui.screens.phases.phase import PhaseScreen
from tui.screens.views.calendar import CalendarScreen
from tui.screens.views.filtering import CardFilter
from tui.widgets.month_grid import Month, weeks_of

SIZES = ((80, 24), (120, 40), (200, 60))


@pytest.fixture(autouse=True)
def today(clock: Clock) -> date:
    clock.now = datetime.now(UTC)
    return date.today()


def calendar(world: World, focus: Id | None = None) -> Callable[[], CalendarScreen]:
    return lambda: CalendarScreen(world.project.id, focus)


@pytest.mark.parametrize(
    ("month", "first", "weeks"),
    [
        (date(2026, 2, 14), date(2026, 1, 26), 5),
        (date(2027, 2, 1), date(2027, 2, 1), 4),
        (date(2026, 12, 31), date(2026, 11, 30), 5),
        (date(2027, 1, 1), date(2026, 12, 28), 5),
        (date(2026, 8, 9), date(2026, 7, 27), 6),
    ],
)
def test_a_month_has_the_weeks_it_has_days_in(month: date, first: date, weeks: int) -> None:
    mondays = weeks_of(month)
    assert (mondays[0], len(mondays)) == (first, weeks)
    assert mondays == [first + timedelta(days=7 * number) for number in range(weeks)]
    assert any(monday <= month < monday + timedelta(days=7) for monday in mondays)


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_the_month_shows_what_is_due_and_says_what_has_no_date(
    world: World, today: date, size: tuple[int, int]
) -> None:
    world.task("Print", due=today)
    world.task("Someday")
    async with on_stage(world, calendar(world), size=size) as pilot:
        shown = seen(pilot)
        assert f"{today:%B %Y} · 1 due · 1 without a date" in shown
        assert shown.count("Print") >= 2
        assert "Someday" not in shown
        assert f"{today.day} today" in shown


async def test_a_key_asks_the_filter_about_no_card(world: World, today: date, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cards are sorted by day once, so that a key does not take longer in a large project."""
    for number in range(5):
        world.task(f"Task {number}", due=today + timedelta(days=number - 2))
    asked, left_of = list[object](), CardFilter._left_of

    def counted(self: CardFilter, cards: Any, only: Any) -> Any:
        asked.append(only)
        return left_of(self, cards, only)

    monkeypatch.setattr(CardFilter, "_left_of", counted)
    async with on_stage(world, calendar(world)) as pilot:
        assert asked
        asked.clear()
        await press(pilot, "l", "h", "j", "k", "tab")
        assert asked == []
        await press(pilot, "h", "d")
        assert [row["title"] for row in world.rows("SELECT title FROM item WHERE status = 'ARCHIVED'")] == ["Task 2"]
        assert len(asked) == 1
        assert "Task 2" not in [card.title for card in pilot.view.presenter.list_shown()]


async def test_titles_go_on_below_where_a_day_has_lines_left(world: World, today: date) -> None:
    title = "Interviews with customers in four countries and two languages"
    other = "Print"
    for each in (title, other):
        world.task(each, due=today)

    def month_lines() -> list[str]:
        month = pilot.app.screen.query_one(Month)
        left = month._left + today.weekday() * month._cell
        return [line[left : left + month._cell].strip(" ○") for line in seen(pilot).splitlines()]

    async with on_stage(world, calendar(world), size=(200, 60)) as pilot:
        lines = month_lines()
        at = next(number for number, line in enumerate(lines) if line.startswith("Interv"))
        assert " ".join(lines[at : lines.index(other)]) == title
        await pilot.resize_terminal(130, 24)  # two lines for two cards
        await settled(pilot)
        lines = month_lines()
        at = next(number for number, line in enumerate(lines) if line.startswith("Interv"))
        assert lines[at + 1] == other


async def test_keys_move_by_day_week_and_month_and_back_to_today(world: World, today: date) -> None:
    async with on_stage(world, calendar(world)) as pilot:
        screen = screen_of(pilot, CalendarScreen)
        for key, days in (("l", 1), ("j", 7), ("h", -1), ("k", -7)):
            before = screen.presenter.day
            await press(pilot, key)
            assert screen.presenter.day - before == timedelta(days=days)
        screen.presenter.go(date(2027, 1, 31))
        await press(pilot, "pagedown")
        assert screen.presenter.day == date(2027, 2, 28)
        await press(pilot, "pageup", "pageup")
        assert screen.presenter.day == date(2026, 12, 28)
        await press(pilot, "G")
        assert screen.presenter.day == date(2026, 12, 31)
        assert "December 2026" in seen(pilot)
        await press(pilot, "t")
        assert screen.presenter.day == today
        screen.presenter.go(date(2199, 12, 31))
        await press(pilot, "l")
        assert screen.presenter.day == date(2199, 12, 31)
        assert "2000 to 2199" in seen(pilot)


async def test_a_new_date_takes_the_card_to_another_day(world: World, today: date) -> None:
    task, days = world.task("Print", due=today), -1 if today.weekday() == 6 else 1  # in the same week, of any month
    async with on_stage(world, calendar(world)) as pilot:
        await press(pilot, "D", "ctrl+a", "ctrl+k", Text(f"{days:+}d"), "ctrl+s")
        assert world.row("item", id=task.id)["due"] == (today + timedelta(days=days)).isoformat()
        screen = screen_of(pilot, CalendarScreen)
        assert screen.presenter.day == today + timedelta(days=days)  # the cursor stays on the card
        assert pilot.card.id == task.id
        await press(pilot, "t")
        assert "No card is due on" in seen(pilot)


async def test_tab_goes_through_the_cards_of_a_day_and_on_to_the_next_day_with_any(world: World, today: date) -> None:
    for title, days in (("First", 0), ("Second", 0), ("Third", 3)):
        world.task(title, due=today + timedelta(days=days))
    async with on_stage(world, calendar(world)) as pilot:
        screen = screen_of(pilot, CalendarScreen)
        met = [pilot.title]
        for _ in range(2):
            await press(pilot, "tab")
            met.append(pilot.title)
        assert met == ["First", "Second", "Third"]
        assert screen.presenter.day == today + timedelta(days=3)
        await press(pilot, "tab")
        assert "Nothing is due after this." in seen(pilot)


async def test_marks_of_a_whole_month_are_completed_in_one_step(world: World, today: date) -> None:
    tasks = [world.task(f"Card {number}", due=today) for number in range(3)]
    async with on_stage(world, calendar(world)) as pilot:
        await press(pilot, "V", "c")
        assert {world.status(task) for task in tasks} == {"COMPLETED"}
        assert world.last_change()["message"] == "BulkUpdate"
        await press(pilot, "u")
        assert {world.status(task) for task in tasks} == {"TO_DO"}


async def test_a_phase_is_on_its_due_day_and_opens_from_there(world: World, today: date) -> None:
    world.do(SetPhaseDueDate(phase_id=world.build.id, due=today))
    async with on_stage(world, calendar(world)) as pilot:
        assert f"{in_full(today)} · phase 2 Build is due" in seen(pilot)
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, PhaseScreen)


async def test_a_new_card_is_due_on_the_day_of_the_cursor_and_in_the_phase_that_is_open(
    world: World, today: date
) -> None:
    world.complete(world.task("Ask around").id)
    tomorrow = today + timedelta(days=1)
    async with on_stage(world, calendar(world)) as pilot:
        await press(pilot, "l", "n")
        assert "New card in “Build”" in seen(pilot)
        assert in_full(tomorrow) in seen(pilot)
        await press(pilot, Text("Print"), "enter")
        row = world.row("item", title="Print")
        assert (row["phase_id"], row["due"]) == (world.build.id, tomorrow.isoformat())
        assert "lock again" not in seen(pilot)


async def test_the_day_of_a_new_card_can_be_changed_and_a_date_in_its_title_comes_before_it(
    world: World, today: date
) -> None:
    async with on_stage(world, calendar(world)) as pilot:
        await press(pilot, "n", Text("Print +2d"), "enter", "t", "n", Text("Someday"))
        await press(pilot, "tab", "tab", "tab", "ctrl+a", "ctrl+k", "enter")
        dues = {row["title"]: row["due"] for row in world.rows("SELECT title, due FROM item")}
        assert dues == {"Print": (today + timedelta(days=2)).isoformat(), "Someday": None}


async def test_a_filter_leaves_some_of_the_cards(world: World, today: date) -> None:
    world.task("Print", due=today)
    world.task("Shoot", due=today)
    async with on_stage(world, calendar(world)) as pilot:
        await press(pilot, "slash", Text("shoot"), "enter")
        assert "1 due" in seen(pilot)
        assert "Print" not in seen(pilot)


async def test_a_click_goes_to_a_day(world: World) -> None:
    async with on_stage(world, calendar(world)) as pilot:
        screen = screen_of(pilot, CalendarScreen)
        month = screen.query_one(Month)
        await pilot.click(Month, offset=(month._left + month._cell * 3 + 1, 2 + month._lines))
        await settled(pilot)
        assert screen.presenter.day == weeks_of(screen.presenter.day)[1] + timedelta(days=3)


async def test_the_change_of_another_user_is_drawn_and_the_cursor_stays(world: World, today: date) -> None:
    world.task("First", due=today)
    second = world.task("Second", due=today)
    async with on_stage(world, calendar(world, second.id)) as pilot:
        world.do(AssignTask(task_id=second.id, assignee_id=world.bob.user_id), world.bob)
        assert await shows(pilot, "Bob Lind")
        screen_of(pilot, CalendarScreen)
        assert pilot.card.id == second.id


async def test_a_range_of_marks_begins_at_the_last_mark(world: World, today: date) -> None:
    tasks = [world.task(f"Card {number}", due=today) for number in range(4)]
    async with on_stage(world, calendar(world)) as pilot:
        await press(pilot, "space", "tab", "v", "c")
        assert [world.status(task) for task in tasks] == ["COMPLETED"] * 3 + ["TO_DO"]


@pytest.mark.parametrize(("size", "ruled"), [((80, 24), False), ((120, 40), True), ((200, 60), True)], ids=str)
async def test_weekends_are_shaded_and_a_rule_divides_the_weeks_where_there_is_room(
    world: World, today: date, size: tuple[int, int], ruled: bool
) -> None:
    friday = today.replace(day=15) + timedelta(days=(4 - today.replace(day=15).weekday()) % 7)
    async with on_stage(world, calendar(world), size=size) as pilot:
        screen = screen_of(pilot, CalendarScreen)
        screen.presenter.go(friday)
        await settled(pilot)
        month = screen.query_one(Month)
        under = month.look.style(TextRole.QUIET, BackgroundRole.WEEKEND).bgcolor
        rows = [month.render_line(y) for y in range(month.size.height)]
        rules = [y for y, strip in enumerate(rows) if set(strip.text.strip()) == {"─"}]
        assert len(rules) == (len(weeks_of(friday)) - 1 if ruled else 0)
        shaded = set()
        for y, strip in enumerate(rows):
            x = 0
            for segment in strip:
                if segment.style and segment.style.bgcolor == under:
                    shaded |= {day for each in range(x, x + segment.cell_length) if (day := month.day_at(each, y))}
                x += segment.cell_length
        days = {monday + timedelta(days=number) for monday in weeks_of(friday) for number in range(7)}
        assert shaded == {day for day in days if day.weekday() >= 5}


async def test_a_rule_is_a_minus_in_plain_signs(world: World) -> None:
    world.do(SetPreference(name="signs", value="ascii"))
    async with on_stage(world, calendar(world)) as pilot:
        assert any(set(line.strip()) == {"-"} for line in seen(pilot).splitlines()[3:20])
