"""A forecast of the people whom several servers on one PostgreSQL carry, by what each thing that they do costs.

    python -m tests.benchmarks --load --only everyday --json FILE
    python -m tests.benchmarks.simulation FILE

The first measures: the costs one by one, and then 200 people at two servers. The second forecasts the same 200 people
on the same processors, prints the ratio to the measurement, and then forecasts more people. ``--load --page FILE``
writes both tables into the pages.

People do what ``profiles.py`` says, at random moments. Each thing costs its server some time, and then the database; a
command waits for the disk and for the synchronous standby too, and its transaction can run again when others write.
After a commit every server looks whom of its people it concerns, tells these, and their programs ask what changed; all
others ask every five seconds whether something did. A server does one thing at a time, the database as many as it has
processors.
"""

from __future__ import annotations

import argparse
import heapq
import math
import random
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import Path

from core.server.endpoints.event_stream import OTHERS_SECONDS
from core.storage.change_watcher import MOST_REST_SECONDS
from tests.benchmarks.everyday import ALL_LISTEN, KINDS, PARTS, PEOPLE, SERVERS, WATCHING
from tests.benchmarks.notes import Notes, NotMeasured
from tests.benchmarks.postgres import PROJECTS
from tests.benchmarks.profiles import PROFILES, SCREENS, WORKS, Profile

WITHIN = 20
"""Percent by which a forecast may differ from the measurement."""

MOST_BUSY = 0.7
"""The part of the time for which a server may be busy, so that people wait for others seldom."""

CROWDS = (200, 1_000, 3_000, 10_000)
FORECAST_SECONDS = 15.0
PROCESSORS = 64
"""Of the machine of the database, in the forecast."""

GUIDE = Path(__file__).parents[2] / "core" / "server" / "README.md"


@dataclass(frozen=True, slots=True)
class Cost:
    """The milliseconds of one thing."""

    server: float
    database: float
    client: float = 0.0
    wait: float = 0.0
    """For the disk and other processes, while nobody works."""
    elsewhere: float = 0.0
    """For each other server, which learns of it."""


@dataclass(frozen=True, slots=True)
class Costs:
    """The costs that were measured for servers on PostgreSQL."""

    kinds: Mapping[str, Cost]
    """By the kind of request; "follow" is that of a person who is told of a change and asks, and "follow first" that of
    the first one at a server: what became of the Canvas is then found for all of them."""
    look: Cost
    """A server's look at a commit, with nobody connected."""
    look_each: Cost
    """The same for each person who is connected to the server."""
    standby: float
    """The round trip to the synchronous standby."""
    again: float
    """The part of commands whose transaction runs again, for each other one under way."""
    idle: Cost
    """The processors that a server uses without requests, and the database with SERVERS such servers."""

    @classmethod
    def of(cls, notes: Notes, round_trip: float = 0.0) -> Costs:
        """The costs in the notes of ``everyday``, with so many milliseconds more to the standby. Raises NotMeasured."""
        kinds = {kind: Cost(*(notes.median(f"cost {kind} {part}") for part in PARTS)) for kind in KINDS}
        look, of_all = (
            Cost(notes.median(f"cost {name} server"), notes.median(f"cost {name} database"))
            for name in ("look", "look of all")
        )
        each = Cost(
            max(0.0, of_all.server - look.server) / ALL_LISTEN, max(0.0, of_all.database - look.database) / ALL_LISTEN
        )
        asked = kinds["command"]  # its server and the other one looked too
        kinds["command"] = Cost(
            max(0.0, asked.server - look.server),
            max(0.0, asked.database - SERVERS * look.database),
            asked.client,
            asked.wait,
            max(0.0, asked.elsewhere - look.server),
        )
        one, some = (
            {what: notes.median(f"cost followed by {people} {what}") for what in ("server", "database", "client")}
            for people in (1, WATCHING)
        )
        first = Cost(
            max(0.0, one["server"] - look.server),
            max(0.0, one["database"] - kinds["command"].database - SERVERS * look.database),
            one["client"],
        )
        more = {what: max(0.0, some[what] - one[what]) / (WATCHING - 1) for what in one}
        kinds |= {"follow first": first, "follow": Cost(**more)}
        again = notes.median("cost retries") / (PROJECTS - 1)
        idle = Cost(notes.median("cost idle server"), notes.median("cost idle database"))
        return cls(kinds, look, each, notes.median("cost standby") + round_trip, again, idle)

    def look_of(self, people: float) -> Cost:
        """A look of a server to which so many people are connected."""
        server, database = self.look_each.server * people, self.look_each.database * people
        return Cost(self.look.server + server, self.look.database + database)

    def count_busy(self, profile: Profile, people: int, servers: int) -> float:
        """The processors that servers need for what people ask of them and are told, without their looks."""
        each = {kind: cost.server + (servers - 1) * cost.elsewhere for kind, cost in self.kinds.items()}
        first = min(servers, SCREENS)
        told = first * each["follow first"] + (SCREENS - first) * each["follow"]
        rates = {**profile.per_minute, "beat": profile.count_reports(people / servers)}
        a_minute = sum(rate * each[kind] for kind, rate in rates.items()) + rates["command"] * told
        a_second = a_minute / 60 + each["nothing"] / OTHERS_SECONDS
        return people * a_second / 1000 + servers * self.idle.server


