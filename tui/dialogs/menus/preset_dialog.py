"""The menu of view presets: the screen behind it previews the preset at the cursor, and keys act on it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from core.domain.model import Id
from core.domain.view_settings import ViewPreset
from core.record import Record
from tui.dialogs.dialog import Dialog, PlainText
from tui.widgets.option_list import Row, Rows


class PresetOption(Record, kw_only=False):
    """A line of the menu."""

    preset: ViewPreset
    hint: str
    about: str
    """The preset in words, shown under the list."""
    refusals: dict[str, str]
    """Reasons for disabled actions, by the name of the action."""


class PresetMenuResult(Record, kw_only=False):
    """The chosen action and its preset."""

    act: str
    """"choose", or one of ACTS."""
    preset: ViewPreset


ACTS = {"n": "new", "e": "edit", "s": "share", "d": "remove", "v": "as_viewer", "r": "reset"}
"""The actions of the menu by key."""

KEYS = "n new from this · e edit · s share · d remove\nv preview as viewer · r default of my role"


class PresetDialog(Dialog[PresetMenuResult | None]):
    """Asks for a preset. Dismissed with action and preset, or None. Calls ``preview`` for each preset at the cursor."""

    DEFAULT_CSS = """
    PresetDialog {
        align: right bottom;
        #panel { width: 52; padding: 0 1; }
        #rows { max-height: 14; }
        #about { margin-top: 1; height: 2; color: $foreground; }
        #keys { color: $text-muted; }
    }
    PresetDialog.-tight #about { margin-top: 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k,ctrl+p", "step(-1)", show=False),
        Binding("down,j,ctrl+n", "step(1)", show=False),
        Binding("home", "step(-1000)", show=False),
        Binding("end,G", "step(1000)", show=False),
        Binding("enter", "choose", show=False),
        Binding("P,q", "leave", show=False),
        *(Binding(key, f"act('{act}')", show=False) for key, act in ACTS.items()),
    ]

    def __init__(
        self, lines: Sequence[PresetOption], chosen: Id, start: Id, preview: Callable[[ViewPreset], None]
    ) -> None:
        super().__init__("View presets", "enter choose · esc keep current")
        self._lines = tuple(lines)
        self._chosen = chosen
        self._start = next((at for at, line in enumerate(lines) if line.preset.id == start), 0)
        self._preview = preview

    def questions(self) -> ComposeResult:
        rows = [
            Row(line.preset.name, line.hint, mark=line.preset.id == self._chosen, is_radio=True) for line in self._lines
        ]
        yield Rows(rows, id="rows", takes_focus=False)
        yield PlainText(id="about")
        yield PlainText(KEYS, id="keys")

    def on_mount(self) -> None:
        self._go(self._start)

    def action_step(self, by: int) -> None:
        self._go(self.query_one(Rows).cursor + by)

    def _go(self, at: int) -> None:
        """Put the cursor on a line, and preview its preset on the screen behind."""
        rows = self.query_one(Rows)
        rows.move(at)
        line = self._lines[rows.cursor]
        self.query_one("#about", PlainText).put(line.about)
        self.say("")
        self._preview(line.preset)
        self.refresh()  # the screen behind is drawn as the background of this one

    @on(Rows.Chosen)
    def action_choose(self) -> None:
        self.dismiss(PresetMenuResult("choose", self._lines[self.query_one(Rows).cursor].preset))

    def action_act(self, act: str) -> None:
        """Close with an action, or show the reason why it is disabled."""
        line = self._lines[self.query_one(Rows).cursor]
        if reason := line.refusals.get(act):
            self.say(reason, bad=True)
        else:
            self.dismiss(PresetMenuResult(act, line.preset))
