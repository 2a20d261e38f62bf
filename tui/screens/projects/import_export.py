"""Export and import of a project from a screen: where to or from, what it would be, and how far it is.

Files are those of the machine that Podium runs on. A person who comes by a browser has none there, and must not read or
write those of the server: an export is handed to the browser, which saves it, and nothing can be imported (decided
here). The same holds where the setting ``files`` is off, as in the example block for sshd: there an export is put on
the clipboard of the person's own terminal. No other screen reads or writes a file that the user names.
"""

from __future__ import annotations

import asyncio
import os
import re
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from typing import Any

from core.actions.projects.imports import ImportPlan, ImportProject, PreviewImport
from core.domain.model import Id, Project
from core.errors import InvalidInput
from core.import_export.files import IN_WORDS, ImportedFile, project_name_from, read_bytes, read_document, write_file
from core.import_export.tables.columns import Undecided
from core.import_export.tables.mapping import TableMapping, read_columns
from core.record import Record
from core.reports.formats import RENDERINGS, ExportFormat, import_note
from core.text.phrases import names, some
from core.text.sanitize import visible_line
from tui.dialogs.confirm import ConfirmDialog
from tui.dialogs.fields.form_fields import ChoiceField, TextField
from tui.dialogs.form import FormDialog
from tui.dialogs.progress import ProgressDialog
from tui.podium import Podium
from tui.screens.projects.import_mapping import ask_mapping, ask_meaning

FORMATS = (
    (ExportFormat.JSON.value, "whole project"),
    (ExportFormat.CSV.value, "tasks"),
    (ExportFormat.ICAL.value, "calendar"),
    (ExportFormat.CHECKLIST.value, "check lists"),
    (ExportFormat.MARKDOWN.value, "report"),
    (ExportFormat.HTML.value, "page"),
)
MEANINGS = tuple(RENDERINGS[ExportFormat(value)].meaning for value, _ in FORMATS)
MAX_COPIED = 50_000
"""Bytes: what terminals take onto a clipboard (OSC 52), those with the lowest limits too."""

NAMED = 6
"""People and products that the plan names; of more it says how many."""


async def ask_export(app: Podium, project_id: Id, name: str) -> None:
    """Ask for the format and the file, and write it; asks before it replaces one."""

    async def save(values: dict[str, Any]) -> str | None:
        rendering = RENDERINGS[ExportFormat(values["format"])]
        path = _target(values["file"], name, rendering.ending) if has_files else Path(_file_name(name))
        replace = has_files and os.path.lexists(path)
        if replace and not await _may_replace(app, path):
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

    has_files = _has_files(app)
    what = ChoiceField("format", "What", FORMATS, ExportFormat.JSON.value, meanings=MEANINGS)
    fields = (what, TextField("file", "File", str(Path.cwd() / _file_name(name)))) if has_files else (what,)
    submit = "Export" if has_files or app.via == "browser" else "Copy"
    said = await app.ask(FormDialog(f"Export “{name}”", fields, save, submit=submit))
    if said is not None:
        app.toast(said)


def _has_files(app: Podium) -> bool:
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


async def _may_replace(app: Podium, path: Path) -> bool:
    return await app.ask(ConfirmDialog("Replace the file", visible_line(f"{path} is there already."), "Replace"))


def _file_name(name: str) -> str:
    """A project's name as that of a file."""
    return "-".join(re.findall(r"[^\W_]+", name.casefold()))[:60] or "project"


def _target(typed: str, name: str, ending: str) -> Path:
    """The file that a path means: one in a folder, with the ending of the format where it has none."""
    path = Path(os.path.expanduser(typed.strip() or _file_name(name)))
    path = path / _file_name(name) if os.path.isdir(path) else path
    return path if path.suffix or not path.name else path.with_name(path.name + ending)


class ImportPreview(Record, kw_only=False):
    """A file that was read, and what it would become."""

    read: ImportedFile
    plan: ImportPlan
    name: str


async def ask_import(app: Podium) -> Project | None:
    """Ask for the file, show what it would become, and import it; None when the person gave up."""
    if app.via == "browser":
        app.toast(
            "Nothing can be imported in a browser: Podium sees no files of yours. “podium project import” does it."
        )
        return None
    if not _has_files(app):
        app.toast(
            "Nothing can be imported here: Podium sees no files of yours. “podium project import” does it from a"
            " machine of your own."
        )
        return None
    incoming = await _ask_file(app)
    if incoming is None or not await _agrees(app, incoming):
        return None
    command = ImportProject(
        document=incoming.read.document, name=incoming.name, leave_out_unknown=bool(incoming.plan.missing)
    )
    return await app.ask(ProgressDialog(f"Importing “{incoming.name}”", command))


async def _ask_file(app: Podium) -> ImportPreview | None:
    async def look(values: dict[str, Any]) -> ImportPreview | None:
        mapping = TableMapping(columns=read_columns(each for each in values["columns"].split(",") if each.strip()))
        path = Path(os.path.expanduser(values["file"].strip()))
        read = await _read_file(app, path, mapping)
        if read is None:
            return None
        plan = await app.aside(PreviewImport(document=read.document))
        return ImportPreview(read, plan, values["name"].strip() or plan.name)

    fields = (
        TextField("file", "File", "", "The path of the file"),
        TextField("name", "Name", "", "Default: the name in the file, or that of the file"),
        TextField("columns", "Columns", "", "Of a table (CSV), where they are unclear: title=Job, due=End"),
    )
    note = "An export of Podium, Trello, kanban-tui or taskwarrior (JSON), or a table (CSV). Nothing is made yet."
    return await app.ask(FormDialog("Import a project", fields, look, submit="Preview", note=note))


async def _read_file(app: Podium, path: Path, mapping: TableMapping) -> ImportedFile | None:
    """Read a file, and ask what the columns, words, days and numbers of a table mean; None if the person gives up."""
    is_asked = False
    while True:
        try:
            read = await asyncio.to_thread(
                lambda said: read_document(read_bytes(path), mapping=said, name=project_name_from(path)), mapping
            )
            if is_asked or not read.columns:
                return read
            said, is_asked = await ask_mapping(app, read, mapping), True
        except Undecided as question:
            said = await ask_meaning(app, question, mapping)
        if said is None:
            return None
        mapping = said


async def _agrees(app: Podium, incoming: ImportPreview) -> bool:
    yes = "Import without them" if incoming.plan.missing else "Import"
    return await app.ask(ConfirmDialog(f"Import “{incoming.name}”", _plan_words(incoming), yes))


def _plan_words(incoming: ImportPreview) -> str:
    """The plan of an import: the records it makes, the people it does not know, and its warnings."""
    plan = incoming.plan
    here = [person for person in plan.people if person.user]
    missing = [f"{each.kind} “{each.name}”{each.why and f' ({each.why})'}" for each in plan.missing]
    made = names(plan.parts) or "nothing in it"
    parts = [
        f"Read as {IN_WORDS[incoming.read.format]}. It becomes a project with {made}.",
        f"People: {len(here)} of {len(plan.people)} are in this workspace and become members." if plan.people else "",
        f"Not here, and left out: {some(missing, NAMED)}." if missing else "",
        "\n".join(f"{each.head}: {each.becomes} ({' | '.join(each.samples)})" for each in incoming.read.columns),
        " ".join((*incoming.read.notes, *(each.sentence for each in incoming.read.left_out))),
    ]
    return "\n\n".join(part for part in parts if part)
