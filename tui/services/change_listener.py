"""Listening for changes by other users, for the state of the connection, and for a new day; the visible screen reads
again."""

from __future__ import annotations

from datetime import date
from functools import partial

from textual.css.query import NoMatches

from core.backends.local import ChangeEvent
from tui.services.host import Host
from tui.services.presence import PresenceTracker
from tui.services.save_status import SaveStatus
from tui.services.tour import Tour
from tui.services.unread_badge import UnreadBadge
from tui.terminal.workers import start_worker

DAY_SECONDS = 20.0
"""Seconds between two looks at the date. No timer runs to midnight: clocks are set, and machines sleep."""


class ChangeListener:
    """Listens to the backend's change events while the app runs."""

    def __init__(
        self, app: Host, saving: SaveStatus, presence: PresenceTracker, inbox: UnreadBadge, tour: Tour
    ) -> None:
        self._app = app
        self._saving, self._presence, self._inbox, self._tour = saving, presence, inbox, tour
        self._barred = ""
        self.heard = 0
        """The number of events so far after which data can have changed."""
        self._day = date.today()

    def begin(self) -> None:
        """Start to listen."""
        start_worker(self._app, self.run, group="follow")
        self._app.set_interval(DAY_SECONDS, self._look_at_day)

    def _look_at_day(self) -> None:
        """Have the visible screen read on a new day, when today, overdue and at risk differ; others read when seen."""
        screen = self._app.visible_screen
        if self._day != date.today() and screen is not None:
            self._day = date.today()
            start_worker(self._app, partial(screen.refresh_from_core, unasked=True), group="day")

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
        if event.online != self._saving.online:
            self._saving.hear(online=event.online)
            app.show_titles()
            self._presence.ask_soon()
        if event.barred != self._barred:
            self._barred = event.barred
            if event.barred:
                app.toast(event.barred, severity="warning")
        if event.presence:
            self._presence.ask_soon()
            return
        if event.inbox:
            await self._inbox.hear()
            return
        self.heard += 1
        if event.online:
            await self.check_form()
        screen = app.visible_screen
        if event.online and screen is not None:
            if event.commits != screen.commits or not event.commits:  # else it is the commit that it has just shown
                await screen.refresh_from_core(unasked=True)
            if self._tour.is_on:
                await self._tour.hear()
