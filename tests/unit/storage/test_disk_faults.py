"""Each fault of a disk has a sentence of its own that is true."""

from __future__ import annotations

import contextlib
import errno
import os
import resource
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.errors import DatabaseFull, DatabaseReadOnly, StorageError
from core.storage.sqlite.database import SqliteDatabase
from core.storage.sqlite.faults import faults
from tests.support.postgres_cluster import about_the_file
from tests.support.workspace import new_database

pytestmark = about_the_file

SENTENCES = {
    errno.ENOSPC: (DatabaseFull, "No room is left on the disk"),
    errno.EDQUOT: (DatabaseFull, "Your quota on the disk of"),
    errno.EROFS: (DatabaseReadOnly, "is read-only now"),
    errno.EIO: (StorageError, "reports a fault"),
    errno.EMFILE: (StorageError, "Too many files are open"),
    errno.EACCES: (DatabaseReadOnly, "Permission denied"),
}


@pytest.mark.parametrize("number", SENTENCES, ids=errno.errorcode.__getitem__)
def test_what_the_system_says_of_a_disk_is_told_apart(tmp_path: Path, number: int) -> None:
    kind, words = SENTENCES[number]
    with pytest.raises(StorageError) as refused, faults(tmp_path / "podium.db"):
        raise OSError(number, os.strerror(number))
    assert type(refused.value) is kind
    assert words in str(refused.value)
    assert str(tmp_path / "podium.db") in str(refused.value)


def test_a_fault_of_a_disk_with_room_is_not_called_full(tmp_path: Path) -> None:
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = sqlite3.SQLITE_IOERR_WRITE
    with pytest.raises(StorageError, match=r"reports a fault \(disk I/O error\)") as refused, faults(tmp_path / "p.db"):
        raise error
    assert not isinstance(refused.value, DatabaseFull)
    assert list(tmp_path.iterdir()) == []


# -- what SQLite calls "unable to open" and "readonly" ---------------------------------------------------------------

UNNAMED = {
    sqlite3.SQLITE_CANTOPEN: "unable to open database file",
    sqlite3.SQLITE_READONLY: "attempt to write a readonly database",
    sqlite3.SQLITE_IOERR_WRITE: "disk I/O error",
}


@pytest.fixture(params=UNNAMED, ids=UNNAMED.get)
def unnamed(request: pytest.FixtureRequest) -> sqlite3.Error:
    """An error of SQLite that does not say what is wrong."""
    error = sqlite3.OperationalError(UNNAMED[request.param])
    error.sqlite_errorcode = request.param
    return error


def told(path: Path, error: sqlite3.Error) -> str:
    with pytest.raises(StorageError) as refused, faults(path):
        raise error
    return str(refused.value)


def test_a_missing_folder_is_named(tmp_path: Path, unnamed: sqlite3.Error) -> None:
    assert f"there is no folder {tmp_path / 'none'}" in told(tmp_path / "none" / "p.db", unnamed)


def test_a_folder_in_the_place_of_the_database_is_named(tmp_path: Path, unnamed: sqlite3.Error) -> None:
    (tmp_path / "p.db").mkdir()
    assert "is not a file" in told(tmp_path / "p.db", unnamed)


@contextlib.contextmanager
def files_left(number: int) -> Iterator[None]:
    """Let this process open so many files more."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = max(map(int, os.listdir("/proc/self/fd"))) + 1
    held = [os.open(os.devnull, os.O_RDONLY)]
    while held[-1] < most:
        held.append(os.open(os.devnull, os.O_RDONLY))
    resource.setrlimit(resource.RLIMIT_NOFILE, (held[-1] + 1 + number, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
        for each in held:
            os.close(each)


@pytest.mark.parametrize("number", range(4))
def test_too_many_open_files_are_not_called_a_question_of_rights(
    tmp_path: Path, unnamed: sqlite3.Error, number: int
) -> None:
    (tmp_path / "p.db").touch()
    with files_left(number):
        words = told(tmp_path / "p.db", unnamed)
    assert "Too many files are open" in words


@pytest.mark.parametrize("number", range(4))
def test_a_database_that_sqlite_cannot_open_for_want_of_descriptors_says_so(tmp_path: Path, number: int) -> None:
    new_database(tmp_path / "p.db").close()
    with files_left(number), pytest.raises(StorageError, match="Too many files are open"):
        SqliteDatabase(tmp_path / "p.db").write(lambda tx: tx.execute("UPDATE feed SET seq = seq"))


@pytest.mark.parametrize("name", ["p.db", "p.db-wal", "p.db-shm", ""], ids=lambda name: name or "the folder")
def test_what_may_not_be_written_is_named(
    tmp_path: Path, unnamed: sqlite3.Error, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    for each in ("p.db", "p.db-wal", *(["p.db-shm"] if name else [])):
        (folder / each).touch()
    monkeypatch.setattr(os, "access", lambda path, _: Path(path) != folder / name)
    assert f"You cannot write to {folder / name}" in told(folder / "p.db", unnamed)


def test_an_unnamed_fault_is_not_called_a_question_of_rights(tmp_path: Path, unnamed: sqlite3.Error) -> None:
    (tmp_path / "p.db").touch()
    words = told(tmp_path / "p.db", unnamed)
    assert str(unnamed) in words
    assert "rights" not in words
    assert "may not be written" not in words
    assert [each.name for each in tmp_path.iterdir()] == ["p.db"]
