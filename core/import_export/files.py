"""Files of projects: reads a file to import, with its size, text and format checked, and writes an export.

Files are not trusted: the size is checked before reading, the text must be UTF-8, and every fault is refused with its
line and field (``InvalidImport``).
"""

from __future__ import annotations

import os
import re
import select
import stat
from collections.abc import Callable, Mapping
from datetime import date
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import BinaryIO

from core.codec.json_loader import line_of
from core.domain.max_lengths import PROJECT_NAME
from core.errors import InvalidImport, InvalidInput
from core.files.opening import open_now
from core.files.own_files import check_folder, check_not_database, check_not_link, check_not_reserved, write_whole
from core.import_export.document import ProjectDocument
from core.import_export.draft import ColumnUse, Draft, KnownWord, LeftOut, UnknownWord
from core.import_export.other_files import refuse_other_bytes, refuse_other_texts
from core.import_export.tables.grid import read_grid
from core.import_export.tables.mapping import TableMapping
from core.import_export.validation import accept_document, check_references
from core.record import Record
from core.text.phrases import count
from core.text.sanitize import one_line, quote_value, sanitize

MAX_BYTES = 200_000_000
"""The most bytes of a file; a larger one is refused before it is read. A project of 10,000 tasks has 5 MB, one of 8,000
cards with long texts 75. Reading a file takes up to five times its size in memory."""

PIECE = 1_000_000
"""Bytes that are read at once."""

STEP_SECONDS = 0.2
"""Seconds to wait for input at once, before signals are handled."""

MAX_SENT = 50_000_000
"""The most bytes that are sent to a server, whose memory all users share."""

HOW_WITHOUT = "Import it on the server's machine with --db."

ZIP = b"PK\x03\x04"
"""The beginning of a spreadsheet, and of other zip archives."""

_WIDE = {
    "utf-32": rb"\xff\xfe\0\0|\0\0\xfe\xff",
    "utf-16": rb"\xff\xfe|\xfe\xff",
    "utf-16-le": rb"[^\0]\0[^\0]\0",
    "utf-16-be": rb"\0[^\0]\0[^\0]",
}
"""The beginnings of texts in UTF-32 and UTF-16, with and without a mark."""

_JSON = re.compile(r"""\{(?!\\rtf)|\[\s*(?:["'{\[\]]|-?[\d.]+\s*,|true\b|false\b|null\b|$)""")
"""How JSON begins, and no head of a table in brackets."""

_CONTROLS = re.compile(rb"[\0-\x08\x0e-\x1f]")
"""Bytes that hardly any text has."""

BEGINNING = 20_000
"""Characters from the start in which the format is detected."""

BEADS_BEGINNING = 200_000
"""The same for beads, whose first issue can be long."""


class FileFormat(StrEnum):
    """The formats of a file to import."""

    PODIUM = "PODIUM"
    TRELLO = "TRELLO"
    KANBAN_TUI = "KANBAN_TUI"
    TASKWARRIOR = "TASKWARRIOR"
    BEADS = "BEADS"
    CHECK_LIST = "CHECK_LIST"
    BACKLOG_MD = "BACKLOG_MD"
    TODO_TXT = "TODO_TXT"
    NEXTCLOUD_DECK = "NEXTCLOUD_DECK"
    ICALENDAR = "ICALENDAR"
    GANTTPROJECT = "GANTTPROJECT"
    MS_PROJECT = "MS_PROJECT"
    CSV = "CSV"


IN_WORDS: Mapping[FileFormat, str] = {
    FileFormat.PODIUM: "an export of Podium",
    FileFormat.TRELLO: "a board of Trello",
    FileFormat.KANBAN_TUI: "tasks of kanban-tui",
    FileFormat.TASKWARRIOR: "tasks of taskwarrior",
    FileFormat.BEADS: "issues of beads",
    FileFormat.CHECK_LIST: "check lists in Markdown",
    FileFormat.BACKLOG_MD: "tasks of Backlog.md",
    FileFormat.TODO_TXT: "a todo.txt",
    FileFormat.NEXTCLOUD_DECK: "boards of Nextcloud Deck",
    FileFormat.ICALENDAR: "a calendar",
    FileFormat.GANTTPROJECT: "a plan of GanttProject",
    FileFormat.MS_PROJECT: "a plan of Microsoft Project",
    FileFormat.CSV: "a table",
}