@dataclass
class Outcome:
    """The times after which people were answered and saw something, in milliseconds, and the processors in use."""

    times: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    servers: float = 0.0
    database: float = 0.0

    def part(self, what: str, part: float) -> float:
        """The time within which so many of these happened; 0 if none did."""
        samples = sorted(self.times[what])
        return samples[min(len(samples) - 1, math.floor(part * len(samples)))] if samples else 0.0


class Machine:
    """Some processors that do jobs in the order in which they come; those of a host are shared with other machines."""

    def __init__(self, processors: int, host: Machine | None = None) -> None:
        self._free = [0.0] * processors
        self._host = host
        self.busy = 0.0

    def work(self, now: float, milliseconds: float) -> float:
        """The moment at which a job that comes now is done."""
        begin = max(now, heapq.heappop(self._free))
        done = self._host.work(begin, milliseconds) if self._host else begin + milliseconds
        heapq.heappush(self._free, done)
        self.busy += milliseconds
        return done


class Simulation:
    """People at servers. With ``shared`` processors, servers, database and all clients together have only those."""

    def __init__(
        self, costs: Costs, profile: Profile, people: int, servers: int, processors: int, *, shared: bool = False
    ) -> None:
        host = Machine(processors) if shared else None
        self._costs, self._profile, self._people = costs, profile, people
        self._servers = [Machine(1, host) for _ in range(servers)]
        self._database = Machine(processors, host)
        self._clients = Machine(people, host) if host else None
        self._rested = [0.0] * servers
        """The moment from which each server looks again."""
        self._unseen: list[list[tuple[int, float]]] = [[] for _ in range(servers)]
        """The person and the beginning of each command that the next look of a server finds."""
        self._asked: dict[int, list[tuple[float, float]]] = {}
        """For each person who waits for an answer, the beginnings of the commands that they were told of, and when."""
        self._writing: list[float] = []
        """The ends of the commands that are under way."""
        self._events: list[tuple[float, int, Callable[[float], None]]] = []
        self._number = count()
        self.outcome = Outcome()

    def run(self, seconds: float) -> Outcome:
        """Follow everybody for so many seconds."""
        end, minute = seconds * 1000, 60_000
        rates = {**self._profile.per_minute, "beat": self._profile.count_reports(self._people / len(self._servers))}
        for kind, rate in rates.items():
            self._repeat(kind, self._people * rate / minute, 0.0)
        for server in range(len(self._servers)):
            self._at(OTHERS_SECONDS * 1000, partial(self._ask_all, server))
        while self._events and self._events[0][0] < end:
            now, _, step = heapq.heappop(self._events)
            step(now)
        number, idle = len(self._servers), self._costs.idle
        self.outcome.servers = sum(server.busy for server in self._servers) / end + number * idle.server
        self.outcome.database = self._database.busy / end + number / SERVERS * idle.database
        return self.outcome

    def _at(self, moment: float, step: Callable[[float], None]) -> None:
        heapq.heappush(self._events, (moment, next(self._number), step))

    def _repeat(self, kind: str, rate: float, now: float) -> None:
        """Let people do something at random moments."""

        def do(now: float) -> None:
            self._repeat(kind, rate, now)
            person = random.randrange(self._people)
            if kind == "command":
                self._command(person, now)
            else:
                self._do(kind, person, now, lambda done: self.outcome.times[kind].append(done - now))

        if rate:
            self._at(now + random.expovariate(rate), do)

    def _do(self, kind: str, person: int, now: float, then: Callable[[float], None], more: float = 0.0) -> None:
        """Let a person ask: server, database and client follow each other, each when it is free."""
        cost, own = self._costs.kinds[kind], person % len(self._servers)
        served = self._servers[own].work(now, cost.server)
        if cost.elsewhere:
            for other, server in enumerate(self._servers):
                if other != own:
                    server.work(now, cost.elsewhere)

        def ask(now: float) -> None:
            self._at(self._database.work(now, cost.database) + cost.wait + more, read)

        def read(now: float) -> None:
            then(self._clients.work(now, cost.client) if self._clients else now)

        self._at(served, ask)

    def _command(self, person: int, began: float) -> None:
        self._writing = [end for end in self._writing if end > began]
        others, tries = len(self._writing), 1
        while random.random() < min(0.5, others * self._costs.again):
            tries += 1

        def attempt(now: float, left: int) -> None:
            if left:
                self._do("command", person, now, lambda done: attempt(done, left - 1))
            else:
                self._do("command", person, now, committed, self._costs.standby)

        def committed(now: float) -> None:
            self.outcome.times["command"].append(now - began)
            for server in range(len(self._servers)):
                self._look(server, person, began, now)

        attempt(began, tries - 1)
        cost = self._costs.kinds["command"]
        self._writing.append(began + cost.server + cost.database + cost.wait + self._costs.standby)

    def _look(self, server: int, person: int, began: float, now: float) -> None:
        """Let a server look at a commit, when it has rested after its last look; one look covers several commits."""
        self._unseen[server].append((person, began))
        if len(self._unseen[server]) == 1:
            self._at(max(now, self._rested[server]), lambda now: self._tell(server, now))

    def _tell(self, server: int, now: float) -> None:
        """Let a server look, and tell those of its people who have the projects open."""
        commits, self._unseen[server] = self._unseen[server], []
        look = self._costs.look_of(self._people / len(self._servers))
        told = self._database.work(self._servers[server].work(now, look.server), look.database)
        self._rested[server] = told + min(told - now, MOST_REST_SECONDS * 1000)
        for person, began in commits:
            first = person - person % SCREENS
            here = [each for each in range(first, first + SCREENS) if each % len(self._servers) == server]
            for kind, each in zip(["follow first", *["follow"] * SCREENS], here, strict=False):
                self._at(told, partial(self._follow, kind, each, began))

    def _follow(self, kind: str, person: int, began: float, now: float) -> None:
        """Let a person who is told of a change ask what it is, unless they wait for an answer already."""
        if person in self._asked:
            self._asked[person].append((began, now))
        else:
            self._asked[person] = [(began, now)]
            self._ask(kind, person, now)

    def _ask(self, kind: str, person: int, asked: float) -> None:
        def read(done: float) -> None:
            told = self._asked.pop(person)
            self.outcome.times["seen"] += [done - began for began, at in told if at <= asked]
            if later := [each for each in told if each[1] > asked]:
                self._asked[person] = later
                self._ask(kind, person, done)

        self._do(kind, person, asked, read)

    def _ask_all(self, server: int, now: float) -> None:
        """Let everybody at a server ask whether something changed."""
        self._at(now + OTHERS_SECONDS * 1000, partial(self._ask_all, server))
        for person in range(server, self._people, len(self._servers)):
            self._do("nothing", person, now, lambda done: self.outcome.times["nothing"].append(done - now))


