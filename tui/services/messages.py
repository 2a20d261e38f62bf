"""The message to the user: what the last key did, or why it did nothing. One at a time, until the next key."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from time import monotonic
from typing import TYPE_CHECKING

from textual import events
from textual.screen import ModalScreen
from textual.widgets import Input

from core.record import Record
from tui.widgets.message_line import MessageLine

if TYPE_CHECKING:
    from tui.services.host import Host

NEXT_KEYS = (events.Key, events.Paste, events.MouseDown)
"""The events that end a message."""


class UserMessage(Record, kw_only=False):
    """A message while it is shown."""

    words: str
    severity: str
    """information, warning or error."""
    enter: Callable[[], Awaitable[object]] | None
    """The action of enter while the message is shown; None for its usual one."""
    since: float
    """The monotonic time at which it was shown first."""


class UserMessages:
    """The one message of the app, in the message line of the visible screen: above the keys, under every dialog.

    The next key or click ends it. A key that was typed before it appeared, or that belongs to a dialog, does not: so
    people who type ahead miss nothing.
    """

    def __init__(self, app: Host) -> None:
        self._app = app
        self.shown: UserMessage | None = None
        """The message that is shown."""

    def say(self, words: str, severity: str, enter: Callable[[], Awaitable[object]] | None = None) -> None:
        """Show a message in place of the one before."""
        self.shown = UserMessage(words, severity, enter, monotonic())
        self.show()

    def clear(self) -> None:
        """Take the message away."""
        if self.shown is not None:
            self.shown = None
            self.show()

    def show(self) -> None:
        """Draw the message, or none, on the visible screen. Called too when another screen becomes visible."""
        screen = self._app.visible_screen
        if screen is not None and screen.is_mounted:
            message = self.shown
            MessageLine.put(screen, message.words if message else "", message.severity if message else "")

    def take(self, event: events.Event) -> bool:
        """End the message with a key or a click. Returns True if the message has taken the key, an enter, for itself.

        Called for every event, before it is handled.
        """
        message = self.shown
        if message is None or not isinstance(event, NEXT_KEYS) or event.time < message.since:
            return False
        if event.is_forwarded or isinstance(self._app.screen, ModalScreen):
            return False
        self.clear()
        is_enter = isinstance(event, events.Key) and event.key == "enter"
        if message.enter is None or not is_enter or isinstance(self._app.focused, Input):
            return False
        self._app.begin(message.enter)
        return True
