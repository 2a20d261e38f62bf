"""A widget that draws lines of its own with the signs and colours of the board."""

from __future__ import annotations

from textual.widget import Widget

from tui.drawing.styles import Styles


class ThemedWidget(Widget):
    """Beside another widget it is the last of the bases: Textual takes styles and types from the first."""

    _look: Styles | None = None

    @property
    def look(self) -> Styles:
        """Finished styles and signs, made when they are first asked for."""
        if self._look is None:
            self._look = Styles(self.get_component_rich_style, is_ascii(self))
        return self._look

    def notify_style_update(self) -> None:
        """The theme, the style sheet or the focus changed."""
        super().notify_style_update()
        self._look = None


def is_ascii(widget: Widget) -> bool:
    """Whether the person's terminal has plain signs only; apps of tests and tools have no such setting."""
    return bool(getattr(widget.app, "ascii", False))


def pointer(widget: Widget) -> str:
    """The sign of the cursor, two cells."""
    return "> " if is_ascii(widget) else "❯ "
