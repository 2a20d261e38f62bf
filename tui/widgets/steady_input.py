"""An input of one line that keeps its size while it is typed into."""

from __future__ import annotations

from textual.geometry import Size
from textual.reactive import Reactive
from textual.widgets import Input


class SteadyInput(Input):
    """Textual's input lays the whole screen out again at each letter, because its text is longer then.

    The text scrolls within the line, so that only the line has to be drawn.
    """

    virtual_size = Reactive(Size(0, 0), layout=False)
