"""The parts of a page about one record: panes, headings, facts, texts and a warning."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Container, Horizontal, VerticalScroll
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from tui.drawing.cells import fit, plain
from tui.drawing.theme import QUIET
from tui.widgets.styled_widget import is_ascii

TWO_PANES_FROM = 110
"""Fewest cells of width for two panes side by side."""


class Page(VerticalScroll, can_focus=False, inherit_bindings=False):
    """Holds the panes. If they are stacked, the page scrolls; side by side, each pane scrolls."""

    DEFAULT_CSS = """
    Page {
        height: 1fr;
        padding: 0 1;
        scrollbar-size-vertical: 1;
        scrollbar-background: $background;
        scrollbar-color: $foreground 20%;
    }
    """


class Pane(VerticalScroll, inherit_bindings=False):
    """One part of the page, with the screen's keys; tab goes to the next one."""

    DEFAULT_CSS = """
    Pane {
        height: auto;
        scrollbar-size-vertical: 1;
        scrollbar-background: $background;
        scrollbar-color: $foreground 20%;
    }
    """

    def watch_has_focus(self, _has_focus: bool) -> None:
        """Style the headings again, and not all that is in the pane: nothing else looks different with the focus."""
        for heading in self.query(Heading):
            heading.update_node_styles()


class TextBlock(Static):
    """A text that is repainted only when it changes."""

    DEFAULT_CSS = """
    TextBlock { width: 1fr; height: auto; }
    """
    ALLOW_SELECT = False

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._shown: Content | None = None

    def put(self, words: Content) -> None:
        """Show a text; an empty one hides the line."""
        if words != self._shown:
            self._shown = words
            self.display = bool(words.plain)
            self.update(words)


class Heading(Widget):
    """The heading of a part, with a hint at the end: ``Tasks ──────── 2/5``."""

    DEFAULT_CSS = """
    Heading { height: 1; margin-top: 1; color: $foreground 26%; }
    """
    ALLOW_SELECT = False

    def __init__(self, name: str, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._name_of_part = name
        self._hint = ""

    def put(self, hint: str, name: str = "") -> None:
        """Show another hint; with a ``name``, also another heading."""
        name = name or self._name_of_part
        if (hint, name) != (self._hint, self._name_of_part):
            self._hint, self._name_of_part = hint, name
            self.refresh()

    def render(self) -> Content:
        hint = f" {self._hint}" if self._hint else ""
        rule = ("-" if is_ascii(self) else "─") * max(0, self.size.width - len(self._name_of_part) - len(hint) - 1)
        return Content.assemble((self._name_of_part, "bold $text-primary"), f" {rule}", (hint, QUIET))


class Fact(Horizontal):
    """A label and its value; hidden without a value."""

    DEFAULT_CSS = """
    Fact {
        height: auto;
        .label { width: 12; color: $text-muted; }
    }
    """

    def __init__(self, label: str, *, id: str) -> None:
        super().__init__(id=id)
        self._label = label

    def compose(self) -> ComposeResult:
        label = TextBlock(classes="label")
        label.put(plain(fit(self._label, 11)))
        yield label
        yield TextBlock(classes="value")

    def put(self, value: Content) -> None:
        self.query_one(".value", TextBlock).put(value)
        self.display = bool(value.plain)


class Banner(Container):
    """A warning with a sign, such as for a blocker."""

    DEFAULT_CSS = """
    Banner {
        display: none;
        height: auto;
        margin-top: 1;
        padding: 0 1;
        background: $warning 14%;
        color: $text-warning;
    }
    """

    def compose(self) -> ComposeResult:
        yield TextBlock()

    def put(self, words: str) -> None:
        self.display = bool(words)
        sign = "!" if is_ascii(self) else "⊘"
        self.query_one(TextBlock).put(
            Content.assemble((f"{sign} ", "bold"), plain(words), ("  w shows why", QUIET)) if words else Content("")
        )
