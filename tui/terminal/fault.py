"""An unexpected error, a fault of Podium: one sentence for the user, and a report in a file in their home."""

from __future__ import annotations

import contextlib
import platform
import re
import traceback
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

EXIT_STATUS: Final = 70
"""``EX_SOFTWARE`` of sysexits.h."""

CODE: Final = "INTERNAL_ERROR"
"""The error code, the same as the server's."""


KEPT: Final = 10
"""Reports that are kept; older ones are deleted when a new one is written."""

NAME: Final = re.compile(r"\d{8}T\d{12}\.txt", re.ASCII)


def explain(error: BaseException) -> str:
    """Write the report of a fault, and return the sentences for the user, with the path of the report.

    Example: “Podium has a fault (KeyError in core/storage/row_mapper.py, line 12). …”
    """
    report = _write(error)
    where = f"The report is in {report}; please attach it to a bug report." if report else "No report could be written."
    return f"Podium has a fault ({_what(error)}). Everything that was shown as saved is on the disk. {where}"


def _what(error: BaseException) -> str:
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if _is_ours(frame.filename)]
    if not frames:
        return type(error).__name__
    return f"{type(error).__name__} in {_short(frames[-1].filename)}, line {frames[-1].lineno}"


def _is_ours(filename: str) -> bool:
    return {"core", "tui"} & set(Path(filename).parts[-4:]) != set()


def _short(filename: str) -> str:
    parts = Path(filename).parts
    start = max(place for place, part in enumerate(parts) if part in ("core", "tui"))
    return "/".join(parts[start:])


def _write(error: BaseException) -> Path | None:
    """Write the stack trace, without values of variables, to a private file. Return None if that fails."""
    from core import VERSION
    from core.errors import PodiumError
    from core.files.own_files import write_whole
    from core.files.user_folders import user_folder

    now = datetime.now(UTC)
    here = f"Podium {VERSION}, Python {platform.python_version()}, {platform.platform()}"
    text = "\n".join([f"{here}, {now:%Y-%m-%d %H:%M:%S} UTC", "", *traceback.format_exception(error)])
    with contextlib.suppress(OSError, PodiumError):
        folder = user_folder("state") / "faults"
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = folder / f"{now:%Y%m%dT%H%M%S%f}.txt"
        write_whole(path, text.encode(errors="replace"))
        for old in sorted(each for each in folder.iterdir() if NAME.fullmatch(each.name))[:-KEPT]:
            old.unlink(missing_ok=True)
        return path
    return None
