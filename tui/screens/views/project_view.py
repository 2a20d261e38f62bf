"""The base of all views of a project, the Canvas among them: the same filter, presets, marks, news and keys.

A view has a presenter, which draws the cards that the preset and the filter leave, with a cursor on one of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from functools import partial
from typing import ClassVar

from textual import on
from textual.widgets import Input

from core.actions.workflow.canvas import MAX_FIRST, GetCanvas
from core.actions.workflow.canvas_changes import GetCanvasChanges
from core.domain.canvas import Canvas, CanvasChanges, CanvasHeader
from core.domain.model import Id, PhaseState
from core.domain.view_settings import PhaseSection, ViewPreset
from core.errors import Blocker
from core.record import replace
from tui.board.messages import CardOpened, MenuRequested, PhaseOpened
from tui.board.model import NOTHING
from tui.screens.cards.blockers import BlockerActions
from tui.screens.cards.controller import CardChanges
from tui.screens.cards.custom_fields import CustomFieldActions
from tui.screens.cards.dependencies import CardDependencies
from tui.screens.cards.editing import CardDescription, CardEditing
from tui.screens.cards.labels import CardLabels
from tui.screens.cards.status import CardStatus
from tui.screens.framework.controller import Action, Controller, PhaseDisplay
from tui.screens.framework.marking import CardMarks
from tui.screens.framework.open_projects import read_open_project
from tui.screens.framework.previewer import Previewed
from tui.screens.framework.screen import PodiumScreen
from tui.screens.views.cursor_line import CursorLine
from tui.screens.views.filtering import CardFilter
from tui.screens.views.presenter import CursorReturn, ViewPresenter
from tui.screens.views.view_actions import ViewActions, preset_words
from tui.services.destinations import VIEWS
from tui.services.host import Location
from tui.terminal.workers import start_worker
from tui.widgets.bars import TitleFacts
from tui.widgets.change_highlight import ChangeHighlight
from tui.widgets.cursor_lines import CursorListView


class ViewPhases(PhaseDisplay):
    """The phases of a view, which stays open."""

    async def go_to(self, project_id: Id, phase_id: Id, card_id: Id | None) -> None:
        to = Blocker(card_id, "TASK", "", "") if card_id else Blocker(phase_id, "PHASE", "", "")
        await self.screen.jump_to(to)

    def may_be_complete(self, phase_id: Id) -> bool:
        phase = next((each for each in self.screen.head.columns if each.id == phase_id), None)
        return phase is not None and (phase.state is PhaseState.COMPLETE or phase.missing.at_gate)

    def light(self, phase_id: Id) -> None:
        self.screen.highlight.light([phase_id])


class ProjectView(PodiumScreen):
    """One view of a project. A subclass gives ``body`` and its presenter."""

    view_words: ClassVar[str]
    """The name of the view in the title line."""
    presenter_class: ClassVar[type[ViewPresenter]]
    presenter: ViewPresenter
    """Shows the cards; a subclass names its class."""
    cursor_return: CursorReturn
    canvas: Canvas = NOTHING
    """The project as last read."""
    shows_parts: bool = False
    """Whether it can show the first cards of a large project while it reads the others."""
    preview: ViewPreset | None = None
    """The preset under the cursor of the menu of presets, which news must not replace; None while it is closed."""

    def __init__(self, project_id: Id, focus_id: Id | None = None) -> None:
        super().__init__()
        self.project_id = project_id
        self.show_archived = False
        self._focus_id = focus_id
        self.presenter = self.presenter_class(self)
        self.selection = self.presenter.selection  # type: ignore[method-assign]
        self.keys.facts_of_screen = self.presenter.key_facts
        self.cursor_return = CursorReturn(self.presenter)
        self.highlight = ChangeHighlight(self, self.presenter.show_highlight)
        self.phase_display = ViewPhases(self)
        self.changes = CardChanges(self, self.presenter)
        self.cursor_line = self.add(CursorLine(self))
        self.filter = self.add(CardFilter(self, self.presenter))
        self.project_reading = self.add(ProjectReading(self))
        self.marks = self.add(self.presenter.make_marks())
        self.add(CardStatus(self, self.changes))
        self.editing = self.add(CardEditing(self, self.changes))
        self.add(CardLabels(self, self.changes))
        self.add(CardDescription(self, self.changes))
        self.add(CardDependencies(self, self.changes))
        self.view_actions = self.add(ViewActions(self))
        self.add(ViewSteps(self))
        self.add(CustomFieldActions(self))
        self.add(BlockerActions(self))

    def again(self) -> ProjectView:
        return type(self)(self.project_id, self.location.card_id)

    def find_record(self) -> Previewed | None:
        """The card of the cursor, for the preview; without one, the phase."""
        from tui.screens.previews.kinds import preview_of

        card, column = self.presenter.card, self.presenter.column
        team = {member.user_id: member.name for member in self.head.members}
        if card is not None:
            return preview_of(card.kind, card.id, card.title, team=team)
        return preview_of("PHASE", column.id, column.name, team=team) if column else None

    def place(self) -> str:
        name = self.head.name
        return f"{self.view_words} · {name}" if name else "…"

    def title_facts(self) -> TitleFacts:
        """Add the modes: the preset unless it is the ordinary one, a typed filter in force, and a shown archive."""
        facts = super().title_facts()
        if facts.is_hidden:
            return facts
        filtered, archive = "filtered" if self.filter.narrows else "", "archive" if self.show_archived else ""
        modes = filter(None, (*preset_words(self.preset), filtered, archive))
        return replace(facts, modes=tuple(modes))

    # -- reading ---------------------------------------------------------------------------------------------

    @property
    def head(self) -> CanvasHeader:
        """The project without its cards, as last read."""
        return self.canvas.head

    @property
    def preset(self) -> ViewPreset:
        """The preset that the view is drawn with."""
        return self.canvas.preset

    async def reload(self) -> None:
        await self.project_reading.read()

    def take_whole(self, canvas: Canvas) -> None:
        """Draw the project as it was read whole."""
        self._take(canvas, self.project_reading.shown_preset(canvas.preset))
        self.filter.read()
        self.presenter.redraw()
        if self._focus_id:
            self.presenter.go_to(self._focus_id)
            self._focus_id = None

    def take_changes(self, changes: CanvasChanges) -> None:
        """Draw what has changed."""
        before = self.preset
        self._take(
            self.canvas.after(changes), self.project_reading.shown_preset(changes.preset) if changes.preset else before
        )
        if self.filter.read() or self.preset != before:
            self.presenter.redraw()
        else:
            self.presenter.redraw_changed(changes)

    def _take(self, canvas: Canvas, preset: ViewPreset) -> None:
        if preset.viewing != self.preset.viewing:
            self.show_archived = PhaseSection.ARCHIVED in preset.viewing.sections
        self.canvas = replace(canvas, preset=preset)
        self.changes_query = GetCanvasChanges.of(self.head)
        self.access.take_head(self.head)
        if isinstance(self.marks, CardMarks) and self.marks.ids:
            self.marks.keep({card.id for card in canvas.cards})

    def data_hidden(self) -> None:
        self._focus_id = self.location.card_id
        self.project_reading.forget()
        self.canvas = NOTHING
        self.presenter.redraw()

    # -- drawing ---------------------------------------------------------------------------------------------

    def apply_preset(self, preset: ViewPreset) -> None:
        self.canvas = replace(self.canvas, preset=preset)
        self.show_archived = PhaseSection.ARCHIVED in preset.viewing.sections
        self.filter.read()
        self.presenter.redraw()
        self.show_titles()

    @property
    def location(self) -> Location:
        """The card is the one that will have the cursor, until it is read: the next view may be asked for before."""
        card = self.presenter.card if self.is_alive else None
        return Location(self.project_id, card.id if card else self._focus_id)

    def show_people(self) -> None:
        super().show_people()
        self.cursor_line.show()
        self.presenter.show_online()

    # -- the keys --------------------------------------------------------------------------------------------

    async def jump_to(self, blocker: Blocker) -> None:
        """Put the cursor on a blocker, or open it where it is not shown."""
        if any(card.id == blocker.id for card in self.presenter.list_shown()):
            self.presenter.go_to(blocker.id)
        else:
            await super().jump_to(blocker)

    # -- messages of widgets ---------------------------------------------------------------------------------

    @on(Input.Changed, "FilterLine")
    def _filter_as_typed(self) -> None:
        self.filter.apply()
        self.show_titles()

    @on(CardOpened)
    @on(PhaseOpened)
    @on(CursorListView.Opened)
    async def _open(self) -> None:
        await self.keys.actions["open"].run()

    @on(MenuRequested)
    @on(CursorListView.MenuRequested)
    def _open_menu(self) -> None:
        self.keys.actions["menu"].run(self.app.mouse_position)


class ProjectReading(Controller):
    """The reads of one view, which draws each by ``take_whole`` or ``take_changes``.

    The project is read whole at first, unless another view has read it, and then only what has changed.
    """

    screen: ProjectView

    def __init__(self, screen: ProjectView) -> None:
        super().__init__(screen)
        self.read_on: date | None = None
        """The day on which the project was read whole; None before, and when all is to be read again."""

    def actions(self) -> Sequence[Action]:
        return (Action("refresh", self.do_refresh),)

    async def do_refresh(self) -> None:
        """Read the whole project again."""
        self.forget()
        await self.screen.reading.read_again()

    async def read(self) -> None:
        """Read whole once, on a new day, and after too many changes; else only what changed since. Raises PodiumError.

        An answer of None means that nothing changed, and then nothing is drawn.
        """
        screen = self.screen
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
            screen.cursor_return.note_changes(before, changes)
        if changes.by_others:
            screen.highlight.light(changes.by_others)
        screen.cursor_line.say_activity(changes.others)

    @property
    def whole(self) -> Canvas | None:
        """The project as the screen read it last; None where that was in part, on another day, or must not be seen."""
        screen = self.screen
        is_whole = self.read_on == date.today() and screen.access.unseen is None and screen.preview is None
        if not is_whole or screen.access.as_viewer:
            return None
        return replace(screen.canvas, cards=tuple(screen.presenter.every_card()))

    async def _take_over(self) -> bool:
        """Draw the project as another open view read it, with what changed since; whether there is such a view."""
        screen = self.screen
        canvas = await read_open_project(screen.podium, screen.project_id, besides=screen, for_opening=True)
        if canvas is None:
            return False
        self.read_on = date.today()
        screen.take_whole(canvas)
        return True

    async def _read_whole(self) -> None:
        """Read the project whole; of a large one at first only the cards in view, if the screen ``shows_parts``."""
        screen, today = self.screen, date.today()
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
        self.read_on = self.screen.changes_query = None

    def shown_preset(self, preset: ViewPreset) -> ViewPreset:
        """The preset to look with: the one the user has chosen, unless they look as a Viewer or at another one."""
        screen = self.screen
        return screen.preview or screen.podium.view_as.preset(screen.project_id, preset)

    def take_preset(self, preset: ViewPreset) -> None:
        """Apply the preset that was read, if it looks different."""
        if (shown := self.shown_preset(preset)) != self.screen.preset:
            self.screen.apply_preset(shown)


class ViewSteps(Controller):
    """Go to the next or the previous view of the project, with the cursor on the same card."""

    def actions(self) -> Sequence[Action]:
        return (
            Action("next_view", lambda: self._step(+1)),
            Action("previous_view", lambda: self._step(-1)),
        )

    def _step(self, step: int) -> None:
        """As work of the app, for it may close this screen."""
        self.podium.begin(partial(self._go, step))

    async def _go(self, step: int) -> None:
        names = [view.name for view in VIEWS]
        view = VIEWS[(names.index(self.screen.name_in_table) + step) % len(VIEWS)]
        card_id = self.screen.location.card_id
        was_open = await self.podium.visit(view.to(self.screen.project_id, card_id))
        top = self.podium.visible_screen
        if card_id is not None and was_open and isinstance(top, ProjectView):
            top.presenter.go_to(card_id)
