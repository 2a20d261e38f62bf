"""Gates that several people decide: whatever people do, and while they come and go, the rules hold.

``gate_machine.py`` has what is asked after each step.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any, TypeVar

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from core.actions.cards.cards import ArchiveCard, DeleteCard, MoveCard, ReorderCard, RestoreCard
from core.actions.cards.tasks import CreateTask
from core.actions.history.history import Redo, Undo
from core.actions.projects.members import InviteMember, RemoveMember, SetProjectRole
from core.actions.projects.projects import RestoreProject
from core.actions.workflow.deliverables import AddDeliverable, Deliver, RemoveDeliverable, TakeBack
from core.actions.workflow.gate_conditions import WaiveCondition
from core.actions.workflow.gate_policy import RemoveGatePolicy, SetGatePolicy
from core.actions.workflow.gate_votes import CastVote, ContradictMeeting, MeetingVote, RecordMeeting
from core.actions.workflow.gates import DecideGate
from core.actions.workflow.phases import AddPhase, EditPhase, RemovePhase, ReorderPhase
from core.actions.workspace.meta_roles import MapProjectRole, SetMetaRoles
from core.actions.workspace.users import DeactivateUser, ReactivateUser
from core.domain.gate_policy import Deciding, Vote
from core.domain.gates import DECISIONS, Decision
from core.domain.model import Gate, Id, ProjectRole, Status
from core.engine.messages import Command
from tests.properties.gate_machine import PEOPLE, GateMachine
from tests.properties.run_machine import run_machine

T = TypeVar("T")

WHO = st.sampled_from(PEOPLE)
WHOM = st.sampled_from(PEOPLE[1:])
"""Maya, who reads all, stays, as what she is."""

NUMBER = st.integers(0, 11)
YES = st.booleans()
CONSENT = st.sampled_from(["", "Agreed", "Agreed"])


def picked(values: Sequence[T], number: int) -> T:
    return values[number % len(values)]


class Gates(GateMachine):
    """Four people at work on one project."""

    def at(self, which: int) -> Id:
        """A phase: mostly the first that is not approved, where things happen."""
        first = self.world.rows("SELECT id FROM phase WHERE gate_state <> 'PASSED' ORDER BY rank, id LIMIT 1")
        return str(first[0]["id"]) if first and which < 8 else picked(self.phases, which)

    # -- votes and decisions -----------------------------------------------------------------------------------------

    @rule(who=WHO, which=NUMBER, vote=st.sampled_from(Vote), to=WHO)
    def vote(self, who: str, which: int, vote: Vote, to: str) -> None:
        self.cast(who, self.at(which), vote, to)

    @rule(which=NUMBER, votes=st.lists(st.sampled_from([Vote.GO, Vote.GO, Vote.GO_IF]), min_size=4, max_size=4))
    def all_vote_go(self, which: int, votes: list[Vote]) -> None:
        """One after the other, with nothing left to do, so that decisions fall often."""
        phase = self.at(which)
        self.finish(phase)
        for who, vote in zip(PEOPLE, votes, strict=True):
            self.cast(who, phase, vote, "gus")

    def cast(self, who: str, phase_id: Id, vote: Vote, to: str) -> None:
        asked: dict[str, Any] = {} if vote is Vote.GO else {"reason": "Because"}
        if vote is Vote.GO_IF:
            due = self.world.clock.now.date() + timedelta(days=3)
            asked = {"condition": f"Check {self.steps}", "person_id": self.actors[to].user_id, "due": due}
        self.send(CastVote(phase_id=phase_id, vote=vote, relock=True, **asked), who)

    @rule(who=WHO, which=NUMBER, decision=st.sampled_from((*DECISIONS, Decision.PASS, Decision.LIFT)))
    def decide(self, who: str, which: int, decision: Decision) -> None:
        phase = self.at(which)
        self.send(DecideGate(phase_id=phase, decision=decision, reason="Because", relock=True), who)

    @rule(who=WHO, which=NUMBER, votes=st.lists(st.sampled_from(Vote), min_size=4, max_size=4), absent=WHO)
    def meet(self, who: str, which: int, votes: list[Vote], absent: str) -> None:
        given = tuple(
            MeetingVote(user_id=self.actors[name].user_id, vote=vote, reason="Said so")
            for name, vote in zip(PEOPLE, votes, strict=True)
            if name != absent and vote is not Vote.GO_IF
        )
        day = self.world.clock.now.date()
        self.send(RecordMeeting(phase_id=self.at(which), day=day, votes=given, relock=True), who)

    @precondition(lambda self: self.ids("gate_record", "recorded_by IS NOT NULL"))
    @rule(who=WHO, which=NUMBER)
    def contradict(self, who: str, which: int) -> None:
        records = self.ids("gate_record", "recorded_by IS NOT NULL AND decision = 'PASS'")
        if records:
            self.send(ContradictMeeting(record_id=picked(records, which), reason="Not so"), who)

    @precondition(lambda self: self.ids("gate_condition", "item_id IS NOT NULL"))
    @rule(who=WHO, which=NUMBER)
    def waive(self, who: str, which: int) -> None:
        conditions = self.ids("gate_condition", "item_id IS NOT NULL")
        self.send(WaiveCondition(condition_id=picked(conditions, which), reason="No need"), who)

    # -- people ------------------------------------------------------------------------------------------------------

    @rule(who=WHO, whom=WHOM, role=st.sampled_from((None, *ProjectRole)))
    def come_or_go(self, who: str, whom: str, role: ProjectRole | None) -> None:
        user: dict[str, Any] = {"project_id": self.project, "user_id": self.actors[whom].user_id}
        is_member = self.world.rows(
            "SELECT 1 FROM member WHERE project_id = :project_id AND user_id = :user_id", **user
        )
        command: Command[Any] = RemoveMember(**user)
        if role is not None:
            command = SetProjectRole(**user, role=role) if is_member else InviteMember(**user, role=role)
        self.send(command, who)

    @rule(whom=WHOM, active=YES)
    def be_active_or_not(self, whom: str, active: bool) -> None:
        self.send((ReactivateUser if active else DeactivateUser)(user_id=self.actors[whom].user_id), "maya")

    @rule(who=WHO, whom=WHO, given=YES, to=st.sampled_from((None, None, None, *ProjectRole)))
    def give_meta_role(self, who: str, whom: str, given: bool, to: ProjectRole | None) -> None:
        """To a person, or to all with a project role."""
        roles = (self.role,) if given else ()
        if to is None:
            user = self.actors[whom].user_id
            self.send(SetMetaRoles(project_id=self.project, user_id=user, meta_role_ids=roles), who)
        else:
            self.send(MapProjectRole(project_role=to, meta_role_ids=roles), "maya")

    # -- policies and phases -----------------------------------------------------------------------------------------

    @rule(
        who=WHO,
        which=NUMBER,
        deciders=st.sampled_from((*Deciding, *Deciding, None)),
        named=st.sets(WHO),
        needed=st.sampled_from([1, 2, None]),
        four_eyes=YES,
        secretary=st.none() | WHO,
        consent=CONSENT,
    )
    def set_policy(
        self,
        who: str,
        which: int,
        deciders: Deciding | None,
        named: set[str],
        needed: int | None,
        four_eyes: bool,
        secretary: str | None,
        consent: str,
    ) -> None:
        """Another policy, or none."""
        if deciders is None:
            command: Command[Any] = RemoveGatePolicy(
                phase_id=self.at(which), reason="Simpler", relock=True, allow_lapse=consent
            )
            self.send(command, who)
            return
        there = [row["user_id"] for row in self.world.rows("SELECT user_id FROM member WHERE role <> 'VIEWER'")]
        people = [each for each in there if each in {self.actors[name].user_id for name in named}] or there
        command = SetGatePolicy(
            phase_id=self.at(which),
            deciders=deciders,
            meta_role_id=self.role if deciders is Deciding.META_ROLE else None,
            people=tuple(people) if deciders is Deciding.PEOPLE else (),
            needed=needed,
            four_eyes=four_eyes,
            secretary_id=self.actors[secretary].user_id if secretary else None,
            reason="Another committee",
            relock=True,
            allow_lapse=consent,
        )
        self.send(command, who)

    @rule(who=WHO, which=NUMBER, text=st.sampled_from(["A", "B", "", ""]), required=YES, consent=CONSENT)
    def edit_phase(self, who: str, which: int, text: str, required: bool, consent: str) -> None:
        """Other objectives, or another kind of gate."""
        gate = {"": Gate.AUTOMATIC if which % 3 == 0 else Gate.REVIEW}.get(text)
        asks = {"objectives": text} if text else {"gate": gate, "evidence_required": required and which % 3 == 1}
        command = EditPhase(phase_id=self.at(which), reason="So", relock=True, allow_lapse=consent, **asks)
        self.send(command, who)

    @rule(who=WHO, which=NUMBER, before=NUMBER, verb=st.sampled_from(["add", "place", "remove"]))
    def change_phases(self, who: str, which: int, before: int, verb: str) -> None:
        phases = self.phases
        phase, following = picked(phases, which), picked([*phases, None], before)
        if verb == "add" and len(phases) < 5:
            self.send(AddPhase(project_id=self.project, name="P", before_id=following, relock=True), who)
        elif verb == "place":
            self.send(ReorderPhase(phase_id=phase, before_id=following, relock=True), who)
        elif verb == "remove" and len(phases) > 2:
            self.send(RemovePhase(phase_id=phase, relock=True, allow_lapse="Agreed"), who)

    # -- work --------------------------------------------------------------------------------------------------------

    @rule(who=WHO, which=NUMBER, consent=CONSENT)
    def new_task(self, who: str, which: int, consent: str) -> None:
        self.send(CreateTask(phase_id=self.at(which), title="T", relock=True, allow_lapse=consent), who)

    @rule(
        who=WHO,
        which=NUMBER,
        of_condition=YES,
        to=NUMBER,
        consent=CONSENT,
        verb=st.sampled_from(["complete", "complete", "start", "reopen", "archive", "restore", "delete", "move"]),
    )
    def change_card(self, who: str, which: int, of_condition: bool, to: int, consent: str, verb: str) -> None:
        mine = "id IN (SELECT item_id FROM gate_condition)" if of_condition else "1 = 1"
        cards = self.ids("item", mine)
        if not cards:
            return
        card = picked(cards, which)
        agreed: dict[str, Any] = {"relock": True, "allow_lapse": consent}
        command: Command[Any]
        match verb:
            case "archive":
                command = ArchiveCard(card_id=card)
            case "restore":
                command = RestoreCard(card_id=card, **agreed)
            case "delete":
                self.send(ArchiveCard(card_id=card), who)
                command = DeleteCard(card_id=card, **agreed)
            case "move":
                command = ReorderCard(card_id=card, phase_id=picked(self.phases, to), **agreed)
            case _:
                status = {"complete": Status.COMPLETED, "start": Status.IN_PROGRESS}.get(verb, Status.TO_DO)
                command = MoveCard(card_id=card, status=status, **agreed)
        self.send(command, who)

    @rule(which=NUMBER)
    def finish_work(self, which: int) -> None:
        self.finish(self.at(which))

    def finish(self, phase: Id) -> None:
        """Complete and deliver all in a phase, as one who may."""
        for card in self.ids("item", f"phase_id = '{phase}' AND status IN ('TO_DO', 'IN_PROGRESS')"):
            for who in PEOPLE:
                if self.send(MoveCard(card_id=card, status=Status.COMPLETED), who):
                    break
        for each in self.ids("deliverable", f"phase_id = '{phase}' AND done = 0"):
            self.send(Deliver(deliverable_id=each, link="https://files.example/1"), "vera")

    @rule(who=WHO, which=NUMBER, verb=st.sampled_from(["add", "deliver", "take back", "remove"]), consent=CONSENT)
    def change_deliverable(self, who: str, which: int, verb: str, consent: str) -> None:
        found = self.ids("deliverable")
        if verb == "add":
            command: Command[Any] = AddDeliverable(phase_id=self.at(which), name=f"D{self.steps}")
        elif not found:
            return
        elif verb == "deliver":
            command = Deliver(deliverable_id=picked(found, which), link="https://files.example/2", allow_lapse=consent)
        else:
            kind = TakeBack if verb == "take back" else RemoveDeliverable
            command = kind(deliverable_id=picked(found, which), allow_lapse=consent)
        self.send(command, who)

    @precondition(lambda self: self.world.row("project", id=self.project)["archived"])
    @rule(who=WHO)
    def restore_project(self, who: str) -> None:
        self.send(RestoreProject(project_id=self.project, reason="It goes on"), who)

    # -- back and forth ----------------------------------------------------------------------------------------------

    @rule(who=WHO, last=YES, and_back=YES, consent=CONSENT)
    def undo(self, who: str, last: bool, and_back: bool, consent: str) -> None:
        """Of the last change by anyone, all is exactly as it was, but for the record; and after its redo again."""
        change, before = self.world.last_change(self.project), self.picture()
        if last:
            who = next(name for name, actor in self.actors.items() if actor.user_id == change["actor_id"])
        undone = self.send(Undo(project_id=self.project, relock=True, allow_lapse=consent), who)
        if undone is None or self.world.last_change(self.project)["reverts"] != change["seq"]:
            return
        if "stays, because it was" not in undone.summary:
            assert self.picture() == self.pictures.get(change["seq"] - 1, self.picture())
        if and_back:
            self.all_holds()
            if self.send(Redo(project_id=self.project, relock=True, allow_lapse="As it was"), who):
                assert self.picture() == before

    @rule(who=WHO, consent=CONSENT)
    def redo(self, who: str, consent: str) -> None:
        self.send(Redo(project_id=self.project, relock=True, allow_lapse=consent), who)


def test_while_people_come_and_go_the_rules_of_gates_hold() -> None:
    run_machine(Gates, examples=4, steps=16)


@pytest.mark.slow
def test_while_people_come_and_go_for_long_the_rules_of_gates_hold() -> None:
    run_machine(Gates, examples=40, steps=50)
