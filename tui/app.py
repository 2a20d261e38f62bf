"""The application: performs messages, keeps the save status, and opens screens. It has no features itself.

Every change works the same way: ``perform`` sends the command, the screen sends its query again, and the differences
are drawn. Changes by others arrive in ``following`` and are drawn the same way.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
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
from core.record import replace
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
    ENABLE_COMMAND_PALETTE = False  # Textual's key would work over dialogs too
    COMMANDS: ClassVar[set[Any]] = {_actions_provider, _can_provider}  # without Textual's own commands
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
        """The URL at which products exchange launch codes; if empty, web products get the context itself."""
        self.me = me
        self.place = ""
        """The server or database, as agreements name it."""
        self.files = True
        """True if the user can name files of this machine; ignored in a browser, where they never can."""
        self.via = via
        self.saving = SaveStatus()
        self._first = first
        self.places = NavigationHistory[PodiumScreen]()
        self._mouse = True
        self.rights = PermissionRefresher(self)
        self.inbox = UnreadBadge(self)
        self.presence = PresenceTracker(self)
        self.view_as = ViewAs(self)
        self.sending = CommandSender(self)
        self.following = ChangeListener(self)
        self.idle = IdleTimeout(self)
        self._safe_text, self._plain_signs = SafeText(), AsciiFilter()  # once: Textual caches lines by filter
        for theme in (DARK, LIGHT):
            self.register_theme(theme)
        chosen = me.preferences.get("theme", DARK.name)
        self._begin_in(chosen if chosen in self.available_themes else DARK.name)
        self.animation_level = "none"

    def _begin_in(self, theme: str) -> None:
        """Set the first theme without parsing every style sheet twice, as the ordinary way would."""
        self.set_reactive(App.theme, theme)
        dark = self.current_theme.dark
        self.update_classes({"-dark-mode": dark, "-light-mode": not dark}, update=False)
        self.stylesheet.set_variables(self.get_css_variables())

    def get_line_filters(self) -> list[LineFilter]:
        return [*super().get_line_filters(), self._safe_text, *([self._plain_signs] if self.ascii else [])]

    @property
    def ascii(self) -> bool:
        """True if symbols must be ASCII."""
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
        """Draw everything again after another program had the terminal; the mouse stays off if it was off."""
        self.idle.touch()
        self.refresh(layout=True)
        if not self._mouse:
            cast(Any, self._driver)._disable_mouse_support()

    def get_default_screen(self) -> Screen[Any]:
        return self._first()

    def _settle(self) -> None:
        """Start the services after the first paint, and the garbage collector, for all objects made from now on."""
        gc.freeze()
        gc.enable()
        self.run_worker(self.following.run(), group="follow")
        if self.me.authority.source != LOCAL.source:
            self.run_worker(self.rights.run(), group="rights")
        self.presence.begin()
        self.idle.begin()
        self.set_timer(0.2, self._warm_up)

    def _warm_up(self) -> None:
        """Import the messages about cards, and the dialogs of most screens, while the app is idle.

        So the first change and the first form are as fast as later ones.
        """
        import core.actions.cards.bulk  # noqa: F401
        import tui.dialogs.form
        import tui.dialogs.menus.picker  # noqa: F401

    # -- permissions -----------------------------------------------------------------------------------------

    def take_rights(self, held: frozenset[Permission], authority: DecisionSource) -> None:
        """Keep the user's permissions on the workspace."""
        self.me = replace(self.me, held=held, authority=authority)

    # -- messages to the core --------------------------------------------------------------------------------

    async def query(self, query: Query[R]) -> R:  # type: ignore[override]
        """Send a query. Raises PodiumError, which ``action_do`` and ``refresh_from_core`` show."""
        with self.saving.question(self.show_titles):
            return await self.backend.query(query)

    async def aside(self, query: Query[R]) -> R:
        """Send a query that can take long, beside others. Raises PodiumError."""
        return await self.backend.aside(query)

    async def perform(self, command: Command[R]) -> R | None:
        """Carry out a command and read the screen again. A refusal is shown, and None returned.

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
            self.show_error(error)  # no refresh, because its error would replace this one
            return None
        except PodiumError as error:
            self.show_error(error)
            result = None
        screen = self.visible_screen
        if screen is not None:
            await screen.refresh_from_core()
        return result

    async def send(self, command: Command[R], progress: Progress = NO_PROGRESS) -> R:
        """Carry out a command; at a version conflict, ask the user to choose a version.

        Raises PodiumError. For dialogs, which show it.
        """
        return await self.sending.send(command, progress)

    async def send_or_ask(self, command: Command[Any]) -> Any:
        """Like ``send``; if the command needs consent, ask the user, and return None if they decline."""
        return await self.sending.send_or_ask(command)

    def show_titles(self) -> None:
        """Update the title line of every screen."""
        for screen in self.open_screens:
            screen.show_titles()

    async def undo(self, scope: Id) -> None:
        """Undo the user's last change in a project or the workspace; ask first if it is an old one."""
        from core.actions.history.history import Undo

        await self.sending.revert(Undo(project_id=scope, recent=True))

    async def redo(self, scope: Id) -> None:
        """Redo the change that the user undid last."""
        from core.actions.history.history import Redo

        await self.sending.revert(Redo(project_id=scope, recent=True))

    # -- messages to the user --------------------------------------------------------------------------------

    def toast(self, words: str, *, severity: str = "information") -> None:
        """Show a toast. The text can contain user text; markup in it has no effect."""
        self.clear_notifications()
        self.notify(
            visible_line(words), severity=cast(Any, severity), markup=False, timeout=6 if severity != "error" else 12
        )

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

    def explain(self, error: RuleViolation) -> None:
        """Show the rule, the blockers and the people who can help, and jump to the blocker that the user picks."""
        self.begin(partial(self._explain, error))

    async def _explain(self, error: RuleViolation) -> None:
        from tui.dialogs.blockers import BlockersDialog

        picked = await self.ask(BlockersDialog(error.title, str(error), error.blockers, error.who_can))
        screen = self.visible_screen
        if picked is not None and screen is not None:
            await screen.jump_to(picked)

    # -- navigation ------------------------------------------------------------------------------------------

    @property
    def visible_screen(self) -> PodiumScreen | None:
        """The topmost screen of Podium, under any dialog."""
        return next((screen for screen in reversed(self.screen_stack) if isinstance(screen, PodiumScreen)), None)

    @property
    def open_screens(self) -> list[PodiumScreen]:
        """The screens of Podium, the topmost last."""
        return [screen for screen in self.screen_stack if isinstance(screen, PodiumScreen)]

    async def open(self, destination: Destination) -> None:
        """Open a destination on top of this screen."""
        await self.push_screen(screen_of(destination))

    async def visit(self, destination: Destination) -> bool:
        """Go to a destination: back to its screen if it is open, else on top of the last level. ``-`` leads back.

        Returns True if it was open. Levels are the Projects screen and a Canvas. Other screens are closed, so that esc
        always leads to the last Canvas.
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
        """Open a screen on top, and clear toasts. ``-`` leads back from a screen of Podium."""
        self.clear_notifications()
        if isinstance(screen, PodiumScreen):
            self.places.leave(self.visible_screen)
        return super().push_screen(screen, *args, **options)

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

    async def last_place(self) -> None:
        """Go back in the navigation history."""
        place = self.places.back(self.visible_screen)
        if place is None:
            self.toast("There is no previous screen yet.")
        else:
            await self._go_to(place)

    async def next_place(self) -> None:
        """Go forward in the navigation history."""
        place = self.places.forward(self.visible_screen)
        if place is None:
            self.toast("There is no next screen.")
        else:
            await self._go_to(place)

    async def go(self) -> None:
        """Ask the user for a destination, and go there."""
        await go_menu(self, self.visible_screen)

    def show_help(self) -> None:
        """Open the help for the visible screen."""
        from tui.screens.shell.help import HelpScreen

        if self.visible_screen is not None:
            self.push_screen(HelpScreen(self.visible_screen))

    def write_to_terminal(self, codes: str) -> None:
        """Send escape sequences to the terminal that Textual does not know."""
        driver = cast(Any, self._driver)
        if not self.is_headless:
            driver.write(codes)
            driver.flush()

    def toggle_mouse(self) -> None:
        """Turn the mouse in Podium off, so that the terminal selects text, or on again."""
        driver = cast(Any, self._driver)
        self._mouse = not self._mouse
        (driver._enable_mouse_support if self._mouse else driver._disable_mouse_support)()
        driver.flush()
        self.toast(
            "The mouse works in Podium again." if self._mouse else "Select text with the mouse. Press % when done."
        )

    def copy_to_clipboard(self, text: str) -> None:
        """Copy a text without control characters, which a hostile server could send and which act when pasted."""
        super().copy_to_clipboard(sanitized(text))

    def get_system_commands(self, screen: Screen[Any]) -> Any:
        """All actions with a key, for the palette."""
        return commands(self, screen)

    def action_command_palette(self) -> None:
        from tui.screens.shell.command_palette import Palette

        if not Palette.is_open(cast(Any, self)):
            self.push_screen(Palette())

    def action_help_quit(self) -> None:
        """Explain how to quit. Ctrl+c does not quit, because it can be meant to copy."""
        self.toast("Press q to close this screen, Ctrl+Q to quit.")
