"""Stories that three people write over HTTP, any request in any order, against a model of what they must lead to."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import httpx
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from core.domain.model import Status
from tests.support.api.database_snapshot import Rewind
from tests.support.api.server import ServerOfTests
from tests.support.workspace import World

REFUSED = 400
WRITERS = st.sampled_from(["maya", "bob"])
TITLES = st.sampled_from(["Write", "Draw", "[/]", "漢字", "Ship it"])


class Card(NamedTuple):
    title: str
    status: str


class Stories(RuleBasedStateMachine):
    """Tasks of one phase: created, moved, renamed, taken back, brought back and sent twice."""

    def __init__(self, world: World, clients: dict[str, httpx.Client], rewind: Rewind) -> None:
        super().__init__()
        self.world, self.clients = world, clients
        rewind()
        self.cards: dict[str, Card] = {}
        self.versions: dict[str, int] = {}
        self.before: tuple[str, dict[str, Card]] | None = None
        self.sent = 0

    def send(self, who: str, path: str, body: dict[str, Any] | None = None, method: str = "POST") -> httpx.Response:
        """Send a command, and once more under the same key: then nothing happens, and the answer is the same."""
        self.sent += 1
        headers = {"Idempotency-Key": f"key-{self.sent}"}
        answer = self.clients[who].request(method, path, json=body, headers=headers)
        if answer.is_success:
            again = self.clients[who].request(method, path, json=body, headers=headers)
            assert (again.status_code, again.content) == (answer.status_code, answer.content)
        assert answer.status_code in (200, 201, REFUSED), answer.text
        return answer

    def happened(self, who: str, record: dict[str, Any]) -> None:
        self.before = (who, dict(self.cards))
        self.cards[record["id"]] = Card(record["title"], record["status"])
        assert record["version"] == self.versions.get(record["id"], 0) + 1
        self.versions[record["id"]] = record["version"]

    def one_of(self, data: st.DataObject) -> str:
        return data.draw(st.sampled_from(sorted(self.cards)))

    @initialize(title=TITLES)
    def begin(self, title: str) -> None:
        self.create("maya", title)

    @rule(who=WRITERS, title=TITLES)
    def create(self, who: str, title: str) -> None:
        answer = self.send(who, f"/v1/phases/{self.world.discover.id}/tasks", {"title": title})
        if answer.status_code == 201:
            assert answer.json()["title"] == title
            self.happened(who, answer.json())
        else:  # a phase that is complete takes no more
            assert {card.status for card in self.cards.values()} == {Status.COMPLETED}

    @precondition(lambda self: self.cards)
    @rule(who=WRITERS, status=st.sampled_from(Status), data=st.data(), late=st.booleans())
    def move(self, who: str, status: Status, data: st.DataObject, late: bool) -> None:
        task = self.one_of(data)
        seen = self.versions[task] - late
        answer = self.send(who, f"/v1/items/{task}/move", {"status": status, "seenVersion": seen})
        if answer.status_code == 200 and self.cards[task].status != status:
            assert not late
            assert answer.json()["status"] == status
            self.happened(who, answer.json())
        elif late and answer.status_code == REFUSED:
            assert answer.json()["errors"][0]["errorCode"] in ("VERSION_CONFLICT", "RULE_VIOLATION")

    @precondition(lambda self: self.cards)
    @rule(who=WRITERS, title=TITLES, data=st.data(), late=st.booleans())
    def rename(self, who: str, title: str, data: st.DataObject, late: bool) -> None:
        task = self.one_of(data)
        body = {"title": title, "seenVersion": self.versions[task] - late}
        answer = self.send(who, f"/v1/tasks/{task}", body, "PATCH")
        if late:
            assert answer.json()["errors"][0]["errorCode"] == "VERSION_CONFLICT"
            assert answer.json()["details"]["current"]["title"] == self.cards[task].title
        elif self.cards[task].title != title:
            assert answer.json()["title"] == title
            self.happened(who, answer.json())

    @rule(who=WRITERS, back=st.booleans())
    def undo_or_redo(self, who: str, back: bool) -> None:
        answer = self.send(who, f"/v1/projects/{self.world.project.id}/{'undo' if back else 'redo'}")
        if back and self.before is not None and self.before[0] == who:
            assert answer.status_code == 200
            assert self.shown() == self.before[1]
        if answer.is_success:
            self.before = None
            self.cards = self.shown()
            self.versions = {row["id"]: row["version"] for row in self.world.rows("SELECT id, version FROM item")}

    @precondition(lambda self: self.cards)
    @rule(who=st.sampled_from(["vera", "gus"]), data=st.data())
    def try_without_the_right(self, who: str, data: st.DataObject) -> None:
        task = self.one_of(data)
        requests = [("POST", f"/v1/items/{task}/move"), ("PATCH", f"/v1/tasks/{task}"), ("DELETE", f"/v1/items/{task}")]
        method, path = data.draw(st.sampled_from(requests))
        body = {"POST": {"status": "COMPLETED"}, "PATCH": {"title": "Mine"}}.get(method)
        refused = self.clients[who].request(method, path, json=body)
        assert refused.status_code in (403, 404), refused.text

    def shown(self, who: str = "maya") -> dict[str, Card]:
        answer = self.clients[who].get(f"/v1/projects/{self.world.project.id}/tasks")
        assert answer.status_code == 200
        return {each["id"]: Card(each["title"], each["status"]) for each in answer.json()["data"]}

    @invariant()
    def all_see_what_happened(self) -> None:
        for who in ("maya", "vera"):
            assert self.shown(who) == self.cards
        rows = self.world.rows("SELECT id, title, status FROM item")
        assert {row["id"]: Card(row["title"], row["status"]) for row in rows} == self.cards


def tell(world: World, server: ServerOfTests, examples: int, steps: int) -> None:
    names = {"maya": world.maya, "bob": world.bob, "vera": world.vera, "gus": world.gus}
    clients = {name: server.client(actor) for name, actor in names.items()}
    rewind = Rewind(world)
    run_state_machine_as_test(
        partial(Stories, world, clients, rewind),  # type: ignore[arg-type]
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            phases=[Phase.generate],
            derandomize=True,
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
    rewind.close()


def test_a_few_short_stories_end_as_they_must(world: World, server: ServerOfTests) -> None:
    tell(world, server, examples=5, steps=10)


@pytest.mark.slow
def test_many_long_stories_end_as_they_must(world: World, server: ServerOfTests) -> None:
    tell(world, server, examples=100, steps=30)
