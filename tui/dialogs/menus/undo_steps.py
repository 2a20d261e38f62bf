"""The user's last steps, to go back to one of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from core.record import replace
from core.text.dates import ago
from core.text.phrases import count
from tui.dialogs.dialog import Dialog
from tui.widgets.option_list import Row, Rows
from tui.wording.times import now

if TYPE_CHECKING:
    from core.actions.history.undo_steps import UndoStep


NAMES_FROM = 70
"""Cells of the terminal from which on a line has room for the name of a project beside the age."""


class UndoDialog(Dialog[int | None]):
    """Lists steps, the newest first, and marks those that enter undoes: from the newest to that of the cursor.

    Dismissed with the number of the oldest step to undo, or None. A step that cannot be undone is passed over.
    """

    DEFAULT_CSS = """
    UndoDialog #panel { width: 92; }
    UndoDialog Rows { max-height: 22; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "step(1)", show=False),
        Binding("k", "step(-1)", show=False),
        Binding("q", "leave", show=False),
    ]

    def __init__(self, steps: Sequence[UndoStep], *, names_projects: bool) -> None:
        super().__init__("Undo: my last changes", "")
        self._steps = tuple(steps)
        self._names_projects = names_projects

    def questions(self) -> ComposeResult:
        yield StepRows([self._row(step) for step in self._steps], id="rows")

    def _row(self, step: UndoStep) -> Row:
        facts = [ago(step.at, now())]
        if self._names_projects and self.app.size.width >= NAMES_FROM:
            facts.append(step.project or "workspace")
        words = step.summary if step.undoable else f"{step.summary} – cannot be undone"
        return Row(words[:1].upper() + words[1:], " · ".join(facts), mark=False, dim=not step.undoable)

    def on_mount(self) -> None:
        self.query_one(StepRows).move(0)

    def action_step(self, rows: int) -> None:
        self.query_one(StepRows).action_step(rows)

    def after_move(self) -> None:
        """Say what enter does at the row of the cursor."""
        steps = [step for step in self._steps[: self.query_one(StepRows).cursor + 1] if step.undoable]
        does = f"enter undo {count(len(steps), 'step')}" if steps else "this cannot be undone"
        self.query_one("#panel").border_subtitle = f"{does} · esc close"

    @on(Rows.Chosen)
    def go(self, chosen: Rows.Chosen) -> None:
        if any(step.undoable for step in self._steps[: chosen.index + 1]):
            self.dismiss(chosen.index)
        else:
            self.say("This change cannot be undone. Move down to an earlier one.")


class StepRows(Rows):
    """Rows with marks from the first one to the cursor."""

    def move(self, cursor: int) -> None:
        super().move(cursor)
        self._rows = tuple(
            replace(row, mark=index <= self.cursor and not row.dim) for index, row in enumerate(self._rows)
        )
        if isinstance(self.screen, UndoDialog):
            self.screen.after_move()
