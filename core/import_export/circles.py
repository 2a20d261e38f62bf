"""Circles in files: of cards that wait for each other, and of parents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from graphlib import CycleError, TopologicalSorter
from typing import TypeVar

from core.import_export.document import ItemEntry

T = TypeVar("T")


def find_circle_of_waits(items: Mapping[str, ItemEntry]) -> list[str]:
    """Return the ids of cards that wait for each other, also through activities; none if there is no circle."""
    waits = {name: [wait.card or "" for wait in item.waits_for] for name, item in items.items()}
    return find_circle(waits, {name: item.activity for name, item in items.items()})


def find_circle(waits: Mapping[str, Iterable[str]], activities: Mapping[str, str | None]) -> list[str]:
    """Return the same of cards by what each waits for and the activity that it is in."""
    graph = {name: {each for each in found if each in waits} for name, found in waits.items()}
    if not any(graph.values()):
        return []
    for name, activity in activities.items():
        if activity is not None and activity in waits:
            graph[name] |= {each for each in waits[activity] if each in waits} - {name}
            graph[activity].add(name)
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
