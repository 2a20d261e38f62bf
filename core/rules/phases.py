"""The workflow of a project as it is in the database, and the most phases of it.

Which phases are locked is decided in ``core.domain.phase_states``, and what they refuse in ``gate_readiness.py``.
"""

from __future__ import annotations

from core.domain.max_lengths import MAX_PHASES
from core.domain.model import Id, Phase
from core.domain.phase_states import Workflow
from core.engine.unit_of_work import Snapshot, UnitOfWork
from core.errors import RuleViolation

PHASES_IN_ORDER = "project_id = :project_id ORDER BY rank, id"
"""The condition that selects the phases of a project in the order of its workflow."""


def read_workflow(view: Snapshot, project_id: Id) -> Workflow:
    """Return the phases of a project in order, with their item counts and states."""
    phases = view.all(Phase, PHASES_IN_ORDER, project_id=project_id)
    return Workflow.from_phases(phases, view.item_counts(project_id))


def check_phase_count(work: UnitOfWork, project_id: Id) -> None:
    """Raise RuleViolation if phases were just added, and the project has too many now.

    One that has more, as older ones and imported ones can, keeps them and adds none.
    """
    if not any(each.entity == "phase" and each.before is None for each in work.changes):
        return
    phases = len(work.tx.tuples("SELECT 1 FROM phase WHERE project_id = :id", id=project_id))
    if phases > MAX_PHASES:
        raise RuleViolation(
            f"A project has at most {MAX_PHASES} phases, and this one would have {phases}. Remove a phase first, or"
            " begin another project."
        )
