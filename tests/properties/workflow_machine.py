"""The machine of the tests of the workflow: a workspace, the model of it, and what must always hold."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

from hypothesis.stateful import RuleBasedStateMachine, invariant

from core.actions.cards import cards as card_messages
from core.actions.cards.cards import MoveCard
from core.actions.projects.members import SetProjectRole
from core.actions.workflow.canvas import GetCanvas
from core.actions.workflow.canvas_changes import GetCanvasChanges
from core.actions.workflow.gates import DecideGate
from core.actions.workflow.phases import ListPhases
from core.actions.workspace.hierarchy import AddNode
from core.domain.gates import Decision, GateSeal
from core.domain.model import WORKSPACE, Gate, GateState, Id, NodeKind, PhaseState, ProjectRole
from core.domain.model import Phase as StoredPhase
from core.engine.messages import Command
from core.engine.unit_of_work import Snapshot
from core.errors import LapsesApproval, NothingToUndo, RuleViolation
from core.rules.approvals import approval_in_force
from core.rules.gate_seals import is_as_sealed
from core.storage.database import Tx
from tests.properties.reference_workflow import (
    COMPLETED,
    IN_PROGRESS,
    LINKS,
    Instance,
    Model,
    Refused,
    Thing,
    as_stored,
)
from tests.support.deliveries import delivered
from tests.support.prepared import new_world
from tests.support.workspace import content

Consent = dict[str, Any]

ABOUT_UNDO = ("WITHDRAWAL", "RESTORATION")

LINK = "https://files.example/"


class WorkflowMachine(RuleBasedStateMachine):
    """Two owners at work on one project.

    It has an approved phase with two completed cards and a deliverable, an activity with a completed task, one with an
    application, and a task in a locked phase.
    """

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.world = new_world(self.folder / "podium.db")
        self.project = self.world.project.id
        for user_id in map(self.world.internal, (self.world.bob, self.world.vera)):
            self.world.do(SetProjectRole(project_id=self.project, user_id=user_id, role=ProjectRole.OWNER))
        brief = self.world.phase("Brief", gate=Gate.REVIEW, before_id=self.world.discover.id, relock=True)
        for title in ("Ask", "Answer"):
            self.world.do(MoveCard(card_id=self.world.task(title, phase=brief).id, status=COMPLETED))
        delivered(self.world, brief, "D0", f"{LINK}0")
        self.world.do(DecideGate(phase_id=brief.id, decision=Decision.PASS))
        done = self.world.task(activity_id=self.world.activity().id)
        self.world.task("Later", phase=self.world.build)
        self.world.do(MoveCard(card_id=done.id, status=COMPLETED))
        self.products = {
            levels: self.world.product(f"For {len(levels)} levels", required_context=levels) for levels in LINKS
        }
        self.required = {product.id: levels for levels, product in self.products.items()}
        self.nodes: dict[NodeKind, Id] = {}
        for kind, above in zip(NodeKind, (None, *NodeKind), strict=False):
            parent = self.nodes[above] if above else None
            self.nodes[kind] = self.world.do(AddNode(kind=kind, name=kind, parent_id=parent)).id
        self.world.add_application(self.products[()], activity_id=self.world.activity("Kick-off").id)
        self.model = self.as_stored()
        self.canvas = self.world.ask(GetCanvas(project_id=self.project))
        self.pictures = {self.canvas.head.seq: self.picture()}

    def teardown(self) -> None:
        self.world.database.close()
        shutil.rmtree(self.folder)

    def do(self, command: Command[Any], who: str) -> Any:
        return self.world.do(command, as_=getattr(self.world, who))

    def as_stored(self) -> Model:
        return as_stored(self.world, self.required)

    def picture(self) -> dict[str, Any]:
        return content(self.world.database, versions=False)

    def attempt(
        self, command: Command[Any], who: str, predict: Callable[[Model], None], *, asks: Consent | None = None
    ) -> None:
        """Send a command and compare with the model; ``asks`` is its consent, None where it takes none."""
        trial, ended = deepcopy(self.model), list[Id]()
        consent: Consent = {"relock": False, "allow_lapse": ""} | (asks or {})
        try:
            predict(trial)
        except Refused:
            allowed = False
        else:
            trial.end_approvals(self.model)
            ended = self.model.ended_in(trial)
            before, after = self.model.states(), trial.states()
            locks = any(before.get(p) is PhaseState.OPEN and after[p] is PhaseState.LOCKED for p in after)
            allowed = bool(consent["allow_lapse"]) or (not ended and (consent["relock"] or not locks))
        lapses = len(self.lapses())
        try:
            self.do(command, who)
        except RuleViolation as error:
            refusal: RuleViolation | None = error
            ended_now = []
        else:
            refusal = None
            self.model = trial
            ended_now = ended
        assert allowed == (refusal is None), refusal or f"{command} was not refused"
        assert sorted(row["phase_id"] for row in self.lapses()[lapses:]) == sorted(ended_now)
        if ended and refusal:
            assert isinstance(refusal, LapsesApproval), refusal
            assert sorted(refusal.phase_ids) == sorted(ended)

    def lapses(self) -> list[dict[str, Any]]:
        return self.world.rows("SELECT * FROM gate_record WHERE decision = 'LAPSE' ORDER BY seq")

    @property
    def things(self) -> list[Thing]:
        return list(self.model.things.values())

    @property
    def instances(self) -> list[Instance]:
        return list(self.model.instances.values())

    def message(self, thing: Thing, verb: str, **fields: Any) -> Command[Any]:
        """The message of this verb for a card."""
        command: Command[Any] = getattr(card_messages, f"{verb}Card")(card_id=thing.id, **fields)
        return command

    def reverted(self, command: Command[Any], who: str) -> bool:
        """Undo or redo. Return False if it was refused, after which nothing must have changed."""
        before, was, entries = content(self.world.database), self.model, self.entries()
        try:
            self.do(command, who)
        except (RuleViolation, NothingToUndo):
            assert content(self.world.database) == before
            return False
        self.model = self.as_stored()
        self.the_record_shows_both(entries, getattr(self.world, who).user_id)
        self.no_phase_is_complete_by_going_back(was)
        return True

    def entries(self) -> dict[Id, dict[str, Any]]:
        return {row["id"]: row for row in self.world.rows("SELECT * FROM gate_record")}

    def the_record_shows_both(self, before: dict[Id, dict[str, Any]], who: Id) -> None:
        """Nothing leaves the record; what is withdrawn or restored now has an entry that says by whom."""
        now = self.entries()
        assert all(row["reason"] == now[each]["reason"] for each, row in before.items())
        turned = {each for each, row in before.items() if row["withdrawn"] != now[each]["withdrawn"]}
        about = [row for each, row in now.items() if each not in before and row["decision"] in ABOUT_UNDO]
        assert sorted(row["of_id"] for row in about) == sorted(turned)
        assert all(row["by_id"] == who for row in about)

    def no_phase_is_complete_by_going_back(self, was: Model) -> None:
        """To an automatic gate, unless the phase was complete by it and nothing has changed since."""
        states, changed = self.model.states(), {step.id: step.gate for step in was.steps}
        at = self.pictures[self.last()["reverts"] - 1]
        for step in self.model.steps:
            if changed.get(step.id, step.gate) is step.gate or step.gate_state is not GateState.NONE:
                continue
            if states[step.id] is PhaseState.COMPLETE and was.states()[step.id] is not PhaseState.COMPLETE:
                assert of_phase(at, step.id) == of_phase(self.picture(), step.id)

    def last(self) -> dict[str, Any]:
        return self.world.last_change()

    def keep(self) -> None:
        self.pictures[self.last()["seq"]] = self.picture()

    @invariant()
    def all_holds(self) -> None:
        self.everything_is_as_the_model_says()
        self.each_approved_phase_is_as_it_was_approved()
        self.model.an_activity_holds_only_tasks_that_suit_it()
        self.model.applications_fit_the_links_and_their_activities()
        self.nothing_is_started_or_completed_in_a_locked_phase()
        self.the_history_has_no_gap()
        self.the_changes_bring_an_old_canvas_up_to_date()

    def everything_is_as_the_model_says(self) -> None:
        self.keep()
        shown = self.world.ask(ListPhases(project_id=self.project))
        assert {line.phase.id: line.state for line in shown} == self.model.states()
        assert [line.phase.id for line in shown] == [step.id for step in self.model.steps]
        assert self.as_stored() == self.model

    def each_approved_phase_is_as_it_was_approved(self) -> None:
        def look(tx: Tx) -> None:
            view = Snapshot(tx, self.world.maya, self.world.engine.clock(), WORKSPACE)
            for phase in view.all(StoredPhase, "gate_state = 'PASSED'"):
                approval = approval_in_force(view, phase)
                assert approval, phase
                assert is_as_sealed(view, phase, view.get(GateSeal, project_id=self.project, record_id=approval.id))

        self.world.database.read(look)

    def nothing_is_started_or_completed_in_a_locked_phase(self) -> None:
        before, states = {card.id: card for card in self.canvas.cards}, self.model.states()
        for thing in self.things:
            old = before.get(thing.id)
            entered = old is None or (old.status, old.phase_id) != (thing.status, thing.phase)
            if entered and thing.status in (IN_PROGRESS, COMPLETED):
                assert states[thing.phase] is not PhaseState.LOCKED

    def the_history_has_no_gap(self) -> None:
        seqs = [row["seq"] for row in self.world.rows("SELECT seq FROM change WHERE project_id = :p", p=self.project)]
        assert sorted(seqs) == list(range(1, len(seqs) + 1))
        assert self.world.row("feed", id=self.project)["seq"] == len(seqs)

    def the_changes_bring_an_old_canvas_up_to_date(self) -> None:
        """Asked last: it keeps the new Canvas for the next step."""
        changes = self.world.ask(GetCanvasChanges.of(self.canvas.head))
        whole = self.world.ask(GetCanvas(project_id=self.project))
        updated = self.canvas if changes is None else self.canvas.after(changes)
        assert updated.cards == whole.cards
        assert updated.head == whole.head
        self.canvas = whole


def without_record(picture: dict[str, Any]) -> dict[str, Any]:
    return {table: rows for table, rows in picture.items() if table not in ("gate_record", "gate_seal")}


def of_phase(picture: dict[str, Any], phase: Id) -> list[Any]:
    """The cards and the deliverables of a phase in a picture."""
    return [row for table in ("item", "deliverable") for row in picture[table] if row["phase_id"] == phase]
