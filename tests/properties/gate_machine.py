"""The machine of the tests of gates that several people decide: a project, its tables, and what always holds."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

from hypothesis.stateful import RuleBasedStateMachine, invariant

from core.actions.cards.details import GetPhase
from core.actions.personal.inbox import InboxReason, ListInbox
from core.actions.personal.my_work import GetMyWork
from core.actions.projects.lists import ListProjects
from core.actions.projects.members import InviteMember, SetProjectRole
from core.actions.workflow.canvas import GetCanvas
from core.actions.workflow.gate_conditions import ListConditions
from core.actions.workflow.gate_policy import SetGatePolicy
from core.actions.workflow.gates import CheckGate, DecideGate, GateCheck
from core.actions.workflow.phases import EditPhase
from core.actions.workspace.meta_roles import AddMetaRole, SetMetaRoles
from core.diagnostics.seals import check_seals
from core.domain.canvas import Canvas
from core.domain.finding import Verdict
from core.domain.gate_policy import Deciding
from core.domain.gates import Decision, GateSeal
from core.domain.model import WORKSPACE, Gate, GateState, Id, Phase, PhaseState, ProjectRole
from core.domain.readiness import ReadinessState
from core.engine.messages import Command
from core.engine.unit_of_work import Actor, Snapshot
from core.errors import PodiumError, VersionConflict
from core.rules.approvals import approval_in_force
from core.rules.gate_facts import IS_LOST
from core.rules.gate_seals import hash_of_ground, is_as_sealed
from core.storage.database import Tx
from tests.properties import reference_panel as reference
from tests.support.prepared import new_world
from tests.support.workspace import content

PEOPLE = ("maya", "bob", "vera", "gus")

ROUNDS = ("PASS", "SEND_BACK", "STOP", "LAPSE")
VOTES = {"VOTE_GO": "GO", "VOTE_GO_IF": "GO_IF", "VOTE_NO": "NO", "VOTE_STOP": "STOP"}
ABSENT = ("left the project", "is not active any more", "is a viewer, and viewers decide nothing")

OF_PROJECT = ("phase", "deliverable", "item", "member", "member_meta_role", "gate_policy", "gate_condition")
"""The tables that undo brings back exactly; nothing leaves the record of a gate."""


class GateMachine(RuleBasedStateMachine):
    """Maya and Bob own a project with Vera and Gus, with another panel at each of its three gates.

    Two of Bob, Vera and Gus decide at the first, for which Vera did the work; Maya, Bob and Vera, with four eyes, at
    the second; and an owner at the last.
    """

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.world = world = new_world(self.folder / "podium.db")
        self.project = world.project.id
        self.actors: dict[str, Actor] = {name: getattr(world, name) for name in PEOPLE}
        self.role = world.do(AddMetaRole(name="Committee")).id
        world.do(SetProjectRole(project_id=self.project, user_id=world.bob.user_id, role=ProjectRole.OWNER))
        world.do(SetProjectRole(project_id=self.project, user_id=world.vera.user_id, role=ProjectRole.CONTRIBUTOR))
        world.do(InviteMember(project_id=self.project, user_id=world.gus.user_id, role=ProjectRole.CONTRIBUTOR))
        for phase in (world.discover, world.build, world.launch):
            world.do(EditPhase(phase_id=phase.id, gate=Gate.REVIEW))
        world.complete(world.task().id, as_=world.vera)
        world.task(phase=world.build)
        for name in PEOPLE[:3]:
            user = self.actors[name].user_id
            world.do(SetMetaRoles(project_id=self.project, user_id=user, meta_role_ids=(self.role,)))
        people = tuple(self.actors[name].user_id for name in PEOPLE[1:])
        for policy in (
            SetGatePolicy(phase_id=world.discover.id, deciders=Deciding.PEOPLE, people=people, needed=2, reason="-"),
            SetGatePolicy(phase_id=world.build.id, deciders=Deciding.META_ROLE, meta_role_id=self.role, four_eyes=True),
            SetGatePolicy(phase_id=world.launch.id, needed=1),
        ):
            world.do(policy)
        self.steps = 0
        self.pictures = {self.seq: self.picture()}

    def teardown(self) -> None:
        self.world.database.close()
        shutil.rmtree(self.folder)

    def send(self, command: Command[Any], who: str) -> Any:
        """Carry out a command a moment later; None if it is refused."""
        self.world.clock.forward(seconds=1)
        try:
            done = self.world.do(command, self.actors[who])
        except VersionConflict:  # no one else is at work
            raise
        except PodiumError:
            return None
        self.pictures[self.seq] = self.picture()
        return done

    # -- what is read ------------------------------------------------------------------------------------------------

    def ids(self, table: str, where: str = "1 = 1") -> list[Id]:
        sql = f"SELECT id FROM {table} WHERE project_id = :project AND {where} ORDER BY id"
        return [row["id"] for row in self.world.rows(sql, project=self.project)]

    @property
    def phases(self) -> list[Id]:
        return [each["id"] for each in self.world.rows("SELECT id FROM phase ORDER BY rank, id")]

    @property
    def seq(self) -> int:
        return int(self.world.last_change(self.project)["seq"])

    def picture(self) -> dict[str, Any]:
        whole = content(self.world.database, versions=False)
        return {table: whole[table] for table in OF_PROJECT}

    def reference(self, policy: dict[str, Any]) -> reference.Gate:
        """The gate of this policy, from the rows."""
        of_gate = {"project": self.project, "phase": policy["phase_id"]}
        entries = self.world.rows(
            "SELECT decision, by_id, at FROM gate_record WHERE project_id = :project AND phase_id = :phase"
            " AND withdrawn = 0 ORDER BY at, id",
            **of_gate,
        )
        votes: dict[Id, str] = {}
        since = ""
        for row in entries:
            if row["decision"] in VOTES:
                votes[row["by_id"]] = VOTES[row["decision"]]
            elif row["decision"] in (*ROUNDS, "VOTES_ENDED", "POLICY_CHANGE"):
                votes = {}
                since = row["at"] if row["decision"] in ROUNDS else since
        work = self.world.rows(
            "SELECT completed_by AS by_id, completed_at AS at FROM item WHERE project_id = :project AND"
            " phase_id = :phase AND 'COMPLETED' IN (status, archived_from) UNION ALL SELECT delivered_by, delivered_at"
            " FROM deliverable WHERE project_id = :project AND phase_id = :phase AND done = 1",
            **of_gate,
        )
        worked = {row["by_id"] for row in work if row["at"] and row["at"] > since}
        roles = {
            row["user_id"]: row["role"]
            for row in self.world.rows("SELECT user_id, role FROM member WHERE project_id = :id", id=self.project)
        }
        active = {row["id"] for row in self.world.rows("SELECT id FROM app_user WHERE active = 1")}
        people = tuple(
            reference.Person(each, roles.get(each, ""), each in active, each in worked, votes.get(each, ""))
            for each in (actor.user_id for actor in self.actors.values())
        )
        return reference.Gate(people, self.named(policy, roles), policy["needed"], bool(policy["four_eyes"]))

    def named(self, policy: dict[str, Any], roles: dict[Id, str]) -> frozenset[Id] | None:
        match policy["deciders"]:
            case "OWNERS":
                return None
            case "PEOPLE":
                return frozenset(json.loads(policy["people"]))
        role = policy["meta_role_id"]
        given = self.world.rows("SELECT user_id FROM member_meta_role WHERE meta_role_id = :role", role=role)
        by_role = self.world.rows("SELECT project_role FROM role_mapping WHERE meta_role_id = :role", role=role)
        through = {row["project_role"] for row in by_role}
        return frozenset({row["user_id"] for row in given} | {each for each, has in roles.items() if has in through})

    # -- what always holds -------------------------------------------------------------------------------------------

    @invariant()
    def all_holds(self) -> None:
        self.steps += 1
        self.approvals_rest_on_votes_and_on_what_there_is()
        self.a_condition_that_is_not_met_keeps_the_next_gate_shut()
        self.all_places_agree(self.actors[PEOPLE[self.steps % 4]])
        found = check_seals(self.world.database)
        assert found.verdict is not Verdict.BAD, found

    def approvals_rest_on_votes_and_on_what_there_is(self) -> None:
        def look(tx: Tx) -> None:
            view = Snapshot(tx, self.world.maya, self.world.engine.clock(), WORKSPACE)
            for phase in view.all(Phase, "gate_state = 'PASSED'"):
                approval = approval_in_force(view, phase)
                assert approval, phase
                seal = view.get(GateSeal, project_id=self.project, record_id=approval.id)
                assert is_as_sealed(view, phase, seal), phase
                check_votes_in(json.loads(seal.body))
            for phase in view.all(Phase, "gate_state <> 'PASSED'"):
                ground = hash_of_ground(view, phase)
                policy = view.rows("SELECT * FROM gate_policy WHERE phase_id = :id", id=phase.id)
                if policy:
                    gate = self.reference(dict(policy[0]))
                    voted = {each.name for each in gate.people if each.vote}
                    last = {
                        row["by_id"]: row["ground"]
                        for row in view.rows(
                            "SELECT by_id, ground FROM gate_record WHERE phase_id = :id AND withdrawn = 0"
                            " AND decision LIKE 'VOTE_%' AND ground <> '' ORDER BY at, id",
                            id=phase.id,
                        )
                    }
                    assert {last[each] for each in voted} <= {ground}, "a vote on an earlier state counts"

        self.world.database.read(look)

    def a_condition_that_is_not_met_keeps_the_next_gate_shut(self) -> None:
        found = self.world.ask(ListConditions(project_id=self.project))
        lost = {row["id"] for row in self.world.rows(f"SELECT id FROM gate_condition WHERE {IS_LOST}")}
        assert lost == {each.condition.id for each in found if each.is_waiting and each.lost}
        cards = {row["id"]: row for row in self.world.rows("SELECT * FROM item")}
        for each in found:
            card = cards.get(each.condition.item_id or "")
            is_met = "COMPLETED" in (card["status"], card["archived_from"]) if card else bool(each.condition.met_at)
            drops = self.is_dropped(each.condition.decision_id)
            assert drops == bool(each.condition.item_id and each.dropped)
            if each.condition.item_id and not is_met and not each.condition.waived_at:
                assert each.is_waiting is not drops
                if drops:
                    continue
                next_phase = self.world.row("phase", id=each.condition.next_phase_id)
                if next_phase["gate_state"] == "PASSED" and each.lost.startswith("moved"):
                    continue  # it was met when that gate was decided, and reopened in another phase since
                check = self.world.ask(CheckGate(phase_id=each.condition.next_phase_id or ""))
                assert check.phase_state is not PhaseState.COMPLETE, each
                assert check.state is ReadinessState.NOT_READY, each

    def is_dropped(self, decision_id: Id | None) -> bool:
        """Return whether none of the conditions of a decision binds any more."""
        entries = self.world.rows("SELECT * FROM gate_record WHERE project_id = :id ORDER BY at, id", id=self.project)
        made = [each for each in entries if each["id"] == decision_id]
        if not made:
            return False
        valid = [each for each in entries[entries.index(made[0]) :] if not each["withdrawn"]]
        again = [each for each in valid if (each["decision"], each["phase_id"]) == ("PASS", made[0]["phase_id"])]
        lapses = [each for each in valid if each["decision"] == "LAPSE" and each["of_id"] == decision_id]
        contradicted = any("contradicted the record of the meeting" in each["detail"] for each in lapses)
        return contradicted or bool(made[0]["withdrawn"]) or len(again) > 1

    def all_places_agree(self, actor: Actor) -> None:
        try:
            canvas = self.world.ask(GetCanvas(project_id=self.project), actor)
        except PodiumError:
            return  # they are no member, or not active
        policies = {row["phase_id"]: row for row in self.world.rows("SELECT * FROM gate_policy")}
        words: dict[Id, str] = {}
        due: set[Id] = set()
        for column in canvas.head.columns:
            check = self.world.ask(CheckGate(phase_id=column.id), actor)
            assert self.world.ask(GetPhase(phase_id=column.id), actor).gate == check
            self.check_one(check, canvas, actor, policies.get(column.id))
            if column.missing.at_gate:
                words[column.id] = column.missing.words(canvas.head.deciders)
                due |= {column.id} if column.missing.is_for(canvas.head.deciders) else set()
        if canvas.head.archived:
            words, due = {}, set()
        for line in self.world.ask(ListProjects(), actor).lines:
            if line.project.id == self.project:
                assert {gate.phase_id: gate.words for gate in line.gates} == words
        inbox = [line for line in self.world.ask(ListInbox(), actor).lines if line.concern is InboxReason.GATE]
        assert {line.target_id for line in inbox} == due
        mine = {gate.phase_id: gate.words for gate in self.world.ask(GetMyWork(), actor).gates}
        assert mine == {each: words[each] for each in due}

    def check_one(self, check: GateCheck, canvas: Canvas, actor: Actor, policy: dict[str, Any] | None) -> None:
        phase, deciders = check.phase, canvas.head.deciders
        [short] = [each.missing for each in canvas.head.columns if each.id == phase.id]
        refused = self.refusal(DecideGate(phase_id=phase.id, decision=Decision.PASS), actor)
        assert check.can_approve == (refused is None), (check, refused)
        assert (check.state, check.hold) == (short.state, short.hold)
        if check.state is ReadinessState.NOT_READY and check.phase_state is PhaseState.OPEN:
            assert check.missing == short.missing == len(check.blockers)
        if phase.on_hold:
            assert check.phase_state is not PhaseState.COMPLETE
            assert phase.gate_state is not GateState.PASSED
            assert not check.can_approve
        if check.phase_state is PhaseState.COMPLETE and phase.gate is Gate.REVIEW:
            assert phase.gate_state is GateState.PASSED
        if policy is None:
            assert check.votes == ""
            return
        assert phase.gate is Gate.REVIEW
        gate, panel = self.reference(policy), check.panel
        assert {each.user_id for each in panel.members if each.is_present} == {each.name for each in gate.panel}
        assert {each.user_id for each in panel.able} == gate.able
        votes = {each.name: each.vote for each in gate.people if each.vote and each.name in gate.able}
        assert {each.user_id: each.counts for each in panel.members if each.counts} == votes
        assert (check.votes[: None if gate.panel else 10], bool(panel.stuck)) == (gate.tally, gate.is_stuck)
        if check.state is ReadinessState.READY and not canvas.head.archived:
            to_stop, is_approved = gate.is_met("STOP"), phase.gate_state is GateState.PASSED
            assert check.can_approve == (actor.user_id in gate.able and not is_approved and not to_stop)
            is_due = actor.user_id in gate.able - votes.keys() and not gate.is_stuck and not to_stop
            assert ("ready for your vote" in check.reason) == is_due
            if short.at_gate:
                assert short.is_ready(deciders) == (is_due or (to_stop and deciders.may_stop))
                assert ("ready for your vote" in short.words(deciders)) == is_due

    def refusal(self, command: Command[Any], actor: Actor) -> PodiumError | None:
        try:
            self.world.engine.dry_run(command, actor)
        except PodiumError as error:
            return error
        return None


def check_votes_in(seal: dict[str, Any]) -> None:
    """Check that the votes that a seal has fulfil the policy in it."""
    policy = seal["bound"].get("policy")
    if policy is None:
        assert "votes" not in seal["asItWas"]
        return
    votes = seal["asItWas"]["votes"]
    there = [each for each in votes if each["why"] not in ABSENT]
    goes = [each for each in there if each["counted"] and each["vote"] in ("go", "go if")]
    assert there
    assert len(goes) >= (policy["needed"] or len(there)), seal
