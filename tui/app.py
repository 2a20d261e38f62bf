"""The application: starts the services and opens screens. It has no features itself."""

from __future__ import annotations

import gc
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast

from textual import events, on
from textual.app import App
from textual.filter import LineFilter
from textual.screen import Screen

from core.actions.workspace.profile import CurrentUser
from core.backends.local import Backend
from core.domain.grants import LOCAL
from core.errors import PodiumError, RuleViolation
from tui.drawing.cells import SafeText
from tui.drawing.labels import label_variables
from tui.drawing.readable import ReadableText
from tui.drawing.theme import DARK, LIGHT, OWN_THEMES, person_variables, theme_for
from tui.podium import Podium
from tui.screens.framework.screen import PodiumScreen
from tui.screens.shell.navigation import go_menu, screen_of
from tui.services.destinations import Destination, ToImport, ToPage
from tui.services.idle_timeout import IdleTimeout
from tui.terminal.ascii_filter import AsciiFilter
from tui.terminal.workers import start_worker
from tui.widgets.bars import TitleBar

if TYPE_CHECKING:
    from textual.await_remove import AwaitRemove
    from textual.dom import DOMNode
    from textual.widget import Widget

    from core.config import Config
    from tui.dialogs.host import EditedText

R = TypeVar("R")


