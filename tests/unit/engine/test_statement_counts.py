"""The statements of queries: as many for 40 projects, people, cards, products and templates as for two."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from core.actions import load_catalog
from core.actions.personal.inbox import CountUnread, ListInbox
from core.actions.personal.my_work import GetMyWork
from core.actions.personal.search import Search
from core.actions.projects.lists import ListProjects
from core.engine.engine import Engine
from core.engine.messages import Query
from core.engine.unit_of_work import Actor
from core.errors import Forbidden
from tests.support.counting import statements_for
from tests.support.growing import WORD, grow
from tests.support.message_examples import messages
from tests.support.prepared import content_of, new_world, opened
from tests.support.sweeps import every_message
from tests.support.workspace import World

FEW, MANY = 2, 40

Grown = Callable[[int], World]


@cache
def _grown(times: int) -> tuple[bytes | str, World]:
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
        world.engine = Engine(opened(content, tmp_path / f"{times}.db"), load_catalog, clock=prepared.engine.clock)
        world.database = world.engine.database
        return world

    return make


@every_message(messages.QUERIES)
def test_no_query_sends_more_statements_where_there_is_more_to_list(
    grown: Grown, monkeypatch: pytest.MonkeyPatch, kind: type[Query[object]]
) -> None:
    def statements(world: World, message: Query[object], actor: Actor) -> list[str]:
        try:
            return statements_for(monkeypatch, world, message, actor)
        except Forbidden:
            return []

    few, many = grown(FEW), grown(MANY)
    of_few, of_many = messages.QUERIES[kind](few), messages.QUERIES[kind](many)
    for name in ("maya", "bob", "gus"):
        before = statements(few, of_few, getattr(few, name))  # type: ignore[arg-type]
        sent = statements(many, of_many, getattr(many, name))  # type: ignore[arg-type]
        assert len(sent) == len(before), Counter(sent).most_common(3)


@pytest.mark.parametrize(
    ("query", "most"),
    [
        (ListProjects(), 10),
        (ListProjects(archived=True), 10),
        (GetMyWork(), 10),
        (ListInbox(), 12),
        (CountUnread(), 8),
        (Search(text=WORD, most=200), 12),
    ],
    ids=repr,
)
def test_the_first_screens_send_few_statements(
    grown: Grown, monkeypatch: pytest.MonkeyPatch, query: Query[object], most: int
) -> None:
    for times in (FEW, MANY):
        assert len(statements_for(monkeypatch, grown(times), query)) <= most
