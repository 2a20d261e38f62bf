"""The line of the goal, above the line of keys: one goal of the tour with its key, or another hint."""

from __future__ import annotations

from collections.abc import Iterator

from textual.content import Content

from tui.drawing.cells import fit
from tui.widgets.bars import GoalFacts, LineWidget
from tui.widgets.styled_widget import is_ascii

WITH_GOAL = "-with-goal"
"""The class of a screen that shows the line, so that the lines above it make room."""


class GoalLine(LineWidget):
    """Hidden unless the screen has a goal to show."""

    DEFAULT_CSS = """
    GoalLine { dock: bottom; display: none; margin-bottom: 1; background: $primary 20%; color: $foreground; }
    """

    def show(self) -> None:
        """Show the goal of the screen, or hide the line."""
        self.screen.set_class(self.owner.tour_actions.goal() is not None, WITH_GOAL)
        super().show()

    def line(self, width: int) -> Content:
        facts = self.owner.tour_actions.goal()
        if facts is None:
            return Content("")
        forms = list(self._forms(facts, width))
        return next((form for form in forms if form.cell_length <= width), forms[-1])

    def _forms(self, facts: GoalFacts, width: int) -> Iterator[Content]:
        """The line from its longest form to its shortest, which is cut to fit."""
        done, here, open_ = ("x", ">", ".") if is_ascii(self) else ("✓", "▸", "·")
        number = f"{facts.number}/{len(facts.ticks)}" if facts.ticks else ""
        ticks = "".join(
            done if tick else here if at == facts.number else open_ for at, tick in enumerate(facts.ticks, 1)
        )
        key = (f"  {facts.key}  ", "bold $text-accent")
        whole = Content.assemble((f" Tour {ticks} {number}" if ticks else "", "bold"), key, facts.words)
        gap = " " * (width - whole.cell_length - len(facts.way_out) - 1)
        if facts.way_out and len(gap) >= 3:
            yield Content.assemble(whole, gap, (facts.way_out, "$text-muted"))
        yield whole
        yield Content.assemble((f" {number}" if number else "", "bold"), key, facts.words)
        lead = Content.assemble((f" {number}" if number else "", "bold"), key)
        yield Content.assemble(lead, fit(facts.short, max(0, width - lead.cell_length)))
