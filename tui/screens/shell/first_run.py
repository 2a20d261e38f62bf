"""The first start: one page that says what Podium is and makes the workspace."""

from __future__ import annotations

import asyncio
import gc
from pathlib import Path
from typing import Any, ClassVar

from textual.binding import Binding, BindingType
from textual.filter import LineFilter

from core.actions import load_catalog
from core.actions.workspace.create import FirstUser, new_workspace
from core.engine.engine import Engine
from core.engine.sign_in import os_login
from tui.dialogs.fields.form_fields import TextField
from tui.dialogs.form import FormDialog
from tui.drawing.cells import SafeText
from tui.drawing.theme import DARK
from tui.terminal.lifecycle import living_with_terminal
from tui.terminal.terminal_app import TerminalApp

WHAT = "Projects in phases, work on cards, everybody on one Canvas: all from the keyboard."


class FirstRun(TerminalApp[Engine]):
    """Asks for the workspace and its first person; ends with the application, or None when nothing was made."""

    TITLE = "Podium"
    ENABLE_COMMAND_PALETTE = False
    CSS = "Screen { background: $background; }"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+q,ctrl+c", "quit", show=False, priority=True)]

    def __init__(self, path: Path, options: dict[str, Any]) -> None:
        super().__init__()
        self._path = path
        self._options = options
        self.register_theme(DARK)
        self.theme = DARK.name
        self.animation_level = "none"

    def get_line_filters(self) -> list[LineFilter]:
        return [*super().get_line_filters(), SafeText()]

    def on_mount(self) -> None:
        self.begin(self._ask)  # what is typed before the page is drawn goes into its first field

    async def _ask(self) -> None:
        fields = [
            TextField("name", "Workspace", "", "Your studio, team or company"),
            TextField("first_name", "First name"),
            TextField("last_name", "Last name"),
            TextField("email", "E-mail", "", "ann@example.com – or nothing"),
            TextField("login", "Login", os_login(), replaced=True),
        ]
        note = (
            f"{WHAT}\nYour workspace will be in {self._path}; you will be its administrator.\n"
            "Just looking? Press esc and run “podium demo”."
        )
        form = FormDialog("Welcome to Podium", fields, self._make, submit="Create workspace", note=note)
        self.exit(await self.ask(form))

    async def _make(self, answers: dict[str, Any]) -> Engine:
        return await asyncio.to_thread(make_workspace, self._path, self._options, answers)


def make_workspace(path: Path, options: dict[str, Any], answers: dict[str, str]) -> Engine:
    """The workspace that the answers ask for; their names are also the fields that an InvalidInput speaks of."""
    founder = FirstUser(
        login=answers["login"],
        first_name=answers["first_name"],
        last_name=answers["last_name"],
        email=answers["email"],
    )
    return new_workspace(path, answers["name"], founder, load_catalog, **options)


def run_first_run(path: Path, options: dict[str, Any]) -> Engine | None:
    """Show the page in this terminal; the application on the new workspace, or None when the person left."""
    gc.enable()  # a person types here, for as long as they like
    app = FirstRun(path, options)
    with living_with_terminal(app.leave):
        return app.run()
