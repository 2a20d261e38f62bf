"""The reason for a refusal: the rule, the blockers as a jump list, the people who can help, and the ways out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from core.domain.model import ItemKind
from core.errors import Blocker
from core.record import Record
from tui.dialogs.dialog import Dialog, PlainText
from tui.drawing.styles import ASCII, UNICODE, Symbols
from tui.widgets.option_list import Row, Rows
from tui.widgets.styled_widget import is_ascii


class WayOut(Record, kw_only=False):
    """Something that the user can do about a refusal, with its key."""

    key: str
    words: str


class BlockersDialog(Dialog[Blocker | WayOut | None]):
    """Shows a refusal. Dismissed with the blocker or the way out that the user picked, or None."""

    DEFAULT_CSS = """
    BlockersDialog {
        #reason { dock: top; }
        #note { dock: bottom; color: $text-muted; }
        Rows { margin: 1 0; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "step(1)", show=False),
        Binding("k", "step(-1)", show=False),
        Binding("w,q", "leave", show=False),
        Binding("enter", "leave", show=False),
    ]

    def __init__(
        self, title: str, reason: str, blockers: Sequence[Blocker] = (), note: str = "", ways: Sequence[WayOut] = ()
    ) -> None:
        super().__init__(title, "enter go there · esc close" if blockers else "esc close")
        self._reason = reason
        self._picks: tuple[Blocker | WayOut, ...] = (*blockers, *ways)
        self._note = note

    def questions(self) -> ComposeResult:
        yield PlainText(self._reason, id="reason")
        if self._note:
            yield PlainText(self._note, id="note")
        if self._picks:
            signs = ASCII if is_ascii(self) else UNICODE
            yield Rows([_row(each, signs) for each in self._picks], id="rows")

    def action_step(self, rows: int) -> None:
        for listed in self.query(Rows):
            listed.action_step(rows)

    def on_key(self, event: events.Key) -> None:
        """Take the way out with this key."""
        for each in self._picks:
            if isinstance(each, WayOut) and each.key == event.character:
                event.stop()
                event.prevent_default()
                self.dismiss(each)

    @on(Rows.Chosen)
    def go(self, chosen: Rows.Chosen) -> None:
        self.dismiss(self._picks[chosen.index])


def _row(pick: Blocker | WayOut, signs: Symbols) -> Row:
    if isinstance(pick, WayOut):
        return Row(pick.words, key=pick.key)
    others = {ItemKind.APPLICATION.value: signs.application, "PHASE": signs.bar}
    return Row(f"{signs.of_blocker(pick) or others.get(pick.kind, signs.dot)} {pick.title}", pick.where)
