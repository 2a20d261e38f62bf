"""Hard links: several names of one database file. SQLite and Podium keep a separate log and lock beside each name.

Programs that open the file by different names do not see each other's changes, and overwrite them (sqlite.org, “How To
Corrupt An SQLite Database File”, section “Multiple links to the same file”). A symbolic link does no harm: SQLite and
Podium keep everything beside the file that it leads to.
"""

from __future__ import annotations

import contextlib
import os
import re
from pathlib import Path

from core.errors import UnsafeFile
from core.files.own_files import PART
from core.text.phrases import names, shell_command


def check_single_name(path: Path) -> None:
    """Raise UnsafeFile for a database whose file has a second name; OSError if that cannot be seen.

    Names that a running or killed backup or restore gave it do not count: Podium refuses to open such names, so no
    program uses them.
    """
    while path.is_file() and (count := os.stat(path).st_nlink) > 1:
        real = Path(os.path.realpath(path))
        others = [each for each in names_beside(real) if each.name != real.name]
        lasting = [each for each in others if not each.name.endswith(PART) and not is_aside(each.name, real.name)]
        if os.stat(path).st_nlink != count:  # a backup or a restore has just added or removed a name
            continue
        if count - 1 > len(others) - len(lasting):
            raise UnsafeFile(_refusal(real, lasting))
        return


def names_beside(path: Path) -> list[Path]:
    """The names of this file in its own folder. Raises OSError for a file that is not there."""
    same, found = path.stat(), []
    with contextlib.suppress(PermissionError):  # a folder that this account cannot list
        for each in path.parent.iterdir():
            with contextlib.suppress(FileNotFoundError):
                if os.path.samestat(each.lstat(), same):
                    found.append(each)
    return sorted(found)


def is_aside(name: str, database: str) -> bool:
    """Return True for a name under which a restore keeps the replaced file of this database."""
    return re.fullmatch(rf"{re.escape(database)}\.replaced-\d{{8}}T\d{{12}}", name, re.ASCII) is not None


def _refusal(path: Path, others: list[Path]) -> str:
    if others:
        which = f"{names([str(each) for each in (path, *others)])} are names of one file (hard links)"
    else:
        finding = shell_command("find", "/", "-samefile", str(path))
        which = f"{path} is one of several names of one file (hard links; {finding} lists them)"
    return (
        f"{which}: what is saved under one name is lost under the other. Nothing was changed. Quit every Podium that "
        "has it open, and remove all names but one: keep one with a -wal file beside it. “podium backup” makes a copy."
    )
