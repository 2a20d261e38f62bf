"""Members assigned to a phase, an activity or an application: who is there now, and what a new list changes."""

from __future__ import annotations

from typing import TypeVar

from core.actions.items import refuse_stranger
from core.actions.noticing import notify
from core.attention import NoticeKind
from core.model import Assignment, Id, Item, Phase
from core.products import Application
from core.wording import names
from core.work import View, Work

Target = TypeVar("Target", Phase, Item, Application)


def assigned(view: View, project_id: Id, target_id: Id) -> list[Assignment]:
    """The assignments of one phase, activity or application."""
    return view.all(
        Assignment,
        "project_id = :project_id AND target_id = :target_id ORDER BY user_id",
        project_id=project_id,
        target_id=target_id,
    )


def assign(work: Work, target: Target, member_ids: tuple[Id, ...]) -> tuple[Target, str]:
    """Make exactly these members the assigned ones of a target; it, and their names in words.

    Whoever is new is told. The target gets a new version, so that nobody replaces a list of people that they have not
    seen. Raises RuleRefused for a stranger.
    """
    before = {assignment.user_id: assignment for assignment in assigned(work, work.scope, target.id)}
    people = {user_id: refuse_stranger(work, work.scope, user_id) for user_id in member_ids}
    wanted = {each: Assignment(project_id=work.scope, target_id=target.id, user_id=each) for each in people}
    changed = work.touch(target) if work.keep_exactly(wanted, before) else target
    notify(work, NoticeKind.ASSIGNED, target.id, (each for each in people if each not in before))
    return changed, names(list(people.values())) or "nobody"
