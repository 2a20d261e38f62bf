"""The entry of the program ``podium``, also as ``python -m tui``."""

from __future__ import annotations

import contextlib
import os
import sys

from tui.terminal.collector import collector_off
from tui.terminal.limits import CODE, EXIT_STATUS, too_low

IMPORT_LAZILY = ("core", "rich", "textual", "tui")
"""The packages whose modules import lazily."""


def main() -> None:
    """Run the command line, and exit with its exit status."""
    _import_lazily()
    _open_standard_streams()
    for stream in (sys.stdout, sys.stderr):
        if stream is not None and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal without UTF-8 shows "?" for other characters
    if words := too_low():
        sys.exit(_end(words))
    if sys.argv[1:2] == ["complete"]:
        with collector_off():
            from tui.cli.completion import answer

            answer.main(sys.argv[2:])
    with collector_off():
        from tui.cli import quick

        quick.main(sys.argv[1:])
    from tui.cli.program import podium

    podium.main(prog_name="podium")


def _import_lazily() -> None:
    """Import each module only when something of it is used, on Pythons that can (3.15 and later).

    Only Podium, Textual and Rich import lazily: other packages rely on the order of their imports.
    """
    if hasattr(sys, "set_lazy_imports_filter"):
        sys.set_lazy_imports_filter(lambda importer, *_: importer.partition(".")[0] in IMPORT_LAZILY)
    if hasattr(sys, "set_lazy_imports"):
        sys.set_lazy_imports("all")


def _end(words: str) -> int:
    """Print the error, with ``--json`` as JSON if memory allows the imports. Return the exit status."""
    try:
        from tui.cli.output import complain_of_usage

        complain_of_usage(words, "", as_json="--json" in sys.argv, code=CODE)
    except (MemoryError, ImportError, OSError):
        with contextlib.suppress(OSError):
            os.write(2, f"{words}\n".encode(errors="replace"))
    return EXIT_STATUS


def _open_standard_streams() -> None:
    """Open closed standard streams (``podium … >&-``) on /dev/null, so that no database gets their numbers."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest free number, which is this one
    sys.stdin = sys.stdin or os.fdopen(0, closefd=False)
    sys.stdout = sys.stdout or os.fdopen(1, "w", closefd=False)
    sys.stderr = sys.stderr or os.fdopen(2, "w", closefd=False)


if __name__ == "__main__":
    main()
