"""The navigation history, as in a browser: back and forward; opening a new place drops the places ahead."""

from __future__ import annotations

from tui.services.host import OpenScreen

MAX_COUNT = 50
"""Most places in each direction."""


class NavigationHistory:
    """Keeps each place as a new screen, because the old screen can be closed."""

    def __init__(self) -> None:
        self._behind: list[OpenScreen] = []
        self._ahead: list[OpenScreen] = []

    def leave(self, here: OpenScreen | None) -> None:
        """Remember the place that is left for a new one, and drop the places ahead."""
        self._ahead.clear()
        _remember(self._behind, here)

    def back(self, here: OpenScreen | None) -> OpenScreen | None:
        """Return the previous place and remember ``here``; None at the beginning."""
        return _step(self._behind, self._ahead, here)

    def forward(self, here: OpenScreen | None) -> OpenScreen | None:
        """Return the next place and remember ``here``; None at the end."""
        return _step(self._ahead, self._behind, here)


def _step(source: list[OpenScreen], other: list[OpenScreen], here: OpenScreen | None) -> OpenScreen | None:
    while source and here is not None and _is_same(source[-1], here):
        source.pop()
    if not source:
        return None
    _remember(other, here)
    return source.pop()


def _remember(places: list[OpenScreen], here: OpenScreen | None) -> None:
    if here is None:
        return
    if places and _is_same(places[-1], here):
        places.pop()  # the cursor can have moved
    places.append(here.again())
    del places[:-MAX_COUNT]


def _is_same(one: OpenScreen, other: OpenScreen) -> bool:
    """True if both show the same place. Pages of records count as different, because the record is unknown."""
    return type(one) is type(other) and one.project_id == other.project_id and not one.is_of_record
