"""``podium task link``, ``unlink``, ``override`` and ``links``: which cards wait for which."""

from __future__ import annotations

import click

from core.actions.dependencies.links import LinkCards, OverrideBlockers, UnlinkCards
from core.actions.dependencies.lists import DependencyLine, ListDependencies
from core.domain.canvas import Card
from core.domain.model import Item
from core.text.phrases import count, in_words
from tui.cli.cards.named import NAMED_PROJECT, named_card
from tui.cli.choices import Number
from tui.cli.message_command import MessageGroup
from tui.cli.records import LISTED_PROJECT, PROJECT
from tui.cli.session import Parameter, Session

WAITING: Parameter[Item | Card] = named_card("card", "waiting_id")
BLOCKER: Parameter[Item | Card] = named_card("blocker", "blocker_id")
ONE_BLOCKER: Parameter[Item | Card | None] = Parameter(
    click.Argument(["blocker"], required=False),
    lambda session, word: BLOCKER.read(session, word) if word else None,
    "blocker_id",
    noun="card",
)


def add_to(group: MessageGroup) -> None:
    """Add the commands to the group of tasks; they take activities too."""
    days = click.Option(["--lag"], type=Number(), default=0, help="The days between their due dates.")
    group.runs("link", NAMED_PROJECT, WAITING, BLOCKER, days, ids=True, changes=True)(link)
    unseen = click.Option(["--unseen"], is_flag=True, help="For all cards that you cannot see, instead of BLOCKER.")
    group.runs("unlink", NAMED_PROJECT, WAITING, ONE_BLOCKER, unseen, changes=True)(unlink)
    reason = click.Argument(["reason"])
    group.runs("override", NAMED_PROJECT, WAITING, reason, changes=True)(override)
    group.runs("links", LISTED_PROJECT, lists=True)(links)


def link(session: Session, lag: int) -> None:
    """Let a card wait for another one, which may be in another project. Cards are named by key, id or title."""
    card, blocker = session[WAITING], session[BLOCKER]
    made = session.execute(LinkCards(waiting_id=card.id, blocker_id=blocker.id, lag_days=lag))
    session.print_result(made, f"“{card.title}” waits for “{blocker.title}”.")


def unlink(session: Session, unseen: bool) -> None:
    """Let a card no longer wait for another one, or with --unseen for all those that you cannot see."""
    card, blocker = session[WAITING], session[ONE_BLOCKER]
    done = session.execute(UnlinkCards(waiting_id=card.id, blocker_id=blocker.id if blocker else None, unseen=unseen))
    what = f"“{blocker.title}”" if blocker else f"{count(done.removed, 'card')} that you cannot see"
    session.print_result(done, f"“{card.title}” no longer waits for {what}.")


def override(session: Session, reason: str) -> None:
    """Let a card start although it waits for open cards. The reason stays on the card."""
    card = session[WAITING]
    made = session.execute(OverrideBlockers(waiting_id=card.id, reason=reason))
    session.print_result(made, f"“{card.title}” can start.")


def links(session: Session) -> None:
    """List which cards of a project wait for which; without PROJECT, of the current one."""
    session.list(
        session.query(ListDependencies(project_id=session[PROJECT].id)),
        ("WAITS", "FOR", "WHAT", "STATUS", "LAG"),
        _row,
        "No card waits for another one. Link two with “podium task link”.",
    )


def _row(line: DependencyLine) -> tuple[object, ...]:
    other = line.blocker
    lag = f"{line.lag_days}d" if line.lag_days else ""
    if other is None:
        return line.waiting, "", "a card that you cannot see", "open" if line.open else "", lag
    status = "overridden" if other.override_reason else in_words(other.status)
    return line.waiting, other.key, other.title, status, lag
