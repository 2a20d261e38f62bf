"""Members assigned to a phase, an activity or an application: who is assigned now, and what a new list changes."""

from __future__ import annotations

from typing import TypeVar

from core.domain.model import Assignment, Id, Item, Phase, User
from core.domain.notifications import NotificationKind
from core.domain.products.products import Application
from core.engine.unit_of_work import Snapshot, UnitOfWork
from core.rules.items import check_assignable
from core.rules.notifications import notify
from core.text.phrases import names

Target = TypeVar("Target", Phase, Item, Application)


def list_assignments(view: Snapshot, project_id: Id, target_id: Id) -> list[Assignment]:
    """Return the assignments of one phase, activity or application."""
    return view.all(
        Assignment,
        "project_id = :project_id AND target_id = :target_id ORDER BY user_id",
        project_id=project_id,
        target_id=target_id,
    )


def assigned_users(view: Snapshot, project_id: Id, target_id: Id) -> tuple[User, ...]:
    """Return the users assigned to one phase, activity or application."""
    where = (
        "id IN (SELECT user_id FROM assignment WHERE project_id = :project_id AND target_id = :target_id) ORDER BY id"
    )
    return tuple(view.all(User, where, project_id=project_id, target_id=target_id))


def assign(work: UnitOfWork, target: Target, member_ids: tuple[Id, ...]) -> tuple[Target, str]:
    """Assign exactly these members to a target. Returns the target, and the names of the members in words.

    New assignees get a notification. The target gets a new version, so that a sender who has not seen the current list
    cannot replace it. Raises RuleViolation for a user who is no active member.
    """
    before = {assignment.user_id: assignment for assignment in list_assignments(work, work.scope, target.id)}
    people = {user_id: check_assignable(work, work.scope, user_id) for user_id in member_ids}
    wanted = {each: Assignment(project_id=work.scope, target_id=target.id, user_id=each) for each in people}
    changed = work.touch(target) if work.keep_exactly(wanted, before) else target
    notify(work, NotificationKind.ASSIGNED, target.id, (each for each in people if each not in before))
    return changed, names(list(people.values())) or "nobody"
