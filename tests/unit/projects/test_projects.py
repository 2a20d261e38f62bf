"""Projects: the widget, links, the archive, taking over, deleting for good."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from core.actions.cards.activities import AssignActivity
from core.actions.history.history import Undo
from core.actions.projects.find import FindProjects
from core.actions.projects.imports_into import ImportInto
from core.actions.projects.last_visit import SetLastSeen
from core.actions.projects.lists import GetProject, ListOrphanedProjects, ListProjects
from core.actions.projects.members import ListMembers, RemoveMember, SetProjectRole
from core.actions.projects.projects import (
    SHOWN,
    ArchiveProject,
    ClaimProject,
    CreateProject,
    DeleteProject,
    EditProject,
    LinkProject,
    RestoreProject,
    SetFavourite,
)
from core.actions.workflow.gates import DecideGate
from core.actions.workflow.phases import EditPhase, SetPhaseDueDate
from core.actions.workspace.hierarchy import AddNode
from core.actions.workspace.users import DeactivateUser, SetPlatformRoles
from core.domain.gates import Decision
from core.domain.model import Gate, Health, NodeKind, PlatformRole, ProjectRole
from core.engine.large_projects import HIDDEN, sweep
from core.engine.messages import Command
from core.errors import CannotUndo, InvalidInput, NotFound, RuleViolation
from core.import_export.files import read_document
from core.rules.project_names import ProjectRef, names_of_project
from core.text.naming import find_meant
from tests.support.message_examples import messages
from tests.support.message_examples.gate_votes import furnish as furnish_gate
from tests.support.workspace import Clock, World, content

HELD_BACK = [
    kind
    for kind in messages.PROJECT_COMMANDS
    if issubclass(kind, Command) and not kind.in_archive and kind is not ArchiveProject
]


def line(world: World) -> Any:
    return world.ask(GetProject(project_id=world.project.id))


def test_a_new_project_is_its_creators_and_has_an_account_of_its_own(world: World) -> None:
    first, second = world.new_project("A"), world.new_project("A")
    row = world.row("project", id=first.id)
    assert (row["name"], row["archived"], row["created_at"]) == ("A", 0, "2026-03-02T12:00:00.000+00:00")
    assert first.auth_id != second.auth_id
    assert len(first.auth_id) == 36
    assert world.row("member", project_id=first.id)["role"] == "OWNER"


def test_the_widget_shows_my_projects_only_favourites_first(world: World) -> None:
    world.new_project("Alpha")
    world.new_project("Zulu")
    names = [each.project.name for each in world.ask(ListProjects()).lines]
    assert names == ["Alpha", "Spring launch", "Zulu"]
    zulu = world.ask(ListProjects()).lines[2].project.id
    world.do(SetFavourite(project_id=zulu, favourite=True))
    assert [each.project.name for each in world.ask(ListProjects()).lines] == ["Zulu", "Alpha", "Spring launch"]
    assert [each.project.name for each in world.ask(ListProjects(), as_=world.bob).lines] == ["Spring launch"]
    assert world.ask(ListProjects(), as_=world.gus).lines == ()
    world.do(SetFavourite(project_id=zulu, favourite=False))
    assert world.rows("SELECT 1 FROM favourite") == []


def test_a_project_is_found_by_its_id_its_name_or_the_beginning_of_it_and_without_a_name_all_are(world: World) -> None:
    def found(name: str) -> list[str]:
        return [project.name for project in world.ask(FindProjects(name=name))]

    world.new_project("Spring")
    assert found(world.project.id) == ["Spring launch"]
    assert found(" spring ") == ["Spring"]
    assert found("SPRING L") == ["Spring launch"]
    assert found("sp") == ["Spring", "Spring launch"]
    assert (found("spr"), found("SPRI")) == (["Spring launch"], ["Spring"])  # by their keys
    assert found("launch") == []
    assert found("") == ["Spring", "Spring launch"]
    assert world.ask(FindProjects(name="Spring"), as_=world.gus) == ()


def test_a_word_finds_the_same_projects_as_a_comparison_with_all_names(world: World) -> None:
    names = ("Straße", "STRASSE", "strasse 2", "Alpha", "alpha", "ALPHA", "Café 𝔘", "launch")
    for name in names:
        world.new_project(name)
    world.do(EditProject(project_id=world.project.id, key="CAFE", name="Alpha"))
    mine = world.ask(FindProjects())
    words = [word for each in mine for word in names_of_project(each)]
    for word in (
        *words,
        *map(str.upper, words),
        *(word[:3] for word in words),
        " Alpha ",
        "\x00",
        "\ud800",
        "none",
        " ",
    ):
        assert world.ask(FindProjects(name=word)) == tuple(find_meant(word, mine, names_of_project)), word
        assert world.ask(FindProjects(name=word), as_=world.gus) == ()


def test_a_line_says_where_the_project_stands(world: World) -> None:
    done, task = world.task(), world.task(due=date(2026, 3, 4))
    world.complete(done.id)
    shown = line(world)
    assert shown.phase_now == "1 Discover"
    assert (shown.tally.completed, shown.tally.total) == (1, 2)
    assert (shown.health, shown.next_due) == (Health.ON_TRACK, date(2026, 3, 4))
    assert shown.members == ("Bob Lind", "Maya Okafor", "Vera Sato")
    assert (shown.favourite, shown.ownerless, shown.role) == (False, False, ProjectRole.OWNER)
    world.complete(task.id)
    assert line(world).phase_now == "2 Build"


def test_health_grows_worse_with_time_and_ends_with_the_project(world: World, clock: Clock) -> None:
    world.do(SetPhaseDueDate(phase_id=world.launch.id, due=date(2027, 3, 1)))
    task = world.task(due=date(2026, 3, 10))
    assert line(world).health is Health.ON_TRACK
    clock.forward(days=6)
    assert line(world).health is Health.AT_RISK
    clock.forward(days=3)
    assert line(world).health is Health.OVERDUE
    world.complete(task.id)
    assert line(world).health is Health.ON_TRACK
    for phase in (world.build, world.launch):
        world.do(DecideGate(phase_id=phase.id, decision=Decision.PASS))
    assert line(world).health is Health.NONE


def test_a_phase_that_waits_for_a_pass_past_its_due_date_is_overdue(world: World) -> None:
    world.do(EditPhase(phase_id=world.discover.id, gate=Gate.REVIEW))
    world.do(SetPhaseDueDate(phase_id=world.discover.id, due=date(2026, 2, 1)))
    world.complete(world.task().id)
    assert line(world).health is Health.OVERDUE


def test_my_next_items_are_mine_dated_open_and_by_date(world: World) -> None:
    world.task("Later", due=date(2026, 5, 1), assignee_id=world.bob.user_id)
    sooner = world.activity("Sooner", due=date(2026, 4, 1))
    world.do(AssignActivity(activity_id=sooner.id, member_ids=(world.bob.user_id,)))
    world.task("Undated", assignee_id=world.bob.user_id)
    world.task("Vera's", due=date(2026, 4, 1), assignee_id=world.vera.user_id)
    hers = world.activity("Vera's too", due=date(2026, 4, 2))
    world.do(AssignActivity(activity_id=hers.id, member_ids=(world.vera.user_id,)))
    shown = world.ask(ListProjects(), as_=world.bob).next_items
    assert [(each.title, each.project, each.phase) for each in shown] == [
        ("Sooner", "Spring launch", "Discover"),
        ("Later", "Spring launch", "Discover"),
    ]
    world.do(ArchiveProject(project_id=world.project.id))
    assert world.ask(ListProjects(), as_=world.bob).next_items == ()


def test_a_brand_fills_in_its_market_and_client_and_links_must_agree(world: World) -> None:
    def add(kind: NodeKind, name: str, parent: str | None = None) -> str:
        return world.do(AddNode(kind=kind, name=name, parent_id=parent)).id

    client, other = add(NodeKind.CLIENT, "Halden"), add(NodeKind.CLIENT, "Aurelia")
    market = add(NodeKind.MARKET, "Nordics", client)
    brand = add(NodeKind.BRAND, "Fjell", market)
    world.do(LinkProject(project_id=world.project.id, brand_id=brand))
    row = world.row("project", id=world.project.id)
    assert (row["client_id"], row["market_id"], row["brand_id"]) == (client, market, brand)
    assert line(world).links == ("Halden", "Nordics", "Fjell")
    with pytest.raises(RuleViolation, match="different branches"):
        world.do(LinkProject(project_id=world.project.id, brand_id=brand, client_id=other))
    world.refuses(CreateProject(name="X", client_id=brand), InvalidInput, "is a brand, not a client")
    world.refuses(CreateProject(name="X", market_id="nowhere"), NotFound)
    world.do(LinkProject(project_id=world.project.id))
    assert line(world).links == ()


def test_editing_changes_only_what_is_given(world: World) -> None:
    world.do(EditProject(project_id=world.project.id, description="For the spring."))
    row = world.row("project", id=world.project.id)
    assert (row["name"], row["description"], row["version"]) == ("Spring launch", "For the spring.", 2)
    world.refuses(EditProject(project_id=world.project.id, name="\u2066"), InvalidInput)


@pytest.mark.parametrize("kind", HELD_BACK, ids=lambda kind: kind.__name__)
def test_an_archived_project_is_only_read(world: World, kind: type[Command[Any]]) -> None:
    message: Any = messages.COMMANDS[kind](world)
    world.do(ArchiveProject(project_id=world.project.id))
    before = content(world.database)
    world.refuses(message, RuleViolation, r"is archived\. Restore the project first")
    assert content(world.database) == before
    world.do(RestoreProject(project_id=world.project.id))
    world.do(message)


def test_undo_in_an_archived_project_takes_back_the_archiving_and_nothing_before(world: World) -> None:
    task = world.task()
    world.start(task.id, as_=world.bob)
    world.do(ArchiveProject(project_id=world.project.id))
    world.refuses(Undo(project_id=world.project.id), CannotUndo, "is archived", as_=world.bob)
    assert world.status(task) == "IN_PROGRESS"
    world.do(Undo(project_id=world.project.id))
    assert world.row("project", id=world.project.id)["archived"] == 0


def test_archived_projects_are_listed_on_demand(world: World) -> None:
    world.do(ArchiveProject(project_id=world.project.id))
    assert world.ask(ListProjects()).lines == ()
    (shown,) = world.ask(ListProjects(archived=True)).lines
    assert shown.health is Health.NONE


def test_only_an_archived_project_is_deleted_and_all_of_it_goes(world: World) -> None:
    world.refuses(DeleteProject(project_id=world.project.id), RuleViolation, "Archive it first")
    kept = world.new_project("Kept")
    before = content(world.database)
    furnish_gate(world)
    world.do(ImportInto(project_id=world.project.id, document=read_document("Title\nImported\n").document))
    messages.archived_project(world)
    held = content(world.database)
    of_projects = [table for table, rows in held.items() if table != "feed" and rows and "project_id" in rows[0]]
    assert {*of_projects, "last_seen"} == {*SHOWN, *(rows.table for rows in HIDDEN)}
    world.do(SetLastSeen(project_id=world.project.id, seq=1))
    world.do(DeleteProject(project_id=world.project.id))
    assert world.rows("SELECT * FROM last_seen") == []
    sweep(world.database)  # the rest, where the machine was too busy to delete all at once
    for table, rows in content(world.database).items():
        assert not [row for row in rows if world.project.id in (row.get("project_id"), row.get("id"))], table
    assert world.row("project")["id"] == kept.id
    assert len(world.rows("SELECT 1 FROM app_user")) == len(before["app_user"])
    assert world.last_change("workspace")["summary"] == "deleted the project “Spring launch” for good"
    world.refuses(GetProject(project_id=world.project.id), NotFound)


def test_admins_see_no_project_that_they_are_not_on(world: World) -> None:
    world.do(SetPlatformRoles(user_id=world.gus.user_id, platform_roles=(PlatformRole.PLATFORM_ADMIN,)))
    world.refuses(GetProject(project_id=world.project.id), NotFound, "you cannot see it", as_=world.gus)
    assert world.ask(ListProjects(), as_=world.gus).lines == ()


def test_an_admin_takes_over_a_project_without_an_active_owner(world: World) -> None:
    world.do(SetPlatformRoles(user_id=world.gus.user_id, platform_roles=(PlatformRole.WORKSPACE_ADMIN,)))
    take_over = ClaimProject(project_id=world.project.id)
    world.refuses(take_over, RuleViolation, "This project has an active owner", as_=world.gus)
    assert world.ask(ListOrphanedProjects(), as_=world.gus) == ()
    world.do(DeactivateUser(user_id=world.maya.user_id), as_=world.gus)
    assert world.ask(ListOrphanedProjects(), as_=world.gus) == (
        ProjectRef(id=world.project.id, name="Spring launch", keys=(world.project.key,)),
    )
    world.do(take_over, as_=world.gus)
    assert world.row("member", user_id=world.gus.user_id)["role"] == "OWNER"
    assert "took over the project" in world.last_change()["summary"]
    world.refuses(Undo(project_id=world.project.id), CannotUndo, "at least one active owner", as_=world.gus)


def test_a_member_who_takes_over_keeps_one_membership(world: World) -> None:
    world.do(SetPlatformRoles(user_id=world.vera.user_id, platform_roles=(PlatformRole.WORKSPACE_ADMIN,)))
    world.do(DeactivateUser(user_id=world.maya.user_id), as_=world.vera)
    world.do(ClaimProject(project_id=world.project.id), as_=world.vera)
    assert world.row("member", user_id=world.vera.user_id)["role"] == "OWNER"
    world.do(
        SetProjectRole(project_id=world.project.id, user_id=world.bob.user_id, role=ProjectRole.OWNER), as_=world.vera
    )
    world.do(RemoveMember(project_id=world.project.id, user_id=world.vera.user_id), as_=world.bob)
    assert len(world.ask(ListMembers(project_id=world.project.id), as_=world.bob)) == 2
