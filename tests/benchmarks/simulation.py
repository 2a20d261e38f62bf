"""A forecast of the people whom several servers on one PostgreSQL carry, by the costs that the benchmark measured.

    python -m tests.benchmarks --load --only "live 5" --only "live 50" --only "live 200" --only postgres --json FILE
    python -m tests.benchmarks.simulation FILE

People send commands at random moments. A command costs its server some time, and the database some; then every server
tells the people who look at the project, one after the other, and each of their programs asks what changed. A server
does one thing at a time, the database as many as it has processors. First 50 and 200 people on one server are forecast
as in the benchmark, and compared with what it measured: their costs are those of 5 and of 50 people.
"""

from __future__ import annotations

import argparse
import heapq
import json
import math
import random
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.benchmarks.live import PAUSE
from tests.benchmarks.notes import Notes, NotMeasured

SCREENS = 10
"""People who look at a project while another person changes it."""

COMMANDS_PER_MINUTE = 2.0
"""Of each person at work."""

WITHIN = 30
"""Percent by which a forecast may differ from the measurement."""


@dataclass(frozen=True)
class Costs:
    """Milliseconds."""

    command: float
    """A command, until it is committed."""
    telling: float
    """Telling one person that something changed."""
    answer: float
    """Answering the program of one person that asks what changed."""
    database: float = 0.0
    """The time of the database, as a part of the time of the server."""


@dataclass
class Outcome:
    """The times after which people saw something, in milliseconds, and the load of the machines, as parts of 1."""

    answered: list[float] = field(default_factory=list)
    seen: list[float] = field(default_factory=list)
    servers: float = 0.0
    database: float = 0.0


class Machine:
    """Some processors that do jobs in the order in which they come."""

    def __init__(self, processors: int) -> None:
        self.processors = processors
        self._free = [0.0] * processors
        self.busy = 0.0

    def work(self, now: float, milliseconds: float) -> tuple[float, float]:
        """The moments at which a job that comes now begins and is done."""
        begin = max(now, heapq.heappop(self._free))
        heapq.heappush(self._free, begin + milliseconds)
        self.busy += milliseconds
        return begin, begin + milliseconds


def costs_of(notes: Notes) -> Costs:
    """The costs of one server on a file, from what 5 and 50 people saw. Raises NotMeasured.

    The screen number i of n shows a change after command + n × telling + i × answer.
    """
    some, many = notes.of("live 5"), notes.of("live 50")
    early, late = _part(many, 0.05), _part(many, 0.95)
    answer = (late - early) / (0.9 * 50)
    first = early - 0.05 * 50 * answer
    telling = max(0.0, (first - (_part(some, 0.5) - 2.5 * answer)) / 45)
    return Costs(command=first - 50 * telling, telling=telling, answer=answer)


def _part(samples: Sequence[float], part: float) -> float:
    return samples[min(len(samples) - 1, math.floor(part * len(samples)))]


class Simulation:
    """Servers and their database, while people send commands and look at what others change.

    A program that has been told of a change and has not been answered yet is not told again: its answer covers both.
    """

    def __init__(self, costs: Costs, servers: int, processors: int) -> None:
        self._costs = costs
        self._servers = [Machine(1) for _ in range(servers)]
        self._database = Machine(processors)
        self._changes: list[tuple[float, float, str, int, int]] = []
        self._begun: dict[tuple[str, int], list[tuple[float, float]]] = {}
        self.outcome = Outcome()

    def run(self, commands: Iterable[tuple[float, str, Sequence[int]]]) -> Outcome:
        """Follow commands: the moment, the project, and the number of people who look at it, for each server."""
        now = 0.0
        for now, project, screens in commands:
            while self._changes and self._changes[0][0] <= now:
                self._show(*heapq.heappop(self._changes))
            server = random.randrange(len(self._servers))
            committed = self._done(server, now, self._costs.command)[1]
            self.outcome.answered.append(committed - now)
            for each, people in enumerate(screens):
                if people:
                    heapq.heappush(self._changes, (committed, now, project, each, people))
        while self._changes:
            self._show(*heapq.heappop(self._changes))
        self.outcome.servers = sum(machine.busy for machine in self._servers) / len(self._servers) / now
        self.outcome.database = self._database.busy / self._database.processors / now
        return self.outcome

    def _show(self, committed: float, began: float, project: str, server: int, people: int) -> None:
        last = self._begun.get((project, server), [])
        waiting = [times for times in last if times[0] > committed][:people]
        new = people - len(waiting)
        told, _ = self._servers[server].work(committed, new * self._costs.telling)
        asked = [self._done(server, told, self._costs.answer) for _ in range(new)]
        self._begun[project, server] = waiting + asked
        self.outcome.seen += [done - began for _, done in waiting + asked]

    def _done(self, server: int, now: float, milliseconds: float) -> tuple[float, float]:
        """The moments at which a job of a server and of its database begins and is done."""
        begin, done = self._servers[server].work(now, milliseconds)
        if self._costs.database:
            done = max(done, self._database.work(begin, milliseconds * self._costs.database)[1])
        return begin, done


