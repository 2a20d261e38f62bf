"""A program that is killed before its first, second, … step, until it comes through.

Start it with ``python -m tests.support.faults.killed``.

A step is a call of the system that makes, changes, names or removes a file. It forks for each, so that a test of all
of them costs little more than one program.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from core.errors import PodiumError
from core.storage.backups import rotate
from core.storage.restoring import restore
from core.storage.sqlite.database import SqliteDatabase

STEPS = ("open", "mkdir", "fchmod", "write", "pwrite", "fsync", "utime", "link", "replace", "rename", "unlink", "close")


def killed_before(step: int, work: Callable[[], object]) -> bool:
    """Do the work in a process of its own, which is killed before this step; whether it came so far."""
    if (child := os.fork()) == 0:
        _count_down(step)
        try:
            work()
        except PodiumError as error:
            print(error, file=sys.stderr, flush=True)
            os._exit(1)
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    if os.WIFEXITED(status) and os.WEXITSTATUS(status):
        raise SystemExit(os.WEXITSTATUS(status))
    return os.WIFSIGNALED(status)


def _count_down(left: int) -> None:
    def dying(call: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*arguments: Any, **options: Any) -> Any:
            nonlocal left
            left -= 1
            if not left:
                os.kill(os.getpid(), signal.SIGKILL)
            return call(*arguments, **options)

        return counted

    for name in STEPS:
        setattr(os, name, dying(getattr(os, name)))


def make_backup(folder: Path) -> None:
    database = SqliteDatabase(folder / "podium.db")
    rotate(database)
    database.close()


def restore_one(folder: Path) -> None:
    restore(folder / "kept" / "copy.db", folder / "podium.db")


WORK = {"backup": make_backup, "restore": restore_one}


def main(what: str, folder: Path) -> None:
    """Kill what works in a copy of the folder before each step; each copy has the number of its step as its name."""
    for step in range(1, 1000):
        here = folder.with_name(f"{step}")
        shutil.copytree(folder, here)
        if not killed_before(step, partial(WORK[what], here)):
            print(step)
            return


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
