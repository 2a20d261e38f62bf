"""The core with a slow authorization service in another process: moves with a warm grant, and many who ask the same."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from core.actions import load_catalog
from core.actions.cards.cards import MoveCard
from core.authorization.remote_source import RemotePermissions
from core.domain.grants import CacheControl, PermissionQuery
from core.domain.model import Status
from core.domain.permissions import Permission
from core.engine.engine import Engine
from core.net.bearer_tokens import BearerToken
from core.sign_in.local import sign_on
from core.storage.sqlite.database import SqliteDatabase
from tests.benchmarks import workspace
from tests.benchmarks.notes import Notes
from tests.benchmarks.remote import DELAY

CARDS = 1_000
MANY = 1_000
ACCOUNT = workspace.account(workspace.SIZES.index(CARDS))
EVERYTHING = frozenset[str](Permission)


class SlowService:
    """The stand-in, in a process that is controlled and read by its lines; it allows everything."""

    def __init__(self, said: IO[str], told: IO[str]) -> None:
        self._said, self._told = said, told
        words = said.readline().split()
        self.url = next(word for word in words if word.startswith("PODIUM_AUTH_URL=")).partition("=")[2]
        said.readline()

    def calls(self) -> int:
        """The number of questions so far."""
        print(file=self._told, flush=True)
        return int(self._said.readline().split()[0])


@contextmanager
def slow_service(folder: Path) -> Iterator[SlowService]:
    fixtures = Path(folder, "fixtures.json")
    held = {"user_id": workspace.USER, "account_id": ACCOUNT, "permissions": sorted(EVERYTHING)}
    fixtures.write_text(json.dumps([held]))
    argv = [
        sys.executable,
        "-m",
        "tests.support.authorization_service",
        "--fixtures",
        str(fixtures),
        "--delay",
        str(DELAY),
    ]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        yield SlowService(process.stdout, process.stdin)
        process.stdin.close()  # which ends it


def measure(database: Path, folder: Path, notes: Notes, times: int) -> None:
    """Note "warm move" beside "local move", and "many questions", each with its calls."""
    with slow_service(folder) as service:
        _move(database, service, notes, times * 3)
        for _ in range(max(3, times // 5)):
            _ask_many(service, notes)


def _source(service: SlowService) -> RemotePermissions:
    """For which no time passes, so that what it was told stays new."""
    return RemotePermissions("remote", service.url, lambda: BearerToken("any", "the benchmark"), clock=lambda: 0.0)


def _move(path: Path, service: SlowService, notes: Notes, times: int) -> None:
    """A card there and back, decided here and decided there in turn."""
    database = SqliteDatabase(path)
    local = Engine(database, load_catalog)
    actor = sign_on(local, workspace.LOGIN)
    remote = Engine(database, load_catalog, _source(service))
    warm = remote.permissions.grant(PermissionQuery(actor.user_id, ACCOUNT, EVERYTHING), CacheControl.MAX_AGE)
    assert warm.held == EVERYTHING
    before = service.calls()
    for _ in range(times):
        for name, engine in (("local move", local), ("warm move", remote)):
            for status in (Status.IN_PROGRESS, Status.TO_DO):
                command = MoveCard(card_id=workspace.card_id(CARDS, 0, 2), status=status)
                begin = time.perf_counter()
                engine.execute(command, actor)
                notes.add(name, (time.perf_counter() - begin) * 1000)
    notes.add("warm move calls", service.calls() - before)
    remote.close()  # and with it the database of both


def _ask_many(service: SlowService, notes: Notes) -> None:
    """A thousand threads ask the same at one moment, of a source that knows nothing yet but has been asked before."""
    source = _source(service)
    question = PermissionQuery(workspace.USER, ACCOUNT, EVERYTHING)
    source.grant(question, CacheControl.MAX_AGE)
    source.invalidate()
    before, ready = service.calls(), threading.Barrier(MANY + 1)

    def ask() -> frozenset[str]:
        ready.wait()
        return source.grant(question, CacheControl.MAX_AGE).held

    with ThreadPoolExecutor(MANY) as threads:
        answers = [threads.submit(ask) for _ in range(MANY)]
        while ready.n_waiting < MANY:
            time.sleep(0.01)
        begin = time.perf_counter()
        ready.wait()
        assert all(answer.result() == EVERYTHING for answer in answers)
        notes.add("many questions", (time.perf_counter() - begin) * 1000)
    notes.add("many questions calls", service.calls() - before)
    source.close()
