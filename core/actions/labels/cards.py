"""The labels and the priority of a task or an activity."""

from __future__ import annotations

from typing import ClassVar, TypeVar

from core.domain.labels import MAX_LABELS, Label
from core.domain.model import Id, Item, ItemKind, Priority
from core.domain.permissions import Permission
from core.engine.unit_of_work import UnitOfWork
from core.errors import InvalidInput
from core.rules.items import ItemCommand, find_item
from core.rules.labels import called, labels_on, listed, put_labels, take_labels
from core.text.phrases import in_words, names

R = TypeVar("R")

MOST_NAMED = 2 * MAX_LABELS
"""All labels that a project can use: its own, and those of the workspace."""


class CardCommand(ItemCommand[R]):
    """A command on one task or activity, regardless of which of the two it is."""

    kind: ClassVar[ItemKind | None] = None
    permission = Permission.TASK_MANAGE
    card_id: Id

    @property
    def item_id(self) -> Id:
        return self.card_id


class SetLabels(CardCommand[tuple[Label, ...]]):
    """Put labels on a task or an activity and take others off, each by its id or its name.

    A name that no label has becomes a new label of the project. The result is all labels that the card then has.
    """

    route = "POST /v1/items/{card_id}/labels"
    add: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()

    def run(self, work: UnitOfWork) -> tuple[Label, ...]:
        for name in ("add", "remove"):
            if len(getattr(self, name)) > MOST_NAMED:
                raise InvalidInput(name, f"A card has at most {MOST_NAMED} labels.")
        item = find_item(work, self.card_id, None)
        has = labels_on(work, item)  # first, because the project and the workspace can have labels of one name
        removed = take_labels(work, item, [own.id if (own := called(has, each)) else each for each in self.remove])
        added = put_labels(work, item, self.add)
        if added or removed:
            work.touch(item)
        said = [f"labelled “{item.title}” as {listed(added)}"] if added else []
        whom = "it" if said else f"“{item.title}”"
        said += [f"took {listed(removed)} off {whom}"] if removed else []
        work.say(names(said) or f"kept the labels of “{item.title}”")
        return labels_on(work, item)


class SetPriority(CardCommand[Item]):
    """Set the priority of a task or an activity."""

    route = "POST /v1/items/{card_id}/priority"
    priority: Priority
    seen_version: int | None = None

    def run(self, work: UnitOfWork) -> Item:
        item = find_item(work, self.card_id, None, self.seen_version)
        work.say(f"set the priority of “{item.title}” to {in_words(self.priority)}")
        return work.update(item, priority=self.priority)
