"""The most phases of a project. One that has more, as older ones and imported ones can, keeps them and adds none."""

from __future__ import annotations

from core.domain.max_lengths import MAX_PHASES
from core.engine.unit_of_work import UnitOfWork
from core.errors import RuleViolation


def check_phase_count(work: UnitOfWork, project_id: str) -> None:
    """Raise RuleViolation if phases were just added, and the project has too many now."""
    if not any(each.entity == "phase" and each.before is None for each in work.changes):
        return
    phases = len(work.tx.tuples("SELECT 1 FROM phase WHERE project_id = :id", id=project_id))
    if phases > MAX_PHASES:
        raise RuleViolation(
            f"A project has at most {MAX_PHASES} phases, and this one would have {phases}. Remove a phase first, or"
            " begin another project."
        )
