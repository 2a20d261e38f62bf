"""The bare Textual app that the figures of Podium are ratios to: one Static, one key that changes it."""

from __future__ import annotations

from typing import ClassVar

from textual.app import App, ComposeResult
from textual.widgets import Static


class Hello(App[None]):
    BINDINGS: ClassVar = [("space", "press", "Press")]
    presses = 0

    def compose(self) -> ComposeResult:
        yield Static("presses 0")

    def action_press(self) -> None:
        self.presses += 1
        self.query_one(Static).update(f"presses {self.presses}")


if __name__ == "__main__":
    Hello().run()
