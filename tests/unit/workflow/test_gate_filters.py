"""The SQL of a stored filter finds the cards that the filter matches, on any cards and for any filter."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import date, timedelta
from itertools import chain
from random import Random
from typing import Any

import pytest

from core.actions.workflow.canvas import GetCanvas
from core.domain.dependencies import Dependency
from core.domain.fields import CustomField, FieldKind, ItemField
from core.domain.labels import ItemLabel, Label, LabelColour
from core.domain.model import Assignment, Comment, Id, Item, ItemKind, PhaseState, Priority, Status
from core.engine.counters import recount
from core.engine.unit_of_work import Snapshot, new_id
from core.filters.context import FilterContext
from core.filters.fields import FIELDS
from core.filters.filter import Filter
from core.rules.gate_criteria import unlocked_phases
from core.rules.gate_filters import (
    FilterSql,
    Parameters,
    StoredTerm,
    load_terms,
    read_texts,
    show_filters,
    store_filter,
)
from core.storage.database import Tx
from tests.support.sweeps import sweep
from tests.support.workspace import World

TODAY = date(2026, 3, 2)
DAYS = [TODAY + timedelta(days=days) for days in (-40, -1, 0, 1, 3, 4, 7, 40)]
TEXTS = ("Straße 7", "STRASSE", "ﬁnal", "Kelvin K", "İstanbul", "50% off_!", "着陸", "ſign", "ΣΑΣ")
PARTS = ("ss", "SS", "ß", "fi", "ﬁnal", "k", "kelvin k", "i", "%", "_", "!", "着", "sign", "σ", "ς", "aße", "straße 7")
NUMBERS = ("0", "2.5", "-3", "999999.999", "0.001", "10")
COMPARED = ("", "<", "<=", ">", ">=", "=")
WORDS = {
    "assignee": ("none", "any", "maya", "BOB", '"vera ', "o"),
    "due": ("late", "soon", "week", "none", "any", "today", "tomorrow", "fri", "+1w", "eom"),
    "status": ("todo", "doing", "done", "archived", "open"),
    "label": ("none", "any", "print", "Reprint", "re"),
    "priority": ("low", ">=high", "<normal", "<=urgent"),
    "phase": ("Build", "l", "disc"),
    "type": ("task", "activity"),
    "has": ("comments", "link", "tasks", "labels", "due", "assignee"),
    "is": ("ready", "blocked"),
    "blocks": ("any", "none"),
    "cost": ("none", "any"),
    "stage": ("none", "any", "draft", "f"),
    "day": ("none", "any", "week", "tomorrow"),
    "owner": ("none", "any", "maya", "bob"),
    "note": ("none", "any", *PARTS),
}
assert WORDS.keys() > FIELDS.keys(), "each field of the filter language is here"


def fill(world: World, dice: Random) -> None:
    """Cards with everything that a filter can ask for, in phases of which one is locked."""
    project, phases = world.project.id, [world.discover.id, world.build.id, world.launch.id]
    people = [world.maya.user_id, world.bob.user_id, world.vera.user_id]
    kinds = {"cost": FieldKind.NUMBER, "stage": FieldKind.CHOICE, "day": FieldKind.DATE, "owner": FieldKind.PERSON}
    labels = [
        Label(id=new_id(), project_id=project, name=name, colour=LabelColour.RED, sign=name[:1])
        for name in ("print", "reprint", "other")
    ]
    fields = [
        CustomField(
            project_id=project, id=new_id(), rank=f"a{at}", name=key, key=key, kind=kind,
            choices=("draft", "final") if kind is FieldKind.CHOICE else (),
        )
        for at, (key, kind) in enumerate((kinds | {"note": FieldKind.TEXT}).items())
    ]  # fmt: skip
    values = {"cost": NUMBERS, "stage": ("draft", "final"), "day": [str(each) for each in DAYS], "note": TEXTS}
    made: list[object] = [*labels, *fields]
    cards: list[Item] = []
    for at in range(70):
        activity = dice.choice([each for each in cards if each.kind is ItemKind.ACTIVITY] or [None])
        kind = ItemKind.ACTIVITY if at % 5 == 0 else ItemKind.TASK
        status = dice.choice([*Status, Status.TO_DO])
        card = Item(
            project_id=project,
            id=new_id(),
            kind=kind,
            phase_id=dice.choice(phases),
            rank=f"a{at:03}",
            title=f"Card {at}",
            status=status,
            archived_from=dice.choice([Status.TO_DO, Status.COMPLETED]) if status is Status.ARCHIVED else None,
            activity_id=activity.id if activity and kind is ItemKind.TASK and dice.random() < 0.4 else None,
            assignee_id=dice.choice([*people, None]) if kind is ItemKind.TASK else None,
            due=dice.choice([*DAYS, None]),
            link=dice.choice(["", "https://example.com"]),
            priority=dice.choice([*Priority]),
            number=at + 1,
        )
        cards.append(card)
        made.append(card)
        made += [
            Assignment(project_id=project, target_id=card.id, user_id=each)
            for each in people
            if kind is ItemKind.ACTIVITY and dice.random() < 0.3
        ]
        made += [
            ItemLabel(project_id=project, item_id=card.id, label_id=each.id) for each in labels if dice.random() < 0.3
        ]
        for field in fields:
            if dice.random() < 0.6:
                of: Any = {"project_id": project, "item_id": card.id, "field_id": field.id}
                is_person = field.kind is FieldKind.PERSON
                made.append(
                    ItemField(**of, user_id=dice.choice(people))
                    if is_person
                    else ItemField(**of, value=dice.choice(values[field.key]))
                )
        if dice.random() < 0.2:
            at_noon = world.clock()
            made.append(
                Comment(project_id=project, id=new_id(), item_id=card.id, author_id=people[0], at=at_noon, text="Yes")
            )
    for _ in range(25):
        waiting, blocker = dice.sample(cards, 2)
        link = Dependency(
            project_id=project, waiting_id=waiting.id, blocker_id=blocker.id, blocker_project_id=project,
            override_reason=dice.choice(["", "", "Because"]),
        )  # fmt: skip
        if not any(isinstance(each, Dependency) and each.waiting_id == waiting.id for each in made):
            made.append(link)
    world.insert(*made)
    world.database.write(lambda tx: recount(tx, project))


def filters(dice: Random) -> Iterator[str]:
    """Filters of one to three terms, each with up to three values."""
    while True:
        terms = []
        for _ in range(dice.randint(1, 3)):
            field = dice.choice([*WORDS])
            values = [_value(field, dice) for _ in range(dice.randint(1, 3))]
            terms.append(dice.choice(["", "", "-"]) + f"{field}:{','.join(values)}")
        yield " ".join(terms)


def _value(field: str, dice: Random) -> str:
    if field == "cost" and dice.random() < 0.7:
        low, high = sorted(dice.sample(NUMBERS, 2), key=float)
        return dice.choice([f"{low}..{high}", dice.choice(COMPARED) + low])
    if field in ("due", "day") and dice.random() < 0.5:
        first, last = sorted(dice.sample(DAYS, 2))
        return dice.choice([f"{first}..{last}", f"{dice.choice(COMPARED)}{first}"])
    return '"' + dice.choice(WORDS[field]).strip('"') + '"'


@pytest.mark.parametrize("seed", sweep(range(12), lambda seed: seed == 0))
def test_the_sql_of_a_filter_finds_what_the_filter_matches_also_once_it_was_shown(world: World, seed: int) -> None:
    dice = Random(seed)
    fill(world, dice)
    canvas = world.ask(GetCanvas(project_id=world.project.id))
    head, cards = canvas.head, [card for card in canvas.cards if card.kind is not ItemKind.APPLICATION]
    assert {column.state for column in head.columns} >= {PhaseState.LOCKED}
    around = FilterContext("", TODAY, head.columns, head.members, head.labels, head.fields)
    given, texts = filters(dice), set[str]()

    def compare(tx: Tx) -> None:
        view = Snapshot(tx, world.maya, world.clock(), world.project.id)
        unlocked = unlocked_phases(view, view.scope)
        chosen = [next(given) for _ in range(250 if seed else 60)]
        stored = [store_filter(view, view.scope, text) for text in chosen]
        again = [store_filter(view, view.scope, text) for text in map(show_filters(view, stored).__getitem__, stored)]
        assert again == stored
        for text, found in zip(chosen, _find(view, unlocked, [*map(load_terms, stored)]), strict=True):
            assert found == {card.id for card in cards if Filter(text, around).matches(card)}, text
            texts.add("some" if 0 < len(found) < len(cards) else "all or none")

    world.database.read(compare)
    assert len(texts) == 2


def _find(view: Snapshot, unlocked: Collection[Id], filters: list[list[StoredTerm]]) -> list[set[Id]]:
    """The cards that each filter finds, of all filters in a few statements."""
    found: list[set[Id]] = [set() for _ in filters]
    project, texts = view.scope, read_texts(view, [view.scope], chain.from_iterable(filters))
    for first in range(0, len(filters), 50):
        given = Parameters()
        sql = FilterSql(project, TODAY, unlocked, given, texts)
        arms = [
            f"SELECT {at}, item.id FROM item WHERE item.project_id = {given(project)} AND {sql.compile(terms)}"
            for at, terms in enumerate(filters[first : first + 50], first)
        ]
        for at, card_id in view.tx.tuples(" UNION ALL ".join(arms), **given.values):
            found[at].add(card_id)
    return found
