"""200 people at two servers on PostgreSQL with a synchronous standby, who read and write as two profiles say; and,
before that, what each thing that they do costs by itself. ``simulation.py`` forecasts the one from the other.

    python -m tests.benchmarks --load --only everyday --json FILE

PostgreSQL has its usual settings for durability. Everything runs on one machine, the programs of the people too.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from core.actions import load_catalog
from core.domain.model import Member, ProjectRole
from core.engine.engine import Engine
from core.net.database_url import DatabaseUrl
from core.server.endpoints.event_stream import EventStream, _Listener
from core.storage.copying import copy_workspace
from core.storage.opening import open_database
from core.storage.progress import Progress
from core.storage.sqlite.database import SqliteDatabase
from tests.benchmarks import postgres, process, workspace
from tests.benchmarks.notes import Notes
from tests.benchmarks.people import card_of, open_person, project_of
from tests.benchmarks.profiles import PROFILES, READS, SCREENS
from tests.benchmarks.served import Server, admit, served_at
from tests.long.cluster import LongCluster
from tests.support import postgres_cluster
from tests.support.waiting import wait_until

PEOPLE, SERVERS, PROCESSES = 200, 2, 5
ITEMS = 60_000
SETTLE_SECONDS = 3.0
"""Before and after what is measured."""

KINDS = ("command", *READS, "step", "beat", "nothing")
"""What is asked of a server one by one to learn its cost; "nothing" is the question of a screen whose project is as it
was, which each has every five seconds while others work elsewhere."""

PARTS = ("server", "database", "client", "wait", "elsewhere")
"""The parts of a cost in milliseconds: the processor's for its server, PostgreSQL, the client and the other server, and
the rest of its time."""

WATCHING = 5
"""People who look at the project at the other server, while the cost of followers is measured."""

ALL_LISTEN = 100
"""People at a server, while the cost of its look at a commit is measured."""


class Place:
    """The servers and their database."""

    def __init__(self, servers: Sequence[Server], primary: LongCluster) -> None:
        self.servers, self.primary = servers, primary
        self.addresses = [str(server.address) for server in servers]

    def spent(self) -> tuple[float, ...]:
        """The processor's milliseconds so far of each server, and of PostgreSQL."""
        return *(process.processor(server.pid) * 1000 for server in self.servers), self.database() * 1000

    def spent_since(self, before: Sequence[float], began: float, notes: Notes) -> list[float]:
        """The same since ``began``, beyond what the servers and PostgreSQL use anyway."""
        used, took = self.spent(), (time.perf_counter() - began) * 1000
        anyway = [notes.median("cost idle server")] * len(self.servers) + [notes.median("cost idle database")]
        return [max(0.0, now - then - took * idle) for now, then, idle in zip(used, before, anyway, strict=True)]

    def database(self) -> float:
        """The seconds of all processes of PostgreSQL, those that have ended too."""
        pid = int((self.primary.data / "postmaster.pid").read_text().split()[0])
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        ended = sum(map(int, Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[13:15]))
        seconds = ended / os.sysconf("SC_CLK_TCK")
        for child in children:
            with suppress(OSError):
                seconds += process.processor(int(child))
        return seconds


def measure(home: Path, notes: Notes, quick: bool) -> None:
    """Note "cost KIND" with each of PARTS; "PROFILE servers", "database", "clients" and "others" in
    processors, and the milliseconds of what each profile has; and the load of the machine before."""
    if reason := postgres_cluster.missing():
        print(reason, file=sys.stderr)
        return
    notes.add("everyday load", os.getloadavg()[0])
    file = home / "everyday.db"
    workspace.generate(file, ITEMS)
    invite(file)
    admit(file, *range(workspace.USERS))
    with LongCluster() as primary:
        url = primary.create("ENCODING UTF8 TEMPLATE template0")
        copy_workspace(file, DatabaseUrl(url), datetime.now(UTC), Progress())
        primary.execute("ANALYZE", "podium")
        with primary.replica():
            wait_for_standby(primary, wanted=False)
            measure_costs(url, primary, home, notes, 30 if quick else 200)
            wait_for_standby(primary, wanted=True)
            for number in range(len(PROFILES)):
                with _serving(url, primary, home) as place:
                    work(place, number, notes, 30 if quick else 180)


