"""The application under its screens: sends messages and shows what comes of them.

Every change works the same way: ``perform`` sends the command, the screen sends its query again, and the differences
are drawn. Changes by others arrive in the ``ChangeListener`` and are drawn the same way.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, cast

from textual import on

from core.actions.workspace.profile import CurrentUser
from core.backends.local import Backend
from core.domain.grants import DecisionSource
from core.domain.permissions import Permission
from core.engine.messages import Answered, Command, Query
from core.errors import PodiumError, RuleViolation, ServerUnavailable, VersionConflict, WouldRelockPhases
from core.record import replace
from core.storage.progress import NO_PROGRESS, Progress
from core.text.sanitize import sanitize, visible_line
from tui.dialogs.conflict_choice import ConflictResolved
from tui.services.change_listener import ChangeListener
from tui.services.command_sender import CommandSender
from tui.services.destinations import Destination, ToImport
from tui.services.host import OpenScreen
from tui.services.messages import UserMessages
from tui.services.navigation_history import NavigationHistory
from tui.services.permission_refresh import PermissionRefresher
from tui.services.preferences import Preferences
from tui.services.presence import PresenceTracker
from tui.services.save_status import SaveStatus
from tui.services.tour import Tour
from tui.services.undo_sender import UndoSender
from tui.services.unread_badge import UnreadBadge
from tui.services.view_as import ViewAs
from tui.terminal.lifecycle import no_way_back
from tui.terminal.pastes import LinesJoined
from tui.terminal.terminal_app import TerminalApp
from tui.widgets.abstract import AbstractMeta

if TYPE_CHECKING:
    from core.engine.dry_run import DryRun
    from tui.dialogs.drafts import DraftFiles

R = TypeVar("R")


class Podium(TerminalApp[int], metaclass=AbstractMeta):
    """The application as screens know it. ``PodiumApp`` adds the screens."""

    answered: Answered | None = None
    """The query of the visible screen that was answered with a command, until the screen has read the answer."""
    drafts: DraftFiles | None = None
    """The drafts of the user; None where none are kept, as in a browser."""
    files: bool = True
    """True if the user can name files of this machine; ignored in a browser, where they never can."""
    has_mouse: bool = True
    """False while the terminal has the mouse, to select text."""
    place: str = ""
    """The server or database, as agreements name it."""

    def __init__(self, backend: Backend, me: CurrentUser, via: str, public_url: str) -> None:
        """``public_url``: where products exchange launch codes; if empty, web products get the context itself."""
        super().__init__()
        self._disable_notifications = self._disable_tooltips = True  # their widgets on each screen, of no use here
        self.backend, self.me, self.via, self.public_url = backend, me, via, public_url
        self.before_key: list[Callable[[], None]] = []
        """Called once, before the next key of any screen is carried out."""
        self.preferences = Preferences(self)
        self.messages = UserMessages(self)
        self.saving = SaveStatus()
        self.places = NavigationHistory()
        self.rights = PermissionRefresher(self)
        self.inbox = UnreadBadge(self)
        self.presence = PresenceTracker(self)
        self.view_as = ViewAs(self)
        self.tour = Tour(self)
        self.sending = CommandSender(self, self.saving, self.tour)
        self.undoing = UndoSender(self, self.sending)
        self.following = ChangeListener(self, self.saving, self.presence, self.inbox, self.tour)

    @property
    def ascii(self) -> bool:
        """True if symbols must be ASCII."""
        return self.preferences.find("signs") == "ascii"

    def _refresh_notifications(self) -> None:
        """Show none of Textual's: ``messages`` has its own line."""

    def forget_drafts(self) -> None:
        """Remove the drafts of the user, who was signed out, and keep no more."""
        if self.drafts is not None:
            self.drafts.remove_all()
            self.drafts = None

    # -- permissions -----------------------------------------------------------------------------------------

    def take_rights(self, held: frozenset[Permission], authority: DecisionSource) -> None:
        """Keep the user's permissions on the workspace."""
        self.me = replace(self.me, held=held, authority=authority)

    # -- messages to the core --------------------------------------------------------------------------------

    async def query(self, query: Query[R]) -> R:  # type: ignore[override]
        """Send a query. Raises PodiumError, which ``action_do`` and ``refresh_from_core`` show."""
        answered, self.answered = self.answered, None
        if answered is not None and answered.query == query:
            return cast(R, answered.answer)
        with self.saving.question(self.show_titles):
            return await self.backend.query(query)

    async def aside(self, query: Query[R]) -> R:
        """Send a query that can take long, beside others. Raises PodiumError."""
        return await self.backend.aside(query)

    async def dry_run(self, command: Command[Any]) -> DryRun:
        """Ask what a command would change. Raises PodiumError."""
        with self.saving.question(self.show_titles):
            return await self.backend.dry_run(command)

    async def perform(self, command: Command[R]) -> R | None:
        """Carry out a command and read the screen again. A refusal is shown, and None returned.

        WouldRelockPhases asks the user for consent, then the command is sent again.
        """
        screen = self.visible_screen
        query = screen.changes_query if screen is not None else None
        try:
            if query is None:
                result = await self.sending.send_once(command)
            else:
                result, self.answered = await self.sending.send_and_ask(command, query)
        except WouldRelockPhases as error:
            self.begin(partial(self.sending.ask_consent, command, error))
            return None
        except VersionConflict as error:
            self.begin(partial(self.sending.conflicts.perform, command, error))
            return None
        except ServerUnavailable as error:
            self.show_error(error)  # no refresh, because its error would replace this one
            return None
        except PodiumError as error:
            self.show_error(error)
            result = None
        screen = self.visible_screen
        if screen is not None:
            commits = self.answered.commits if self.answered else 0
            screen.commits = commits if await screen.refresh_from_core() else 0
        self.answered = None
        return result

    async def send(self, command: Command[R], progress: Progress = NO_PROGRESS) -> R:
        """Carry out a command; at a version conflict, ask the user to choose a version.

        Raises PodiumError. For dialogs, which show it.
        """
        return await self.sending.send(command, progress)

    async def send_or_ask(self, command: Command[Any], progress: Progress = NO_PROGRESS) -> Any:
        """Like ``send``; if the command needs consent, ask the user, and return None if they decline."""
        return await self.sending.send_or_ask(command, progress)

    def use(self, name: str, value: str) -> None:
        """Use a setting of the user until Podium quits; an empty value is the default."""
        others = {kept: text for kept, text in self.me.preferences.items() if kept != name}
        self.me = replace(self.me, preferences=others | ({name: value} if value else {}))

    async def keep(self, name: str, value: str) -> None:
        """Save a setting of the user, and use it; an empty value restores the default. Raises PodiumError."""
        from core.actions.workspace.profile import SetPreference

        await self.send(SetPreference(name=name, value=value))
        self.use(name, value)

    def show_titles(self) -> None:
        """Update the title line of every screen."""
        for screen in self.open_screens:
            screen.show_titles()

    # -- messages to the user --------------------------------------------------------------------------------

    @on(LinesJoined)
    def _say_joined(self, joined: LinesJoined) -> None:
        self.toast(joined.words, severity="warning")

    def toast(
        self, words: str, *, severity: str = "information", enter: Callable[[], Awaitable[object]] | None = None
    ) -> None:
        """Show a message until the next key, which does ``enter`` if it is that key.

        The text can contain user text; markup in it has no effect.
        """
        self.messages.say(visible_line(words), severity, enter)

    def show_error(self, error: PodiumError) -> None:
        """Show an error: blockers as a jump list, other errors as a toast."""
        if isinstance(error, RuleViolation) and error.blockers:
            self.explain(error)
        elif isinstance(error, ConflictResolved):
            pass
        elif isinstance(error, VersionConflict | RuleViolation):
            self.toast(str(error), severity="warning")
        else:
            self.toast(str(error), severity="error")

    @abstractmethod
    def explain(self, error: RuleViolation, title: str = "") -> None:
        """Show the rule, the blockers, the people who can help and what the user can do, and do what they pick."""

    # -- screens ---------------------------------------------------------------------------------------------

    @property
    @abstractmethod
    def visible_screen(self) -> OpenScreen | None:
        """The topmost screen of Podium, under any dialog."""

    @property
    @abstractmethod
    def open_screens(self) -> Sequence[OpenScreen]:
        """The screens of Podium, the topmost last."""

    @abstractmethod
    async def open(self, destination: Destination | ToImport) -> None:
        """Open a destination on top of this screen; the preview of an import asks for its file first."""

    @abstractmethod
    async def visit(self, destination: Destination) -> bool:
        """Go to a destination, or back to its screen if it is open. Return True if it was open."""

    def go_to_new(self, destination: Destination) -> None:
        """Visit something that was just created. Keys wait until it is read, because they are about what is on it."""

        async def go() -> None:
            await self.visit(destination)
            if self.visible_screen is not None:
                await self.visible_screen.refresh_from_core()

        self.begin(go)

    @abstractmethod
    async def go(self) -> None:
        """Ask the user for a destination, and go there."""

    @abstractmethod
    async def go_to_screen(self, screen: Any) -> bool:
        """Open a screen, or go back to the one of its place if that is open. Return True if it was open."""

    async def last_place(self) -> None:
        """Go back in the navigation history."""
        place = self.places.back(self.visible_screen)
        if place is None:
            self.toast("There is no previous screen yet.")
        else:
            await self.go_to_screen(place)

    async def next_place(self) -> None:
        """Go forward in the navigation history."""
        place = self.places.forward(self.visible_screen)
        if place is None:
            self.toast("There is no next screen.")
        else:
            await self.go_to_screen(place)

    @abstractmethod
    def show_help(self) -> None:
        """Open the help for the visible screen."""

    def back(self) -> None:
        """Close this screen, unless it is the first one, so that esc never quits."""
        if len(self.screen_stack) > 1:
            self.pop_screen()

    def close(self) -> None:
        """Close this screen; on the first one, quit. Needs no question, because everything is saved."""
        if len(self.screen_stack) > 1:
            self.pop_screen()
        else:
            self.exit(0)

    # -- the terminal ----------------------------------------------------------------------------------------

    def write_to_terminal(self, codes: str) -> None:
        """Send escape sequences to the terminal that Textual does not know."""
        driver = cast(Any, self._driver)
        if not self.is_headless:
            driver.write(codes)
            driver.flush()

    def toggle_mouse(self) -> None:
        """Turn the mouse in Podium off, so that the terminal selects text, or on again."""
        driver = cast(Any, self._driver)
        self.has_mouse = not self.has_mouse
        (driver._enable_mouse_support if self.has_mouse else driver._disable_mouse_support)()
        driver.flush()
        self.toast(
            "The mouse works in Podium again." if self.has_mouse else "Select text with the mouse. Press % when done."
        )

    def action_suspend_process(self) -> None:
        """Stop for the shell, which continues Podium with “fg”; say why not where no shell could."""
        if refusal := no_way_back():
            self.toast(refusal, severity="warning")
        elif not self.is_headless:
            cast(Any, self._driver).stop_for_shell()

    def copy_to_clipboard(self, text: str) -> None:
        """Copy a text without control characters, which a hostile server could send and which act when pasted."""
        super().copy_to_clipboard(sanitize(text))
