"""Keys that launch: one launch at a time, and on a card that has a link, too, the person is asked which is meant."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial, wraps
from typing import Any

from core.domain.permissions import Permission
from core.domain.products.products import Application
from core.errors import PodiumError
from tui.launch.once import LAUNCHES, is_launching
from tui.screens.framework.screen import PodiumScreen


def launching(handler: Callable[..., Awaitable[None]]) -> Callable[..., None]:
    """Decorate a handler that launches: it may ask, and a refusal is shown.

    While a launch is under way, from the key to the open browser, the key does nothing: pressed twice, it launches
    once. The worker belongs to the app, so a launch goes on when its screen is left.
    """

    async def run(screen: Any, *arguments: Any) -> None:
        try:
            await handler(screen, *arguments)
        except PodiumError as error:
            screen.podium.show_error(error)

    @wraps(handler)
    def start(screen: Any, *arguments: Any) -> None:
        if not is_launching(screen.podium):
            screen.podium.begin(partial(run, screen, *arguments), group=LAUNCHES)

    return start


async def launch_or_open(screen: PodiumScreen, application: Application | None, link: str) -> None:
    """Launch what a card holds, or open what it links to; who has both is asked.

    A user who cannot launch sees the reason in the menu, and can still open the link.
    """
    from tui.dialogs.menus.key_menu import KeyMenu, MenuEntry
    from tui.launch.actions import launch
    from tui.launch.links import open_link

    meant: str | None = "link" if link else ""
    if application is not None:
        meant = "application"
        if link:
            refusal = screen.access.reason(Permission.APPLICATION_LAUNCH)
            entries = [
                MenuEntry("application", "a", f"Launch “{application.name}”", refusal),
                MenuEntry("link", "l", f"Open {link}"),
            ]
            meant = await screen.podium.ask(KeyMenu("Launch or open", entries))
    if meant == "application" and application is not None:
        await launch(screen.podium, application.id)
    elif meant == "link":
        open_link(screen.podium, link)
