"""Quotas: limits of the records of one user, counted in the transaction of each command."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest

from core.actions.cards.bulk import BulkUpdate
from core.actions.cards.comments import AddComment
from core.actions.cards.tasks import EditTask
from core.actions.history.history import Redo, Undo
from core.actions.personal.saved_filters import SaveFilter
from core.actions.projects.exports import ExportProject
from core.actions.projects.imports import ImportProject
from core.actions.projects.members import RemoveMember
from core.actions.projects.projects import ArchiveProject, DeleteProject
from core.actions.templates.apply import CreateProjectFromTemplate
from core.actions.templates.templates import ListTemplates
from core.actions.workspace.credentials import CreateToken, CreateUserToken, ListTokens, RevokeToken
from core.actions.workspace.gateway_tokens import CreateGatewayToken
from core.actions.workspace.users import SetPlatformRoles
from core.domain.model import PlatformRole, Status
from core.domain.quotas import Quotas
from core.engine import large_projects, quotas
from core.engine.quotas import SMALL
from core.errors import InvalidImport, InvalidInput, QuotaReached
from core.record import replace
from core.sign_in.gateway_sessions import SESSION, open_session
from tests.support.workspace import Clock, World, content

TODAY = "2026-03-02"


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A megabyte is 20,000 bytes, and each change is written down."""
    monkeypatch.setattr(quotas, "MEGABYTE", 20_000)
    monkeypatch.setattr(quotas, "SMALL", 0)


@pytest.fixture
def small_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    """A project of a dozen records is large."""
    for name, value in (("AT_ONCE", 0), ("STEP", 2), ("SLICE_SECONDS", 0.0), ("PAUSE_SECONDS", 0.0)):
        monkeypatch.setattr(large_projects, name, value)


def used(world: World, kind: str = "TEXT") -> int:
    """The amount that Maya has used today."""
    rows = world.rows(
        "SELECT amount FROM usage WHERE user_id = :me AND kind = :kind AND day = :day",
        me=world.maya.user_id,
        kind=kind,
        day=world.engine.clock().date().isoformat(),
    )
    return int(rows[0]["amount"]) if rows else 0


def valid_tokens(world: World) -> int:
    return sum(token.state == "VALID" for token in world.ask(ListTokens()))


def test_a_person_has_at_most_so_many_valid_tokens_of_any_maker(world: World, clock: Clock) -> None:
    world.engine.quotas = Quotas(tokens=2)
    mine = world.do(CreateToken(label="Mine", days=1), as_=world.bob).token
    world.do(CreateUserToken(user_id=world.bob.user_id, label="For Bob", days=2))
    with pytest.raises(
        QuotaReached, match=r"You have 2 valid tokens; one user can have at most 2. .*“podium token revoke” first"
    ):
        world.do(CreateToken(label="One more"), as_=world.bob)
    with pytest.raises(QuotaReached, match="Bob Lind has 2 valid tokens"):
        world.do(CreateUserToken(user_id=world.bob.user_id, label="One more"))
    assert valid_tokens(world) == 2
    world.do(RevokeToken(token_id=mine.id), as_=world.bob)
    world.do(CreateToken(label="Instead"), as_=world.bob)
    clock.forward(days=2)  # that of Maya's is over
    world.do(CreateToken(label="Later"), as_=world.bob)
    world.refuses(CreateToken(label="Again"), QuotaReached, as_=world.bob)


def test_sessions_of_gateways_are_no_tokens_and_have_a_quota_of_their_own(world: World, clock: Clock) -> None:
    world.engine.quotas = Quotas(tokens=1, sessions=2)
    gateway = world.do(CreateGatewayToken(label="Web")).token.id
    for _ in range(2):
        open_session(world.engine, gateway, "vera")
    with pytest.raises(QuotaReached, match="You have 2 sessions in browsers; one user can have at most 2"):
        open_session(world.engine, gateway, "vera")
    open_session(world.engine, gateway, "bob")
    world.do(CreateToken(label="Mine"), as_=world.vera)
    clock.forward(seconds=SESSION.total_seconds())
    open_session(world.engine, gateway, "vera")


