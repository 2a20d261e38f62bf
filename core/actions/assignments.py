"""Members assigned to a phase or an activity: who is there now, and what a new list changes."""

from __future__ import annotations

from core.actions.items import refuse_stranger
from core.model import Assignment, Id
from core.work import View, Work, names


def assigned(view: View, project_id: Id, target_id: Id) -> list[Assignment]:
    """The assignments of one phase or activity."""
    return view.all(
        Assignment,
        "project_id = :project_id AND target_id = :target_id ORDER BY user_id",
        project_id=project_id,
        target_id=target_id,
    )


def assign(work: Work, target_id: Id, member_ids: tuple[Id, ...]) -> str:
    """Make exactly these members the assigned ones; their names in words. Raises RuleRefused for a stranger."""
    before = {assignment.user_id: assignment for assignment in assigned(work, work.scope, target_id)}
    people = [refuse_stranger(work, work.scope, user_id) for user_id in dict.fromkeys(member_ids)]
    for user_id, assignment in before.items():
        if user_id not in member_ids:
            work.delete(assignment)
    for user_id in dict.fromkeys(member_ids):
        if user_id not in before:
            work.insert(Assignment(project_id=work.scope, target_id=target_id, user_id=user_id))
    return names(people) or "nobody"
