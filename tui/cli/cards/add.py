"""``podium add``."""

from __future__ import annotations

import click

from tui.cli import capture
from tui.cli.message_command import runs
from tui.cli.session import Session


@runs(
    "add",
    click.Argument(["words"], metavar="TEXT...", nargs=-1, required=True),
    click.Option(
        ["-p", "--project"], metavar="PROJECT", help="The project (default: the current one, see “podium use”)."
    ),
    ids=True,
    changes=True,
)
def add_(session: Session, words: tuple[str, ...], project: str | None) -> None:
    """Add a task to the first open phase of the current project, such as “podium add Write brief @bob fri”.

    “@name”, a date, “#label” and “!high” at the end are the assignee, the due date, a label and the priority; “quotes”
    around them, within those of the shell, keep them literal. “-” reads the tasks from stdin, one on each line, as one
    step of the history.
    """
    capture.add(session, project, words)
