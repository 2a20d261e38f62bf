"""Reading a file that is to be imported: its kind, size and text; tables and lines as other programs write them."""

from __future__ import annotations

import json
import os
import socket
from io import BytesIO
from pathlib import Path

import pytest

from core.domain.model import Status
from core.errors import InvalidImport
from core.import_export import files
from core.import_export.files import FileFormat, detect_format, read_document, read_file, read_stream, text_of
from core.import_export.tables.heads import Use
from core.import_export.tables.mapping import TableMapping
from core.templates import checked_files
from tests.unit.import_export.test_import_files import warrior


def test_a_file_is_refused_by_its_size_before_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    huge = tmp_path / "huge.json"
    with huge.open("wb") as file:
        file.truncate(files.MAX_BYTES + 1)
    monkeypatch.setattr(files, "read_stream_bytes", lambda _: pytest.fail("it was read"))
    with pytest.raises(InvalidImport, match=r"200,000,001 bytes. Podium imports at most 200,000,000"):
        read_file(huge)


@pytest.mark.parametrize("through_a_link", [False, True])
@pytest.mark.parametrize("kind", ["a pipe", "a device", "a socket"])
def test_what_is_no_regular_file_is_refused_at_once(tmp_path: Path, kind: str, through_a_link: bool) -> None:
    """A pipe without a writer, and /dev/zero, would be read for ever."""
    fifo, listening = tmp_path / "fifo", tmp_path / "socket"
    os.mkfifo(fifo)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(listening))
        named = {"a pipe": fifo, "a device": Path("/dev/zero"), "a socket": listening}
        path = named[kind]
        if through_a_link:
            (tmp_path / "link.json").symlink_to(path)
            path = tmp_path / "link.json"
        with pytest.raises(InvalidImport, match=r"it is a pipe or a device\. Name a file"):
            read_file(path)


def test_a_file_behind_a_link_is_read(tmp_path: Path) -> None:
    (tmp_path / "tasks.csv").write_text("title\nPaint\n")
    (tmp_path / "link.csv").symlink_to(tmp_path / "tasks.csv")
    assert read_file(tmp_path / "link.csv") == "title\nPaint\n"


def test_a_stream_without_an_end_is_read_no_further_than_is_accepted() -> None:
    read = 0

    class Endless(BytesIO):
        def read1(self, size: int | None = -1) -> bytes:
            nonlocal read
            assert size == files.PIECE
            read += size
            return bytes(size)

    with pytest.raises(InvalidImport, match="imports at most"):
        read_stream(Endless())
    assert files.MAX_BYTES < read <= files.MAX_BYTES + files.PIECE


def test_bytes_that_are_no_text_are_refused_with_their_line(tmp_path: Path) -> None:
    with pytest.raises(InvalidImport, match=r"^Line 2: It is not text in UTF-8"):
        text_of(b"title\nM\xfcller\n")
    with pytest.raises(InvalidImport, match="ktui task list --json"):
        text_of(b"SQLite format 3\0...")
    assert text_of(b"\xef\xbb\xbftitle\n") == "title\n"
    with pytest.raises(InvalidImport, match=r"No such file"):
        read_file(tmp_path / "nothing")
    with pytest.raises(InvalidImport, match="directory"):
        read_file(tmp_path)


def test_more_values_than_fit_into_memory_are_refused_before_they_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checked_files, "MAX_VALUES", 3)
    monkeypatch.setattr(checked_files, "decode", lambda _text, _kind: pytest.fail("it was read"))
    with pytest.raises(InvalidImport, match="It has more than 3 values"):
        read_document(json.dumps([warrior()]))


@pytest.mark.parametrize("end", ["\n", "\r\n", ",\n"], ids=["lines", "Windows", "commas"])
def test_json_lines_of_taskwarrior_are_read_as_its_array_is(end: str) -> None:
    tasks = [warrior(), warrior(uuid="2", description="Another")]
    lines = end.join(json.dumps(task) for task in tasks) + end.removeprefix(",")
    assert detect_format(lines) is FileFormat.TASKWARRIOR
    assert read_document(lines) == read_document(json.dumps(tasks))


def test_what_a_task_depends_on_is_a_list_of_texts_or_one_text() -> None:
    with pytest.raises(InvalidImport, match=r"^Line 1, \[0\].depends: It should be a list, each text"):
        read_document(json.dumps([warrior(depends=5)]))


def test_what_is_wrong_in_json_lines_is_named_by_its_line() -> None:
    lines = "\n\n".join(json.dumps(task) for task in (warrior(), warrior(uuid="2", due="soon")))
    with pytest.raises(InvalidImport, match=r"^Line 3, \[1\].due: “soon” is not a time"):
        read_document(lines)


@pytest.mark.parametrize("first", ["sep=;", "SEP=;", '"sep=;"'])
def test_the_separator_that_is_told_to_excel_is_taken_and_is_no_head(first: str) -> None:
    table = f"{first}\r\ntitle;status,a,b\r\nPaint;\r\nMove;done\r\n"
    read = read_document(table, mapping=TableMapping(columns={"status,a,b": Use.STATUS}))
    assert [(item.title, item.status) for item in read.document.items] == [
        ("Paint", Status.TO_DO),
        ("Move", Status.COMPLETED),
    ]
