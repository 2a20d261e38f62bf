"""``podium comment …``."""

from __future__ import annotations

import click

from core.actions.cards.comments import AddComment
from tui.cli.cards.named import CARD, NAMED_PROJECT
from tui.cli.message_command import MessageGroup
from tui.cli.session import Session
from tui.cli.streams import STREAM, read

comment_ = MessageGroup("comment", "Comments on cards: add.")


@comment_.runs(
    "add",
    NAMED_PROJECT,
    CARD,
    click.Argument(["words"], metavar="TEXT...", nargs=-1, required=True),
    ids=True,
    changes=True,
)
def add(session: Session, words: tuple[str, ...]) -> None:
    """Comment on a card of the current project, by title or id; “@login” notifies a member. “-” reads stdin."""
    text = read(STREAM) if words == (STREAM,) else " ".join(words)
    comment = session.execute(AddComment(item_id=session[CARD].id, text=text))
    session.done(comment, f"Commented on “{session[CARD].title}”.")
