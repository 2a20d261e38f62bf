"""Everybody in one workspace, and every message of the catalog ready to be sent, each in a database of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, cast

import pytest

from core.engine.engine import Engine
from core.engine.messages import Message
from tests.support.expected_rights import Cast, Rehearsal, Stage, set_up
from tests.support.message_examples import messages
from tests.support.parsed_once import parsing_once
from tests.support.postgres_cluster import ON_POSTGRES, Rows, fill, rows_of
from tests.support.screen_cases import House, furnish
from tests.support.wait_until_idle import waiting_until_idle
from tests.support.workspace import World


@pytest.fixture(autouse=True)
def _wait_until_idle() -> Iterator[None]:
    """A pilot waits until the application is idle, and for no time that a machine may need."""
    with waiting_until_idle(), parsing_once():
        yield


@pytest.fixture(scope="session")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with set_up(tmp_path_factory.mktemp("everybody")) as stage:
        yield stage


class Scene(NamedTuple):
    """A message that is ready to be sent, with what it needs."""

    message: Message[Any]
    world: World
    rehearsed: Engine
    """Carries out each message, and then takes it back."""

    @property
    def writes(self) -> int:
        """The number of statements that ever wrote here, rolled back ones included."""
        return cast(Rehearsal, self.rehearsed.database).writes

    @contextmanager
    def archived(self) -> Iterator[None]:
        """The project in the archive for a while, however the sample has left it."""
        before = self.world.row("project", id=self.world.project.id)["archived"]
        self._archive(1)
        yield
        self._archive(before)

    def _archive(self, archived: int) -> None:
        sql = "UPDATE project SET archived = :archived WHERE id = :id"
        self.world.database.write(lambda tx: tx.execute(sql, archived=archived, id=self.world.project.id))


class Matrix(NamedTuple):
    cast: Cast
    scenes: Mapping[str, Scene]
    """A scene for each message, by its name. On PostgreSQL it can be used until the next one is taken."""


class _InOneDatabase(Mapping[str, Scene]):
    """The scenes in one database of PostgreSQL, since one for each takes minutes: a scene that is taken fills it."""

    def __init__(self, stage: Stage, path: Path) -> None:
        self._world, self._path = stage.copied(path), path
        self._messages = {kind.__name__: sample for kind, sample in messages.ALL.items()}
        self._there = self._first = rows_of(path)
        self._scenes: dict[str, tuple[Scene, Rows]] = {}

    def __getitem__(self, name: str) -> Scene:
        if name not in self._scenes:
            fill(self._path, self._first)
            scene = _scene(self._world, self._messages[name])
            self._there = rows_of(self._path)
            self._scenes[name] = scene, self._there
        scene, rows = self._scenes[name]
        if rows is not self._there:
            fill(self._path, rows, self._there)
            self._there = rows
        return scene

    def __iter__(self) -> Iterator[str]:
        return iter(self._messages)

    def __len__(self) -> int:
        return len(self._messages)


def _scene(world: World, sample: Callable[[World], Message[Any]]) -> Scene:
    message = sample(world)
    return Scene(message, world, Rehearsal(world.database).engine(world.engine.clock))


@pytest.fixture(scope="session")
def matrix(stage: Stage, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Matrix]:
    folder = tmp_path_factory.mktemp("scenes")
    if ON_POSTGRES:
        yield Matrix(stage.cast, _InOneDatabase(stage, folder / "scenes.db"))
        return
    scenes = {
        kind.__name__: _scene(stage.copied(folder / f"{kind.__name__}.db"), sample)
        for kind, sample in messages.ALL.items()
    }
    yield Matrix(stage.cast, scenes)
    for scene in scenes.values():
        scene.world.database.close()


@pytest.fixture(scope="session")
def house(stage: Stage, tmp_path_factory: pytest.TempPathFactory) -> House:
    """A world with something on every screen; nothing that a test does here stays."""
    world = stage.copied(tmp_path_factory.mktemp("house") / "house.db")
    rooms = furnish(world)
    world.database.close()
    return House(world, stage.cast, rooms)
