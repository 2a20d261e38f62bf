"""Applications on the Canvas: adding them, and launching the one under the cursor or what its activity holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.domain.canvas import Card
from core.domain.model import Id, ItemKind, Status
from tui.keys.bindings import Key
from tui.screens.canvas.editing import CanvasEditing
from tui.screens.cards.editing import NOT_FOR_APPLICATIONS
from tui.screens.framework.dialogs import asking
from tui.screens.products.launch_or_open import launch_or_open, launching

if TYPE_CHECKING:
    from core.actions.cards.details import CardDetail

NOTHING_TO_LAUNCH = "There is no application and no link on this card. + adds an application."
NO_CONTEXT = "Only an application is launched with a context. There is none on this card; + adds one."
NO_PHASE = "Applications stand in phases. N adds the first phase."


ON_APPLICATIONS = {
    "launch": ("", "launch"),
    "edit": ("Rename", ""),
    "archive": ("Remove from the project", "remove"),
    "copy": ("Copy the id", ""),
}
"""Verbs whose words, or whose label, are others while the cursor is on an application."""


class CanvasApplications(CanvasEditing):
    """A screen with a board on which applications lie among the cards."""

    def live_keys(self) -> tuple[Key, ...]:
        """Named after what they do to what the cursor is on."""
        keys = super().live_keys()
        if self.kind_in_focus() is not ItemKind.APPLICATION:
            return keys
        return tuple(_on_application(key) for key in keys)

    def why_not(self, key: Key) -> str:
        """The keys that launch say when there is nothing to launch; opening a link takes no permission."""
        if key.verb not in ("launch", "inspect", "copy_context"):
            return super().why_not(key)
        card = self.board.card
        if key.verb != "launch" and not (card and has_application(card)):
            return super().why_not(key) or NO_CONTEXT
        if key.id == "canvas.launch" and card and card.has_link:
            return super().why_not(key._replace(needs=None))
        if key.id == "canvas.launch" and not (card and has_application(card)):
            return super().why_not(key._replace(needs=None)) or NOTHING_TO_LAUNCH
        return super().why_not(key)

    # -- adding ----------------------------------------------------------------------------------------------

    @asking
    async def do_add_application(self) -> None:
        """Ask for an application of this phase, or of the activity under the cursor, and go to it."""
        from tui.screens.products.new_application import ask_new_application

        column = self.board.column
        if column is None:
            self.podium.tell(NO_PHASE)
            return
        activity = await self._ask_activity(column.name)
        if activity is None:
            return
        place = {"activity_id": activity} if activity else {"phase_id": column.id}
        added = await ask_new_application(self, self.team(), **place)
        if added is not None:
            self.board.focus_card(added.id)

    async def _ask_activity(self, phase: str) -> Id | None:
        """The activity that shall hold it, nothing for the phase itself, None when the person gives up.

        It is asked only where the cursor is on an activity that can hold one.
        """
        from tui.dialogs.key_menu import Entry, KeyMenu

        card = self.board.card
        if card is None or not can_hold(card):
            return ""
        entries = [Entry("a", "a", f"On the activity “{card.title}”"), Entry("p", "p", f"On the phase “{phase}”")]
        picked = await self.podium.ask(KeyMenu("Add an application", entries))
        return {"a": card.id, "p": ""}.get(picked or "")

    # -- launching -------------------------------------------------------------------------------------------

    @launching
    async def do_launch(self) -> None:
        """Launch the application under the cursor, or what the card holds or links to."""
        from tui.launch.actions import launch

        application_id, detail = await self._application_here()
        if detail is not None and (detail.application or detail.item.link):
            await launch_or_open(self, detail.application, detail.item.link)
        elif application_id is not None:
            await launch(self.podium, application_id)
        else:
            self.podium.tell(NOTHING_TO_LAUNCH)

    async def do_inspect(self) -> None:
        from tui.launch.actions import inspect

        application_id, _ = await self._application_here()
        if application_id is None:
            self.podium.tell(NO_CONTEXT)
        else:
            await inspect(self.podium, application_id)

    async def do_copy_context(self) -> None:
        from tui.launch.actions import copy_context

        application_id, _ = await self._application_here()
        if application_id is None:
            self.podium.tell(NO_CONTEXT)
        else:
            await copy_context(self.podium, application_id)

    async def _application_here(self) -> tuple[Id | None, CardDetail | None]:
        """The application under the cursor or that its activity holds; an activity is read for it, and comes along."""
        from core.actions.cards.details import GetCard

        card = self.board.card
        if card is None:
            return None, None
        if card.kind is ItemKind.APPLICATION:
            return card.id, None
        detail = await self.podium.query(GetCard(item_id=card.id))
        return (detail.application.id if detail.application else None), detail


def _on_application(key: Key) -> Key:
    """The line of keys leaves out what does nothing to any application; help and the menu still say why."""
    if key.verb in NOT_FOR_APPLICATIONS:
        return key._replace(label="")
    words, label = ON_APPLICATIONS.get(key.verb, ("", ""))
    return key._replace(words=words or key.words, label=label or key.label)


def has_application(card: Card) -> bool:
    """Whether a card is an application, or an activity that holds one."""
    return card.kind is ItemKind.APPLICATION or bool(card.holds)


def can_hold(card: Card) -> bool:
    """Whether a card is an activity to which an application can be added."""
    return card.kind is ItemKind.ACTIVITY and card.status is not Status.ARCHIVED and not card.holds
