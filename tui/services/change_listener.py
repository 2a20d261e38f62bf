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
        self.heard = 0
        """The number of events so far after which data can have changed."""

    async def run(self) -> None:
        """Handle change events until the app ends."""
        async for event in self._app.backend.changes():
            try:
                await self._take(event)
            except NoMatches:
                if self._app.is_running:
                    raise
                return  # the app was closing while the core answered, and its widgets were removed first

    async def check_form(self) -> None:
        """Let an open form say what others changed in its record."""
        from tui.dialogs.dialog import Dialog

        if any(isinstance(each, Dialog) for each in self._app.screen_stack):
            from tui.services.form_watcher import FormWatcher  # with messages that no first paint needs

            await FormWatcher(self._app).check()

    async def _take(self, event: ChangeEvent) -> None:
        app = self._app
        if event.online != app.saving.online:
            app.saving.hear(online=event.online)
            app.show_titles()
            app.presence.ask_soon()
        if event.barred != self._barred:
            self._barred = event.barred
            if event.barred:
                app.toast(event.barred, severity="warning")
        if event.presence:
            app.presence.ask_soon()
            return
        if event.inbox:
            await app.inbox.hear()
            return
        self.heard += 1
        if event.online:
            await self.check_form()
        screen = app.visible_screen
        if event.online and screen is not None:
            if event.commits != screen.commits or not event.commits:  # else it is the commit that it has just shown
                await screen.refresh_from_core(unasked=True)
            await app.tour.hear()
