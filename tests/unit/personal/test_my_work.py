"""My work: what is mine and open over all projects, by date, as far as I may see; and the visits of a project."""

from __future__ import annotations

from datetime import date

import pytest

from core.actions import load_catalog
from core.actions.cards.activities import AssignActivity, CreateActivity
from core.actions.cards.tasks import EditTask
from core.actions.personal.my_work import GetMyWork, MyWork
from core.actions.projects.last_visit import ListChangesSinceLastVisit, SetLastSeen, SinceLastVisit
from core.actions.projects.members import RemoveMember
from core.actions.projects.projects import ArchiveProject
from core.actions.workflow.gates import DecideGate
from core.actions.workflow.phases import EditPhase
from core.domain.gates import Decision
from core.domain.model import Gate, ProjectRole
from core.domain.permissions import Permission
from core.engine.engine import Engine
from core.engine.unit_of_work import Actor
from core.errors import Forbidden, NotFound
from tests.support.authorization_service.server import Service
from tests.support.workspace import Clock, World


def my_work(world: World, as_: Actor | None = None) -> MyWork:
    return world.ask(GetMyWork(), as_=as_ or world.bob)


def titles(work: MyWork) -> list[str]:
    return [line.title for line in work.lines]


def test_it_is_mine_and_open_by_date_and_without_a_date_last(world: World) -> None:
    bob = world.bob.user_id
    world.task("Someday", assignee_id=bob)
    world.task("Later", due=date(2026, 5, 1), assignee_id=bob)
    late = world.activity("Late", due=date(2026, 2, 1), member_ids=(bob, world.vera.user_id))
    done = world.task("Done", due=date(2026, 2, 1), assignee_id=bob)
    world.complete(done.id)
    away = world.task("Away", assignee_id=bob)
    world.archive(away.id)
    world.task("Vera's", assignee_id=world.vera.user_id)
    work = my_work(world)
    assert titles(work) == ["Late", "Later", "Someday"]
    line = work.lines[0]
    assert (line.project, line.phase, line.phase_number, line.locked) == ("Spring launch", "Discover", 1, False)
    assert work.today == date(2026, 3, 2)
    assert titles(my_work(world, world.vera)) == ["Late", "Vera's"]
    world.do(AssignActivity(activity_id=late.id, member_ids=()))
    assert titles(my_work(world)) == ["Later", "Someday"]


def test_a_locked_phase_is_flagged_by_the_rules_of_the_workflow(world: World) -> None:
    bob = world.bob.user_id
    first = world.task("First", assignee_id=bob)
    world.task("Second", phase=world.build, assignee_id=bob)
    world.task("Third", phase=world.launch, assignee_id=bob)
    assert [(line.title, line.locked) for line in my_work(world).lines] == [
        ("First", False),
        ("Second", True),
        ("Third", True),
    ]
    world.do(EditPhase(phase_id=world.discover.id, gate=Gate.REVIEW))
    world.complete(first.id)
    assert [line.locked for line in my_work(world).lines] == [True, True]  # the gate waits for a pass
    world.do(EditPhase(phase_id=world.discover.id, gate=Gate.AUTOMATIC, reason="No review"))
    assert [line.locked for line in my_work(world).lines] == [True, True]  # it still waits for a decision
    world.do(DecideGate(phase_id=world.discover.id, decision=Decision.PASS))
    assert [line.locked for line in my_work(world).lines] == [False, True]


def test_it_is_of_all_my_projects_that_are_not_archived_with_what_i_may_do_there(world: World) -> None:
    other = world.new_project("Autumn")
    world.task("There", phase=world.phase("Only", other.id), assignee_id=world.maya.user_id)
    world.task("Here", assignee_id=world.maya.user_id)
    world.task("Hers", assignee_id=world.vera.user_id)
    work = my_work(world, world.maya)
    assert {(line.title, line.project) for line in work.lines} == {("There", "Autumn"), ("Here", "Spring launch")}
    assert Permission.WORKFLOW_MANAGE in work.held[other.id]
    assert work.roles[other.id] is ProjectRole.OWNER
    hers = my_work(world, world.vera)
    assert hers.held == {world.project.id: frozenset({Permission.PROJECT_VIEW, Permission.WORKSPACE_VIEW})}
    world.do(ArchiveProject(project_id=other.id))
    assert titles(my_work(world, world.maya)) == ["Here"]
    world.do(RemoveMember(project_id=world.project.id, user_id=world.vera.user_id))
    assert my_work(world, world.vera).lines == ()


