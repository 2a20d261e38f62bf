"""The statements of queries: as many for 40 projects, people, cards, products and templates as for two."""

from __future__ import annotations

import copy
import re
from collections import Counter
from collections.abc import Callable
from contextlib import closing, suppress
from datetime import timedelta
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

import pytest

from core.actions import load_catalog
from core.actions.cards.activities import AssignActivity
from core.actions.cards.comments import AddComment
from core.actions.cards.details import GetCard, GetPhase
from core.actions.history.history import Undo
from core.actions.personal.inbox import CountUnread, ListInbox, UnreadState, unread_of
from core.actions.personal.my_work import GetMyWork
from core.actions.personal.search import Search
from core.actions.portfolio.timeline import GetPortfolio
from core.actions.portfolio.workload import GetWorkload, ListWorkloadCards
from core.actions.projects.lists import ListProjects
from core.actions.projects.presence import ListOnlineUsers, ReportPresence
from core.actions.workflow.gates import CheckGate
from core.actions.workflow.phases import AssignPhase
from core.domain.model import Id
from core.engine.engine import Engine
from core.engine.messages import Command, Message, Query
from core.engine.unit_of_work import Actor
from core.errors import OBSTACLES_LISTED, NothingToUndo, PodiumError
from core.presence.presence import PresenceLocation
from core.storage import database
from tests.support.counting import noted_statements
from tests.support.growing import WORD, grow
from tests.support.message_examples import messages
from tests.support.postgres_cluster import Rows
from tests.support.prepared import content_of, new_world, opened
from tests.support.sweeps import every_message
from tests.support.workspace import World

FEW, MANY = 2, 40

Grown = Callable[[int], World]


