"""Queries and moves cost the same in a larger workspace: statements, rows and steps of SQLite at two sizes.

Where more is read, the bound says what for.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from contextlib import closing
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from core.actions import load_catalog
from core.actions.cards.cards import MoveCard
from core.actions.cards.tasks import CreateTask
from core.actions.personal.inbox import CountUnread, ListInbox
from core.actions.personal.my_work import GetMyWork
from core.actions.personal.search import Search
from core.actions.projects.find import FindProjects
from core.actions.projects.lists import ListProjects
from core.actions.workflow import canvas as canvas_query
from core.actions.workflow.canvas import GetCanvas
from core.actions.workflow.canvas_changes import GetCanvasChanges
from core.diagnostics.local import check_item_counts
from core.domain.finding import Verdict
from core.domain.model import Id, Status
from core.engine.engine import Engine
from core.engine.messages import Command, Message
from core.engine.unit_of_work import Actor
from core.storage.database import Tx
from tests.support.postgres_cluster import Rows
from tests.support.prepared import content_of, new_world, opened
from tests.support.sized_worlds import add_project, add_projects, add_users
from tests.support.work_done import Work, work_done
from tests.support.workspace import World

FEW, MANY = 10, 300
PAGE = 10

Build = Callable[[World], Id]
"""Adds what a size is about to a world. Returns the id of a project."""


@cache
def _built(build: Build) -> tuple[bytes | Rows, World, Id]:
    with TemporaryDirectory() as folder:
        path = Path(folder, "podium.db")
        world = new_world(path)
        with closing(world.engine):
            project = build(world)
        return content_of(path), world, project


@pytest.fixture
def built(tmp_path: Path) -> Callable[[Build], tuple[World, Id]]:
    """A world of its own for a test, of which the content is made once."""

    def make(build: Build) -> tuple[World, Id]:
        content, prepared, project = _built(build)
        world = copy.copy(prepared)
        path = tmp_path / f"{id(build)}.db"
        world.database = opened(content, path)
        world.engine = Engine(world.database, load_catalog, clock=prepared.engine.clock)
        return world, project

    return make


def work_of(world: World, message: Message[Any], actor: Actor) -> Work:
    """The work of a message that was sent once before, as the answers of a running program are."""
    if isinstance(message, Command):
        with work_done(world.database) as work:
            world.do(message, as_=actor)
        return work
    world.send(message, as_=actor)
    with work_done(world.database) as work:
        world.send(message, as_=actor)
    return work


def each_more(few: Work, many: Work, more: int) -> tuple[float, float]:
    """The rows and the steps that each of ``more`` costs."""
    return (many.rows - few.rows) / more, (many.steps - few.steps) / more


# -- my own projects -----------------------------------------------------------------------------------------------


def names(count: int) -> list[str]:
    return [f"Project {number:03}" for number in range(count)]


def few_of_mine(world: World) -> Id:
    return add_projects(world, names(FEW), [world.gus.user_id, world.bob.user_id])[7]


def many_of_mine(world: World) -> Id:
    return add_projects(world, names(MANY), [world.gus.user_id, world.bob.user_id])[7]


Built = Callable[[Build], tuple[World, Id]]


def test_projects_named_by_their_ids_cost_the_same_in_a_longer_list(built: Built) -> None:
    of_each = []
    for build in (few_of_mine, many_of_mine):
        world, _ = built(build)
        ids = world.ask(ListProjects(), as_=world.gus).lines[:PAGE]
        page = ListProjects(project_ids=tuple(line.project.id for line in ids))
        of_each.append(work_of(world, page, world.gus))
    few, many = of_each
    assert many.statements == few.statements
    assert many.rows == few.rows
    assert many.steps <= 1.1 * few.steps


@pytest.mark.parametrize("called", ["name", "key", "id"])
def test_a_project_is_found_by_what_it_is_called_without_reading_the_others(built: Built, called: str) -> None:
    found: list[Work] = []
    for build in (few_of_mine, many_of_mine):
        world, project = built(build)
        find = FindProjects(name=world.row("project", id=project)[called])
        assert [each.id for each in world.ask(find, as_=world.gus)] == [project]
        found.append(work_of(world, find, world.gus))
    few, many = found
    assert many.statements == few.statements
    assert many.rows == few.rows
    assert many.steps <= 1.1 * few.steps


def test_the_unread_notifications_are_counted_without_reading_the_projects_that_have_none(built: Built) -> None:
    found: list[Work] = []
    for build in (few_of_mine, many_of_mine):
        world, project = built(build)
        [phase, _] = world.rows("SELECT id FROM phase WHERE project_id = :id ORDER BY rank", id=project)
        world.do(CreateTask(phase_id=phase["id"], title="Call", assignee_id=world.gus.user_id), as_=world.bob)
        assert world.ask(CountUnread(), as_=world.gus) == 1
        found.append(work_of(world, CountUnread(), world.gus))
    few, many = found
    assert many.statements == few.statements
    assert many.rows == few.rows
    assert many.steps <= 1.1 * few.steps


def with_others_of_mine(count: int) -> Build:
    @cache
    def build(world: World) -> Id:
        """Three projects with open cards of Maya, and others of hers with cards of Bob."""
        mine = add_projects(world, names(3), [world.maya.user_id])
        others = [f"Other {number:04}" for number in range(count)]
        add_projects(world, others, [world.bob.user_id, world.maya.user_id, world.gus.user_id], cards=1, first=3)
        world.task("Call the zoo")
        return mine[0]

    return build


def test_lists_read_the_same_rows_with_a_hundred_projects_of_mine_and_with_thousands(built: Built) -> None:
    few, many = (built(with_others_of_mine(count))[0] for count in (100, 5_000))
    middle = few.ask(ListProjects(most=45), as_=few.maya).next_after
    for query in (
        ListProjects(most=40),
        ListProjects(most=40, archived=True),
        ListProjects(most=40, after=middle),
        GetMyWork(),
        GetMyWork(ready=True),
        ListInbox(),
        Search(text="zoo"),
        Search(text="card", most=10),
        Search(text="nothing such"),
        Search(text="K0004-1"),
    ):
        of_few, of_many = (work_of(world, query, world.maya) for world in (few, many))
        assert of_few.rows == of_many.rows > 0, query
        assert of_few.statements == of_many.statements, query
        if isinstance(query, ListProjects):
            assert len(few.ask(query, as_=few.maya).lines) == 40
            assert of_many.steps <= 1.1 * of_few.steps
    for text in ("card", "other", "nothing such", "bob", "K0004-1"):  # of a guest, who sees a part of what is shared
        few_rows, many_rows = (work_of(world, Search(text=text, most=10), world.gus).rows for world in (few, many))
        assert few_rows == many_rows > 0, text


# -- what others have ----------------------------------------------------------------------------------------------


def among(others: int) -> Build:
    @cache
    def build(world: World) -> Id:
        """Three projects of Gus, and many of Bob."""
        mine = add_projects(world, names(3), [world.gus.user_id])
        theirs = [f"Theirs {number}" for number in range(others)]
        add_projects(world, theirs, [world.bob.user_id], first=3)
        return mine[0]

    return build


AMONG_FEW, AMONG_MANY = among(30), among(300)


@pytest.mark.parametrize(
    "query",
    [
        GetMyWork(),
        GetMyWork(ready=True),
        ListInbox(),
        CountUnread(),
        ListProjects(),
        ListProjects(most=PAGE),
        FindProjects(),
        FindProjects(name="Project 001"),
        FindProjects(name="no such name"),
    ],
    ids=repr,
)
def test_my_own_screens_cost_the_same_among_more_projects_of_others(built: Built, query: Message[Any]) -> None:
    few, many = (work_of(world, query, world.gus) for world, _ in (built(AMONG_FEW), built(AMONG_MANY)))
    assert many.statements == few.statements
    assert many.rows == few.rows
    assert many.steps <= 1.1 * few.steps


def test_a_search_reads_no_more_rows_among_more_projects_of_others(built: Built) -> None:
    few, many = (
        work_of(world, Search(text="Card", most=10), world.gus) for world, _ in (built(AMONG_FEW), built(AMONG_MANY))
    )
    assert many.statements == few.statements
    assert many.rows == few.rows
    assert many.steps <= 1.2 * few.steps  # without those within the full-text index, which SQLite does not count


def forget_counts(project: Id, tx: Tx) -> None:
    tx.execute("UPDATE feed SET item_counts = '{}', last_number = 0 WHERE id = :id", id=project)


def test_doctor_counts_items_in_a_time_that_grows_with_their_number_alone(built: Built) -> None:
    found: list[Work] = []
    for build in (AMONG_FEW, AMONG_MANY):
        world, project = built(build)
        world.database.write(partial(forget_counts, project))
        with work_done(world.database) as work:
            assert check_item_counts(world.database).verdict is Verdict.NOTE
        found.append(work)
    few, many = found
    assert many.statements == few.statements
    assert each_more(few, many, 270)[1] < 400  # each of them has four items, which are counted in two transactions


# -- one project ---------------------------------------------------------------------------------------------------


def of_size(*, phases: int = 5, cards: int = 100, members: int = 5) -> Build:
    @cache
    def build(world: World) -> Id:
        people = [world.gus.user_id, *add_users(world, members - 1)]
        return add_project(world, phases=phases, cards=cards, members=people)

    return build


USUAL = of_size()
LARGER = {
    "2,000 cards": of_size(cards=2_000),
    "100 phases": of_size(phases=100),
    "500 members": of_size(members=500),
}


def move_and_changes(world: World, project: Id) -> tuple[Work, Work]:
    """The work of a move, and that of the answer with what it changed; each after one like it."""
    seq = world.ask(GetCanvas(project_id=project), as_=world.gus).head.seq
    [card, *_] = world.rows("SELECT id FROM item WHERE project_id = :id ORDER BY rank LIMIT 1", id=project)
    world.start(card["id"], as_=world.gus)
    world.ask(GetCanvasChanges(project_id=project, since=seq), as_=world.gus)
    move = work_of(world, MoveCard(card_id=card["id"], status=Status.TO_DO), world.gus)
    with work_done(world.database) as changes:
        found = world.ask(GetCanvasChanges(project_id=project, since=seq + 1), as_=world.gus)
    assert found is not None
    return move, changes


@pytest.mark.parametrize("larger", LARGER.values(), ids=LARGER)
def test_a_move_costs_the_same_in_a_larger_project(built: Built, larger: Build) -> None:
    (few, _), (many, _) = (move_and_changes(*built(build)) for build in (USUAL, larger))
    assert many.statements == few.statements
    assert many.rows == few.rows
    assert many.steps <= 1.1 * few.steps


def test_the_first_part_of_a_large_canvas_costs_the_same_at_any_size(
    built: Built, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(canvas_query, "LARGE", 200)
    of_each = []
    for cards in (300, 2_000):
        world, project = built(of_size(cards=cards))
        part = GetCanvas(project_id=project, most=PAGE)
        assert world.ask(part, as_=world.gus).unread > cards - 200
        of_each.append(work_of(world, part, world.gus))
    few, many = of_each
    assert many.statements == few.statements
    assert many.rows == few.rows
    assert many.steps <= 1.1 * few.steps


HEAD = {"2,000 cards": (0, 0), "100 phases": (1, 40), "500 members": (1, 26)}
"""The rows and the steps that the answer with the changes costs for each more, because it has the whole head."""


@pytest.mark.parametrize("larger", LARGER, ids=LARGER.keys())
def test_the_changes_after_a_move_cost_no_more_than_the_head_of_the_canvas(built: Built, larger: str) -> None:
    (_, few), (_, many) = (move_and_changes(*built(build)) for build in (USUAL, LARGER[larger]))
    more = {"2,000 cards": 1_900, "100 phases": 95, "500 members": 495}[larger]
    rows, steps = each_more(few, many, more)
    assert many.statements == few.statements
    assert rows <= HEAD[larger][0]
    assert steps <= HEAD[larger][1]
