"""The places one has been at, as a browser keeps pages: back, forward, and what lies ahead is dropped by going on."""

from __future__ import annotations

from typing import Any, Generic, Protocol, TypeVar

from core.domain.model import Id


class RememberedScreen(Protocol):
    """A screen that can be made again."""

    project_id: Id

    @property
    def is_of_record(self) -> bool:
        """Whether it is the page of one record."""

    def again(self) -> Any:
        """A new screen of the same place."""


P = TypeVar("P", bound=RememberedScreen)

MAX_COUNT = 50
"""Places that are remembered in each direction."""


class NavigationHistory(Generic[P]):
    """Remembers a place as a new screen of it, with its cursor, for the one that was left may be gone."""

    def __init__(self) -> None:
        self._behind: list[P] = []
        self._ahead: list[P] = []

    def leave(self, here: P | None) -> None:
        """Note that a place is left for another one; what lay ahead is forgotten."""
        self._ahead.clear()
        _remember(self._behind, here)

    def back(self, here: P | None) -> P | None:
        """The place before, now that ``here`` is left for it; None at the beginning."""
        return _step(self._behind, self._ahead, here)

    def forward(self, here: P | None) -> P | None:
        """The place that was left by going back; None when there is none."""
        return _step(self._ahead, self._behind, here)


def _step(source: list[P], other: list[P], here: P | None) -> P | None:
    while source and here is not None and _is_same(source[-1], here):
        source.pop()
    if not source:
        return None
    _remember(other, here)
    return source.pop()


def _remember(places: list[P], here: P | None) -> None:
    if here is None:
        return
    if places and _is_same(places[-1], here):
        places.pop()  # the cursor may be elsewhere now
    places.append(here.again())
    del places[:-MAX_COUNT]


def _is_same(one: RememberedScreen, other: RememberedScreen) -> bool:
    """Whether both show the same. Of a page that is not known: it may be about another record."""
    return type(one) is type(other) and one.project_id == other.project_id and not one.is_of_record
