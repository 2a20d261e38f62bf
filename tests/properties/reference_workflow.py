"""The workflow of the specification, told naively: phases, cards, deliverables, applications, links, and approvals.

Each method does one step, or raises Refused where the step is not allowed; only ``as_stored`` knows of a database.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from core.domain.gates import Decision
from core.domain.model import Gate, GateState, Id, ItemKind, NodeKind, PhaseState, Status
from tests.support.workspace import World

TO_DO, IN_PROGRESS, COMPLETED, ARCHIVED = Status
CLOSED = (COMPLETED, ARCHIVED)

Levels = tuple[NodeKind, ...]
LINKS: tuple[Levels, ...] = ((), (NodeKind.CLIENT,), tuple(NodeKind))
"""The levels that a project of the model may link, and a product require."""


def picked(items: list[Any], number: int) -> Any:
    """One of them, by any number."""
    return items[number % len(items)]


@dataclass
class Step:
    """A phase of the model."""

    id: Id
    gate: Gate = Gate.AUTOMATIC
    gate_state: GateState = GateState.NONE
    overridden: bool = False
    on_hold: bool = False
    objectives: str = ""
    outcomes: str = ""


@dataclass
class Paper:
    """A deliverable of the model."""

    id: Id
    phase: Id
    name: str
    evidence: str = ""
    done: bool = False


@dataclass
class Thing:
    """A task or an activity of the model."""

    id: Id
    kind: ItemKind
    phase: Id
    status: Status = TO_DO
    activity: Id | None = None
    archived_from: Status | None = None
    archived_with: Id | None = None


@dataclass
class Instance:
    """An application of the model."""

    id: Id
    requires: Levels
    phase: Id
    activity: Id | None = None
    people: frozenset[Id] = frozenset()


class Refused(Exception):
    """Raised by the model when a step is not allowed."""


@dataclass
class Model:
    """The workflow as the specification tells it."""

    steps: list[Step] = field(default_factory=list)
    things: dict[Id, Thing] = field(default_factory=dict)
    """In the order of the Canvas."""
    instances: dict[Id, Instance] = field(default_factory=dict)
    """In the order of the Canvas."""
    papers: dict[Id, Paper] = field(default_factory=dict)
    links: Levels = ()
    """The levels that the project links."""

    def step(self, phase: Id) -> Step:
        return next(step for step in self.steps if step.id == phase)

    def complete(self, step: Step) -> bool:
        statuses = [thing.status for thing in self.things.values() if thing.phase == step.id]
        if step.on_hold or any(status not in CLOSED for status in statuses):
            return False
        if not statuses or step.gate is Gate.REVIEW:
            return step.gate_state is GateState.PASSED
        return step.gate_state not in (GateState.SENT_BACK, GateState.UNDECIDED)

    def finished(self, phase: Id) -> bool:
        """There are cards, and none is open."""
        statuses = [thing.status for thing in self.things.values() if thing.phase == phase]
        return bool(statuses) and all(status in CLOSED for status in statuses)

    def ready(self) -> list[Step]:
        """The phases that wait for nothing but an approval."""
        open_cards = {thing.phase for thing in self.things.values() if thing.status not in CLOSED}
        waiting = [step for step in self.steps if step.id not in open_cards and not self.shut(step.id)]
        return [step for step in waiting if step.gate_state is not GateState.PASSED]

    def bound(self, phase: Id) -> tuple[Any, ...]:
        """The part of the phase that an approval holds for."""
        step = self.step(phase)
        papers = [deepcopy(paper) for paper in self.papers.values() if paper.phase == phase]
        cards = {thing.id: thing.status in CLOSED for thing in self.things.values() if thing.phase == phase}
        return step.gate, step.objectives, step.outcomes, papers, cards

    def end_approvals(self, before: Model) -> None:
        """End each approval of what is not as it was before any more."""
        for was in before.steps:
            step = next((each for each in self.steps if each.id == was.id), None)
            approved = step is not None and was.gate_state is step.gate_state is GateState.PASSED
            if step is not None and approved and self.bound(was.id) != before.bound(was.id):
                undecided = step.gate is Gate.AUTOMATIC is not was.gate and self.finished(step.id)
                step.gate_state = GateState.UNDECIDED if undecided else GateState.NONE

    def ended_in(self, after: Model) -> list[Id]:
        """The approved phases whose approval has ended, other than by sending them back."""
        kept = {step.id for step in after.steps if step.gate_state in (GateState.PASSED, GateState.SENT_BACK)}
        return [step.id for step in self.steps if step.gate_state is GateState.PASSED and step.id not in kept]

    def shut(self, phase: Id) -> bool:
        """An earlier phase is not complete, and there is no override."""
        before = self.steps[: self.steps.index(self.step(phase))]
        return not self.step(phase).overridden and not all(map(self.complete, before))

    def states(self) -> dict[Id, PhaseState]:
        def state(step: Step) -> PhaseState:
            if self.complete(step):
                return PhaseState.COMPLETE
            return PhaseState.LOCKED if self.shut(step.id) else PhaseState.OPEN

        return {step.id: state(step) for step in self.steps}

    def refuses(self, phase: Id, status: Status, was: PhaseState) -> bool:
        """``was`` is the state before anything came in; locked then or now, it takes nothing that is done."""
        locked = PhaseState.LOCKED in (was, self.states()[phase])
        return self.shut(phase) and (status is IN_PROGRESS or (status is COMPLETED and locked))

    def within(self, activity: Thing) -> list[Thing]:
        return [thing for thing in self.things.values() if thing.activity == activity.id]

    def held_by(self, activity: Id) -> list[Instance]:
        return [instance for instance in self.instances.values() if instance.activity == activity]

    def carry(self, task: Thing) -> None:
        activity = self.things[task.activity] if task.activity else None
        if activity and (activity.status is COMPLETED or (activity.status is TO_DO and task.status is IN_PROGRESS)):
            activity.status = TO_DO if self.shut(task.phase) else IN_PROGRESS

    def move(self, thing: Thing, status: Status) -> None:
        if thing.status is ARCHIVED or self.refuses(thing.phase, status, self.states()[thing.phase]):
            raise Refused
        if status is COMPLETED and any(task.status not in CLOSED for task in self.within(thing)):
            raise Refused
        thing.status = status
        if status not in CLOSED:
            self.carry(thing)

    def place(self, thing: Thing, phase: Id) -> None:
        if phase == thing.phase:
            return
        before, was = deepcopy(self), self.states()[phase]
        moving = [thing, *self.within(thing)]
        thing.activity = None
        for each in moving:
            each.phase = phase
        for instance in self.held_by(thing.id):
            instance.phase = phase
        self.end_approvals(before)
        if any(self.refuses(phase, each.status, was) for each in moving):
            raise Refused

    def archive(self, thing: Thing) -> None:
        for task in self.within(thing):
            if task.status is not ARCHIVED:
                task.archived_from, task.archived_with, task.status = task.status, thing.id, ARCHIVED
        if thing.status is not ARCHIVED:
            thing.archived_from, thing.status = thing.status, ARCHIVED

    def restore(self, thing: Thing) -> None:
        if thing.status is not ARCHIVED:
            return
        if thing.activity and self.things[thing.activity].status is ARCHIVED:
            raise Refused
        for each in [thing, *(task for task in self.within(thing) if task.archived_with == thing.id)]:
            status = each.archived_from or TO_DO
            if self.refuses(each.phase, status, self.states()[each.phase]):
                status = TO_DO
            each.status, each.archived_from, each.archived_with = status, None, None
            if status not in CLOSED:
                self.carry(each)

    def delete(self, thing: Thing) -> None:
        if thing.status is not ARCHIVED:
            raise Refused
        for instance in self.held_by(thing.id):
            del self.instances[instance.id]
        for each in [thing, *self.within(thing)]:
            del self.things[each.id]

    def remove(self, step: Step) -> None:
        cards = [card.phase for card in self.things.values()] + [card.phase for card in self.instances.values()]
        if step.id in cards:
            raise Refused
        self.steps.remove(step)
        self.papers = {paper.id: paper for paper in self.papers.values() if paper.phase != step.id}

    def set_gate(self, step: Step, gate: Gate) -> None:
        if gate is step.gate:
            return
        step.gate = gate
        if step.gate_state in (GateState.NONE, GateState.UNDECIDED):
            undecided = gate is Gate.AUTOMATIC and self.finished(step.id)
            step.gate_state = GateState.UNDECIDED if undecided else GateState.NONE

    def create(self, thing: Thing) -> None:
        activity = self.things[thing.activity] if thing.activity else None
        if activity and (activity.phase != thing.phase or activity.status in CLOSED):
            raise Refused
        self.things[thing.id] = thing

    def decide(self, step: Step, decision: Decision) -> None:
        state = self.states()[step.id]
        has_open = any(t.phase == step.id and t.status not in CLOSED for t in self.things.values())
        free = not has_open and not step.on_hold
        may_pass = state is not PhaseState.LOCKED and free and step.gate_state is not GateState.PASSED
        match decision:
            case Decision.OVERRIDE if state is PhaseState.LOCKED:
                step.overridden = True
            case Decision.PASS if may_pass:
                step.gate_state = GateState.PASSED
            case Decision.HOLD if step.gate_state is not GateState.PASSED and not step.on_hold:
                step.on_hold = True
            case Decision.LIFT if step.on_hold:
                step.on_hold = False
            case Decision.SEND_BACK if state is not PhaseState.LOCKED:
                step.gate_state = GateState.SENT_BACK
            case _:
                raise Refused

    def add(self, instance: Instance) -> None:
        activity = self.things[instance.activity] if instance.activity else None
        if instance.requires != self.links:
            raise Refused
        if activity and (activity.status is ARCHIVED or self.held_by(activity.id)):
            raise Refused
        self.instances[instance.id] = instance

    def place_instance(self, instance: Instance, phase: Id) -> None:
        if phase != instance.phase:
            instance.phase, instance.activity = phase, None

    def drop(self, instance: Instance) -> None:
        del self.instances[instance.id]

    def link(self, levels: Levels) -> None:
        if any(instance.requires != levels for instance in self.instances.values()):
            raise Refused
        self.links = levels

    def an_activity_holds_only_tasks_that_suit_it(self) -> None:
        for activity in self.things.values():
            for task in self.within(activity):
                assert task.phase == activity.phase
                assert activity.status is not COMPLETED or task.status in CLOSED
                assert activity.status is not ARCHIVED or task.status is ARCHIVED

    def applications_fit_the_links_and_their_activities(self) -> None:
        assert all(instance.requires == self.links for instance in self.instances.values())
        for activity in self.things.values():
            held = self.held_by(activity.id)
            assert len(held) <= 1
            assert all(instance.phase == activity.phase for instance in held)
        assert {instance.activity for instance in self.instances.values()} - {None} <= set(self.things)


def as_stored(world: World, required: Mapping[Id, Levels]) -> Model:
    """The model that the rows of the world's project tell; ``required`` are the levels that each product requires."""
    project = world.row("project", id=world.project.id)
    return Model(
        [
            Step(
                row["id"],
                Gate(row["gate"]),
                GateState(row["gate_state"]),
                bool(row["overridden"]),
                bool(row["on_hold"]),
                row["objectives"],
                row["outcomes"],
            )
            for row in world.rows("SELECT * FROM phase ORDER BY rank, id")
        ],
        {
            row["id"]: Thing(
                row["id"],
                ItemKind(row["kind"]),
                row["phase_id"],
                Status(row["status"]),
                row["activity_id"],
                Status(row["archived_from"]) if row["archived_from"] else None,
                row["archived_with"],
            )
            for row in world.rows("SELECT * FROM item ORDER BY rank, id")
        },
        _instances(world, required),
        {
            row["id"]: Paper(row["id"], row["phase_id"], row["name"], row["evidence"], bool(row["done"]))
            for row in world.rows("SELECT * FROM deliverable ORDER BY phase_id, rank, id")
        },
        tuple(kind for kind in NodeKind if project[f"{kind.lower()}_id"]),
    )


def _instances(world: World, required: Mapping[Id, Levels]) -> dict[Id, Instance]:
    people: dict[Id, frozenset[Id]] = {}
    for row in world.rows("SELECT * FROM assignment"):
        people[row["target_id"]] = people.get(row["target_id"], frozenset()) | {row["user_id"]}
    return {
        row["id"]: Instance(
            row["id"],
            required[row["product_id"]],
            row["phase_id"],
            row["activity_id"],
            people.get(row["id"], frozenset()),
        )
        for row in world.rows("SELECT * FROM application ORDER BY rank, id")
    }