def test_a_person_has_at_most_so_many_projects_that_they_made_and_deletes_one_for_the_next(world: World) -> None:
    world.engine.quotas = Quotas(projects=2)
    second = world.new_project("Second")
    template = world.ask(ListTemplates())[0].template.id
    for command in (
        lambda: world.new_project("Third"),
        lambda: world.do(
            CreateProjectFromTemplate(template_id=template, name="Third", start=world.engine.clock().date())
        ),
        lambda: world.do(ImportProject(document=world.ask(ExportProject(project_id=second.id)))),
    ):
        with pytest.raises(QuotaReached, match="You have created 2 projects; one user can have at most 2"):
            command()
    assert len(world.rows("SELECT id FROM project")) == 2
    world.do(ArchiveProject(project_id=second.id))
    with pytest.raises(QuotaReached):
        world.new_project("Third")
    world.do(DeleteProject(project_id=second.id))
    world.new_project("Third")
    world.do(SetPlatformRoles(user_id=world.bob.user_id, platform_roles=(PlatformRole.INTERNAL,)))


def test_only_so_many_projects_are_made_in_a_day_and_a_wrong_clock_keeps_no_user_out(
    world: World, clock: Clock
) -> None:
    world.engine.quotas = Quotas(projects_a_day=2)
    begin = clock.now
    for name in ("One", "Two"):
        world.new_project(name)
    with pytest.raises(
        QuotaReached, match=r"can create 2 projects a day.*after midnight UTC.*raise “max_projects_a_day”"
    ):
        world.new_project("Three")
    assert used(world, "PROJECTS") == 2
    assert world.rows("SELECT name FROM project WHERE name = 'Three'") == []
    clock.forward(days=4000)
    for name in ("Far", "Farther"):
        world.new_project(name)
    clock.now = begin
    clock.forward(days=-1)
    world.new_project("Back")
    assert used(world, "PROJECTS") == 1


@pytest.mark.usefixtures("small_slices")
def test_an_import_beyond_the_quota_of_the_day_is_refused_before_a_row_of_it_is_written(
    world: World, clock: Clock
) -> None:
    document = world.ask(ExportProject(project_id=world.project.id))
    world.engine.quotas = Quotas(imports_a_day=2)
    with pytest.raises(InvalidImport):  # a client that is not here: what is refused is not counted
        world.do(ImportProject(document=replace(document, client="Nobody we know")))
    for _ in range(2):
        world.do(ImportProject(document=document))
    before = content(world.database)
    world.refuses(ImportProject(document=document), QuotaReached, r"can import 2 projects a day.*“max_imports_a_day”")
    assert content(world.database) == before
    assert world.rows("SELECT * FROM unfinished") == []
    assert used(world, "IMPORTS") == 2
    clock.forward(days=1)
    world.do(ImportProject(document=document))


@pytest.mark.usefixtures("small")
def test_text_is_counted_by_the_day_for_each_person_and_what_is_beyond_changes_nothing(
    world: World, clock: Clock
) -> None:
    task = world.task()
    world.engine.quotas = Quotas(megabytes_a_day=1)
    world.do(AddComment(item_id=task.id, text="é" * 5_000))
    assert 10_000 < used(world) < 11_000
    before = content(world.database)
    with pytest.raises(QuotaReached, match=r"can write 1 MB of text a day.*“max_megabytes_a_day”"):
        world.do(AddComment(item_id=task.id, text="é" * 5_000))
    assert content(world.database) == before
    assert used(world) < 11_000
    world.do(AddComment(item_id=task.id, text="é" * 5_000), as_=world.bob)
    clock.forward(days=1)
    world.do(AddComment(item_id=task.id, text="é" * 5_000))


@pytest.mark.usefixtures("small")
def test_undo_gives_nothing_back_and_redo_counts_again(world: World) -> None:
    task = world.task()
    world.engine.quotas = Quotas(megabytes_a_day=1)
    world.do(AddComment(item_id=task.id, text="x" * 5_000))
    amounts = [used(world)]
    for command in (Undo, Redo):
        world.do(command(project_id=world.project.id))
        amounts.append(used(world))
    assert [later - sooner > 5_000 for sooner, later in pairwise(amounts)] == [True, True]
    world.refuses(Undo(project_id=world.project.id), QuotaReached)
    assert len(world.rows("SELECT id FROM comment")) == 1