# -- the check and the forecast --------------------------------------------------------------------------------------


def compare(notes: Notes, processors: int) -> Iterator[tuple[str, str, float, float]]:
    """Yield what was forecast of the measured people, with its unit, forecast and measurement. Raises NotMeasured."""
    costs = Costs.of(notes)
    for profile in PROFILES:
        random.seed(PEOPLE)
        outcome, name = Simulation(costs, profile, PEOPLE, SERVERS, processors, shared=True).run(120), profile.name
        yield f"{name}: the two servers", "processors", outcome.servers, notes.median(f"{name} servers")
        yield f"{name}: PostgreSQL", "processors", outcome.database, notes.median(f"{name} database")
        for kind, what in (("command", "a command is answered"), ("canvas", "a Canvas opens"), ("seen", "it is seen")):
            yield f"{name}: {what}, half", "ms", outcome.part(kind, 0.5), notes.median(f"{name} {kind}")
            yield f"{name}: {what}, 95 of 100", "ms", outcome.part(kind, 0.95), notes.p95(f"{name} {kind}")


def check_table(notes: Notes, processors: int) -> str:
    """The forecast of the measured people beside the measurement, as a table of a page."""
    lines = ["| 200 people at two servers | Forecast | Measured | Ratio | Within 20 % |", "|---|---|---|---|---|"]
    for what, unit, forecast, measured in compare(notes, processors):
        ratio = forecast / measured
        word = "yes" if is_near(forecast, measured) else "**no**"
        digits = 2 if unit == "processors" else 0
        lines.append(f"| {what} | {forecast:.{digits}f} {unit} | {measured:.{digits}f} {unit} | {ratio:.2f} | {word} |")
    return "\n".join([*lines, "", say_load(notes)])


