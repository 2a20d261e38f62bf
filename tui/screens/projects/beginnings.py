"""The ways to begin, on the Projects screen of a user who has no project yet."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from textual import on

from tui.podium import Podium
from tui.screens.framework.global_actions import TourActions
from tui.widgets.bars import GoalFacts, OwnKey
from tui.widgets.choices import Choice, Choices

if TYPE_CHECKING:
    from tui.screens.projects.projects import ProjectsScreen

CHOICES = (
    Choice("1", "Show me around", "A sample project and seven small goals, about three minutes."),
    Choice("2", "Start from a template", "Phases, cards and dates for a launch, a campaign, an event …"),
    Choice("3", "Empty project", "Start from scratch: add your own phases and tasks."),
)
KEYS = ("projects.tour", "projects.from_template", "projects.empty_project")
"""The keys of the choices, in their order."""
LABELS: tuple[OwnKey, ...] = (
    ("1", "show me around", f"screen.do('{KEYS[0]}')"),
    ("2", "template", f"screen.do('{KEYS[1]}')"),
    ("3", "empty project", f"screen.do('{KEYS[2]}')"),
    ("g", "go", "screen.do('everywhere.go')"),
    ("?", "help", "screen.do('everywhere.help')"),
)
REDO: OwnKey = ("U", "redo", "screen.do('everywhere.redo')")


class NextStep(TourActions):
    """On the list of projects the goal is the way back to the tour, or the step that comes after it."""

    screen: ProjectsScreen

    def goal(self) -> GoalFacts | None:
        if self.screen.has_class("-begin"):
            return None
        sample = self.screen.pages.lines.get(self.podium.tour.project_id)
        return self.podium.tour.next_step(sample.project.name if sample else "")


class Beginnings(Choices):
    """The choices; while the screen has the class ``-begin``, they take the place of its list."""

    def __init__(self) -> None:
        super().__init__(
            "No projects yet",
            "How do you want to begin? Press a key.",
            CHOICES,
            "Press n to create a project at any time, g to go to another screen, and ? for all keys.",
            LABELS,
            id="begin",
        )

    def offer(self, is_offered: bool) -> None:
        """Show the choices in place of the list, or the list; the one that is shown has the focus."""
        screen = self.screen
        undone = cast("Podium", self.app).sending.undone
        self.own_keys = (REDO, *LABELS) if undone else LABELS
        if is_offered != screen.has_class("-begin"):
            screen.set_class(is_offered, "-begin")
            if screen.previewer is not None:  # type: ignore[attr-defined]
                screen.previewer.lay_out()  # type: ignore[attr-defined]
            screen.set_focus(self if is_offered else screen.query_one("#lines"))

    @on(Choices.Chosen)
    async def _begin(self, chosen: Choices.Chosen) -> None:
        chosen.stop()
        await self.screen.action_do(KEYS[chosen.index])  # type: ignore[attr-defined]
