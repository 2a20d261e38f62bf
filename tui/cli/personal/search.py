"""``podium search``."""

from __future__ import annotations

import click

from core.actions.personal.search import MAX_COUNT, Search
from core.text.phrases import count
from tui.cli.choices import Number
from tui.cli.message_command import runs
from tui.cli.output import say
from tui.cli.records import PROJECT
from tui.cli.sentences import Columns
from tui.cli.session import Session

HEADS = ("WHAT", "FOUND", "PROJECT", "PHASE", "KEY OR ID")
COLUMNS = Columns("what title project phase", lambda hit: hit.key or hit.target_id)
NOTHING = "Nothing that you can see has all of these words."


IN_PROJECT = PROJECT.option("--project", "Only in this project.")


@runs(
    "search",
    click.Argument(["text"], nargs=-1, required=True),
    IN_PROJECT,
    click.Option(
        ["--limit"],
        type=Number(1, MAX_COUNT),
        default=50,
        show_default=True,
        help="The maximum number of results.",
    ),
    ids=True,
    lists=True,
)
def search_(session: Session, text: tuple[str, ...], limit: int) -> None:
    """Search everything that I can see by words, or by a key or an id."""
    project = session[IN_PROJECT]
    result = session.query(Search(text=" ".join(text), project_id=project.id if project else None, most=limit))
    session.list(result.found, HEADS, COLUMNS, NOTHING, answer=result)
    if result.more and not session.as_json:
        say(f"There are more than these {limit}; further words find fewer.")
    if result.unseen and not session.as_json:
        say(f"{count(result.unseen, 'project')} of yours cannot be searched at the moment.")
