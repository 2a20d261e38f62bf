"""``podium search``."""

from __future__ import annotations

import click

from core.actions.personal.search import MAX_COUNT, Found, Search
from core.text.phrases import count
from tui.cli import resolve
from tui.cli.output import say
from tui.cli.session import Session, in_workspace

NOTHING = "Nothing that you may see has all of these words."


@click.command("search")
@click.argument("text", nargs=-1, required=True)
@click.option("--project", metavar="PROJECT", help="Only in this project.")
@click.option("--limit", type=click.IntRange(1, MAX_COUNT), default=50, show_default=True, help="List at most so many.")
@in_workspace
def search_(session: Session, text: tuple[str, ...], project: str | None, limit: int) -> None:
    """Find anything that I may see by the words in it, or by its id."""
    project_id = resolve.project_id(session, project) if project else None
    result = session.query(Search(text=" ".join(text), project_id=project_id, most=limit))
    session.list(result.found, ("WHAT", "FOUND", "PROJECT", "PHASE", "ID"), _row, NOTHING, answer=result)
    if result.more and not session.as_json:
        say(f"There are more than these {limit}; further words find fewer.")
    if result.unseen and not session.as_json:
        say(f"{count(result.unseen, 'project')} of yours may not be looked into now.")


def _row(found: Found) -> tuple[object, ...]:
    return found.what, found.title, found.project, found.phase, found.target_id