def like_the_benchmark(costs: Costs, people: int, changes: int = 2_000) -> Outcome:
    """One person changes a Canvas that the others look at, at one server, and waits for each answer."""

    simulation = Simulation(costs, servers=1, processors=1)

    def commands() -> Iterator[tuple[float, str, Sequence[int]]]:
        now = 0.0
        for _ in range(changes):
            now += random.uniform(*PAUSE) * 1000
            yield now, "the project", [people]
            now += simulation.outcome.answered[-1]

    return simulation.run(commands())


def at_work(costs: Costs, people: int, servers: int, processors: int, seconds: float = 60) -> Outcome:
    """People who all send commands, each seen on a few screens, which are spread over the servers."""
    rate = people * COMMANDS_PER_MINUTE / 60_000

    def commands() -> Iterator[tuple[float, str, Sequence[int]]]:
        now = random.expovariate(rate)
        while now < seconds * 1000:
            screens = [0] * servers
            for _ in range(SCREENS):
                screens[random.randrange(servers)] += 1
            yield now, f"project {random.randrange(max(1, people // SCREENS))}", screens
            now += random.expovariate(rate)

    return Simulation(costs, servers, processors).run(commands())


def compared(costs: Costs, notes: Notes) -> Iterator[tuple[str, float, float]]:
    """The name, the forecast and the measurement of what 50 and 200 people saw."""
    for people in (50, 200):
        outcome, measured = like_the_benchmark(costs, people), notes.of(f"live {people}")
        for what, part in (("half", 0.5), ("95 of 100", 0.95)):
            yield (
                f"{people} people, {what} see a change within",
                _part(sorted(outcome.seen), part),
                _part(measured, part),
            )


def main(file: Path, people: int, processors: int) -> int:
    """Print both tables. The status to end with: 1 if a forecast is wrong."""
    notes, wrong = Notes(), 0
    for name, samples in json.loads(file.read_text()).items():
        notes.add(name, *samples)
    random.seed(people)
    costs = costs_of(notes)
    print(f"One server on a file, in ms: command {costs.command:.2f}, telling {costs.telling:.2f}, "
          f"answer {costs.answer:.2f}")  # fmt: skip
    for what, forecast, measured in compared(costs, notes):
        off = 100 * (forecast - measured) / measured
        wrong += abs(off) > WITHIN
        print(f"  {what:44} forecast {forecast:6.1f} ms, measured {measured:6.1f} ms, {off:+5.1f} %")
    factor = notes.ratio("PG people processor", "SQLite people processor")
    part = notes.median("PG people database") / notes.median("PG people processor")
    shared = Costs(costs.command * factor, costs.telling * factor, costs.answer * factor, part)
    print(f"{people:,} people, {COMMANDS_PER_MINUTE:g} commands a minute each, {SCREENS} screens for each change; a "
          f"server on PostgreSQL works {factor:.2f} times as long, and the database {part:.2f} times as long as the "
          f"servers, on {processors} processors")  # fmt: skip
    for servers in (4, 8, 12, 16, 24, 32):
        outcome = at_work(shared, people, servers, processors)
        answered, seen = sorted(outcome.answered), sorted(outcome.seen)
        print(f"  {servers:2} servers: busy {outcome.servers:4.0%}, database {outcome.database:4.0%}; answered "
              f"{_part(answered, 0.5):6.0f} ms, 95 of 100 {_part(answered, 0.95):8,.0f} ms; seen "
              f"{_part(seen, 0.5):6.0f} ms, 95 of 100 {_part(seen, 0.95):8,.0f} ms")  # fmt: skip
    return 1 if wrong else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.simulation", description=__doc__)
    parser.add_argument("file", type=Path, help="what the benchmark wrote with --json")
    parser.add_argument("--people", type=int, default=10_000)
    parser.add_argument("--processors", type=int, default=8, help="of the database (8)")
    arguments = parser.parse_args()
    try:
        sys.exit(main(arguments.file, arguments.people, arguments.processors))
    except NotMeasured as missing:
        parser.error(f"{arguments.file} has no “{missing}”. The first command above measures it.")
