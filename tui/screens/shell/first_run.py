"""The first start: one page that says what Podium is and makes the workspace."""

from __future__ import annotations

import asyncio
import contextlib
import gc
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, ClassVar

from textual.binding import Binding, BindingType
from textual.filter import LineFilter

from core.actions import load_catalog
from core.actions.workspace.create import FirstUser, faults_of, new_workspace
from core.engine.engine import Engine
from core.errors import InvalidInput
from core.record import Record
from core.sign_in.local import os_login
from tui.dialogs.fields.form_fields import OPEN, Field, MoreField, TextField
from tui.dialogs.fields.inputs import LineControl
from tui.dialogs.fields.row import FieldRow
from tui.dialogs.form import FormDialog
from tui.drawing.cells import SafeText
from tui.drawing.theme import DARK, LIGHT
from tui.terminal.key_queue import Typed
from tui.terminal.lifecycle import living_with_terminal
from tui.terminal.terminal_app import TerminalApp

WHAT = (
    "Plan projects in phases, track work on cards, and see your whole team on one board – without leaving the keyboard."
)
MORE = ("more", OPEN)
FIRST_AND_LAST = "Enter your first and last name."


class NewWorkspace(Record, kw_only=False):
    """The workspace that was made, the login of its founder, and what the terminal sent meanwhile."""

    engine: Engine
    login: str
    typed: Sequence[Typed] = ()
    """Keys that were typed after the form."""
    is_light: bool = False
    """True if the background of the terminal is light."""


class WelcomeForm(FormDialog[NewWorkspace]):
    """The page of the first run: enter goes to the next empty line, and creates the workspace where there is none."""

    DEFAULT_CSS = "WelcomeForm.-tight .note { display: none; }"

    def _hints_at(self, field: Field | None, *, is_last: bool) -> str:
        enter = "" if isinstance(field, MoreField) else "enter next · "
        return "enter create · esc cancel" if is_last and enter else f"{enter}ctrl+s create · esc cancel"

    def faults_of(self, answers: dict[str, Any]) -> Iterable[InvalidInput]:
        """The faults of all fields, with the names of the fields on the page."""
        found: dict[str, InvalidInput] = {}
        for fault in faults_of(answers["name"], founder_of(answers)):
            if fault.field == "name" and not answers["name"].strip():
                fault = InvalidInput("name", "Enter a name for the workspace.")
            elif fault.field in ("first_name", "last_name"):
                fault = InvalidInput("person", str(fault) if answers["person"].strip() else FIRST_AND_LAST)
            found.setdefault(fault.field, fault)
        return found.values()

    def _next_row(self) -> FieldRow | None:
        """The next empty line; None where there is none."""
        lines = (row for row in self.rows_below() if isinstance(row.widget, LineControl) and not row.widget.value)
        return next(lines, None)


class FirstRun(TerminalApp[NewWorkspace]):
    """Asks for the workspace and its founder; ends with both, or with None when nothing was made."""

    TITLE = "Podium"
    ENABLE_COMMAND_PALETTE = False
    CSS = "Screen { background: $background; }"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+q,ctrl+c", "quit", show=False, priority=True)]

    def __init__(self, path: Path, options: dict[str, Any]) -> None:
        super().__init__()
        self._path = path
        self._options = options
        for theme in (DARK, LIGHT):
            self.register_theme(theme)
        self.show_theme()

    def get_line_filters(self) -> list[LineFilter]:
        return [*super().get_line_filters(), SafeText()]

    def show_theme(self, chosen: str | None = None) -> None:
        self.theme = (LIGHT if self.is_light else DARK).name

    def on_mount(self) -> None:
        self.begin(self._ask)  # what is typed before the page is drawn goes into its first field

    async def _ask(self) -> None:
        fields: list[Field] = [
            TextField("name", "Workspace", "", "Your studio, team or company"),
            TextField("person", "Your name", "", "First and last name"),
            MoreField("more", "More", "Login and e-mail"),
            TextField("login", "Login", os_login(), replaced=True, only=MORE),
            TextField("email", "E-mail", "", "ann@example.com (optional)", only=MORE),
        ]
        note = (
            f"{WHAT}\n\nYour workspace will be in {_from_home(self._path)}. You will be its administrator.\n"
            "Just looking? Press esc and run “podium demo”."
        )
        form = WelcomeForm(
            "Welcome to Podium",
            fields,
            self._make,
            submit="Create workspace",
            note=note,
        )
        made = await self.ask(form)
        self.exit(made)

    async def _make(self, answers: dict[str, Any]) -> NewWorkspace:
        made = await asyncio.to_thread(make_workspace, self._path, self._options, answers)
        self.type_ahead.hands_over = True
        return made


def _from_home(path: Path) -> str:
    with contextlib.suppress(ValueError, RuntimeError):
        return str(Path("~") / path.relative_to(Path.home()))
    return str(path)


def founder_of(answers: dict[str, str]) -> FirstUser:
    """The founder as the form names them: the first word is the first name; without a login, that of the account."""
    first, last = [*answers["person"].split(maxsplit=1), "", ""][:2]
    login = answers.get("login", os_login())
    return FirstUser(login=login, first_name=first, last_name=last, email=answers.get("email", ""))


def make_workspace(path: Path, options: dict[str, Any], answers: dict[str, str]) -> NewWorkspace:
    """Create the workspace that the answers of the form describe. Raises PodiumError."""
    founder = founder_of(answers)
    engine = new_workspace(path, answers["name"], founder, load_catalog, **options)
    return NewWorkspace(engine, founder.login.strip())


def run_first_run(path: Path, options: dict[str, Any]) -> NewWorkspace | None:
    """Show the page in this terminal. Return the new workspace, or None if the user left."""
    gc.enable()  # a person types here, for as long as they like
    app = FirstRun(path, options)
    with living_with_terminal(app.leave):
        made = app.run()
    return NewWorkspace(made.engine, made.login, app.type_ahead.left_over(), app.is_light) if made else None
