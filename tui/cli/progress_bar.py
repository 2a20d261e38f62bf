"""A progress bar on stderr, and ctrl+c, for a long command."""

from __future__ import annotations

import contextlib
import signal
import sys
from collections.abc import Iterator

import click

from core.storage.progress import Progress


@contextlib.contextmanager
def watched(label: str) -> Iterator[Progress]:
    """Show a progress bar on a terminal; ctrl+c then stops the command at its next step."""
    with click.progressbar(length=0, label=label, file=sys.stderr, hidden=not sys.stderr.isatty()) as bar:

        def show(done: int, total: int) -> None:
            bar.length = total
            bar.update(done - bar.pos)

        progress = Progress(show)

        before = signal.signal(signal.SIGINT, lambda *_: progress.cancel())
        try:
            yield progress
        finally:
            signal.signal(signal.SIGINT, before)
