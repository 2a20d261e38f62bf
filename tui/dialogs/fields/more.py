"""The line of a form that opens more fields: ``▸ login and e-mail``."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widget import Widget

from tui.dialogs.fields.form_fields import OPEN, MoreField
from tui.dialogs.fields.inputs import part_style, post_edited
from tui.drawing.cells import fit
from tui.widgets.styled_widget import is_ascii


class MoreControl(Widget, can_focus=True):
    """Open or closed. Enter and space toggle it, right opens and left closes."""

    DEFAULT_CSS = """
    MoreControl {
        height: 1;
        width: 1fr;
        padding: 0 1;
        color: $foreground 60%;
        .more--here { color: $foreground; text-style: bold; }
        &:focus { background: $foreground 12%; }
        &:nocolor:focus .more--here { text-style: bold reverse; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {"more--here"}
    ALLOW_SELECT = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,space", "toggle_fields", show=False),
        Binding("right,l", "show_fields(True)", show=False),
        Binding("left,h", "show_fields(False)", show=False),
    ]

    def __init__(self, field: MoreField) -> None:
        super().__init__()
        self._words = field.words
        self._is_open = False

    def take(self) -> str:
        return OPEN if self._is_open else ""

    @property
    def typed(self) -> object:
        """Nothing: opening it is no input."""
        return None

    @property
    def draft(self) -> object:
        return None

    def put_draft(self, draft: object) -> None:
        """Nothing: a field that it hides opens it."""

    @property
    def meaning(self) -> str:
        return ""

    def render(self) -> Content:
        closed, opened = (">", "v") if is_ascii(self) else ("▸", "▾")
        words = fit(f"{opened if self._is_open else closed} {self._words}", self.size.width)
        return Content.styled(words, part_style(self, "more--here") if self.has_focus else "")

    def on_click(self) -> None:
        self.action_toggle_fields()

    def action_toggle_fields(self) -> None:
        self.action_show_fields(not self._is_open)

    def action_show_fields(self, is_open: bool) -> None:
        """Show the fields, or hide them."""
        if is_open != self._is_open:
            self._is_open = is_open
            self.refresh()
            post_edited(self)
