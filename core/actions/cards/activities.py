"""Activities: work items that hold tasks, a link, and any number of assigned members."""

from __future__ import annotations

from typing import TypeVar

from core.actions.cards.cards import CreateCommand
from core.domain.model import Id, Item, ItemKind
from core.domain.permissions import Permission
from core.engine.unit_of_work import UnitOfWork
from core.rules import items
from core.rules.assignments import assign
from core.rules.items import ItemCommand
from core.text.sanitize import link as accepted_link

R = TypeVar("R")


class ActivityCommand(ItemCommand[R]):
    """A command on one activity."""

    kind = ItemKind.ACTIVITY
    permission = Permission.ACTIVITY_MANAGE
    activity_id: Id
    seen_version: int | None = None

    @property
    def item_id(self) -> Id:
        return self.activity_id


class CreateActivity(CreateCommand):
    """Add an activity to a phase."""

    route = "POST /v1/phases/{phase_id}/activities"
    permission = Permission.ACTIVITY_MANAGE
    link: str = ""
    member_ids: tuple[Id, ...] = ()
    activity_id: Id | None = None

    def run(self, work: UnitOfWork) -> Item:
        activity_id = items.chosen_id(work, self.activity_id, "activity_id")
        added = self.add_card(work, ItemKind.ACTIVITY, activity_id, link=accepted_link(self.link))
        return assign(work, added, self.member_ids)[0]


class EditActivity(ActivityCommand[Item]):
    """Change the title, the description or the link of an activity; fields that are left out stay."""

    route = "PATCH /v1/activities/{activity_id}"
    title: str | None = None
    description: str | None = None
    link: str | None = None

    def run(self, work: UnitOfWork) -> Item:
        activity = self.find_card(work, self.seen_version)
        title = items.title(self.title) if self.title is not None else activity.title
        text = items.description(self.description) if self.description is not None else activity.description
        link = accepted_link(self.link) if self.link is not None else activity.link
        work.say(f"renamed “{activity.title}” to “{title}”" if title != activity.title else f"edited “{title}”")
        return work.update(activity, title=title, description=text, link=link)


class AssignActivity(ActivityCommand[Item]):
    """Assign exactly these members to an activity."""

    route = "POST /v1/activities/{activity_id}/assign"
    member_ids: tuple[Id, ...]

    def run(self, work: UnitOfWork) -> Item:
        activity, people = assign(work, self.find_card(work, self.seen_version), self.member_ids)
        work.say(f"assigned “{activity.title}” to {people}")
        return activity
