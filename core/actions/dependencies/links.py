"""Links between cards: a card waits for another one, no longer waits, or can start anyway."""

from __future__ import annotations

from typing import TypeVar

from core.domain.dependencies import MAX_BLOCKERS, MAX_LAG, Dependency
from core.domain.max_lengths import REASON
from core.domain.model import Id, Item, Project, Status
from core.domain.permissions import Permission
from core.domain.statuses import CLOSED
from core.engine.project_guard import visible_among
from core.engine.unit_of_work import UnitOfWork
from core.errors import InvalidInput, NotFound, RuleViolation
from core.record import Record
from core.rules.dependencies import open_blockers
from core.rules.dependency_cycles import check_no_cycle, check_not_later, is_awaited
from core.rules.items import ItemCommand, find_item
from core.text.phrases import count, no_such
from core.text.sanitize import many_lines

R = TypeVar("R")


class DependencyCommand(ItemCommand[R]):
    """The base of commands on what one card waits for."""

    permission = Permission.TASK_MANAGE
    waiting_id: Id

    @property
    def item_id(self) -> Id:
        return self.waiting_id

    def of(self, work: UnitOfWork, waiting: Item) -> list[Dependency]:
        """Return the dependencies of the waiting card."""
        return work.all(
            Dependency,
            "project_id = :project_id AND waiting_id = :waiting_id",
            project_id=waiting.project_id,
            waiting_id=waiting.id,
        )


class LinkCards(DependencyCommand[Dependency]):
    """Let a card wait for another one, which may be in another project; with ``lag_days`` between their due dates.

    A card cannot wait for a card of a later phase of its project, nor for itself through other cards. Where it waits
    for that card already, only ``lag_days`` changes.
    """

    route = "POST /v1/items/{waiting_id}/waits-for"
    blocker_id: Id
    lag_days: int = 0

    def run(self, work: UnitOfWork) -> Dependency:
        waiting = self.find_card(work)
        blocker = find_item(work, self.blocker_id, None)
        if blocker.project_id not in visible_among(work, {blocker.project_id}):
            raise NotFound(no_such("card", self.blocker_id))
        if not 0 <= self.lag_days <= MAX_LAG:
            raise InvalidInput("lag_days", f"The lag is 0 to {MAX_LAG} days, not {self.lag_days}.")
        if waiting.id == blocker.id:
            raise RuleViolation(f"“{waiting.title}” cannot wait for itself. Choose another card.")
        if blocker.status is Status.ARCHIVED:
            raise RuleViolation(f"“{blocker.title}” is archived, so no card waits for it. Restore it first.")
        lag = f" with a lag of {count(self.lag_days, 'day')}" if self.lag_days else ""
        work.say(f"made “{waiting.title}” wait for {_describe_blocker(waiting, blocker)}{lag}")
        held = self.of(work, waiting)
        for each in held:
            if each.blocker_id == blocker.id:
                return work.update(each, lag_days=self.lag_days)
        if len(held) >= MAX_BLOCKERS:
            raise RuleViolation(f"“{waiting.title}” waits for {MAX_BLOCKERS} cards already, the most possible.")
        check_not_later(work, waiting, blocker)
        dependency = work.insert(
            Dependency(
                project_id=waiting.project_id,
                waiting_id=waiting.id,
                blocker_id=blocker.id,
                blocker_project_id=blocker.project_id,
                lag_days=self.lag_days,
            )
        )
        if is_awaited(work, waiting):
            check_no_cycle(work, waiting.project_id, [waiting.id])
        work.touch(waiting)
        return dependency


class Unlinked(Record):
    """The number of cards that a card no longer waits for."""

    removed: int


class UnlinkCards(DependencyCommand[Unlinked]):
    """Let a card no longer wait for another one, or with ``unseen`` for all those that the sender cannot see."""

    route = "POST /v1/items/{waiting_id}/waits-for/remove"
    blocker_id: Id | None = None
    unseen: bool = False

    def run(self, work: UnitOfWork) -> Unlinked:
        if self.unseen == bool(self.blocker_id):
            raise InvalidInput("blocker_id", "Name the card in blocker_id, or set unseen for those you cannot see.")
        waiting = self.find_card(work)
        found = self.of(work, waiting)
        if self.unseen:
            visible = visible_among(work, {each.blocker_project_id for each in found})
            found = [each for each in found if each.blocker_project_id not in visible]
            what = count(len(found), "card") + " of other projects"
        else:
            found = [each for each in found if each.blocker_id == self.blocker_id]
            what = _describe_blocker(waiting, work.find(Item, id=self.blocker_id)) if found else ""
        if not found:
            which = "a card that you cannot see" if self.unseen else "that card"
            raise RuleViolation(f"“{waiting.title}” does not wait for {which}.")
        for each in found:
            work.delete(each)
        work.touch(waiting)
        work.say(f"made “{waiting.title}” no longer wait for {what}")
        return Unlinked(removed=len(found))


class OverrideBlockers(DependencyCommand[Item]):
    """Let a card start although it waits for open cards. It takes a reason, which stays on the card.

    The result is the card, since some of the cards that it waits for can be of projects that the sender cannot see.
    """

    route = "POST /v1/items/{waiting_id}/waits-for/override"
    permission = Permission.WORKFLOW_MANAGE
    reason: str

    def run(self, work: UnitOfWork) -> Item:
        reason = many_lines(self.reason, "reason", most=REASON)
        if not reason.strip():
            raise InvalidInput("reason", "An override needs a reason. Say why the card can start.")
        waiting = self.find_card(work)
        overridden = [
            work.update(
                each,
                override_reason=reason,
                overridden_by=work.actor.user_id,
                overridden_at=work.now,
                through=work.actor.through,
            )
            for each in self.of(work, waiting)
            if not each.override_reason and _is_open(work, each)
        ]
        if not overridden:
            raise RuleViolation(_nothing_to_override(work, waiting))
        work.touch(waiting)
        cards = count(len(overridden), "card")
        work.say(f"let “{waiting.title}” start although it waits for {cards}: {reason}")
        return waiting


def _describe_blocker(waiting: Item, blocker: Item | None) -> str:
    """Return a blocker for the history, which all who see the waiting card can read, but not the other project."""
    if blocker is None:
        return "a card that is gone"
    return f"“{blocker.title}”" if blocker.project_id == waiting.project_id else "a card of another project"


def _is_open(work: UnitOfWork, dependency: Dependency) -> bool:
    blocker = work.find(Item, id=dependency.blocker_id)
    if blocker is None or blocker.status in CLOSED:
        return False
    return not work.get(Project, id=blocker.project_id).archived


def _nothing_to_override(work: UnitOfWork, waiting: Item) -> str:
    cards = open_blockers(work, waiting)
    if not waiting.activity_id or not (cards.seen or cards.unseen):
        return f"“{waiting.title}” waits for no open card, so there is nothing to override."
    activity = work.get(Item, project_id=waiting.project_id, id=waiting.activity_id)
    return f"“{waiting.title}” waits with its activity “{activity.title}”. Override that."
