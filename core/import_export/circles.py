"""Circles in files: of cards that wait for each other, and of parents."""

from __future__ import annotations

from collections.abc import Mapping
from graphlib import CycleError, TopologicalSorter
from typing import TypeVar

from core.import_export.document import ItemEntry

T = TypeVar("T")


def find_circle_of_waits(items: Mapping[str, ItemEntry]) -> list[str]:
    """Return the ids of cards that wait for each other, also through activities; none if there is no circle."""
    waits = {
        name: {each for wait in item.waits_for if (each := wait.card or "") in items} for name, item in items.items()
    }
    if not any(waits.values()):
        return []
    graph = {name: set(found) for name, found in waits.items()}
    for name, item in items.items():
        if item.activity is not None and item.activity in items:
            graph[name] |= waits[item.activity] - {name}
            graph[item.activity].add(name)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def find_tops(above: dict[T, T]) -> dict[T, T]:
    """Return the highest part above each part, from the one above each. A circle ends at a part with none above it.

    >>> find_tops({"leaf": "branch", "branch": "tree", "egg": "hen", "hen": "egg"})
    {'leaf': 'tree', 'branch': 'tree', 'hen': 'egg'}
    """
    tops: dict[T, T] = {}
    for here in [*above]:
        way: dict[T, None] = {}
        while here in above and here not in tops and here not in way:
            way[here] = None
            here = above[here]
        if here in way:
            del above[here], way[here]
        tops |= dict.fromkeys(way, tops.get(here, here))
    return tops
