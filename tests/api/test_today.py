"""A person has one day, which their client sends along. The clock of the world says 2 March 2026, noon in UTC."""

from __future__ import annotations

import re
import time
from datetime import date, datetime, timedelta
from typing import Any

import pytest

from core.actions.personal.inbox import ListInbox
from core.actions.personal.my_work import GetMyWork
from core.actions.workflow.canvas import GetCanvas
from core.backends.remote import RemoteBackend
from core.net.server_address import server_address
from core.text.dates import in_full, today_and_zone
from tests.support.api.server import ServerOfTests, token_for
from tests.support.workspace import Clock, World

HERE = date(2026, 3, 2)


def _asked(server: ServerOfTests, world: World, today: str | None) -> dict[str, Any]:
    headers = {} if today is None else {"Podium-Today": today}
    answer: dict[str, Any] = server.client().get(f"/v1/projects/{world.project.id}/canvas", headers=headers).json()
    return answer


@pytest.mark.parametrize("days", [-1, 0, 1])
def test_the_day_of_the_client_is_the_day_of_the_answer(world: World, server: ServerOfTests, days: int) -> None:
    world.task("Write", due=HERE, assignee_id=world.maya.user_id)
    there = HERE + timedelta(days=days)
    assert _asked(server, world, there.isoformat())["head"]["today"] == there.isoformat()
    work = server.client().get("/v1/me/work", headers={"Podium-Today": there.isoformat()}).json()
    assert work["today"] == there.isoformat()
    inbox = server.client().get("/v1/me/inbox", headers={"Podium-Today": there.isoformat()}).json()["data"]
    assert [line["words"] for line in inbox] == {-1: [], 0: ["due today"], 1: ["due yesterday"]}[days]


@pytest.mark.parametrize("said", [None, "", "soon", "2026-03-05", "1999-01-01", "2026-02-30", "9999-12-31"])
def test_what_is_today_nowhere_is_passed_over(world: World, server: ServerOfTests, said: str | None) -> None:
    assert _asked(server, world, said)["head"]["today"] == HERE.isoformat()


def test_a_request_without_a_day_gets_the_day_of_the_server_also_after_midnight(
    world: World, server: ServerOfTests, clock: Clock
) -> None:
    now = world.engine.clock().astimezone()
    midnight = datetime.combine(now.date() + timedelta(days=1), datetime.min.time()).astimezone()
    days = []
    for seconds in ((midnight - now).total_seconds() - 0.001, 0.001):
        clock.forward(seconds=seconds)
        days.append(_asked(server, world, None)["head"]["today"])
    assert days == [now.date().isoformat(), midnight.date().isoformat()]


def test_each_request_gets_the_day_that_it_sends(world: World, server: ServerOfTests) -> None:
    for said in ("2026-03-02", "2026-03-03", "2026-03-02"):
        assert _asked(server, world, said)["head"]["today"] == said


async def test_the_client_of_every_screen_and_command_sends_its_day(
    world: World, server: ServerOfTests, monkeypatch: pytest.MonkeyPatch
) -> None:
    class InKiritimati(date):
        @classmethod
        def today(cls) -> InKiritimati:
            return cls(2026, 3, 3)

    monkeypatch.setattr("core.text.dates.date", InKiritimati)
    world.task("Write", due=HERE, assignee_id=world.maya.user_id)
    backend = RemoteBackend(server_address(server.address), token_for(world, world.maya))
    assert (await backend.query(GetCanvas(project_id=world.project.id))).head.today == date(2026, 3, 3)
    assert (await backend.query(GetMyWork())).today == date(2026, 3, 3)
    assert [line.words for line in (await backend.query(ListInbox())).lines] == ["due yesterday"]
    await backend.close()


@pytest.mark.parametrize(("offset", "day"), [("+14:00", 3), ("+11:00", 2), ("-13:00", 1), ("Z", 2)])
def test_charts_and_the_words_of_undo_have_the_days_of_the_client(
    world: World, server: ServerOfTests, clock: Clock, offset: str, day: int
) -> None:
    world.task("Write")  # at noon in UTC
    said = {"Podium-Today": f"2026-03-0{day}{offset}"}
    flow = server.client().get(f"/v1/projects/{world.project.id}/burn-up", headers=said).json()
    assert [each["day"] for each in flow["data"]] == [f"2026-03-0{day}"]
    clock.forward(days=2)
    said = {"Podium-Today": f"2026-03-0{day + 2}{offset}"}
    path, body = f"/v1/projects/{world.project.id}/undo", {"recent": True}
    asked = server.client().post(path, json=body, headers=said).json()["errors"][0]["errorMessage"]
    assert f"Your last change in “Spring launch” was 2 days ago, on {in_full(date(2026, 3, day))}" in asked


@pytest.mark.parametrize("said", ["2026-03-02+99:00", "2026-03-02+2", "2026-03-02 noon", "2026-03-05+02:00"])
def test_a_zone_that_is_none_is_passed_over_with_its_day(world: World, server: ServerOfTests, said: str) -> None:
    assert _asked(server, world, said)["head"]["today"] == HERE.isoformat()


def test_the_client_sends_the_offset_of_its_zone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "XXX-05:30")
    time.tzset()
    try:
        assert re.fullmatch(r"\d{4}-\d\d-\d\d\+05:30", today_and_zone())
    finally:
        monkeypatch.undo()
        time.tzset()