def invite(file: Path) -> None:
    """Make each person a member of the project that they have open."""
    opened = SqliteDatabase(file, synchronous="OFF")
    there = set(opened.connection.execute("SELECT project_id, user_id FROM member").fetchall())
    wanted = {(workspace.ulid(1, project_of(each)), workspace.ulid(2, each)) for each in range(PEOPLE)}
    role, by = ProjectRole.CONTRIBUTOR, workspace.USER
    new = [Member(project_id=at, user_id=who, role=role, invited_by=by) for at, who in sorted(wanted - there)]
    workspace.insert(opened.connection, new)
    opened.close()


def wait_for_standby(primary: LongCluster, *, wanted: bool) -> None:
    """Let commits wait for the standby from now on, or not."""
    primary.execute(f"ALTER SYSTEM SET synchronous_standby_names = '{'*' if wanted else ''}'")
    primary.execute("SELECT pg_reload_conf()")
    state = "sync" if wanted else "async"
    wait_until(lambda: primary.execute(f"SELECT 1 FROM pg_stat_replication WHERE sync_state = '{state}'"))


@contextmanager
def _serving(url: str, primary: LongCluster, home: Path) -> Iterator[Place]:
    with ExitStack() as stack:
        yield Place([stack.enter_context(served_at(url, home)) for _ in range(SERVERS)], primary)


# -- costs -----------------------------------------------------------------------------------------------------------


def measure_costs(url: str, primary: LongCluster, home: Path, notes: Notes, times: int) -> None:
    """Note what each thing costs, one at a time, while nobody else works."""
    with _serving(url, primary, home) as place:
        asyncio.run(_ask(place, notes, times))
        for people in (1, WATCHING):
            asyncio.run(_be_followed(place, notes, people, times))
    _look(url, place, notes, times)
    postgres._contention(url, notes, "cost", times, 0)


async def _ask(place: Place, notes: Notes, times: int) -> None:
    before = place.spent()
    await asyncio.sleep(2 * SETTLE_SECONDS)
    server, _, database = (
        (now - then) / 2000 / SETTLE_SECONDS for now, then in zip(place.spent(), before, strict=True)
    )
    notes.add("cost idle server", server)
    notes.add("cost idle database", database)
    people = [await open_person(place.addresses[0], number) for number in range(SCREENS)]
    for person in people:  # who are all there, so that a report lists them
        await person.do("step")
    for kind in KINDS:
        await _note(place, notes, f"cost {kind}", partial(people[0].do, kind), times)
    laps = {}
    for wanted in (False, True):
        wait_for_standby(place.primary, wanted=wanted)
        laps[wanted] = await _laps(lambda: people[0].do("command"), times)
    wait_for_standby(place.primary, wanted=False)
    notes.add("cost standby", max(0.0, statistics.median(laps[True]) - statistics.median(laps[False])))
    for person in people:
        assert not person.refused, person.refused
        await person.close()


async def _laps(do: Callable[[], Awaitable[None]], times: int) -> list[float]:
    laps = []
    for _ in range(times):
        began = time.perf_counter()
        await do()
        laps.append((time.perf_counter() - began) * 1000)
    return laps


async def _note(place: Place, notes: Notes, name: str, do: Callable[[], Awaitable[None]], times: int) -> None:
    """Note the processor's milliseconds for one of many, and the rest of its time as "wait"."""
    await _laps(do, 5)  # fills caches and prepares statements
    began, before, mine = time.perf_counter(), place.spent(), time.process_time()
    laps = await _laps(do, times)
    client = (time.process_time() - mine) * 1000 / times
    server, elsewhere, database = (each / times for each in place.spent_since(before, began, notes))
    wait = max(0.0, statistics.median(laps) - client - server - database)
    for what, each in zip(PARTS, (server, database, client, wait, elsewhere), strict=True):
        notes.add(f"{name} {what}", each)


async def _be_followed(place: Place, notes: Notes, people: int, times: int) -> None:
    """Note what a command costs the other server with so many people who look at its project."""
    person = await open_person(place.addresses[0], 0)
    with _people(-1, 1, people, workspace.ulid(1, project_of(0)), place.addresses[1:]) as group:
        _say(group, "0")
        await _laps(lambda: person.do("command"), 5)
        await asyncio.sleep(SETTLE_SECONDS)
        began, before, theirs = time.perf_counter(), place.spent(), process.processor(group.pid)
        for _ in range(times):
            await person.do("command")
            await asyncio.sleep(0.05)
        await asyncio.sleep(SETTLE_SECONDS)
        _, server, database = (each / times for each in place.spent_since(before, began, notes))
        client = (process.processor(group.pid) - theirs) * 1000 / times
        for what, each in (("server", server), ("database", database), ("client", client)):
            notes.add(f"cost followed by {people} {what}", each)
        group.communicate("\n")
    await person.close()


