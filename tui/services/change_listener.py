"""Hearing of what others do, and of whether the data can be reached: the visible screen asks again by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.css.query import NoMatches

from core.backends.local import ChangeEvent

if TYPE_CHECKING:
    from tui.services.host import Host


class ChangeListener:
    """Listens as long as the app runs."""

    def __init__(self, app: Host) -> None:
        self._app = app
        self._barred = ""

    async def run(self) -> None:
        """Until the app ends."""
        async for news in self._app.backend.changes():
            try:
                await self._take(news)
            except NoMatches:
                if self._app.is_running:
                    raise
                return  # Podium was left while the core answered, and the widgets went first

    async def _take(self, news: ChangeEvent) -> None:
        app = self._app
        if news.online != app.saving.online:
            app.saving.hear(online=news.online)
            app.show_titles()
            app.presence.ask_soon()
        if news.barred != self._barred:
            self._barred = news.barred
            if news.barred:
                app.tell(news.barred, severity="warning")
        if news.presence:
            app.presence.ask_soon()
            return
        if news.inbox:
            await app.inbox.hear()
            return
        screen = app.visible_screen
        if news.online and screen is not None:
            await screen.refresh_from_core(unasked=True)
