"""Reading the project of a view: whole at first, unless another view has read it, and then only what has changed."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from core.actions.workflow.canvas import MAX_FIRST, GetCanvas
from core.actions.workflow.canvas_changes import GetCanvasChanges
from core.domain.canvas import Canvas
from core.domain.view_settings import ViewPreset
from core.record import replace
from tui.board.model import NOTHING
from tui.terminal.workers import start_worker

if TYPE_CHECKING:
    from tui.screens.views.project_view import ProjectView


class ProjectReading:
    """The reads of one view, which draws each by ``take_whole`` or ``take_changes``."""

    def __init__(self, screen: ProjectView) -> None:
        self._screen = screen
        self.read_on: date | None = None
        """The day on which the project was read whole; None before, and when all is to be read again."""

    async def read(self) -> None:
        """Read whole once, on a new day, and after too many changes; else only what changed since. Raises PodiumError.

        An answer of None means that nothing changed, and then nothing is drawn.
        """
        screen = self._screen
        if self.read_on != date.today() or screen.changes_query is None:
            await self._read_whole()
            return
        today = screen.head.today
        changes = await screen.podium.query(screen.changes_query)
        if self.read_on is None:  # forgotten meanwhile: changes of what is not there any more
            await self._read_whole()
            return
        if changes is None:
            return
        if changes.read_again or changes.head.today != today:  # on a new day every date reads differently
            await self._read_whole()
        else:
            before = screen.presenter.card
            screen.take_changes(changes)
            screen.cursor_return.changed(before, changes)
        if changes.by_others:
            screen.highlight.light(changes.by_others)
        screen.cursor_line.say_activity(changes.others)

    @property
    def whole(self) -> Canvas | None:
        """The project as the screen read it last; None where that was in part, on another day, or must not be seen."""
        screen = self._screen
        is_whole = self.read_on == date.today() and screen.access.unseen is None and screen.preview is None
        if not is_whole or screen.access.as_viewer:
            return None
        return replace(screen.canvas, cards=tuple(screen.presenter.every_card()))

    async def _take_over(self) -> bool:
        """Draw the project as another open view read it, with what changed since; whether there is such a view."""
        from tui.screens.views.project_view import ProjectView

        screen = self._screen
        views = [each for each in screen.app.screen_stack if isinstance(each, ProjectView) and each is not screen]
        readings = (view.project_reading for view in views if view.project_id == screen.project_id)
        canvas = next(filter(None, (reading.whole for reading in readings)), None)
        if canvas is None:
            return False
        changes = await screen.podium.query(GetCanvasChanges.of(canvas.head, for_opening=True))
        if changes is None or changes.read_again or changes.head.today != canvas.head.today:
            return False
        self.read_on = date.today()
        screen.take_whole(canvas.after(changes))
        return True

    async def _read_whole(self) -> None:
        """Read the project whole; of a large one at first only the cards in view, if the screen ``shows_parts``."""
        screen, today = self._screen, date.today()
        is_first = screen.canvas is NOTHING
        if is_first and not screen.is_level and await self._take_over():
            return
        in_view = min(screen.app.size.height, MAX_FIRST)
        most = in_view if screen.shows_parts and is_first else None
        query = GetCanvas(project_id=screen.project_id, most=most)
        canvas: Canvas = await screen.podium.query(query)
        if canvas.unread and self.shown_preset(canvas.preset) != canvas.preset:
            canvas = await screen.podium.query(replace(query, most=None))
        screen.reading.is_partial = canvas.unread > 0
        self.read_on = None if canvas.unread else today
        screen.take_whole(canvas)
        if canvas.unread:
            screen.changes_query = None
            screen.call_after_refresh(start_worker, screen, screen.reading.read_rest, group="rest")

    def forget(self) -> None:
        """Have all read whole again; until then what was read stays on the screen."""
        self.read_on = self._screen.changes_query = None

    def shown_preset(self, preset: ViewPreset) -> ViewPreset:
        """The preset to look with: the one the user has chosen, unless they look as a Viewer or at another one."""
        screen = self._screen
        return screen.preview or screen.podium.view_as.preset(screen.project_id, preset)

    def take_preset(self, preset: ViewPreset) -> None:
        """Apply the preset that was read, if it looks different."""
        if (shown := self.shown_preset(preset)) != self._screen.preset:
            self._screen.apply_preset(shown)
