"""A menu at the bottom of the screen or at the mouse: press a letter, or move the cursor and press enter."""

from __future__ import annotations

from collections.abc import Sequence

from textual import events, on
from textual.app import ComposeResult
from textual.geometry import Offset

from core.record import Record
from tui.dialogs.dialog import Dialog
from tui.widgets.option_list import Row, Rows


class MenuEntry(Record, kw_only=False):
    """One line of the menu. An entry with a ``reason`` is disabled, and shows it when chosen."""

    id: str
    key: str
    """The character that chooses it; empty for an entry that only the cursor reaches."""
    words: str
    reason: str = ""


WIDTH = 56
"""Cells of the panel."""


class KeyMenu(Dialog[str | None]):
    """A menu of single letters. Dismissed with the id of the chosen entry, or None."""

    DEFAULT_CSS = f"""
    KeyMenu {{
        align: center bottom;
        &.-at-mouse {{ align: left top; }}
        #panel {{ width: {WIDTH}; padding: 0 1; }}
        #message {{ margin: 0; }}
    }}
    """

    def __init__(self, title: str, entries: Sequence[MenuEntry], at: Offset | None = None) -> None:
        """``at``: the cell of the mouse where the menu opens; by default it opens at the bottom of the screen."""
        super().__init__(title, "esc close")
        self._entries = tuple(entries)
        self._at = at

    def on_resize(self) -> None:
        """Put the panel where the mouse is, or as near to it as it fits."""
        if self._at is not None:
            width, height = min(WIDTH, self.size.width), min(len(self._entries) + 2, self.size.height)
            x, y = min(self._at.x, self.size.width - width), min(self._at.y, self.size.height - height)
            self.add_class("-at-mouse")
            self.query_one("#panel").styles.offset = (x, y)

    def questions(self) -> ComposeResult:
        yield Rows([Row(entry.words, key=entry.key, dim=bool(entry.reason)) for entry in self._entries], id="rows")

    def on_key(self, event: events.Key) -> None:
        """Choose the entry with this letter, before any other meaning of the key; enter chooses the cursor's row."""
        if event.key == "enter":
            return
        for index, entry in enumerate(self._entries):
            if entry.key and entry.key in (event.character, event.key):
                event.stop()
                event.prevent_default()
                self.query_one(Rows).move(index)
                self._choose(entry)
                return

    @on(Rows.Chosen)
    def go(self, chosen: Rows.Chosen) -> None:
        self._choose(self._entries[chosen.index])

    def _choose(self, entry: MenuEntry) -> None:
        if entry.reason:
            self.say(entry.reason)
        else:
            self.dismiss(entry.id)
