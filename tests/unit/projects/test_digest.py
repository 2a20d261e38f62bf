"""A project in short, and a person with the projects that the sender can see."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta

import pytest

from core.actions.cards.activities import CreateActivity
from core.actions.cards.details import GetPhase
from core.actions.projects.digest import LAST_CHANGES, NEXT_DUE, GetProjectDigest, ProjectDigest
from core.actions.projects.projects import ArchiveProject
from core.actions.workspace.users import GetUser
from core.domain.model import PhaseState, ProjectRole
from core.errors import NotFound
from tests.support.workspace import World

FIRST = date(2026, 3, 1)


def test_a_digest_has_the_phases_with_their_states_and_counts(world: World) -> None:
    done = world.task()
    world.task("Open", world.build)
    world.complete(done.id)
    digest = world.ask(GetProjectDigest(project_id=world.project.id))
    assert digest.summary.project.name == "Spring launch"
    assert [(line.number, line.phase.name, line.state) for line in digest.phases] == [
        (1, "Discover", PhaseState.COMPLETE),
        (2, "Build", PhaseState.OPEN),
        (3, "Launch", PhaseState.LOCKED),
    ]
    assert [line.tally.total for line in digest.phases] == [1, 1, 0]


def test_the_next_due_cards_are_the_open_ones_with_the_earliest_dates_and_their_assignees(world: World) -> None:
    world.task("Without a date")
    due = [FIRST + timedelta(days=days) for days in range(8)]
    done = world.task("Done", due=due[0])
    world.complete(done.id)
    world.archive(world.task("Archived", due=due[0]).id)
    started = world.task("Started", due=due[2], assignee_id=world.bob.user_id)
    world.start(started.id)
    people = (world.maya.user_id, world.bob.user_id)
    world.do(CreateActivity(phase_id=world.build.id, title="Films", due=due[1], member_ids=people))
    for day in due[3:]:
        world.task(f"Due {day.day}", due=day)
    lines = world.ask(GetProjectDigest(project_id=world.project.id)).next_due
    assert len(lines) == NEXT_DUE
    assert [(line.title, line.assignee_ids, line.phase) for line in lines[:3]] == [
        ("Films", tuple(sorted(people)), "Build"),
        ("Started", (world.bob.user_id,), "Discover"),
        ("Due 4", (), "Discover"),
    ]
    assert [line.due for line in lines] == due[1:6]


def test_owners_come_first_and_the_newest_change_too(world: World) -> None:
    world.task("One")
    world.task("Two")
    digest = world.ask(GetProjectDigest(project_id=world.project.id))
    assert [(member.name, member.role) for member in digest.team] == [
        ("Maya Okafor", ProjectRole.OWNER),
        ("Bob Lind", ProjectRole.CONTRIBUTOR),
        ("Vera Sato", ProjectRole.VIEWER),
    ]
    assert len(digest.changes) == LAST_CHANGES
    assert digest.changes[0].summary == "added the task “Two”"


def test_a_digest_is_for_those_who_can_see_the_project(world: World) -> None:
    digest = GetProjectDigest(project_id=world.project.id)
    *members, gus = world.answers(digest, refused=type)
    assert [isinstance(found, ProjectDigest) and found.summary.project.id for found in members] == [
        world.project.id
    ] * 3
    assert gus is NotFound


@pytest.fixture
def other(world: World) -> Callable[[], list[tuple[str, str]]]:
    """Bob's projects as Vera sees them."""

    def projects() -> list[tuple[str, str]]:
        found = world.ask(GetUser(user_id=world.bob.user_id), world.vera)
        return [(project.name, project.role) for project in found.projects]

    return projects


def test_a_person_is_shown_with_the_projects_that_i_see_too(
    world: World, other: Callable[[], list[tuple[str, str]]]
) -> None:
    from core.actions.projects.members import InviteMember

    apart = world.new_project("Apart")
    world.do(InviteMember(project_id=apart.id, user_id=world.bob.user_id))
    assert other() == [("Spring launch", "CONTRIBUTOR")]
    world.do(InviteMember(project_id=apart.id, user_id=world.vera.user_id))
    assert other() == [("Apart", "CONTRIBUTOR"), ("Spring launch", "CONTRIBUTOR")]
    world.do(ArchiveProject(project_id=apart.id))
    assert other() == [("Spring launch", "CONTRIBUTOR")]


def test_a_guest_sees_only_the_people_of_their_projects(world: World) -> None:
    world.refuses(GetUser(user_id=world.bob.user_id), NotFound, as_=world.gus)
    assert world.ask(GetUser(user_id=world.gus.user_id), world.gus).projects == ()


def test_a_phase_lists_its_first_open_cards_in_order(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    from core.actions.cards import details

    first, done = world.task("First", assignee_id=world.bob.user_id), world.task("Done")
    world.complete(done.id)
    world.activity("Second")
    world.task("Third")
    cards = world.ask(GetPhase(phase_id=world.discover.id)).open_cards
    assert [card.title for card in cards] == ["First", "Second", "Third"]
    assert cards[0].assignee_ids == (world.bob.user_id,)
    assert cards[0].id == first.id
    monkeypatch.setattr(details, "MAX_OPEN_CARDS", 2)
    shown = world.ask(GetPhase(phase_id=world.discover.id))
    assert [card.title for card in shown.open_cards] == ["First", "Second"]
    assert shown.tally.open == 3
