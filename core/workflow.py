"""The workflow of one project as it stands: phases in order, their tallies and states, and who may unblock.

Rules that need the database are here, beside what they read; the pure ones are in ``core.rules``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from core.errors import NotFound, Obstacle, RuleRefused, WouldRelock
from core.model import Id, Item, Phase, PhaseState, Status
from core.rules import CLOSED, NEEDS_UNLOCKED, Tally, phase_states
from core.wording import full_name, names, no_such
from core.work import Counts, View

OBSTACLES_LISTED = 20
"""A refusal lists no more items than this; it says how many there are."""


class Workflow(NamedTuple):
    """Phases in order with what follows from their items."""

    phases: tuple[Phase, ...]
    tallies: Mapping[Id, Tally]
    states: Mapping[Id, PhaseState]

    @classmethod
    def of(cls, view: View, project_id: Id) -> Workflow:
        """Read it: two ranges of an index, whatever the number of items."""
        phases = view.all(Phase, "project_id = :project_id ORDER BY rank, id", project_id=project_id)
        tallies = tallies_of(view, project_id)
        return cls(tuple(phases), tallies, phase_states(phases, tallies))

    def state(self, phase_id: Id) -> PhaseState:
        return self.states[phase_id]

    def tally(self, phase_id: Id) -> Tally:
        return self.tallies.get(phase_id, Tally())

    def phase(self, phase_id: Id) -> Phase:
        """The phase with this id. Raises NotFound: it may have gone since the sender's rights were looked up."""
        for phase in self.phases:
            if phase.id == phase_id:
                return phase
        raise NotFound(no_such("phase", phase_id))

    @property
    def complete(self) -> bool:
        """Whether there are phases, and all of them are complete."""
        return bool(self.states) and set(self.states.values()) == {PhaseState.COMPLETE}

    def refuses(self, phase_id: Id, status: Status, was: PhaseState | None = None) -> bool:
        """Whether the phase is locked for an item that would enter a status (spec, section 3).

        A complete phase stays complete while an earlier one is reopened, but starting work in it would lock it with
        that work inside, so it refuses that too. ``was`` is the state before the item came into the phase.
        """
        if status not in NEEDS_UNLOCKED or self.phase(phase_id).overridden or not self.incomplete_before(phase_id):
            return False
        return status is Status.IN_PROGRESS or PhaseState.LOCKED in (was, self.state(phase_id))

    def incomplete_before(self, phase_id: Id) -> list[Phase]:
        """The earlier phases that keep this one locked."""
        position = [phase.id for phase in self.phases].index(phase_id)
        return [phase for phase in self.phases[:position] if self.states[phase.id] is not PhaseState.COMPLETE]


def tallies_of(view: View, project_id: Id) -> dict[Id, Tally]:
    """How many items each phase has in each status; phases without items are absent."""
    counts = view.counted(project_id, lambda: _counts(view, project_id))
    return {
        phase_id: Tally(**{status.lower(): n for status, n in by_status.items()})
        for phase_id, by_status in counts.items()
        if any(by_status.values())
    }


def _counts(view: View, project_id: Id) -> Counts:
    counts: Counts = {}
    for row in view.rows(
        "SELECT phase_id, status, count(*) AS n FROM item WHERE project_id = :project_id GROUP BY phase_id, status",
        project_id=project_id,
    ):
        counts.setdefault(row["phase_id"], {})[row["status"]] = row["n"]
    return counts


def owners(view: View, project_id: Id) -> tuple[str, ...]:
    """Names of the active owners of a project: who can unblock most things."""
    rows = view.rows(
        "SELECT first_name, last_name FROM member JOIN app_user ON app_user.id = member.user_id"
        " WHERE member.project_id = :project_id AND member.role = 'OWNER' AND app_user.active = 1"
        " ORDER BY first_name, last_name, app_user.id",
        project_id=project_id,
    )
    return tuple(full_name(row["first_name"], row["last_name"]) for row in rows)


def open_items(view: View, phases: Sequence[Phase]) -> tuple[Obstacle, ...]:
    """The items that keep these phases from being complete, in order."""
    found: list[Obstacle] = []
    for phase in phases:
        items = view.all(
            Item,
            "project_id = :project_id AND phase_id = :phase_id AND status IN ('TO_DO', 'IN_PROGRESS')"
            f" ORDER BY rank, id LIMIT {OBSTACLES_LISTED}",
            project_id=phase.project_id,
            phase_id=phase.id,
        )
        found += [obstacle(item, phase) for item in items]
        if not items:
            found.append(Obstacle(phase.id, "PHASE", f"{phase.name}: {what_it_lacks(phase)}", phase.name))
    return tuple(found[:OBSTACLES_LISTED])


