"""A queue for type-ahead: each key and each paste waits until the one before it has been handled completely.

Textual sends a key to the widget that has the focus when the key arrives. In a burst, from a slow line or a fast
typist, the keys after ``/`` would still go to the board, where ``d`` archives a card. A paste counts as one key.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual import events
from textual.message import Message

if TYPE_CHECKING:
    from typing import Any

    from textual.app import App
    from textual.screen import Screen
    from textual.widget import Widget
    from textual.worker import Worker

Typed = events.Key | events.Paste
"""User input: a key, or a text from the clipboard."""

AT_ONCE = frozenset({"ctrl+c", "ctrl+q"})
"""The keys that never wait, because they quit."""


class KeyHandled(Message):
    """Follows a key from widget to widget, and reaches the app when the key has been handled."""

    def __init__(self, key: Typed, *, is_last: bool = False) -> None:
        super().__init__()
        self.key = key
        self.is_last = is_last


class KeyQueue:
    """Lets one key at a time pass. A key that arrives while none is being handled passes at no extra cost."""

    def __init__(self, app: App[Any]) -> None:
        self._app = app
        self._waiting: deque[Typed] = deque()
        self._is_sent = False
        """True while the first waiting key is on its way to the app again, so that it is sent only once."""
        self._passing: Typed | None = None
        """The key that is being handled."""
        self._taker: Widget | None = None
        """The widget that received that key."""
        self._is_followed = False
        """True when a ``KeyHandled`` was sent after it."""
        self.hands_over = False
        """True at the end of an application that another one follows in the terminal: no key passes any more."""
        self._openers: set[Worker[Any]] = set()
        """Workers that can open a dialog or a screen, for which later keys are meant."""
        self._dialogs: dict[Worker[Any], Screen[Any]] = {}
        """The dialog that a worker waits for: when it has closed, the worker goes on only in a moment."""

    def may_pass(self, key: Typed) -> bool:
        """True if a key can go to the focused widget now. Otherwise it is queued and sent to the app again later."""
        if isinstance(key, events.Key) and key.key in AT_ONCE:
            return True
        if not self._app.screen_stack:  # Podium is quitting
            return False
        self.recheck()
        is_sent_again = bool(self._waiting) and self._waiting[0] is key
        self._is_sent = self._is_sent and not is_sent_again
        if self._passing is None and not self._is_opening and (is_sent_again or not self._waiting):
            self._let_pass(key)
            return True
        if not is_sent_again:
            self._waiting.append(key)
        self._follow()
        self._go_on()
        return False

    def _let_pass(self, key: Typed) -> None:
        if self._waiting:
            self._waiting.popleft()
        self._passing, self._taker, self._is_followed = key, self._app.focused or self._app.screen, False
        if self._waiting:
            self._app.call_next(self._follow)  # after the key itself was forwarded

    def _follow(self) -> None:
        """Send a ``KeyHandled`` after the key that is being handled, unless one was sent already."""
        if self._passing is None or self._taker is None or self._is_followed:
            return
        self._is_followed = self._taker.post_message(KeyHandled(self._passing))
        if not self._is_followed:  # the widget that received the key was removed
            self.on_handled(self._passing)

    def on_returned(self, key: Typed, *, is_last: bool = False) -> None:
        """Called when a key or a ``KeyHandled`` has reached the app again.

        Messages that a widget posted because of the key, such as ``Input.Submitted``, come after it. So a second
        ``KeyHandled``, with ``is_last``, is sent before the next key.
        """
        if key is self._passing:
            taker = self._taker if self._waiting and not is_last else None
            if taker is None or not taker.post_message(KeyHandled(key, is_last=True)):
                self.on_handled(key)

    def on_handled(self, key: Typed) -> None:
        """Called when a key has been handled completely; sends the next one."""
        if key is self._passing:
            self._passing = self._taker = None
            self._go_on()

    def _go_on(self) -> None:
        if self._waiting and self._passing is None and not self._is_opening and not self._is_sent:
            self._is_sent = self._app.post_message(self._waiting[0])

    def left_over(self) -> list[Typed]:
        """Return the keys that still wait, for the application that follows this one in the terminal."""
        return [each for each in self._waiting if not isinstance(each, events.Key) or each.key not in AT_ONCE]

    def take_over(self, keys: Sequence[Typed]) -> None:
        """Queue keys that another application left over, before any of this one. ``begin`` starts them."""
        copies = (
            events.Key(each.key, each.character) if isinstance(each, events.Key) else events.Paste(each.text)
            for each in keys
        )
        self._waiting.extendleft(reversed(list(copies)))

    def begin(self) -> None:
        """Called when the first screen is drawn: start the keys that were taken over."""
        self._go_on()

    def recheck(self) -> None:
        """Called also when another screen is on top: a key that went to a closed screen counts as handled."""
        taker = self._taker
        is_there = taker and taker.is_running and taker.is_attached and taker.screen is self._app.screen
        if self._passing and not is_there:
            self.on_handled(self._passing)

    def hold(self, opener: Worker[Any]) -> None:
        """Queue the next keys for the dialog or screen that a worker is about to open."""
        self._dialogs.pop(opener, None)
        self._openers.add(opener)

    def release(self, opener: Worker[Any]) -> None:
        """Called when the opened screen has the focus, and at the end of the worker, which can have opened none."""
        self._openers.discard(opener)
        self._go_on()

    def asks(self, opener: Worker[Any], dialog: Screen[Any]) -> None:
        """Called before a worker opens a dialog: from its closing on, keys wait again, until ``hold`` is called."""
        self._dialogs[opener] = dialog

    @property
    def _is_opening(self) -> bool:
        """True while a worker can open a screen. One that was cancelled before it began never calls ``release``."""
        self._openers = {each for each in self._openers if not (each.is_cancelled or each.is_finished)}
        self._dialogs = {
            each: dialog for each, dialog in self._dialogs.items() if not (each.is_cancelled or each.is_finished)
        }
        is_answered = any(dialog not in self._app.screen_stack for dialog in self._dialogs.values())
        return bool(self._openers) or is_answered or self.hands_over
