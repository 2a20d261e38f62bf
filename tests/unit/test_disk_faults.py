"""Each fault of a disk has a sentence of its own that is true."""

from __future__ import annotations

import errno
import os
import sqlite3
from pathlib import Path

import pytest

from core.errors import DatabaseFull, DatabaseReadOnly, StorageError
from core.storage.faults import faults

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