@cache
def _grown(times: int) -> tuple[bytes | Rows, World]:
    """The content of a world that was grown so many times, and its objects."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "podium.db")
        world = new_world(path)
        with closing(world.engine):
            grow(world, times)
        return content_of(path), world


@pytest.fixture
def grown(tmp_path: Path) -> Grown:
    """Make a grown world of its own for a test."""

    def make(times: int) -> World:
        content, prepared = _grown(times)
        world = copy.copy(prepared)
        world.database = opened(content, tmp_path / f"{times}.db")
        world.engine = Engine(world.database, load_catalog, clock=prepared.engine.clock)
        return world

    return make


def online(world: World) -> None:
    """Let all members have their projects open, each at a card or a phase."""
    places = world.rows(
        "SELECT member.project_id, user_id, (SELECT min(id) FROM item WHERE project_id = member.project_id) AS card,"
        " (SELECT min(id) FROM phase WHERE project_id = member.project_id) AS phase FROM member"
    )
    for number, place in enumerate(places):
        entry = PresenceLocation(
            project_id=place["project_id"], card_id=place["card"] if number % 2 else None, phase_id=place["phase"]
        )
        world.engine.presence.report(place["user_id"], place["project_id"], entry, "local", world.engine.clock())


def members(world: World) -> tuple[Id, ...]:
    rows = world.rows("SELECT user_id FROM member WHERE project_id = :id ORDER BY user_id", id=world.project.id)
    return tuple(row["user_id"] for row in rows)


def crowded_card(world: World) -> Id:
    """An activity that all members of the project are assigned to, and each has commented on."""
    activity = world.activity("Crowded")
    world.do(AssignActivity(activity_id=activity.id, member_ids=members(world)))
    for user_id in members(world):
        if user_id not in (world.gus.user_id, world.vera.user_id):
            world.do(AddComment(item_id=activity.id, text="Here."), as_=Actor(user_id))
    return activity.id


def crowded_phase(world: World) -> Id:
    """A phase that all members are assigned to."""
    world.do(AssignPhase(phase_id=world.discover.id, member_ids=members(world)))
    return world.discover.id


def last_elsewhere(world: World) -> Undo:
    """Undo in one project, while the last change was in another, a minute later."""
    world.clock.now += timedelta(minutes=1)
    other = world.new_project("Elsewhere")
    return Undo(project_id=world.project.id, only_last=bool(other))


CROWDED: dict[str, Callable[[World], Message[Any]]] = {
    "card": lambda world: GetCard(item_id=crowded_card(world)),
    "phase": lambda world: GetPhase(phase_id=crowded_phase(world)),
    "all who are online": lambda world: ListOnlineUsers(),
    "others on the project": lambda world: ReportPresence(project_id=world.project.id),
    "undo of the last change": last_elsewhere,
    "results of a search": lambda world: Search(text=WORD, most=len(world.rows("SELECT id FROM project"))),
}


NAMES_OF_A_KIND = re.compile(r"SELECT id, [a-z_, ]+ FROM \w+ WHERE id IN ")
"""The statements by which a page of the history names records: one for each kind that occurs on it."""

OF_PANELS = 6
"""Statements that read the panels of all gates of a list that wait for votes, in one round trip."""


def statements(monkeypatch: pytest.MonkeyPatch, world: World, message: Message[Any], actor: Actor) -> list[str]:
    """The statements for a message, also if it is refused."""
    with noted_statements(monkeypatch, world.database) as sent, suppress(PodiumError):
        if isinstance(message, Command):
            world.do(message, as_=actor)
        else:
            world.ask(cast("Query[Any]", message), as_=actor)
    return sent


@every_message(messages.QUERIES)
def test_no_query_sends_more_statements_where_there_is_more_to_list(
    grown: Grown, monkeypatch: pytest.MonkeyPatch, kind: type[Message[Any]]
) -> None:
    few, many = grown(FEW), grown(MANY)
    of_few, of_many = messages.QUERIES[kind](few), messages.QUERIES[kind](many)
    for name in ("maya", "bob", "gus"):
        before = statements(monkeypatch, few, of_few, getattr(few, name))
        sent = statements(monkeypatch, many, of_many, getattr(many, name))
        of_kinds = [sum(1 for sql in some if NAMES_OF_A_KIND.match(sql)) for some in (sent, before)]
        assert len(sent) - of_kinds[0] == len(before) - of_kinds[1], Counter(sent).most_common(3)


@pytest.mark.parametrize("message", CROWDED.values(), ids=CROWDED)
def test_nor_where_more_people_are_concerned(
    grown: Grown, monkeypatch: pytest.MonkeyPatch, message: Callable[[World], Message[Any]]
) -> None:
    few, many = grown(FEW), grown(MANY)
    of_few, of_many = message(few), message(many)
    online(few)
    online(many)
    before, sent = (
        statements(monkeypatch, world, sample, world.maya) for world, sample in ((few, of_few), (many, of_many))
    )
    assert len(sent) == len(before), Counter(sent).most_common(3)


def test_the_unread_counts_of_all_listeners_are_read_at_once(grown: Grown, monkeypatch: pytest.MonkeyPatch) -> None:
    world = grown(MANY)
    people = [row["id"] for row in world.rows("SELECT id FROM app_user ORDER BY id")]
    counts = {user_id: world.ask(CountUnread(), as_=Actor(user_id)) for user_id in people}
    with noted_statements(monkeypatch, world.database) as sent:
        found = world.database.read(lambda tx: unread_of(tx, [*people, "nobody"]))
    assert len(sent) == 1
    assert found.pop("nobody") == UnreadState(0, None, 0)
    assert {user_id: state.unread for user_id, state in found.items()} == counts
    assert len(set(counts.values())) > 2
    monkeypatch.setattr(database, "ASKED_AT_ONCE", 7)
    assert world.database.read(lambda tx: unread_of(tx, people)) == found


def test_the_last_change_is_found_among_more_projects_than_one_statement_asks_for(
    grown: Grown, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = grown(FEW)
    world.clock.forward(minutes=1)
    world.new_project("Elsewhere")
    monkeypatch.setattr(database, "ASKED_AT_ONCE", 1)
    with pytest.raises(NothingToUndo, match="Your last change was in “Elsewhere”"):
        world.do(Undo(project_id=world.project.id, only_last=True))


def test_a_locked_phase_names_20_obstacles_and_asks_for_no_more(grown: Grown, monkeypatch: pytest.MonkeyPatch) -> None:
    world = grown(MANY)
    last = world.rows("SELECT id FROM phase WHERE project_id = :id ORDER BY rank DESC LIMIT 1", id=world.project.id)
    sent = statements(monkeypatch, world, CheckGate(phase_id=last[0]["id"]), world.maya)
    assert sum(f"LIMIT {OBSTACLES_LISTED}" in sql for sql in sent) <= OBSTACLES_LISTED
    refused = world.ask(CheckGate(phase_id=last[0]["id"]))
    assert len(refused.blockers) == OBSTACLES_LISTED


@pytest.mark.parametrize(
    ("query", "most"),
    [
        (ListProjects(), 10),
        (ListProjects(archived=True), 10),
        (GetMyWork(), 11),
        (GetPortfolio(), 10),
        (GetWorkload(), 10),
        (ListWorkloadCards(), 10),
        (ListInbox(), 15),
        (CountUnread(), 8),
        (Search(text=WORD, most=200), 12),
    ],
    ids=repr,
)
def test_the_first_screens_send_few_statements(
    grown: Grown, monkeypatch: pytest.MonkeyPatch, query: Query[object], most: int
) -> None:
    for times in (FEW, MANY):
        world = grown(times)
        assert len(statements(monkeypatch, world, query, world.maya)) <= most + OF_PANELS
        world.database.write(lambda tx: tx.execute("DELETE FROM gate_policy"))
        assert len(statements(monkeypatch, world, query, world.maya)) <= most