def say_load(notes: Notes) -> str:
    """Say in a sentence what else the machine did during the measurement."""
    others = " and ".join(f"{notes.median(f'{profile.name} others'):.2f}" for profile in PROFILES)
    load = notes.median("everyday load")
    return (
        f"Before that run the load was {load:.1f}; during it the standby and other programs used {others} processors."
    )


def is_near(forecast: float, measured: float) -> bool:
    """Return whether a forecast is within WITHIN percent of a measurement."""
    return abs(forecast - measured) <= measured * WITHIN / 100


def forecast(costs: Costs, profile: Profile, people: int, processors: int) -> tuple[int, Outcome] | None:
    """The fewest servers that carry these people, with what they see; None if no number of servers does.

    Each further server looks at each commit, so that the database and the servers can be busy with that alone.
    """
    servers = 2
    while costs.count_busy(profile, people, servers) > MOST_BUSY * servers:
        servers += 1
        if servers > people:
            return None
    while servers <= people:
        random.seed(people)
        outcome = Simulation(costs, profile, people, servers, processors).run(FORECAST_SECONDS)
        if outcome.database > MOST_BUSY * processors:
            return None
        if outcome.servers <= MOST_BUSY * servers:
            return servers, outcome
        servers += max(1, servers // 10)
    return None


def forecast_table(notes: Notes, processors: int, round_trip: float) -> str:
    """The servers that crowds take, as a table of the guide, and a sentence about the largest crowd."""
    costs = Costs.of(notes, round_trip)
    lines = [
        f"Each person, in a minute of {' or '.join(profile.name for profile in PROFILES)}:\n",
        "| " + " | ".join(["", *WORKS.values()]) + " |",
        "|---" * (1 + len(WORKS)) + "|",
        *(f"| {each.name} | {' | '.join(f'{each.per_minute[work]:g}' for work in WORKS)} |" for each in PROFILES),
        f"\n{SCREENS} people have each project open. The standby's round trip is {costs.standby:.1f} ms.\n",
        "| People | When | Servers | Processors of PostgreSQL | A command is answered, half / 95 of 100 |"
        " Others see it, half / 95 of 100 |",
        "|---|---|---|---|---|---|",
    ]
    last: list[tuple[int, Profile, tuple[int, Outcome] | None]] = []
    for people in CROWDS:
        for profile in PROFILES:
            found = forecast(costs, profile, people, processors)
            last.append((people, profile, found))
            if found is None:
                lines.append(
                    f"| {people:,} | {profile.name} | not carried | more than {processors * MOST_BUSY:.0f} | – | – |"
                )
                continue
            servers, outcome = found
            times = [[outcome.part(what, part) for part in (0.5, 0.95)] for what in ("command", "seen")]
            cells = [f"{half:,.0f} / {most:,.0f} ms" for half, most in times]
            lines.append(f"| {people:,} | {profile.name} | {servers} | {outcome.database:.1f} | {' | '.join(cells)} |")
    return "\n".join([*lines, "", in_words(last[-len(PROFILES) :], processors), "", say_load(notes)])


def in_words(crowd: Sequence[tuple[int, Profile, tuple[int, Outcome] | None]], processors: int) -> str:
    """Say what the largest crowd takes, in a sentence that claims no more than was measured."""
    people, parts = crowd[0][0], []
    for _, profile, found in crowd:
        took = f"take {found[0]} servers and {found[1].database:.0f} busy processors of PostgreSQL" if found else (
            f"are too many for one PostgreSQL with {processors} processors"
        )  # fmt: skip
        parts.append(f"in {profile.name} they {took}")
    return (
        f"**{people:,} people are a forecast and no measurement:** {', and '.join(parts)}. {PEOPLE} people at two"
        " servers are the most that was measured: measure on your own machines before you rely on it."
    )


def with_part(page: str, name: str, text: str) -> str:
    """The text of a page with this between its markers of a name."""
    start, end = f"<!-- {name} -->\n", f"\n<!-- /{name} -->"
    assert start in page, name
    assert end in page, name
    return page.partition(start)[0] + start + text + end + page.partition(end)[2]


def write_pages(notes: Notes, page: Path, guide: Path = GUIDE, processors: int = 2) -> None:
    """Write the check into the page of the benchmark, and the forecast into the guide."""
    page.write_text(with_part(page.read_text(), "simulation", check_table(notes, processors)))
    guide.write_text(with_part(guide.read_text(), "forecast", forecast_table(notes, PROCESSORS, 0.0)))


def main(arguments: argparse.Namespace) -> int:
    """Print both tables. The status to end with: 1 if a forecast is not near."""
    notes = Notes.from_file(arguments.file)
    print(check_table(notes, arguments.measured_on))
    print(forecast_table(notes, arguments.processors, arguments.round_trip))
    return int(not all(is_near(said, was) for _, _, said, was in compare(notes, arguments.measured_on)))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.simulation", description=__doc__)
    parser.add_argument("file", help="what the benchmark wrote with --json")
    parser.add_argument("--processors", type=int, default=PROCESSORS, help=f"of the database ({PROCESSORS})")
    parser.add_argument("--measured-on", type=int, default=2, help="processors of the machine of the measurement (2)")
    parser.add_argument("--round-trip", type=float, default=0.0, help="further ms to the standby, over a network (0)")
    try:
        sys.exit(main(parser.parse_args()))
    except NotMeasured as missing:
        parser.error(f"the file has no “{missing}”. The first command above measures it.")
