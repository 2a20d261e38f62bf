"""The steps of one card of a demo story: planned, started, discussed, completed or archived."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from core.actions.cards.activities import ArchiveActivity, AssignActivity, CreateActivity, MoveActivity
from core.actions.cards.comments import AddComment
from core.actions.cards.tasks import ArchiveTask, CreateTask, MoveTask
from core.demo.clock import Do, Send, Step
from core.demo.story import CardStory
from core.domain.model import Id, Status

if TYPE_CHECKING:
    from core.demo.play import ProjectPlayer

STARTED = frozenset({Status.IN_PROGRESS, Status.COMPLETED})

LATEST_WORK = -0.02
"""The latest day of work in a story: yesterday evening."""


class CardPlayer:
    """A task, or an activity with its tasks. Its id is known once it is created."""

    def __init__(self, telling: ProjectPlayer, phase: str, card: CardStory, activity: CardPlayer | None = None) -> None:
        self.telling = telling
        self.phase = phase
        self.card = card
        self.activity = activity
        self.id: Id = ""
        self.tasks = [CardPlayer(telling, phase, task, self) for task in card.tasks]

    @property
    def worker(self) -> str:
        """The person who moves the card: the first assigned person who may, otherwise the project's owner."""
        return self.telling.worker(self.card.who, *self.card.people)

    def creation(self, day: float) -> Iterator[Step]:
        """The steps that create the card and its tasks, by the owner of the project."""
        owner = self.telling.story.owner
        yield Step(day, owner, self._create)
        if self.card.application:
            yield from self.telling.application(self.card.application, day, lambda: {"activity_id": self.id})
        for task in self.tasks:
            yield from task.creation(day)

    def work(self, begin: float, end: float) -> Iterator[Step]:
        """The steps that start the card soon after ``begin`` and, if its story says so, complete it before ``end``."""
        length = end - begin
        at = [min(begin + length * part, LATEST_WORK) for part in (0.1, 0.2, 0.8, 0.9)]
        if self.card.status in STARTED:
            yield Step(at[0], self.worker, self._move(Status.IN_PROGRESS))
        for place, task in enumerate(self.tasks):
            slot = (at[2] - at[1]) / len(self.tasks)
            yield from task.work(at[1] + slot * place, at[1] + slot * (place + 1))
        yield from self._comments(at[2])
        if self.card.status is Status.COMPLETED:
            yield Step(at[3], self.worker, self._move(Status.COMPLETED))

    def archiving(self, day: float) -> Iterator[Step]:
        yield Step(day, self.worker, self._archive)

    def _archive(self, send: Send) -> None:
        send(ArchiveActivity(activity_id=self.id) if self.card.is_activity else ArchiveTask(task_id=self.id))

    def _create(self, send: Send) -> None:
        card, phase_id, due = self.card, self.telling.phases[self.phase], self.telling.due(self.card.due)
        people = self.telling.people
        if not card.is_activity:
            self.id = send(
                CreateTask(
                    phase_id=phase_id,
                    title=card.title,
                    due=due,
                    description=card.description,
                    assignee_id=people[card.who] if card.who else None,
                    activity_id=self.activity.id if self.activity else None,
                )
            ).id
            return
        self.id = send(
            CreateActivity(phase_id=phase_id, title=card.title, due=due, description=card.description, link=card.link)
        ).id
        send(AssignActivity(activity_id=self.id, member_ids=tuple(people[who] for who in card.people)))

    def _move(self, status: Status) -> Do:
        def move(send: Send) -> None:
            if self.card.is_activity:
                send(MoveActivity(activity_id=self.id, status=status))
            else:
                send(MoveTask(task_id=self.id, status=status))

        return move

    def _comments(self, day: float) -> Iterator[Step]:
        """The comments of the story, one after the other from ``day`` on."""
        for place, (who, text) in enumerate(self.card.comments):
            yield Step(day + place * 0.02, who, self._say(text))

    def _say(self, text: str) -> Do:
        return lambda send: send(AddComment(item_id=self.id, text=text))
