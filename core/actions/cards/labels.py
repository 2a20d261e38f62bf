"""The labels of a project, those of the workspace, which every project can use, and those of a card."""

from __future__ import annotations

from typing import TypeVar

from core.domain.labels import MAX_LABELS, ItemLabel, Label, LabelColour
from core.domain.model import WORKSPACE, Id
from core.domain.permissions import Permission
from core.engine.messages import Command, ProjectCommand, ProjectQuery, Query
from core.engine.unit_of_work import Snapshot, UnitOfWork, check_version, in_workspace
from core.errors import InvalidInput, NotFound, RuleViolation
from core.record import Record, made_from
from core.rules.gate_criteria import follow_in_criteria
from core.rules.items import ItemCommand
from core.rules.labels import (
    by_name,
    find_label,
    free_name,
    labels_for,
    labels_of,
    labels_on,
    list_names,
    new_label,
    pick_label,
    put_labels,
    take_labels,
)
from core.text.label_names import label_sign
from core.text.phrases import count, names, no_such

R = TypeVar("R")

MOST_CARDS = 8_000
"""The most cards that lose a label in one change, so that its undo has the time that a transaction has."""

MOST_NAMED = 2 * MAX_LABELS
"""All labels that a project can use: its own, and those of the workspace."""


class LabelSummary(Record):
    """A label, and the number of cards that have it: those of the project, or of all my projects."""

    label: Label
    cards: int


class ListLabels(ProjectQuery[tuple[LabelSummary, ...]]):
    """List the labels that cards of a project can have: its own, and those of the workspace."""

    route = "GET /v1/projects/{project_id}/labels"
    permission = Permission.PROJECT_VIEW

    def run(self, view: Snapshot) -> tuple[LabelSummary, ...]:
        counted = "SELECT label_id, count(*) FROM item_label WHERE project_id = :project_id GROUP BY label_id"
        cards = dict(view.tx.tuples(f"{counted} ORDER BY label_id", project_id=self.project_id))
        labels = labels_for(view, self.project_id)
        return tuple(LabelSummary(label=each, cards=cards.get(each.id, 0)) for each in labels)


class ListWorkspaceLabels(Query[tuple[LabelSummary, ...]]):
    """List the labels of the workspace, with the number of their cards in my projects."""

    route = "GET /v1/workspace/labels"
    permission = Permission.WORKSPACE_VIEW

    def run(self, view: Snapshot) -> tuple[LabelSummary, ...]:
        labels = by_name(labels_of(view, WORKSPACE))
        of_workspace = "SELECT id FROM label WHERE project_id = :workspace"
        mine = "SELECT project_id FROM member WHERE user_id = :me"
        counted = (
            f"SELECT label_id, count(*) FROM item_label WHERE label_id IN ({of_workspace})"
            f" AND project_id IN ({mine}) GROUP BY label_id ORDER BY label_id"
        )
        cards = dict(view.tx.tuples(counted, workspace=WORKSPACE, me=view.actor.user_id))
        return tuple(LabelSummary(label=each, cards=cards.get(each.id, 0)) for each in labels)


class AddLabel(ProjectCommand[Label]):
    """Add a label to a project; a colour and a sign that are left out are chosen."""

    route = "POST /v1/projects/{project_id}/labels"
    permission = Permission.TASK_MANAGE
    creates = True
    name: str
    colour: LabelColour | None = None
    sign: str = ""

    def run(self, work: UnitOfWork) -> Label:
        label = new_label(work, self.project_id, self.name, self.colour, self.sign)
        work.say(f"added the label “{label.name}”")
        return label


class AddWorkspaceLabel(Command[Label]):
    """Add a label to the workspace, for cards of every project."""

    route = "POST /v1/workspace/labels"
    permission = Permission.HIERARCHY_MANAGE
    creates = True
    name: str
    colour: LabelColour | None = None
    sign: str = ""

    def run(self, work: UnitOfWork) -> Label:
        label = new_label(work, WORKSPACE, self.name, self.colour, self.sign)
        work.say(f"added the label “{label.name}” of the workspace")
        return label


class LabelCommand(Command[R]):
    """The base of commands on one label. A label of the workspace needs the permission to manage the workspace's."""

    permission = Permission.TASK_MANAGE
    label_id: Id
    seen_version: int | None = None

    def scope(self, view: Snapshot) -> Id:
        return find_label(view, self.label_id).project_id

    def needs(self, view: Snapshot) -> Permission:
        return Permission.HIERARCHY_MANAGE if in_workspace(self.scope(view)) else self.permission

    def load_unchanged(self, work: UnitOfWork) -> Label:
        """Return the label. Raises VersionConflict when it has changed since the sender saw it."""
        return check_version(work, find_label(work, self.label_id), self.seen_version)


