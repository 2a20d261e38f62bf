"""Listening for changes by other users and for the state of the connection; the visible screen reads again."""

from __future__ import annotations

from textual.css.query import NoMatches

from core.backends.local import ChangeEvent
from tui.services.host import Host


class ChangeListener:
    """Listens to the backend's change events while the app runs."""

    def __init__(self, app: Host) -> None:
        self._app = app
        self._barred = ""

    async def run(self) -> None:
        """Handle change events until the app ends."""
        async for news in self._app.backend.changes():
            try:
                await self._take(news)
            except NoMatches:
                if self._app.is_running:
                    raise
                return  # the app was closing while the core answered, and its widgets were removed first

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
