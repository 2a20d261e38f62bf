"""Labels: those that a project can use, their names, and those on cards."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from core.domain.labels import MAX_LABELS, ItemLabel, Label, LabelColour
from core.domain.model import WORKSPACE, Id, Item
from core.engine.unit_of_work import Snapshot, UnitOfWork, in_workspace, new_id
from core.errors import InvalidInput, NotFound, RuleViolation
from core.storage.database import Statement, among
from core.text.label_names import fold_name, free_sign, label_name, label_sign, without_hash
from core.text.phrases import names, no_such, some
from core.text.sanitize import quote_value

LISTED = 8
"""The most labels that a refusal lists."""

LABELS_OF_PROJECT = (
    "SELECT id, project_id, name, colour, sign, version FROM label"
    " WHERE project_id IN (:project_id, :workspace) ORDER BY project_id = :workspace, id"
)
"""Reads the labels that a project can use, its own first, for ``loaded(Label, …)``."""


def labels_statement(project_id: Id) -> Statement:
    """Return the statement that reads the labels that a project can use, for ``sorted_labels``."""
    return LABELS_OF_PROJECT, {"project_id": project_id, "workspace": WORKSPACE}


def labels_for(view: Snapshot, project_id: Id) -> tuple[Label, ...]:
    """Return the labels that a project can use, its own and those of the workspace, by name."""
    sql, params = labels_statement(project_id)
    return by_name(view.load_records(Label, view.tx.tuples(sql, **params)))


def by_name(labels: Iterable[Label]) -> tuple[Label, ...]:
    """Return labels by name; of two with one name that of the project comes first."""
    return tuple(sorted(labels, key=lambda each: (fold_name(each.name), in_workspace(each.project_id), each.id)))


def labels_of(view: Snapshot, scope: Id) -> list[Label]:
    """Return the own labels of a project, or those of the workspace."""
    return view.all(Label, "project_id = :scope ORDER BY id", scope=scope)


def pick_label(labels: Sequence[Label], wanted: str) -> Label | None:
    """Return the label with this id or name; the first of two."""
    name = fold_name(without_hash(wanted))
    return next((each for each in labels if each.id == wanted or fold_name(each.name) == name), None)


def label_called(labels: Sequence[Label], wanted: str) -> Label:
    """Return the label with this id or name. Raises NotFound, which lists the labels."""
    if found := pick_label(labels, wanted):
        return found
    known = some([f"“{each.name}”" for each in labels], LISTED)
    rest = f"The labels are {known}." if known else "There are none yet."
    raise NotFound(f"There is no label “{quote_value(wanted)}” here. {rest}")


def find_label(view: Snapshot, label_id: Id) -> Label:
    """Return the label with this id. Raises NotFound."""
    found = view.find(Label, id=label_id)
    if found is None:
        raise NotFound(no_such("label", quote_value(label_id)))
    return found


def new_label(work: UnitOfWork, scope: Id, text: str, colour: LabelColour | None = None, sign: str = "") -> Label:
    """Add a label to a project or to the workspace. Its colour and sign are chosen where they are left out.

    Raises InvalidInput for a name that another label has, and RuleViolation beyond ``MAX_LABELS``.
    """
    among = labels_of(work, scope)
    label = made_label(among, scope, text, colour, sign)
    if len(among) >= MAX_LABELS:
        raise RuleViolation(too_many(scope))
    return work.insert(label)


def made_label(
    among: Sequence[Label], scope: Id, text: str, colour: LabelColour | None = None, sign: str = ""
) -> Label:
    """Return a new label that differs from those of its scope. Raises InvalidInput."""
    name = free_name(among, text)
    return Label(
        id=new_id(),
        project_id=scope,
        name=name,
        colour=colour or rarest_colour(among),
        sign=label_sign(sign) if sign else free_sign(name, {each.sign for each in among}),
    )


def free_name(among: Sequence[Label], text: str, label: Label | None = None) -> str:
    """Return a name that no other label of these has, in any case. Raises InvalidInput."""
    name = label_name(text)
    twin = next((each for each in among if each is not label and fold_name(each.name) == fold_name(name)), None)
    if twin:
        raise InvalidInput("name", f"There is a label “{twin.name}” already. Merge the two, or choose another name.")
    return name


def rarest_colour(labels: Iterable[Label]) -> LabelColour:
    """Return the first of the colours that the fewest labels have."""
    used = Counter(each.colour for each in labels)
    return min(LabelColour, key=lambda colour: used[colour])


def too_many(scope: Id) -> str:
    """Return the sentence that refuses one more label."""
    whose = "The workspace" if in_workspace(scope) else "A project"
    return f"{whose} has at most {MAX_LABELS} labels. Merge or remove some first."


def check_labels(view: Snapshot, scope: Id) -> None:
    """Check that the labels of a scope have different names, and that there are not too many. Raises RuleViolation."""
    labels = labels_of(view, scope)
    if len({fold_name(each.name) for each in labels}) < len(labels):
        raise RuleViolation("Two labels would have the same name.")
    if len(labels) > MAX_LABELS:
        raise RuleViolation(too_many(scope))


def labels_on_cards(project_id: Id, item_ids: Sequence[Id] | None = None) -> Statement:
    """Return the statement that reads the labels on all cards of a project, or on these, for ``labels_by_card``."""
    only, params = among("item_id", item_ids)
    sql = f"SELECT item_id, label_id FROM item_label WHERE project_id = :project_id{only} ORDER BY item_id, label_id"
    return sql, {"project_id": project_id, **params}


def labels_by_card(rows: Iterable[tuple[Id, Id]]) -> dict[Id, tuple[Id, ...]]:
    """Return the ids of labels by the id of the card. Cards with the same labels share them, since there are many."""
    of_each = defaultdict[Id, list[Id]](list)
    for item_id, label_id in rows:
        of_each[item_id].append(label_id)
    known: dict[tuple[Id, ...], tuple[Id, ...]] = {}
    return {
        item_id: known.setdefault(labels, labels)
        for item_id, labels in zip(of_each, map(tuple, of_each.values()), strict=True)
    }


def label_names(view: Snapshot, project_id: Id) -> dict[Id, tuple[str, ...]]:
    """Return the names of the labels on each card of a project that has any, by the id of the card."""
    labels = labels_for(view, project_id)
    if not labels:
        return {}
    sql, params = labels_on_cards(project_id)
    return names_by_card(labels, view.tx.tuples(sql, **params))


def names_by_card(labels: Sequence[Label], rows: Iterable[tuple[Id, Id]]) -> dict[Id, tuple[str, ...]]:
    """Return the names of the labels by the id of the card, in the order of ``labels``."""
    return {
        item_id: tuple(each.name for each in labels if each.id in of_item)
        for item_id, of_item in labels_by_card(rows).items()
    }


def on_item(view: Snapshot, item: Item) -> list[ItemLabel]:
    """Return the labels that are on a card."""
    where = "project_id = :project_id AND item_id = :item_id"
    return view.all(ItemLabel, where, project_id=item.project_id, item_id=item.id)


def labels_on(view: Snapshot, item: Item) -> tuple[Label, ...]:
    """Return the labels of a card, by name."""
    where = "id IN (SELECT label_id FROM item_label WHERE project_id = :project_id AND item_id = :item_id) ORDER BY id"
    return by_name(view.all(Label, where, project_id=item.project_id, item_id=item.id))


def put_labels(work: UnitOfWork, item: Item, wanted: Iterable[str]) -> list[Label]:
    """Put labels on a card, each by its id or name; a name that no label has becomes a new label of the project.

    Returns those that the card did not have.
    """
    among = list(labels_for(work, item.project_id))
    has = {each.label_id for each in on_item(work, item)}
    added: list[Label] = []
    for text in wanted:
        label = pick_label(among, text)
        if label is None:
            label = new_label(work, item.project_id, text)
            among.append(label)
        if label.id not in has:
            has.add(label.id)
            added.append(label)
            work.insert(ItemLabel(project_id=item.project_id, item_id=item.id, label_id=label.id))
    return added


def take_labels(work: UnitOfWork, item: Item, unwanted: Iterable[str]) -> list[Label]:
    """Take labels off a card, each by its id or name. Returns those that it had. Raises NotFound."""
    among = labels_for(work, item.project_id)
    has = {each.label_id: each for each in on_item(work, item)}
    removed: list[Label] = []
    for text in unwanted:
        label = label_called(among, text)
        if held := has.pop(label.id, None):
            removed.append(label)
            work.delete(held)
    return removed


def is_used(view: Snapshot, label: Label) -> bool:
    """Return whether a card has this label."""
    return bool(view.tx.tuples("SELECT 1 FROM item_label WHERE label_id = :label_id LIMIT 1", label_id=label.id))


def list_names(labels: Sequence[Label]) -> str:
    """Return the names of labels for a sentence: “print” and “legal”."""
    return names([f"“{each.name}”" for each in labels])
