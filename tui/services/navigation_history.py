"""The places one has been at, as a browser keeps pages: back, forward, and what lies ahead is dropped by going on."""

from __future__ import annotations

from tui.screens.framework.screen import PodiumScreen

MAX_COUNT = 50
"""Places that are remembered in each direction."""


class NavigationHistory:
    """Remembers a place as a new screen of it, with its cursor, for the one that was left may be gone."""

    def __init__(self) -> None:
        self._behind: list[PodiumScreen] = []
        self._ahead: list[PodiumScreen] = []

    def leave(self, here: PodiumScreen | None) -> None:
        """Note that a place is left for another one; what lay ahead is forgotten."""
        self._ahead.clear()
        _remember(self._behind, here)

    def back(self, here: PodiumScreen | None) -> PodiumScreen | None:
        """The place before, now that ``here`` is left for it; None at the beginning."""
        return _step(self._behind, self._ahead, here)

    def forward(self, here: PodiumScreen | None) -> PodiumScreen | None:
        """The place that was left by going back; None when there is none."""
        return _step(self._ahead, self._behind, here)


def _step(source: list[PodiumScreen], other: list[PodiumScreen], here: PodiumScreen | None) -> PodiumScreen | None:
    while source and here is not None and _is_same(source[-1], here):
        source.pop()
    if not source:
        return None
    _remember(other, here)
    return source.pop()


def _remember(places: list[PodiumScreen], here: PodiumScreen | None) -> None:
    if here is None:
        return
    if places and _is_same(places[-1], here):
        places.pop()  # the cursor may be elsewhere now
    places.append(here.again())
    del places[:-MAX_COUNT]


def _is_same(one: PodiumScreen, other: PodiumScreen) -> bool:
    """Whether both show the same. Of a page that is not known: it may be about another record."""
    from tui.screens.framework.page_screen import PageScreen

    return type(one) is type(other) and one.project_id == other.project_id and not isinstance(one, PageScreen)
