"""Actions of other screens for the palette: it goes there, and does them or names the key."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import cast

from core.domain.model import WORKSPACE, Id, ItemKind
from core.record import Record
from tui.keys.table import SCREENS, Key
from tui.podium import Podium
from tui.screens.framework.controller import Selection
from tui.screens.framework.screen import PodiumScreen
from tui.services.destinations import Destination, ToCanvas, ToCard, ToMembers, ToPage, ToPhase, ToTimeline

Find = Callable[[Id, Selection], Destination | None]


def _page(page: ToPage) -> Find:
    return lambda _project_id, _selection: page


def _in_project(make: Callable[[Id], Destination]) -> Find:
    return lambda project_id, _selection: None if project_id == WORKSPACE else make(project_id)


def _card(project_id: Id, selection: Selection) -> Destination | None:
    card = selection.card
    return ToCard(project_id, card.id) if card is not None and card.kind is not ItemKind.APPLICATION else None


def _phase(project_id: Id, selection: Selection) -> Destination | None:
    return ToPhase(project_id, selection.phase.id) if selection.phase is not None else None


ELSEWHERE: dict[str, tuple[str, Find]] = {
    "canvas": ("the Canvas", _in_project(ToCanvas)),
    "card": ("the card's page", _card),
    "phase": ("the page of the phase", _phase),
    "timeline": ("the Timeline", _in_project(ToTimeline)),
    "members": ("Members", _in_project(ToMembers)),
    "projects": ("Projects", _page(ToPage.PROJECTS)),
    "templates": ("Templates", _page(ToPage.TEMPLATES)),
    "people": ("People", _page(ToPage.PEOPLE)),
    "access": ("Sign-in and tokens", _page(ToPage.TOKENS)),
    "hierarchy": ("Clients, markets and brands", _page(ToPage.HIERARCHY)),
    "products": ("Products", _page(ToPage.PRODUCTS)),
    "meta_roles": ("Meta roles", _page(ToPage.META_ROLES)),
    "inbox": ("Inbox", _page(ToPage.INBOX)),
}
"""The screens by their names in the table of keys, with the words for them, and how to get there."""

MOVING = frozenset(("down", "up", "left", "right", "top", "bottom", "page_down", "page_up", "open", "copy"))
"""Verbs that mean nothing before one is there."""


class ActionElsewhere(Record, kw_only=False):
    """An action of another screen."""

    title: str
    """Its words, after those for the screen."""
    words: str
    """Its words alone, which can have others in the table of keys."""
    go: Callable[[], object]


def actions_elsewhere(screen: PodiumScreen) -> Iterator[ActionElsewhere]:
    """The actions of other screens that this one does not have."""
    podium, selection = cast("Podium", screen.app), screen.selection()
    known = {key.words for key in screen.keys.live()}
    for name, (place, find) in ELSEWHERE.items():
        destination = find(selection.project_id, selection) if name != screen.name_in_table else None
        if destination is None:
            continue
        for key in SCREENS[name].keys:
            if key.words not in known and key.verb not in MOVING and not key.arguments:
                known.add(key.words)
                go = partial(podium.call_later, _go_and_run, podium, destination, key)
                yield ActionElsewhere(f"on {place}: {key.words}", key.words, go)


async def _go_and_run(podium: Podium, destination: Destination, key: Key) -> None:
    """Go there and do it; what acts on the record under the cursor is left to the user, who has to choose it first."""
    await podium.visit(destination)
    screen = podium.visible_screen
    if not isinstance(screen, PodiumScreen):
        return
    if key.menu:
        way = f"press {key.shown}" if key.keys else "press . and choose it"
        podium.toast(f"{key.words}: put the cursor on it, then {way}.")
    else:
        screen.call_after_refresh(screen.keys.run, key)
