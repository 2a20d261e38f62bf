"""The output of the command line: columns, sentences, JSON, progress. Text from people is shown, never acted on."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, datetime
from typing import Any, TextIO, TypeVar

from core.errors import (
    AuthorizationUnavailable,
    InvalidFilter,
    InvalidInput,
    LapsesApproval,
    PodiumError,
    RuleViolation,
    WouldRelockPhases,
)
from core.storage.progress import Progress
from core.text.phrases import in_words, some
from core.text.sanitize import UNSAFE_IN_LINES, sanitize, visible_line

T = TypeVar("T")

BOLD, DIM, RED, YELLOW, GREEN = "1", "2", "31", "33", "32"

INTERRUPTED = 130
"""The exit status after ctrl+c, as shells have it."""

COLOURS = {
    "overdue": RED,
    "at risk": YELLOW,
    "on track": GREEN,
    "locked": DIM,
    "complete": GREEN,
    "completed": GREEN,
    "in progress": YELLOW,
    "archived": DIM,
}
"""Words of a state that are coloured wherever they fill a column."""


def has_colour() -> bool:
    """Say whether stdout is a terminal with colours. An empty ``NO_COLOR`` is not set (https://no-color.org)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def colour_text(text: str, colour: str) -> str:
    return f"\x1b[{colour}m{text}\x1b[0m" if has_colour() else text


def say(text: str) -> None:
    """Print a text on stdout, with its line breaks."""
    print(sanitize(text))


def print_line(sentence: str) -> None:
    """Print a sentence on stdout, as one line."""
    print(visible_line(sentence))


def put(text: str) -> None:
    """Print a file on stdout: unchanged into a file or pipe, sanitized on a terminal.

    It has no byte order mark: the next program would take that for a part of the first word.
    """
    text = text.removeprefix("\ufeff")
    if sys.stdout.isatty():
        say(text.rstrip("\r\n"))
    else:
        sys.stdout.buffer.write(text.encode())


def line(text: object) -> str:
    """Anything as one safe line."""
    return " ".join(sanitize(str(text)).split())


def day(due: date | None) -> str:
    """A date as ISO text, so that it can be sorted and pasted, of a moment on the reader's clock; empty for none."""
    if isinstance(due, datetime):
        due = due.astimezone().date()
    return due.isoformat() if due else ""


def moment(at: datetime) -> str:
    """A time on the reader's clock."""
    return f"{at.astimezone():%Y-%m-%d %H:%M}"


NARROWEST = 12
"""The cells of a column that is cut, at the least."""


def table(heads: Sequence[str], rows: Iterable[Sequence[object]], empty: str) -> None:
    """Aligned columns under their heads; ``empty`` is said when there are no rows.

    In a terminal the widest column is cut so that a row fits, into a pipe all is printed. Where that would not do, or
    a row is wider than two lines, each cell has a line of its own.
    """
    lines = [[line(cell) for cell in row] for row in rows]
    if not lines:
        say(empty)
        return
    widths = [max(map(cells, column)) for column in zip(heads, *lines, strict=True)]
    wide = max(range(len(widths)), key=widths.__getitem__)
    if (most := _terminal_width()) and (excess := sum(widths) + 2 * len(widths) - 2 - most) > 0:
        left = widths[wide] - excess
        if excess > most or left < max(NARROWEST, cells(heads[wide])):
            print("\n\n".join("\n".join(_cell_lines(heads, each)) for each in lines))
            return
        lines = [[*each[:wide], _cut(each[wide], left), *each[wide + 1 :]] for each in lines]
        widths[wide] = left
    print(colour_text(_row(heads, widths), BOLD))
    for each in lines:
        print(_row(each, widths, colour=True))


def _cut(text: str, most: int) -> str:
    """A text of at most ``most`` cells, with “…” for what is left out."""
    if cells(text) <= most:
        return text
    while cells(text) >= most:
        text = text[:-1]
    return f"{text.rstrip()}…"


def _terminal_width() -> int:
    """The cells of a line of the terminal; 0 where there is none, or where it does not tell."""
    try:
        return os.get_terminal_size().columns if sys.stdout.isatty() else 0
    except OSError:
        return 0


def _cell_lines(heads: Sequence[str], texts: Sequence[str]) -> Iterator[str]:
    width = max(map(cells, heads))
    for head, text in zip(heads, texts, strict=True):
        if text:
            shown = colour_text(text, COLOURS[text]) if text in COLOURS else text
            yield f"{colour_text(head, BOLD)}{' ' * (width - cells(head) + 2)}{shown}"


def _row(texts: Sequence[str], widths: Sequence[int], *, colour: bool = False) -> str:
    padded = []
    for place, (text, width) in enumerate(zip(texts, widths, strict=True)):
        shown = colour_text(text, COLOURS[text]) if colour and text in COLOURS else text
        padded.append(shown + " " * (width - cells(text)) if place < len(texts) - 1 else shown)
    return "  ".join(padded)


def cells(text: str) -> int:
    """The number of cells that a line takes on a terminal: two for wide letters, none for combining marks."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(letter) else 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        for letter in text
    )


FORMAT_VERSION = 1
"""The version of what --json prints. It grows when a field goes away or gets another meaning."""


def print_json(value: Any) -> None:
    """Print a result for programs: an object that begins with the format version, with a list as its ``data``."""
    document = value if isinstance(value, dict) else {"data": value}
    print_json_file({"formatVersion": FORMAT_VERSION, **document})


def print_json_file(value: Any) -> None:
    """A JSON file whose format is not ours."""
    print(_json(value, sys.stdout, indent=2))


def _json(value: Any, stream: TextIO, indent: int | None = None) -> str:
    """A value as JSON for a stream: letters as they are, unless it cannot encode them; what could act is escaped."""
    text = re.sub(UNSAFE_IN_LINES, _escape, json.dumps(value, indent=indent, ensure_ascii=False))
    try:
        text.encode(stream.encoding or "ascii")
    except UnicodeEncodeError:
        return json.dumps(value, indent=indent)
    return text


def _escape(found: re.Match[str]) -> str:
    return json.dumps(found[0])[1:-1]


def until_the_reader_leaves(run: Callable[[], T]) -> T | None:
    """Run something that prints. A reader that closes the pipe early, as ``head`` does, is no error.

    The result is kept if only the end of the output is not read, and None otherwise.
    """
    result = None
    try:
        result = run()
        sys.stdout.flush()
    except BrokenPipeError:
        give_up_output()
    return result


def give_up_output(descriptor: int = 1) -> None:
    """Let what is still to be flushed go nowhere, so that the end of the program does not fail by it.

    It is closed first, so that one more file can be opened, and its number is the lowest that is free.
    """
    os.close(descriptor)
    os.open(os.devnull, os.O_WRONLY)


def base() -> str:
    """The address that links to error pages begin with: that of the API, else of the server; "" where none is known."""
    from core.config import load
    from core.net.server_address import server_address

    try:
        config = load({})
        server = server_address(config.server) if config.server else None
    except PodiumError:
        return ""
    return config.public_url or (server.url if server and server.socket is None else "")


RELOCKING, LAPSING = "--allow-relock", '--allow-lapse "REASON"'


def complain(error: PodiumError, *, as_json: bool, relocking: str = RELOCKING, lapsing: str = LAPSING) -> None:
    """An error on stderr: form A for programs; for people the sentence, what is in the way, and who can help.

    ``relocking`` is what the command takes to do it although phases lock, or cards are blocked, again, and ``lapsing``
    to do it although an approval ends.
    """
    from core.domain.readiness import NAMED
    from core.wire.error_bodies import correlation_id, in_form_a

    known = error.correlation_id if isinstance(error, AuthorizationUnavailable) else ""
    if as_json:
        print(_json(in_form_a(error, known or correlation_id(), base()), sys.stderr), file=sys.stderr)
        return
    print(f"{error.title}: {visible_line(str(error))}", file=sys.stderr)
    if isinstance(error, InvalidFilter):
        before, wrong = error.text[: error.at], error.text[error.at : error.at + error.length]
        mark = " " * cells(sanitize(before)) + "^" * max(1, cells(sanitize(wrong)))
        print(f"  {sanitize(error.text)}\n  {mark}", file=sys.stderr)
    if isinstance(error, RuleViolation):
        for blocker in error.blockers:
            print(f"  - {line(blocker.title)} ({in_words(blocker.kind)} in {line(blocker.where)})", file=sys.stderr)
    if isinstance(error, LapsesApproval) and not error.can_allow:
        print(f"It takes {lapsing} from someone who can decide at the gate.", file=sys.stderr)
    elif isinstance(error, WouldRelockPhases):
        consent = lapsing if isinstance(error, LapsesApproval) else relocking
        print(f"Add {consent} to do it all the same.", file=sys.stderr)
    if who := getattr(error, "who_can", ()):
        print(f"{some([*map(line, who)], NAMED)} can help.", file=sys.stderr)
    if known:
        print(f"Correlation id: {line(known)}", file=sys.stderr)


def complain_of_fault(error: Exception, *, as_json: bool) -> int:
    """A fault of Podium itself; its exit status."""
    from core.wire.error_bodies import correlation_id, form_a
    from tui.terminal.fault import CODE, EXIT_STATUS, explain

    words = explain(error)
    said = _json(form_a(CODE, words, correlation_id(), base()), sys.stderr) if as_json else sanitize(words)
    print(said, file=sys.stderr)
    return EXIT_STATUS


def complain_of_usage(message: str, usage: str, *, as_json: bool, code: str = "USAGE") -> None:
    """A command line that cannot be understood; with another code, what else keeps a command from its end."""
    from core.wire.error_bodies import correlation_id, form_a

    if as_json:
        print(_json(form_a(code, message, correlation_id(), base()), sys.stderr), file=sys.stderr)
    else:
        print(f"{usage}\n{visible_line(message)}".strip(), file=sys.stderr)


def agree(question: str) -> None:
    """Ask for confirmation. Raises Abort for a no, and InvalidInput without a terminal or an answer in a pipe."""
    import click

    if sys.stdin.isatty():
        agreed = click.confirm(question, err=True)
    else:
        answer = sys.stdin.readline().strip().lower()
        if not answer:
            raise InvalidInput("yes", "Without a terminal you cannot be asked. Add --yes if you mean it.")
        agreed = answer in ("y", "yes")
    if not agreed:
        raise click.Abort


@contextlib.contextmanager
def show_progress(label: str) -> Iterator[Progress]:
    """Show a progress bar on a terminal; ctrl+c then stops a long command at its next step."""
    import click

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
