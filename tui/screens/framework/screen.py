"""The base of all screens: a title line, the body and a line of keys, read again after changes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, TypeVar, cast

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.reactive import Reactive

from core.domain.model import WORKSPACE, Id
from core.domain.view_settings import ViewPreset
from core.engine.messages import Query
from core.errors import Blocker
from tui.keys.table import BY_ID, keys_on
from tui.podium import Podium
from tui.screens.framework.access import Access
from tui.screens.framework.controller import Action, Controller, PhaseDisplay, Selection
from tui.screens.framework.global_actions import GlobalActions, TourActions
from tui.screens.framework.key_dispatcher import KeyDispatcher
from tui.screens.framework.previewer import Previewer
from tui.screens.framework.reading import Reading
from tui.services.destinations import Destination, ToApplication, ToCard, ToPhase
from tui.services.host import Location, UndoFollower
from tui.widgets.abstract import AbstractMeta
from tui.widgets.bars import WITH_GOAL, GoalLine, KeyBar, TitleBar, TitleFacts
from tui.widgets.settled_screen import SettledScreen
from tui.wording.permissions import unusual

C = TypeVar("C", bound=Controller)


class PodiumScreen(SettledScreen[Any], metaclass=AbstractMeta):
    """The frame of a screen. A subclass gives ``name_in_table``, ``body()``, ``reload()`` and adds its controllers.

    Example::

        class ProductsScreen(ListScreen):
            name_in_table = "products"

            def __init__(self) -> None:
                super().__init__()
                self.add(ProductActions(self))
    """

    name_in_table: ClassVar[str]
    """The screen's name in the table of keys, of which its bindings are made."""
    title_words: ClassVar[str] = ""
    is_level: ClassVar[bool] = False
    """Whether other places open on top of it, and esc leads back to it."""
    is_of_record: ClassVar[bool] = False
    """Whether it is the page of one record."""
    shows_data: ClassVar[bool] = True
    """Whether it shows anything that takes a permission to see."""
    spans_projects: ClassVar[bool] = False
    """Whether its query covers all projects, with the permissions there: it is read again when they are asked for."""

    changes_query: Query[Any] | None = None
    """The query by which ``reload`` reads what has changed, where that is all that it asks; None otherwise."""
    cursor_return: UndoFollower | None = None
    """Puts the cursor back on a card that an undo brought back, where the screen does that."""

    tour_actions_type: ClassVar[type[TourActions]] = TourActions
    """The keys of the tour, which know the goal in the line above the keys."""

    DEFAULT_CSS = """
    PodiumScreen.-with-goal {
        GoalLine { display: block; }
        DetailLine, FilterLine { margin-bottom: 2; }
        MessageLine { margin-bottom: 2; }
        FilterHelp { margin-bottom: 3; }
        PreviewPane { margin-bottom: 2; }
        PreviewPane.-beside { margin-bottom: 3; }
    }
    ListScreen.-with-goal PreviewPane.-beside { margin-bottom: 2; }
    TableScreen.-with-goal PreviewPane { margin-bottom: 3; }
    """
    BLANK = True  # its own lines lie under the widgets; Textual asks for them in every frame
    ALLOW_SELECT = False  # starting a selection would repaint the whole widget at each press of the mouse

    focused = Reactive(None, repaint=False)  # Textual's own repaints everything whenever the focus moves

    previewer: Previewer | None = None
    """Shows the record under the cursor; None on a screen without a preview."""
    project_id: Id = WORKSPACE
    """The project that undo, history and permissions are about, or WORKSPACE."""
    project_name: str = ""
    """The name of that project as last read here; empty where it was not."""
    commits: int = 0
    """The number of the user's last commit, if all changes up to it are on the screen; 0 where it is not known."""

    def __init_subclass__(cls, **options: bool) -> None:
        if "name_in_table" in vars(cls):
            cls.BINDINGS = [
                Binding(key.keys, f"do('{key.id}')", key.words, show=False, id=key.id)
                for key in keys_on(cls.name_in_table)
                if key.keys
            ]
        super().__init_subclass__(**options)

    def __init__(self) -> None:
        super().__init__()
        self.access = Access(self)
        self.reading = Reading(self, self.access)
        self.keys = KeyDispatcher(self, self.access, self.reading)
        self.phase_display = PhaseDisplay(self)
        self.controllers: list[Controller] = []
        self.add(GlobalActions(self))
        tour_actions = self.add(self.tour_actions_type(self))
        self.title_line, self.goal_line, self.key_line = TitleBar(), GoalLine(tour_actions.goal), KeyBar()

    def add(self, controller: C) -> C:
        """Own a controller; an action replaces one of the same verb that was added before."""
        self.controllers.append(controller)
        return controller

    # -- drawing ---------------------------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        yield self.title_line
        if self.previewer is not None:
            yield from self.previewer.widgets()
        yield from self.body()
        yield self.key_line

    @abstractmethod
    def body(self) -> ComposeResult:
        """The widgets between the title and the keys."""

    def show_titles(self) -> None:
        """Bring the title line and the line of keys up to date."""
        tour, lines = self.podium.tour, [self.title_line, self.key_line]
        if tour.is_on or tour.hint or self.has_class(WITH_GOAL):  # else no goal is shown, and none is to be hidden
            if self.key_line.is_attached and not self.goal_line.is_attached:
                self.mount(self.goal_line, before=self.key_line)
            lines.append(self.goal_line)
        for line in lines:
            if line.is_attached:
                line.show()
        if self.is_current:
            self.podium.name_terminal(self.access.shown_place())

    def place(self) -> str:
        """The place, for the title line."""
        return self.title_words

    def title_facts(self) -> TitleFacts:
        """The facts for the title line."""
        podium, access = self.podium, self.access
        return TitleFacts(
            access.shown_place(),
            tuple(filter(None, (podium.me.user.name, access.title_words, *unusual(podium.via, access.authority)))),
            podium.inbox.unread,
            podium.presence.words() if podium.presence.people else (),
            podium.saving.words(),
            podium.saving.is_saved,
            access.authority,
            access.unseen is not None,
        )

    # -- reading ---------------------------------------------------------------------------------------------

    @abstractmethod
    async def reload(self) -> None:
        """Ask the screen's query again and draw the difference. Raises PodiumError."""

    async def on_screen_resume(self, event: events.ScreenResume) -> None:
        """Read at the start too, before the first paint, which so has everything in it."""
        if not self.stack_updates:
            event.refresh_styles = False  # the widgets of a new screen have their styles from mounting
        self.podium.type_ahead.recheck()
        self.podium.messages.show()
        self.podium.view_as.meet(self)
        self.access.begin()
        if self.previewer is not None and self.is_mounted:
            self.screen_layout_refresh_signal.subscribe(self, self.previewer.follow_size)
            self.previewer.lay_out()
        await self.refresh_from_core()
        if self.is_alive:
            self.podium.presence.note_move()
            self.show_people()
            self.podium.rights.ask_soon()

    async def refresh_from_core(self, *, unasked: bool = False) -> bool:
        """``reload`` with its errors shown: after changes by anyone, and on return. Returns True if it was read."""
        return await self.reading.read(unasked=unasked)

    def permissions_changed(self) -> None:
        """Called when the permissions were read."""

    def data_hidden(self) -> None:
        """Called when the data must not be shown any more; it is read again once it may."""

    # -- the place -------------------------------------------------------------------------------------------

    @property
    def podium(self) -> Podium:
        """The application, typed."""
        return cast("Podium", self.app)

    @property
    def is_alive(self) -> bool:
        """True while an answer can be shown here: a screen that was closed loses its widgets bit by bit."""
        return self.is_attached and self.podium.is_running and self in self.podium.screen_stack

    def again(self) -> PodiumScreen:
        """A new screen of the same place, to come back to."""
        return type(self)()

    def is_same_place(self, other: PodiumScreen) -> bool:
        """True if going to ``other`` would show the same."""
        return type(self) is type(other) and self.project_id == other.project_id and self.is_level

    def apply_preset(self, preset: ViewPreset) -> None:
        """Draw everything as a preset says; a view of a project does."""

    async def jump_to(self, blocker: Blocker) -> None:
        """Show a blocker; a screen with a cursor puts it there instead."""
        if blocker.kind == "DELIVERABLE":
            await self.podium.open(ToPhase(self.project_id, blocker.phase_id, blocker.id))
            return
        kinds: dict[str, Callable[[Id, Id], Destination]] = {"PHASE": ToPhase, "APPLICATION": ToApplication}
        await self.podium.open(kinds.get(blocker.kind, ToCard)(self.project_id, blocker.id))

    @property
    def location(self) -> Location:
        """The user's place for others on the project; a screen with a cursor adds its card."""
        return Location(self.project_id)

    def show_people(self) -> None:
        """Draw the other users here, who have changed."""
        self.show_titles()

    # -- the keys --------------------------------------------------------------------------------------------

    def actions(self) -> Sequence[Action]:
        """The actions of this screen alone, where they are too few for a controller."""
        return ()

    def selection(self) -> Selection:
        """The cards, phase and project that a key acts on now."""
        return Selection(self.project_id, permissions=self.access.held)

    @property
    def undo_scope(self) -> Id:
        """The project whose last change undo takes back; WORKSPACE for the user's last change anywhere."""
        return WORKSPACE if self.spans_projects else self.project_id

    def menu_title(self) -> str:
        """The title of the menu of actions."""
        selection = self.selection()
        return selection.title if selection.cards else self.place()

    async def action_do(self, key_id: str) -> None:
        """Carry out a key; all bindings lead here."""
        await self.keys.run(BY_ID[key_id])