_MODULES = {
    FileFormat.CHECK_LIST: "check_lists",
    FileFormat.ICALENDAR: "ical",
    FileFormat.GANTTPROJECT: "gantt_project",
}
"""The modules of ``programs`` that are called otherwise than their format."""

JSON_LINES = (FileFormat.TASKWARRIOR, FileFormat.BEADS)
BY_LINES = (FileFormat.CSV, FileFormat.CHECK_LIST, FileFormat.BACKLOG_MD, FileFormat.TODO_TXT)
"""Formats in which an error is found by the row, and not by the path in JSON."""

_XML = r"(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*|<!DOCTYPE[^>\[]*(?:\[.*?\])?>\s*)*"
_BEGINNINGS = {
    FileFormat.ICALENDAR: r"BEGIN:V[A-Z]+\b",
    FileFormat.MS_PROJECT: _XML + r"<(?:\w+:)?Project\b[^>]*schemas\.microsoft\.com/project",
    FileFormat.GANTTPROJECT: _XML + r"<project\b(?=.*<tasks\b)",
}
"""How files that are neither JSON nor a table begin."""


class ImportedFile(Record, kw_only=False):
    """An imported file as a document. ``notes`` say what was read in another way than it stands in the file.

    ``columns``, ``unknown`` and ``known`` words are those of a table, and ``left_out`` is what is on no card.
    """

    format: FileFormat
    document: ProjectDocument
    notes: tuple[str, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    columns: tuple[ColumnUse, ...] = ()
    unknown: tuple[UnknownWord, ...] = ()
    known: tuple[KnownWord, ...] = ()


def read_file(path: Path, most: int = MAX_BYTES) -> str:
    """The text of a file of at most ``most`` bytes. Raises InvalidImport, also if it is missing or not readable."""
    return text_of(read_bytes(path, most))


def read_bytes(path: Path, most: int = MAX_BYTES) -> bytes:
    """The bytes of a regular file, also through a link; at most ``most``. Raises InvalidImport.

    A pipe or a device is refused, because it may never end.
    """
    try:
        _refuse_irregular(path, path.stat())  # before opening, which alone makes some devices act
        with open_now(path) as file:
            status = os.fstat(file.fileno())
            _refuse_irregular(path, status)  # again, because another file may be there by now
            if status.st_size > most:
                raise _too_large(status.st_size, most)
            return read_stream_bytes(file, most)
    except OSError as error:
        raise InvalidImport("", f"“{path}” cannot be read: {error.strerror or error}.") from None


def read_stream(stream: BinaryIO, most: int = MAX_BYTES) -> str:
    """The text of a stream; no more than ``most`` bytes are read. Raises InvalidImport."""
    return text_of(read_stream_bytes(stream, most))


def read_stream_bytes(stream: BinaryIO, most: int = MAX_BYTES) -> bytes:
    """The bytes of a stream, at most ``most``. Raises InvalidImport."""
    data = bytearray()
    while len(data) <= most:
        _wait_for_input(stream)
        piece = stream.read1(PIECE)  # type: ignore[attr-defined]  # all streams of bytes except unbuffered ones have it
        if not piece:
            return bytes(data)
        data += piece
    raise _too_large(len(data), most)


def _wait_for_input(stream: BinaryIO) -> None:
    """Return when the stream has something to read, or has ended.

    A signal that arrives just before a blocking read is handled only after it, so ctrl+c would have no effect while
    nothing is typed. Waiting in short steps lets it be handled.
    """
    try:
        descriptor = stream.fileno()
    except OSError:  # the stream is in memory
        return
    while not select.select([descriptor], [], [], STEP_SECONDS)[0]:
        pass


def _refuse_irregular(path: Path, status: os.stat_result) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise InvalidImport("", f"“{path}” cannot be read: it is a directory. Name a file in it.")
    if not stat.S_ISREG(status.st_mode):
        what = "it is a pipe or a device. Name a file, or send the text to “-”."
        raise InvalidImport("", f"“{path}” cannot be read: {what}")


def check_upload_size(size: int) -> None:
    """Raise InvalidImport for a request to a server with a larger file than servers accept."""
    if size > MAX_SENT:
        raise InvalidImport("", f"The file has {size:,} bytes. A server accepts at most {MAX_SENT:,}. {HOW_WITHOUT}")


def text_of(data: bytes) -> str:
    """Bytes as text, without a byte order mark. Raises InvalidImport, with the first line that is not UTF-8."""
    refuse_other_bytes(data)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InvalidImport("", "It is not text in UTF-8. Save or export it as UTF-8.", line=line) from None


def _decode(data: bytes, encoding: str) -> tuple[str, str]:
    """A file as text, and a note where its encoding was not said and is not UTF-8. Raises InvalidImport."""
    refuse_other_bytes(data)
    if data[:20].lstrip(b"\xef\xbb\xbf").upper().startswith(b"BEGIN:V"):
        data = re.sub(rb"\r?\n[ \t]", b"", data)  # calendars are folded by bytes, also inside a letter
    wide = next((name for name, beginning in _WIDE.items() if re.match(beginning, data)), "")
    try:
        if encoding or wide:
            return data.decode(encoding or wide), "" if encoding else f"Read as {wide.upper()}."
        return data.decode("utf-8-sig"), ""
    except UnicodeDecodeError as error:
        if encoding or wide:
            line = data.count(b"\n", 0, error.start) + 1
            raise InvalidImport("", f"It is not text in {(encoding or wide).upper()}.", line=line) from None
    except (LookupError, ValueError):
        sentence = f"There is no encoding “{quote_value(encoding)}”. Try utf-8 or cp1252."
        raise InvalidImport("encoding", sentence) from None
    if len(_CONTROLS.findall(data, 0, BEGINNING)) > min(len(data), BEGINNING) / 20:
        sentence = "It is not text, or in an unknown encoding. Save it as UTF-8, or say its encoding."
        raise InvalidImport("", sentence)
    text, called, throughout = data.decode("utf-8-sig", errors="replace"), "utf-8", " throughout"
    if len(text) >= len(text.replace("\ufffd", "").encode()):  # rather wrong bytes than letters of several
        from core.import_export.encodings import find_encoding

        called, throughout = find_encoding(data), ""
        text = data.decode(called, errors="replace")
    lost = f", with {count(lost, 'sign')} that cannot be read" if (lost := text.count("\ufffd")) else ""
    called = called.replace("cp125", "Windows-125")
    return text, f"Read as {called}{lost}, because it is not UTF-8{throughout}. --encoding says another."


def project_name_from(path: Path) -> str:
    """The name of a file without its extension, as a project name; "" if a project cannot have it."""
    try:
        return one_line(" ".join(sanitize(path.stem).split())[:PROJECT_NAME], "name")
    except InvalidInput:
        return ""


def read_document(
    source: str | bytes,
    format: FileFormat | None = None,
    mapping: TableMapping | None = None,
    today: date | None = None,
    name: str = "",
) -> ImportedFile:
    """Read the document in a file of this format, or of the format that it looks like. Raises InvalidImport.

    ``mapping`` is what the person says about a table, and ``name`` the project name for one, which contains none.
    """
    mapping, today, note = mapping or TableMapping(), today or date.today(), ""
    is_zip = isinstance(source, bytes) and source.startswith(ZIP)
    if isinstance(source, bytes):
        text, note = ("", "") if is_zip else _decode(source, mapping.encoding)
    else:
        text = source
    if not (is_zip or text.strip()):
        raise InvalidImport("", "There is nothing in it.")
    format = FileFormat.CSV if is_zip else format or detect_format(text)
    text = as_array(text) if format in JSON_LINES else text
    origin: Callable[[str], str] = str
    try:
        if format is FileFormat.PODIUM:
            from core.templates.checked_files import read_json

            return ImportedFile(format, check_references(read_json(text, ProjectDocument)))
        if format is FileFormat.CSV:
            draft = _draft_of_table(source if is_zip else text, mapping, today, name)
        else:
            draft = import_module(f"core.import_export.programs.{_MODULES.get(format, format.lower())}").draft(
                text, name
            )
        origin = draft.origin
        document = accept_document(draft.document("table" if format is FileFormat.CSV else format.lower()))
        notes = (note, *draft.notes) if note else tuple(draft.notes)
        return ImportedFile(format, document, notes, tuple(draft.left_out), draft.columns, draft.unknown, draft.known)
    except InvalidImport as refused:
        raise _add_place(refused, text, format, origin) from None


def detect_format(text: str) -> FileFormat:
    """The format that a text most likely has. Raises InvalidImport for JSON of an unknown format."""
    beginning = text[:BEGINNING].lstrip()
    if not _JSON.match(beginning):
        return _detect_text(beginning)
    if beginning.startswith("{"):
        if '"podium-project"' in beginning:
            return FileFormat.PODIUM
        if '"lists"' in text and '"cards"' in text:
            return FileFormat.TRELLO
        if '"stacks"' in text and '"cards"' in text:
            return FileFormat.NEXTCLOUD_DECK
        if '"issue_type"' in text[:BEADS_BEGINNING]:
            return FileFormat.BEADS
        if '"uuid"' in beginning.partition("\n")[0]:
            return FileFormat.TASKWARRIOR
    else:
        if '"task_id"' in beginning:
            return FileFormat.KANBAN_TUI
        if '"uuid"' in beginning:
            return FileFormat.TASKWARRIOR
        if '"issue_type"' in text[:BEADS_BEGINNING]:
            return FileFormat.BEADS
    raise InvalidImport(
        "",
        "It is JSON, but neither a project of Podium nor a board of Trello or Deck nor tasks of kanban-tui, taskwarrior"
        " or beads.",
    )


def _detect_text(beginning: str) -> FileFormat:
    """The format of a text other than JSON. Raises InvalidImport for a kind that Podium cannot read."""
    from core.import_export.programs.backlog_md import is_backlog
    from core.import_export.programs.check_lists import is_check_list
    from core.import_export.programs.todo_txt import is_todo_txt

    for format, pattern in _BEGINNINGS.items():
        if re.match(pattern, beginning.lstrip("\ufeff \t\r\n"), re.DOTALL | re.IGNORECASE):
            return format
    if is_backlog(beginning):
        return FileFormat.BACKLOG_MD
    if is_check_list(beginning):
        return FileFormat.CHECK_LIST
    if is_todo_txt(beginning):
        return FileFormat.TODO_TXT
    refuse_other_texts(beginning)
    return FileFormat.CSV


def as_array(text: str) -> str:
    """JSON lines, as taskwarrior writes them with ``rc.json.array=off``, as one array on the same lines."""
    if not text.lstrip().startswith("{"):
        return text
    lines = text.split("\n")
    filled = [at for at, line in enumerate(lines) if line.strip()]
    for at in filled[:-1]:
        lines[at] = f"{lines[at].rstrip().removesuffix(',')},"
    return "[" + "\n".join(lines) + "]"


def _draft_of_table(source: str | bytes, mapping: TableMapping, today: date, name: str) -> Draft:
    """The draft of a table: of a text, or of the bytes of a spreadsheet."""
    from core.import_export.tables.draft import draft as draft_of_table

    if isinstance(source, str):
        return draft_of_table(read_grid(source, mapping.skip_lines), mapping, today, name)
    from core.import_export.tables.workbook import read_workbook

    book = read_workbook(source, mapping.sheet, mapping.skip_lines)
    draft = draft_of_table(book.grid, mapping, today, name)
    draft.notes[:0] = book.notes
    draft.left_out[:0] = book.left_out
    return draft


def _add_place(refused: InvalidImport, text: str, format: FileFormat, origin: Callable[[str], str]) -> InvalidImport:
    """The error with the field and line in the file."""
    if refused.line or not refused.field:
        return refused
    field = origin(refused.field)
    if format in _BEGINNINGS:
        return InvalidImport(field, refused.reason)
    if format not in BY_LINES:
        return InvalidImport(field, refused.reason, line=line_of(text, field))
    row, _, column = field.removeprefix("row ").partition(".")
    return InvalidImport(column, refused.reason, line=int(row)) if row.isdecimal() else refused


def _too_large(size: int, most: int) -> InvalidImport:
    return InvalidImport("", f"The file has {size:,} bytes. Podium imports at most {most:,}. Split it.")


def write_file(path: Path, text: str, *, replace: bool, way_out: str = "Choose another name.") -> None:
    """Write a text to a file that only its owner can read, whole or not at all, and flush it to the disk.

    Raises InvalidInput if it cannot be written, and for a reserved name, a link, a missing folder and a database of
    Podium; also for an existing file without ``replace``, and then the sentence ends with ``way_out``.
    """
    check_not_reserved(path)
    check_folder(path)
    check_not_link(path)
    check_not_database(path)
    try:
        write_whole(path, text.encode(), replace=replace)
    except FileExistsError:
        if path.is_file():
            raise InvalidInput("file", f"{path} is there already. {way_out}") from None
        raise InvalidInput("file", f"{path} is there already and cannot be replaced. Choose another name.") from None
    except OSError as error:
        raise InvalidInput("file", f"“{path}” cannot be written: {error.strerror or error}.") from None
