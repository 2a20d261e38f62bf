"""The workload: open cards by person and week; each number is the length of the list behind it."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.actions import load_catalog
from core.actions.personal.my_work import GetMyWork
from core.actions.portfolio.workload import NOBODY, GetWorkload, ListWorkloadCards, PersonWorkload, Workload
from core.actions.projects.members import InviteMember, RemoveMember
from core.actions.projects.projects import ArchiveProject
from core.actions.workspace.workspace import SetWeekLimit
from core.domain.model import ProjectRole
from core.domain.permissions import Permission
from core.engine.engine import Engine
from core.errors import InvalidInput
from tests.support.authorization_service.server import Service
from tests.support.workspace import World

TODAY = date(2026, 3, 4)
"""A Wednesday."""


@pytest.fixture
def world(world: World) -> World:
    world.clock.forward(days=2)
    return world


def person(workload: Workload, user_id: str) -> PersonWorkload:
    return next(line for line in workload.lines if line.user_id == user_id)


def test_open_cards_are_counted_by_person_and_week(world: World) -> None:
    bob, vera = world.bob.user_id, world.vera.user_id
    for due in (date(2026, 3, 3), TODAY, date(2026, 3, 8), date(2026, 3, 9), date(2026, 3, 16), None):
        world.task(f"Due {due}", due=due, assignee_id=bob)
    world.activity("Shared", due=date(2026, 3, 10), member_ids=(bob, vera))
    world.task("Free", due=date(2026, 3, 10))
    world.activity("Free too")
    done = world.task("Done", due=TODAY, assignee_id=bob)
    world.complete(done.id)
    away = world.task("Away", due=TODAY, assignee_id=bob)
    world.archive(away.id)
    workload = world.ask(GetWorkload(weeks=2))
    assert (workload.today, workload.monday) == (TODAY, date(2026, 3, 2))
    assert [(line.name, line.late, line.weeks, line.later, line.undated) for line in workload.lines] == [
        ("Bob Lind", 1, (2, 2), 1, 1),
        ("Vera Sato", 0, (0, 1), 0, 0),
        ("", 0, (0, 1), 0, 1),
    ]
    assert person(workload, bob).total == 7


@pytest.mark.parametrize("limit", [0, -1, 1_001])
def test_the_limit_of_a_week_is_within_reason(world: World, limit: int) -> None:
    with pytest.raises(InvalidInput, match="1 to 1,000"):
        world.do(SetWeekLimit(limit=limit))
    assert world.ask(GetWorkload()).week_limit == 5


def test_a_week_with_more_cards_than_the_limit_is_too_much_for_a_person_but_not_for_nobody(world: World) -> None:
    world.do(SetWeekLimit(limit=1))
    for title in ("One", "Two"):
        world.task(title, due=TODAY, assignee_id=world.bob.user_id)
        world.task(f"{title} of nobody", due=TODAY)
    workload = world.ask(GetWorkload())
    bob, nobody = workload.lines
    assert [workload.is_over_limit(bob, many) for many in bob.weeks[:2]] == [True, False]
    assert not workload.is_over_limit(nobody, nobody.weeks[0])
    assert workload.describe_limit() == "more than 1 open card in a week"


def test_archived_projects_and_those_of_others_do_not_count(world: World) -> None:
    bob = world.bob.user_id
    other = world.new_project("Other")
    world.do(InviteMember(project_id=other.id, user_id=bob, role=ProjectRole.CONTRIBUTOR))
    world.task("There", phase=world.phase("Only", other.id), due=TODAY, assignee_id=bob)
    assert person(world.ask(GetWorkload()), bob).total == 1
    assert world.ask(GetWorkload(), as_=world.vera).lines == ()
    assert world.ask(GetWorkload(), as_=world.gus).lines == ()
    world.do(ArchiveProject(project_id=other.id))
    assert world.ask(GetWorkload()).lines == ()


def test_the_cards_of_a_person_who_left_the_project_are_those_of_nobody(world: World) -> None:
    world.task("Kept", due=TODAY, assignee_id=world.bob.user_id)
    world.do(RemoveMember(project_id=world.project.id, user_id=world.bob.user_id))
    lines = world.ask(GetWorkload()).lines
    assert [(line.name, line.total) for line in lines] == [("", 1)]


def test_what_the_service_hides_does_not_count(world: World, service: Service) -> None:
    bob = world.bob.user_id
    other = world.new_project("Other")
    world.do(InviteMember(project_id=other.id, user_id=bob, role=ProjectRole.CONTRIBUTOR))
    world.task("Open", phase=world.phase("Only", other.id), due=TODAY, assignee_id=bob)
    world.task("Secret", due=TODAY, assignee_id=bob)
    service.grant(bob, world.row("workspace")["auth_id"], Permission.WORKSPACE_VIEW)
    service.grant(bob, other.auth_id, Permission.PROJECT_VIEW)
    remote = Engine(world.database, load_catalog, service.source(), clock=world.engine.clock)
    assert [line.total for line in remote.query(GetWorkload(), world.bob).lines] == [1]
    cards = remote.query(ListWorkloadCards(user_id=bob), world.bob)
    assert [card.title for card in cards.lines] == ["Open"]


@pytest.mark.parametrize("weeks", [0, 27])
def test_a_number_of_weeks_outside_the_range_is_refused(world: World, weeks: int) -> None:
    refused = world.refuses(GetWorkload(weeks=weeks), InvalidInput)
    assert refused.field == "weeks"


def test_a_long_list_says_that_there_are_more(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.actions.portfolio.workload.MAX_CARDS", 2)
    for number in range(3):
        world.task(f"Card {number}", due=TODAY)
    cards = world.ask(ListWorkloadCards())
    assert ([card.title for card in cards.lines], cards.more) == (["Card 0", "Card 1"], True)


DAYS = st.one_of(st.none(), st.integers(-20, 80).map(lambda days: TODAY + timedelta(days=days)))


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cards=st.lists(st.tuples(DAYS, st.sampled_from([0, 1, 2, 3])), max_size=12), weeks=st.integers(1, 9))
def test_every_number_is_the_length_of_the_list_behind_it(
    world: World, cards: list[tuple[date | None, int]], weeks: int
) -> None:
    people: list[str | None] = [None, world.maya.user_id, world.bob.user_id, world.vera.user_id]
    for row in world.rows("SELECT id FROM item WHERE status <> 'ARCHIVED'"):
        world.archive(row["id"])
    for due, who in cards:
        world.task("Card", due=due, assignee_id=people[who], relock=True)
    workload = world.ask(GetWorkload(weeks=weeks))
    assert sum(line.total for line in workload.lines) == len(cards)
    end = workload.monday + timedelta(weeks=weeks)
    for line in workload.lines:
        spans = [(None, TODAY - timedelta(days=1), line.late), (end, None, line.later)]
        for number, many in enumerate(line.weeks):
            first = max(TODAY, workload.monday + timedelta(weeks=number))
            spans.append((first, workload.monday + timedelta(weeks=number, days=6), many))
        for since, until, many in spans:
            listed = world.ask(ListWorkloadCards(user_id=line.user_id, since=since, until=until)).lines
            assert len(listed) == many
        assert len(world.ask(ListWorkloadCards(user_id=line.user_id, undated=True)).lines) == line.undated
        assert len(world.ask(ListWorkloadCards(user_id=line.user_id)).lines) == line.total
    mine = [line for line in workload.lines if line.user_id == world.maya.user_id]
    assert len(world.ask(GetMyWork()).lines) == sum(line.total for line in mine)
    assert {line.user_id for line in workload.lines} <= {NOBODY, *(each for each in people if each)}
