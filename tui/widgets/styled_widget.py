"""A widget that draws its lines with the symbols and colours of the board."""

from __future__ import annotations

from textual.widget import Widget

from tui.drawing.styles import Styles


class ThemedWidget(Widget):
    """A mixin with the board's styles. It must be the last base, because Textual takes CSS names from the first."""

    _look: Styles | None = None

    @property
    def look(self) -> Styles:
        """Resolved styles and symbols, made at the first use."""
        if self._look is None:
            self._look = styles_of(self, ascii_only=is_ascii(self))
        return self._look

    def notify_style_update(self) -> None:
        """Drop the styles after a change of theme, style sheet or focus."""
        super().notify_style_update()
        self._look = None


def styles_of(widget: Widget, *, ascii_only: bool) -> Styles:
    """The styles on the background of a widget, in the theme of its application."""
    app = widget.app
    return Styles(
        app.theme_variables, widget.background_colors[1], ascii_only=ascii_only, shades=not app.native_ansi_color
    )


def is_ascii(widget: Widget) -> bool:
    """True if symbols must be ASCII; False for apps without this setting, as in tests and tools."""
    return bool(getattr(widget.app, "ascii", False))


def pointer(widget: Widget) -> str:
    """The sign of the cursor, two cells wide."""
    return "> " if is_ascii(widget) else "❯ "
