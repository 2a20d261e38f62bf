"""The rules of the workflow against a simple model of them: whatever two people do, in whatever order.

The model (``reference_workflow.py``) says beforehand whether a step is refused, which approvals it ends, and what comes
of it; then both are compared. After undo and redo, whose outcome depends on the history, the model is read again and
only what must always hold is asked: among that, that each approved phase is as it was approved.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from core.actions.cards import activities, tasks
from core.actions.cards.applications import AddApplication, AssignApplication, RemoveApplication, ReorderApplication
from core.actions.history.history import Redo, Undo
from core.actions.projects.projects import LinkProject
from core.actions.workflow.deliverables import AddDeliverable, EditDeliverable, RemoveDeliverable
from core.actions.workflow.gates import DecideGate
from core.actions.workflow.phases import AddPhase, EditPhase, RemovePhase, ReorderPhase
from core.domain.gates import DECISIONS, Decision
from core.domain.model import Gate, ItemKind, Status
from core.engine.messages import Command
from core.record import replace
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
    picked,
)
from tests.properties.run_machine import run_machine
from tests.properties.workflow_machine import LINK, Consent, WorkflowMachine, without_record
from tests.support.deliveries import delivery, taking_back

NUMBER = st.integers(0, 11)
WHO = st.sampled_from(["bob", "vera"])
"""Maya has made the project, and what she did stays."""

YES = st.booleans()

RELOCK = st.sampled_from([{"relock": False}, {"relock": True}])
CONSENT = RELOCK | st.just({"allow_lapse": "The client asked"})
"""What a command consents to: nothing, that later phases lock again, and also that approvals end."""

DECIDED = st.sampled_from([each for each in DECISIONS if each is not Decision.STOP])

COLUMN = st.sampled_from(["name", "objectives", "outcomes"])


class Workflow(WorkflowMachine):
    """Two owners at work on one project."""

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

        edit = replace(EditPhase(phase_id=step.id, **consent), **{column: text})
        self.attempt(edit, who, predict, asks=consent)

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
        changed: dict[str, Any]
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
            if verb == "take back" and not model.papers[paper.id].done:
                raise Refused
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


def test_whatever_two_people_do_the_rules_hold() -> None:
    run_machine(Workflow, examples=10, steps=25)


@pytest.mark.slow
def test_whatever_two_people_do_for_long_the_rules_hold() -> None:
    run_machine(Workflow, examples=400, steps=60)
