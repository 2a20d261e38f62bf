"""A project's story as steps: real messages, each by its person and at its time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import Any, NamedTuple

from core.actions.cards.applications import AddApplication
from core.actions.products.launch import LaunchApplication
from core.actions.projects.members import InviteMember
from core.actions.projects.projects import ArchiveProject, CreateProject, SetFavourite
from core.actions.workflow.deliverables import AddDeliverable, EditDeliverable
from core.actions.workflow.gates import DecideGate
from core.actions.workflow.phases import AddPhase, AssignPhase
from core.actions.workspace.meta_roles import SetMetaRoles
from core.demo.cards import LATEST_WORK, CardPlayer
from core.demo.clock import Do, Send, Step
from core.demo.story import ApplicationStory, DeliverableStory, GateDecisionStory, PhaseStory, ProjectStory, studio
from core.domain.model import HierarchyNode, Id, ProjectRole, Status


class Cast(NamedTuple):
    """The ids of the people and things in the stories, by the names that the stories use."""

    people: Mapping[str, Id]
    nodes: Mapping[str, HierarchyNode]
    products: Mapping[str, Id]
    meta_roles: Mapping[str, Id]


class ProjectPlayer:
    """One project as steps. The ids of its records become known while the steps are carried out, in order."""

    def __init__(self, story: ProjectStory, today: date, cast: Cast) -> None:
        self.story = story
        self.today = today
        self.cast = cast
        self.people = cast.people
        self.project_id: Id = ""
        self.phases: dict[str, Id] = {}
        """Ids of the phases by name."""

    def steps(self) -> Iterator[Step]:
        """All steps of the project; steps at the same time in the order in which they have to happen."""
        story = self.story
        yield Step(story.created, story.owner, self._create)
        for who, role in story.members.items():
            yield Step(story.created, story.owner, self._invite(who, role))
            if studio().people[who].meta_roles and role is not ProjectRole.OWNER:
                yield Step(story.created, story.owner, self._give(who))
        for who in story.starred_by:
            yield Step(story.created + 0.1, who, self._star)
        cards = {phase.name: [CardPlayer(self, phase.name, card) for card in phase.cards] for phase in story.phases}
        for phase in story.phases:
            yield from self._plan(phase, cards[phase.name], story.created + 0.2)
        for phase in story.phases:
            yield from self._work(phase, cards[phase.name])
        if story.archived is not None:
            yield Step(story.archived, story.owner, self._archive)

    def due(self, day: int | None) -> date | None:
        """The due date that is this many days from today."""
        return None if day is None else self.today + timedelta(days=day)

    def worker(self, *wanted: str) -> str:
        """The first of these people who may move cards in this project; the owner if none may."""
        may = {who for who, role in self.story.members.items() if role is not ProjectRole.VIEWER}
        return next((who for who in wanted if who in may), self.story.owner)

    def _create(self, send: Send) -> None:
        node = self.cast.nodes[self.story.brand]
        links: dict[str, Any] = {f"{node.kind.lower()}_id": node.id}
        self.project_id = send(CreateProject(name=self.story.name, description=self.story.description, **links)).id

    def _invite(self, who: str, role: ProjectRole) -> Do:
        return lambda send: send(InviteMember(project_id=self.project_id, user_id=self.people[who], role=role))

    def _give(self, who: str) -> Do:
        given = tuple(self.cast.meta_roles[name] for name in studio().people[who].meta_roles)
        return lambda send: send(
            SetMetaRoles(project_id=self.project_id, user_id=self.people[who], meta_role_ids=given)
        )

    def _star(self, send: Send) -> None:
        send(SetFavourite(project_id=self.project_id, favourite=True))

    def _archive(self, send: Send) -> None:
        send(ArchiveProject(project_id=self.project_id))

    def _plan(self, phase: PhaseStory, cards: Sequence[CardPlayer], day: float) -> Iterator[Step]:
        yield Step(day, self.story.owner, lambda send: self._add_phase(send, phase))
        for deliverable in phase.deliverables:
            yield from self._deliverable(phase, deliverable, day)
        for application in phase.applications:
            yield from self.application(application, day, lambda: {"phase_id": self.phases[phase.name]})
        for each in cards:
            yield from each.creation(day if each.card.added is None else each.card.added)

    def _add_phase(self, send: Send, phase: PhaseStory) -> None:
        made = send(
            AddPhase(
                project_id=self.project_id,
                name=phase.name,
                objectives=phase.objectives,
                outcomes=phase.outcomes,
                due=self.due(phase.due),
                gate=phase.gate,
            )
        )
        self.phases[phase.name] = made.id
        if phase.people:
            send(AssignPhase(phase_id=made.id, member_ids=tuple(self.people[who] for who in phase.people)))

    def _deliverable(self, phase: PhaseStory, story: DeliverableStory, day: float) -> Iterator[Step]:
        made: list[Id] = []

        def add(send: Send) -> None:
            made.append(send(AddDeliverable(phase_id=self.phases[phase.name], name=story.name)).id)

        def deliver(send: Send) -> None:
            send(EditDeliverable(deliverable_id=made[0], evidence=story.evidence, done=story.delivered))

        yield Step(day, self.story.owner, add)
        if story.evidence:
            yield Step(min(phase.until, LATEST_WORK), self.story.owner, deliver)

    def application(self, story: ApplicationStory, day: float, place: Callable[[], dict[str, Id]]) -> Iterator[Step]:
        """The owner adds an application, and others launch it; ``place`` gives its phase or activity by then."""
        made: list[Id] = []

        def add(send: Send) -> None:
            command = AddApplication(
                project_id=self.project_id,
                product_id=self.cast.products[story.product],
                name=story.name,
                due=self.due(story.due),
                member_ids=tuple(self.people[who] for who in story.people),
                **place(),
            )
            made.append(send(command).id)

        yield Step(day, self.story.owner, add)
        for launched, who in story.launched:
            yield Step(launched, who, lambda send: send(LaunchApplication(application_id=made[0])))

    def _work(self, phase: PhaseStory, cards: Sequence[CardPlayer]) -> Iterator[Step]:
        """The work on a phase: its started cards share its time, one after the other."""
        worked = [each for each in cards if each.card.status in (Status.IN_PROGRESS, Status.COMPLETED)]
        share = (phase.until - phase.start) / max(1, len(worked))
        for place, each in enumerate(worked):
            begin = phase.start + share * place if each.card.added is None else each.card.added
            end = phase.start + share * (place + 1) if each.card.added is None else LATEST_WORK
            yield from each.work(begin, end)
        for each in cards:
            if each.card.status is Status.ARCHIVED:
                yield from each.archiving(min((self.story.created + phase.until) / 2, -1.5))
        for decision in phase.decisions:
            yield Step(decision.day, decision.who, self._decide(phase, decision))

    def _decide(self, phase: PhaseStory, story: GateDecisionStory) -> Do:
        return lambda send: send(
            DecideGate(phase_id=self.phases[phase.name], decision=story.decision, reason=story.reason)
        )
