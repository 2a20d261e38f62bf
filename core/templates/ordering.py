"""The order of what is beside each other in a project, while some of it is moved and more comes in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from core.domain.model import Id
from core.rules.ordering import keys_between

Rank = Callable[[Sequence[str]], None]
"""Takes the keys of order that a place was given."""


@dataclass(slots=True)
class _Place:
    id: str
    rank: str | None
    give: Rank
    width: int = 1
    """How many keys are needed here: an activity that comes in brings its tasks."""
    inside: Id | None = None
    """The activity that a task belongs to."""


class Line:
    """The records of a phase, or its phases, in their order; ``settle`` gives keys to what is new at its place."""

    def __init__(self, renumber: Callable[[], Mapping[Id, str]]) -> None:
        """``renumber`` gives all records that are there short keys, and says which."""
        self._renumber = renumber
        self._places: list[_Place] = []

    def stands(self, id: str, rank: str, give: Rank, inside: Id | None = None) -> None:
        """A record that is there, the last so far."""
        self._places.append(_Place(id, rank, give, inside=inside))

    def put(self, id: str, after: str | None, give: Rank, *, width: int = 1, inside: Id | None = None) -> None:
        """Something new, or a record that moves, behind another with all that belongs to that; None for the first."""
        self._places = [each for each in self._places if each.id != id]
        ids = [each.id for each in self._places]
        behind = after or inside
        at = ids.index(behind) + 1 if behind else 0
        while after and at < len(ids) and self._places[at].inside == after:
            at += 1
        self._places.insert(at, _Place(id, None, give, width, inside))

    def settle(self) -> None:
        """Give keys to whatever has none; the others are renumbered first where there is no room between two."""
        given = self._between()
        if given is None:
            new = self._renumber()
            for each in self._places:
                each.rank = each.rank and new[each.id]
            given = self._between()
        for place, ranks in given or ():
            place.give(ranks)

    def _between(self) -> list[tuple[_Place, list[str]]] | None:
        found: list[tuple[_Place, list[str]]] = []
        before: str | None = None
        runs = [(known, list(run)) for known, run in groupby(self._places, lambda each: each.rank is not None)]
        for number, (known, run) in enumerate(runs):
            if known:
                before = run[-1].rank
                continue
            behind = runs[number + 1][1][0].rank if number + 1 < len(runs) else None
            between = keys_between(before, behind, sum(each.width for each in run))
            if between is None:
                return None
            keys = iter(between)
            found += [(each, [next(keys) for _ in range(each.width)]) for each in run]
        return found


def keys(count: int) -> Iterable[str]:
    """So many keys of order for what has no neighbours yet."""
    return keys_between(None, None, count) or ()
