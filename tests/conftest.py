"""Fixtures of every kind of test: a real database in a folder of its own, a clock that stands still, a workspace."""

from __future__ import annotations

import gc
import logging
import os
import random
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hypothesis
import pytest

from core.actions import load_catalog
from core.domain.model import Project
from core.engine.engine import Engine
from core.server.requests import json_log
from core.storage.sqlite.database import SqliteDatabase
from tests.support import postgres_cluster
from tests.support.postgres_cluster import ON_POSTGRES
from tests.support.prepared import database_with_people, database_with_world, empty_database, its_people, world_of
from tests.support.workspace import Clock, People, World

if TYPE_CHECKING:
    from tests.support.authorization_service.server import Service


if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, lambda *_: None)  # what tests start under nohup hears it all the same
if (
    signal.getsignal(signal.SIGINT) is signal.SIG_IGN
):  # a shell without job control starts a program in the background so
    signal.signal(signal.SIGINT, signal.default_int_handler)

if sys.dont_write_bytecode:  # compiling takes half of the time of collecting, and of the start of each program
    sys.dont_write_bytecode = False
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

os.environ.pop("COLORFGBG", None)  # a light terminal would change the pictures

# The same inputs in each run, and no deadline; "pytest --hypothesis-profile=search" draws new inputs, and more of them.
hypothesis.settings.register_profile("podium", deadline=None, derandomize=True)
hypothesis.settings.register_profile("search", deadline=None, max_examples=2_000)
hypothesis.settings.load_profile("podium")

SHARING = ("tests/end_to_end/multi_user/", "tests/end_to_end/ssh/", "tests/end_to_end/web/")
"""The folders whose tests share a browser, an sshd or a gateway, which takes seconds to make."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--shuffle", metavar="SEED", help="run the files, and the tests of each, in the order of this seed"
    )


def pytest_configure(config: pytest.Config) -> None:
    """``PODIUM_TEST_ENGINE=postgresql``: start one cluster for all processes of the run."""
    if ON_POSTGRES and not hasattr(config, "workerinput"):
        if reason := postgres_cluster.missing():
            raise pytest.UsageError(reason)
        folder, process = postgres_cluster.start()
        os.environ[postgres_cluster.CLUSTER] = str(folder)
        config.add_cleanup(lambda: postgres_cluster.stop(folder, process))


def pytest_collection(session: pytest.Session) -> None:
    """Nothing that is collected is garbage: to look for some takes a fifth of the time, now and in each test."""
    gc.disable()


def pytest_collection_finish(session: pytest.Session) -> None:
    gc.freeze()
    gc.enable()


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """``-n auto``: two processes for each core, since half the time of a test is waiting."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 2
    return cores * 2


class NamesFailures:
    """Prints the name of a test as soon as it fails: the report comes at the end, half an hour later in a whole run."""

    def __init__(self, reporter: Any) -> None:
        self._reporter = reporter

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._reporter.ensure_newline()
            self._reporter.write_line(f"FAILED {report.nodeid} ({report.when})", red=True)


def pytest_sessionstart(session: pytest.Session) -> None:
    if reporter := session.config.pluginmanager.get_plugin("terminalreporter"):
        session.config.pluginmanager.register(NamesFailures(reporter))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if seed := config.getoption("shuffle"):
        terminalreporter.write_line(f"The order was that of --shuffle {seed}")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Run the tests in SHARING first, so in one process, because they share much; other processes take the rest."""
    if seed := config.getoption("shuffle"):
        items.sort(key=lambda item: (drawn(seed, item.location[0]), drawn(seed, item.nodeid)))
    items.sort(key=lambda item: not item.nodeid.startswith(SHARING))
    away = [item for item in items if not runs_on_this_engine(item)]
    if away:
        config.hook.pytest_deselected(items=away)
        items[:] = [item for item in items if runs_on_this_engine(item)]


def runs_on_this_engine(item: pytest.Item) -> bool:
    """True for a test that ``PODIUM_TEST_ENGINE`` concerns, of those that are not marked for the other engine."""
    if not ON_POSTGRES:
        return item.get_closest_marker("postgresql") is None
    if item.get_closest_marker("sqlite") or "stored" in getattr(item, "fixturenames", ()):
        return False
    about_postgres = item.nodeid.startswith(postgres_cluster.ABOUT_POSTGRES)
    return item.nodeid.startswith(postgres_cluster.REACH_A_DATABASE) and not about_postgres


def drawn(seed: str, name: str) -> float:
    """The place of a file, or of a test in its file. It does not depend on which other tests run."""
    return random.Random(f"{seed} {name}").random()


@pytest.fixture(autouse=True)
def _no_database_stays_open(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Close whatever a test opened; from Python 3.13 on a forgotten connection is a warning, and so an error."""
    folder = request.getfixturevalue("tmp_path") if ON_POSTGRES and "tmp_path" in request.fixturenames else None
    opened: list[SqliteDatabase] = []
    make = SqliteDatabase.__init__

    def kept(self: SqliteDatabase, *arguments: Any, **options: Any) -> None:
        opened.append(self)
        make(self, *arguments, **options)

    monkeypatch.setattr(SqliteDatabase, "__init__", kept)
    yield
    for database in opened:
        database.close()
    postgres_cluster.close_all()
    if folder:
        postgres_cluster.let_go(folder)


@pytest.fixture
def service() -> Iterator[Service]:
    """The stand-in authorization service (``tests.support.authorization_service``), without any grants."""
    from tests.support.authorization_service.server import Service

    with Service() as service:
        yield service


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def database(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[SqliteDatabase]:
    """A database in a real file: empty, or with the people or the world that other fixtures of the test return."""
    asked = request.fixturenames
    copied = database_with_world if "world" in asked else database_with_people if "people" in asked else empty_database
    database = copied(tmp_path / "podium.db")
    yield database
    database.close()


@pytest.fixture
def engine(database: SqliteDatabase, clock: Clock) -> Engine:
    return Engine(database, load_catalog, clock=clock)


@pytest.fixture
def people(database: SqliteDatabase) -> People:
    """Maya, Bob, Vera and Gus in a founded workspace without projects."""
    return its_people()


@pytest.fixture(autouse=True)
def _log_of_this_test_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """The log is standard error, also after a test in the same process that began a server with another stream."""
    monkeypatch.setattr(json_log, "_out", None)
    json_log.log.setLevel(logging.NOTSET)


@pytest.fixture
def world(engine: Engine) -> World:
    """The workspace with a project of three phases, as ``tests.support.workspace`` tells it."""
    return world_of(engine)


@pytest.fixture
def project(world: World) -> Project:
    return world.project


@pytest.fixture
def do(world: World) -> Callable[..., Any]:
    """``do(command, as_=actor)``: carry it out, by default as Maya."""
    return world.do


@pytest.fixture
def ask(world: World) -> Callable[..., Any]:
    """``ask(query, as_=actor)``: answer it, by default as Maya."""
    return world.ask