def test_what_is_not_listed_is_counted(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.actions.personal.my_work.MAX_LINES", 3)
    for number in range(5):
        world.task(f"Card {number}", assignee_id=world.bob.user_id)
    work = my_work(world)
    assert (len(work.lines), work.more) == (3, 2)


def test_a_person_without_projects_has_no_work(world: World) -> None:
    assert my_work(world, world.gus) == MyWork(lines=(), held={}, roles={}, today=date(2026, 3, 2))


def test_a_service_that_hides_a_project_hides_my_work_and_what_i_am_told_of_it(world: World, service: Service) -> None:
    from core.actions.personal.inbox import CountUnread, ListInbox

    world.task("Secret", due=date(2026, 3, 1), assignee_id=world.bob.user_id)
    other = world.new_project("Autumn")
    world.task("Open", phase=world.phase("Only", other.id), assignee_id=world.maya.user_id)
    root = world.row("workspace")["auth_id"]
    for user in (world.bob.user_id, world.maya.user_id):
        service.grant(user, root, Permission.WORKSPACE_VIEW)
    service.grant(world.maya.user_id, other.auth_id, Permission.PROJECT_VIEW)
    source = service.source()
    remote = Engine(world.database, load_catalog, source, clock=world.engine.clock)
    assert remote.query(GetMyWork(), world.bob).lines == ()
    assert remote.query(ListInbox(), world.bob).lines == ()
    assert remote.query(CountUnread(), world.bob) == 0
    shown = remote.query(GetMyWork(), world.maya)
    assert titles(shown) == ["Open"]
    assert shown.held == {other.id: frozenset({Permission.PROJECT_VIEW})}
    with pytest.raises(Forbidden):
        remote.query(ListChangesSinceLastVisit(project_id=world.project.id), world.bob)


def test_permissions_are_asked_for_projects_with_my_open_items_alone(world: World) -> None:
    there = world.new_project("Autumn")
    world.new_project("Winter")
    task = world.task("There", phase=world.phase("Only", there.id), assignee_id=world.maya.user_id)
    world.do(CreateActivity(phase_id=world.discover.id, title="Here", member_ids=(world.maya.user_id,)))

    def asked() -> set[str]:
        return {question.account_id for question in world.engine.read(world.maya, GetMyWork().asks)}

    assert asked() == {there.auth_id, world.project.auth_id}
    world.complete(task.id)
    assert asked() == {world.project.auth_id}


# -- visits ----------------------------------------------------------------------------------------------------


def since_last_visit(world: World, as_: Actor | None = None) -> SinceLastVisit:
    return world.ask(ListChangesSinceLastVisit(project_id=world.project.id), as_=as_ or world.bob)


def visit(world: World, seq: int, as_: Actor | None = None) -> None:
    world.do(SetLastSeen(project_id=world.project.id, seq=seq), as_=as_ or world.bob)


def test_a_first_visit_has_no_changes(world: World) -> None:
    world.task()
    answer = since_last_visit(world)
    assert (answer.since, answer.lines, answer.seen_seq) == (None, (), answer.seq)


def test_changes_by_others_are_listed_newest_first(world: World, clock: Clock) -> None:
    visit(world, since_last_visit(world).seq)
    left = clock.now
    clock.forward(days=2)
    task = world.task("New")
    world.do(EditTask(task_id=task.id, title="Newer"), as_=world.bob)
    world.do(EditTask(task_id=task.id, title="Newest"))
    answer = since_last_visit(world)
    assert answer.since == left
    assert [line.summary for line in answer.lines] == ["renamed “Newer” to “Newest”", "added the task “New”"]
    assert [line.about.id for line in answer.lines if line.about] == [task.id] * 2
    again = world.ask(ListChangesSinceLastVisit(project_id=world.project.id, after=answer.seq - 1), as_=world.bob)
    assert [line.summary for line in again.lines] == ["renamed “Newer” to “Newest”"]
    visit(world, answer.seq)
    assert since_last_visit(world).lines == ()


@pytest.mark.parametrize("seq", [0, -5, 10**9])
def test_what_was_seen_goes_neither_back_nor_beyond_what_there_is(world: World, seq: int) -> None:
    world.task()
    now = since_last_visit(world).seq
    visit(world, now - 1)
    visit(world, seq)
    assert world.row("last_seen", user_id=world.bob.user_id)["seq"] == (now if seq > now else now - 1)


def test_a_visit_is_private_and_no_part_of_the_history(world: World) -> None:
    before = world.rows("SELECT count(*) AS n FROM change")
    visit(world, since_last_visit(world).seq)
    assert world.rows("SELECT count(*) AS n FROM change") == before
    assert since_last_visit(world, world.vera).since is None
    with pytest.raises(NotFound):
        visit(world, 1, world.gus)
