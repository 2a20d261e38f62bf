"""All tables of three voters at a gate: their votes, number, four eyes, the work that they did, and their roles.

Real messages set each table up and read it, and ``reference_panel.py`` says what they have to answer. The three are
alike but for their names, so their votes and work are taken in one order only. Each table meets a fifth of all roles of
the three, and each of those meets a fifth of all tables.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from itertools import combinations_with_replacement, product
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest

from core.actions.cards.cards import MoveCard
from core.actions.cards.tasks import CreateTask
from core.actions.projects.exports import GetStatusReport
from core.actions.projects.members import InviteMember, RemoveMember, SetProjectRole
from core.actions.workflow.canvas import GetCanvas
from core.actions.workflow.deliverables import AddDeliverable
from core.actions.workflow.gate_policy import SetGatePolicy
from core.actions.workflow.gate_votes import CastVote
from core.actions.workflow.gates import CheckGate, DecideGate
from core.actions.workflow.phases import AddPhase
from core.actions.workspace.meta_roles import AddMetaRole, SetMetaRoles
from core.actions.workspace.users import DeactivateUser, ReactivateUser
from core.domain.canvas import Canvas
from core.domain.gate_policy import Deciding, Vote
from core.domain.gates import Decision, GateRecord
from core.domain.model import Gate, Id, Phase, PhaseState, ProjectRole, Status
from core.domain.permissions import Permission
from core.domain.readiness import TO_STOP, ReadinessState
from core.engine.messages import Command
from core.engine.unit_of_work import Actor
from core.errors import Forbidden, PodiumError, RuleViolation
from core.record import replace
from core.rules.gate_readiness import Readiness
from tests.properties import reference_panel as reference
from tests.support.authorization_service.server import Service
from tests.support.deliveries import delivery
from tests.support.postgres_cluster import about_the_file
from tests.support.prepared import new_world
from tests.support.workspace import R, World

VOTES = ("", *Vote)
ROLES = ("OWNER", "CONTRIBUTOR", "VIEWER", "LEFT", "INACTIVE")
AT_ONCE = 20
"""The tables, each a phase, of one project: of so many gates a list checks the votes."""


class Table(NamedTuple):
    """The votes and the work of the three, and the policy."""

    votes: tuple[str, ...]
    worked: tuple[bool, ...]
    needed: int | None
    four_eyes: bool


EVERY_ROLE = tuple(product(ROLES, repeat=3))
PARTS = 5
"""The parts of all roles; tables that follow each other meet different ones."""


def tables() -> Iterator[Table]:
    for needed, four_eyes in product((1, 2, 3, None), (True, False)):
        worked = (False, True) if four_eyes else (False,)
        for rows in combinations_with_replacement(product(VOTES, worked), 3):
            votes, work = zip(*rows, strict=True)
            yield Table(votes, work, needed, four_eyes)


TABLES = tuple(tables())
SAMPLE = -1
"""A few of all tables, with a few of all roles."""

CHUNKS = range(0, len(TABLES), AT_ONCE)

CASES = [
    *((each, SAMPLE) for each in Deciding),
    *(
        pytest.param(each, first, marks=(pytest.mark.sweep, about_the_file))  # the rules ask no engine
        for each, first in product(Deciding, CHUNKS)
    ),
]


class Tables:
    """A project with the tables of a case. Maya leads it, and is beside the panel wherever another owner can lead."""

    def __init__(self, world: World, deciders: Deciding, dice: Random) -> None:
        self.world, self.deciders, self.dice = world, deciders, dice
        self.voters = (world.bob, world.vera, world.gus)
        self.first = "OWNER" if deciders is Deciding.OWNERS else "CONTRIBUTOR"
        self.roles = dict.fromkeys(self.voters, "LEFT")
        self.lead = world.maya
        self.meta_role = self.do(AddMetaRole(name="Committee")).id
        self.do(RemoveMember(project_id=world.project.id, user_id=world.bob.user_id))
        self.do(RemoveMember(project_id=world.project.id, user_id=world.vera.user_id))
        self.give(dict.fromkeys(self.voters, self.first))
        self.phases: dict[Id, tuple[Table, list[str]]] = {}
        """Each with the votes that are in."""
        self.decided: set[Id] = set()

    def do(self, command: Command[R], as_: Actor | None = None) -> R:
        self.world.clock.forward(seconds=1)
        return self.world.do(command, as_ or self.lead)

    def phase(self, name: str, **fields: Any) -> Phase:
        return self.do(AddPhase(project_id=self.world.project.id, name=name, **fields))

    # -- people ------------------------------------------------------------------------------------------------------

    def give(self, roles: dict[Actor, str]) -> None:
        """Give roles to the three, and have Maya beside the panel where one of them is an owner."""
        project = self.world.project.id
        if self.lead is not self.world.maya:
            maya, self.lead = self.world.maya, self.world.maya
            lead = next(each for each, role in self.roles.items() if role == "OWNER")
            self.do(SetProjectRole(project_id=project, user_id=maya.user_id, role=ProjectRole.OWNER), lead)
        for actor, role in roles.items():
            if self.roles[actor] != role:
                self._give(actor, self.roles[actor], role)
        self.roles = roles
        others = [each for each, role in roles.items() if role == "OWNER"]
        if self.deciders is Deciding.OWNERS and others:
            self.lead = others[0]
            self.do(SetProjectRole(project_id=project, user_id=self.world.maya.user_id, role=ProjectRole.CONTRIBUTOR))

    def _give(self, actor: Actor, before: str, role: str) -> None:
        user: dict[str, Any] = {"project_id": self.world.project.id, "user_id": actor.user_id}
        if before == "INACTIVE":
            self.do(ReactivateUser(user_id=actor.user_id))
        if role == "INACTIVE":
            if before != "LEFT":
                self.do(SetProjectRole(**user, role=ProjectRole(self.first)))
            else:
                self._invite(actor, self.first)
            self.do(DeactivateUser(user_id=actor.user_id))
        elif role == "LEFT":
            self.do(RemoveMember(**user))
        elif before == "LEFT":
            self._invite(actor, role)
        else:
            self.do(SetProjectRole(**user, role=ProjectRole(role)))

    def _invite(self, actor: Actor, role: str) -> None:
        user: dict[str, Any] = {"project_id": self.world.project.id, "user_id": actor.user_id}
        self.do(InviteMember(**user, role=ProjectRole(role)))
        self.do(SetMetaRoles(**user, meta_role_ids=(self.meta_role,)))

    # -- tables ------------------------------------------------------------------------------------------------------

    def add(self, table: Table) -> None:
        phase = self.phase(f"Table {len(self.phases)}", gate=Gate.REVIEW)
        self.do(DecideGate(phase_id=phase.id, decision=Decision.OVERRIDE, reason="All at once"))
        self.work(phase, table)
        self.do(
            SetGatePolicy(
                phase_id=phase.id,
                deciders=self.deciders,
                meta_role_id=self.meta_role if self.deciders is Deciding.META_ROLE else None,
                people=tuple(each.user_id for each in self.voters) if self.deciders is Deciding.PEOPLE else (),
                needed=table.needed,
                four_eyes=table.four_eyes,
                reason="A committee",
            )
        )
        self.phases[phase.id] = (table, ["", "", ""])
        if Vote.GO_IF in table.votes:
            self.phase("Follow-up")  # gets the cards of the conditions
        for place, vote in enumerate(table.votes):
            if vote:
                self.vote(phase.id, place, vote)

    def work(self, phase: Phase, table: Table) -> None:
        """The work of those who did some, in this round; others did some in an earlier one, or not as the last."""
        card = self.do(CreateTask(phase_id=phase.id, title="Draft"))
        self.do(MoveCard(card_id=card.id, status=Status.COMPLETED), self.world.maya)
        idle = [actor for actor, worked in zip(self.voters, table.worked, strict=True) if not worked]
        if idle and self.dice.random() < 0.3:
            self.finish(phase, self.dice.choice(idle))
            self.do(DecideGate(phase_id=phase.id, decision=Decision.SEND_BACK, reason="Once more", relock=True))
            self.finish(phase, self.world.maya)
        for actor, worked in zip(self.voters, table.worked, strict=True):
            if worked:
                self.finish(phase, actor, self.dice.choice([*idle, None]))

    def finish(self, phase: Phase, actor: Actor, before: Actor | None = None) -> None:
        """Complete a card, or deliver; ``before`` did so first, and it was reopened."""
        if self.dice.random() < 0.4:
            added = self.do(AddDeliverable(phase_id=phase.id, name=f"D{self.dice.random()}"))
            self.do(delivery(added.id, "https://files.example/1"), actor)
            return
        card = self.do(CreateTask(phase_id=phase.id, title="More"))
        for each in filter(None, (before, actor)):
            self.do(MoveCard(card_id=card.id, status=Status.TO_DO, relock=True))
            self.do(MoveCard(card_id=card.id, status=Status.COMPLETED), each)

    def cast(self, phase_id: Id, vote: str) -> Command[GateRecord]:
        """The message of a vote; a go is an approval half of the time."""
        if vote == Vote.GO and self.dice.random() < 0.5:
            return DecideGate(phase_id=phase_id, decision=Decision.PASS)
        if vote != Vote.GO_IF:
            return CastVote(phase_id=phase_id, vote=Vote(vote), reason="" if vote == Vote.GO else "Because")
        due = self.world.clock.now.date() + timedelta(days=3)
        return CastVote(
            phase_id=phase_id, vote=Vote.GO_IF, condition="Check", person_id=self.world.maya.user_id, due=due
        )

    def vote(self, phase_id: Id, place: int, vote: str) -> None:
        """Cast a vote while all have their first roles, or see that it is refused."""
        actor, gate, command = self.voters[place], self.reference(phase_id), self.cast(phase_id, vote)
        if phase_id in self.decided:
            self.world.refuses(command, RuleViolation, "already approved", actor)
        elif actor.user_id not in gate.able:
            self.world.refuses(command, RuleViolation, "in this round, and this gate takes four eyes", actor)
        elif vote in reference.GOES and gate.is_met("STOP"):
            self.world.refuses(command, RuleViolation, "The votes are to stop the project", actor)
        elif vote == Vote.STOP and self.deciders is Deciding.OWNERS and gate.falls(actor.user_id, vote):
            assert self.tried(command, actor) == "STOP"  # the project goes on, for the other tables
        else:
            record = self.do(command, actor)
            falls = vote != Vote.STOP and gate.falls(actor.user_id, vote)
            assert record.decision == (Decision.PASS if falls else Vote(vote).entry)
            self.phases[phase_id][1][place] = vote
            if falls:
                self.decided.add(phase_id)

    def reference(self, phase_id: Id) -> reference.Gate:
        table, votes = self.phases[phase_id]
        rows = zip(self.voters, table.worked, votes, strict=True)
        people = [reference.Person(self.world.maya.user_id, self.role_of_maya, did_work=True)]
        for actor, worked, vote in rows:
            role = self.roles[actor]
            is_member, is_active = role != "LEFT", role != "INACTIVE"
            role = (role if is_active else self.first) if is_member else ""
            people.append(reference.Person(actor.user_id, role, is_active, worked, vote))
        named = None if self.deciders is Deciding.OWNERS else frozenset(each.user_id for each in self.voters)
        return reference.Gate(tuple(people), named, table.needed, table.four_eyes)

    @property
    def role_of_maya(self) -> str:
        return "OWNER" if self.lead is self.world.maya else "CONTRIBUTOR"

    # -- answers -----------------------------------------------------------------------------------------------------

    def tried(self, command: Command[GateRecord], actor: Actor) -> str:
        """The entry that a message would make last in the record of a gate."""
        found = self.world.engine.dry_run(command, actor)
        made = [each.after for each in found.changes if each.entity == "gate_record" and each.after]
        return str([each["decision"] for each in made if each["decision"] != "VOTES_ENDED"][-1])

    def compare(self) -> None:
        """Compare the answers to one of those who can read them, and some votes that they try."""
        can_read = [each for each in self.voters if self.roles[each] not in ("LEFT", "INACTIVE")]
        actor, project = self.dice.choice([*can_read, self.world.maya]), self.world.project.id
        report = self.world.ask(GetStatusReport(project_id=project), actor)
        canvas = self.world.ask(GetCanvas(project_id=project), actor)
        whole = {each.phase_id: each for each in report.gates}
        for phase_id in self.phases.keys() - self.decided:
            self.compare_one(whole[phase_id], canvas, actor)
        states = {each.phase.id: each.state for each in report.phases}
        assert all(states[each] is PhaseState.COMPLETE for each in self.decided)
        self.try_a_vote()

    def compare_one(self, found: Readiness, canvas: Canvas, actor: Actor) -> None:
        gate, panel = self.reference(found.phase_id), found.panel
        assert {each.user_id for each in panel.members if each.is_present} == {each.name for each in gate.panel}
        assert {each.user_id for each in panel.able} == gate.able
        votes = {each.name: each.vote for each in gate.people if each.vote and each.name in gate.able}
        assert {each.user_id: each.counts for each in panel.members if each.counts} == votes
        assert panel.needed == (gate.number if gate.panel else 0)
        assert (panel.tally[: None if gate.panel else 10], bool(panel.stuck)) == (gate.tally, gate.is_stuck)
        assert found.state is ReadinessState.READY
        assert found.can_approve == (actor.user_id in gate.able and not gate.is_met("STOP"))
        due = gate.able - (frozenset() if gate.is_met(*reference.GOES) else votes.keys())
        assert {each.user_id for each in panel.waiting} == due
        to_stop, owns = gate.is_met("STOP"), self.roles.get(actor, self.role_of_maya) == "OWNER"
        owners = [
            each for each in (*self.voters, self.world.maya) if self.roles.get(each, self.role_of_maya) == "OWNER"
        ]
        assert len(found.deciders.names) == (len(owners) if to_stop else len(due))
        is_mine = actor.user_id in due and not gate.is_stuck and not to_stop
        assert ("ready for your vote" in found.reason) == is_mine
        assert (TO_STOP in found.reason) == to_stop
        assert ("cannot be decided" in found.reason) == gate.is_stuck
        [short] = [each.missing for each in canvas.head.columns if each.id == found.phase_id]
        assert short.is_ready(canvas.head.deciders) == (owns if to_stop else is_mine)
        assert short.state is found.state

    def try_a_vote(self) -> None:
        open_ones = sorted(self.phases.keys() - self.decided)
        if not open_ones:
            return
        phase_id, actor = self.dice.choice(open_ones), self.dice.choice([*self.voters, self.world.maya])
        gate, vote = self.reference(phase_id), self.dice.choice(VOTES[1:])
        command, owns = self.cast(phase_id, vote), self.roles.get(actor, self.role_of_maya) == "OWNER"
        if vote == Vote.STOP and owns and gate.is_met("STOP"):
            stop = DecideGate(phase_id=phase_id, decision=Decision.STOP, reason="The committee says so")
            assert self.tried(stop, actor) == "STOP"  # carried out by any owner
        elif actor.user_id not in gate.able or (vote in reference.GOES and gate.is_met("STOP")):
            with pytest.raises((RuleViolation, Forbidden, PodiumError)):
                self.world.engine.dry_run(command, actor)
        else:
            falls = gate.falls(actor.user_id, vote) and (vote != Vote.STOP or owns)
            decision = (Decision.STOP if vote == Vote.STOP else Decision.PASS) if falls else Vote(vote).entry
            assert self.tried(command, actor) == decision


@pytest.mark.parametrize(("deciders", "first"), CASES)
def test_all_tables_of_three_voters_are_decided_as_the_rules_say(
    tmp_path: Path, deciders: Deciding, first: int
) -> None:
    dice = Random(f"{deciders} {first}")
    number = first // AT_ONCE + list(Deciding).index(deciders)
    chosen, roles = TABLES[first : first + AT_ONCE], EVERY_ROLE[number % PARTS :: PARTS]
    if first == SAMPLE:
        chosen, roles = (*dice.sample(TABLES, 5),), (*dice.sample(EVERY_ROLE, 5),)
    world = new_world(tmp_path / "podium.db")
    played = Tables(world, deciders, dice)
    for table in chosen:
        played.add(table)
    played.phase("End")
    played.compare()
    for each in roles:
        played.give(dict(zip(played.voters, each, strict=True)))
        played.compare()
    world.database.close()


def test_with_an_authorization_service_the_panel_has_its_say_beside_it(world: World, service: Service) -> None:
    """All tables of one person: permitted by the service or not, on the panel or not, with work done or not."""
    service.copy(world.database)
    account, bob = world.project.auth_id, world.bob.user_id
    world.engine.permissions = service.source(max_age=0)
    world.do(SetProjectRole(project_id=world.project.id, user_id=world.vera.user_id, role=ProjectRole.CONTRIBUTOR))
    for number, (role, is_permitted, is_named, worked) in enumerate(
        product((ProjectRole.CONTRIBUTOR, ProjectRole.VIEWER), (True, False), (True, False), (True, False))
    ):
        world.do(SetProjectRole(project_id=world.project.id, user_id=bob, role=ProjectRole.CONTRIBUTOR))
        phase = world.phase(f"Table {number}", gate=Gate.REVIEW)
        world.do(DecideGate(phase_id=phase.id, decision=Decision.OVERRIDE, reason="All at once"))
        world.complete(world.task(phase=phase).id, as_=world.bob if worked else world.maya)
        people = tuple(each.user_id for each in (world.vera, world.bob)[: 1 + is_named])
        policy = SetGatePolicy(phase_id=phase.id, deciders=Deciding.PEOPLE, people=people, needed=1, four_eyes=True)
        world.do(replace(policy, reason="A committee"))
        world.do(SetProjectRole(project_id=world.project.id, user_id=bob, role=role))
        (service.grant if is_permitted else service.revoke)(bob, account, Permission.GATE_DECIDE)
        found = world.ask(CheckGate(phase_id=phase.id), world.bob)
        is_on_panel = is_named and role is ProjectRole.CONTRIBUTOR
        assert (bob in {each.user_id for each in found.panel.able}) == (is_on_panel and not worked)
        assert found.can_approve == (is_permitted and is_on_panel and not worked)
        command = CastVote(phase_id=phase.id, vote=Vote.GO)
        if found.can_approve:
            assert world.do(command, world.bob).decision is Decision.PASS
        else:
            world.refuses(command, RuleViolation if is_permitted else Forbidden, as_=world.bob)
