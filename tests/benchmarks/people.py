"""People at their Canvases, in one process: each follows the changes of a project and, at random moments, does what a
profile says: changes a card, opens a Canvas, reads a list, searches, goes to another card.

    python -m tests.benchmarks.people PROFILE FIRST COUNT PROJECT ADDRESS...

PROFILE is the number of a profile, or -1 for people who only look; they have PROJECT open, or with "" each ten a
project of their own. They are spread over the addresses. Says "ready" when everybody has the picture; after a line with
seconds they work for so long. After a second line it answers with JSON: the changes that were sent, as [card, moment];
those that were seen, as [person, card, moment]; the milliseconds of each kind of work; and what was refused.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
import time
from collections import defaultdict
from typing import Any

from core.actions.cards.cards import MoveCard
from core.actions.personal.inbox import ListInbox
from core.actions.personal.search import Search
from core.actions.projects.lists import ListProjects
from core.actions.projects.presence import ReportPresence
from core.actions.workflow.canvas import GetCanvas
from core.actions.workflow.canvas_changes import GetCanvasChanges
from core.domain.model import Status
from core.errors import PodiumError
from tests.benchmarks import workspace
from tests.benchmarks.listeners import Listener
from tests.benchmarks.profiles import PROFILES, SCREENS, Profile
from tests.benchmarks.served import token_of
from tui.services.presence import BEAT_SECONDS

TEXTS = ("approve", "media plan", "bud", "c00077 survey", "nothing like it")
FIRST_PROJECT = len(workspace.SIZES)
"""The number of the first project of ordinary size."""


def project_of(person: int) -> int:
    """The number of the project that a person has open."""
    return FIRST_PROJECT + person // SCREENS


def card_of(project: int, place: int) -> str:
    """A task in the first phase of a project; the tenth is no task."""
    return workspace.ulid(3, project * workspace.ITEMS + 1 + place + (place >= 9) * 4)


class Person(Listener):
    """One person, with what they did and saw."""

    def __init__(self, address: str, number: int, project: str) -> None:
        self._number = project_of(number)
        super().__init__(address, project or workspace.ulid(1, self._number), token_of(number))
        self._own = card_of(self._number, number % SCREENS)
        self._cards_here = [card_of(self._number, place) for place in range(SCREENS)]
        self._at = self._own
        self.sent: list[tuple[str, float]] = []
        self.cards: list[tuple[str, float]] = []
        self.times: defaultdict[str, list[float]] = defaultdict(list)
        self.refused: list[str] = []
        self._reporting: asyncio.Task[None] | None = None

    async def open(self) -> None:
        await super().open()
        self._status = self._model.by_id[self._own].status

    def apply(self, changes: Any) -> None:
        super().apply(changes)
        now = time.perf_counter()
        self.cards += [(card.id, now) for card in changes.changed]

    def hear_presence(self) -> None:
        if self._reporting is None or self._reporting.done():
            self._reporting = asyncio.create_task(self.do("beat"))

    async def work(self, profile: Profile, seconds: float) -> None:
        """Do everything of a profile, for so many seconds."""
        with_beats = {**profile.per_minute, "beat": 60 / BEAT_SECONDS}
        over = asyncio.get_running_loop().time() + seconds
        await asyncio.gather(*(self._repeat(what, rate / 60, over) for what, rate in with_beats.items()))

    async def _repeat(self, what: str, rate: float, over: float) -> None:
        clock = asyncio.get_running_loop().time
        while True:
            await asyncio.sleep(min(random.expovariate(rate), max(0.0, over - clock())))
            if clock() >= over:
                return
            await self.do(what)

    async def do(self, what: str) -> None:
        """Do one thing, and note how long it took."""
        began = time.perf_counter()
        try:
            await getattr(self, f"_{what}")()
        except PodiumError as error:
            self.refused.append(f"{what}: {error}")
        else:
            self.times[what].append((time.perf_counter() - began) * 1000)

    async def _command(self) -> None:
        self._status = Status.TO_DO if self._status is Status.IN_PROGRESS else Status.IN_PROGRESS
        self.sent.append((self._own, time.perf_counter()))
        changes = GetCanvasChanges.of(self._model.head)
        await self._backend.execute_and_ask(MoveCard(card_id=self._own, status=self._status), changes)

    async def _canvas(self) -> None:
        await self._backend.aside(GetCanvas(project_id=self._project))

    async def _projects(self) -> None:
        await self._backend.aside(ListProjects(most=40))

    async def _inbox(self) -> None:
        await self._backend.aside(ListInbox())

    async def _search(self) -> None:
        await self._backend.aside(Search(text=random.choice(TEXTS)))

    async def _step(self) -> None:
        self._at = random.choice([card for card in self._cards_here if card != self._at])
        await self._beat()

    async def _beat(self) -> None:
        await self._backend.aside(ReportPresence(project_id=self._project, card_id=self._at, terminal="t", via="local"))

    async def _nothing(self) -> None:
        await self._backend.aside(GetCanvasChanges.of(self._model.head))


async def open_person(address: str, number: int) -> Person:
    """A person with the picture, who does not follow it."""
    person = Person(address, number, "")
    await person.open()
    return person


async def main(profile: int, first: int, count: int, project: str, addresses: list[str]) -> None:
    """Ends with a traceback when one of them cannot go on: nobody else would notice."""
    numbers = range(first, first + count)
    people = [Person(addresses[number % len(addresses)], number, project) for number in numbers]
    async with asyncio.TaskGroup() as group:
        following = [group.create_task(person.follow()) for person in people]
        await asyncio.gather(*(person.ready.wait() for person in people))
        print("ready", flush=True)
        seconds = float(await asyncio.to_thread(sys.stdin.readline))
        if profile >= 0:
            await asyncio.gather(*(person.work(PROFILES[profile], seconds) for person in people))
        await asyncio.to_thread(sys.stdin.readline)
        for task in following:
            task.cancel()
    times: defaultdict[str, list[float]] = defaultdict(list)
    for person in people:
        for what, samples in person.times.items():
            times[what] += samples
    print(
        json.dumps(
            {
                "sent": [each for person in people for each in person.sent],
                "seen": [
                    (number, *each) for number, person in zip(numbers, people, strict=True) for each in person.cards
                ],
                "times": times,
                "refused": [each for person in people for each in person.refused],
            }
        )
    )


if __name__ == "__main__":
    number_of_profile, first_number, how_many = map(int, sys.argv[1:4])
    asyncio.run(main(number_of_profile, first_number, how_many, sys.argv[4], sys.argv[5:]))
