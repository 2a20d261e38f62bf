"""Keys and pastes that are typed ahead wait until the one before has had its effect.

Textual hands a key to whatever has the focus when the key arrives. In a burst, as a slow line or a quick hand makes
it, the keys after ``/`` would still go to the board, where ``d`` archives a card. A pasted text is one more key here.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from textual import events
from textual.message import Message

if TYPE_CHECKING:
    from typing import Any

    from textual.app import App
    from textual.widget import Widget
    from textual.worker import Worker

Typed = events.Key | events.Paste
"""What a person types: a key, or a text from the clipboard."""

AT_ONCE = frozenset({"ctrl+c", "ctrl+q"})
"""The keys that never wait: the ways out."""


class KeyHandled(Message):
    """Sent after a key on the way it took; it reaches the app when the key has been everywhere."""

    def __init__(self, key: Typed, *, is_last: bool = False) -> None:
        super().__init__()
        self.key = key
        self.is_last = is_last


class KeyQueue:
    """Lets one key at a time pass. A key that is typed when nothing is on its way costs nothing more."""

    def __init__(self, app: App[Any]) -> None:
        self._app = app
        self._waiting: deque[Typed] = deque()
        self._is_sent = False
        """Whether the first key that waits was sent to the app again and has not arrived there: it is sent once."""
        self._passing: Typed | None = None
        """The key that is on its way."""
        self._taker: Widget | None = None
        """Who was given that key."""
        self._is_followed = False
        """Whether a ``KeyHandled`` follows it."""
        self._openers: set[Worker[Any]] = set()
        """The workers that may be about to open a dialog or a screen, which the keys to come are meant for."""

    def may_pass(self, key: Typed) -> bool:
        """Whether a key may go to what has the focus now. If not, it is kept, and sent to the app again later."""
        if isinstance(key, events.Key) and key.key in AT_ONCE:
            return True
        if not self._app.screen_stack:  # Podium is being left
            return False
        self.look_again()
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
            self._app.call_next(self._follow)  # after the key itself was handed on

    def _follow(self) -> None:
        """Send a message after the key that is on its way, unless one follows it already."""
        if self._passing is None or self._taker is None or self._is_followed:
            return
        self._is_followed = self._taker.post_message(KeyHandled(self._passing))
        if not self._is_followed:  # who had the key is gone, and with it the key
            self.passed(self._passing)

    def returned(self, key: Typed, *, is_last: bool = False) -> None:
        """Called when a key, or a ``KeyHandled``, is back at the app.

        What a widget said upon the key, as Input does upon enter, is still behind it: one more ``KeyHandled`` is sent
        before the next key, and it is the last.
        """
        if key is self._passing:
            taker = self._taker if self._waiting and not is_last else None
            if taker is None or not taker.post_message(KeyHandled(key, is_last=True)):
                self.passed(key)

    def passed(self, key: Typed) -> None:
        """Called when a key has had its effect: the next one may go."""
        if key is self._passing:
            self._passing = self._taker = None
            self._go_on()

    def _go_on(self) -> None:
        if self._waiting and self._passing is None and not self._is_opening and not self._is_sent:
            self._is_sent = self._app.post_message(self._waiting[0])

    def look_again(self) -> None:
        """Called when another screen is on top too: a key that a closed one was given has gone with it."""
        taker = self._taker
        is_there = taker and taker.is_running and taker.is_attached and taker.screen is self._app.screen
        if self._passing and not is_there:
            self.passed(self._passing)

    def hold(self, opener: Worker[Any]) -> None:
        """Keep the keys to come for what a worker is about to open."""
        self._openers.add(opener)

    def release(self, opener: Worker[Any]) -> None:
        """Called when what it opened has the keyboard, and at the end of the worker, which may have opened nothing."""
        self._openers.discard(opener)
        self._go_on()

    @property
    def _is_opening(self) -> bool:
        """A worker that was cancelled before it began releases nothing itself."""
        self._openers = {each for each in self._openers if not (each.is_cancelled or each.is_finished)}
        return bool(self._openers)