@pytest.mark.usefixtures("small")
def test_each_step_of_a_bulk_change_counts_and_a_refused_one_does_not(world: World) -> None:
    task = world.task()
    world.engine.quotas = Quotas(megabytes_a_day=1)
    steps = (AddComment(item_id=task.id, text="x" * 5_000), AddComment(item_id=task.id, text=""))
    world.do(BulkUpdate(project_id=world.project.id, commands=steps))
    assert 5_000 < used(world) < 6_000
    world.refuses(BulkUpdate(project_id=world.project.id, commands=steps[:1] * 4), QuotaReached)
    assert len(world.rows("SELECT id FROM comment")) == 1


@pytest.mark.usefixtures("small", "small_slices")
def test_a_large_import_counts_each_slice_and_is_given_up_whole_at_the_quota(world: World) -> None:
    for number in range(3):
        world.task(f"Task {number}", description="x" * 4_000)
    document = world.ask(ExportProject(project_id=world.project.id))
    world.engine.quotas = Quotas(megabytes_a_day=1)
    world.do(ImportProject(document=document))
    assert 12_000 < used(world) < 20_000
    world.refuses(ImportProject(document=replace(document, name="Again")), QuotaReached)
    assert world.rows("SELECT id FROM project WHERE name = 'Again'") == []
    large_projects.sweep(world.database)
    assert len(world.rows("SELECT id FROM item")) == 6


@pytest.mark.usefixtures("small")
def test_what_is_in_no_history_counts_too(world: World) -> None:
    world.engine.quotas = Quotas(megabytes_a_day=1)
    for number in range(9):
        world.do(SaveFilter(name=f"Filter {number}", text="x" * 200))
    assert 9 * 200 < used(world) < 20_000


@pytest.mark.usefixtures("small")
def test_access_can_be_ended_at_the_quota(world: World) -> None:
    token = world.do(CreateToken(label="Stolen")).token
    world.engine.quotas = Quotas(megabytes_a_day=1)
    world.task()
    world.database.write(lambda tx: tx.execute("UPDATE usage SET amount = 20000 WHERE kind = 'TEXT'"))
    with pytest.raises(QuotaReached):
        world.task()
    world.do(RevokeToken(token_id=token.id))
    world.do(RemoveMember(project_id=world.project.id, user_id=world.bob.user_id))
    assert valid_tokens(world) == 0
    assert used(world) > 20_000


def test_moving_a_card_writes_no_row_of_usage_and_many_moves_are_counted(world: World) -> None:
    task = world.task()
    world.engine.quotas = Quotas()

    def move() -> None:
        for status in (Status.IN_PROGRESS, Status.TO_DO):
            world.move(task.id, status)

    move()
    assert world.rows("SELECT * FROM usage") == []
    moved = 2
    while not used(world):
        move()
        moved += 2
        assert moved < SMALL
    assert moved > 20
    assert SMALL <= used(world) < SMALL + 2_000


def test_what_is_counted_in_memory_is_not_forgotten_when_the_next_command_is_refused(world: World) -> None:
    task = world.task()
    world.engine.quotas = Quotas()
    for _ in range(4):
        world.do(AddComment(item_id=task.id, text="x" * (SMALL // 4)))
    assert world.rows("SELECT * FROM usage") == []
    world.refuses(EditTask(task_id=task.id, title=" "), InvalidInput)
    world.start(task.id)
    assert SMALL <= used(world) < SMALL + 2_000


def test_a_file_of_one_s_own_has_no_quotas_and_counts_nothing(world: World) -> None:
    assert world.engine.quotas is None
    for number in range(Quotas().tokens + 1):
        world.do(CreateToken(label=f"Token {number}"))
    world.task(description="x" * 9_000)
    assert world.rows("SELECT * FROM usage") == []


MAKES: dict[str, Callable[[World], object]] = {
    "token": lambda world: world.do(CreateToken(label="Mine")),
    "project": lambda world: world.new_project("Mine"),
}


@pytest.mark.parametrize("what", MAKES)
def test_admins_have_the_same_quotas(world: World, what: str) -> None:
    roles = (PlatformRole.WORKSPACE_ADMIN, PlatformRole.PLATFORM_ADMIN)
    world.do(SetPlatformRoles(user_id=world.maya.user_id, platform_roles=roles))
    world.engine.quotas = Quotas(tokens=1, projects_a_day=1)
    MAKES[what](world)
    with pytest.raises(QuotaReached):
        MAKES[what](world)
