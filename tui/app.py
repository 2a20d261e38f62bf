"""The application: it performs messages, keeps the saved state, and opens screens. No feature lives here.

Every change of data takes one way: ``perform`` sends the command, the screen asks its query again, and what differs
is drawn. What others do comes by the same way, from ``following``.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, TypeVar, cast

from textual import events
from textual.app import App
from textual.command import Provider
from textual.filter import LineFilter
from textual.screen import Screen

from core.actions.workspace.profile import CurrentUser
from core.backends.local import Backend
from core.domain.grants import LOCAL, DecisionSource
from core.domain.model import Id
from core.domain.permissions import Permission
from core.engine.messages import Command, Query
from core.errors import PodiumError, RuleViolation, ServerUnavailable, UndoTooOld, VersionConflict, WouldRelockPhases
from core.storage.progress import NO_PROGRESS, Progress
from core.text.sanitize import sanitized, visible_line
from tui.dialogs.conflict_choice import ConflictResolved
from tui.drawing.cells import SafeText
from tui.drawing.theme import DARK, LIGHT
from tui.keys.keymap import keymap_of
from tui.screens.framework.screen import PodiumScreen
from tui.screens.shell.navigation import commands, go_menu, screen_of
from tui.services.change_listener import ChangeListener
from tui.services.command_sender import CommandSender
from tui.services.destinations import Destination
from tui.services.idle_timeout import IdleTimeout
from tui.services.navigation_history import NavigationHistory
from tui.services.permission_refresh import PermissionRefresher
from tui.services.presence import PresenceTracker
from tui.services.save_status import SaveStatus
from tui.services.unread_badge import UnreadBadge
from tui.services.view_as import ViewAs
from tui.terminal.ascii_filter import AsciiFilter
from tui.terminal.terminal_app import TerminalApp

R = TypeVar("R")


def _can_provider() -> type[Provider]:
    from tui.screens.people.explain_permission import ExplainPermissionProvider

    return ExplainPermissionProvider


def _actions_provider() -> type[Provider]:
    from tui.screens.shell.command_palette import ActionsProvider

    return ActionsProvider


class PodiumApp(TerminalApp[int]):
    """Podium in a terminal."""

    CSS_PATH = "app.tcss"
    TITLE = "Podium"
    ENABLE_COMMAND_PALETTE = False  # its key would work over dialogs too; ours is one of the keys of screens
    COMMANDS: ClassVar[set[Any]] = {_actions_provider, _can_provider}  # Textual's own commands are not ours
    ALLOW_SELECT = False
    BINDINGS: ClassVar[list[Any]] = []

    def __init__(
        self,
        backend: Backend,
        me: CurrentUser,
        first: Callable[[], PodiumScreen],
        via: str = "local",
        public_url: str = "",
    ) -> None:
        super().__init__()
        self.backend = backend
        self.public_url = public_url
        """Where launch codes are exchanged; without it web products get the context itself."""
        self.me = me
        self.place = ""
        """The server or database, as agreements to run commands name it."""
        self.files = True
        """Whether the person may name files of the machine that Podium runs on; not in a browser either way."""
        self.via = via
        self.saving = SaveStatus()
        self._first = first
        self.places = NavigationHistory[PodiumScreen]()
        self._mouse = True
        self.rights = PermissionRefresher(self)
        self.inbox = UnreadBadge(self)
        self.presence = PresenceTracker(self)
        self.viewer_sight = ViewAs(self)
        self.sending = CommandSender(self)
        self.following = ChangeListener(self)
        self.idle = IdleTimeout(self)
        self._safe_text, self._plain_signs = SafeText(), AsciiFilter()  # for all: lines keep what a filter made of them
        for theme in (DARK, LIGHT):
            self.register_theme(theme)
        chosen = me.preferences.get("theme", DARK.name)
        self._begin_in(chosen if chosen in self.available_themes else DARK.name)
        self.animation_level = "none"

    def _begin_in(self, theme: str) -> None:
        """Take a theme before anything is styled: set in the ordinary way, it has every style sheet read twice."""
        self.set_reactive(App.theme, theme)
        dark = self.current_theme.dark
        self.update_classes({"-dark-mode": dark, "-light-mode": not dark}, update=False)
        self.stylesheet.set_variables(self.get_css_variables())

    def get_line_filters(self) -> list[LineFilter]:
        return [*super().get_line_filters(), self._safe_text, *([self._plain_signs] if self.ascii else [])]

    @property
    def ascii(self) -> bool:
        """Whether signs must be plain ASCII."""
        return self.me.preferences.get("signs") == "ascii"

    # -- keys ------------------------------------------------------------------------------------------------

    async def on_event(self, event: events.Event) -> None:
        self.idle.saw(event)
        await super().on_event(event)

    # -- life ------------------------------------------------------------------------------------------------

    async def on_mount(self) -> None:
        self.set_keymap(keymap_of(self.me))
        self.app_resume_signal.subscribe(self, self._come_back)
        self.call_after_refresh(self._settle)

    def _come_back(self, _: object) -> None:
        """Draw everything again after the terminal was somebody else's; the mouse stays released if it was."""
        self.idle.touch()
        self.refresh(layout=True)
        if not self._mouse:
            cast(Any, self._driver)._disable_mouse_support()

    def get_default_screen(self) -> Screen[Any]:
        return self._first()

    def _settle(self) -> None:
        """After the first paint: collect garbage again, but never what was there from the start."""
        gc.freeze()
        gc.enable()
        self.run_worker(self.following.run(), group="follow")
        if self.me.authority.source != LOCAL.source:
            self.run_worker(self.rights.run(), group="rights")
        self.presence.begin()
        self.idle.begin()
        self.set_timer(0.2, self._warm_up)

    def _warm_up(self) -> None:
        """Load the messages about cards while nobody waits, so that the first change is as quick as the others."""
        import core.actions.cards.bulk  # noqa: F401

    # -- who decides -----------------------------------------------------------------------------------------

    def take_rights(self, held: frozenset[Permission], authority: DecisionSource) -> None:
        """Hold what was said of the person's rights on the workspace."""
        self.me = replace(self.me, held=held, authority=authority)

    # -- messages to the core --------------------------------------------------------------------------------

    async def query(self, query: Query[R]) -> R:  # type: ignore[override]
        """Ask the core. Raises PodiumError; ``action_do`` and ``refresh_from_core`` show it."""
        with self.saving.question(self.show_titles):
            return await self.backend.query(query)

    async def aside(self, query: Query[R]) -> R:
        """Ask the core for what may take long, while everything else goes on. Raises PodiumError."""
        return await self.backend.aside(query)

    async def perform(self, command: Command[R]) -> R | None:
        """Carry out a command and have the screen read again; None when it was refused, which is then shown.

        WouldRelockPhases and UndoTooOld ask the user for consent, then the command is sent again.
        """
        try:
            result = await self.sending.send_once(command)
        except (WouldRelockPhases, UndoTooOld) as error:
            self.begin(partial(self.sending.ask_consent, command, error))
            return None
        except VersionConflict as error:
            self.begin(partial(self.sending.conflicts.perform, command, error))
            return None
        except ServerUnavailable as error:
            self.show_error(error)  # nothing can be read, which would be told instead
            return None
        except PodiumError as error:
            self.show_error(error)
            result = None
        screen = self.visible_screen
        if screen is not None:
            await screen.refresh_from_core()
        return result

    async def send(self, command: Command[R], progress: Progress = NO_PROGRESS) -> R:
        """Carry out a command; both versions are put to the person when it comes too late.

        Raises PodiumError; for dialogs, which show it.
        """
        return await self.sending.send(command, progress)

    async def send_or_ask(self, command: Command[Any]) -> Any:
        """``send`` for dialogs: a refusal that asks for consent is put to the person; None when they decline."""
        return await self.sending.send_or_ask(command)

    def show_titles(self) -> None:
        """Bring the title line of every screen up to date."""
        for screen in self.open_screens:
            screen.show_titles()

    async def undo(self, scope: Id) -> None:
        """Take back my last change here; asks first when that was long ago."""
        from core.actions.history.history import Undo

        await self.sending.revert(Undo(project_id=scope, recent=True))

    async def redo(self, scope: Id) -> None:
        """Bring back what I took back last."""
        from core.actions.history.history import Redo

        await self.sending.revert(Redo(project_id=scope, recent=True))

    # -- telling and asking the person -----------------------------------------------------------------------

    def tell(self, words: str, *, severity: str = "information") -> None:
        """A toast. The words may hold what people typed; they are never markup."""
        self.clear_notifications()
        self.notify(
            visible_line(words), severity=cast(Any, severity), markup=False, timeout=6 if severity != "error" else 12
        )

    def show_error(self, error: PodiumError) -> None:
        """The one place where an error meets the person: a jump list for what is blocked, else a toast."""
        if isinstance(error, RuleViolation) and error.blockers:
            self.explain(error)
        elif isinstance(error, ConflictResolved):
            pass
        elif isinstance(error, VersionConflict | RuleViolation):
            self.tell(str(error), severity="warning")
        else:
            self.tell(str(error), severity="error")

    def explain(self, error: RuleViolation) -> None:
        """Show which rule refuses, what stands in the way and who can help; jump to what the person picks."""
        self.begin(partial(self._explain, error))

    async def _explain(self, error: RuleViolation) -> None:
        from tui.dialogs.blockers import BlockersDialog

        picked = await self.ask(BlockersDialog(error.title, str(error), error.blockers, error.who_can))
        screen = self.visible_screen
        if picked is not None and screen is not None:
            await screen.jump_to(picked)

    # -- moving between screens ------------------------------------------------------------------------------

    @property
    def visible_screen(self) -> PodiumScreen | None:
        """The topmost screen of ours, under any dialog."""
        return next((screen for screen in reversed(self.screen_stack) if isinstance(screen, PodiumScreen)), None)

    @property
    def open_screens(self) -> list[PodiumScreen]:
        """The screens of ours, the topmost last."""
        return [screen for screen in self.screen_stack if isinstance(screen, PodiumScreen)]

    async def open(self, destination: Destination) -> None:
        """Open a destination on top of this screen."""
        await self.push_screen(screen_of(destination))

    async def visit(self, destination: Destination) -> bool:
        """Go to a place: down to it where it is open already, else on top of the last level; ``-`` leads back.

        Returns whether it was open.

        Levels are the Projects widget and a Canvas. What else is open is left, so that esc leads from any place to
        the Canvas that one came from.
        """
        self.places.leave(self.visible_screen)
        return await self._go_to(screen_of(destination))

    async def _go_to(self, screen: PodiumScreen) -> bool:
        open_already = any(each.is_same_place(screen) for each in self.open_screens)
        while len(self.screen_stack) > 1:
            top = self.visible_screen
            if top is None or top.is_same_place(screen) or (top.is_level and not open_already):
                break
            await self.pop_screen()
        top = self.visible_screen
        if top is not None and top.is_same_place(screen):
            return True
        await super().push_screen(screen)
        return False

    def push_screen(self, screen: Any, *args: Any, **options: Any) -> Any:
        """Open a screen on top; one of ours is a place, so that ``-`` leads back from it.

        What was told of an earlier step does not cover what is opened now.
        """
        self.clear_notifications()
        if isinstance(screen, PodiumScreen):
            self.places.leave(self.visible_screen)
        return super().push_screen(screen, *args, **options)

    def back(self) -> None:
        """One level up; on the first screen nothing happens, so that esc never quits."""
        if len(self.screen_stack) > 1:
            self.pop_screen()

    def close(self) -> None:
        """Close the screen; on the first one, quit. All is saved already, so nothing is asked."""
        if len(self.screen_stack) > 1:
            self.pop_screen()
        else:
            self.exit(0)

    async def last_place(self) -> None:
        """Back in the history of places."""
        place = self.places.back(self.visible_screen)
        if place is None:
            self.tell("There is no last place yet.")
        else:
            await self._go_to(place)

    async def next_place(self) -> None:
        """Forward in the history of places, after going back."""
        place = self.places.forward(self.visible_screen)
        if place is None:
            self.tell("There is no next place: this is where you were last.")
        else:
            await self._go_to(place)

    async def go(self) -> None:
        """Ask where to, and go there."""
        await go_menu(self, self.visible_screen)

    def show_help(self) -> None:
        """Open the help for the visible screen."""
        from tui.screens.shell.help import HelpScreen

        if self.visible_screen is not None:
            self.push_screen(HelpScreen(self.visible_screen))

    def write_to_terminal(self, codes: str) -> None:
        """Send the terminal a code that Textual has no word for."""
        driver = cast(Any, self._driver)
        if not self.is_headless:
            driver.write(codes)
            driver.flush()

    def toggle_mouse(self) -> None:
        """Let go of the mouse, so that the terminal can select text with it, or take it back."""
        driver = cast(Any, self._driver)
        self._mouse = not self._mouse
        (driver._enable_mouse_support if self._mouse else driver._disable_mouse_support)()
        driver.flush()
        self.tell(
            "The mouse works in Podium again." if self._mouse else "Select text with the mouse now; % takes it back."
        )

    def copy_to_clipboard(self, text: str) -> None:
        """Copy without characters that act where they are pasted: a text may come from a hostile server."""
        super().copy_to_clipboard(sanitized(text))

    def get_system_commands(self, screen: Screen[Any]) -> Any:
        """Everything there is a key for, for the palette."""
        return commands(self, screen)

    def action_command_palette(self) -> None:
        from tui.screens.shell.command_palette import Palette

        if not Palette.is_open(cast(Any, self)):
            self.push_screen(Palette())

    def action_help_quit(self) -> None:
        """What ctrl+c says, which here as in a browser might be meant to copy."""
        self.tell("q closes this screen, and on the first one Podium; ctrl+q leaves Podium from anywhere.")