def obstacle(item: Item, phase: Phase) -> Obstacle:
    """An item as a line of a jump list."""
    return Obstacle(item.id, item.kind.value, item.title, phase.name)


def what_it_lacks(phase: Phase) -> str:
    """Why a phase without open items is not complete: it waits for an owner."""
    if phase.verdict.value == "SENT_BACK":
        return "was sent back and waits for a pass"
    return "waits for an owner to pass it"


def refuse_if_locked(view: View, item: Item, status: Status, was: PhaseState | None = None) -> None:
    """In a locked phase nothing enters In Progress or Completed; ``was`` as in ``Workflow.refuses``."""
    if status not in NEEDS_UNLOCKED:
        return
    workflow = Workflow.of(view, item.project_id)
    if workflow.refuses(item.phase_id, status, was):
        raise locked(view, workflow, item.phase_id, f"“{item.title}” cannot start or be completed yet")


def refuse_archived(view: View, project_id: Id) -> None:
    """An archived project is only read, until it is restored (the spec is silent; decided here)."""
    archived = view.rows("SELECT name FROM project WHERE id = :id AND archived = 1", id=project_id)
    if archived:
        name = archived[0]["name"]
        raise RuleRefused(f"“{name}” is archived. Restore the project first.", who_can=owners(view, project_id))


def locked(view: View, workflow: Workflow, phase_id: Id, what: str) -> RuleRefused:
    """The refusal that names the locked phase, the phases and items before it, and the owners."""
    waiting_for = workflow.incomplete_before(phase_id)
    phase = workflow.phase(phase_id)
    before = names([f"“{earlier.name}”" for earlier in waiting_for])
    verb = "is" if len(waiting_for) == 1 else "are"
    return RuleRefused(
        f"{what}: phase “{phase.name}” is locked until {before} {verb} complete.",
        obstacles=open_items(view, waiting_for),
        who_can=owners(view, phase.project_id),
    )


def refuse_if_tasks_open(view: View, activity: Item) -> None:
    """An activity cannot be Completed while it has a task that is neither Completed nor Archived."""
    tasks = [task for task in tasks_of(view, activity) if task.status not in CLOSED]
    if not tasks:
        return
    phase = view.get(Phase, project_id=activity.project_id, id=activity.phase_id)
    count = "one task is" if len(tasks) == 1 else f"{len(tasks)} tasks are"
    raise RuleRefused(
        f"“{activity.title}” cannot be completed: {count} still open in it.",
        obstacles=tuple(
            Obstacle(task.id, task.kind.value, task.title, phase.name) for task in tasks[:OBSTACLES_LISTED]
        ),
        who_can=owners(view, activity.project_id),
    )


def tasks_of(view: View, activity: Item) -> list[Item]:
    """The tasks of an activity, in order, archived ones included."""
    return view.all(
        Item,
        "project_id = :project_id AND activity_id = :activity_id ORDER BY rank, id",
        project_id=activity.project_id,
        activity_id=activity.id,
    )


@contextmanager
def no_silent_relock(view: View, project_id: Id, accepted: bool, *, only_if_started: bool = False) -> Iterator[None]:
    """Around a change that may reopen a phase: refuse it if later phases lock again and that was not accepted.

    Only an open phase can lock again: a complete one stays so until its own items or gate say otherwise.
    ``only_if_started`` minds only phases in which something is in progress: to take back one's own last step need
    not be asked about while nobody has built on it.
    """
    before = Workflow.of(view, project_id) if not accepted else None
    yield
    if before is None:
        return
    after = Workflow.of(view, project_id)
    relocked = [
        phase
        for phase in after.phases
        if after.states[phase.id] is PhaseState.LOCKED and before.states.get(phase.id) is PhaseState.OPEN
    ]
    started = sum(after.tally(phase.id).in_progress for phase in relocked)
    if relocked and (started or not only_if_started):
        raise WouldRelock(
            f"This reopens an earlier phase, so {names([f'“{phase.name}”' for phase in relocked])} would lock again"
            + (f" with {started} in progress there." if started else "."),
            obstacles=tuple(Obstacle(phase.id, "PHASE", phase.name, phase.name) for phase in relocked),
            who_can=owners(view, project_id),
        )
