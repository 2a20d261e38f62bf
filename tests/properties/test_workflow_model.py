"""The rules of the workflow against a simple model of them: whatever two people do, in whatever order.

The model (``plan_of_work.py``) says beforehand whether a step is refused and what comes of it; then both are compared.
After undo and redo, whose outcome depends on the history, the model is read again and only what must always hold is
asked.
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
from core.actions.workflow.gates import DecideGate
from core.actions.workflow.phases import AddPhase, EditPhase, ListPhases, RemovePhase, ReorderPhase
from core.actions.workspace.hierarchy import AddNode
from core.domain.model import Decision, Gate, Id, ItemKind, NodeKind, PhaseState, ProjectRole, Status
from core.engine.messages import Command
from core.errors import NothingToUndo, RuleViolation
from tests.properties.reference_workflow import (
    ARCHIVED,
    COMPLETED,
    IN_PROGRESS,
    LINKS,
    TO_DO,
    Instance,
    Levels,
    Model,
    Refused,
    Step,
    Thing,
    as_stored,
    picked,
)
from tests.support.prepared import new_world
from tests.support.workspace import content

NUMBER = st.integers(0, 11)
WHO = st.sampled_from(["bob", "vera"])
"""Maya has made the project, and what she did stays."""

YES = st.booleans()


class Workflow(RuleBasedStateMachine):
    """Two owners at work on one project.

    It has an activity with a completed task, one with an application, and a task in a locked phase.
    """

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.world = new_world(self.folder / "podium.db")
        self.project = self.world.project.id
        for user_id in map(self.world.internal, (self.world.bob, self.world.vera)):
            self.world.do(SetProjectRole(project_id=self.project, user_id=user_id, role=ProjectRole.OWNER))
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
        self, command: Command[Any], who: str, predict: Callable[[Model], None], *, asks: bool | None = None
    ) -> None:
        """Send a command and compare with the model; ``asks`` is its ``relock``, None where nothing locks again."""
        trial = deepcopy(self.model)
        try:
            predict(trial)
        except Refused:
            allowed = False
        else:
            before, after = self.model.states(), trial.states()
            locks = any(before.get(p) is PhaseState.OPEN and after[p] is PhaseState.LOCKED for p in after)
            allowed = asks is not False or not locks
        try:
            self.do(command, who)
        except RuleViolation as error:
            refusal: str | None = str(error)
        else:
            refusal = None
            self.model = trial
        assert allowed == (refusal is None), refusal or f"{command} was not refused"

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

    @rule(who=WHO, at=NUMBER, gate=st.sampled_from(Gate), relock=YES)
    def add_phase(self, who: str, at: int, gate: Gate, relock: bool) -> None:
        if len(self.model.steps) >= 5:
            return
        before = picked([None, *self.model.steps], at)
        command = AddPhase(project_id=self.project, name="P", gate=gate, before_id=before and before.id, relock=relock)

        def predict(model: Model) -> None:
            place = len(model.steps) if before is None else model.steps.index(model.step(before.id))
            model.steps.insert(place, Step("new", gate))

        known = {step.id for step in self.model.steps}
        self.attempt(command, who, predict, asks=relock)
        for step in self.model.steps:
            if step.id == "new":
                step.id = next(row["id"] for row in self.world.rows("SELECT id FROM phase") if row["id"] not in known)

    @precondition(lambda self: self.model.steps)
    @rule(who=WHO, which=NUMBER, gate=st.sampled_from(Gate), relock=YES)
    def set_gate(self, who: str, which: int, gate: Gate, relock: bool) -> None:
        step = picked(self.model.steps, which)
        command = EditPhase(phase_id=step.id, gate=gate, relock=relock)
        self.attempt(command, who, lambda model: setattr(model.step(step.id), "gate", gate), asks=relock)

    @precondition(lambda self: self.model.steps)
    @rule(who=WHO, which=NUMBER, at=NUMBER, relock=YES)
    def place_phase(self, who: str, which: int, at: int, relock: bool) -> None:
        step, before = picked(self.model.steps, which), picked([None, *self.model.steps], at)

        def predict(model: Model) -> None:
            if before and before.id == step.id:
                return
            moving = model.step(step.id)
            model.steps.remove(moving)
            model.steps.insert(model.steps.index(model.step(before.id)) if before else len(model.steps), moving)

        self.attempt(
            ReorderPhase(phase_id=step.id, before_id=before and before.id, relock=relock), who, predict, asks=relock
        )

    @precondition(lambda self: self.model.steps)
    @rule(who=WHO, which=NUMBER)
    def remove_phase(self, who: str, which: int) -> None:
        step = picked(self.model.steps, which)
        self.attempt(RemovePhase(phase_id=step.id), who, lambda model: model.remove(model.step(step.id)))

    @precondition(lambda self: self.model.steps)
    @rule(who=WHO, which=NUMBER, decision=st.sampled_from(Decision), relock=YES)
    def decide(self, who: str, which: int, decision: Decision, relock: bool) -> None:
        step = picked(self.model.steps, which)
        command = DecideGate(phase_id=step.id, decision=decision, reason="Because", relock=relock)
        self.attempt(command, who, lambda model: model.decide(model.step(step.id), decision), asks=relock)

    @precondition(lambda self: self.model.steps)
    @rule(who=WHO, where=NUMBER, kind=st.sampled_from((ItemKind.TASK, ItemKind.ACTIVITY)), within=NUMBER, relock=YES)
    def create(self, who: str, where: int, kind: ItemKind, within: int, relock: bool) -> None:
        phase = picked(self.model.steps, where).id
        owners = [None, *(thing for thing in self.things if thing.kind is ItemKind.ACTIVITY)]
        activity = picked(owners, within) if kind is ItemKind.TASK else None
        thing = Thing("new", kind, phase, activity=activity and activity.id)
        noun = tasks.CreateTask if kind is ItemKind.TASK else activities.CreateActivity
        fields: dict[str, Any] = {"activity_id": activity.id} if activity else {}
        known = set(self.model.things)
        self.attempt(
            noun(phase_id=phase, title="T", relock=relock, **fields),
            who,
            lambda m: m.create(deepcopy(thing)),
            asks=relock,
        )
        if "new" in self.model.things:
            made = self.model.things.pop("new")
            made.id = next(row["id"] for row in self.world.rows("SELECT id FROM item") if row["id"] not in known)
            self.model.things[made.id] = made

    @precondition(lambda self: self.model.things)
    @rule(who=WHO, which=NUMBER, status=st.sampled_from([TO_DO, IN_PROGRESS, COMPLETED, COMPLETED]), relock=YES)
    def move(self, who: str, which: int, status: Status, relock: bool) -> None:
        thing = picked(self.things, which)
        if status is not thing.status:
            command = self.message(thing, "Move", status=status, relock=relock)
            self.attempt(command, who, lambda model: model.move(model.things[thing.id], status), asks=relock)

    @precondition(lambda self: self.model.things)
    @rule(who=WHO, which=NUMBER, where=NUMBER, before=NUMBER, relock=YES)
    def place(self, who: str, which: int, where: int, before: int, relock: bool) -> None:
        thing, phase = picked(self.things, which), picked(self.model.steps, where).id
        following = picked([None, *(other for other in self.things if other.phase == phase)], before)
        fields = {"phase_id": phase, "before_id": following and following.id, "relock": relock}
        self.attempt(
            self.message(thing, "Reorder", **fields), who, lambda m: m.place(m.things[thing.id], phase), asks=relock
        )
        order = [row["id"] for row in self.world.rows("SELECT id FROM item ORDER BY rank, id")]
        self.model.things = {item: self.model.things[item] for item in order}

    @precondition(lambda self: self.model.things)
    @rule(who=WHO, which=NUMBER)
    def archive(self, who: str, which: int) -> None:
        thing = picked(self.things, which)
        self.attempt(self.message(thing, "Archive"), who, lambda model: model.archive(model.things[thing.id]))

    @precondition(lambda self: any(thing.status is ARCHIVED for thing in self.things))
    @rule(who=WHO, which=NUMBER, relock=YES, verb=st.sampled_from(["Restore", "Restore", "Delete"]))
    def restore_or_delete(self, who: str, which: int, relock: bool, verb: str) -> None:
        thing = picked([thing for thing in self.things if thing.status is ARCHIVED], which)
        self.attempt(
            self.message(thing, verb, relock=relock),
            who,
            lambda model: getattr(model, verb.lower())(model.things[thing.id]),
            asks=relock,
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

    @rule(who=WHO, relock=YES, and_back=YES)
    def undo(self, who: str, relock: bool, and_back: bool) -> None:
        before, seq = self.picture(), self.last()["seq"]
        if not self.reverted(Undo(project_id=self.project, relock=relock), who):
            return
        if self.last()["reverts"] == seq:  # nobody did anything since: it is exactly as it was, but for the record
            there, then = self.picture(), dict(self.pictures[seq - 1])
            there.pop("gate_record"), then.pop("gate_record")
            assert there == then
            if and_back:
                self.keep()
                assert self.reverted(Redo(project_id=self.project, relock=True), who)
                assert self.picture() == before

    @rule(who=WHO, relock=YES)
    def redo(self, who: str, relock: bool) -> None:
        self.reverted(Redo(project_id=self.project, relock=relock), who)

    def reverted(self, command: Command[Any], who: str) -> bool:
        """Undo or redo. Return False if it was refused, after which nothing must have changed."""
        before = content(self.world.database)
        try:
            self.do(command, who)
        except (RuleViolation, NothingToUndo):
            assert content(self.world.database) == before
            return False
        self.model = self.as_stored()
        return True

    def last(self) -> dict[str, Any]:
        return self.world.last_change()

    def keep(self) -> None:
        self.pictures[self.last()["seq"]] = self.picture()

    @invariant()
    def all_holds(self) -> None:
        self.everything_is_as_the_model_says()
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
