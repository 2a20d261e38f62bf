"""A screen that is painted once when it opens, where Textual lays it out and paints it several times."""

from __future__ import annotations

from typing import ClassVar, TypeVar

from textual._context import visible_screen_stack
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.screen import ModalScreen, Screen
from textual.strip import Strip
from textual.widget import _RenderCache

R = TypeVar("R")


class SettledScreen(Screen[R]):
    """A screen that is painted first when it has its last layout."""

    _is_laid_out = False

    def _refresh_layout(self, size: Size | None = None, scroll: bool = False) -> None:
        """Lay it out twice before its first paint, because only a layout shows which scrollbars it needs."""
        if not self._is_laid_out and self.is_mounted:
            self._is_laid_out = True
            with self.app.batch_update():
                super()._refresh_layout(size, scroll)
        super()._refresh_layout(size, scroll)

    def _screen_resized(self, size: Size) -> None:
        """Lay it out in another size. Textual tells each screen that opens, and those below it, the size they have."""
        if size != self._compositor.size:
            super()._screen_resized(size)


class SettledModal(SettledScreen[R], ModalScreen[R]):
    """A screen through which the one below it is seen as it is."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+l", "app.redraw", show=False),
        Binding("ctrl+z", "app.suspend_process", show=False),
    ]

    def _render_content(self) -> None:
        """Take the lines of the screen below. Textual would have Rich take them apart, to mix a colour into each."""
        try:
            below = visible_screen_stack.get().pop()
        except LookupError:  # Textual's name for an empty list, too
            super()._render_content()
            return
        lines = [_without_meta(strip) for strip in below._compositor.render_strips()]
        self._render_cache = _RenderCache(self.size, lines)
        self._dirty_regions.clear()


def _without_meta(strip: Strip) -> Strip:
    """A line without what a click does there, which is for the screen that it belongs to."""
    has_meta = any(style is not None and style._meta is not None for _, style, _ in strip)
    return strip.discard_meta() if has_meta else strip
