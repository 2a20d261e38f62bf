"""The application that an activity holds, on its card: added, launched and inspected; or the card's link."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.actions.cards.details import CardDetail
from core.domain.model import Item, ItemKind
from core.domain.permissions import Permission
from core.domain.products.products import Application
from tui.drawing.markdown.blocks import Link, links_of
from tui.keys.table import Key
from tui.screens.framework.controller import Action, Controller, with_found
from tui.screens.framework.dialogs import asking
from tui.screens.products.launch_or_open import launch_or_open, launching
from tui.widgets.markdown_text import MarkdownText

if TYPE_CHECKING:
    from tui.screens.cards.card import CardScreen

IN_TASKS = "A task holds no application; activities and phases do."
NO_APPLICATION = "There is no application on this card. Activities can hold one: press + to add it."
NOTHING_TO_OPEN = "There is no application and no link on this card. Press + to add the one, e to add the other."
ONE_ALREADY = "It holds an application already. Remove that first, or add another to the phase: p."


class CardApplication(Controller):
    """Add, launch and inspect the application of a card."""

    screen: CardScreen

    def actions(self) -> Sequence[Action]:
        return (
            Action("add_application", with_found(self._detail, self.do_add_application), self._not_on_tasks),
            Action("launch", with_found(self._detail, self.do_launch), self._nothing_to_open, self._to_launch),
            Action("inspect", with_found(self._application, self.do_inspect), self._no_application),
            Action("copy_context", with_found(self._application, self.do_copy_context), self._no_application),
        )

    def _detail(self) -> CardDetail | None:
        return self.screen.detail

    def _application(self) -> Application | None:
        return self.screen.detail.application if self.screen.detail else None

    @property
    def _links(self) -> Sequence[Link]:
        """The links in the description and in the comments that are drawn, each URL once."""
        detail = self.screen.detail
        found = {each.url: each for each in links_of(detail.item.description)} if detail else {}
        for comments in self.screen.query("#comments").results(MarkdownText):
            for each in comments.links:
                found.setdefault(each.url, each)
        return [*found.values()]

    @property
    def _item(self) -> Item | None:
        return self.screen.detail.item if self.screen.detail else None

    def _not_on_tasks(self, _key: Key) -> str:
        return IN_TASKS if self._item is not None and self._item.kind is ItemKind.TASK else ""

    def _no_application(self, _key: Key) -> str:
        return NO_APPLICATION if self.screen.detail and self.screen.detail.application is None else ""

    def _nothing_to_open(self, _key: Key) -> str:
        detail = self.screen.detail
        has_any = detail is None or detail.application is not None or detail.item.link or self._links
        return "" if has_any else NOTHING_TO_OPEN

    def _to_launch(self, _key: Key) -> Sequence[Permission]:
        """To open a link takes no permission."""
        detail = self.screen.detail
        if detail is None or detail.application is None or detail.item.link or self._links:
            return ()
        return (Permission.APPLICATION_LAUNCH,)

    @asking
    async def do_add_application(self, detail: CardDetail) -> None:
        from tui.screens.products.new_application import ask_new_application

        if detail.application is not None:
            self.podium.toast(ONE_ALREADY)
        else:
            await ask_new_application(self.screen, self.selection.team, activity_id=detail.item.id)

    @launching
    async def do_launch(self, detail: CardDetail) -> None:
        """Launch the application, or open a link."""
        await launch_or_open(self.screen, detail.application, detail.item.link, self._links)

    @asking
    async def do_inspect(self, application: Application) -> None:
        from tui.launch.actions import inspect

        await inspect(self.podium, application.id)

    @asking
    async def do_copy_context(self, application: Application) -> None:
        from tui.launch.actions import copy_context

        await copy_context(self.podium, application.id)
