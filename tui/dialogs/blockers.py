"""The reason for a refusal: the rule, the blockers as a jump list, and the people who can help."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from core.errors import Blocker
from tui.dialogs.dialog import Dialog, PlainText
from tui.widgets.option_list import Row, Rows

_SIGNS = {"TASK": "○", "ACTIVITY": "◇", "PHASE": "▌"}


class BlockersDialog(Dialog[Blocker | None]):
    """Shows a refusal. Dismissed with the blocker that the user picked, or None."""

    DEFAULT_CSS = """
    BlockersDialog {
        #reason { dock: top; }
        #who { dock: bottom; color: $text-muted; }
        Rows { margin: 1 0; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "step(1)", show=False),
        Binding("k", "step(-1)", show=False),
        Binding("w,q", "leave", show=False),
        Binding("enter", "leave", show=False),
    ]

    def __init__(self, title: str, reason: str, blockers: tuple[Blocker, ...], who_can: tuple[str, ...]) -> None:
        super().__init__(title, "enter go there · esc close" if blockers else "esc close")
        self._reason = reason
        self._blockers = blockers
        self._who_can = who_can

    def questions(self) -> ComposeResult:
        yield PlainText(self._reason, id="reason")
        if self._who_can:
            yield PlainText(f"Who can help: {', '.join(self._who_can)}.", id="who")
        if self._blockers:
            rows = [Row(f"{_SIGNS.get(each.kind, '·')} {each.title}", each.where) for each in self._blockers]
            yield Rows(rows, id="rows")

    def action_step(self, rows: int) -> None:
        for listed in self.query(Rows):
            listed.action_step(rows)

    @on(Rows.Chosen)
    def go(self, chosen: Rows.Chosen) -> None:
        self.dismiss(self._blockers[chosen.index])
