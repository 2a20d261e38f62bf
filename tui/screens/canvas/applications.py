"""Applications on the Canvas: adding them, and launching the one under the cursor or what its activity holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.domain.canvas import Card
from core.domain.model import Id, ItemKind, Status
from core.domain.permissions import Permission
from core.record import replace
from tui.keys.table import Key
from tui.screens.framework.controller import Action, Controller
from tui.screens.framework.dialogs import asking
from tui.screens.products.launch_or_open import launch_or_open, launching
from tui.screens.views.project_view import ProjectView

if TYPE_CHECKING:
    from core.actions.cards.details import CardDetail

NOTHING_TO_LAUNCH = "There is no application and no link on this card. Press + to add an application."
NO_CONTEXT = "Only an application is launched with a context. There is none on this card; press + to add one."


ON_APPLICATIONS = {
    "launch": ("", "launch"),
    "edit": ("Rename", ""),
    "archive": ("Remove from the project", "remove"),
    "copy": ("Copy the id", ""),
}
"""Verbs whose words, or whose label, are others while the cursor is on an application."""


WITHOUT_MEANING = frozenset(
    {"next_status", "previous_status", "complete", "status", "restore", "delete", "comment", "edit_text"}
)
"""Verbs that do nothing to an application."""


class CanvasApplications(Controller):
    """Add applications to the Canvas, launch them and look at their context."""

    screen: ProjectView

    def __init__(self, screen: ProjectView) -> None:
        super().__init__(screen)
        screen.keys.renamed.append(self._rename)

    def actions(self) -> Sequence[Action]:
        return (
            Action("add_application", self.do_add_application, self._no_phase),
            Action("launch", self.do_launch, self._nothing_to_launch, self._to_launch),
            Action("inspect", self.do_inspect, self._no_context),
            Action("copy_context", self.do_copy_context, self._no_context),
        )

    def _rename(self, keys: Sequence[Key]) -> Sequence[Key]:
        """Named after what they do to an application while the cursor is on one."""
        if self.selection.kind is not ItemKind.APPLICATION:
            return keys
        return [_on_application(key) for key in keys]

    @property
    def _card(self) -> Card | None:
        return self.screen.presenter.card

    def _no_phase(self, _key: Key) -> str:
        return "" if self.selection.phase else self.selection.nothing

    def _nothing_to_launch(self, _key: Key) -> str:
        card = self._card
        return "" if card and (card.has_link or has_application(card)) else NOTHING_TO_LAUNCH

    def _no_context(self, _key: Key) -> str:
        return "" if self._card and has_application(self._card) else NO_CONTEXT

    def _to_launch(self, key: Key) -> Sequence[Permission]:
        """To open a link takes no permission."""
        return () if key.needs is None or (self._card and self._card.has_link) else (key.needs,)

    # -- adding ----------------------------------------------------------------------------------------------

    @asking
    async def do_add_application(self) -> None:
        """Ask for an application of this phase, or of the activity under the cursor, and go to it."""
        from tui.screens.products.new_application import ask_new_application

        column = self.screen.presenter.column
        assert column is not None
        activity = await self._ask_activity(column.name)
        if activity is None:
            return
        place = {"activity_id": activity} if activity else {"phase_id": column.id}
        added = await ask_new_application(self.screen, self.selection.team, **place)
        if added is not None:
            self.screen.presenter.go_to(added.id)

    async def _ask_activity(self, phase: str) -> Id | None:
        """The activity that shall hold it, nothing for the phase itself, None when the person gives up.

        It is asked only where the cursor is on an activity that can hold one.
        """
        from tui.dialogs.menus.key_menu import KeyMenu, MenuEntry

        card = self._card
        if card is None or card.kind is not ItemKind.ACTIVITY or card.status is Status.ARCHIVED or card.holds:
            return ""
        entries = [
            MenuEntry("a", "a", f"On the activity “{card.title}”"),
            MenuEntry("p", "p", f"On the phase “{phase}”"),
        ]
        picked = await self.podium.ask(KeyMenu("Add an application", entries))
        return {"a": card.id, "p": ""}.get(picked or "")

    # -- launching -------------------------------------------------------------------------------------------

    @launching
    async def do_launch(self) -> None:
        """Launch the application under the cursor, or what the card holds or links to."""
        from tui.launch.actions import launch

        application_id, detail = await self._application_here()
        if detail is not None and (detail.application or detail.item.link):
            await launch_or_open(self.screen, detail.application, detail.item.link)
        elif application_id is not None:
            await launch(self.podium, application_id)
        else:
            self.podium.toast(NOTHING_TO_LAUNCH)

    async def do_inspect(self) -> None:
        from tui.launch.actions import inspect

        application_id, _ = await self._application_here()
        if application_id is None:
            self.podium.toast(NO_CONTEXT)
        else:
            await inspect(self.podium, application_id)

    async def do_copy_context(self) -> None:
        from tui.launch.actions import copy_context

        application_id, _ = await self._application_here()
        if application_id is None:
            self.podium.toast(NO_CONTEXT)
        else:
            await copy_context(self.podium, application_id)

    async def _application_here(self) -> tuple[Id | None, CardDetail | None]:
        """The application under the cursor or that its activity holds; an activity is read for it, and comes along."""
        from core.actions.cards.details import GetCard

        card = self._card
        if card is None:
            return None, None
        if card.kind is ItemKind.APPLICATION:
            return card.id, None
        detail = await self.podium.query(GetCard(item_id=card.id))
        return (detail.application.id if detail.application else None), detail


def _on_application(key: Key) -> Key:
    """The line of keys leaves out what does nothing to any application; help and the menu still say why."""
    if key.verb in WITHOUT_MEANING:
        return replace(key, label="")
    words, label = ON_APPLICATIONS.get(key.verb, ("", ""))
    return replace(key, words=words or key.words, label=label or key.label)


def has_application(card: Card) -> bool:
    """True for an application, and for an activity that holds one."""
    return card.kind is ItemKind.APPLICATION or bool(card.holds)
