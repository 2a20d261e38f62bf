"""Two people at the same card at the same moment, and commands that fail at any of their statements."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain, count
from threading import Barrier, Thread
from typing import Any, TypeVar, cast

from core.actions import load_catalog
from core.actions.catalog import COMMANDS
from core.domain.model import Item, Status
from core.engine.engine import Engine
from core.engine.messages import Command
from core.engine.unit_of_work import Actor
from core.errors import VersionConflict
from core.storage.database import Database, Tx
from core.storage.progress import NO_PROGRESS, Progress
from tests.support.message_examples import messages
from tests.support.sweeps import every_message
from tests.support.workspace import Clock, World, content

T = TypeVar("T")


def test_of_two_people_who_move_a_card_at_once_one_is_told_of_the_other(world: World) -> None:
    for _ in range(20):
        task = world.task(relock=True)
        outcomes: dict[str, Item | VersionConflict] = {}
        start = Barrier(2, timeout=30)

        def move(
            actor: Actor, status: Status, task: Item = task, start: Barrier = start, outcomes: Any = outcomes
        ) -> None:
            start.wait()
            try:
                outcomes[status] = world.move(task.id, status, actor, seen_version=task.version, relock=True)
            except VersionConflict as conflict:
                outcomes[status] = conflict

        people = [
            Thread(target=move, args=(world.maya, Status.IN_PROGRESS)),
            Thread(target=move, args=(world.bob, Status.COMPLETED)),
        ]
        for person in people:
            person.start()
        for person in people:
            person.join()
        (won,) = [each for each in outcomes.values() if isinstance(each, Item)]
        (lost,) = [each for each in outcomes.values() if isinstance(each, VersionConflict)]
        assert lost.current == won
        row = world.row("item", id=task.id)
        assert (row["status"], row["version"]) == (won.status, 2)


class Breaks(Exception):
    """The fault that a test puts into a transaction."""


class FragileTx:
    """A transaction whose n-th writing statement fails."""

    def __init__(self, tx: Tx, survives: int) -> None:
        self.tx = tx
        self.left = survives
        self.writes = 0
        self.savepoint = tx.savepoint
        self.tuples = tx.tuples
        self.tuples_all = tx.tuples_all
        self.find_cached = tx.find_cached
        self.search = tx.search

    def query(self, sql: str, **params: object) -> Any:
        if sql.startswith("UPDATE"):  # the counter of the feed is bumped and read in one
            self._wear()
        return self.tx.query(sql, **params)

    def execute(self, sql: str, **params: object) -> int:
        self._wear()
        return self.tx.execute(sql, **params)

    def execute_all(self, statements: Sequence[tuple[str, Mapping[str, object]]]) -> list[int]:
        return [self.execute(sql, **params) for sql, params in statements]

    def _wear(self) -> None:
        if self.writes == self.left:
            raise Breaks
        self.writes += 1


class FragileDatabase:
    """The database of a world whose next write fails at one statement."""

    def __init__(self, world: World, survives: int) -> None:
        self.real = world.database
        self.survives = survives
        self.read, self.data_version, self.close = self.real.read, self.real.data_version, self.real.close
        self.writers = self.real.writers
        self.check_writable, self.room, self.on_commit = self.real.check_writable, self.real.room, self.real.on_commit

    def write(self, work: Callable[[Tx], T], progress: Progress = NO_PROGRESS, **options: Any) -> T:
        return self.real.write(lambda tx: work(FragileTx(tx, self.survives)), progress, **options)


@every_message(COMMANDS)
def test_a_command_that_fails_at_any_statement_has_done_nothing(
    world: World, clock: Clock, kind: type[Command[Any]]
) -> None:
    message: Any = messages.COMMANDS[kind](world)

    def everything() -> object:
        """To have looked at a project is no content of it, and is all that one message writes."""
        return content(world.database), world.rows("SELECT * FROM last_seen")

    before = everything()
    for survives in chain(range(100), count(100, 41)):  # a template writes hundreds of rows
        try:
            Engine(cast(Database, FragileDatabase(world, survives)), load_catalog, clock=clock).execute(
                message, world.maya
            )
        except Breaks:
            assert everything() == before
        else:
            break
    assert survives >= (1 if kind.personal else 2)  # the record; and its line of the history
    assert everything() != before
