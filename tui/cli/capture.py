"""Quick capture: ``podium add``, whose words are tasks of the current project."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from core.actions.cards.capture import CapturedTask, CaptureTasks
from core.errors import InvalidInput
from core.text.dates import in_full
from core.text.phrases import count
from core.text.typed_titles import listed_titles
from tui.cli.current_project import project_named
from tui.cli.session import Session

STDIN = "-"

MAX_BYTES = 1_000_000
"""Bytes that are read from stdin."""


def add(session: Session, project: str | None, words: Sequence[str]) -> None:
    """Add a task of these words, or one for each line of stdin. Raises PodiumError."""
    texts = _lines() if list(words) == [STDIN] else (" ".join(words),)
    found = project_named(session, project)
    made = session.execute(CaptureTasks(project_id=found.id, texts=texts))
    if session.as_json or session.ids_only:
        session.list(made.tasks, (), lambda _: (), "", answer=made)
        return
    place = f"“{made.phase}” of “{made.project}”"
    if len(made.tasks) == 1:
        line = made.tasks[0]
        session.print_result(
            line, f"Added “{line.task.title}” ({line.key}) to {place}{_describe_shorthand(line)}.", *line.notes
        )
        return
    below = [f"  {each.key}  {each.task.title}{_describe_shorthand(each)}" for each in made.tasks]
    notes = [note for each in made.tasks for note in each.notes]
    session.show(made, lambda _: [f"Added {count(len(made.tasks), 'task')} to {place}:", *below, *notes])


def _describe_shorthand(line: CapturedTask) -> str:
    """The meaning of the shorthand: ", for Bob Lind, due Fri 27 Nov 2026, #print, high priority"."""
    found = [f"for {line.assignee}"] if line.assignee else []
    found += [f"due {in_full(line.task.due)}"] if line.task.due else []
    found += [f"#{label}" for label in line.labels]
    found += [f"{line.task.priority.shown} priority"] if line.task.priority.shown else []
    return "".join(f", {each}" for each in found)


def _lines() -> tuple[str, ...]:
    """The titles on stdin. Raises InvalidInput where there are none, or they are no text."""
    data = sys.stdin.buffer.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise InvalidInput("texts", f"stdin has more than {MAX_BYTES:,} bytes. Add the tasks in several steps.")
    try:
        titles = listed_titles(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise InvalidInput("texts", f"stdin is not UTF-8 text (byte {error.start}).") from error
    if not titles:
        raise InvalidInput("texts", "stdin is empty. Write one task on each line.")
    return titles
