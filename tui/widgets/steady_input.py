"""An input of one line that draws and sends no more than what is typed into it."""

from __future__ import annotations

from textual.geometry import Size
from textual.reactive import Reactive
from textual.widgets import Input


class SteadyInput(Input):
    """Textual's input lays the whole screen out again at each letter, because its text is longer then.

    The text scrolls within the line, so that only the line has to be drawn. The cursor does not blink, since
    that is drawn and sent twice a second, also while you do nothing.
    """

    virtual_size = Reactive(Size(0, 0), layout=False)
    cursor_blink = Reactive(False, init=False)
