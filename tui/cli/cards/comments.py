"""``podium comment …``."""

from __future__ import annotations

import click

from core.actions.cards.comments import PART, AddComment, DeleteComment, EditComment, ListComments
from core.text.phrases import count
from tui.cli.cards.named import CARD, NAMED_PROJECT
from tui.cli.message_command import MessageGroup, flag
from tui.cli.output import moment, say
from tui.cli.sentences import Columns
from tui.cli.session import Session
from tui.cli.streams import STREAM, read

COLUMNS = Columns(
    lambda comment: f"{moment(comment.at)}{', edited' if comment.edited else ''}",
    "author text id",
)
TEXT = click.Argument(["words"], metavar="TEXT...", nargs=-1, required=True)

comment_ = MessageGroup("comment", "Comments on cards: list, add, edit, delete.")


@comment_.runs(
    "list",
    NAMED_PROJECT,
    CARD,
    flag("--all", f"All of them, not only the newest {PART}.", "every"),
    ids=True,
    lists=True,
)
def list_(session: Session, every: bool) -> None:
    """List the newest comments of a card, the oldest of them first."""
    page = session.query(ListComments(item_id=session[CARD].id))
    comments = page.comments
    while every and page.older and page.comments:
        page = session.query(ListComments(item_id=session[CARD].id, before=page.comments[0].id))
        comments = page.comments + comments
    session.list(comments, ("WHEN", "WHO", "TEXT", "ID"), COLUMNS, "No comments yet.")
    if page.older and not session.as_json and not session.ids_only:
        say(f"{count(page.older, 'older comment')} not listed: --all lists them.")


@comment_.runs(
    "add",
    NAMED_PROJECT,
    CARD,
    TEXT,
    ids=True,
    changes=True,
)
def add(session: Session, words: tuple[str, ...]) -> None:
    """Comment on a card of the current project, by title or id; “@login” notifies a member. “-” reads stdin."""
    comment = session.execute(AddComment(item_id=session[CARD].id, text=_read_text(words)))
    session.print_result(comment, f"Commented on “{session[CARD].title}”.")


COMMENT = click.Argument(["comment"], metavar="COMMENT")
"""The id of a comment, as the list has it."""


@comment_.runs(
    "edit",
    NAMED_PROJECT,
    CARD,
    COMMENT,
    TEXT,
    ids=True,
    changes=True,
)
def edit(session: Session, comment: str, words: tuple[str, ...]) -> None:
    """Change the text of my own comment, by the id that the list has. “-” reads stdin."""
    changed = session.execute(EditComment(item_id=session[CARD].id, comment_id=comment, text=_read_text(words)))
    session.print_result(changed, f"Changed the comment on “{session[CARD].title}”.")


@comment_.runs("delete", NAMED_PROJECT, CARD, COMMENT, ids=True, changes=True)
def delete(session: Session, comment: str) -> None:
    """Delete my own comment, by the id that the list has. Undo brings it back."""
    gone = session.execute(DeleteComment(item_id=session[CARD].id, comment_id=comment))
    session.print_result(gone, f"Deleted the comment on “{session[CARD].title}”. “podium undo” brings it back.")


def _read_text(words: tuple[str, ...]) -> str:
    return read(STREAM) if words == (STREAM,) else " ".join(words)
