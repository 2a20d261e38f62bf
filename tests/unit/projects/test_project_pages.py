"""Pages of the list of projects: each begins where the one before ended, whatever others change in between."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date

import pytest

from core.actions.history.history import Redo, Undo
from core.actions.portfolio.timeline import GetPortfolio
from core.actions.projects.lists import MAX_PAGE, ListProjects, ProjectOverview
from core.actions.projects.members import InviteMember
from core.actions.projects.projects import ArchiveProject, EditProject, SetFavourite
from core.authorization.local_source import LocalPermissions
from core.domain.grants import CacheControl, Grant, PermissionQuery
from core.domain.model import Id, ProjectRole
from core.errors import InvalidInput
from core.record import replace
from tests.support.sized_worlds import add_projects
from tests.support.workspace import World

NAMES = ("delta", "Echo", "alpha", "Bravo", "Straße", "STRASSE 2", "ähre", "charlie")


def names(overview: ProjectOverview) -> list[str]:
    return [line.project.name for line in overview.lines]


def pages(world: World, size: int, *, archived: bool) -> list[str]:
    """All names, read page by page."""
    page = world.ask(ListProjects(most=size, archived=archived), as_=world.gus)
    found = names(page)
    while page.next_after:
        page = world.ask(ListProjects(most=size, after=page.next_after, archived=archived), as_=world.gus)
        assert page.next_items == ()
        found += names(page)
    return found


@pytest.fixture
def projects(world: World) -> list[Id]:
    """Projects of Gus, of which two are favourites and one is archived."""
    ids = add_projects(world, NAMES, [world.gus.user_id, world.bob.user_id])
    for number in (0, 7):
        world.do(SetFavourite(project_id=ids[number], favourite=True), as_=world.gus)
    world.do(ArchiveProject(project_id=ids[3]), as_=world.gus)
    return ids


@pytest.mark.parametrize("archived", [False, True])
@pytest.mark.parametrize("size", [1, 3, 200])
def test_the_pages_are_the_whole_list_in_its_order(world: World, projects: list[Id], size: int, archived: bool) -> None:
    whole = world.ask(ListProjects(archived=archived), as_=world.gus)
    order = ["charlie", "delta", "alpha", "Echo", "Straße", "STRASSE 2", "ähre", *(["Bravo"] if archived else [])]
    assert names(whole) == order
    assert whole.next_after == ""
    assert pages(world, size, archived=archived) == order
    first = world.ask(ListProjects(archived=archived, most=size), as_=world.gus)
    assert first.lines == whole.lines[:size]
    assert first.next_items == whole.next_items
    assert len(first.next_items) > len(NAMES)


def test_between_two_pages_a_project_is_renamed_another_left_and_a_third_archived(
    world: World, projects: list[Id]
) -> None:
    first = world.ask(ListProjects(most=2), as_=world.gus)
    alpha, echo, strasse = projects[2], projects[1], projects[4]
    world.do(EditProject(project_id=alpha, name="Zulu"), as_=world.gus)
    world.do(ArchiveProject(project_id=echo), as_=world.gus)
    rows = world.rows("SELECT user_id FROM member WHERE project_id = :id", id=strasse)
    assert len(rows) == 2
    world.database.write(
        lambda tx: tx.execute(
            "DELETE FROM member WHERE project_id = :id AND user_id = :me", id=strasse, me=world.gus.user_id
        ),
        linked=False,
    )
    then = world.ask(ListProjects(most=9, after=first.next_after), as_=world.gus)
    assert names(then) == ["STRASSE 2", "Zulu", "ähre"]
    assert then.next_items == ()


def test_favourites_that_change_places_between_pages_are_listed_by_their_new_places(
    world: World, projects: list[Id]
) -> None:
    first = world.ask(ListProjects(most=2), as_=world.gus)
    assert [line.favourite for line in first.lines] == [True, True]
    world.do(SetFavourite(project_id=projects[7], favourite=False), as_=world.gus)
    world.do(SetFavourite(project_id=projects[2], favourite=True), as_=world.gus)
    then = world.ask(ListProjects(most=9, after=first.next_after), as_=world.gus)
    assert names(then) == ["charlie", "Echo", "Straße", "STRASSE 2", "ähre"]
    assert pages(world, 2, archived=False) == ["alpha", "delta", *names(then)]


def test_a_project_has_its_place_by_its_name_after_undo_and_redo_too(world: World, projects: list[Id]) -> None:
    order = pages(world, 3, archived=True)
    world.do(EditProject(project_id=projects[6], name="ZÄHRE"), as_=world.gus)
    world.do(ArchiveProject(project_id=projects[1]), as_=world.gus)
    after = ["charlie", "delta", "alpha", "Straße", "STRASSE 2", "ZÄHRE", "Bravo", "Echo"]
    assert pages(world, 3, archived=True) == after
    world.do(Undo(project_id=projects[1]), as_=world.gus)
    world.do(Undo(project_id=projects[6]), as_=world.gus)
    assert pages(world, 3, archived=True) == order
    world.do(Redo(project_id=projects[6]), as_=world.gus)
    world.do(Redo(project_id=projects[1]), as_=world.gus)
    assert pages(world, 3, archived=True) == after
    rows = world.rows(
        "SELECT name, archived, sort_name, project_archived, project_sort_name FROM member JOIN project"
        " ON project.id = member.project_id"
    )
    assert len(rows) > 2 * len(NAMES)
    for row in rows:
        assert row["sort_name"] == row["project_sort_name"] == row["name"].casefold()
        assert row["archived"] == row["project_archived"]


def test_a_member_who_joins_later_has_the_project_in_its_place(world: World) -> None:
    projects = add_projects(world, NAMES, [world.bob.user_id])
    world.do(ArchiveProject(project_id=projects[3]), as_=world.bob)
    for project in reversed([*projects[:3], *projects[4:]]):
        world.do(InviteMember(project_id=project, user_id=world.maya.user_id, role=ProjectRole.VIEWER), as_=world.bob)
    world.do(ArchiveProject(project_id=projects[5]), as_=world.bob)
    mine = ["alpha", "charlie", "delta", "Echo", "Spring launch", "Straße", "ähre", "STRASSE 2"]
    assert names(world.ask(ListProjects(archived=True))) == mine
    page = world.ask(ListProjects(archived=True, most=4))
    assert names(page) == mine[:4]
    assert names(world.ask(ListProjects(archived=True, most=9, after=page.next_after))) == mine[4:]


def test_the_portfolio_has_the_projects_by_name_in_the_same_order(world: World, projects: list[Id]) -> None:
    found: list[str] = []
    for offset in (0, 3, 6):
        page = world.ask(GetPortfolio(most=3, offset=offset), as_=world.gus)
        found += [line.summary.project.name for line in page.lines]
    assert page.next_offset is None
    assert found == ["alpha", "charlie", "delta", "Echo", "Straße", "STRASSE 2", "ähre"]


@pytest.mark.parametrize("after", ["x", "2 0 01A alpha", "1 2 01A alpha", "0 1"])
def test_a_page_begins_behind_another_one_alone(world: World, after: str) -> None:
    if after == "0 1":
        assert world.ask(ListProjects(most=1, archived=True, after=after)).lines
    else:
        world.refuses(ListProjects(most=1, after=after), InvalidInput, "next_after")


def test_ids_of_other_peoples_projects_and_of_none_list_nothing(world: World, projects: list[Id]) -> None:
    assert names(world.ask(ListProjects(project_ids=(world.project.id, "01NOTHING", projects[0])), as_=world.gus)) == [
        "delta"
    ]
    assert world.ask(ListProjects(project_ids=(world.project.id,)), as_=world.gus).lines == ()


@pytest.mark.parametrize(
    "query",
    [ListProjects(most=0), ListProjects(most=MAX_PAGE + 1), ListProjects(project_ids=("01A",) * (MAX_PAGE + 1))],
    ids=["none", "too many", "too many ids"],
)
def test_a_page_has_1_to_200_projects(world: World, query: ListProjects) -> None:
    world.refuses(query, InvalidInput, "200 projects", as_=world.gus)


class Service(LocalPermissions):
    """Hides projects, and notes the accounts about which it is asked."""

    def __init__(self, world: World) -> None:
        super().__init__(world.database)
        self.hidden: set[str] = set()
        self.asked: list[set[str]] = []

    def grants(self, queries: Collection[PermissionQuery], how: CacheControl) -> dict[PermissionQuery, Grant]:
        self.asked.append({query.account_id for query in queries})
        found = super().grants(queries, how)
        return {
            query: replace(grant, held=frozenset()) if query.account_id in self.hidden else grant
            for query, grant in found.items()
        }


@pytest.fixture
def service(world: World, projects: list[Id]) -> Service:
    service = world.engine.permissions = Service(world)
    return service


def accounts(world: World, *projects: Id) -> set[str]:
    return {world.row("project", id=project)["auth_id"] for project in projects}


def test_a_page_asks_only_about_its_projects_and_those_of_the_next_items(
    world: World, projects: list[Id], service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.actions.projects.lists.NEXT_ITEMS", 3)
    near = world.ask(ListProjects(), as_=world.gus).next_items
    assert {item.project_id for item in near} == {projects[0], projects[1]}
    service.asked.clear()
    page = world.ask(ListProjects(most=1), as_=world.gus)
    assert (names(page), page.next_items) == (["charlie"], near)
    assert service.asked == [accounts(world, projects[7], projects[0], projects[1])]
    service.asked.clear()
    world.ask(ListProjects(most=2, after=page.next_after), as_=world.gus)
    assert service.asked == [accounts(world, projects[0], projects[2])]
    service.asked.clear()
    world.ask(ListProjects(project_ids=tuple(projects[4:6])), as_=world.gus)
    assert service.asked == [accounts(world, *projects[4:6])]


def test_next_items_of_projects_that_i_cannot_see_give_way_to_others_after_one_more_question(
    world: World, projects: list[Id], service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.actions.projects.lists.NEXT_ITEMS", 2)
    service.hidden = accounts(world, *projects[:5])
    whole = world.ask(ListProjects(), as_=world.gus)
    service.asked.clear()
    page = world.ask(ListProjects(most=1), as_=world.gus)
    assert page.lines == whole.lines[:1]
    assert page.next_items == whole.next_items
    assert {item.project_id for item in page.next_items} <= {projects[5], projects[6], projects[7]}
    assert len(service.asked) == 2
    assert not service.asked[0] & service.asked[1]


def test_a_permission_that_is_lost_between_two_pages_leaves_the_name_and_the_reason(
    world: World, projects: list[Id], service: Service
) -> None:
    first = world.ask(ListProjects(most=2), as_=world.gus)
    service.hidden = accounts(world, projects[2])
    alpha, *others = world.ask(ListProjects(most=9, after=first.next_after), as_=world.gus).lines
    assert (alpha.project.name, alpha.members, alpha.tally.total) == ("alpha", (), 0)
    assert alpha.withheld
    assert not any(line.withheld for line in others)


def test_a_remote_source_is_asked_about_a_page_of_an_archived_project_too(
    world: World, projects: list[Id], service: Service
) -> None:
    page = world.ask(ListProjects(archived=True, most=7), as_=world.gus)
    last = world.ask(ListProjects(archived=True, most=7, after=page.next_after), as_=world.gus)
    assert names(last) == ["Bravo"]
    assert service.asked[-1] == accounts(world, projects[3])
    assert last.lines[0].next_due is not None
    assert last.lines[0].next_due >= date(2026, 2, 20)
