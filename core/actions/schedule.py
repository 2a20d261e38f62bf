"""Moving dates together: a phase, and what hangs on it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from core.messages import Command, Query
from core.model import Id, Phase
from core.rights import Permission
from core.work import View


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """One date that a shift moves."""

    kind: str
    """PHASE, TASK, ACTIVITY or APPLICATION."""
    id: Id
    title: str
    before: date
    after: date


@dataclass(frozen=True, slots=True, kw_only=True)
class Shift:
    """What moving a phase by some days moves, in order: the phase first, then what it knocks on."""

    phase_id: Id
    days: int
    moved: tuple[Moved, ...]
    seq: int
    """The last change of the project that this was worked out from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanShift(Query[Shift]):
    """What would move if the due date of a phase moved by some days."""

    route = "GET /v1/phases/{phase_id}/shift"
    permission = Permission.PROJECT_VIEW
    phase_id: Id
    days: int
    alone: bool = False

    def scope(self, view: View) -> Id:
        return view.get(Phase, id=self.phase_id).project_id


@dataclass(frozen=True, slots=True, kw_only=True)
class ShiftPhase(Command[Shift]):
    """Move the due date of a phase by some days, and with it, unless alone, what hangs on it, as one step.

    Its open items and applications move along, and every later phase that is not complete, with theirs: the distance
    between them stays. What is done keeps its date. ``seen_seq`` is the ``seq`` of the plan that the sender has read:
    refused when the project has changed since.
    """

    route = "POST /v1/phases/{phase_id}/shift"
    permission = Permission.WORKFLOW_MANAGE
    phase_id: Id
    days: int
    alone: bool = False
    seen_seq: int | None = None

    def scope(self, view: View) -> Id:
        return view.get(Phase, id=self.phase_id).project_id
