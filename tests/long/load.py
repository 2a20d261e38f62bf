"""People at work while something breaks: threads that add tasks, and the count of what became of each."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from core.actions.cards.tasks import CreateTask
from core.actions.projects.projects import CreateProject
from core.actions.workflow.phases import AddPhase
from core.errors import PodiumError, ServerUnavailable
from core.storage.postgres.database import PostgresDatabase
from tests.support.waiting import wait_until
from tests.support.workspace import World
from tests.unit.storage.postgres.conftest import studio_in

THREADS = 8


@dataclass
class Load:
    """Adds tasks in one project, or in one for each thread, until it is stopped."""

    url: str
    projects: int = 1
    acknowledged: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    unknown: dict[str, str] = field(default_factory=dict)
    broken: list[BaseException] = field(default_factory=list)
    longest: float = 0.0
    """Seconds of the slowest command."""

    def __post_init__(self) -> None:
        self.database = PostgresDatabase(self.url, create=True)
        self.world: World = studio_in(self.database)
        self.made = [self.world.do(CreateProject(name=f"Project {number}")).id for number in range(self.projects)]
        self.phases = [self.world.do(AddPhase(project_id=each, name="Only")).id for each in self.made]
        self._over = threading.Event()

    @contextmanager
    def running(self) -> Iterator[Load]:
        """Work in threads for as long as the context lasts."""
        threads = [threading.Thread(target=self._work, args=(number,)) for number in range(THREADS)]
        for thread in threads:
            thread.start()
        try:
            yield self
        finally:
            self._over.set()
            for thread in threads:
                thread.join()

    def wait_for(self, more: int = 20) -> None:
        """Wait until so many more tasks were added: people are at work."""
        count = len(self.acknowledged) + more
        wait_until(lambda: len(self.acknowledged) >= count or self.broken, seconds=120)

    def _work(self, thread: int) -> None:
        number = 0
        while not self._over.is_set():
            number += 1
            title, began = f"by {thread}: {number}", time.monotonic()
            try:
                self.world.do(CreateTask(phase_id=self.phases[thread % self.projects], title=title))
                self.acknowledged.append(title)
            except ServerUnavailable as error:
                self.unknown[title] = str(error)
            except PodiumError as error:
                self.refused[title] = str(error)
            except BaseException as error:
                self.broken.append(error)
                raise
            self.longest = max(self.longest, time.monotonic() - began)

    def check(self, name: str, *, longest: float = 45.0) -> None:
        """Print the figures, and check that nothing is lost, doubled or kept in part, and that no number is missing."""
        rows = self.world.rows("SELECT title FROM item WHERE title LIKE 'by %'")
        found = Counter(row["title"] for row in rows)
        lost = [each for each in self.acknowledged if not found[each]]
        doubled = [title for title, times in found.items() if times > 1]
        kept = [each for each in self.refused if found[each]]
        gaps = sum(self._has_gaps(project_id) for project_id in self.made)
        print(
            f"\n{name:44} acknowledged {len(self.acknowledged):6} lost {len(lost)} doubled {len(doubled)} refused "
            f"{len(self.refused):4} unknown {len(self.unknown):2} gaps {gaps} longest {self.longest:5.1f} s"
        )
        for sentence, times in Counter([*self.refused.values(), *self.unknown.values()]).most_common(4):
            print(f"    {times} × {sentence}")
        assert self.acknowledged
        assert (lost, doubled, kept, gaps, self.broken) == ([], [], [], 0, [])
        assert self.longest < longest
        self.database.close()

    def _has_gaps(self, project_id: str) -> bool:
        rows = self.world.rows("SELECT seq FROM change WHERE project_id = :id ORDER BY seq", id=project_id)
        return [row["seq"] for row in rows] != list(range(1, len(rows) + 1))


def again_and_again(seconds: float, every: float, work: Callable[[], object]) -> int:
    """Do something at intervals for some seconds. Returns the number of times."""
    ends, times = time.monotonic() + seconds, 0
    while time.monotonic() < ends:
        work()
        times += 1
        time.sleep(every)
    return times
