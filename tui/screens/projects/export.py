"""Export of a project from a screen: as what, and where to; and whether the user has files here at all.

Files are those of the machine that Podium runs on. A person who comes by a browser has none there, and must not read or
write those of the server: an export is handed to the browser, which saves it, and nothing can be imported (decided
here). The same holds where the setting ``files`` is off, as in the example block for sshd: there an export is put on
the clipboard of the person's own terminal. Only exports and imports (``import_file.py``) reach a file that the user
names.
"""

from __future__ import annotations

import asyncio
import os
import re
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from typing import Any

from core.domain.model import Id
from core.errors import InvalidInput
from core.import_export.files import write_file
from core.reports.formats import RENDERINGS, ExportFormat, import_note
from core.text.sanitize import visible_line
from tui.dialogs.confirm import ConfirmDialog
from tui.dialogs.fields.form_fields import ChoiceField, TextField
from tui.dialogs.form import FormDialog
from tui.podium import Podium

FORMATS = (
    (ExportFormat.JSON.value, "whole project"),
    (ExportFormat.CSV.value, "tasks"),
    (ExportFormat.ICAL.value, "calendar"),
    (ExportFormat.ICAL_TASKS.value, "to-do list"),
    (ExportFormat.MS_PROJECT.value, "plan"),
    (ExportFormat.CHECKLIST.value, "check lists"),
    (ExportFormat.MARKDOWN.value, "report"),
    (ExportFormat.HTML.value, "page"),
)
MEANINGS = tuple(RENDERINGS[ExportFormat(value)].meaning for value, _ in FORMATS)
MAX_COPIED = 50_000
"""Bytes: what terminals take onto a clipboard (OSC 52), those with the lowest limits too."""


async def ask_export(app: Podium, project_id: Id, name: str) -> None:
    """Ask for the format and the file, and write it; asks before it replaces one."""

    async def save(values: dict[str, Any]) -> str | None:
        rendering = RENDERINGS[ExportFormat(values["format"])]
        path = _target(values["file"], name, rendering.ending) if has_files else Path(_file_name(name))
        replace = has_files and os.path.lexists(path)
        if replace and not await may_replace(app, path):
            return None
        answer = await app.aside(rendering.query(project_id))
        text = await asyncio.to_thread(rendering.text, answer, datetime.now(UTC))
        note = import_note(ExportFormat(values["format"]), answer, text)
        if has_files:
            await asyncio.to_thread(write_file, path, text, replace=replace)
            return f"Exported to {path}. {note}" if note else f"Exported to {path}"
        if app.via == "browser":
            file_name = path.name + rendering.ending
            app.deliver_text(StringIO(text), save_filename=file_name)
            return f"Your browser saves {file_name}. {note}".rstrip()
        return f"{_copy(app, text)} {note}".rstrip()

    has_files = has_files_here(app)
    what = ChoiceField("format", "What", FORMATS, ExportFormat.JSON.value, meanings=MEANINGS)
    fields = (what, TextField("file", "File", str(Path.cwd() / _file_name(name)))) if has_files else (what,)
    submit = "Export" if has_files or app.via == "browser" else "Copy"
    said = await app.ask(FormDialog(f"Export “{name}”", fields, save, submit=submit))
    if said is not None:
        app.toast(said)


def has_files_here(app: Podium) -> bool:
    """True if the user may read and write files on this machine."""
    return app.files and app.via != "browser"


def _copy(app: Podium, text: str) -> str:
    """Put an export on the clipboard of the person's terminal. Raises InvalidInput for one that is too long for it."""
    if len(text.encode()) > MAX_COPIED:
        raise InvalidInput(
            "format",
            "This is too long for a clipboard, and no file can be written here. “podium project export” writes it on a"
            " machine of your own, and in a browser it can be saved.",
        )
    app.copy_to_clipboard(text)
    return "Copied. No file can be written here."


async def may_replace(app: Podium, path: Path) -> bool:
    """Ask whether a file that is there may be replaced."""
    return await app.ask(ConfirmDialog("Replace the file", visible_line(f"{path} is there already."), "Replace"))


def _file_name(name: str) -> str:
    """A project's name as that of a file."""
    return "-".join(re.findall(r"[^\W_]+", name.casefold()))[:60] or "project"


def _target(typed: str, name: str, ending: str) -> Path:
    """The file that a path means: one in a folder, with the ending of the format where it has none."""
    path = Path(os.path.expanduser(typed.strip() or _file_name(name)))
    path = path / _file_name(name) if os.path.isdir(path) else path
    return path if path.suffix or not path.name else path.with_name(path.name + ending)
