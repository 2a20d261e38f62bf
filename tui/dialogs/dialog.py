"""The base of all dialogs: a panel with a title, a line for messages, and key hints."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, TypeVar

from textual import events
from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.geometry import Offset
from textual.widgets import Button, Static

from tui.drawing.cells import plain
from tui.widgets.abstract import AbstractMeta
from tui.widgets.option_list import Rows
from tui.widgets.settled_screen import SettledModal
from tui.widgets.styled_widget import is_ascii

R = TypeVar("R")

FRAME = """
            max-width: 100%;
            padding: 0 1;
            border: round $primary;
            border-title-color: $foreground;
            border-title-style: bold;
            border-subtitle-color: $text-muted;
            background: $surface;
"""
"""Style declarations of a panel, without its size."""


class PlainText(Static):
    """A text, shown literally: markup in it has no effect."""

    DEFAULT_CSS = """
    PlainText { width: 1fr; height: auto; }
    """
    ALLOW_SELECT = False

    def __init__(self, words: str = "", *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(plain(words), id=id, classes=classes)

    def put(self, words: str) -> None:
        """Show a text; an empty one hides the line. The same text again costs nothing, as under a field being typed."""
        text = plain(words)
        if text != self.content:
            self.update(text)
        self.display = bool(words)


class Body(VerticalScroll, can_focus=False):
    """The part of the panel that scrolls in a small terminal."""

    DEFAULT_CSS = """
    Body {
        height: auto;
        max-height: 100%;
        scrollbar-size-vertical: 1;
        scrollbar-background: $surface;
        scrollbar-color: $foreground 20%;
    }
    """


class InlineButton(Button):
    """A button of one line."""

    DEFAULT_CSS = """
    InlineButton.-textual-compact {
        min-width: 0;
        margin-right: 1;
        background: $foreground 10%;
        color: $foreground;
        text-style: none;
        &.-primary { background: $primary 30%; color: $text-primary; text-style: bold; }
        &:hover { background: $foreground 20%; }
        &:focus { background: $primary; color: $background; text-style: bold reverse; background-tint: transparent; }
        &:focus:dark, &:focus:light { text-style: bold; }
        &:disabled { text-opacity: 50%; }
    }
    InlineButton.-textual-compact:nocolor:focus { text-style: bold reverse; }
    """

    def __init__(self, words: str, *, id: str, disabled: bool = False, is_primary: bool = False) -> None:
        classes = "-primary" if is_primary else None
        super().__init__(plain(f" {words} "), id=id, classes=classes, disabled=disabled, compact=True)


class Dialog(SettledModal[R], metaclass=AbstractMeta):
    """A panel over the screen. Esc and a click beside the panel close it.

    A subclass composes the panel in ``questions`` and can give another answer for esc in ``action_leave``.
    """

    DEFAULT_CSS = f"""
    Dialog {{
        align: center middle;
        background: transparent;  /* a dimmed screen would be sent whole, twice */
        #panel {{
            {FRAME}
            width: 72;
            height: auto;
            max-height: 100%;
        }}
        &.-ascii #panel {{ border: ascii $primary; }}
        #message {{ dock: bottom; display: none; color: $text-muted; }}
        #message.-bad {{ color: $text-error; }}
    }}
    Dialog.-roomy #panel {{ padding: 1 2; }}
    Dialog.-roomy #message {{ margin-top: 1; }}
    """
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (62, "-wide")]  # noqa: RUF012 - as Textual declares it
    VERTICAL_BREAKPOINTS = [(0, "-tight"), (18, "-roomy")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", show=False),
    ]

    def __init__(self, title: str, hints: str) -> None:
        super().__init__()
        self._heading = title
        self._hints = hints

    def compose(self) -> ComposeResult:
        self.set_class(is_ascii(self), "-ascii")
        panel = Vertical(id="panel")
        panel.border_title = _on_border(self._heading)
        panel.border_subtitle = _on_border(self._hints)
        with panel:
            yield PlainText(id="message")
            yield from self.questions()

    @abstractmethod
    def questions(self) -> ComposeResult:
        """The widgets in the panel."""

    def show_hints(self, hints: str) -> None:
        """Show other key hints on the border."""
        self.query_one("#panel").border_subtitle = _on_border(hints)

    def say(self, words: str, *, bad: bool = False) -> None:
        """Show a message at the bottom of the panel; an empty one hides the line. Does nothing once it is closed."""
        if not self.is_open:
            return
        message = self.query_one("#message", PlainText)
        message.put(words)
        message.set_class(bad, "-bad")

    @property
    def is_open(self) -> bool:
        """True until it is closed, which can also happen while it saves, such as after a lost permission."""
        return self in self.app.screen_stack

    @property
    def cursor_screen_offset(self) -> Offset:
        """The cell for the terminal's cursor: at the control with the focus, on a row, or else at the first words."""
        lists = self.query(Rows)
        if self.focused is None and lists:
            return lists.first().cursor_screen_offset
        return (self.focused or self.query_one("#panel")).content_region.offset

    def dismiss(self, result: R | None = None) -> AwaitComplete:
        """Close with the answer, once: a late key or click must not close the screen below."""
        return super().dismiss(result) if self.is_open else AwaitComplete()

    def action_leave(self) -> None:
        self.dismiss(None)

    def action_scroll_by(self, lines: int) -> None:
        """Scroll at once: later, the keys of a burst would all start from the same line."""
        self.query_one(Body).scroll_relative(y=lines, animate=False, immediate=True)

    def on_click(self, event: events.Click) -> None:
        if event.widget is self:
            self.action_leave()


class ScrollingDialog(Dialog[R]):
    """A dialog without input: letters scroll its ``Body`` in a small terminal."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "scroll_by(1)", show=False),
        Binding("k,up", "scroll_by(-1)", show=False),
        Binding("pagedown,ctrl+d", "scroll_by(8)", show=False),
        Binding("pageup,ctrl+u", "scroll_by(-8)", show=False),
        Binding("q", "leave", show=False),
    ]


def _on_border(words: str) -> str:
    """A literal text for a border. Textual declares ``str``, in which it would read markup, but accepts a Content."""
    return Content(plain(words).plain.replace("\n", " "))  # type: ignore[return-value]
