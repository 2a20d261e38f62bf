"""The base of both applications: keys are handled in order, and an unexpected error is shown as one sentence."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, TypeVar, cast

from rich.color import ColorSystem
from textual import events
from textual._compositor import CompositorUpdate
from textual.app import App
from textual.css.query import NoMatches
from textual.driver import Driver
from textual.filter import LineFilter, Monochrome, NoColor
from textual.geometry import Offset
from textual.screen import ModalScreen, Screen
from textual.widget import MountError
from textual.widgets import Input
from textual.worker import WorkerFailed, get_current_worker

from tui.terminal.background import TerminalBackground, is_light_by_environment
from tui.terminal.escapes import EscapeAndKey, find_escape_delay
from tui.terminal.key_queue import KeyHandled, KeyQueue, Typed
from tui.terminal.pastes import LinesJoined, TakesLines, in_one_line, read_with_our_parser
from tui.terminal.sent_cells import SentCells, WrittenUpdate

R = TypeVar("R")
A = TypeVar("A")

NEWLINE = "ctrl+j"
"""Enter, in scripts and in some terminals, except where it has a meaning of its own."""

WITHOUT_COLOURS = NoColor()
"""For ``NO_COLOR`` (https://no-color.org): Textual's own filter sends greys, which are colours too."""


class TerminalApp(App[R]):
    """The base of the first run and of Podium itself."""

    DEFAULT_CSS = """
    Input:blur, Input:focus {
        & > .input--placeholder, & > .input--suggestion { color: $text-muted; }
    }
    Input:nocolor {
        & > .input--cursor, & > .input--selection { text-style: reverse; }
    }
    TextArea:nocolor {
        & .text-area--cursor, & .text-area--selection { text-style: reverse; }
    }
    """

    def __init__(self) -> None:
        if not os.environ.get("NO_COLOR"):
            os.environ.pop("NO_COLOR", None)  # Textual treats an empty value as set
        super().__init__()
        self.animation_level = "none"  # a key is shown at once
        self.type_ahead = KeyQueue(self)
        self.sent = SentCells()
        """The cells on the terminal."""
        self.is_light = is_light_by_environment()
        """True if the background of the terminal is light, as far as is known."""
        self.escape_delay = find_escape_delay()
        """Seconds after which Esc is a key, if nothing follows it."""
        self._has_fault = False

    @property
    def follows_terminal(self) -> bool:
        """True if the colours depend on the background of the terminal."""
        return not self.no_color

    def show_theme(self, chosen: str | None = None) -> None:
        """Show a theme; without one, that of the user, which can depend on the background of the terminal."""

    def ask_background(self) -> None:
        """Ask the terminal for its background again, if the colours depend on it. In a browser nothing is asked."""
        ask = getattr(self._driver, "ask_background", None)
        if ask is not None and self.follows_terminal:
            ask()

    def name_terminal(self, place: str) -> None:
        """Name the window or the tab of the terminal after a place. In a browser nothing is sent."""
        name = getattr(self._driver, "name_terminal", None)
        if name is not None:
            name(place)

    def on_terminal_background(self, event: TerminalBackground) -> None:
        self.is_light = event.is_light
        self.show_theme()

    def get_driver_class(self) -> type[Driver]:
        """Textual's driver for this terminal or for the browser, with our parser of its input."""
        found = super().get_driver_class()
        if found.__name__ != "LinuxDriver":
            read_with_our_parser(found)
            return found
        from tui.terminal.driver import TerminalDriver

        return TerminalDriver

    def get_line_filters(self) -> list[LineFilter]:
        """Textual's line filters, with NO_COLOR taken literally."""
        return [WITHOUT_COLOURS if isinstance(each, Monochrome) else each for each in super().get_line_filters()]

    def push_screen(self, screen: Any, *args: Any, **options: Any) -> Any:
        """Push a screen with the classes for its size, which Textual would set only after a first frame."""
        if isinstance(screen, Screen):
            width, height = self.size
            sizes = ((width, screen.HORIZONTAL_BREAKPOINTS), (height, screen.VERTICAL_BREAKPOINTS))
            for size, breakpoints in sizes:
                fitting = [name for least, name in sorted(breakpoints or []) if least <= size]
                screen.add_class(*fitting[-1:], update=False)
        return super().push_screen(screen, *args, **options)

    def _display(self, screen: Screen[Any], renderable: Any) -> None:
        """Send the cells that differ from those on the terminal; if none does, not even the place of the cursor."""
        if isinstance(renderable, CompositorUpdate) and self._is_drawing:
            self.cursor_position = self._find_cursor()
            codes = self.sent.write(renderable, self.size, self.console._color_system or ColorSystem.TRUECOLOR)
            place = self.screen.outer_size.clamp_offset(self.cursor_position)
            renderable = WrittenUpdate(codes) if codes or place != self._previous_cursor_position else None
        super()._display(screen, renderable)

    def _find_cursor(self) -> Offset:
        """The cell of what is selected or typed, for screen readers, magnifiers and input methods.

        The terminal's own cursor is invisible, and stays there. Widgets tell it as Textual's fields do, by their
        ``cursor_screen_offset``; so does a screen, for the times when no such widget has the focus.
        """
        with suppress(NoMatches):  # of a screen that is not composed yet
            for each in (self.focused, self.screen):
                place: Offset | None = getattr(each, "cursor_screen_offset", None)
                if place is not None:
                    return place
        return self.focused.content_region.offset if self.focused is not None else Offset(0, 0)

    @property
    def _is_drawing(self) -> bool:
        """True if Textual would send an update now."""
        is_running = self._running and not self._closed and not self._batch_count
        return is_running and not self.is_headless and self._driver is not None

    def action_redraw(self) -> None:
        """Send the whole screen again: another program has written on the terminal."""
        self.sent.forget()
        self.screen.refresh()

    def begin(self, work: Callable[[], Awaitable[object]], group: str = "default") -> None:
        """Run work that can open a screen or a dialog in a worker. Keys that are typed meanwhile wait for it."""

        async def run() -> None:
            try:
                await work()
            finally:
                self.type_ahead.release(get_current_worker())

        self.type_ahead.hold(self.run_worker(run, group=group))

    async def ask(self, dialog: ModalScreen[A]) -> A:
        """Open a dialog and wait for its value. Call it only from a worker.

        Keys that were typed ahead go to the dialog. Later keys wait for the worker, which can open a screen. The app
        focuses the first field before it releases the keys.
        """
        worker = get_current_worker()
        self.type_ahead.asks(worker, dialog)
        dialog.call_after_refresh(self.call_later, self.type_ahead.release, worker)
        value = await self.push_screen_wait(dialog)
        self.type_ahead.hold(worker)
        task = cast("asyncio.Task[Any]", asyncio.current_task())
        task.add_done_callback(lambda _: self.type_ahead.release(worker))
        return value

    async def on_event(self, event: events.Event) -> None:
        """Handle an event. A key arrives twice: before it is forwarded, and again when no widget has handled it."""
        if isinstance(event, events.Resize):
            self.sent.forget()
        if not isinstance(event, Typed):
            await super().on_event(event)
        elif event.is_forwarded or self.type_ahead.may_pass(event):
            came_back = event.is_forwarded
            if isinstance(event, events.Paste):
                if isinstance(self.focused, Input) and not isinstance(self.focused, TakesLines):
                    if (lines := len(event.text.splitlines())) > 1:
                        self.focused.post_message(LinesJoined(lines))
                    event.text = in_one_line(event.text)
            elif event.key == NEWLINE and not came_back and NEWLINE not in self.screen.active_bindings:
                event.key, event.character = "enter", "\r"
            await super().on_event(event)
            if came_back or not event.is_forwarded:
                self.type_ahead.on_returned(event)

    async def on_escape_and_key(self, event: EscapeAndKey) -> None:
        """Take Esc and a key for alt with it only where that is bound."""
        for key in event.choose(self.screen.active_bindings if self.screen_stack else ()):
            await self.on_event(key)

    def on_key_handled(self, event: KeyHandled) -> None:
        self.type_ahead.on_returned(event.key, is_last=event.is_last)

    def leave(self, status: int, words: str | None = None) -> None:
        """Exit with a status, from a signal handler or another thread, and print ``words`` on the terminal."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self.exit, None, status, words)

    def _handle_exception(self, error: Exception) -> None:
        """Exit with one sentence. Textual would print pages with the values of all variables.

        Without a terminal, as in tests, Textual raises the error. A screen that opens while the program ends is no
        fault: from then on Textual refuses its widgets with a MountError, and they are missing.
        """
        fault = error.error if isinstance(error, WorkerFailed) else error
        if isinstance(fault, (MountError, NoMatches)) and self._exit:
            return
        if self.is_headless:
            super()._handle_exception(error)
            return
        from tui.terminal.fault import EXIT_STATUS, explain

        self.exit(None, EXIT_STATUS, None if self._has_fault else explain(fault))
        self._has_fault = True
