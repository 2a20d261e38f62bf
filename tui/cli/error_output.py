"""The last net under a command: an error becomes one sentence on stderr, and its exit status."""

from __future__ import annotations

import errno
import sys
from collections.abc import Callable, Sequence
from typing import NoReturn

from core.errors import PodiumError
from tui.cli.output import (
    INTERRUPTED,
    complain,
    complain_of_fault,
    complain_of_usage,
    give_up_output,
    until_the_reader_leaves,
)
from tui.terminal.limits import CODE, EXIT_STATUS, explain_limit

NO_OUTPUT = 74
"""The exit status when the output cannot be written: ``EX_IOERR`` of sysexits.h."""

USAGE = 2
"""The exit status of a command line that cannot be understood."""

UNWRITABLE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)
"""Why printing fails. Every file that Podium writes by its name has a sentence of its own for them."""

EXTRAS = {
    "starlette": "server",
    "uvicorn": "server",
    "httptools": "server",
    "aiohttp": "web",
    "textual_serve": "web",
    "keyring": "keyring",
}
"""The extra of the package that brings a module which only some installations have."""


def wants_json(words: Sequence[str]) -> bool:
    """Return True if the words of a command line ask for JSON, also where they cannot be understood."""
    return "--json" in words[: list(words).index("--") if "--" in words else None]


def exit_with(run: Callable[[], object], *, as_json: bool, leave: Callable[[int], NoReturn] = sys.exit) -> NoReturn:
    """Run a command, and leave with its exit status. A result that is no number is 0."""
    try:
        status = _status(run, as_json)
    except OSError:  # stderr cannot be written either
        give_up_output(2)
        status = NO_OUTPUT
    _give_up_unwritable()
    leave(status)


def _status(run: Callable[[], object], as_json: bool) -> int:
    try:
        status = until_the_reader_leaves(run)
    except PodiumError as error:
        complain(error, as_json=as_json)
        return error.exit_status
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)
        return INTERRUPTED
    except ModuleNotFoundError as error:
        extra = EXTRAS.get((error.name or "").partition(".")[0])
        if extra is None:
            return complain_of_fault(error, as_json=as_json)
        complain_of_usage(f"This needs the extra “{extra}”: pip install 'podium-tui[{extra}]'", "", as_json=as_json)
        return USAGE
    except Exception as error:  # noqa: BLE001 (the last net: a person sees one sentence, and no stack trace)
        if isinstance(error, OSError) and error.errno in UNWRITABLE and error.filename is None:
            give_up_output()
            words = f"The output cannot be written: {error.strerror}."
            complain_of_usage(words, "", as_json=as_json, code="OUTPUT_NOT_WRITTEN")
            return NO_OUTPUT
        if words := explain_limit(error):
            complain_of_usage(words, "", as_json=as_json, code=CODE)
            return EXIT_STATUS
        return complain_of_fault(error, as_json=as_json)
    return status if isinstance(status, int) else 0


def _give_up_unwritable() -> None:
    """Give up what cannot be written any more, as to a terminal that is gone: Python would end with status 120."""
    for descriptor, stream in ((1, sys.stdout), (2, sys.stderr)):
        try:
            stream.flush()
        except (OSError, ValueError):
            give_up_output(descriptor)
