"""The application that an activity holds, on its card: added, launched, looked at; or its link, where there is none."""

from __future__ import annotations

from core.domain.model import Item, ItemKind
from core.domain.permissions import Permission
from core.domain.products import Application
from tui.keys.bindings import Key
from tui.screens.cards.status import CardStatus
from tui.screens.framework.dialogs import asking
from tui.screens.products.launch_or_open import launch_or_open, launching

IN_ACTIVITIES = {
    "new_card": "A task holds no tasks; activities do.",
    "add_application": "A task holds no application; activities and phases do.",
}
NO_APPLICATION = "There is no application on this card. Activities can hold one: + adds it."
NOTHING_TO_OPEN = "There is no application and no link on this card. Activities can have them: + adds one, e the other."
ONE_ALREADY = "It holds an application already. Remove that first, or add another to the phase: p."


class CardApplication(CardStatus):
    """The part of the Card screen that is about what the card holds."""

    @property
    def item(self) -> Item | None:
        """The card's own item, as last read."""
        raise NotImplementedError

    @property
    def application(self) -> Application | None:
        """What it holds, as last read."""
        raise NotImplementedError

    def why_not(self, key: Key) -> str:
        if self.item is None:
            return super().why_not(key)
        if self.item.kind is ItemKind.TASK and key.verb in IN_ACTIVITIES:
            return IN_ACTIVITIES[key.verb]
        if self.application is None:
            if key.verb in ("inspect", "copy_context"):
                return NO_APPLICATION
            if key.verb == "launch" and not self.item.link:
                return NOTHING_TO_OPEN
        elif key.id == "card.launch" and not self.item.link:  # to open a link takes no permission
            key = key._replace(needs=Permission.APPLICATION_LAUNCH)
        return super().why_not(key)

    @asking
    async def do_add_application(self) -> None:
        from tui.screens.products.new_application import ask_new_application

        if self.application is not None:
            self.podium.tell(ONE_ALREADY)
        elif self.item is not None:
            await ask_new_application(self, self.team(), activity_id=self.item.id)

    @launching
    async def do_launch(self) -> None:
        """Launch the application, or open the link."""
        if self.item is not None:
            await launch_or_open(self, self.application, self.item.link)

    @asking
    async def do_inspect(self) -> None:
        from tui.launch.actions import inspect

        if self.application is not None:
            await inspect(self.podium, self.application.id)

    @asking
    async def do_copy_context(self) -> None:
        from tui.launch.actions import copy_context

        if self.application is not None:
            await copy_context(self.podium, self.application.id)