class PodiumApp(Podium):
    """Podium in a terminal."""

    CSS_PATH = "app.tcss"
    TITLE = "Podium"
    ENABLE_COMMAND_PALETTE = False  # Textual's key would work over dialogs too
    ALLOW_SELECT = False
    BINDINGS: ClassVar[list[Any]] = []

    def __init__(
        self,
        backend: Backend,
        me: CurrentUser,
        first: Callable[[], PodiumScreen],
        via: str = "local",
        public_url: str = "",
        config: Config | None = None,
    ) -> None:
        """``config``: settings that also a file or a variable can have. Raises InvalidInput for a wrong one."""
        self._has_theme = False
        super().__init__(backend, me, via, public_url)
        self.begins_with_tour = False
        self._first = first
        self.idle = IdleTimeout(self)
        self._safe_text, self._plain_signs = SafeText(), AsciiFilter()  # once: Textual caches lines by filter
        self._readable_text = ReadableText()
        for theme in (DARK, LIGHT):
            self.register_theme(theme)
        if config is not None:
            self.preferences.read(config, self.available_themes)
        self.begin_in_theme(light=self.is_light)

    def begin_in_theme(self, *, light: bool) -> None:
        """Set the first theme without parsing every style sheet twice, as the ordinary way would.

        ``light`` is the background of the terminal, as far as is known.
        """
        self.is_light = light
        self._has_theme = True
        self.set_reactive(App.theme, self._theme_for(self.preferences.find("theme")))
        dark = self.current_theme.dark
        self.update_classes({"-dark-mode": dark, "-light-mode": not dark}, update=False)
        self.stylesheet.set_variables(self.get_css_variables())

    def get_css_variables(self) -> dict[str, str]:
        """The variables of the theme; none before ``begin_in_theme``, since it takes long to blend the colours."""
        return super().get_css_variables() if self._has_theme else {}

    def _theme_for(self, chosen: str) -> str:
        return theme_for(chosen, light=self.is_light, available=self.available_themes)

    @property
    def follows_terminal(self) -> bool:
        return super().follows_terminal and self.preferences.find("theme") not in self.available_themes

    def show_theme(self, chosen: str | None = None) -> None:
        self.theme = self._theme_for(self.preferences.find("theme") if chosen is None else chosen)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        dark = self.current_theme.dark
        return person_variables(dark=dark) | label_variables(dark=dark)

    def get_line_filters(self) -> list[LineFilter]:
        filters = [*super().get_line_filters(), self._safe_text]
        if self.theme not in OWN_THEMES:
            filters.append(self._readable_text)
        return [*filters, self._plain_signs] if self.ascii else filters

    # -- keys ------------------------------------------------------------------------------------------------

    async def on_event(self, event: events.Event) -> None:
        if self.idle.minutes:
            self.idle.saw(event)
        if self.messages.shown is None or not self.messages.take(event):
            await super().on_event(event)

    async def _check_bindings(self, key: str, priority: bool = False) -> bool:
        """Textual's own, after which the screen answers a key that means nothing there."""
        if await super()._check_bindings(key, priority):
            return True
        if not priority and isinstance(self.screen, PodiumScreen):
            self.screen.keys.answer_unbound(key)
        return False

    # -- life ------------------------------------------------------------------------------------------------

    async def on_mount(self) -> None:
        self.set_keymap(self.preferences.find_keymap())
        if self.preferences.fault:
            self.toast(self.preferences.fault, severity="warning")
        self.app_resume_signal.subscribe(self, self._come_back)
        self.call_after_refresh(self._settle)

    def _come_back(self, _: object) -> None:
        """Draw everything again after another program had the terminal; the mouse stays off if it was off."""
        self.idle.touch()
        self.refresh(layout=True)
        if not self.has_mouse:
            cast(Any, self._driver)._disable_mouse_support()

    def get_default_screen(self) -> Screen[Any]:
        return self._first()

    def _settle(self) -> None:
        """Start the services after the first paint, and the garbage collector, for all objects made from now on."""
        gc.freeze()
        gc.enable()
        self.following.begin()
        if self.me.authority.source != LOCAL.source:
            start_worker(self, self.rights.run, group="rights")
        self.presence.begin()
        self.idle.begin()
        if self.begins_with_tour:
            self.begin(self._begin_tour)
        self.type_ahead.begin()
        self.set_timer(0.2, partial(start_worker, self, self._warm_up))

    async def _begin_tour(self) -> None:
        try:
            await self.tour.start()
        except PodiumError as error:
            self.show_error(error)

    async def _warm_up(self) -> None:
        """Import the messages about cards, and the dialogs of most screens, while the app is idle.

        So the first change and the first form are as fast as later ones. The garbage collector skips these from then
        on, and all cards of the first project: some keys waited for it to look at each.
        """
        import core.actions.cards.bulk  # noqa: F401
        import tui.dialogs.form
        import tui.dialogs.menus.picker  # noqa: F401

        if screen := self.visible_screen:
            await screen.reading.read_rest()
        gc.freeze()

    # -- navigation ------------------------------------------------------------------------------------------

    @property
    def visible_screen(self) -> PodiumScreen | None:
        return next((screen for screen in reversed(self.screen_stack) if isinstance(screen, PodiumScreen)), None)

    @property
    def open_screens(self) -> list[PodiumScreen]:
        return [screen for screen in self.screen_stack if isinstance(screen, PodiumScreen)]

    async def open(self, destination: Destination | ToImport) -> None:
        if isinstance(destination, ToImport):
            from tui.screens.projects.import_screen import ask_import

            self.begin(partial(ask_import, self, destination.project_id))
        else:
            await self.push_screen(screen_of(destination))

    async def visit(self, destination: Destination) -> bool:
        """Go to a destination: back to its screen if it is open, else on top of the last level. ``-`` leads back.

        Returns True if it was open. Levels are the Projects screen and a Canvas. Other screens are closed, so that esc
        always leads to the last Canvas.
        """
        self.places.leave(self.visible_screen)
        return await self.go_to_screen(screen_of(destination))

    async def go_to_screen(self, screen: PodiumScreen) -> bool:
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
        """Open a screen on top, and end the message. ``-`` leads back from a screen of Podium."""
        self.messages.clear()
        if isinstance(screen, PodiumScreen):
            self.places.leave(self.visible_screen)
        return super().push_screen(screen, *args, **options)

    def _prune(self, *nodes: Widget, parent: DOMNode | None = None) -> AwaitRemove:
        for node in nodes:
            if isinstance(node, PodiumScreen):  # its widgets need not show that they have lost the focus
                node.set_reactive(Screen.focused, None)
        return super()._prune(*nodes, parent=parent)

    @on(TitleBar.InboxClicked)
    async def _open_inbox(self) -> None:
        await self.visit(ToPage.INBOX)

    async def go(self) -> None:
        await go_menu(self, self.visible_screen)

    def explain(self, error: RuleViolation, title: str = "") -> None:
        from tui.screens.shell.refusals import explain

        if self.visible_screen is not None:
            self.begin(partial(explain, self, self.visible_screen, error, title))

    def why_no_editor(self) -> str:
        """Return the reason why there is no editor but Podium's own; "" if there is one."""
        from tui.launch.editor import why_no_editor

        return why_no_editor(self)

    def edit_text(self, name: str, text: str) -> EditedText:
        """Let the person edit a text in their editor. ``name`` is a name of ours for its file."""
        from tui.launch.editor import edit_text

        return edit_text(self, name, text)

    def show_help(self) -> None:
        from tui.screens.shell.help import HelpScreen

        if self.visible_screen is not None:
            self.push_screen(HelpScreen(self.visible_screen))

    def action_command_palette(self) -> None:
        from tui.screens.shell.command_palette import Palette, make_palette

        if not isinstance(self.screen, Palette):
            self.push_screen(make_palette(self.screen))

    def action_help_quit(self) -> None:
        """Explain how to quit. Ctrl+c does not quit, because it can be meant to copy."""
        self.toast("Press q to close this screen, Ctrl+Q to quit.")
