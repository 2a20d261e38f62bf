"""Resource limits, checked at the start: enough open files and memory for one user."""

from __future__ import annotations

import errno

EXIT_STATUS = 71
"""``EX_OSERR`` of sysexits.h: the system lacks a resource."""

CODE = "TOO_LITTLE_MEMORY_OR_FILES"
"""The error code."""

FILES = 64
"""Open files: a screen starts with about 20 (measured), with a connection for each of its threads."""

MEMORY = 128 * 1024 * 1024
"""Bytes of address space: a command uses about 40 MB and an idle server about 90 MB (measured)."""


def too_low() -> str:
    """The error message for a resource limit that is too low for Podium to run; "" if there is none."""
    try:
        import resource
    except ImportError:  # not a POSIX system
        return ""
    for which, least, words in (
        (resource.RLIMIT_NOFILE, FILES, "{} open files, but only {} are allowed here. Run “ulimit -n 1024”"),
        (resource.RLIMIT_AS, MEMORY, "{:,} bytes of memory, but only {:,} are allowed here. Run “ulimit -v unlimited”"),
    ):
        allowed, _ = resource.getrlimit(which)
        if allowed != resource.RLIM_INFINITY and allowed < least:
            return f"Podium needs {words.format(least, allowed)}, or ask an administrator, then start Podium again."
    return ""


def explain_limit(error: BaseException) -> str:
    """The error message if an error means that memory or open files are used up; "" for other errors."""
    if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE):
        return "Too many files are open for Podium to continue. Raise “ulimit -n”, or close other programs."
    if isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno == errno.ENOMEM):
        return "There is too little memory for Podium to continue. Raise “ulimit -v”, or close other programs."
    return ""
