"""A project's story as steps: real messages, each by its person and at its time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from hashlib import sha256
from typing import Any

from core.actions.cards.activities import AssignActivity, CreateActivity
from core.actions.cards.applications import AddApplication
from core.actions.cards.cards import ArchiveCard, MoveCard
from core.actions.cards.comments import AddComment
from core.actions.cards.tasks import CreateTask
from core.actions.dependencies.links import LinkCards
from core.actions.fields.custom_fields import AddField, SetFields
from core.actions.products.launch import LaunchApplication
from core.actions.projects.members import InviteMember
from core.actions.projects.projects import ArchiveProject, CreateProject, SetFavourite
from core.actions.workflow.deliverables import AddDeliverable, Deliver, TakeBack
from core.actions.workflow.gate_conditions import ListConditions
from core.actions.workflow.gate_criteria import AddCriterion, MeetCriterion
from core.actions.workflow.gate_policy import SetGatePolicy
from core.actions.workflow.gate_votes import CastVote
from core.actions.workflow.gates import DecideGate
from core.actions.workflow.phases import AddPhase, AssignPhase, EditPhase
from core.actions.workspace.meta_roles import SetMetaRoles
from core.demo.clock import Do, Send, StoryStep
from core.demo.story import (
    ApplicationStory,
    CardStory,
    ConditionStory,
    CriterionStory,
    DeliverableStory,
    GateDecisionStory,
    LapseStory,
    PhaseStory,
    PolicyStory,
    ProjectStory,
    VoteStory,
    studio,
)
from core.domain.fields import FieldValue
from core.domain.gate_policy import CriterionKind, Deciding
from core.domain.model import HierarchyNode, Id, ProjectRole, Status
from core.record import Record, made_from

STARTED = frozenset({Status.IN_PROGRESS, Status.COMPLETED})

LATEST_WORK = -0.02
"""The latest day of work in a story: yesterday evening."""


class Characters(Record, kw_only=False):
    """The ids of the people and things in the stories, by the names that the stories use."""

    people: Mapping[str, Id]
    nodes: Mapping[str, HierarchyNode]
    products: Mapping[str, Id]
    meta_roles: Mapping[str, Id]


class ProjectPlayer:
    """One project as steps. The ids of its records become known while the steps are carried out, in order."""

    def __init__(self, story: ProjectStory, today: date, characters: Characters) -> None:
        self.story = story
        self.today = today
        self.characters = characters
        self.people = characters.people
        self.project_id: Id = ""
        self.phases: dict[str, Id] = {}
        """Ids of the phases by name."""
        self.cards: list[CardPlayer] = []

    def steps(self) -> Iterator[StoryStep]:
        """All steps of the project; steps at the same time in the order in which they have to happen."""
        story = self.story
        yield StoryStep(story.created, story.owner, self._create)
        for who, role in story.members.items():
            yield StoryStep(story.created, story.owner, self._invite(who, role))
            if studio().people[who].meta_roles and role is not ProjectRole.OWNER:
                yield StoryStep(story.created, story.owner, self._give(who))
        for who in story.starred_by:
            yield StoryStep(story.created + 0.1, who, self._star)
        cards = {phase.name: [CardPlayer(self, phase.name, card) for card in phase.cards] for phase in story.phases}
        for phase in story.phases:
            yield from self._plan(phase, cards[phase.name], story.created + 0.2)
        self.cards = [each for phase in story.phases for card in cards[phase.name] for each in (card, *card.tasks)]
        for each in self.cards:
            for title, lag in each.card.waits_for:
                yield StoryStep(story.created + 0.3, story.owner, each.link(self._card(title), lag))
        for phase in story.phases:
            yield from self._work(phase, cards[phase.name])
        if story.archived is not None:
            yield StoryStep(story.archived, story.owner, self._archive)

    def _card(self, title: str) -> CardPlayer:
        return next(each for each in self.cards if each.card.title == title)

    def due(self, day: int | None) -> date | None:
        """The due date that is this many days from today."""
        return None if day is None else self.today + timedelta(days=day)

    def worker(self, *wanted: str) -> str:
        """The first of these people who may move cards in this project; the owner if none may."""
        may = {who for who, role in self.story.members.items() if role is not ProjectRole.VIEWER}
        return next((who for who in wanted if who in may), self.story.owner)

    def _create(self, send: Send) -> None:
        node = self.characters.nodes[self.story.brand]
        links: dict[str, Any] = {f"{node.kind.lower()}_id": node.id}
        self.project_id = send(CreateProject(name=self.story.name, description=self.story.description, **links)).id
        for field in self.story.fields:
            send(made_from(AddField, field, project_id=self.project_id))

    def _invite(self, who: str, role: ProjectRole) -> Do:
        return lambda send: send(InviteMember(project_id=self.project_id, user_id=self.people[who], role=role))

    def _give(self, who: str) -> Do:
        given = tuple(self.characters.meta_roles[name] for name in studio().people[who].meta_roles)
        return lambda send: send(
            SetMetaRoles(project_id=self.project_id, user_id=self.people[who], meta_role_ids=given)
        )

    def _star(self, send: Send) -> None:
        send(SetFavourite(project_id=self.project_id, favourite=True))

    def _archive(self, send: Send) -> None:
        send(ArchiveProject(project_id=self.project_id))

    def _plan(self, phase: PhaseStory, cards: Sequence[CardPlayer], day: float) -> Iterator[StoryStep]:
        yield StoryStep(day, self.story.owner, lambda send: self._add_phase(send, phase))
        for deliverable in phase.deliverables:
            yield from self._deliverable(phase, deliverable, day)
        for criterion in phase.criteria:
            yield from self._criterion(phase, criterion, day)
        for application in phase.applications:
            yield from self.application(application, day, lambda: {"phase_id": self.phases[phase.name]})
        for each in cards:
            yield from each.creation(day if each.card.added is None else each.card.added)

    def _add_phase(self, send: Send, phase: PhaseStory) -> None:
        made = send(made_from(AddPhase, phase, project_id=self.project_id, due=self.due(phase.due)))
        self.phases[phase.name] = made.id
        if phase.people:
            send(AssignPhase(phase_id=made.id, member_ids=tuple(self.people[who] for who in phase.people)))
        if phase.policy:
            send(self._policy(made.id, phase.policy))

    def _policy(self, phase_id: Id, story: PolicyStory) -> SetGatePolicy:
        return SetGatePolicy(
            phase_id=phase_id,
            deciders=Deciding.PEOPLE if story.people else Deciding.OWNERS,
            people=tuple(self.people[who] for who in story.people),
            needed=story.needed,
            four_eyes=story.four_eyes,
            decide_by=self.due(story.by),
            secretary_id=self.people.get(story.secretary),
        )

    def _criterion(self, phase: PhaseStory, story: CriterionStory, day: float) -> Iterator[StoryStep]:
        made: list[Id] = []

        def add(send: Send) -> None:
            kind, person_id = CriterionKind.HAND if story.who else CriterionKind.CLOSED, self.people.get(story.who)
            phase_id = self.phases[phase.name]
            made.append(send(made_from(AddCriterion, story, phase_id=phase_id, kind=kind, person_id=person_id)).id)

        yield StoryStep(day, self.story.owner, add)
        if story.met is not None:
            yield StoryStep(story.met, story.who, lambda send: send(MeetCriterion(criterion_id=made[0])))

    def _deliverable(self, phase: PhaseStory, story: DeliverableStory, day: float) -> Iterator[StoryStep]:
        made: list[Id] = []

        def add(send: Send) -> None:
            made.append(send(AddDeliverable(phase_id=self.phases[phase.name], name=story.name)).id)

        def deliver(send: Send) -> None:
            digest = sha256(story.file.encode()).hexdigest() if story.file else None  # there is no such file
            send(
                Deliver(
                    deliverable_id=made[0],
                    link=story.link,
                    card_id=self._card(story.card).id if story.card else None,
                    file_name=story.file,
                    file_size=story.size,
                    file_sha256=digest,
                )
            )
            if not story.done:
                send(TakeBack(deliverable_id=made[0]))

        yield StoryStep(day, self.story.owner, add)
        if story.link or story.file or story.card:
            yield StoryStep(min(phase.until, LATEST_WORK), story.who or self.story.owner, deliver)

    def application(
        self, story: ApplicationStory, day: float, place: Callable[[], dict[str, Id]]
    ) -> Iterator[StoryStep]:
        """The owner adds an application, and others launch it; ``place`` gives its phase or activity by then."""
        made: list[Id] = []

        def add(send: Send) -> None:
            command = AddApplication(
                project_id=self.project_id,
                product_id=self.characters.products[story.product],
                name=story.name,
                due=self.due(story.due),
                member_ids=tuple(self.people[who] for who in story.people),
                **place(),
            )
            made.append(send(command).id)

        yield StoryStep(day, self.story.owner, add)
        for launched, who in story.launched:
            yield StoryStep(launched, who, lambda send: send(LaunchApplication(application_id=made[0])))

    def _work(self, phase: PhaseStory, cards: Sequence[CardPlayer]) -> Iterator[StoryStep]:
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
        for vote in phase.votes:
            yield StoryStep(vote.day, vote.who, self._vote(phase, vote))
            if vote.condition:
                yield StoryStep(vote.condition.met, vote.condition.who, self._meet(vote.condition))
        for decision in phase.decisions:
            yield StoryStep(decision.day, decision.who, self._decide(phase, decision))
        for lapse in phase.lapses:
            yield StoryStep(lapse.day, lapse.who, self._change(phase, lapse))

    def _decide(self, phase: PhaseStory, story: GateDecisionStory) -> Do:
        return lambda send: send(
            DecideGate(phase_id=self.phases[phase.name], decision=story.decision, reason=story.reason)
        )

    def _vote(self, phase: PhaseStory, story: VoteStory) -> Do:
        def vote(send: Send) -> None:
            asked: dict[str, Any] = {}
            if condition := story.condition:
                person_id = self.people[condition.who]
                asked = {"condition": condition.text, "person_id": person_id, "due": self.due(condition.due)}
            send(CastVote(phase_id=self.phases[phase.name], vote=story.vote, reason=story.reason, **asked))

        return vote

    def _meet(self, story: ConditionStory) -> Do:
        """Complete the card of a condition, which the decision made."""

        def meet(send: Send) -> None:
            found = (each.condition for each in send(ListConditions(project_id=self.project_id)))
            card_id = next(each.item_id for each in found if each.text == story.text)
            send(MoveCard(card_id=card_id, status=Status.COMPLETED))

        return meet

    def _change(self, phase: PhaseStory, story: LapseStory) -> Do:
        return lambda send: send(
            EditPhase(phase_id=self.phases[phase.name], outcomes=story.outcomes, allow_lapse=story.reason)
        )


class CardPlayer:
    """A task, or an activity with its tasks. Its id is known once it is created."""

    def __init__(self, player: ProjectPlayer, phase: str, card: CardStory, activity: CardPlayer | None = None) -> None:
        self.player = player
        self.phase = phase
        self.card = card
        self.activity = activity
        self.id: Id = ""
        self.tasks = [CardPlayer(player, phase, task, self) for task in card.tasks]

    @property
    def worker(self) -> str:
        """The person who moves the card: the first assigned person who may, otherwise the project's owner."""
        return self.player.worker(self.card.who, *self.card.people)

    def creation(self, day: float) -> Iterator[StoryStep]:
        """The steps that create the card and its tasks, by the owner of the project."""
        owner = self.player.story.owner
        yield StoryStep(day, owner, self._create)
        if self.card.application:
            yield from self.player.application(self.card.application, day, lambda: {"activity_id": self.id})
        for task in self.tasks:
            yield from task.creation(day)

    def work(self, begin: float, end: float) -> Iterator[StoryStep]:
        """The steps that start the card soon after ``begin`` and, if its story says so, complete it before ``end``."""
        length = end - begin
        at = [min(begin + length * part, LATEST_WORK) for part in (0.1, 0.2, 0.8, 0.9)]
        if self.card.status in STARTED:
            yield StoryStep(at[0], self.worker, self._move(Status.IN_PROGRESS))
        for place, task in enumerate(self.tasks):
            slot = (at[2] - at[1]) / len(self.tasks)
            yield from task.work(at[1] + slot * place, at[1] + slot * (place + 1))
        yield from self._comments(at[2])
        if self.card.status is Status.COMPLETED:
            yield StoryStep(at[3], self.worker, self._move(Status.COMPLETED))

    def archiving(self, day: float) -> Iterator[StoryStep]:
        yield StoryStep(day, self.worker, self._archive)

    def _archive(self, send: Send) -> None:
        send(ArchiveCard(card_id=self.id))

    def _create(self, send: Send) -> None:
        card, phase_id, due = self.card, self.player.phases[self.phase], self.player.due(self.card.due)
        people = self.player.people
        values: dict[str, Any] = {
            "phase_id": phase_id,
            "title": card.title,
            "due": due,
            "description": card.description,
        }
        values |= {"labels": card.labels, "priority": card.priority}
        if card.is_activity:
            self.id = send(CreateActivity(link=card.link, **values)).id
            send(AssignActivity(activity_id=self.id, member_ids=tuple(people[who] for who in card.people)))
        else:
            assignee, holder = people[card.who] if card.who else None, self.activity.id if self.activity else None
            self.id = send(CreateTask(assignee_id=assignee, activity_id=holder, **values)).id
        if card.fields:
            own = tuple(FieldValue(key=key, value=value) for key, value in card.fields)
            send(SetFields(item_id=self.id, values=own))

    def link(self, blocker: CardPlayer, lag: int) -> Do:
        """Let the card wait for another one."""
        return lambda send: send(LinkCards(waiting_id=self.id, blocker_id=blocker.id, lag_days=lag))

    def _move(self, status: Status) -> Do:
        return lambda send: send(MoveCard(card_id=self.id, status=status))

    def _comments(self, day: float) -> Iterator[StoryStep]:
        """The comments of the story, one after the other from ``day`` on."""
        for place, (who, text) in enumerate(self.card.comments):
            yield StoryStep(day + place * 0.02, who, self._say(text))

    def _say(self, text: str) -> Do:
        return lambda send: send(AddComment(item_id=self.id, text=text))
