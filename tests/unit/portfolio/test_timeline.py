"""The portfolio: my projects with their phases, as far as I may see them, page by page."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from core.actions import load_catalog
from core.actions.portfolio.timeline import GetPortfolio, Portfolio
from core.actions.projects.members import InviteMember
from core.actions.projects.projects import ArchiveProject, CreateProject
from core.actions.workflow.phases import EditPhase
from core.actions.workspace.hierarchy import AddNode
from core.domain.model import Gate, Health, NodeKind, PhaseState, ProjectRole
from core.domain.permissions import Permission
from core.engine.engine import Engine
from core.errors import InvalidInput
from tests.support.authorization_service.server import Service
from tests.support.workspace import World


def names(portfolio: Portfolio) -> list[str]:
    return [line.summary.project.name for line in portfolio.lines]


def test_a_project_has_its_phases_in_order_with_states_dates_and_counts(world: World) -> None:
    world.do(EditPhase(phase_id=world.discover.id, due=date(2026, 3, 20)))
    world.do(EditPhase(phase_id=world.build.id, due=date(2026, 4, 20), gate=Gate.REVIEW))
    done = world.task("Done")
    world.complete(done.id)
    world.task("Late", phase=world.build, due=date(2026, 3, 1))
    [line] = world.ask(GetPortfolio()).lines
    assert (line.summary.health, line.summary.role) == (Health.OVERDUE, ProjectRole.OWNER)
    assert [
        (each.id, each.number, each.name, each.state, each.gate, each.due, each.tally.done, each.tally.total)
        for each in line.phases
    ] == [
        (world.discover.id, 1, "Discover", PhaseState.COMPLETE, Gate.AUTOMATIC, date(2026, 3, 20), 1, 1),
        (world.build.id, 2, "Build", PhaseState.OPEN, Gate.REVIEW, date(2026, 4, 20), 0, 1),
        (world.launch.id, 3, "Launch", PhaseState.LOCKED, Gate.AUTOMATIC, None, 0, 0),
    ]


def test_it_lists_my_projects_by_name_without_archived_ones_and_those_of_others(world: World) -> None:
    for name in ("autumn fair", "Winter sale", "Bake-off"):
        world.new_project(name)
    gone = world.new_project("Gone")
    world.do(ArchiveProject(project_id=gone.id))
    assert names(world.ask(GetPortfolio())) == ["autumn fair", "Bake-off", "Spring launch", "Winter sale"]
    assert names(world.ask(GetPortfolio(), as_=world.bob)) == ["Spring launch"]
    assert names(world.ask(GetPortfolio(), as_=world.gus)) == []


def test_pages_follow_each_other_without_a_gap(world: World) -> None:
    for number in range(4):
        world.new_project(f"P{number}")
    pages = []
    offset: int | None = 0
    while offset is not None:
        page = world.ask(GetPortfolio(most=2, offset=offset))
        pages.append(names(page))
        offset = page.next_offset
    assert pages == [["P0", "P1"], ["P2", "P3"], ["Spring launch"]]


@pytest.mark.parametrize("fields", [{"most": 0}, {"most": 201}, {"offset": -1}])
def test_a_page_of_another_size_is_refused(world: World, fields: dict[str, Any]) -> None:
    refused = world.refuses(GetPortfolio(**fields), InvalidInput)
    assert [refused.field] == list(fields)


def test_only_the_projects_of_a_client_a_market_or_a_brand(world: World) -> None:
    client = world.do(AddNode(kind=NodeKind.CLIENT, name="Fjordland"))
    world.do(CreateProject(name="Other", client_id=client.id))
    assert names(world.ask(GetPortfolio(client_id=client.id))) == ["Other"]
    assert world.ask(GetPortfolio(client_id=client.id)).lines[0].summary.links == ("Fjordland",)
    assert names(world.ask(GetPortfolio(brand_id=client.id))) == []


def test_a_project_that_the_service_hides_is_left_out_and_not_counted(world: World, service: Service) -> None:
    other = world.new_project("Other")
    world.do(InviteMember(project_id=other.id, user_id=world.bob.user_id, role=ProjectRole.CONTRIBUTOR))
    service.grant(world.bob.user_id, world.row("workspace")["auth_id"], Permission.WORKSPACE_VIEW)
    service.grant(world.bob.user_id, other.auth_id, Permission.PROJECT_VIEW)
    remote = Engine(world.database, load_catalog, service.source(), clock=world.engine.clock)
    assert names(remote.query(GetPortfolio(), world.bob)) == ["Other"]
