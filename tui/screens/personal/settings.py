"""Settings: the user's theme, density, symbols and keys, which are edited as a text. They are stored with the user."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import TextArea

from core.actions.workspace.profile import GetCurrentUser
from core.errors import PodiumError
from tui.dialogs.dialog import Dialog, PlainText
from tui.dialogs.fields.inputs import LinesControl
from tui.dialogs.form import UNSAVED
from tui.dialogs.menus.picker import Option, PickDialog
from tui.drawing.styles import TextRole
from tui.drawing.theme import DARK, LIGHT
from tui.keys.keymap import parse_keymap, written_out
from tui.podium import Podium
from tui.screens.framework.controller import Action
from tui.screens.framework.dialogs import asking
from tui.screens.framework.list_screen import ListScreen
from tui.services.preferences import SETTINGS, THEME, PreferenceSetting
from tui.widgets.columns import Column, Line, cell

COLUMNS = (
    Column("Setting", 8, 12),
    Column("Now", 12, 28, rank=1),
    Column("What it does", 20, 100, rank=2),
)

NOTE = "One action per line: name = keys. Write keys as they are shown: n, ?, esc, PgUp, ctrl+e."


class KeymapDialog(Dialog[bool | None]):
    """Dismissed with True when ``save`` took the text; a PodiumError from it is shown, and the text stays."""

    DEFAULT_CSS = """
    KeymapDialog {
        #panel { height: 90%; }
        #note { dock: top; color: $text-muted; margin-bottom: 1; }
        #panel LinesControl { height: 1fr; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+s", "save", show=False)]

    def __init__(self, keymap: Mapping[str, str], save: Callable[[str], Awaitable[bool]]) -> None:
        super().__init__("Keys", "ctrl+s save · esc cancel")
        self._text = written_out(keymap)
        self._save = save
        self._was_warned = False

    def questions(self) -> ComposeResult:
        yield PlainText(NOTE, id="note")
        yield LinesControl(self._text)

    def on_mount(self) -> None:
        self.query_one(LinesControl).focus()

    def action_leave(self) -> None:
        """Leave, but not over what was typed: that takes a second time."""
        if self._was_warned or self.query_one(LinesControl).text == self._text:
            self.dismiss(None)
        else:
            self._was_warned = True
            self.say(UNSAVED)

    @on(TextArea.Changed)
    def _go_on(self) -> None:
        self._was_warned = False
        self.say("")

    @work(exclusive=True)
    async def action_save(self) -> None:
        try:
            await self._save(self.query_one(LinesControl).text)
        except PodiumError as refused:
            self.say(str(refused), bad=True)
        else:
            self.dismiss(True)


AS_TERMINAL = "as the terminal"
"""The default of the theme."""

OWN_THEMES = {
    AS_TERMINAL: "Dark or light, as the background of your terminal",
    DARK.name: "Podium's own, dark",
    LIGHT.name: "Podium's own, light",
}


class ThemeDialog(PickDialog):
    """Shows each theme while the cursor is on it; esc restores the old one."""

    def __init__(self, podium: Podium, now: str) -> None:
        names = [*OWN_THEMES, *sorted(set(podium.available_themes) - set(OWN_THEMES))]
        super().__init__("Theme", [Option(name, name, OWN_THEMES.get(name, "")) for name in names], chosen=(now,))
        self._podium = podium

    def _explain(self, *, bad: bool = False) -> None:
        """Show the theme of the cursor, wherever it has moved to."""
        super()._explain(bad=bad)
        option = self._at_cursor()
        if option is not None:
            self._podium.show_theme(option.id)

    def action_leave(self) -> None:
        self._podium.show_theme()
        super().action_leave()


class SettingsScreen(ListScreen[PreferenceSetting]):
    """The settings of the user."""

    name_in_table = "settings"
    title_words = "Settings"
    shows_data = False
    columns = COLUMNS
    opens = "settings.change"

    def __init__(self, at: str = "") -> None:
        """``at``: the name of the setting under the cursor."""
        super().__init__()
        self._at = at

    def place(self) -> str:
        return f"Settings of {self.podium.me.user.name}"

    async def reload(self) -> None:
        self.podium.me = await self.podium.query(GetCurrentUser())
        self.records.show((each, self._line(each)) for each in SETTINGS)
        if self._at:
            self.records.go_to_new(self._at)
            self._at = ""

    def _line(self, setting: PreferenceSetting) -> Line:
        origin = self.podium.preferences.find_origin(setting.name)
        now = cell(f"{self._now(setting)}{origin and f' · {origin}'}", TextRole.NAME)
        return Line(setting.name, (cell(setting.label, TextRole.TITLE), now, cell(setting.words)))

    def _now(self, setting: PreferenceSetting) -> str:
        preferences = self.podium.preferences
        if setting.name == "keymap":
            count = len(preferences.find_keymap())
            return f"{count} changed" if count else "default"
        return preferences.find(setting.name) or AS_TERMINAL

    def actions(self) -> Sequence[Action]:
        return (
            self.records.action("change", self.do_change),
            self.records.action("reset", self.do_reset),
        )

    @asking
    async def do_change(self, setting: PreferenceSetting) -> None:
        if variable := self.podium.preferences.variable_of(setting.name):
            self.podium.toast(f"{variable} decides, until you start Podium without it.", severity="warning")
        elif setting.values:
            now = setting.values.index(self._now(setting)) if self._now(setting) in setting.values else 0
            await self._keep(setting.name, setting.values[(now + 1) % len(setting.values)])
        elif setting is THEME:
            await self._ask_theme()
        else:
            await self._ask_keys()

    async def _ask_theme(self) -> None:
        picked = await self.podium.ask(ThemeDialog(self.podium, self._now(THEME)))
        if picked:
            await self._keep(THEME.name, "" if picked[0] == AS_TERMINAL else picked[0])

    async def _ask_keys(self) -> None:
        async def save(text: str) -> bool:
            await self._keep("keymap", parse_keymap(text))
            return True

        if await self.podium.ask(KeymapDialog(self.podium.preferences.find_keymap(), save)):
            self.podium.toast("Your keys are saved. Press r on this line to restore the default keys.")

    async def do_reset(self, setting: PreferenceSetting) -> None:
        """Forget the setting."""
        await self._keep(setting.name, "")

    async def _keep(self, name: str, value: str) -> None:
        """Keep a value, and live with it at once. Raises PodiumError."""
        await self.podium.keep(name, "" if value == self.podium.preferences.find_usual(name) else value)
        await self.refresh_from_core()
        self._apply()
        if name == THEME.name:
            self.podium.ask_background()
        if name == "signs":
            self.app.refresh_css(animate=False)  # every line is drawn again, with the other symbols

    def _apply(self) -> None:
        self.podium.show_theme()
        self.podium.set_keymap(self.podium.preferences.find_keymap())
        self.show_titles()
