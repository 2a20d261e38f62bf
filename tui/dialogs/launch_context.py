"""The launch context of an application, to read before the launch."""

from __future__ import annotations

import json
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static

from core.codec.encoding import to_json
from core.domain.products.launch_context import CODE_SECONDS, CONTEXT_VARIABLE, USER_VARIABLE, LaunchContext
from core.domain.products.products import LaunchKind, Product
from tui.dialogs.dialog import Body, ScrollingDialog
from tui.drawing.cells import plain
from tui.drawing.theme import QUIET


class ContextDialog(ScrollingDialog[bool]):
    """Shows a launch context. Dismissed with True if the user launches the application."""

    DEFAULT_CSS = """
    ContextDialog {
        #panel { width: 96; }
        Static { width: 1fr; height: auto; }
        #target { dock: top; margin-bottom: 1; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,o", "launch", show=False),
        Binding("y,Y", "copy", show=False),
    ]

    def __init__(self, name: str, product: Product, target: str, context: LaunchContext, *, has_code: bool) -> None:
        """``target``: the URL or the command to launch.

        ``has_code``: a web product gets a launch code instead of the context itself.
        """
        super().__init__(f"Launch context of “{name}”", "enter launch · y copy · esc close")
        self._product = product
        self._target_words = target
        self._handed = context
        self._has_code = has_code

    def questions(self) -> ComposeResult:
        yield Static(self._target(), id="target")
        with Body():
            yield Static(plain(json.dumps(to_json(self._handed), ensure_ascii=False, indent=2)))

    def _target(self) -> Content:
        """The target of the launch, and the way in which it gets the context."""
        product = self._product
        if product.kind is LaunchKind.TERMINAL:
            way = f"in the environment variable {CONTEXT_VARIABLE}, with your id in {USER_VARIABLE}"
        elif self._has_code:
            way = f"as a code, valid once and for {CODE_SECONDS} seconds: launch=CODE"
        else:
            way = "in the fragment of the URL: #context=…&userId=…"
        parts = (("Launches  ", QUIET), plain(self._target_words), ("\nContext   ", QUIET), way)
        return Content.assemble(*parts)

    def action_leave(self) -> None:
        self.dismiss(False)

    def action_launch(self) -> None:
        self.dismiss(True)

    def action_copy(self) -> None:
        self.app.copy_to_clipboard(self._handed.as_json())
        self.say("Copied.")