class EditLabel(LabelCommand[Label]):
    """Change the name, the colour or the sign of a label; fields that are left out stay."""

    route = "PATCH /v1/labels/{label_id}"
    name: str | None = None
    colour: LabelColour | None = None
    sign: str | None = None

    def run(self, work: UnitOfWork) -> Label:
        label = self.load_unchanged(work)
        others = [each for each in labels_of(work, label.project_id) if each.id != label.id]
        name = free_name(others, self.name) if self.name is not None else label.name
        sign = label_sign(self.sign) if self.sign is not None else label.sign
        renamed = f"renamed the label “{label.name}” to “{name}”"
        work.say(renamed if name != label.name else f"changed the label “{name}”")
        return work.update(label, name=name, colour=self.colour or label.colour, sign=sign)


class MergeLabels(LabelCommand[Label]):
    """Merge a label into another one: its cards get that, as do filters of criteria, and it is removed.

    A label of a project can also be merged into one of the workspace.
    """

    route = "POST /v1/labels/{label_id}/merge"
    unbounded = True
    large = True
    into_id: Id

    def begin(self, work: UnitOfWork) -> bool:
        """Merge it on the first cards, if very many have it: each part can be undone by itself."""
        if not _has_many(work, self.label_id):
            return False
        label, into = self._merge(work)
        work.say(f"merged the label “{label.name}” into “{into.name}” on {count(MOST_CARDS, 'card')}")
        return True

    def run(self, work: UnitOfWork) -> Label:
        label, into = self._merge(work)
        follow_in_criteria(work, "label", label.id, into.id)
        work.delete(label)
        work.say(f"merged the label “{label.name}” into “{into.name}”")
        return into

    def _merge(self, work: UnitOfWork) -> tuple[Label, Label]:
        label, into = self.load_unchanged(work), find_label(work, self.into_id)
        if label.id == into.id:
            raise RuleViolation("A label cannot be merged into itself. Choose another one.")
        if into.project_id != label.project_id and not in_workspace(into.project_id):
            if in_workspace(label.project_id):
                raise RuleViolation("A label of the workspace can only be merged into another one of the workspace.")
            raise NotFound(no_such("label", self.into_id))
        has = set(work.tx.tuples("SELECT project_id, item_id FROM item_label WHERE label_id = :id", id=into.id))
        cards = _take_off(work, label)
        for each in cards:
            if (each.project_id, each.item_id) not in has:
                work.insert(made_from(ItemLabel, each, label_id=into.id, version=1))
        return label, into


class RemoveLabel(LabelCommand[None]):
    """Remove a label from a project or the workspace, and from all cards that have it."""

    route = "DELETE /v1/labels/{label_id}"
    unbounded = True
    large = True

    def begin(self, work: UnitOfWork) -> bool:
        """Take it off the first cards, if very many have it: each part can be undone by itself."""
        if not _has_many(work, self.label_id):
            return False
        label = self.load_unchanged(work)
        _take_off(work, label)
        work.say(f"took the label “{label.name}” off {count(MOST_CARDS, 'card')}")
        return True

    def run(self, work: UnitOfWork) -> None:
        label = self.load_unchanged(work)
        _take_off(work, label)
        work.delete(label)
        work.say(f"removed the label “{label.name}”")


def _take_off(work: UnitOfWork, label: Label) -> list[ItemLabel]:
    """Take a label off the first cards with it, as many as one change can hold."""
    where = "label_id = :label_id ORDER BY label_id, project_id, item_id LIMIT :most"
    cards = work.all(ItemLabel, where, label_id=label.id, most=MOST_CARDS)
    for each in cards:
        work.delete(each)
    return cards


def _has_many(view: Snapshot, label_id: Id) -> bool:
    some = "SELECT 1 FROM item_label WHERE label_id = :label_id LIMIT :most"
    return len(view.tx.tuples(some, label_id=label_id, most=MOST_CARDS + 1)) > MOST_CARDS


class SetLabels(ItemCommand[tuple[Label, ...]]):
    """Put labels on a task or an activity and take others off, each by its id or its name.

    A name that no label has becomes a new label of the project. The result is all labels that the card then has.
    """

    route = "POST /v1/items/{card_id}/labels"
    permission = Permission.TASK_MANAGE
    card_id: Id
    add: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()

    @property
    def item_id(self) -> Id:
        return self.card_id

    def run(self, work: UnitOfWork) -> tuple[Label, ...]:
        for name in ("add", "remove"):
            if len(getattr(self, name)) > MOST_NAMED:
                raise InvalidInput(name, f"A card has at most {MOST_NAMED} labels.")
        item = self.find_card(work)
        has = labels_on(work, item)  # first, because the project and the workspace can have labels of one name
        removed = take_labels(work, item, [own.id if (own := pick_label(has, each)) else each for each in self.remove])
        added = put_labels(work, item, self.add)
        if added or removed:
            work.touch(item)
        said = [f"labelled “{item.title}” as {list_names(added)}"] if added else []
        whom = "it" if said else f"“{item.title}”"
        said += [f"took {list_names(removed)} off {whom}"] if removed else []
        work.say(names(said) or f"kept the labels of “{item.title}”")
        return labels_on(work, item)
