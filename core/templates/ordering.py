"""The order of siblings in a project while some of them are moved and others are added."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from core.domain.model import Id
from core.rules.ordering import keys_between

Rank = Callable[[Sequence[str]], None]
"""Takes the ranks of a place."""


@dataclass(slots=True)
class _Place:
    id: str
    rank: str | None
    give: Rank
    width: int = 1
    """The number of ranks it needs: a new activity brings its tasks."""
    inside: Id | None = None
    """The activity of a task."""


class Line:
    """The records of a phase, or the phases, in order; ``settle`` gives ranks to those that are new at their place."""

    def __init__(self, renumber: Callable[[], Mapping[Id, str]]) -> None:
        """``renumber`` gives short ranks to all existing records, and returns them by id."""
        self._renumber = renumber
        self._places: list[_Place] = []

    def stands(self, id: str, rank: str, give: Rank, inside: Id | None = None) -> None:
        """Add an existing record at the end."""
        self._places.append(_Place(id, rank, give, inside=inside))

    def put(self, id: str, after: str | None, give: Rank, *, width: int = 1, inside: Id | None = None) -> None:
        """Place a new or moved record after another one and all that belongs to it; first if ``after`` is None."""
        self._places = [each for each in self._places if each.id != id]
        ids = [each.id for each in self._places]
        behind = after or inside
        at = ids.index(behind) + 1 if behind else 0
        while after and at < len(ids) and self._places[at].inside == after:
            at += 1
        self._places.insert(at, _Place(id, None, give, width, inside))

    def settle(self) -> None:
        """Give ranks to all records without one. If there is no room between two ranks, renumber the others first."""
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
    """Ranks for a list of ``count`` new records."""
    return keys_between(None, None, count) or ()
