"""The app's interface for services and screens, which must not import ``PodiumApp`` itself."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from textual.screen import ModalScreen, Screen
from textual.theme import Theme
from textual.timer import Timer
from textual.worker import Worker
from textual.worker_manager import WorkerManager

from core.actions.workspace.profile import CurrentUser
from core.backends.local import Backend
from core.domain.grants import DecisionSource
from core.domain.model import Id
from core.domain.permissions import Permission
from core.domain.view_settings import ViewPreset
from core.engine.messages import Command, Query
from core.errors import PodiumError
from tui.dialogs.host import DialogHost
from tui.services.destinations import Destination

if TYPE_CHECKING:
    from tui.services.navigation_history import NavigationHistory
    from tui.services.permission_refresh import PermissionRefresher
    from tui.services.presence import Location, PresenceTracker
    from tui.services.save_status import SaveStatus
    from tui.services.unread_badge import UnreadBadge
    from tui.services.view_as import ViewAs
    from tui.terminal.key_queue import KeyQueue

R = TypeVar("R")
A = TypeVar("A")


class ScreenAccess(Protocol):
    """The user's permissions on a screen as services know them: ``Access``."""

    authority: DecisionSource
    unseen: PodiumError | None


class OpenScreen(Protocol):
    """The interface of ``PodiumScreen`` for services."""

    project_id: Id
    project_name: str

    @property
    def access(self) -> ScreenAccess:
        """The user's permissions on it."""

    @property
    def is_mounted(self) -> bool:
        """True when its widgets exist."""

    @property
    def is_alive(self) -> bool:
        """True while it can show an answer."""

    @property
    def location(self) -> Location:
        """The location of the user on it, for presence."""

    async def refresh_from_core(self, *, unasked: bool = False) -> bool:
        """Read its query again, and draw the differences."""

    async def ask_rights(self) -> None:
        """Ask for the permissions that its keys need."""

    def show_people(self) -> None:
        """Draw the other users on this project."""

    def show_titles(self) -> None:
        """Update the title line and the key line."""

    def apply_preset(self, preset: ViewPreset) -> None:
        """Apply a preset, on a view of a project."""


class Host(DialogHost, Protocol):
    """The interface of ``PodiumApp`` for services and screens."""

    backend: Backend
    me: CurrentUser
    via: str
    public_url: str
    place: str
    files: bool
    type_ahead: KeyQueue
    saving: SaveStatus
    places: NavigationHistory[Any]
    rights: PermissionRefresher
    inbox: UnreadBadge
    presence: PresenceTracker
    view_as: ViewAs
    theme: Any

    @property
    def ascii(self) -> bool:
        """True if symbols must be ASCII."""

    @property
    def is_running(self) -> bool:
        """True until the app ends."""

    @property
    def workers(self) -> WorkerManager:
        """The workers in the background."""

    @property
    def available_themes(self) -> dict[str, Theme]:
        """The themes by name."""

    # -- messages to the core --------------------------------------------------------------------------------

    async def query(self, query: Query[R]) -> R:
        """Send a query. Raises PodiumError."""

    async def aside(self, query: Query[R]) -> R:
        """Send a query that can take long, beside others. Raises PodiumError."""

    async def perform(self, command: Command[R]) -> R | None:
        """Carry out a command and read the screen again. A refusal is shown, and None returned."""

    async def send_or_ask(self, command: Command[Any]) -> Any:
        """Carry out a command; if it needs consent, ask the user, and return None if they decline."""

    async def undo(self, scope: Id) -> None:
        """Undo the user's last change in a project or the workspace."""

    async def redo(self, scope: Id) -> None:
        """Redo the change that the user undid last."""

    def take_rights(self, held: frozenset[Permission], authority: DecisionSource) -> None:
        """Keep the user's permissions on the workspace."""

    # -- screens ---------------------------------------------------------------------------------------------

    @property
    def screen(self) -> Screen[Any]:
        """The screen or dialog on top."""

    @property
    def screen_stack(self) -> Sequence[Screen[Any]]:
        """The screens and dialogs, the topmost last."""

    @property
    def visible_screen(self) -> OpenScreen | None:
        """The topmost screen of Podium, under any dialog."""

    @property
    def open_screens(self) -> Sequence[OpenScreen]:
        """The screens of Podium, the topmost last."""

    async def open(self, destination: Destination) -> None:
        """Open a destination on top of this screen."""

    async def visit(self, destination: Destination) -> bool:
        """Go to a destination, or back to its screen if it is open. Return True if it was open."""

    async def go(self) -> None:
        """Ask the user for a destination, and go there."""

    async def last_place(self) -> None:
        """Go back in the navigation history."""

    async def next_place(self) -> None:
        """Go forward in the navigation history."""

    def back(self) -> None:
        """Close this screen, unless it is the first one."""

    def close(self) -> None:
        """Close this screen; on the first one, quit."""

    def show_help(self) -> None:
        """Open the help for the visible screen."""

    def show_titles(self) -> None:
        """Update the title line of every screen."""

    def action_command_palette(self) -> None:
        """Open the palette."""

    # -- the user --------------------------------------------------------------------------------------------

    async def ask(self, dialog: ModalScreen[A]) -> A:
        """Open a dialog and wait for its value; only from a worker."""

    def push_screen(self, screen: Screen[Any], *args: Any, **options: Any) -> Any:
        """Open a dialog without waiting for it."""

    def copy_to_clipboard(self, text: str) -> None:
        """Copy a text."""

    def deliver_text(self, path_or_file: Any, *, save_filename: str | None = None) -> str | None:
        """Download a text in the user's browser."""

    def open_url(self, url: str) -> None:
        """Open a URL in the user's browser."""

    def bell(self) -> None:
        """Ring the terminal's bell."""

    def write_to_terminal(self, codes: str) -> None:
        """Send escape sequences to the terminal."""

    def suspend(self) -> AbstractContextManager[None]:
        """Give the terminal to another program for a while."""

    # -- work in the background ------------------------------------------------------------------------------

    def begin(self, work: Callable[[], Awaitable[object]], group: str = "default") -> None:
        """Run work that can open a screen or a dialog. Keys that are typed meanwhile wait for it."""

    def run_worker(
        self, work: Any, name: str | None = "", group: str = "default", *, exclusive: bool = False
    ) -> Worker[Any]:
        """Run work in the background."""

    def call_later(self, callback: Callable[..., Any], *args: Any, **kwargs: Any) -> bool:
        """Call a function after the messages in the queue."""

    def set_timer(self, delay: float, callback: Callable[[], Any] | None = None) -> Timer:
        """Call a function after ``delay`` seconds."""

    def set_interval(self, interval: float, callback: Callable[[], Any] | None = None) -> Timer:
        """Call a function every ``interval`` seconds."""

    def set_keymap(self, keymap: Mapping[str, str]) -> None:
        """Use the user's own keys, by id."""
