"""The rules of the workflow against a simple model of them: whatever two people do, in whatever order.

The model (``reference_workflow.py``) says beforehand whether a step is refused, which approvals it ends, and what comes
of it; then both are compared. After undo and redo, whose outcome depends on the history, the model is read again and
only what must always hold is asked: among that, that each approved phase is as it was approved.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from core.actions.cards import activities, tasks
from core.actions.cards.applications import AddApplication, AssignApplication, RemoveApplication, ReorderApplication
from core.actions.history.history import Redo, Undo
from core.actions.projects.members import SetProjectRole
from core.actions.projects.projects import LinkProject
from core.actions.workflow.canvas import GetCanvas
from core.actions.workflow.canvas_changes import GetCanvasChanges
from core.actions.workflow.deliverables import AddDeliverable, EditDeliverable, RemoveDeliverable
from core.actions.workflow.gates import DecideGate
from core.actions.workflow.phases import AddPhase, EditPhase, ListPhases, RemovePhase, ReorderPhase
from core.actions.workspace.hierarchy import AddNode
from core.domain.model import (
    DECISIONS,
    WORKSPACE,
    Decision,
    Gate,
    GateSeal,
    GateState,
    Id,
    ItemKind,
    NodeKind,
    PhaseState,
    ProjectRole,
    Status,
)
from core.domain.model import Phase as StoredPhase
from core.engine.messages import Command
from core.engine.unit_of_work import Snapshot
from core.errors import LapsesApproval, NothingToUndo, RuleViolation
from core.rules.approvals import approval_in_force
from core.rules.gate_seals import is_as_sealed
from core.storage.database import Tx
from tests.properties.reference_workflow import (
    ARCHIVED,
    COMPLETED,
    IN_PROGRESS,
    LINKS,
    TO_DO,
    Instance,
    Levels,
    Model,
    Paper,
    Refused,
    Step,
    Thing,
    as_stored,
    picked,
)
from tests.support.deliveries import delivered, delivery, taking_back
from tests.support.prepared import new_world
from tests.support.workspace import content

NUMBER = st.integers(0, 11)
WHO = st.sampled_from(["bob", "vera"])
"""Maya has made the project, and what she did stays."""

YES = st.booleans()

RELOCK = st.sampled_from([{"relock": False}, {"relock": True}])
CONSENT = RELOCK | st.just({"allow_lapse": "The client asked"})
"""What a command consents to: nothing, that later phases lock again, and also that approvals end."""

Consent = dict[str, Any]

DECIDED = st.sampled_from(DECISIONS)

LINK = "https://files.example/"

COLUMN = st.sampled_from(["name", "objectives", "outcomes"])

ABOUT_UNDO = ("WITHDRAWAL", "RESTORATION")


class Workflow(RuleBasedStateMachine):
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
            self.world.do(tasks.MoveTask(task_id=self.world.task(title, phase=brief).id, status=COMPLETED))
        delivered(self.world, brief, "D0", f"{LINK}0")
        self.world.do(DecideGate(phase_id=brief.id, decision=Decision.PASS))
        done = self.world.task(activity_id=self.world.activity().id)
        self.world.task("Later", phase=self.world.build)
        self.world.do(tasks.MoveTask(task_id=done.id, status=COMPLETED))
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
        consent = {"relock": False, "allow_lapse": ""} | (asks or {})
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
        """The message of this verb for a task or an activity."""
        noun, module = ("Task", tasks) if thing.kind is ItemKind.TASK else ("Activity", activities)
        command: Command[Any] = getattr(module, verb + noun)(**{f"{noun.lower()}_id": thing.id}, **fields)
        return command

    @rule(who=WHO, at=NUMBER, gate=st.sampled_from(Gate), consent=RELOCK)
    def add_phase(self, who: str, at: int, gate: Gate, consent: Consent) -> None:
        if len(self.model.steps) >= 5:
            return
        before = picked([None, *self.model.steps], at)
        command = AddPhase(project_id=self.project, name="P", gate=gate, before_id=before and before.id, **consent)

        def predict(model: Model) -> None:
            place = len(model.steps) if before is None else model.steps.index(model.step(before.id))
            model.steps.insert(place, Step("new", gate))

        known = {step.id for step in self.model.steps}
        self.attempt(command, who, predict, asks=consent)
        for step in self.model.steps:
            if step.id == "new":
                step.id = next(row["id"] for row in self.world.rows("SELECT id FROM phase") if row["id"] not in known)

    @precondition(lambda self: self.model.steps)
    @rule(who=WHO, which=NUMBER, gate=st.sampled_from(Gate), consent=CONSENT)
    def set_gate(self, who: str, which: int, gate: Gate, consent: Consent) -> None:
        step = picked(self.model.steps, which)
        command = EditPhase(phase_id=step.id, gate=gate, reason="Because", **consent)
        self.attempt(command, who, lambda model: model.set_gate(model.step(step.id), gate), asks=consent)

    @precondition(lambda self: self.model.steps)
    @rule(who=WHO, which=NUMBER, column=COLUMN, text=st.sampled_from(["A", "B"]), consent=CONSENT)
    def edit_phase(self, who: str, which: int, column: str, text: str, consent: Consent) -> None:
        """A name binds nobody; an approval holds for the objectives and the outcomes."""
        step = picked(self.model.steps, which)

        def predict(model: Model) -> None:
            if column != "name":
                setattr(model.step(step.id), column, text)

        self.attempt(EditPhase(phase_id=step.id, **{column: text}, **consent), who, predict, asks=consent)

    @precondition(lambda self: self.model.steps)
    @rule(who=WHO, where=NUMBER, consent=CONSENT)
    def add_deliverable(self, who: str, where: int, consent: Consent) -> None:
        phase = picked(self.model.steps, where).id
        known = set(self.model.papers)
        self.attempt(
            AddDeliverable(phase_id=phase, name="D", **consent),
            who,
            lambda model: model.papers.update(new=Paper("new", phase, "D")),
            asks=consent,
        )
        if "new" in self.model.papers:
            self.model.papers = self.as_stored().papers
            assert len(self.model.papers) == len(known) + 1

    @precondition(lambda self: self.model.papers)
    @rule(who=WHO, which=NUMBER, verb=st.sampled_from(["rename", "deliver", "take back", "remove"]), consent=CONSENT)
    def change_deliverable(self, who: str, which: int, verb: str, consent: Consent) -> None:
        paper = picked(list(self.model.papers.values()), which)
        name, link = f"D{which % 2}", f"{LINK}{which % 2}"
        command: Command[Any]
        match verb:
            case "rename":
                command, changed = EditDeliverable(deliverable_id=paper.id, name=name, **consent), {"name": name}
            case "deliver":
                command, changed = delivery(paper.id, link, **consent), {"evidence": link, "done": True}
            case "take back":
                command, changed = taking_back(paper.id, **consent), {"done": False}
            case _:
                command, changed = RemoveDeliverable(deliverable_id=paper.id, **consent), {}

        def predict(model: Model) -> None:
            for column, value in changed.items():
                setattr(model.papers[paper.id], column, value)
            if not changed:
                del model.papers[paper.id]

        self.attempt(command, who, predict, asks=consent)

    @precondition(lambda self: self.model.steps)
    @rule(who=WHO, which=NUMBER, at=NUMBER, consent=RELOCK)
    def place_phase(self, who: str, which: int, at: int, consent: Consent) -> None:
        step, before = picked(self.model.steps, which), picked([None, *self.model.steps], at)

        def predict(model: Model) -> None:
            if before and before.id == step.id:
                return
            moving = model.step(step.id)
            model.steps.remove(moving)
            model.steps.insert(model.steps.index(model.step(before.id)) if before else len(model.steps), moving)

        self.attempt(
            ReorderPhase(phase_id=step.id, before_id=before and before.id, **consent), who, predict, asks=consent
        )

    @precondition(lambda self: self.model.steps)
    @rule(who=WHO, which=NUMBER, consent=CONSENT)
    def remove_phase(self, who: str, which: int, consent: Consent) -> None:
        step = picked(self.model.steps, which)
        command = RemovePhase(phase_id=step.id, **consent)
        self.attempt(command, who, lambda model: model.remove(model.step(step.id)), asks=consent)

    @precondition(lambda self: self.model.steps)
    @rule(who=WHO, which=NUMBER, decision=DECIDED, consent=RELOCK)
    def decide(self, who: str, which: int, decision: Decision, consent: Consent) -> None:
        step = picked(self.model.steps, which)
        command = DecideGate(phase_id=step.id, decision=decision, reason="Because", **consent)
        self.attempt(command, who, lambda model: model.decide(model.step(step.id), decision), asks=consent)

    @precondition(lambda self: self.model.ready())
    @rule(who=WHO, which=NUMBER)
    def approve(self, who: str, which: int) -> None:
        """Most decisions on any phase are refused, so this one is where an approval is possible."""
        step = picked(self.model.ready(), which)
        command = DecideGate(phase_id=step.id, decision=Decision.PASS)
        self.attempt(command, who, lambda model: model.decide(model.step(step.id), Decision.PASS))

    @precondition(lambda self: self.model.steps)
    @rule(
        who=WHO, where=NUMBER, kind=st.sampled_from((ItemKind.TASK, ItemKind.ACTIVITY)), within=NUMBER, consent=CONSENT
    )
    def create(self, who: str, where: int, kind: ItemKind, within: int, consent: Consent) -> None:
        phase = picked(self.model.steps, where).id
        owners = [None, *(thing for thing in self.things if thing.kind is ItemKind.ACTIVITY)]
        activity = picked(owners, within) if kind is ItemKind.TASK else None
        thing = Thing("new", kind, phase, activity=activity and activity.id)
        noun = tasks.CreateTask if kind is ItemKind.TASK else activities.CreateActivity
        fields: dict[str, Any] = {"activity_id": activity.id} if activity else {}
        known = set(self.model.things)
        self.attempt(
            noun(phase_id=phase, title="T", **consent, **fields),
            who,
            lambda m: m.create(deepcopy(thing)),
            asks=consent,
        )
        if "new" in self.model.things:
            made = self.model.things.pop("new")
            made.id = next(row["id"] for row in self.world.rows("SELECT id FROM item") if row["id"] not in known)
            self.model.things[made.id] = made

    @precondition(lambda self: self.model.things)
    @rule(who=WHO, which=NUMBER, status=st.sampled_from([TO_DO, IN_PROGRESS, COMPLETED, COMPLETED]), consent=CONSENT)
    def move(self, who: str, which: int, status: Status, consent: Consent) -> None:
        thing = picked(self.things, which)
        if status is not thing.status:
            command = self.message(thing, "Move", status=status, **consent)
            self.attempt(command, who, lambda model: model.move(model.things[thing.id], status), asks=consent)

    @precondition(lambda self: self.model.things)
    @rule(who=WHO, which=NUMBER, where=NUMBER, before=NUMBER, consent=CONSENT)
    def place(self, who: str, which: int, where: int, before: int, consent: Consent) -> None:
        thing, phase = picked(self.things, which), picked(self.model.steps, where).id
        following = picked([None, *(other for other in self.things if other.phase == phase)], before)
        fields = {"phase_id": phase, "before_id": following and following.id, **consent}
        self.attempt(
            self.message(thing, "Reorder", **fields), who, lambda m: m.place(m.things[thing.id], phase), asks=consent
        )
        order = [row["id"] for row in self.world.rows("SELECT id FROM item ORDER BY rank, id")]
        self.model.things = {item: self.model.things[item] for item in order}

    @precondition(lambda self: self.model.things)
    @rule(who=WHO, which=NUMBER)
    def archive(self, who: str, which: int) -> None:
        thing = picked(self.things, which)
        self.attempt(self.message(thing, "Archive"), who, lambda model: model.archive(model.things[thing.id]))

    @precondition(lambda self: any(thing.status is ARCHIVED for thing in self.things))
    @rule(who=WHO, which=NUMBER, consent=CONSENT, verb=st.sampled_from(["Restore", "Restore", "Delete"]))
    def restore_or_delete(self, who: str, which: int, consent: Consent, verb: str) -> None:
        thing = picked([thing for thing in self.things if thing.status is ARCHIVED], which)
        self.attempt(
            self.message(thing, verb, **consent),
            who,
            lambda model: getattr(model, verb.lower())(model.things[thing.id]),
            asks=consent,
        )

    @rule(who=WHO, levels=st.sampled_from(LINKS))
    def link(self, who: str, levels: Levels) -> None:
        nodes: dict[str, Any] = {f"{kind.lower()}_id": self.nodes[kind] for kind in levels[-1:]}
        self.attempt(LinkProject(project_id=self.project, **nodes), who, lambda model: model.link(levels))

    @precondition(lambda self: self.model.steps)
    @rule(who=WHO, levels=st.sampled_from((None, *LINKS)), where=NUMBER)
    def add_application(self, who: str, levels: Levels | None, where: int) -> None:
        """Of a product that fits, or of any."""
        requires = self.model.links if levels is None else levels
        place = picked([*(each for each in self.things if each.kind is ItemKind.ACTIVITY), *self.model.steps], where)
        on_phase = isinstance(place, Step)
        instance = Instance("new", requires, place.id if on_phase else place.phase, None if on_phase else place.id)
        command = AddApplication(
            project_id=self.project,
            product_id=self.products[requires].id,
            **{"phase_id" if on_phase else "activity_id": place.id},
        )
        known = set(self.model.instances)
        self.attempt(command, who, lambda model: model.add(deepcopy(instance)))
        if "new" in self.model.instances:
            made = self.model.instances.pop("new")
            made.id = next(each for each in self.as_stored().instances if each not in known)
            self.model.instances[made.id] = made

    @precondition(lambda self: self.model.instances)
    @rule(who=WHO, which=NUMBER, where=NUMBER, before=NUMBER)
    def place_application(self, who: str, which: int, where: int, before: int) -> None:
        instance, phase = picked(self.instances, which), picked(self.model.steps, where).id
        following = picked([None, *(other for other in self.instances if other.phase == phase)], before)
        command = ReorderApplication(application_id=instance.id, phase_id=phase, before_id=following and following.id)
        self.attempt(command, who, lambda model: model.place_instance(model.instances[instance.id], phase))

    @precondition(lambda self: self.model.instances)
    @rule(who=WHO, which=NUMBER, people=st.none() | st.sets(st.sampled_from(["maya", "bob", "vera"])))
    def assign_or_remove_application(self, who: str, which: int, people: set[str] | None) -> None:
        instance = picked(self.instances, which)
        if people is None:
            self.attempt(RemoveApplication(application_id=instance.id), who, lambda m: m.drop(instance))
            return
        ids = frozenset(getattr(self.world, name).user_id for name in people)
        self.attempt(
            AssignApplication(application_id=instance.id, member_ids=tuple(sorted(ids))),
            who,
            lambda model: setattr(model.instances[instance.id], "people", ids),
        )

    @rule(who=WHO, consent=CONSENT, and_back=YES)
    def undo(self, who: str, consent: Consent, and_back: bool) -> None:
        before, seq = self.picture(), self.last()["seq"]
        if not self.reverted(Undo(project_id=self.project, **consent), who):
            return
        if self.last()["reverts"] == seq:  # nobody did anything since: it is exactly as it was, but for the record
            assert without_record(self.picture()) == without_record(self.pictures[seq - 1])
            if and_back:
                self.keep()
                assert self.reverted(Redo(project_id=self.project, allow_lapse="As it was"), who)
                assert without_record(self.picture()) == without_record(before)

    @rule(who=WHO, consent=CONSENT)
    def redo(self, who: str, consent: Consent) -> None:
        self.reverted(Redo(project_id=self.project, **consent), who)

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


def run(examples: int, steps: int, machine: type[Workflow] = Workflow) -> None:
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            suppress_health_check=list(HealthCheck),
            phases=(Phase.generate, Phase.shrink),
            database=None,
        ),
    )


def test_whatever_two_people_do_the_rules_hold() -> None:
    run(examples=20, steps=25)


@pytest.mark.slow
def test_whatever_two_people_do_for_long_the_rules_hold() -> None:
    run(examples=400, steps=60)
