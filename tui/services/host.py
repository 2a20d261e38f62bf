"""The application and its screens, as services and functions know them: ``Podium`` is this host (tui/podium.py)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Protocol, TypeVar

from textual.screen import ModalScreen, Screen
from textual.widget import Widget

from core.actions.workspace.profile import CurrentUser
from core.backends.local import Backend
from core.domain.grants import DecisionSource
from core.domain.model import WORKSPACE, Id
from core.domain.permissions import Permission
from core.domain.view_settings import ViewPreset
from core.engine.messages import Command, Query
from core.errors import Blocker, PodiumError, RuleViolation
from core.record import Record
from core.storage.progress import NO_PROGRESS, Progress
from tui.services.destinations import Destination
from tui.services.preferences import Preferences
from tui.terminal.workers import TimerOwner

R = TypeVar("R")


class Location(Record, kw_only=False):
    """The project of a screen, and the card or phase under its cursor."""

    project_id: Id = WORKSPACE
    card_id: Id | None = None
    phase_id: Id | None = None


class ScreenAccess(Protocol):
    """The user's permissions on a screen; ``Access`` describes each."""

    authority: DecisionSource
    held: frozenset[Permission]
    unseen: PodiumError | None

    @property
    def as_viewer(self) -> bool: ...
    def reason(self, permission: Permission) -> str: ...

    async def ask(self) -> None: ...


class UndoFollower(Protocol):
    """The part of a screen that follows the user's undo and redo."""

    def before_undo(self) -> None:
        """Called before an undo is sent."""

    def after_undo(self) -> None:
        """Called when its changes were read."""


class OpenScreen(Protocol):
    """The interface of ``PodiumScreen`` for services."""

    project_id: Id
    project_name: str
    changes_query: Query[Any] | None
    """The query by which it reads what has changed; None while it reads everything."""
    commits: int
    """The number of the user's last commit, if all changes up to it are on the screen; 0 where it is not known."""

    @property
    def cursor_return(self) -> UndoFollower | None:
        """Puts the cursor back on a card that an undo brought back; None on screens that do not."""

    @property
    def access(self) -> ScreenAccess:
        """The user's permissions on it."""

    @property
    def is_mounted(self) -> bool:
        """True when its widgets exist."""

    @property
    def is_level(self) -> bool:
        """True if other places open on top of it, and esc leads back to it."""

    @property
    def is_of_record(self) -> bool:
        """True for the page of one record."""

    def again(self) -> OpenScreen:
        """A new screen of the same place, with the same cursor."""

    @property
    def is_alive(self) -> bool:
        """True while it can show an answer."""

    @property
    def location(self) -> Location:
        """The location of the user on it, for presence."""

    async def refresh_from_core(self, *, unasked: bool = False) -> bool:
        """Read its query again, and draw the differences."""

    def show_people(self) -> None:
        """Draw the other users on this project."""

    def show_titles(self) -> None:
        """Update the title line and the key line."""

    def apply_preset(self, preset: ViewPreset) -> None:
        """Apply a preset, on a view of a project."""

    async def jump_to(self, blocker: Blocker) -> None:
        """Show a blocker."""


class Host(TimerOwner, Protocol):
    """The application for everything below it. ``Podium`` describes what each of these does."""

    backend: Backend
    me: CurrentUser
    via: str
    files: bool
    preferences: Preferences
    before_key: list[Callable[[], None]]

    async def query(self, query: Query[R]) -> R:
        """Answer a query. Raises PodiumError."""

    async def aside(self, query: Query[R]) -> R:
        """Answer a query that can take long, while other queries go on. Raises PodiumError."""

    async def perform(self, command: Command[R]) -> R | None:
        """Carry out a command; None if it was refused, which the user has then seen."""

    async def send(self, command: Command[R], progress: Progress = NO_PROGRESS) -> R:
        """Carry out a command for a caller that shows errors itself. Raises PodiumError."""

    async def send_or_ask(self, command: Command[Any]) -> Any: ...
    def use(self, name: str, value: str) -> None: ...
    async def keep(self, name: str, value: str) -> None: ...
    def take_rights(self, held: frozenset[Permission], authority: DecisionSource) -> None: ...
    def toast(
        self, words: str, *, severity: str = "information", enter: Callable[[], Awaitable[object]] | None = None
    ) -> None: ...
    def show_error(self, error: PodiumError) -> None:
        """Show an error where the user looks."""

    def explain(self, error: RuleViolation, title: str = "") -> None:
        """Show a refusal with all that it names, so that the user can go there."""

    async def ask(self, dialog: ModalScreen[R]) -> R: ...
    def begin(self, work: Callable[[], Awaitable[object]], group: str = "default") -> None:
        """Run work that may ask the user, beside the screen."""

    @property
    def visible_screen(self) -> OpenScreen | None: ...
    @property
    def open_screens(self) -> Sequence[OpenScreen]: ...
    @property
    def screen(self) -> Screen[Any]: ...
    @property
    def screen_stack(self) -> Sequence[Screen[Any]]: ...
    @property
    def focused(self) -> Widget | None: ...
    async def open(self, destination: Destination) -> None:
        """Open a place on top of the screen."""

    def go_to_new(self, destination: Destination) -> None: ...
    def show_titles(self) -> None: ...
    def bell(self) -> None: ...
    def write_to_terminal(self, codes: str) -> None: ...