def _look(url: str, place: Place, notes: Notes, times: int) -> None:
    """Note what a server's look at a commit costs, with nobody and with ALL_LISTEN people."""
    with closing(Engine(open_database(DatabaseUrl(url)), load_catalog)) as engine:
        feed = EventStream(engine)
        for name, people in (("look", 0), ("look of all", ALL_LISTEN)):
            feed._streams = {_Listener(workspace.ulid(2, number), ()) for number in range(people)}
            feed._commit()
            database, server = place.database(), time.process_time()
            for _ in range(times):
                feed._commit()
            notes.add(f"cost {name} server", (time.process_time() - server) * 1000 / times)
            notes.add(f"cost {name} database", (place.database() - database) * 1000 / times)


# -- the whole -------------------------------------------------------------------------------------------------------


def work(place: Place, number: int, notes: Notes, seconds: float) -> None:
    """Let all people work by a profile, and note what it took and what they saw."""
    name, each = PROFILES[number].name, PEOPLE // PROCESSES
    with ExitStack() as stack:
        groups = [
            stack.enter_context(_people(number, first, each, "", place.addresses)) for first in range(0, PEOPLE, each)
        ]
        time.sleep(SETTLE_SECONDS)
        before, theirs = place.spent(), sum(process.processor(group.pid) for group in groups)
        began, busy = time.perf_counter(), _busy()
        for group in groups:
            _say(group, str(seconds))
        time.sleep(seconds)
        took = time.perf_counter() - began
        *servers, database = (now - then for now, then in zip(place.spent(), before, strict=True))
        notes.add(f"{name} servers", sum(servers) / took / 1000)
        notes.add(f"{name} database", database / took / 1000)
        clients = sum(process.processor(group.pid) for group in groups) - theirs
        notes.add(f"{name} clients", clients / took)
        notes.add(f"{name} others", (_busy() - busy - clients - (sum(servers) + database) / 1000) / took)
        time.sleep(SETTLE_SECONDS)
        told = [json.loads(group.communicate("\n")[0]) for group in groups]
    for what in {what for each in told for what in each["times"]}:
        notes.add(f"{name} {what}", *(sample for each in told for sample in each["times"].get(what, ())))
    notes.add(f"{name} refused", sum(len(each["refused"]) for each in told))
    sent, seen = ([each for one in told for each in one[what]] for what in ("sent", "seen"))
    note_seen(notes, name, sent, seen)


def _busy() -> float:
    """The seconds for which processors of this machine have worked so far, for whatever program."""
    user, nice, system, _, _, *interrupts = map(int, Path("/proc/stat").read_text().split("\n")[0].split()[1:9])
    return (user + nice + system + sum(interrupts)) / os.sysconf("SC_CLK_TCK")


def note_seen(notes: Notes, name: str, sent: Sequence[Any], seen: Sequence[Any]) -> None:
    """Note for each change and each other person on its project the milliseconds until they saw it, or that they missed
    it. Of each card, one person makes the changes."""
    owners = {card_of(project_of(person), person % SCREENS): person for person in range(PEOPLE)}
    moments: defaultdict[tuple[int, str], list[float]] = defaultdict(list)
    for person, card, at in seen:
        moments[person, card].append(at)
    missed = 0
    for card, began in sent:
        owner = owners[card]
        first = owner - owner % SCREENS
        for person in range(first, first + SCREENS):
            if person != owner:
                at = min((each for each in moments[person, card] if each >= began), default=None)
                missed += at is None
                if at is not None:
                    notes.add(f"{name} seen", (at - began) * 1000)
    notes.add(f"{name} missed", missed)


@contextmanager
def _people(
    profile: int, first: int, count: int, project: str, addresses: Sequence[str]
) -> Iterator[subprocess.Popen[str]]:
    argv = [sys.executable, "-m", "tests.benchmarks.people", *map(str, (profile, first, count)), project, *addresses]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as group:
        assert group.stdout is not None
        assert group.stdout.readline() == "ready\n"
        yield group


def _say(group: subprocess.Popen[str], line: str) -> None:
    assert group.stdin is not None
    group.stdin.write(line + "\n")
    group.stdin.flush()
