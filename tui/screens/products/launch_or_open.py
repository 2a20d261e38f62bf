"""Keys that launch: one launch at a time, and where there are links, too, the person is asked which is meant."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Container, Iterable, Sequence
from functools import partial, wraps
from typing import TYPE_CHECKING, Any

from core.domain.permissions import Permission
from core.domain.products.products import Application
from core.errors import PodiumError
from tui.screens.framework.screen import PodiumScreen

if TYPE_CHECKING:
    from tui.dialogs.menus.key_menu import MenuEntry
    from tui.drawing.markdown.blocks import Link


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
        from tui.launch.actions import LAUNCHES, is_launching

        if not is_launching(screen.podium):
            screen.podium.begin(partial(run, screen, *arguments), group=LAUNCHES)

    return start


async def launch_or_open(
    screen: PodiumScreen, application: Application | None, link: str, in_texts: Sequence[Link] = ()
) -> None:
    """Launch what a card holds, or open what it or its texts link to; where there are several, the person is asked.

    A user who cannot launch sees the reason in the menu, and can still open the links.
    """
    from tui.dialogs.menus.key_menu import KeyMenu, MenuEntry
    from tui.launch.actions import launch
    from tui.launch.links import open_link

    entries = []
    if application is not None:
        refusal = screen.access.reason(Permission.APPLICATION_LAUNCH)
        entries.append(MenuEntry(application.id, "a", f"Launch “{application.name}”", refusal))
    if link:
        entries.append(MenuEntry(link, "l", f"Open {link}"))
    entries += link_entries(in_texts, {link})
    meant = entries[0].id if entries else None
    if len(entries) > 1:
        meant = await screen.podium.ask(KeyMenu("Launch or open" if application else "Open which link?", entries))
    if application is not None and meant == application.id:
        await launch(screen.podium, application.id)
    elif meant:
        open_link(screen.podium, meant)


def link_entries(links: Iterable[Link], known: Container[str] = ()) -> list[MenuEntry]:
    """The entries of a menu for the links of texts, the first nine with a digit; without those that are known."""
    from tui.dialogs.menus.key_menu import MenuEntry

    found = [each for each in links if each.url not in known]
    return [
        MenuEntry(each.url, str(number) if number < 10 else "", f"Open {each.url}")
        for number, each in enumerate(found, 1)
    ]
