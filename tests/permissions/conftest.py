"""Everybody in one workspace, and every message of the catalog ready to be sent, each in a database of its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import pytest

from core.actions import load_catalog
from core.engine.engine import Engine
from core.engine.messages import Message
from tests.support.expected_rights import Cast, Rehearsal, Stage, set_up
from tests.support.message_examples import messages
from tests.support.parsed_once import parsing_once
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
    """Carries out what it is told, and then takes it back."""

    @property
    def writes(self) -> int:
        """The number of rows that were ever written here, rolled back ones included."""
        return self.world.database.connection.total_changes  # type: ignore[attr-defined,no-any-return]

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
    scenes: dict[str, Scene]


@pytest.fixture(scope="session")
def matrix(stage: Stage, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Matrix]:
    """A scene for each message, by its name."""
    folder = tmp_path_factory.mktemp("scenes")
    scenes = {}
    for kind, sample in messages.ALL.items():
        world = stage.copied(folder / f"{kind.__name__}.db")
        scenes[kind.__name__] = Scene(
            sample(world), world, Engine(Rehearsal(world.database), load_catalog, clock=world.engine.clock)
        )
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
